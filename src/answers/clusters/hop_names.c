/* Names for hops of a chain that many threads with different names are at. */
#include "answers/clusters/hop_names.h"

#include <stdio.h>

const char lode_hop_any[] = "…";

/* A link that too few stacks have. */
struct hop {
	uint32_t frame;
	uint32_t stack; /* that counted it last */
	uint32_t group;
	int64_t cost_ns;
};

/* Hops that may be called by one name: of a program, or all that are left. */
struct group {
	char text[LODE_HOP_NAME];
	uint32_t stack;
	uint32_t first; /* its costliest hop */
	int64_t cost_ns;
};

struct finding {
	const struct lode_digest *digest;
	const struct lode_cluster *cluster;
	const int64_t *cost_ns;
	LODE_VEC(struct hop) hops;
	LODE_VEC(struct group) groups;
	struct lode_map hop_of; /* frame -> index */
	LODE_VEC(uint32_t) path;
};

const char *lode_hop_program(char *buffer, size_t size, const char *name)
{
	size_t n = strcspn(name, " ,"), len = strlen(name);
	const char *rest = strstr(name, ", busy with ");

	if (!rest && len && name[len - 1] == ')' && strstr(name, ", inferred)"))
		for (rest = name + len; rest > name && strncmp(rest, " (", 2) != 0;)
			rest--;
	if (n > 1 && name[n - 1] == ':')
		n--;
	snprintf(buffer, size, "%.*s%s", (int)n, name, rest && rest > name ? rest : "");
	return buffer;
}

static size_t path_of(struct finding *f, size_t stack)
{
	uint32_t node = f->cluster->stacks[stack].node;
	size_t depth = f->digest->tree.nodes.at[node].depth;

	while (f->path.n <= depth)
		lode_vec_append(&f->path, 0);
	return lode_calltree_path(&f->digest->tree, node, f->path.at);
}

static bool is_common(const struct lode_cluster *cluster, uint32_t frame)
{
	for (size_t i = 0; i < cluster->n_common; i++)
		if (cluster->common[i] == frame)
			return true;
	return false;
}

/* All links and their costs; then without those that have enough. */
static void find_hops(struct finding *f, int64_t enough_ns)
{
	size_t n = 0;

	for (uint32_t s = 0; s < f->cluster->n_stacks; s++)
		for (size_t i = path_of(f, s); i-- > 0;) {
			uint32_t frame = f->path.at[i], place;

			if (!(f->digest->tree.frames.at[frame].flags & LODE_FRAME_LINK))
				continue;
			place = lode_map_number(&f->hop_of, frame, f->hops.n);
			if (place == f->hops.n)
				lode_vec_append(&f->hops,
						((struct hop){frame, LODE_NONE, LODE_NONE, 0}));
			if (f->hops.at[place].stack != s)
				f->hops.at[place].cost_ns += f->cost_ns[s];
			f->hops.at[place].stack = s;
		}
	lode_map_release(&f->hop_of);
	memset(&f->hop_of, 0, sizeof(f->hop_of));
	for (size_t i = 0; i < f->hops.n; i++) {
		if (f->hops.at[i].cost_ns >= enough_ns ||
		    is_common(f->cluster, f->hops.at[i].frame))
			continue;
		*lode_map_slot(&f->hop_of, f->hops.at[i].frame) = (uint32_t)n;
		f->hops.at[n++] = f->hops.at[i];
	}
	f->hops.n = n;
}

static const char *name_of(const struct finding *f, const struct hop *hop)
{
	return lode_frame_function(&f->digest->tree, hop->frame);
}

/* Puts a hop into the group of that name, which goes by its costliest. */
static void add_to_group(struct finding *f, uint32_t hop, const char *text)
{
	struct hop *h = &f->hops.at[hop];
	struct group *group;
	const struct hop *first;

	for (h->group = 0; h->group < f->groups.n; h->group++)
		if (!strcmp(f->groups.at[h->group].text, text))
			break;
	if (h->group == f->groups.n) {
		group = lode_vec_append_zero(&f->groups);
		snprintf(group->text, sizeof(group->text), "%s", text);
		group->stack = LODE_NONE;
		group->first = hop;
	}
	group = &f->groups.at[h->group];
	first = &f->hops.at[group->first];
	if (h->cost_ns > first->cost_ns ||
	    (h->cost_ns == first->cost_ns && strcmp(name_of(f, h), name_of(f, first)) < 0))
		group->first = hop;
}

/* What the stacks with any hop of a group cost; of hops without a group, nothing. */
static void count_groups(struct finding *f)
{
	for (uint32_t s = 0; s < f->cluster->n_stacks; s++)
		for (size_t i = path_of(f, s); i-- > 0;) {
			uint32_t hop = lode_map_find(&f->hop_of, f->path.at[i]);
			struct group *group;

			if (hop == LODE_NONE || f->hops.at[hop].group == LODE_NONE)
				continue;
			group = &f->groups.at[f->hops.at[hop].group];
			if (group->stack != s)
				group->cost_ns += f->cost_ns[s];
			group->stack = s;
		}
}

/* Names the groups that have enough; hops of the others are in none again. */
static void name_groups(struct lode_hop_names *out, struct finding *f, int64_t enough_ns)
{
	for (size_t i = 0; i < f->hops.n; i++) {
		struct hop *hop = &f->hops.at[i];
		const struct group *group;

		if (hop->group == LODE_NONE)
			continue;
		group = &f->groups.at[hop->group];
		if (group->cost_ns < enough_ns) {
			hop->group = LODE_NONE;
			continue;
		}
		*lode_map_slot(&out->told_as, hop->frame) = f->hops.at[group->first].frame;
	}
	for (size_t g = 0; g < f->groups.n; g++) {
		struct lode_hop_name name = {.frame = f->hops.at[f->groups.at[g].first].frame};

		memcpy(name.text, f->groups.at[g].text, sizeof(name.text));
		if (f->groups.at[g].cost_ns >= enough_ns)
			lode_vec_append(&out->names, name);
	}
}

void lode_hop_names_find(struct lode_hop_names *out, const struct lode_digest *digest,
			 const struct lode_cluster *cluster, const int64_t *cost_ns,
			 int64_t enough_ns)
{
	struct finding f = {.digest = digest, .cluster = cluster, .cost_ns = cost_ns};
	char text[LODE_HOP_NAME];

	find_hops(&f, enough_ns);
	if (f.hops.n > 1) {
		for (uint32_t i = 0; i < f.hops.n; i++)
			add_to_group(&f, i,
				     lode_hop_program(text, sizeof(text),
						      name_of(&f, &f.hops.at[i])));
		count_groups(&f);
		name_groups(out, &f, enough_ns);
		f.groups.n = 0;
		for (uint32_t i = 0; i < f.hops.n; i++)
			if (f.hops.at[i].group == LODE_NONE)
				add_to_group(&f, i, lode_hop_any);
			else
				f.hops.at[i].group = LODE_NONE;
		count_groups(&f);
		name_groups(out, &f, enough_ns);
	}
	lode_vec_release(&f.hops);
	lode_vec_release(&f.groups);
	lode_map_release(&f.hop_of);
	lode_vec_release(&f.path);
}

void lode_hop_names_release(struct lode_hop_names *names)
{
	lode_vec_release(&names->names);
	lode_map_release(&names->told_as);
}

void lode_hop_names_apply(const struct lode_hop_names *names, uint32_t *path, size_t n)
{
	for (size_t i = 0; names->names.n && i < n; i++) {
		uint32_t frame = lode_map_find(&names->told_as, path[i]);

		path[i] = frame == LODE_NONE ? path[i] : frame;
	}
}

const char *lode_hop_name_of(const struct lode_hop_name *names, size_t n,
			     const struct lode_calltree *tree, uint32_t link)
{
	for (size_t i = 0; i < n; i++)
		if (names[i].frame == link)
			return names[i].text;
	return lode_frame_function(tree, link);
}
