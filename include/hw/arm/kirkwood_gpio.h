/*
 * Marvell Kirkwood GPIO bank
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Property "num-pins" (uint8, 1 to 32).
 * GPIO inputs "select": level per pin, high while the MPP gives it to the bank.
 * GPIO inputs "pin-in": level that the board drives into the pin.
 * GPIO outputs "pin-out": level of the pin.
 * QOM properties "pins" (uint32, read-only): levels of all pins; "board-drive"
 * (uint32): levels that the board drives.
 * Sysbus IRQs 0-3: one per eight pins.
 */

#ifndef HW_ARM_KIRKWOOD_GPIO_H
#define HW_ARM_KIRKWOOD_GPIO_H

#include "hw/sysbus.h"
#include "qom/object.h"

#define TYPE_KIRKWOOD_GPIO "kirkwood-gpio"
OBJECT_DECLARE_SIMPLE_TYPE(KirkwoodGpioState, KIRKWOOD_GPIO)

#define KIRKWOOD_GPIO_PINS_PER_BANK 32
#define KIRKWOOD_GPIO_NUM_IRQS 4
#define KIRKWOOD_GPIO_NUM_REGS 8

#define KIRKWOOD_GPIO_SELECT "select"
#define KIRKWOOD_GPIO_IN "pin-in"
#define KIRKWOOD_GPIO_OUT "pin-out"

struct KirkwoodGpioState {
    SysBusDevice parent_obj;

    MemoryRegion iomem;
    qemu_irq irq[KIRKWOOD_GPIO_NUM_IRQS];
    qemu_irq pin_out[KIRKWOOD_GPIO_PINS_PER_BANK];
    uint8_t num_pins;

    uint32_t selected;      /* pins whose MPP function is GPIO */
    uint32_t board_drive;   /* levels driven from outside the SoC */
    uint32_t pins;          /* levels last reported through "pin-out" */
    uint32_t regs[KIRKWOOD_GPIO_NUM_REGS];
};

#endif
