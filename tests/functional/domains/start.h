/*
 * What start.S gives to domains.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef DOMAINS_START_H
#define DOMAINS_START_H

#include <stdint.h>

typedef uint32_t access_fn(uint32_t addr, uint32_t value);

extern access_fn access_read, access_write, access_fetch;
extern access_fn access_read_t, access_write_t;
uint32_t run_user(access_fn *fn, uint32_t addr, uint32_t value);
uint32_t access_window(uint32_t addr, uint32_t open, uint32_t closed);
uint32_t access_skipped(uint32_t addr, uint32_t run);
void set_dacr(uint32_t value);
void tlb_flush_all(void);
void tlb_flush_va(uint32_t va);
void mmu_on(uint32_t *table, uint32_t dacr);
uint32_t semihosting(uint32_t operation, const void *argument);

#endif
