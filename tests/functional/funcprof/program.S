/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regions whose instructions can be counted by hand: see test_funcprof.py
 *
 * Runs on the bare machine (ARMv5, MMU on, caches off). The names that the
 * plugin knows a kernel by (__do_softirq, do_idle, ...) are functions here
 * that do what the kernel's do to contexts, and nothing else.
 */
#include "guest/mark/mark-abi.h"

#define MODE_USR	0x10
#define MODE_FIQ	0x11
#define MODE_IRQ	0x12
#define MODE_SVC	0x13
#define MODE_ABT	0x17
#define MODE_UND	0x1b
#define IRQ_OFF		0x80
#define FIQ_OFF		0x40

#define REGISTERS	0xf1000000
#define RSTOUTN_MASK	0x108		/* from BRIDGE */
#define SOFT_RESET	0x10c
#define BRIDGE_CAUSE	0x110
#define BRIDGE_MASK	0x114
#define IRQ_MASK_LOW	0x204
#define TIMER_CONTROL	0x300
#define TIMER0		0x314
#define TIMER1		0x31c
#define TIMERS_ENABLED	5
#define TIMER1_CAUSE	4
#define BRIDGE		(REGISTERS + 0x20000)

#define HOLE		0x50000000	/* not mapped */
#define TASK_NAME	0x2c8		/* where this task_struct has its name */

	.arch	armv5te
	.syntax	unified
	.arm

	/* 5 instructions, the mark is the last */
	.macro	MARK number
	mov	r0, #\number
	ldr	r1, =MARK_MAGIC
	mov	r2, #0
	mov	r3, #0
	.word	MARK_INSTRUCTION
	.endm

	/* 3 instructions */
	.macro	ARM_TIMER ticks
	mov	r0, #\ticks
	str	r0, [r10, #TIMER0 - TIMER_CONTROL]
	str	r11, [r10]
	.endm

	.macro	FUNCTION name
	.type	\name, %function
\name:
	.endm

	.macro	WFI
	mcr	p15, 0, r0, c7, c0, 4
	.endm

	.text
	.global	_start
FUNCTION _start
	msr	cpsr_c, #(MODE_IRQ | IRQ_OFF | FIQ_OFF)
	ldr	sp, =irq_stack
	msr	cpsr_c, #(MODE_ABT | IRQ_OFF | FIQ_OFF)
	ldr	sp, =abt_stack
	msr	cpsr_c, #(MODE_UND | IRQ_OFF | FIQ_OFF)
	ldr	sp, =und_stack
	msr	cpsr_c, #(MODE_SVC | IRQ_OFF | FIQ_OFF)
	ldr	sp, =svc_stack

	mov	r0, #0				/* vectors to address 0 */
	adr	r1, vectors
	mov	r2, #(vectors_end - vectors)
1:	ldr	r3, [r1], #4
	str	r3, [r0], #4
	subs	r2, r2, #4
	bne	1b
	bl	mmu_on

	ldr	r9, =BRIDGE
	ldr	r10, =(BRIDGE + TIMER_CONTROL)
	mov	r11, #1				/* timer 0 enabled */
	mov	r0, #2
	str	r0, [r9, #IRQ_MASK_LOW]		/* interrupts of the bridge */
	mov	r0, #6
	str	r0, [r9, #BRIDGE_MASK]		/* of the timers */
#ifdef WRONG_MARKS
	MARK	MARK_BEGIN			/* before symbols are complete */
	MARK	MARK_SYMBOLS
	b	1f				/* counting begins */
1:	MARK	MARK_END			/* nothing to end */
	MARK	MARK_BEGIN
	MARK	MARK_BEGIN			/* in a region */
	MARK	MARK_SYMBOLS			/* in a region */
	MARK	7
	MARK	MARK_END
	mov	r4, #100
1:	MARK	MARK_END
	subs	r4, r4, #1
	bne	1b
	b	reset
#endif
#ifdef TOO_MANY
	MARK	MARK_SYMBOLS
	b	1f
1:	MARK	MARK_BEGIN
	ldr	r2, =task_alpha
	bl	__switch_to
	mov	r6, #300			/* programs, named by the number */
	ldr	r7, =task_gamma
1:	and	r0, r6, #0xf
	add	r0, r0, #'a'
	strb	r0, [r7]
	and	r0, r6, #0xf0
	mov	r0, r0, lsr #4
	add	r0, r0, #'a'
	strb	r0, [r7, #1]
	mov	r0, r6, lsr #8
	add	r0, r0, #'a'
	strb	r0, [r7, #2]
	ldr	r0, =task_alpha
	mov	r1, r7
	bl	__set_task_comm
	subs	r6, r6, #1
	bne	1b
	MARK	MARK_END
	ldr	r6, =1000			/* more regions */
1:	MARK	MARK_BEGIN
	MARK	MARK_END
	subs	r6, r6, #1
	bne	1b
	b	reset
	.ltorg
#endif
	ldr	r5, =HOLE			/* aborts in the same TB */
	mov	r7, #4
	MARK	MARK_SYMBOLS
	ldr	r6, [r5]
	b	main

/* Sections one to one, all permissions, without the one at HOLE */
FUNCTION mmu_on
	ldr	r0, =table
	ldr	r2, =(3 << 10 | 0x12)
	mov	r1, #0
1:	orr	r3, r2, r1, lsl #20
	str	r3, [r0, r1, lsl #2]
	add	r1, r1, #1
	cmp	r1, #4096
	bne	1b
	mov	r3, #0
	ldr	r1, =(HOLE >> 20)
	str	r3, [r0, r1, lsl #2]
	sub	r1, r1, #1			/* in front of HOLE is RAM */
	str	r2, [r0, r1, lsl #2]
	mcr	p15, 0, r0, c2, c0, 0
	mov	r1, #1
	mcr	p15, 0, r1, c3, c0, 0
	mrc	p15, 0, r1, c1, c0, 0
	bic	r1, r1, #0x2000			/* low vectors */
	orr	r1, r1, #1
	mcr	p15, 0, r1, c1, c0, 0
	nop
	nop
	bx	lr

vectors:
	.rept	8
	ldr	pc, [pc, #24]
	.endr
	.word	0, undefined, svc, prefetch_abort, data_abort, 0, irq, 0
vectors_end:

/* Each region is one function; @times: how often its part is run */
	.macro	REGION times
	MARK	MARK_BEGIN
	mov	r4, #\times
1:
	.endm
	.macro	END_REGION
	subs	r4, r4, #1
	bne	1b
	MARK	MARK_END
	.endm

FUNCTION main
	/* 0: nothing but calls, of a function that runs on into another */
	REGION	100
	bl	two
	END_REGION

	/* 1: a load that aborts and is skipped, in mid-TB */
	ldr	r5, =HOLE
	mov	r7, #4				/* data_abort: skip */
	REGION	50
	bl	aborts
	END_REGION

	/* 2: a load, and a load multiple, that abort and are tried again */
	REGION	50
	ldr	r5, =HOLE
	bl	restarts
	ldr	r5, =(HOLE - 4)
	bl	restarts_multiple
	END_REGION

	/* 3: undefined, SVC, BKPT */
	REGION	50
	bl	undefined_insn
	bl	svc_insn
	bl	bkpt_insn
	END_REGION

	/* 4: a call to nowhere: the fetch aborts */
	ldr	r5, =HOLE
	REGION	50
	bl	calls_hole
	END_REGION

	/* 5: registers of devices in mid-TB: read, written, read in pairs */
	REGION	50
	bl	device
	END_REGION

	/* 6: code that changes its next instruction but one, there and back */
	REGION	50
	bl	changes_itself
	END_REGION

	/* 7: sleeps until a timer expires; interrupts are off */
	REGION	50
	bl	sleeps
	END_REGION

	/* 8: process, idle, hardirq, softirq in it, hardirq in that */
	mov	r5, #0
	REGION	50
	bl	do_idle
	END_REGION

	/* 9: an interrupt of User mode */
	REGION	50
	bl	user
	END_REGION

	/* 10: three programs; the first has no name yet */
	MARK	MARK_BEGIN
	ldr	r0, =task_alpha
	adr	r1, alpha
	bl	__set_task_comm
	ldr	r2, =task_alpha
	bl	__switch_to
	bl	six
	ldr	r0, =task_alpha			/* by the name in memory */
	adr	r1, beta
	ldr	r2, [r1]
	str	r2, [r0, #TASK_NAME]
	ldr	r2, [r1, #4]
	str	r2, [r0, #TASK_NAME + 4]
	ldr	r2, =task_alpha
	bl	__switch_to
	bl	six
	MARK	MARK_END

	/* 11: a task switch inside do_idle, and back into it */
	ldr	r0, =task_gamma
	adr	r1, gamma
	bl	__set_task_comm
	mov	r5, #1
	REGION	1
	bl	do_idle
	END_REGION

	/* 12: do_idle's return address is passed in it, with another stack */
	mov	r5, #3
	REGION	1
	bl	deeper
	END_REGION

	/* 13: the interrupted address is executed by the handler, too */
	REGION	50
	bl	interrupted
	msr	cpsr_c, #(MODE_SVC | IRQ_OFF | FIQ_OFF)
	END_REGION

	/* 14: Thumb, with an abort */
	REGION	50
	ldr	r5, =HOLE
	blx	thumb_restarts
	END_REGION

	/* 15: two interrupts at once */
	REGION	50
	bl	back_to_back
	END_REGION

	/* 16: an interrupt between a return and what follows */
	REGION	50
	bl	idle_then_interrupt
	msr	cpsr_c, #(MODE_SVC | IRQ_OFF | FIQ_OFF)
	END_REGION

	/* 17: what ksoftirqd calls */
	mov	r5, #0
	REGION	50
	bl	handle_softirqs
	END_REGION

	/* 18: recursion, whose return address is passed without a return */
	mov	r5, #3
	REGION	1
	bl	recurses
	END_REGION

	/* 19: a program renames itself, as exec does */
	MARK	MARK_BEGIN
	ldr	r0, =task_alpha
	adr	r1, delta
	bl	__set_task_comm
	MARK	MARK_END

reset:	/* The machine resets, which ends QEMU or stops it */
	ldr	r9, =BRIDGE
	mov	r0, #4
	str	r0, [r9, #RSTOUTN_MASK]
	mov	r0, #1
	str	r0, [r9, #SOFT_RESET]
2:	b	2b
	.ltorg
	.balign	4
alpha:	.asciz	"alpha"
	.balign	4
beta:	.asciz	"betabet"
	.balign	4
gamma:	.asciz	"gamma"
	.balign	4
delta:	.asciz	"delta"
	.balign	4

FUNCTION two
	mov	r0, r0
	mov	r0, r0
FUNCTION six
	.rept	5
	mov	r0, r0
	.endr
	bx	lr

FUNCTION aborts
	mov	r0, r0
	ldr	r6, [r5]
	mov	r0, r0
	bx	lr

FUNCTION restarts
	mov	r0, r0
	mov	r7, #8				/* data_abort: try again */
	ldr	r6, [r5]
	mov	r7, #4
	bx	lr

FUNCTION restarts_multiple
	mov	r7, #8
	ldmia	r5, {r6, r8}
	mov	r7, #4
	mov	r0, r0
	bx	lr

FUNCTION undefined_insn
	mov	r0, r0
	.word	0xe7f000f0
	bx	lr

FUNCTION svc_insn
	mov	r6, lr
	svc	#1
	bx	r6

FUNCTION bkpt_insn
	mov	r0, r0
	bkpt	#1
	bx	lr

FUNCTION calls_hole
	mov	r8, lr
	mov	lr, pc
	bx	r5
	bx	r8

FUNCTION device
	mov	r0, r0
	ldr	r0, [r10, #TIMER0 - TIMER_CONTROL]
	mov	r0, r0
	mov	r1, #0
	str	r1, [r9, #BRIDGE_CAUSE]
	mov	r0, r0
	ldmia	r10, {r0, r1}
	mov	r0, r0
	bx	lr

FUNCTION changes_itself
	ldr	r0, 3f
	ldr	r1, 4f
	adr	r2, 2f
	str	r1, [r2]
	str	r0, 4f
	str	r1, 3f
2:	mov	r6, r6
	bx	lr
3:	mov	r6, r6
4:	mov	r7, r7

FUNCTION sleeps
	ARM_TIMER 200
	WFI
	mov	r1, #0
	str	r1, [r9, #BRIDGE_CAUSE]
	bx	lr

/* r5: 0: sleeps, 1: switches tasks, 2: calls deeper, 3: enables interrupts */
FUNCTION do_idle
	cmp	r5, #2
	bhi	3f
	beq	2f
	cmp	r5, #1
	beq	1f
	mov	r8, lr
	ldr	r12, =__do_softirq
	ARM_TIMER 200
	msr	cpsr_c, #(MODE_SVC | FIQ_OFF)
	WFI
	msr	cpsr_c, #(MODE_SVC | IRQ_OFF | FIQ_OFF)
	mov	lr, r8
	bx	lr
1:	mov	r8, lr
	ldr	r2, =task_gamma
	bl	__switch_to
	bl	six
	ldr	r2, =task_alpha
	bl	__switch_to
	mov	lr, r8
	bx	lr
2:	push	{lr}
	mov	r5, #1
	bl	deeper
	pop	{pc}
3:	mov	r5, #0
	mov	r0, #(MODE_SVC | FIQ_OFF)
	msr	spsr_cxsf, r0
	movs	pc, lr

/* Calls do_idle unless it was called with r5 = 1 */
FUNCTION deeper
	push	{lr}
	subs	r5, r5, #1
	blne	do_idle
	mov	r0, r0
	pop	{pc}

/* Called by irq, in SVC mode; enables interrupts and gets one */
FUNCTION __do_softirq
	b	handle_softirqs
FUNCTION handle_softirqs
	mov	r6, lr
	mov	r12, #0
	ARM_TIMER 200
	msr	cpsr_c, #(MODE_SVC | FIQ_OFF)
	WFI
	msr	cpsr_c, #(MODE_SVC | IRQ_OFF | FIQ_OFF)
	bx	r6

/* r12: a function to be called in SVC mode, or 0; r5: causes to keep, once */
FUNCTION irq
	sub	lr, lr, #4
	stmfd	sp!, {r0, lr}
	mrs	r0, spsr
	str	r0, [sp, #-4]!
	str	r5, [r9, #BRIDGE_CAUSE]
	mov	r5, #0
	ldr	r0, [sp]
	tst	r0, #0xf
	beq	ret_to_user_from_irq
	cmp	r12, #0
	beq	1f
	msr	cpsr_c, #(MODE_SVC | IRQ_OFF | FIQ_OFF)
	push	{lr}
	blx	r12
	pop	{lr}
	msr	cpsr_c, #(MODE_IRQ | IRQ_OFF | FIQ_OFF)
1:	ldr	r0, [sp], #4
	msr	spsr_cxsf, r0
	ldmfd	sp!, {r0, pc}^

FUNCTION ret_to_user_from_irq
	ldr	r0, [sp], #4
	msr	spsr_cxsf, r0
	ldmfd	sp!, {r0, pc}^

/* Waits for an interrupt, goes to User mode, where it is taken, comes back */
FUNCTION user
	mov	r8, lr
	ARM_TIMER 200
	WFI
	mov	r0, #(MODE_USR | FIQ_OFF)
	msr	spsr_cxsf, r0
	adr	r0, 1f
	movs	pc, r0
1:	mov	r0, r0
	svc	#2
	bx	r8

FUNCTION recurses
	push	{lr}
	subs	r5, r5, #1
	blne	recurses
	mov	r0, r0
	pop	{pc}

/* Is interrupted at its end, where `target` begins */
FUNCTION interrupted
	ldr	r12, =target
	ARM_TIMER 200
	WFI
	msr	cpsr_c, #(MODE_SVC | FIQ_OFF)
FUNCTION target
	mov	r0, r0
	bx	lr

/* Two interrupts, the second before anything else after the first */
FUNCTION back_to_back
	mov	r12, #0
	mov	r5, #TIMER1_CAUSE
	mov	r0, #200
	str	r0, [r10, #TIMER0 - TIMER_CONTROL]
	str	r0, [r10, #TIMER1 - TIMER_CONTROL]
	mov	r0, #TIMERS_ENABLED
	str	r0, [r10]
	WFI
	msr	cpsr_c, #(MODE_SVC | FIQ_OFF)
	msr	cpsr_c, #(MODE_SVC | IRQ_OFF | FIQ_OFF)
	bx	lr

/* Is idle; the interrupt comes where do_idle has returned to */
FUNCTION idle_then_interrupt
	mov	r6, lr
	mov	r12, #0
	ARM_TIMER 200
	WFI
	mov	r5, #3
	bl	do_idle
	mov	r0, r0
	bx	r6

	.thumb
	.thumb_func
FUNCTION thumb_restarts
	movs	r7, #8
	ldr	r6, [r5]
	movs	r7, #4
	bx	lr
	.arm

FUNCTION __set_task_comm
	ldr	r2, [r1]
	str	r2, [r0, #TASK_NAME]
	ldr	r2, [r1, #4]
	str	r2, [r0, #TASK_NAME + 4]
	bx	lr

FUNCTION __switch_to
	bx	lr

/* Exceptions */
FUNCTION undefined
	movs	pc, lr

FUNCTION svc
	/* from svc_insn, or from User mode: both go on in SVC mode */
	bx	lr

FUNCTION prefetch_abort
	/* bkpt: behind it; call to HOLE: its return address */
	mrs	r0, spsr
	sub	lr, lr, #4
	ldr	r0, =HOLE
	cmp	lr, r0
	beq	1f
	add	lr, lr, #4
	movs	pc, lr
1:	msr	cpsr_c, #(MODE_SVC | IRQ_OFF | FIQ_OFF)
	bx	lr

/* r7: 4 skips the instruction, 8 makes r5 valid and tries it again */
FUNCTION data_abort
	cmp	r7, #8
	ldreq	r5, =irq_stack - 8
	sub	lr, lr, #4
	subeq	lr, lr, #4
	movs	pc, lr
	.ltorg

	.bss
	.balign	16384
table:	.space	16384
	.space	256
irq_stack:
	.space	256
abt_stack:
	.space	256
und_stack:
	.space	256
svc_stack:
	.space	256
	.balign	4096
task_alpha:
	.space	4096
task_gamma:
	.space	4096
