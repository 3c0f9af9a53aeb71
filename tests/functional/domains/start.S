/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entry, exception vectors and the accesses under test.
 *
 * An access that aborts is recorded in "fault" and then skipped, so every
 * access_* function returns to its caller. User-mode accesses start with
 * run_user() and come back through an SVC. Instruction fetches keep their
 * return address in r12, which no exception mode used here banks.
 */
	.arch	armv5te
	.syntax	unified
	.arm

#define MODE_USR	0x10
#define MODE_ABT	0x17
#define MODE_UND	0x1b
#define MODE_SVC	0x13
#define IRQ_FIQ_OFF	0xc0

	.text
	.global	_start
_start:
	msr	cpsr_c, #(MODE_ABT | IRQ_FIQ_OFF)
	ldr	sp, =abt_stack_top
	msr	cpsr_c, #(MODE_UND | IRQ_FIQ_OFF)
	ldr	sp, =abt_stack_top
	msr	cpsr_c, #(MODE_SVC | IRQ_FIQ_OFF)
	ldr	sp, =svc_stack_top

	mov	r0, #0			@ the vectors go to physical 0
	adr	r1, vectors
	mov	r2, #(vectors_end - vectors)
1:	ldr	r3, [r1], #4
	str	r3, [r0], #4
	subs	r2, r2, #4
	bne	1b
	b	main

vectors:
	ldr	pc, [pc, #24]
	ldr	pc, [pc, #24]
	ldr	pc, [pc, #24]
	ldr	pc, [pc, #24]
	ldr	pc, [pc, #24]
	ldr	pc, [pc, #24]
	ldr	pc, [pc, #24]
	ldr	pc, [pc, #24]
	.word	unexpected, unexpected, user_done, prefetch_abort
	.word	data_abort, unexpected, unexpected, unexpected
vectors_end:

/* struct fault, see domains.c: count, status, address, mode */
data_abort:
	push	{r0-r3}
	ldr	r0, =fault
	ldr	r1, [r0]
	add	r1, r1, #1
	mrc	p15, 0, r2, c5, c0, 0	@ DFSR
	mrc	p15, 0, r3, c6, c0, 0	@ FAR
	stmia	r0, {r1-r3}
	mrs	r1, spsr
	and	r1, r1, #0x1f
	str	r1, [r0, #12]
	pop	{r0-r3}
	subs	pc, lr, #4		@ skip the access

prefetch_abort:
	push	{r0-r3}
	ldr	r0, =fault
	ldr	r1, [r0]
	add	r1, r1, #1
	mrc	p15, 0, r2, c5, c0, 1	@ IFSR
	sub	r3, lr, #4		@ ARMv5 has no IFAR
	stmia	r0, {r1-r3}
	mrs	r1, spsr
	and	r1, r1, #0x1f
	str	r1, [r0, #12]
	pop	{r0-r3}
	movs	pc, r12			@ skip the call

unexpected:
	mrs	r1, spsr
	mov	r0, lr
	ldr	sp, =svc_stack_top
	b	unexpected_exception

/*
 * uint32_t run_user(access_fn *fn, uint32_t addr, uint32_t value):
 * call fn(addr, value) in User mode.
 */
	.global	run_user
run_user:
	push	{r4-r11, lr}
	mov	r3, r0
	mov	r0, r1
	mov	r1, r2
	mov	r2, #(MODE_USR | IRQ_FIQ_OFF)
	msr	spsr_cxsf, r2
	adr	r2, 1f
	movs	pc, r2
1:	mov	lr, pc
	bx	r3
	svc	#1
user_done:
	pop	{r4-r11, pc}

/* uint32_t access_*(uint32_t addr, uint32_t value) */
	.global	access_read, access_write, access_fetch
	.global	access_read_t, access_write_t
access_read:
	mov	r2, r0
	mov	r0, #0
	ldr	r0, [r2]
	bx	lr
access_write:
	str	r1, [r0]
	mov	r0, r1
	bx	lr
access_read_t:
	mov	r2, r0
	mov	r0, #0
	ldrt	r0, [r2]
	bx	lr
access_write_t:
	strt	r1, [r0]
	mov	r0, r1
	bx	lr
access_fetch:
	mov	r3, lr
	mov	r2, r0
	mov	r0, #0
	adr	r12, 1f
	mov	lr, r12
	bx	r2
1:	bx	r3

/* void set_dacr(uint32_t) */
	.global	set_dacr
set_dacr:
	mcr	p15, 0, r0, c3, c0, 0
	bx	lr

/*
 * uint32_t access_window(uint32_t addr, uint32_t open, uint32_t closed):
 * what a kernel does to read user memory: open the window, LDRT, close it.
 */
	.global	access_window
access_window:
	mov	r3, r0
	mov	r0, #0
	mcr	p15, 0, r1, c3, c0, 0
	ldrt	r0, [r3]
	mcr	p15, 0, r2, c3, c0, 0
	bx	lr

/*
 * uint32_t access_skipped(uint32_t addr, uint32_t run):
 * the first LDRT is executed only if run is not 0; the result is the second's.
 */
	.global	access_skipped
access_skipped:
	mov	r2, r0
	mov	r0, #0
	cmp	r1, #0
	ldrtne	r0, [r2]
	ldrt	r0, [r2]
	bx	lr

	.global	tlb_flush_all, tlb_flush_va
tlb_flush_all:
	mov	r0, #0
	mcr	p15, 0, r0, c8, c7, 0
	bx	lr
tlb_flush_va:
	bic	r0, r0, #0x300		@ a 1 KiB page is the smallest
	bic	r0, r0, #0xff
	mcr	p15, 0, r0, c8, c6, 1	@ data
	mcr	p15, 0, r0, c8, c5, 1	@ instruction
	bx	lr

/* void mmu_on(void *table, uint32_t dacr): caches stay off */
	.global	mmu_on
mmu_on:
	mcr	p15, 0, r0, c2, c0, 0
	mcr	p15, 0, r1, c3, c0, 0
	mov	r2, #0
	mcr	p15, 0, r2, c8, c7, 0
	mrc	p15, 0, r2, c1, c0, 0
	bic	r2, r2, #0x3300		@ low vectors, no I cache, S and R clear
	bic	r2, r2, #0x0006		@ no D cache, no alignment faults
	orr	r2, r2, #0x0001
	mcr	p15, 0, r2, c1, c0, 0
	nop
	nop
	bx	lr

/* uint32_t semihosting(uint32_t operation, const void *argument) */
	.global	semihosting
semihosting:
	push	{lr}
	svc	#0x123456
	pop	{pc}

	.bss
	.balign	8
	.space	1024
abt_stack_top:
	.space	16384
svc_stack_top:
