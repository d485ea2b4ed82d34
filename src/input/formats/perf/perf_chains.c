/* Interns callchains of one decoding thread. */
#include "input/formats/perf/perf_chains.h"

#include "input/formats/perf/perf_abi.h"
#include "input/formats/perf/perf_sample.h"

/* The recorded words of a chain, exactly. */
struct whole {
	const uint64_t *words;
	uint32_t n;
	uint16_t max_stack;
	uint32_t chain;
};

/* Parts, each once. Equal hashes of different words step to the next key. */
struct parts {
	struct lode_map by_hash;
	LODE_VEC(struct lode_perf_part) at;
};

/*
 * Known chains by their recorded words. A slot has what the usual shape needs for an exact compare:
 * both parts; other shapes (guests, damage) keep a copy of all their words. No lode_map: the steps
 * of 16 look-ups are taken together, which made chains 12 to 14 % cheaper (8a6b739).
 */
struct chain_slot {
	uint64_t hash;
	uint32_t id; /* 0: free */
	uint16_t max_stack;
	uint16_t n_words;
};

struct known {
	const uint64_t *kernel, *user; /* NULL: none */
	const uint64_t *odd;	       /* all words, when the shape is not the usual one */
	uint32_t n_kernel, n_user;
	uint32_t chain; /* 0: no frames */
};

struct lode_perf_chains {
	struct lode_arena arena;
	struct parts kernel, user;
	struct chain_slot *slots;
	size_t mask;
	LODE_VEC(struct known) known;
	struct lode_map by_parts; /* kernel << 32 | user << 1 | is_truncated -> chain */
	uint32_t n_chains;
	LODE_VEC(uint64_t) kernel_words, user_words; /* of the chain being taken apart */
};

enum { FIRST_SLOTS = 1024 };

struct lode_perf_chains *lode_perf_chains_new(void)
{
	struct lode_perf_chains *chains = lode_alloc0(1, sizeof(*chains));

	(void)lode_vec_append_zero(&chains->kernel.at); /* part 0 is the empty one */
	(void)lode_vec_append_zero(&chains->user.at);
	chains->slots = lode_alloc0(FIRST_SLOTS, sizeof(*chains->slots));
	chains->mask = FIRST_SLOTS - 1;
	(void)lode_vec_append_zero(&chains->known);
	return chains;
}

static void parts_release(struct parts *parts)
{
	lode_map_release(&parts->by_hash);
	lode_vec_release(&parts->at);
}

void lode_perf_chains_free(struct lode_perf_chains *chains)
{
	if (!chains)
		return;
	parts_release(&chains->kernel);
	parts_release(&chains->user);
	free(chains->slots);
	lode_vec_release(&chains->known);
	lode_vec_release(&chains->kernel_words);
	lode_vec_release(&chains->user_words);
	lode_map_release(&chains->by_parts);
	lode_arena_release(&chains->arena);
	free(chains);
}

/* Four lanes, so that the multiplications of one chain overlap. */
static uint64_t hash_words(const uint8_t *p, size_t n)
{
	const uint64_t k = 0x9fb21c651e98df25u;
	uint64_t a = n * k, b = ~a, c = a >> 17 | 1, d = b << 13 | 1;

	for (; n >= 4; n -= 4, p += 32) {
		a = (a ^ lode_perf_u64(p)) * k;
		b = (b ^ lode_perf_u64(p + 8)) * k;
		c = (c ^ lode_perf_u64(p + 16)) * k;
		d = (d ^ lode_perf_u64(p + 24)) * k;
		a ^= a >> 32;
		b ^= b >> 29;
		c ^= c >> 31;
		d ^= d >> 30;
	}
	for (; n; n--, p += 8) {
		a = (a ^ lode_perf_u64(p)) * k;
		a ^= a >> 32;
	}
	return lode_hash_u64(a + (b >> 7 | b << 57) + (c >> 21 | c << 43) + (d >> 40 | d << 24));
}

/* Id of a part; `*is_new` says that it was not known. */
static uint32_t parts_intern(struct parts *parts, struct lode_arena *arena, const uint64_t *words,
			     size_t n, bool *is_new)
{
	struct lode_perf_part part = {.n = (uint32_t)n};
	uint64_t hash, *copy;
	uint32_t id;

	*is_new = false;
	if (n == 0)
		return 0;
	hash = hash_words((const uint8_t *)words, n);
	for (; (id = lode_map_find(&parts->by_hash, hash)) != LODE_NONE; hash++)
		if (parts->at.at[id].n == n && !memcmp(parts->at.at[id].words, words, n * 8))
			return id;
	copy = lode_arena_array(arena, uint64_t, n);
	memcpy(copy, words, n * 8);
	part.words = copy;
	id = (uint32_t)parts->at.n;
	*lode_map_slot(&parts->by_hash, hash) = id;
	lode_vec_append(&parts->at, part);
	*is_new = true;
	return id;
}

/*
 * Takes a chain apart at its context markers. Frames of a guest or the hypervisor become one word,
 * their marker. A word that only looks like a marker is a damaged frame: what stands before it is
 * good, what follows up to the next true marker is not (perf drops the whole chain). Gives whether
 * the chain has the usual shape: KERNEL k.. USER u.., each at most once, nothing left out.
 */
static bool take_apart(struct lode_perf_chains *chains, const uint8_t *words, size_t n,
		       size_t *n_frames, bool *is_damaged)
{
	enum { UNTOLD, NOWHERE, KERNEL, USER } where = UNTOLD;
	bool is_usual = true;
	uint64_t word;
	size_t n_usual = 0;

	chains->kernel_words.n = chains->user_words.n = 0;
	*n_frames = 0;
	*is_damaged = false;
	for (size_t i = 0; i < n; i++) {
		word = lode_perf_u64(words + i * 8);
		if (!lode_perf_is_marker(word)) {
			++*n_frames;
			is_usual &= where == KERNEL || where == USER;
			if (where == UNTOLD) /* no marker yet: the upper half is the kernel's */
				where = word >> 63 ? KERNEL : USER;
			if (where == KERNEL)
				lode_vec_append(&chains->kernel_words, word);
			else if (where == USER)
				lode_vec_append(&chains->user_words, word);
			continue;
		}
		if (word == PERF_CONTEXT_KERNEL && i == 0) {
			where = KERNEL;
		} else if (word == PERF_CONTEXT_USER && chains->user_words.n == 0) {
			is_usual &= i == 0 || where == KERNEL;
			where = USER;
		} else if (word == LODE_PERF_CONTEXT_USER_DEFERRED && chains->user_words.n == 0) {
			i++; /* its cookie */
			where = NOWHERE;
			is_usual = false;
		} else {
			is_usual = false;
			where = NOWHERE;
			/* Kernels that record guests at all begin with them. */
			if (i == 0 &&
			    (word == PERF_CONTEXT_HV || word == PERF_CONTEXT_GUEST ||
			     word == PERF_CONTEXT_GUEST_KERNEL || word == PERF_CONTEXT_GUEST_USER))
				lode_vec_append(&chains->kernel_words, word);
			else
				*is_damaged = true;
		}
	}
	if (chains->kernel_words.n)
		n_usual += chains->kernel_words.n + 1;
	if (chains->user_words.n)
		n_usual += chains->user_words.n + 1;
	return is_usual && n == n_usual;
}

static uint32_t chain_of_parts(struct lode_perf_chains *chains, uint32_t kernel, uint32_t user,
			       bool is_truncated, struct lode_perf_new_chains *fresh)
{
	uint64_t key = (uint64_t)kernel << 32 | (uint64_t)user << 1 | is_truncated;
	uint32_t *slot;

	if (!kernel && !user)
		return 0;
	slot = lode_map_slot(&chains->by_parts, key);
	if (*slot == LODE_NONE) {
		*slot = ++chains->n_chains;
		lode_vec_append(&fresh->chains,
				((struct lode_perf_chain){kernel, user, is_truncated}));
	}
	return *slot;
}

static void remember(struct lode_perf_chains *chains, size_t slot, uint64_t hash,
		     const uint8_t *words, size_t n, uint16_t max_stack,
		     struct lode_perf_new_chains *fresh)
{
	struct known known = {0};
	bool is_damaged, is_usual, is_new;
	size_t n_frames;
	uint32_t kernel, user;
	uint64_t *copy;

	is_usual = take_apart(chains, words, n, &n_frames, &is_damaged);
	kernel = parts_intern(&chains->kernel, &chains->arena, chains->kernel_words.at,
			      chains->kernel_words.n, &is_new);
	if (is_new)
		lode_vec_append(&fresh->kernel, chains->kernel.at.at[kernel]);
	user = parts_intern(&chains->user, &chains->arena, chains->user_words.at,
			    chains->user_words.n, &is_new);
	if (is_new)
		lode_vec_append(&fresh->user, chains->user.at.at[user]);
	known.kernel = chains->kernel.at.at[kernel].words;
	known.n_kernel = chains->kernel.at.at[kernel].n;
	known.user = chains->user.at.at[user].words;
	known.n_user = chains->user.at.at[user].n;
	if (!is_usual) {
		copy = lode_arena_array(&chains->arena, uint64_t, n);
		memcpy(copy, words, n * 8);
		known.odd = copy;
	}
	known.chain =
		chain_of_parts(chains, kernel, user, is_damaged || n_frames >= max_stack, fresh);
	chains->slots[slot] =
		(struct chain_slot){hash, (uint32_t)chains->known.n, max_stack, (uint16_t)n};
	lode_vec_append(&chains->known, known);
}

static bool is_same_perf_chains(const struct known *known, const uint8_t *words, size_t n)
{
	if (known->odd)
		return !memcmp(known->odd, words, n * 8);
	if (known->kernel) {
		if (n < known->n_kernel + 1 || lode_perf_u64(words) != PERF_CONTEXT_KERNEL ||
		    memcmp(words + 8, known->kernel, (size_t)known->n_kernel * 8) != 0)
			return false;
		words += ((size_t)known->n_kernel + 1) * 8;
		n -= known->n_kernel + 1;
	}
	if (known->user) {
		if (n < known->n_user + 1 || lode_perf_u64(words) != PERF_CONTEXT_USER ||
		    memcmp(words + 8, known->user, (size_t)known->n_user * 8) != 0)
			return false;
		n -= known->n_user + 1;
	}
	return n == 0;
}

static void grow(struct lode_perf_chains *chains)
{
	size_t n = (chains->mask + 1) * 2, i, k;
	struct chain_slot *slots = lode_alloc0(n, sizeof(*slots));

	for (k = 0; k <= chains->mask; k++) {
		if (!chains->slots[k].id)
			continue;
		for (i = chains->slots[k].hash & (n - 1); slots[i].id; i = (i + 1) & (n - 1))
			;
		slots[i] = chains->slots[k];
	}
	free(chains->slots);
	chains->slots = slots;
	chains->mask = n - 1;
}

static uint32_t intern_hashed(struct lode_perf_chains *chains, uint64_t hash, const uint8_t *words,
			      size_t n, uint16_t max_stack, struct lode_perf_new_chains *fresh)
{
	size_t i;

	if (chains->known.n * 2 > chains->mask)
		grow(chains);
	for (i = hash & chains->mask; chains->slots[i].id; i = (i + 1) & chains->mask) {
		const struct chain_slot *slot = &chains->slots[i];

		if (slot->hash == hash && slot->n_words == n && slot->max_stack == max_stack &&
		    is_same_perf_chains(&chains->known.at[slot->id], words, n))
			return chains->known.at[slot->id].chain;
	}
	remember(chains, i, hash, words, n, max_stack, fresh);
	return chains->known.at[chains->slots[i].id].chain;
}

uint32_t lode_perf_chains_intern(struct lode_perf_chains *chains, const uint8_t *words, size_t n,
				 uint16_t max_stack, struct lode_perf_new_chains *fresh)
{
	return n ? intern_hashed(chains, hash_words(words, n), words, n, max_stack, fresh) : 0;
}

static void prefetch_words(const uint64_t *words, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += 8)
		__builtin_prefetch(words + i);
}

/*
 * A look-up is a chain of places in memory, each found in the one before: slot, what is known,
 * words of both parts. None is in the nearest cache. So all chains take each step together: while
 * one waits, the others' places are on their way already. What is prefetched is a guess: the first
 * slot; the look-up itself goes by nothing but the hash.
 */
void lode_perf_chains_intern_all(struct lode_perf_chains *chains,
				 struct lode_perf_chain_request *requests, size_t n,
				 struct lode_perf_new_chains *fresh)
{
	struct lode_perf_chain_request *r;

	for (r = requests; r < requests + n; r++) {
		r->hash = hash_words(r->words, r->n);
		__builtin_prefetch(&chains->slots[r->hash & chains->mask]);
	}
	for (r = requests; r < requests + n; r++)
		__builtin_prefetch(&chains->known.at[chains->slots[r->hash & chains->mask].id]);
	for (r = requests; r < requests + n; r++) {
		const struct chain_slot *slot = &chains->slots[r->hash & chains->mask];
		const struct known *known = &chains->known.at[slot->id];

		if (slot->hash != r->hash)
			continue;
		prefetch_words(known->kernel, known->n_kernel);
		prefetch_words(known->user, known->n_user);
	}
	for (r = requests; r < requests + n; r++)
		r->chain =
			r->n ? intern_hashed(chains, r->hash, r->words, r->n, r->max_stack, fresh)
			     : 0;
}
