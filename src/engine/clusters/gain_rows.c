/* Rows of an alignment's table, several columns at a time. */
#include "engine/clusters/gain_rows.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

enum {
	LANES = 8,		   /* columns at once, at most */
	PROFILE_NUMBERS = 1 << 19, /* of all profiles: 4 MB */
};

/* As in similarity.c: a unit weighs more than all matches together. */
static const double unit_weight = 1 << 20;

void lode_gain_rows_init(struct lode_gain_rows *g, const struct lode_sub_table *subs,
			 uint32_t longest, enum lode_reach_kind kind)
{
	size_t n;

	*g = (struct lode_gain_rows){.subs = subs, .kind = kind};
	/* Vectors may reach beyond the last column, from column 1 on. */
	g->pitch = (longest + (size_t)2 * LANES) / LANES * LANES;
	g->row = lode_alloc0((longest + (size_t)1) * g->pitch, sizeof(*g->row));
	n = PROFILE_NUMBERS / g->pitch;
	n = n < subs->n + 1 ? n : subs->n + 1;
	g->n_profiles = n ? (uint32_t)n : 1;
	g->profile = lode_alloc0(g->n_profiles * g->pitch, sizeof(*g->profile));
	g->profile_of = lode_alloc(g->n_profiles * sizeof(*g->profile_of));
	g->gain_of = lode_alloc(subs->n_codes * sizeof(*g->gain_of));
	for (size_t i = 0; i < subs->n_codes; i++)
		g->gain_of[i] = (2.0 * LODE_SUB_ONE - subs->units[i]) * unit_weight;
}

void lode_gain_rows_release(struct lode_gain_rows *g)
{
	free(g->gain_of);
	free(g->row);
	free(g->profile);
	free(g->profile_of);
	memset(g, 0, sizeof(*g));
}

void lode_gain_rows_set(struct lode_gain_rows *g, const uint32_t *column, uint32_t n)
{
	g->column = column;
	g->n = n;
	memset(g->profile_of, 0xff, g->n_profiles * sizeof(*g->profile_of));
}

/* What `function` gains with each of P's. */
static const double *profile_of(struct lode_gain_rows *g, uint32_t function)
{
	uint32_t at = function % g->n_profiles;
	const uint16_t *code = lode_sub_codes(g->subs, function);
	double *profile = g->profile + at * g->pitch;

	if (g->profile_of[at] == function)
		return profile;
	g->profile_of[at] = function;
	for (uint32_t k = 0; k < g->n; k++)
		profile[k] = g->column[k] == function ? 2.0 * LODE_SUB_ONE * unit_weight + 1
						      : g->gain_of[code[g->column[k]]];
	return profile;
}

static inline double larger(double a, double b)
{
	return a > b ? a : b;
}

static void add_plain(double *row, const double *above, const double *profile, size_t n)
{
	double left = 0;

	for (size_t k = 0; k < n; k++) {
		left = larger(left, larger(above[k + 1], above[k] + profile[k]));
		row[k + 1] = left;
	}
}

#ifdef __x86_64__
/*
 * The larger of what comes from above and from the pair; then each lane the largest of those up to
 * it: of two, of four, of eight, and of all before. Gains are 0 or more, so that 0 is none.
 */
static __attribute__((target("avx2"))) void add_avx2(double *row, const double *above,
						     const double *profile, size_t n)
{
	const __m256d zero = _mm256_setzero_pd();
	__m256d before = zero, x, moved;

	for (size_t k = 0; k < n; k += 4) {
		x = _mm256_add_pd(_mm256_loadu_pd(above + k), _mm256_loadu_pd(profile + k));
		x = _mm256_max_pd(x, _mm256_loadu_pd(above + k + 1));
		moved = _mm256_blend_pd(_mm256_permute4x64_pd(x, 0x90), zero, 1);
		x = _mm256_max_pd(x, moved);
		moved = _mm256_permute2f128_pd(x, x, 0x08);
		x = _mm256_max_pd(x, moved);
		x = _mm256_max_pd(x, before);
		before = _mm256_permute4x64_pd(x, 0xff);
		_mm256_storeu_pd(row + k + 1, x);
	}
}

static __attribute__((target("avx512f"))) void add_avx512(double *row, const double *above,
							  const double *profile, size_t n)
{
	const __m512i by_1 = _mm512_set_epi64(6, 5, 4, 3, 2, 1, 0, 0);
	const __m512i by_2 = _mm512_set_epi64(5, 4, 3, 2, 1, 0, 0, 0);
	const __m512i by_4 = _mm512_set_epi64(3, 2, 1, 0, 0, 0, 0, 0);
	const __m512i last = _mm512_set1_epi64(7);
	__m512d before = _mm512_setzero_pd(), x;

	for (size_t k = 0; k < n; k += 8) {
		x = _mm512_add_pd(_mm512_loadu_pd(above + k), _mm512_loadu_pd(profile + k));
		x = _mm512_max_pd(x, _mm512_loadu_pd(above + k + 1));
		x = _mm512_max_pd(x, _mm512_maskz_permutexvar_pd(0xfe, by_1, x));
		x = _mm512_max_pd(x, _mm512_maskz_permutexvar_pd(0xfc, by_2, x));
		x = _mm512_max_pd(x, _mm512_maskz_permutexvar_pd(0xf0, by_4, x));
		x = _mm512_max_pd(x, before);
		before = _mm512_permutexvar_pd(last, x);
		_mm512_storeu_pd(row + k + 1, x);
	}
}
#endif

void lode_gain_rows_add(struct lode_gain_rows *g, uint32_t function, size_t i)
{
	double *row = g->row + i * g->pitch;
	const double *above = row - g->pitch, *profile = profile_of(g, function);

#ifdef __x86_64__
	if (g->kind == LODE_REACH_AVX512) {
		add_avx512(row, above, profile, g->n);
		return;
	}
	if (g->kind == LODE_REACH_AVX2) {
		add_avx2(row, above, profile, g->n);
		return;
	}
#endif
	add_plain(row, above, profile, g->n);
}
