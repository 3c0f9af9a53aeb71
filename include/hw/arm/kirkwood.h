/*
 * Marvell Kirkwood 88F6281 SoC
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Properties:
 * "memory" (link<MemoryRegion>): the CPU's address space, filled by the SoC
 * "ram" (link<MemoryRegion>): memory, a multiple of 128 MiB up to 1 GiB
 * "after-firmware" (bool, default true): reset leaves the SoC as a boot loader
 *   hands it to an operating system, not as the hardware comes out of reset
 * "nand-size" (uint32): MiB of NAND flash, 0, 256 or 512
 * "ge0-phy", "ge1-phy" (string): type of the PHY of each Ethernet port, empty
 *   when the board does not use the port
 * "ge0-phy-addr", "ge1-phy-addr" (uint8): its SMI address; all PHYs are on the
 *   SMI bus of the first unit
 */

#ifndef HW_ARM_KIRKWOOD_H
#define HW_ARM_KIRKWOOD_H

#include "hw/arm/kirkwood_bootrom.h"
#include "hw/arm/kirkwood_bridge.h"
#include "hw/arm/kirkwood_dram.h"
#include "hw/arm/kirkwood_ehci.h"
#include "hw/arm/kirkwood_gpio.h"
#include "hw/arm/kirkwood_intc.h"
#include "hw/arm/kirkwood_mbus.h"
#include "hw/arm/kirkwood_mpp.h"
#include "hw/arm/kirkwood_nand.h"
#include "hw/arm/kirkwood_pcie.h"
#include "hw/arm/kirkwood_rtc.h"
#include "hw/arm/kirkwood_sar.h"
#include "hw/arm/kirkwood_sdio.h"
#include "hw/arm/kirkwood_spi.h"
#include "hw/arm/kirkwood_timer.h"
#include "hw/char/serial-mm.h"
#include "hw/net/mv643xx.h"
#include "hw/sysbus.h"
#include "qom/object.h"
#include "target/arm/cpu.h"

#define TYPE_KIRKWOOD "kirkwood"
OBJECT_DECLARE_SIMPLE_TYPE(KirkwoodState, KIRKWOOD)

#define KIRKWOOD_NUM_GBES 2
#define KIRKWOOD_NUM_GPIO_BANKS 2
#define KIRKWOOD_NUM_UARTS 2

#define KIRKWOOD_CPU_TYPE ARM_CPU_TYPE_NAME("88fr131")

/* Crypto SRAM, repeated over the smallest window that reaches it */
#define KIRKWOOD_SRAM_SIZE (2 * KiB)
#define KIRKWOOD_SRAM_WINDOW (64 * KiB)
#define KIRKWOOD_SRAM_COPIES (KIRKWOOD_SRAM_WINDOW / KIRKWOOD_SRAM_SIZE)

typedef struct KirkwoodPhyConfig {
    char *type;
    uint8_t addr;
} KirkwoodPhyConfig;

struct KirkwoodState {
    SysBusDevice parent_obj;

    MemoryRegion *memory;
    MemoryRegion *ram;
    bool after_firmware;
    uint32_t nand_size;
    KirkwoodPhyConfig phy[KIRKWOOD_NUM_GBES];

    ARMCPU cpu;
    KirkwoodBootromState bootrom;
    KirkwoodBridgeState bridge;
    KirkwoodDramState dram;
    KirkwoodEhciState ehci;
    KirkwoodGpioState gpio[KIRKWOOD_NUM_GPIO_BANKS];
    KirkwoodIntcState intc;
    KirkwoodMbusState mbus;
    KirkwoodMppState mpp;
    KirkwoodNandState nand;
    KirkwoodPcieState pcie;
    KirkwoodRtcState rtc;
    KirkwoodSarState sar;
    KirkwoodSdioState sdio;
    KirkwoodSpiState spi;
    KirkwoodTimerState timer;
    MV643xxState gbe[KIRKWOOD_NUM_GBES];
    SerialMM uart[KIRKWOOD_NUM_UARTS];

    MemoryRegion internal;
    MemoryRegion sram;
    MemoryRegion sram_window;
    MemoryRegion sram_copy[KIRKWOOD_SRAM_COPIES];
};

/* Inputs of the main interrupt controller */
enum KirkwoodIrq {
    KIRKWOOD_IRQ_BRIDGE = 1,
    KIRKWOOD_IRQ_GE0_SUM = 11,
    KIRKWOOD_IRQ_GE0_RX = 12,
    KIRKWOOD_IRQ_GE0_TX = 13,
    KIRKWOOD_IRQ_GE0_MISC = 14,
    KIRKWOOD_IRQ_GE1_SUM = 15,
    KIRKWOOD_IRQ_GE1_RX = 16,
    KIRKWOOD_IRQ_GE1_TX = 17,
    KIRKWOOD_IRQ_GE1_MISC = 18,
    KIRKWOOD_IRQ_USB = 19,
    KIRKWOOD_IRQ_SPI = 23,
    KIRKWOOD_IRQ_SDIO = 28,
    KIRKWOOD_IRQ_UART0 = 33,
    KIRKWOOD_IRQ_UART1 = 34,
    KIRKWOOD_IRQ_GPIO_LOW = 35,     /* four lines */
    KIRKWOOD_IRQ_GPIO_HIGH = 39,    /* three lines */
    KIRKWOOD_IRQ_GE0_UNIT = 46,
    KIRKWOOD_IRQ_GE1_UNIT = 47,
    KIRKWOOD_IRQ_RTC = 53,
};

#endif
