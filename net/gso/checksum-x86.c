/*
 * Summing with AVX-512 (and its VNNI part) or AVX2
 *
 * Theory of operation: vpmaddwd multiplies signed 16-bit words by one and
 * adds neighbours; vpdpwssd adds the result to a sum as well.  The words are
 * unsigned: 0x8000 is taken from each first (an exclusive or) and added back
 * in one go.  A 32-bit lane grows by less than 2^17 per step, hence the
 * limit on the bytes in one block; two lanes are as good as a 64-bit word.
 * With AVX-512 the ends of the text are masked vectors, zeros beside it.
 *
 * Which code runs is decided once, by the dynamic linker (an indirect
 * function), so that there is neither a test per call nor a variable.
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <immintrin.h>

#include "gso-int.h"

#define AVX2 __attribute__((target("avx2")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vnni")))

#define CPU_HAS_AVX512 (__builtin_cpu_supports("avx512bw") && \
                        __builtin_cpu_supports("avx512vnni"))

/* Fewer bytes than these are not worth a vector; at least one of 64. */
#define SHORT 100
_Static_assert(SHORT >= 64, "the first vector may be a whole one");

/* Bytes in one go, so that no 32-bit lane can overflow. */
#define BLOCK_MAX (256 * 1024)

/*
 * Resolvers run while the program is being linked: nothing may be called
 * from them, sanitizer and profiling hooks included.
 */
#define RESOLVER __attribute__((no_sanitize("address", "undefined"), \
                                no_profile_instrument_function, used))

static inline AVX2 __m256i add_words(__m256i acc, __m256i v)
{
    const __m256i bias = _mm256_set1_epi16((short)0x8000);
    const __m256i ones = _mm256_set1_epi16(1);

    v = _mm256_madd_epi16(_mm256_xor_si256(v, bias), ones);
    return _mm256_add_epi32(acc, v);
}

/* Take 32 bytes at @off of @p, and copy them to @d unless that is NULL. */
static inline __attribute__((always_inline)) AVX2
__m256i take(uint8_t *d, const uint8_t *p, size_t off)
{
    __m256i v = _mm256_loadu_si256((const __m256i *)(p + off));

    if (d) {
        _mm256_storeu_si256((__m256i *)(d + off), v);
    }
    return v;
}

/*
 * Sum @len bytes, a multiple of 32, at most BLOCK_MAX; copy them to @d
 * unless that is NULL.
 */
static inline __attribute__((always_inline)) AVX2
uint64_t block(uint8_t *d, const uint8_t *p, size_t len)
{
    /* What the words of a lane lack, 0x8000 each. */
    __m256i a = _mm256_set1_epi32((int)(len / 16 * 0x8000));
    __m256i b = _mm256_setzero_si256();
    __m256i c = b, e = b;
    __m128i half;
    size_t off = 0;

    for (; off + 128 <= len; off += 128) {
        a = add_words(a, take(d, p, off));
        b = add_words(b, take(d, p, off + 32));
        c = add_words(c, take(d, p, off + 64));
        e = add_words(e, take(d, p, off + 96));
    }
    for (; off < len; off += 32) {
        b = add_words(b, take(d, p, off));
    }
    a = _mm256_add_epi32(_mm256_add_epi32(a, b), _mm256_add_epi32(c, e));
    half = _mm_add_epi32(_mm256_castsi256_si128(a),
                         _mm256_extracti128_si256(a, 1));
    return gso_add64((uint64_t)_mm_cvtsi128_si64(half),
                     (uint64_t)_mm_extract_epi64(half, 1));
}

static AVX2 uint64_t sum_avx2(const void *buf, size_t len, uint64_t sum)
{
    const uint8_t *p = buf;

    while (len >= 32) {
        size_t n = GSO_MIN(len & ~(size_t)31, BLOCK_MAX);

        sum = gso_add64(sum, block(NULL, p, n));
        p += n;
        len -= n;
    }
    return len ? gso_sum_tail(p, len, sum) : sum;
}

static AVX2 uint64_t copy_sum_avx2(void *dst, const void *src, size_t len,
                                   uint64_t sum)
{
    const uint8_t *p = src;
    uint8_t *d = dst;

    while (len >= 32) {
        size_t n = GSO_MIN(len & ~(size_t)31, BLOCK_MAX);

        sum = gso_add64(sum, block(d, p, n));
        d += n;
        p += n;
        len -= n;
    }
    if (len) {
        memcpy(d, p, len);
        sum = gso_sum_tail(p, len, sum);
    }
    return sum;
}

static inline AVX512 __m512i add_words_512(__m512i acc, __m512i v)
{
    const __m512i bias = _mm512_set1_epi16((short)0x8000);
    const __m512i ones = _mm512_set1_epi16(1);

    return _mm512_dpwssd_epi32(acc, _mm512_xor_si512(v, bias), ones);
}

static inline __attribute__((always_inline)) AVX512
__m512i take_512(uint8_t *d, const uint8_t *p, size_t off)
{
    __m512i v = _mm512_loadu_si512(p + off);

    if (d) {
        _mm512_storeu_si512(d + off, v);
    }
    return v;
}

/* The last @len bytes, fewer than 64. */
static inline __attribute__((always_inline)) AVX512
__m512i take_tail_512(uint8_t *d, const uint8_t *p, size_t len)
{
    __mmask64 mask = ((uint64_t)1 << len) - 1;
    __m512i v = _mm512_maskz_loadu_epi8(mask, p);

    if (d) {
        _mm512_mask_storeu_epi8(d, mask, v);
    }
    return v;
}

/*
 * Sum the words of @first and @len bytes, at most BLOCK_MAX; copy the latter
 * to @d unless that is NULL.  Several sums, because each addition waits for
 * the one before it.
 */
static inline __attribute__((always_inline)) AVX512
uint64_t block_512(__m512i first, uint8_t *d, const uint8_t *p, size_t len)
{
    const size_t vectors = 1 + (len + 63) / 64;
    /* What the words of a lane lack, 0x8000 each. */
    __m512i a = _mm512_set1_epi32((int)(vectors * 2 * 0x8000));
    __m512i b = _mm512_setzero_si512();
    __m512i c = b, e = b, f = b, g = add_words_512(b, first);
    __m256i half;
    __m128i quarter;
    size_t off = 0;

    for (; len >= 384; off += 384, len -= 384) {
        a = add_words_512(a, take_512(d, p, off));
        b = add_words_512(b, take_512(d, p, off + 64));
        c = add_words_512(c, take_512(d, p, off + 128));
        e = add_words_512(e, take_512(d, p, off + 192));
        f = add_words_512(f, take_512(d, p, off + 256));
        g = add_words_512(g, take_512(d, p, off + 320));
    }
    for (; len >= 128; off += 128, len -= 128) {
        a = add_words_512(a, take_512(d, p, off));
        b = add_words_512(b, take_512(d, p, off + 64));
    }
    if (len >= 64) {
        c = add_words_512(c, take_512(d, p, off));
        off += 64;
        len -= 64;
    }
    if (len) {
        e = add_words_512(e, take_tail_512(d ? d + off : NULL, p + off, len));
    }
    a = _mm512_add_epi32(_mm512_add_epi32(a, b), _mm512_add_epi32(c, e));
    a = _mm512_add_epi32(a, _mm512_add_epi32(f, g));
    half = _mm256_add_epi32(_mm512_maskz_extracti64x4_epi64(0xff, a, 0),
                            _mm512_maskz_extracti64x4_epi64(0xff, a, 1));
    quarter = _mm_add_epi32(_mm256_castsi256_si128(half),
                            _mm256_extracti128_si256(half, 1));
    return gso_add64((uint64_t)_mm_cvtsi128_si64(quarter),
                     (uint64_t)_mm_extract_epi64(quarter, 1));
}

static AVX512 uint64_t sum_avx512(const void *buf, size_t len, uint64_t sum);

static __attribute__((noinline)) uint64_t sum_long(const uint8_t *p,
                                                   size_t len, uint64_t sum)
{
    for (; len > BLOCK_MAX; p += BLOCK_MAX, len -= BLOCK_MAX) {
        sum = sum_avx512(p, BLOCK_MAX, sum);
    }
    return sum_avx512(p, len, sum);
}

/*
 * Loads that do not straddle cache lines are twice as fast.  So begin at the
 * line that @buf is in, with zeros for the bytes before it, which a masked
 * load does not touch.
 */
static AVX512 uint64_t sum_avx512(const void *buf, size_t len, uint64_t sum)
{
    const size_t skip = (uintptr_t)buf & 63;
    const uint8_t *p;
    __m512i first;
    uint64_t s;

    if (len < SHORT) {
        return gso_sum_scalar(buf, len, sum);
    }
    if (len > BLOCK_MAX) {
        return sum_long(buf, len, sum);
    }
    p = (const uint8_t *)((uintptr_t)buf - skip);
    first = _mm512_maskz_loadu_epi8(~(uint64_t)0 << skip, p);
    s = block_512(first, NULL, p + 64, len - (64 - skip));
    if (skip & 1) {
        s = __builtin_bswap16(gso_fold(s));
    }
    return gso_add64(sum, s);
}

static AVX512 uint64_t copy_sum_avx512(void *dst, const void *src,
                                       size_t len, uint64_t sum)
{
    const uint8_t *p = src;
    uint8_t *d = dst;

    for (; len > BLOCK_MAX; p += BLOCK_MAX, d += BLOCK_MAX, len -= BLOCK_MAX) {
        sum = gso_add64(sum, block_512(_mm512_setzero_si512(), d, p,
                                       BLOCK_MAX));
    }
    return gso_add64(sum, block_512(_mm512_setzero_si512(), d, p, len));
}

static bool has_avx512(void)
{
    return CPU_HAS_AVX512;
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}

static bool has_nothing(void)
{
    return true;
}

static RESOLVER GsoSumFn *resolve_sum(void)
{
    __builtin_cpu_init();
    if (CPU_HAS_AVX512) {
        return sum_avx512;
    }
    return __builtin_cpu_supports("avx2") ? sum_avx2 : gso_sum_scalar;
}

static RESOLVER GsoCopySumFn *resolve_copy_sum(void)
{
    __builtin_cpu_init();
    if (CPU_HAS_AVX512) {
        return copy_sum_avx512;
    }
    return __builtin_cpu_supports("avx2") ? copy_sum_avx2
                                          : gso_copy_sum_scalar;
}

uint64_t gso_sum(const void *buf, size_t len, uint64_t sum)
    __attribute__((ifunc("resolve_sum")));
uint64_t gso_copy_sum(void *dst, const void *src, size_t len, uint64_t sum)
    __attribute__((ifunc("resolve_copy_sum")));

const GsoSumImpl *gso_sum_impls(void)
{
    static const GsoSumImpl impls[] = {
        { "avx512", has_avx512, sum_avx512, copy_sum_avx512 },
        { "avx2", has_avx2, sum_avx2, copy_sum_avx2 },
        { "scalar", has_nothing, gso_sum_scalar, gso_copy_sum_scalar },
        { 0 },
    };

    return impls;
}
