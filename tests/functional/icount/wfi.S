/*
 * Bare-metal SheevaPlug program: arm a timer, spin, wait for its interrupt
 *
 * Does so 100,000 times with spins of changing length, then prints what is
 * left of a free-running timer, which tells the virtual time that it all
 * took, and resets the board.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

        .equ    REGS,           0xf1020000
        .equ    BRIDGE_MASK,    0x108   /* reset output enable */
        .equ    SOFT_RESET,     0x10c
        .equ    BRIDGE_CAUSE,   0x110
        .equ    BRIDGE_IRQ,     0x114
        .equ    MAIN_IRQ,       0x204
        .equ    TIMER_CONTROL,  0x300
        .equ    TIMER0,         0x314
        .equ    TIMER1_RELOAD,  0x318
        .equ    TIMER1,         0x31c
        .equ    UART,           0xf1012000

        .equ    ROUNDS,         100000
        .equ    TIMER0_CAUSE,   1 << 1
        .equ    BRIDGE_LINE,    1 << 1
        .equ    RUN_TIMER1,     0xc     /* enable, reload */
        .equ    RUN_BOTH,       0xd

        .text
        .global _start
_start:
        ldr     r4, =REGS
        mvn     r0, #0
        str     r0, [r4, #TIMER1_RELOAD]
        str     r0, [r4, #TIMER1]
        mov     r0, #TIMER0_CAUSE
        str     r0, [r4, #BRIDGE_IRQ]
        mov     r0, #BRIDGE_LINE
        str     r0, [r4, #MAIN_IRQ]
        ldr     r5, =ROUNDS
        mov     r6, #1                  /* state of the random generator */
        ldr     r7, =1664525
        ldr     r8, =1013904223

round:
        mla     r6, r7, r6, r8
        mov     r0, #RUN_TIMER1
        str     r0, [r4, #TIMER_CONTROL]
        mov     r0, r6, lsr #20         /* up to 4095 ticks of 5 ns */
        add     r0, r0, #1
        str     r0, [r4, #TIMER0]
        mov     r0, #RUN_BOTH
        str     r0, [r4, #TIMER_CONTROL]
        mov     r1, r6, lsl #10
        mov     r1, r1, lsr #22         /* up to 1023 turns */
spin:
        subs    r1, r1, #1
        bhi     spin
wait:
        mcr     p15, 0, r0, c7, c0, 4   /* wait for interrupt */
        ldr     r0, [r4, #BRIDGE_CAUSE]
        tst     r0, #TIMER0_CAUSE
        beq     wait
        mvn     r0, #TIMER0_CAUSE
        str     r0, [r4, #BRIDGE_CAUSE]
        subs    r5, r5, #1
        bne     round

        ldr     r6, [r4, #TIMER1]
        ldr     r5, =UART
        mov     r7, #8
digit:
        mov     r0, r6, lsr #28
        cmp     r0, #10
        addlt   r0, r0, #'0'
        addge   r0, r0, #'a' - 10
        str     r0, [r5]
        mov     r6, r6, lsl #4
        subs    r7, r7, #1
        bne     digit
        mov     r0, #'\n'
        str     r0, [r5]

        mov     r0, #4
        str     r0, [r4, #BRIDGE_MASK]
        mov     r0, #1
        str     r0, [r4, #SOFT_RESET]
stop:
        b       stop
