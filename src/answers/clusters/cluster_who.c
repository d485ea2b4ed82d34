/* Whose wait a cluster is, from the names of its symptoms. */
#include "answers/clusters/cluster_who.h"

#include <stdio.h>

#include "answers/clusters/hop_names.h"
#include "engine/waits/chain.h"

/* Bare stacks have one thread, which is called by its file: it has no name in links. */
static bool is_bare(const struct lode_strings *strings, uint32_t comm, uint32_t path)
{
	size_t n = strings->len.at[comm], n_path = strings->len.at[path];
	const char *base = strings->text.at[path] + n_path - n;

	return n <= n_path && memcmp(base, strings->text.at[comm], n) == 0 &&
	       (n == n_path || base[-1] == '/') && !memchr(base, '/', n);
}

/* What the symptoms of a thread's name cost. */
struct named {
	uint32_t comm; /* string id; LODE_NONE: of bare stacks */
	int64_t cost_ns;
};
typedef LODE_VEC(struct named) named_vec;

static void sum_names(named_vec *names, const struct lode_mined *mined,
		      const struct lode_cluster *cluster)
{
	const struct lode_digest *digest = mined->digest;
	struct lode_map index = {0};

	for (size_t i = 0; i < cluster->n_worst; i++) {
		const struct lode_cluster_worst *worst = &cluster->worst[i];
		const struct lode_digest_symptom *symptom = &digest->symptoms.at[worst->symptom];
		uint32_t path = digest->streams.at[symptom->stream].path, comm = symptom->comm;
		uint32_t place;

		if (is_bare(&digest->tree.strings, comm, path))
			comm = LODE_NONE;
		place = lode_map_number(&index, comm, names->n);
		if (place == names->n)
			lode_vec_append(names, ((struct named){comm, 0}));
		lode_vec_is_there(names);
		names->at[place].cost_ns += worst->symptom_cost_ns;
	}
	lode_map_release(&index);
}

/* In links, or of its program. */
static const char *name_of(char *buffer, size_t size, const struct lode_mined *mined,
			   const struct named *named, bool is_program)
{
	const char *const *strings = mined->digest->tree.strings.text.at;
	char name[LODE_HOP_NAME];

	buffer[0] = '\0';
	if (named->comm == LODE_NONE)
		return buffer;
	if (!is_program)
		return lode_link_name(strings[named->comm], buffer, size);
	return lode_hop_program(buffer, size,
				lode_link_name(strings[named->comm], name, sizeof(name)));
}

/* The name, or program, that four fifths of the cluster's cost in symptoms agree on: the one that
   is left when each cost is set off against those of other names has more than half of it, if any
   name has. */
static bool find_who(char *out, const struct lode_mined *mined, const struct lode_cluster *cluster,
		     bool is_program)
{
	int64_t lead_ns = 0, all_ns = 0, same_ns = 0;
	char name[LODE_WHO];
	named_vec names = {0};

	sum_names(&names, mined, cluster);
	for (size_t i = 0; i < names.n; i++) {
		name_of(name, sizeof(name), mined, &names.at[i], is_program);
		lead_ns += strcmp(name, out) == 0 ? names.at[i].cost_ns : -names.at[i].cost_ns;
		if (lead_ns < 0) {
			memcpy(out, name, sizeof(name));
			lead_ns = -lead_ns;
		}
	}
	for (size_t i = 0; i < names.n; i++) {
		name_of(name, sizeof(name), mined, &names.at[i], is_program);
		all_ns += names.at[i].cost_ns;
		same_ns += strcmp(name, out) == 0 ? names.at[i].cost_ns : 0;
	}
	lode_vec_release(&names);
	if (same_ns < lode_agreed_ns(all_ns))
		out[0] = '\0';
	return out[0] || same_ns >= lode_agreed_ns(all_ns);
}

/* "clang and 11 others": programs that share a function of CPU time, which is not one's alone. */
static void name_several(char *out, const struct lode_mined *mined,
			 const struct lode_cluster *cluster)
{
	const char *const *strings = mined->digest->tree.strings.text.at;
	const struct named *most = NULL;
	named_vec names = {0};
	char name[24];
	size_t n = 0;

	sum_names(&names, mined, cluster);
	for (size_t i = 0; i < names.n; i++) {
		if (names.at[i].comm == LODE_NONE || !names.at[i].cost_ns)
			continue;
		n++;
		if (!most || names.at[i].cost_ns > most->cost_ns ||
		    (names.at[i].cost_ns == most->cost_ns &&
		     strcmp(strings[names.at[i].comm], strings[most->comm]) < 0))
			most = &names.at[i];
	}
	if (n > 1)
		snprintf(out, LODE_WHO, "%s and %zu other%s",
			 name_of(name, sizeof(name), mined, most, false), n - 1, n > 2 ? "s" : "");
	lode_vec_release(&names);
}

void lode_cluster_who(char out[LODE_WHO], const struct lode_mined *mined,
		      const struct lode_cluster *cluster)
{
	out[0] = '\0';
	if (!find_who(out, mined, cluster, false))
		(void)find_who(out, mined, cluster, true);
	if (!out[0] && mined->n_cpu_symptoms && mined->n_cpu_symptoms == mined->digest->symptoms.n)
		name_several(out, mined, cluster);
}
