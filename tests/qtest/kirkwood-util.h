/*
 * What the tests of the Kirkwood SoC share
 *
 * Addresses and interrupt numbers are typed from kirkwood.dtsi of Linux 6.1.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TESTS_QTEST_KIRKWOOD_UTIL_H
#define TESTS_QTEST_KIRKWOOD_UTIL_H

#include "hw/arm/kirkwood_regs.h"
#include "qemu/timer.h"
#include "tests/qtest/libqtest.h"

#define INTERNAL_BASE 0xf1000000u

#define DRAM_BASE (INTERNAL_BASE + 0x01400)
#define MPP_BASE (INTERNAL_BASE + 0x10000)
#define SAR_BASE (INTERNAL_BASE + 0x10030)
#define GPIO0_BASE (INTERNAL_BASE + 0x10100)
#define GPIO1_BASE (INTERNAL_BASE + 0x10140)
#define RTC_BASE (INTERNAL_BASE + 0x10300)
#define SPI_BASE (INTERNAL_BASE + 0x10600)
#define UART0_BASE (INTERNAL_BASE + 0x12000)
#define UART1_BASE (INTERNAL_BASE + 0x12100)
#define MBUS_BASE (INTERNAL_BASE + 0x20000)
#define BRIDGE_BASE (INTERNAL_BASE + 0x20100)
#define INTC_BASE (INTERNAL_BASE + 0x20200)
#define TIMER_BASE (INTERNAL_BASE + 0x20300)
#define PCIE_BASE (INTERNAL_BASE + 0x40000)
#define USB_BASE (INTERNAL_BASE + 0x50000)
#define SDIO_BASE (INTERNAL_BASE + 0x90000)
#define NAND_BASE 0xd8000000u
#define SRAM_BASE 0xc8010000u

enum {
    IRQ_BRIDGE = 1,
    IRQ_USB = 19,
    IRQ_SPI = 23,
    IRQ_SDIO = 28,
    IRQ_UART0 = 33,
    IRQ_UART1 = 34,
    IRQ_GPIO_0_7 = 35,
    IRQ_GPIO_8_15 = 36,
    IRQ_GPIO_16_23 = 37,
    IRQ_GPIO_24_31 = 38,
    IRQ_GPIO_32_39 = 39,
    IRQ_GPIO_40_47 = 40,
    IRQ_GPIO_48_49 = 41,
    IRQ_RTC = 53,
};

/* A register, what reset leaves in it and which bits software can write */
typedef struct KirkwoodRegExpect {
    const char *name;
    uint32_t addr;
    uint32_t reset;
    uint32_t rw;
} KirkwoodRegExpect;

/* A board whose interrupt controller inputs can be read by qtest_get_irq() */
QTestState *kirkwood_start(const char *args);

/* Check reset value, writable bits, byte lanes and effect of a system reset */
void kirkwood_check_regs(QTestState *qts, const KirkwoodRegExpect *regs,
                         size_t count);

/* qom-get of an integer */
uint64_t kirkwood_qom_get(QTestState *qts, const char *path, const char *name);

/* Run QEMU to its end: exit status; *output: what it wrote to stderr, owned */
int kirkwood_run(const char *args, char **output);

/* Whether QEMU sends this event, after what the test did before */
bool kirkwood_event(QTestState *qts, const char *event);

/* Program counter of the CPU */
uint32_t kirkwood_pc(QTestState *qts);

#endif
