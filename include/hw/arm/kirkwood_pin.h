/*
 * What a Kirkwood board connects to a general purpose pin
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A lamp, button, card-detect switch or control line with a name.
 * Properties "description" (string), "input" (bool: the board drives the pin),
 * "active-low" (bool).
 * QOM property "active" (bool): lamp lit, button pressed, line asserted; can be
 * set when the pin is an input.
 * An unnamed GPIO input follows the pin.  An unnamed GPIO output drives it: an
 * input with its state, an output with a pull towards inactive.
 */

#ifndef HW_ARM_KIRKWOOD_PIN_H
#define HW_ARM_KIRKWOOD_PIN_H

#include "hw/sysbus.h"
#include "qom/object.h"

#define TYPE_KIRKWOOD_PIN "kirkwood-pin"
OBJECT_DECLARE_SIMPLE_TYPE(KirkwoodPinState, KIRKWOOD_PIN)

struct KirkwoodPinState {
    SysBusDevice parent_obj;

    char *description;
    bool input;
    bool active_low;
    qemu_irq drive;

    bool active;
};

#endif
