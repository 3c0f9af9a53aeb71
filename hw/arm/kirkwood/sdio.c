/*
 * Marvell Kirkwood SDIO host without a card
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Every command ends with a command timeout, which is how the host sees an
 * empty slot.  The other registers are storage.
 *
 * Behaviour: Linux drivers/mmc/host/mvsdio.[ch].
 */

#include "qemu/osdep.h"
#include "hw/arm/kirkwood_reg.h"
#include "hw/arm/kirkwood_regs.h"
#include "hw/arm/kirkwood_sdio.h"
#include "hw/irq.h"
#include "migration/vmstate.h"
#include "trace.h"

#define STORAGE(name) { name, .rw = 0xffff }

static const KirkwoodReg sdio_regs[KIRKWOOD_SDIO_NUM_REGS] = {
    [0x000 / 4] = STORAGE("SYS_ADDR_LOW"),
    [0x004 / 4] = STORAGE("SYS_ADDR_HIGH"),
    [0x008 / 4] = STORAGE("BLOCK_SIZE"),
    [0x00c / 4] = STORAGE("BLOCK_COUNT"),
    [0x010 / 4] = STORAGE("ARG_LOW"),
    [0x014 / 4] = STORAGE("ARG_HIGH"),
    [0x018 / 4] = STORAGE("TRANSFER_MODE"),
    [R_SDIO_COMMAND] = STORAGE("COMMAND"),
    [0x020 / 4] = { "RESPONSE0" },
    [0x024 / 4] = { "RESPONSE1" },
    [0x028 / 4] = { "RESPONSE2" },
    [0x02c / 4] = { "RESPONSE3" },
    [0x030 / 4] = { "RESPONSE4" },
    [0x034 / 4] = { "RESPONSE5" },
    [0x038 / 4] = { "RESPONSE6" },
    [0x03c / 4] = { "RESPONSE7" },
    [0x040 / 4] = STORAGE("FIFO"),
    [0x044 / 4] = { "RESPONSE_CRC7" },
    [0x048 / 4] = { "HW_STATE" },
    [0x050 / 4] = STORAGE("HOST_CONTROL"),
    [0x054 / 4] = STORAGE("BLOCK_GAP_CONTROL"),
    [0x058 / 4] = STORAGE("CLOCK_CONTROL"),
    [R_SDIO_SW_RESET] = STORAGE("SW_RESET"),
    [R_SDIO_NORMAL_STATUS] = { "NORMAL_STATUS", .w1c = 0xffff },
    [R_SDIO_ERROR_STATUS] = { "ERROR_STATUS", .w1c = 0xffff },
    [R_SDIO_NORMAL_STATUS_ENABLE] = STORAGE("NORMAL_STATUS_ENABLE"),
    [R_SDIO_ERROR_STATUS_ENABLE] = STORAGE("ERROR_STATUS_ENABLE"),
    [R_SDIO_NORMAL_INT_ENABLE] = STORAGE("NORMAL_INT_ENABLE"),
    [R_SDIO_ERROR_INT_ENABLE] = STORAGE("ERROR_INT_ENABLE"),
    [0x078 / 4] = { "AUTO_CMD12_STATUS" },
    [0x07c / 4] = { "BLOCK_BYTES_LEFT" },
    [0x080 / 4] = { "BLOCKS_LEFT" },
    [0x084 / 4] = STORAGE("AUTO_CMD12_ARG_LOW"),
    [0x088 / 4] = STORAGE("AUTO_CMD12_ARG_HIGH"),
    [0x08c / 4] = STORAGE("AUTO_CMD12_INDEX"),
    [0x090 / 4] = { "AUTO_RESPONSE0" },
    [0x094 / 4] = { "AUTO_RESPONSE1" },
    [0x098 / 4] = { "AUTO_RESPONSE2" },
    [0x100 / 4] = { "MBUS_CONTROL_LOW", .rw = UINT32_MAX },
    [0x104 / 4] = { "MBUS_CONTROL_HIGH", .rw = UINT32_MAX },
    [0x108 / 4] = { "WINDOW0_CONTROL", .rw = UINT32_MAX },
    [0x10c / 4] = { "WINDOW0_BASE", .rw = UINT32_MAX },
    [0x110 / 4] = { "WINDOW1_CONTROL", .rw = UINT32_MAX },
    [0x114 / 4] = { "WINDOW1_BASE", .rw = UINT32_MAX },
    [0x118 / 4] = { "WINDOW2_CONTROL", .rw = UINT32_MAX },
    [0x11c / 4] = { "WINDOW2_BASE", .rw = UINT32_MAX },
    [0x120 / 4] = { "WINDOW3_CONTROL", .rw = UINT32_MAX },
    [0x124 / 4] = { "WINDOW3_BASE", .rw = UINT32_MAX },
    [0x128 / 4] = { "CLOCK_DIVIDER", .rw = UINT32_MAX },
    [0x12c / 4] = { "ADDRESS_DECODE_ERROR" },
    [0x130 / 4] = STORAGE("ADDRESS_DECODE_MASK"),
};

static const KirkwoodRegBlock sdio_block = {
    .name = TYPE_KIRKWOOD_SDIO,
    .reg = sdio_regs,
    .count = ARRAY_SIZE(sdio_regs),
};

static void sdio_update(KirkwoodSdioState *s)
{
    uint32_t pending =
        (s->regs[R_SDIO_NORMAL_STATUS] & s->regs[R_SDIO_NORMAL_INT_ENABLE]) |
        (s->regs[R_SDIO_ERROR_STATUS] & s->regs[R_SDIO_ERROR_INT_ENABLE]);

    qemu_set_irq(s->irq, pending != 0);
}

static void sdio_command(KirkwoodSdioState *s)
{
    trace_kirkwood_sdio_no_card(s->regs[R_SDIO_COMMAND]);
    s->regs[R_SDIO_NORMAL_STATUS] |= R_SDIO_NORMAL_STATUS_ERROR_MASK;
    s->regs[R_SDIO_ERROR_STATUS] |= R_SDIO_ERROR_STATUS_CMD_TIMEOUT_MASK;
}

static uint64_t sdio_read(void *opaque, hwaddr offset, unsigned size)
{
    KirkwoodSdioState *s = opaque;

    return kirkwood_reg_read(&sdio_block, s->regs, offset, size);
}

static void sdio_write(void *opaque, hwaddr offset, uint64_t value,
                       unsigned size)
{
    KirkwoodSdioState *s = opaque;

    kirkwood_reg_write(&sdio_block, s->regs, offset, value, size);
    if (offset / 4 == R_SDIO_COMMAND) {
        sdio_command(s);
    }
    if (FIELD_EX32(s->regs[R_SDIO_SW_RESET], SDIO_SW_RESET, NOW)) {
        kirkwood_reg_reset(&sdio_block, s->regs);
    }
    sdio_update(s);
}

static const MemoryRegionOps sdio_ops = {
    .read = sdio_read,
    .write = sdio_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .impl.max_access_size = 4,
    .valid.max_access_size = 4,
};

static void sdio_reset_enter(Object *obj, ResetType type)
{
    KirkwoodSdioState *s = KIRKWOOD_SDIO(obj);

    kirkwood_reg_reset(&sdio_block, s->regs);
}

static void sdio_reset_hold(Object *obj, ResetType type)
{
    sdio_update(KIRKWOOD_SDIO(obj));
}

static void sdio_init(Object *obj)
{
    KirkwoodSdioState *s = KIRKWOOD_SDIO(obj);
    SysBusDevice *sbd = SYS_BUS_DEVICE(obj);

    memory_region_init_io(&s->iomem, obj, &sdio_ops, s, TYPE_KIRKWOOD_SDIO,
                          sizeof(s->regs));
    sysbus_init_mmio(sbd, &s->iomem);
    sysbus_init_irq(sbd, &s->irq);
}

static const VMStateDescription sdio_vmstate = {
    .name = TYPE_KIRKWOOD_SDIO,
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32_ARRAY(regs, KirkwoodSdioState, KIRKWOOD_SDIO_NUM_REGS),
        VMSTATE_END_OF_LIST()
    },
};

static void sdio_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    dc->desc = "Marvell Kirkwood SDIO host without a card";
    dc->vmsd = &sdio_vmstate;
    rc->phases.enter = sdio_reset_enter;
    rc->phases.hold = sdio_reset_hold;
}

static const TypeInfo sdio_types[] = {
    {
        .name = TYPE_KIRKWOOD_SDIO,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(KirkwoodSdioState),
        .instance_init = sdio_init,
        .class_init = sdio_class_init,
    },
};

DEFINE_TYPES(sdio_types)
