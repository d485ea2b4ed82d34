#include "linkage_oracle.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

__extension__ typedef unsigned __int128 wide;

/* A linkage similarity as a fraction, so that two of them compare exactly. */
struct fraction {
	uint64_t sum, n;
};

struct clusters {
	size_t n;
	enum lode_linkage linkage;
	uint64_t *link;	 /* n * n: sum (average) or lowest similarity between clusters */
	uint32_t *size;	 /* members of the cluster whose first member is i; 0: it was joined */
	uint32_t *alive; /* first members of clusters that may still be joined */
	size_t n_alive;
	uint32_t *joined_to;
};

static struct fraction linkage_of(const struct clusters *c, uint32_t i, uint32_t k)
{
	uint64_t n = c->linkage == LODE_LINKAGE_AVERAGE ? (uint64_t)c->size[i] * c->size[k] : 1;

	return (struct fraction){c->link[i * c->n + k], n};
}

/* < 0 when x is the more similar. */
static int compare_fractions(struct fraction x, struct fraction y)
{
	wide left = (wide)x.sum * y.n, right = (wide)y.sum * x.n;

	return (left < right) - (left > right);
}

/* The cluster that `i` would be joined with first, or LODE_NONE when nothing is >= cut. */
static uint32_t nearest(const struct clusters *c, uint32_t i, uint32_t cut)
{
	struct fraction best = {cut, 1}, f;
	uint32_t found = LODE_NONE, k;
	int order;

	for (size_t a = 0; a < c->n_alive; a++) {
		k = c->alive[a];
		if (k == i)
			continue;
		f = linkage_of(c, i, k);
		order = compare_fractions(f, best);
		/* Pairs (i, k) of one i order by (min, max) exactly as by k. */
		if (order < 0 || (order == 0 && k < found)) {
			best = f;
			found = k;
		}
	}
	return found;
}

static void retire(struct clusters *c, uint32_t i)
{
	size_t a = 0;

	while (c->alive[a] != i)
		a++;
	memmove(c->alive + a, c->alive + a + 1, (--c->n_alive - a) * sizeof(*c->alive));
}

static void join(struct clusters *c, uint32_t a, uint32_t b)
{
	uint32_t into = a < b ? a : b, from = a < b ? b : a, k;
	uint64_t x, y;

	c->joined_to[from] = into;
	retire(c, from);
	for (size_t i = 0; i < c->n_alive; i++) {
		k = c->alive[i];
		x = c->link[into * c->n + k];
		y = c->link[from * c->n + k];
		if (c->linkage == LODE_LINKAGE_AVERAGE)
			x += y;
		else if (y < x)
			x = y;
		c->link[into * c->n + k] = c->link[k * c->n + into] = x;
	}
	c->size[into] += c->size[from];
	c->size[from] = 0;
}

/*
 * Follows nearest neighbours until two clusters are each other's: those are joined. The order of
 * pairs is strict, and a joined cluster is never nearer to a third than the nearer of its two parts
 * was (also under ties, as it keeps the smaller name), so the joins are those of the plain method,
 * in another order. What has no neighbour above the cut will never have one.
 */
static void chain_of_neighbours(struct clusters *c, uint32_t cut)
{
	uint32_t *chain = lode_alloc(c->n * sizeof(*chain)), next;
	size_t n_chain = 0;

	while (c->n_alive) {
		if (!n_chain)
			chain[n_chain++] = c->alive[0];
		next = nearest(c, chain[n_chain - 1], cut);
		if (next == LODE_NONE) {
			retire(c, chain[--n_chain]);
		} else if (n_chain > 1 && next == chain[n_chain - 2]) {
			join(c, chain[n_chain - 1], next);
			n_chain -= 2;
		} else {
			chain[n_chain++] = next;
		}
	}
	free(chain);
}

static uint32_t find_first(uint32_t *joined_to, uint32_t i)
{
	while (joined_to[i] != i)
		i = joined_to[i] = joined_to[joined_to[i]];
	return i;
}

/* Single linkage: clusters are what similarities >= cut connect, in whatever order. */
static void connect(uint32_t *joined_to, size_t n, const uint32_t *triangle, uint32_t cut)
{
	uint32_t a, b;

	for (uint32_t k = 1; k < n; k++)
		for (uint32_t i = 0; i < k; i++) {
			if (triangle[lode_triangle_at(i, k)] < cut)
				continue;
			a = find_first(joined_to, i);
			b = find_first(joined_to, k);
			joined_to[a > b ? a : b] = a < b ? a : b;
		}
}

void lode_agglomerate(uint32_t *first_of, size_t n, const uint32_t *triangle,
		      enum lode_linkage linkage, uint32_t cut)
{
	struct clusters c = {.n = n, .n_alive = n, .linkage = linkage, .joined_to = first_of};
	uint32_t i, k;

	for (i = 0; i < n; i++)
		first_of[i] = i;
	if (linkage == LODE_LINKAGE_SINGLE) {
		connect(first_of, n, triangle, cut);
	} else {
		c.link = lode_alloc0(n * n, sizeof(*c.link));
		c.size = lode_alloc(n * sizeof(*c.size));
		c.alive = lode_alloc(n * sizeof(*c.alive));
		for (k = 0; k < n; k++) {
			c.size[k] = 1;
			c.alive[k] = k;
			for (i = 0; i < k; i++)
				c.link[i * n + k] = c.link[k * n + i] =
					triangle[lode_triangle_at(i, k)];
		}
		chain_of_neighbours(&c, cut);
		free(c.link);
		free(c.size);
		free(c.alive);
	}
	for (i = 0; i < n; i++)
		first_of[i] = find_first(first_of, i);
}
