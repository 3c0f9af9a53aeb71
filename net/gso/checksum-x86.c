/*
 * Summing with AVX2
 *
 * Theory of operation: vpmaddwd multiplies signed 16-bit words by one and
 * adds neighbours, so that 32 bytes take three operations.  The words are
 * unsigned: 0x8000 is taken from each first (an exclusive or) and added back
 * once at the end.  A 32-bit lane moves by at most 2^16 per step, hence the
 * limit on the steps in one block.
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

/* Bytes per step of the unrolled loop, and steps that cannot overflow. */
#define STEP 128
#define MAX_STEPS 16384

/*
 * Resolvers run while the program is being linked: nothing may be called
 * from them, sanitizer and profiling hooks included.
 */
#define RESOLVER __attribute__((no_sanitize("address", "undefined"), \
                                no_profile_instrument_function, used))

typedef uint64_t SumFn(const void *buf, size_t len, uint64_t sum);
typedef uint64_t CopySumFn(void *dst, const void *src, size_t len,
                           uint64_t sum);

static inline AVX2 __m256i add_words(__m256i acc, __m256i v)
{
    const __m256i bias = _mm256_set1_epi16((short)0x8000);
    const __m256i ones = _mm256_set1_epi16(1);

    v = _mm256_madd_epi16(_mm256_xor_si256(v, bias), ones);
    return _mm256_add_epi32(acc, v);
}

/* Sum of the signed 32-bit lanes plus the bias of @words words. */
static inline AVX2 uint64_t total(const __m256i *acc, size_t words)
{
    __m256i sum = _mm256_setzero_si256();
    int64_t lane[4];

    for (int i = 0; i < 4; i++) {
        __m128i lo = _mm256_castsi256_si128(acc[i]);
        __m128i hi = _mm256_extracti128_si256(acc[i], 1);

        sum = _mm256_add_epi64(sum, _mm256_cvtepi32_epi64(lo));
        sum = _mm256_add_epi64(sum, _mm256_cvtepi32_epi64(hi));
    }
    _mm256_storeu_si256((__m256i *)lane, sum);
    return (uint64_t)(lane[0] + lane[1] + lane[2] + lane[3]) + words * 0x8000;
}

/*
 * Sum @len bytes, a multiple of 32, at most STEP * MAX_STEPS; copy them to
 * @d unless that is NULL.
 */
static inline __attribute__((always_inline)) AVX2
uint64_t block(uint8_t *d, const uint8_t *p, size_t len)
{
    __m256i acc[4] = { 0 };
    size_t words = len / 2;

    for (; len >= STEP; p += STEP, len -= STEP) {
        for (int i = 0; i < 4; i++) {
            __m256i v = _mm256_loadu_si256((const __m256i *)(p + 32 * i));

            acc[i] = add_words(acc[i], v);
            if (d) {
                _mm256_storeu_si256((__m256i *)(d + 32 * i), v);
            }
        }
        d = d ? d + STEP : NULL;
    }
    for (; len >= 32; p += 32, len -= 32) {
        __m256i v = _mm256_loadu_si256((const __m256i *)p);

        acc[0] = add_words(acc[0], v);
        if (d) {
            _mm256_storeu_si256((__m256i *)d, v);
            d += 32;
        }
    }
    return total(acc, words);
}

static AVX2 uint64_t sum_avx2(const void *buf, size_t len, uint64_t sum)
{
    const uint8_t *p = buf;

    while (len >= 32) {
        size_t n = GSO_MIN(len & ~(size_t)31, STEP * MAX_STEPS);

        sum = gso_add64(sum, block(NULL, p, n));
        p += n;
        len -= n;
    }
    return len ? gso_sum_scalar(p, len, sum) : sum;
}

static AVX2 uint64_t copy_sum_avx2(void *dst, const void *src, size_t len,
                                   uint64_t sum)
{
    const uint8_t *p = src;
    uint8_t *d = dst;

    while (len >= 32) {
        size_t n = GSO_MIN(len & ~(size_t)31, STEP * MAX_STEPS);

        sum = gso_add64(sum, block(d, p, n));
        d += n;
        p += n;
        len -= n;
    }
    return len ? gso_copy_sum_scalar(d, p, len, sum) : sum;
}

static RESOLVER SumFn *resolve_sum(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") ? sum_avx2 : gso_sum_scalar;
}

static RESOLVER CopySumFn *resolve_copy_sum(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") ? copy_sum_avx2
                                          : gso_copy_sum_scalar;
}

uint64_t gso_sum(const void *buf, size_t len, uint64_t sum)
    __attribute__((ifunc("resolve_sum")));
uint64_t gso_copy_sum(void *dst, const void *src, size_t len, uint64_t sum)
    __attribute__((ifunc("resolve_copy_sum")));

const char *gso_sum_impl(void)
{
    return __builtin_cpu_supports("avx2") ? "avx2" : "scalar";
}
