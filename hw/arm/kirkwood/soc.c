/*
 * Marvell Kirkwood 88F6281 SoC
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Addresses and interrupts: Linux arch/arm/boot/dts/kirkwood.dtsi and
 * kirkwood-6281.dtsi, U-Boot arch/arm/mach-kirkwood/include/mach/soc.h.
 */

#include "qemu/osdep.h"
#include "hw/arm/kirkwood.h"
#include "hw/irq.h"
#include "hw/misc/unimp.h"
#include "hw/qdev-properties.h"
#include "net/net.h"
#include "qapi/error.h"

enum {
    KIRKWOOD_DRAM_CONTROLLER,
    KIRKWOOD_MPP_CONTROL,
    KIRKWOOD_SAMPLE_AT_RESET,
    KIRKWOOD_DEVICE_ID,
    KIRKWOOD_CHIP_CONTROL,
    KIRKWOOD_GPIO_BANK0,
    KIRKWOOD_GPIO_BANK1,
    KIRKWOOD_RTC_REGS,
    KIRKWOOD_NAND_CONTROL,
    KIRKWOOD_SPI_FLASH,
    KIRKWOOD_TWSI0,
    KIRKWOOD_TWSI1,
    KIRKWOOD_UART0,
    KIRKWOOD_UART1,
    KIRKWOOD_MBUS_BRIDGE,
    KIRKWOOD_BRIDGE_REGS,
    KIRKWOOD_INTERRUPTS,
    KIRKWOOD_TIMERS,
    KIRKWOOD_CRYPTO,
    KIRKWOOD_PCIE0,
    KIRKWOOD_USB0,
    KIRKWOOD_XOR0,
    KIRKWOOD_XOR1,
    KIRKWOOD_GE0,
    KIRKWOOD_GE1,
    KIRKWOOD_SATA,
    KIRKWOOD_SDIO_HOST,
    KIRKWOOD_AUDIO,
    KIRKWOOD_TS,
    KIRKWOOD_TDM,
    KIRKWOOD_OTHER,
};

/* The internal registers: offset, size, name, and whether it has a model */
static const struct {
    uint32_t offset;
    uint32_t size;
    const char *name;
    bool modelled;
} kirkwood_memmap[] = {
    [KIRKWOOD_DRAM_CONTROLLER] = { 0x01400, 0x120, "sdram-controller", true },
    [KIRKWOOD_MPP_CONTROL] = { 0x10000, 0x20, "mpp", true },
    [KIRKWOOD_SAMPLE_AT_RESET] = { 0x10030, 0x04, "sample-at-reset", true },
    [KIRKWOOD_DEVICE_ID] = { 0x10034, 0x04, "device-id" },
    [KIRKWOOD_CHIP_CONTROL] = { 0x10080, 0x80, "chip-control" },
    [KIRKWOOD_GPIO_BANK0] = { 0x10100, 0x20, "gpio0", true },
    [KIRKWOOD_GPIO_BANK1] = { 0x10140, 0x20, "gpio1", true },
    [KIRKWOOD_RTC_REGS] = { 0x10300, 0x18, "rtc", true },
    [KIRKWOOD_NAND_CONTROL] = { 0x10400, 0x100, "nand-control" },
    [KIRKWOOD_SPI_FLASH] = { 0x10600, 0x18, "spi", true },
    [KIRKWOOD_TWSI0] = { 0x11000, 0x20, "twsi0" },
    [KIRKWOOD_TWSI1] = { 0x11100, 0x20, "twsi1" },
    [KIRKWOOD_UART0] = { 0x12000, 0x100, "uart0", true },
    [KIRKWOOD_UART1] = { 0x12100, 0x100, "uart1", true },
    [KIRKWOOD_MBUS_BRIDGE] = { 0x20000, 0x84, "mbus-bridge", true },
    [KIRKWOOD_BRIDGE_REGS] = { 0x20100, 0x30, "bridge", true },
    [KIRKWOOD_INTERRUPTS] = { 0x20200, 0x20, "interrupt-controller", true },
    [KIRKWOOD_TIMERS] = { 0x20300, 0x28, "timers", true },
    [KIRKWOOD_CRYPTO] = { 0x30000, 0x10000, "crypto" },
    [KIRKWOOD_PCIE0] = { 0x40000, 0x2000, "pcie0", true },
    [KIRKWOOD_USB0] = { 0x50000, 0x1000, "usb0", true },
    [KIRKWOOD_XOR0] = { 0x60800, 0x100, "xor0" },
    [KIRKWOOD_XOR1] = { 0x60900, 0x300, "xor1" },
    [KIRKWOOD_GE0] = { 0x72000, 0x4000, "ge0", true },
    [KIRKWOOD_GE1] = { 0x76000, 0x4000, "ge1", true },
    [KIRKWOOD_SATA] = { 0x80000, 0x5000, "sata" },
    [KIRKWOOD_SDIO_HOST] = { 0x90000, 0x200, "sdio", true },
    [KIRKWOOD_AUDIO] = { 0xa0000, 0x2210, "audio" },
    [KIRKWOOD_TS] = { 0xb0000, 0x10000, "transport-stream" },
    [KIRKWOOD_TDM] = { 0xd0000, 0x10000, "tdm" },
    [KIRKWOOD_OTHER] = { 0x00000, KIRKWOOD_INTERNAL_SIZE, "internal" },
};

/* Units without a model that mbus windows lead to */
static const struct {
    uint8_t target;
    uint8_t attr;
    uint32_t size;
    const char *name;
} kirkwood_targets[] = {
    { 1, 0x1d, 64 * KiB, "bootrom-window" },
    { 1, 0x1e, 128 * MiB, "spi-flash" },
    { 4, 0xe0, 1 * MiB, "pcie0-io" },
    { 4, 0xe8, 128 * MiB, "pcie0-memory" },
};

#define NAND_TARGET 1
#define NAND_ATTR 0x2f
#define SRAM_TARGET 3
#define SRAM_ATTR 0x01

/* Unimplemented regions lie below everything that has a model */
#define PRIORITY_UNIMPLEMENTED (-1000)
#define PRIORITY_BOOTROM (-1)

static const struct {
    unsigned sum, unit;
} kirkwood_gbe_irqs[KIRKWOOD_NUM_GBES] = {
    { KIRKWOOD_IRQ_GE0_SUM, KIRKWOOD_IRQ_GE0_UNIT },
    { KIRKWOOD_IRQ_GE1_SUM, KIRKWOOD_IRQ_GE1_UNIT },
};

/* Pins of a GPIO bank, their first interrupt and how many it has */
static const struct {
    uint8_t num_pins;
    unsigned irq;
    unsigned num_irqs;
} kirkwood_gpio_banks[KIRKWOOD_NUM_GPIO_BANKS] = {
    { 32, KIRKWOOD_IRQ_GPIO_LOW, 4 },
    { KIRKWOOD_NUM_PINS - 32, KIRKWOOD_IRQ_GPIO_HIGH, 3 },
};

static qemu_irq soc_irq(KirkwoodState *s, unsigned n)
{
    return qdev_get_gpio_in(DEVICE(&s->intc), n);
}

static void soc_map(KirkwoodState *s, SysBusDevice *sbd, unsigned region)
{
    memory_region_add_subregion(&s->internal, kirkwood_memmap[region].offset,
                                sysbus_mmio_get_region(sbd, 0));
}

/* Realize a block and put its registers where the memory map has them */
static bool soc_realize_block(KirkwoodState *s, void *block, unsigned region,
                              Error **errp)
{
    SysBusDevice *sbd = SYS_BUS_DEVICE(block);

    if (!sysbus_realize(sbd, errp)) {
        return false;
    }
    soc_map(s, sbd, region);
    return true;
}

/* A region that logs every access; returns NULL with @errp set on failure */
static MemoryRegion *soc_unimplemented(KirkwoodState *s, const char *name,
                                       uint64_t size, Error **errp)
{
    g_autofree char *full_name = g_strdup_printf("kirkwood.%s", name);
    DeviceState *dev = qdev_new(TYPE_UNIMPLEMENTED_DEVICE);

    object_property_add_child(OBJECT(s), name, OBJECT(dev));
    qdev_prop_set_string(dev, "name", full_name);
    qdev_prop_set_uint64(dev, "size", size);
    if (!sysbus_realize_and_unref(SYS_BUS_DEVICE(dev), errp)) {
        return NULL;
    }
    return sysbus_mmio_get_region(SYS_BUS_DEVICE(dev), 0);
}

static bool soc_realize_unimplemented(KirkwoodState *s, Error **errp)
{
    for (unsigned i = 0; i < ARRAY_SIZE(kirkwood_memmap); i++) {
        MemoryRegion *mr;

        if (kirkwood_memmap[i].modelled) {
            continue;
        }
        mr = soc_unimplemented(s, kirkwood_memmap[i].name,
                               kirkwood_memmap[i].size, errp);
        if (!mr) {
            return false;
        }
        memory_region_add_subregion_overlap(
            &s->internal, kirkwood_memmap[i].offset, mr,
            PRIORITY_UNIMPLEMENTED + (i != KIRKWOOD_OTHER));
    }
    return true;
}

static bool soc_realize_sram(KirkwoodState *s, Error **errp)
{
    Object *obj = OBJECT(s);

    if (!memory_region_init_ram(&s->sram, obj, "kirkwood.sram",
                                KIRKWOOD_SRAM_SIZE, errp)) {
        return false;
    }
    memory_region_init(&s->sram_window, obj, "kirkwood.sram-window",
                       KIRKWOOD_SRAM_WINDOW);
    for (unsigned i = 0; i < KIRKWOOD_SRAM_COPIES; i++) {
        memory_region_init_alias(&s->sram_copy[i], obj, "kirkwood.sram-copy",
                                 &s->sram, 0, KIRKWOOD_SRAM_SIZE);
        memory_region_add_subregion(&s->sram_window, i * KIRKWOOD_SRAM_SIZE,
                                    &s->sram_copy[i]);
    }
    kirkwood_mbus_add_target(&s->mbus, SRAM_TARGET, SRAM_ATTR,
                             &s->sram_window);
    return true;
}

static bool soc_realize_nand(KirkwoodState *s, Error **errp)
{
    SysBusDevice *sbd = SYS_BUS_DEVICE(&s->nand);

    qdev_prop_set_uint32(DEVICE(sbd), "size", s->nand_size);
    if (!sysbus_realize(sbd, errp)) {
        return false;
    }
    kirkwood_mbus_add_target(&s->mbus, NAND_TARGET, NAND_ATTR,
                             sysbus_mmio_get_region(sbd, 0));
    return true;
}

static bool soc_realize_mbus(KirkwoodState *s, Error **errp)
{
    if (!soc_realize_sram(s, errp) || !soc_realize_nand(s, errp)) {
        return false;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(kirkwood_targets); i++) {
        MemoryRegion *mr = soc_unimplemented(s, kirkwood_targets[i].name,
                                             kirkwood_targets[i].size, errp);
        if (!mr) {
            return false;
        }
        kirkwood_mbus_add_target(&s->mbus, kirkwood_targets[i].target,
                                 kirkwood_targets[i].attr, mr);
    }
    object_property_set_link(OBJECT(&s->mbus), "internal",
                             OBJECT(&s->internal), &error_abort);
    object_property_set_link(OBJECT(&s->mbus), "cpu-memory", OBJECT(s->memory),
                             &error_abort);
    qdev_prop_set_bit(DEVICE(&s->mbus), "after-firmware", s->after_firmware);
    return soc_realize_block(s, &s->mbus, KIRKWOOD_MBUS_BRIDGE, errp);
}

static bool soc_realize_dram(KirkwoodState *s, Error **errp)
{
    object_property_set_link(OBJECT(&s->dram), "ram", OBJECT(s->ram),
                             &error_abort);
    object_property_set_link(OBJECT(&s->dram), "cpu-memory", OBJECT(s->memory),
                             &error_abort);
    qdev_prop_set_bit(DEVICE(&s->dram), "after-firmware", s->after_firmware);
    return soc_realize_block(s, &s->dram, KIRKWOOD_DRAM_CONTROLLER, errp);
}

static bool soc_realize_cpu(KirkwoodState *s, Error **errp)
{
    if (!qdev_realize(DEVICE(&s->cpu), NULL, errp) ||
        !soc_realize_block(s, &s->intc, KIRKWOOD_INTERRUPTS, errp)) {
        return false;
    }
    sysbus_connect_irq(SYS_BUS_DEVICE(&s->intc), 0,
                       qdev_get_gpio_in(DEVICE(&s->cpu), ARM_CPU_IRQ));
    sysbus_connect_irq(SYS_BUS_DEVICE(&s->intc), 1,
                       qdev_get_gpio_in(DEVICE(&s->cpu), ARM_CPU_FIQ));
    return true;
}

static bool soc_realize_bootrom(KirkwoodState *s, Error **errp)
{
    SysBusDevice *sbd = SYS_BUS_DEVICE(&s->bootrom);

    object_property_set_link(OBJECT(sbd), "cpu", OBJECT(&s->cpu), &error_abort);
    object_property_set_link(OBJECT(sbd), "dram", OBJECT(&s->dram),
                             &error_abort);
    if (!sysbus_realize(sbd, errp)) {
        return false;
    }
    memory_region_add_subregion_overlap(s->memory, KIRKWOOD_BOOTROM_BASE,
                                        sysbus_mmio_get_region(sbd, 0),
                                        PRIORITY_BOOTROM);
    return true;
}

static bool soc_realize_bridge(KirkwoodState *s, Error **errp)
{
    DeviceState *bridge = DEVICE(&s->bridge);

    qdev_prop_set_uint32(DEVICE(&s->timer), "tclk",
                         kirkwood_sar_tclk(s->sar.value));
    if (!soc_realize_block(s, bridge, KIRKWOOD_BRIDGE_REGS, errp) ||
        !soc_realize_block(s, &s->timer, KIRKWOOD_TIMERS, errp)) {
        return false;
    }
    sysbus_connect_irq(SYS_BUS_DEVICE(bridge), 0,
                       soc_irq(s, KIRKWOOD_IRQ_BRIDGE));
    for (unsigned n = 0; n < KIRKWOOD_NUM_TIMERS; n++) {
        sysbus_connect_irq(SYS_BUS_DEVICE(&s->timer), n,
                           qdev_get_gpio_in(bridge,
                                            KIRKWOOD_BRIDGE_IRQ_TIMER0 + n));
    }
    return true;
}

static bool soc_realize_uart(KirkwoodState *s, unsigned n, Error **errp)
{
    DeviceState *dev = DEVICE(&s->uart[n]);

    qdev_prop_set_uint8(dev, "regshift", 2);
    qdev_prop_set_uint8(dev, "endianness", DEVICE_LITTLE_ENDIAN);
    qdev_prop_set_uint32(dev, "baudbase", kirkwood_sar_tclk(s->sar.value) / 16);
    if (!soc_realize_block(s, dev, KIRKWOOD_UART0 + n, errp)) {
        return false;
    }
    sysbus_connect_irq(SYS_BUS_DEVICE(dev), 0,
                       soc_irq(s, KIRKWOOD_IRQ_UART0 + n));
    return true;
}

static bool soc_realize_gpio(KirkwoodState *s, unsigned n, Error **errp)
{
    DeviceState *dev = DEVICE(&s->gpio[n]);
    unsigned num_pins = kirkwood_gpio_banks[n].num_pins;

    qdev_prop_set_uint8(dev, "num-pins", num_pins);
    if (!soc_realize_block(s, dev, KIRKWOOD_GPIO_BANK0 + n, errp)) {
        return false;
    }
    for (unsigned i = 0; i < kirkwood_gpio_banks[n].num_irqs; i++) {
        sysbus_connect_irq(SYS_BUS_DEVICE(dev), i,
                           soc_irq(s, kirkwood_gpio_banks[n].irq + i));
    }
    for (unsigned pin = 0; pin < num_pins; pin++) {
        qdev_connect_gpio_out(DEVICE(&s->mpp),
                              n * KIRKWOOD_GPIO_PINS_PER_BANK + pin,
                              qdev_get_gpio_in_named(dev, KIRKWOOD_GPIO_SELECT,
                                                     pin));
    }
    return true;
}

/* The PHY of an Ethernet port, owned by the SoC, or NULL if it has none */
static DeviceState *soc_new_phy(KirkwoodState *s, unsigned n, Error **errp)
{
    g_autofree char *name = g_strdup_printf("phy%u", n);
    DeviceState *phy;

    if (!object_class_dynamic_cast(object_class_by_name(s->phy[n].type),
                                   TYPE_MV88E1XXX)) {
        error_setg(errp, "'%s' is no type of Ethernet PHY", s->phy[n].type);
        return NULL;
    }
    phy = qdev_new(s->phy[n].type);
    object_property_add_child(OBJECT(s), name, OBJECT(phy));
    object_unref(OBJECT(phy));
    qdev_prop_set_uint8(phy, "address", s->phy[n].addr);
    return phy;
}

static void soc_connect_gbe(KirkwoodState *s, unsigned n)
{
    SysBusDevice *sbd = SYS_BUS_DEVICE(&s->gbe[n]);

    sysbus_connect_irq(sbd, MV643XX_IRQ_UNIT,
                       soc_irq(s, kirkwood_gbe_irqs[n].unit));
    for (int line = 0; line < MV643XX_LINES; line++) {
        sysbus_connect_irq(sbd, MV643XX_IRQ_PORT(0, line),
                           soc_irq(s, kirkwood_gbe_irqs[n].sum + line));
    }
}

static bool soc_realize_gbe(KirkwoodState *s, unsigned n, Error **errp)
{
    DeviceState *dev = DEVICE(&s->gbe[n]);
    DeviceState *port = DEVICE(&s->gbe[n].port[0]);
    BusState *smi = qdev_get_child_bus(DEVICE(&s->gbe[0]), "smi");
    DeviceState *phy = NULL;

    if (s->phy[n].type && *s->phy[n].type) {
        phy = soc_new_phy(s, n, errp);
        if (!phy) {
            return false;
        }
        qemu_configure_nic_device(port, true, NULL);
        object_property_set_link(OBJECT(port), "phy", OBJECT(phy),
                                 &error_abort);
        qdev_prop_set_uint8(dev, "phy-addr", s->phy[n].addr);
    } else {
        qdev_prop_set_uint8(dev, "num-ports", 0);
    }
    qdev_prop_set_uint32(dev, "tclk", kirkwood_sar_tclk(s->sar.value));
    object_property_set_link(OBJECT(dev), "dma-memory", OBJECT(s->memory),
                             &error_abort);
    object_property_set_link(OBJECT(dev), "poll-bus", OBJECT(smi),
                             &error_abort);
    if (!soc_realize_block(s, dev, KIRKWOOD_GE0 + n, errp) ||
        (phy && !qdev_realize(phy, smi, errp))) {
        return false;
    }
    soc_connect_gbe(s, n);
    return true;
}

static bool soc_realize_peripherals(KirkwoodState *s, Error **errp)
{
    if (!soc_realize_block(s, &s->sar, KIRKWOOD_SAMPLE_AT_RESET, errp) ||
        !soc_realize_block(s, &s->pcie, KIRKWOOD_PCIE0, errp) ||
        !soc_realize_block(s, &s->mpp, KIRKWOOD_MPP_CONTROL, errp) ||
        !soc_realize_block(s, &s->rtc, KIRKWOOD_RTC_REGS, errp) ||
        !soc_realize_block(s, &s->sdio, KIRKWOOD_SDIO_HOST, errp) ||
        !soc_realize_block(s, &s->spi, KIRKWOOD_SPI_FLASH, errp) ||
        !soc_realize_block(s, &s->ehci, KIRKWOOD_USB0, errp)) {
        return false;
    }
    sysbus_connect_irq(SYS_BUS_DEVICE(&s->rtc), 0,
                       soc_irq(s, KIRKWOOD_IRQ_RTC));
    sysbus_connect_irq(SYS_BUS_DEVICE(&s->sdio), 0,
                       soc_irq(s, KIRKWOOD_IRQ_SDIO));
    sysbus_connect_irq(SYS_BUS_DEVICE(&s->spi), 0,
                       soc_irq(s, KIRKWOOD_IRQ_SPI));
    sysbus_connect_irq(SYS_BUS_DEVICE(&s->ehci), 0,
                       soc_irq(s, KIRKWOOD_IRQ_USB));

    for (unsigned n = 0; n < KIRKWOOD_NUM_UARTS; n++) {
        if (!soc_realize_uart(s, n, errp)) {
            return false;
        }
    }
    for (unsigned n = 0; n < KIRKWOOD_NUM_GPIO_BANKS; n++) {
        if (!soc_realize_gpio(s, n, errp)) {
            return false;
        }
    }
    for (unsigned n = 0; n < KIRKWOOD_NUM_GBES; n++) {
        if (!soc_realize_gbe(s, n, errp)) {
            return false;
        }
    }
    return true;
}

static void soc_realize(DeviceState *dev, Error **errp)
{
    KirkwoodState *s = KIRKWOOD(dev);

    if (!s->memory || !s->ram) {
        error_setg(errp, "properties 'memory' and 'ram' must be set");
        return;
    }
    memory_region_init(&s->internal, OBJECT(dev), "kirkwood.internal",
                       KIRKWOOD_INTERNAL_SIZE);
    if (!soc_realize_cpu(s, errp) ||
        !soc_realize_bootrom(s, errp) ||
        !soc_realize_mbus(s, errp) ||
        !soc_realize_dram(s, errp) ||
        !soc_realize_bridge(s, errp) ||
        !soc_realize_peripherals(s, errp)) {
        return;
    }
    soc_realize_unimplemented(s, errp);
}

static void soc_init(Object *obj)
{
    KirkwoodState *s = KIRKWOOD(obj);

    object_initialize_child(obj, "cpu", &s->cpu, KIRKWOOD_CPU_TYPE);
    object_initialize_child(obj, "bootrom", &s->bootrom,
                            TYPE_KIRKWOOD_BOOTROM);
    object_initialize_child(obj, "bridge", &s->bridge, TYPE_KIRKWOOD_BRIDGE);
    object_initialize_child(obj, "sdram", &s->dram, TYPE_KIRKWOOD_DRAM);
    object_initialize_child(obj, "ehci", &s->ehci, TYPE_KIRKWOOD_EHCI);
    object_initialize_child(obj, "intc", &s->intc, TYPE_KIRKWOOD_INTC);
    object_initialize_child(obj, "mbus", &s->mbus, TYPE_KIRKWOOD_MBUS);
    object_initialize_child(obj, "mpp", &s->mpp, TYPE_KIRKWOOD_MPP);
    object_initialize_child(obj, "nand", &s->nand, TYPE_KIRKWOOD_NAND);
    object_initialize_child(obj, "pcie", &s->pcie, TYPE_KIRKWOOD_PCIE);
    object_initialize_child(obj, "rtc", &s->rtc, TYPE_KIRKWOOD_RTC);
    object_initialize_child(obj, "sar", &s->sar, TYPE_KIRKWOOD_SAR);
    object_initialize_child(obj, "sdio", &s->sdio, TYPE_KIRKWOOD_SDIO);
    object_initialize_child(obj, "spi", &s->spi, TYPE_KIRKWOOD_SPI);
    object_initialize_child(obj, "timer", &s->timer, TYPE_KIRKWOOD_TIMER);
    for (unsigned n = 0; n < KIRKWOOD_NUM_UARTS; n++) {
        object_initialize_child(obj, "uart[*]", &s->uart[n], TYPE_SERIAL_MM);
    }
    for (unsigned n = 0; n < KIRKWOOD_NUM_GPIO_BANKS; n++) {
        object_initialize_child(obj, "gpio[*]", &s->gpio[n],
                                TYPE_KIRKWOOD_GPIO);
    }
    for (unsigned n = 0; n < KIRKWOOD_NUM_GBES; n++) {
        object_initialize_child(obj, "gbe[*]", &s->gbe[n], TYPE_MV643XX);
    }
}

static const Property soc_properties[] = {
    DEFINE_PROP_LINK("memory", KirkwoodState, memory, TYPE_MEMORY_REGION,
                     MemoryRegion *),
    DEFINE_PROP_LINK("ram", KirkwoodState, ram, TYPE_MEMORY_REGION,
                     MemoryRegion *),
    DEFINE_PROP_BOOL("after-firmware", KirkwoodState, after_firmware, true),
    DEFINE_PROP_UINT32("nand-size", KirkwoodState, nand_size, 512),
    DEFINE_PROP_STRING("ge0-phy", KirkwoodState, phy[0].type),
    DEFINE_PROP_UINT8("ge0-phy-addr", KirkwoodState, phy[0].addr, 0),
    DEFINE_PROP_STRING("ge1-phy", KirkwoodState, phy[1].type),
    DEFINE_PROP_UINT8("ge1-phy-addr", KirkwoodState, phy[1].addr, 0),
};

static void soc_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->desc = "Marvell Kirkwood 88F6281 SoC";
    dc->realize = soc_realize;
    device_class_set_props(dc, soc_properties);
}

static const TypeInfo soc_types[] = {
    {
        .name = TYPE_KIRKWOOD,
        .parent = TYPE_SYS_BUS_DEVICE,
        .instance_size = sizeof(KirkwoodState),
        .instance_init = soc_init,
        .class_init = soc_class_init,
    },
};

DEFINE_TYPES(soc_types)
