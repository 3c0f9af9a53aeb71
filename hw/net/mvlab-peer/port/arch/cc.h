/*
 * lwIP's view of the compiler and of QEMU: assertions, memory, randomness
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PEER_ARCH_CC_H
#define PEER_ARCH_CC_H

#include <stddef.h>
#include <stdint.h>

/* Gives up the event that lwIP works on; the peer is silent afterwards. */
void peer_assertion_failed(const char *what, const char *file, int line)
    __attribute__((noreturn));

#define LWIP_PLATFORM_ASSERT(what) \
    peer_assertion_failed(what, __FILE__, __LINE__)
#define LWIP_PLATFORM_DIAG(message) do { } while (0)

/* A heap with an upper limit; NULL when it is reached. */
void *peer_malloc(size_t size);
void *peer_calloc(size_t count, size_t size);
void peer_free(void *block);

#define mem_clib_malloc peer_malloc
#define mem_clib_calloc peer_calloc
#define mem_clib_free   peer_free

/* The next number of the sequence that the property "seed" begins. */
uint32_t peer_random(void);

#define LWIP_RAND() peer_random()

#endif
