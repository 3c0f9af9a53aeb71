/*
 * Boards with the Marvell Kirkwood 88F6281 SoC
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A board is an entry of the table below.  Memory, PHYs and pins: Linux
 * arch/arm/boot/dts/kirkwood-*.dts; machine numbers: arch/arm/tools/mach-types.
 */

#include "qemu/osdep.h"
#include "exec/address-spaces.h"
#include "hw/arm/boot.h"
#include "hw/arm/kirkwood.h"
#include "hw/arm/kirkwood_pin.h"
#include "hw/boards.h"
#include "hw/loader.h"
#include "hw/qdev-properties.h"
#include "hw/qdev-properties-system.h"
#include "hw/ssi/ssi.h"
#include "qapi/error.h"
#include "qemu/cutils.h"
#include "qemu/datadir.h"
#include "qemu/error-report.h"
#include "system/block-backend.h"
#include "system/blockdev.h"
#include "system/device_tree.h"
#include "system/reset.h"
#include "system/system.h"
#include <libfdt.h>

#define TYPE_KIRKWOOD_MACHINE MACHINE_TYPE_NAME("kirkwood")
OBJECT_DECLARE_TYPE(KirkwoodMachineState, KirkwoodMachineClass,
                    KIRKWOOD_MACHINE)

/* What is connected to pin mpp; input: the board drives it */
typedef struct KirkwoodBoardPin {
    const char *name;
    uint8_t mpp;
    bool input;
    bool active_low;
} KirkwoodBoardPin;

typedef struct KirkwoodBoardPhy {
    const char *type;
    uint8_t addr;
} KirkwoodBoardPhy;

typedef struct KirkwoodBoard {
    const char *name;
    const char *desc;
    int arm_machine_id;
    ram_addr_t ram_size;
    uint32_t nand_size_mib;
    const char *spi_flash;
    KirkwoodBoardPhy phy[KIRKWOOD_NUM_GBES];
    KirkwoodBoardPin pins[8];
} KirkwoodBoard;

struct KirkwoodMachineState {
    MachineState parent_obj;

    KirkwoodState soc;
    struct arm_boot_info boot_info;
};

struct KirkwoodMachineClass {
    MachineClass parent_class;

    const KirkwoodBoard *board;
};

static const KirkwoodBoard kirkwood_boards[] = {
    {
        .name = "sheevaplug",
        .desc = "Globalscale SheevaPlug (88F6281)",
        .arm_machine_id = 2097,
        .ram_size = 512 * MiB,
        .nand_size_mib = 512,
        .phy = { { TYPE_MV88E1116R, 0 } },
        .pins = {
            { "usb-power", 29 },
            { "led-red-misc", 46, .active_low = true },
            { "led-blue-health", 49, .active_low = true },
        },
    }, {
        .name = "dockstar",
        .desc = "Seagate FreeAgent DockStar (88F6281)",
        .arm_machine_id = 2998,
        .ram_size = 128 * MiB,
        .nand_size_mib = 256,
        .phy = { { TYPE_MV88E1116R, 0 } },
        .pins = {
            { "usb-power", 29 },
            { "led-green-health", 46, .active_low = true },
            { "led-orange-fault", 47, .active_low = true },
        },
    }, {
        .name = "guruplug",
        .desc = "Globalscale GuruPlug Server Plus (88F6281)",
        .arm_machine_id = 2659,
        .ram_size = 512 * MiB,
        .nand_size_mib = 512,
        .phy = { { TYPE_MV88E1121R, 0 }, { TYPE_MV88E1121R, 1 } },
        .pins = {
            { "led-red-health", 46, .active_low = true },
            { "led-green-health", 47, .active_low = true },
            { "led-red-wmode", 48, .active_low = true },
            { "led-green-wmode", 49, .active_low = true },
        },
    }, {
        .name = "dreamplug",
        .desc = "Globalscale DreamPlug (88F6281)",
        .arm_machine_id = 3550,
        .ram_size = 512 * MiB,
        .spi_flash = "mx25l1606e",
        .phy = { { TYPE_MV88E1116R, 0 }, { TYPE_MV88E1116R, 1 } },
        .pins = {
            { "led-blue-bluetooth", 47, .active_low = true },
            { "led-green-wifi", 48, .active_low = true },
            { "led-green-wifi-ap", 49, .active_low = true },
        },
    }, {
        .name = "openrd-client",
        .desc = "Marvell OpenRD Client (88F6281)",
        .arm_machine_id = 2361,
        .ram_size = 512 * MiB,
        .nand_size_mib = 512,
        .phy = { { TYPE_MV88E1116R, 8 }, { TYPE_MV88E1116R, 24 } },
        .pins = {
            { "select-rs485", 28 },
            { "sd-card-detect", 29, .input = true, .active_low = true },
            { "select-sd", 34 },
        },
    },
};

static void board_connect_pin(KirkwoodMachineState *m, Object *parent,
                              const KirkwoodBoardPin *pin)
{
    unsigned bank = pin->mpp / KIRKWOOD_GPIO_PINS_PER_BANK;
    unsigned n = pin->mpp % KIRKWOOD_GPIO_PINS_PER_BANK;
    DeviceState *gpio = DEVICE(&m->soc.gpio[bank]);
    DeviceState *dev = qdev_new(TYPE_KIRKWOOD_PIN);

    object_property_add_child(parent, pin->name, OBJECT(dev));
    qdev_prop_set_string(dev, "description", pin->name);
    qdev_prop_set_bit(dev, "input", pin->input);
    qdev_prop_set_bit(dev, "active-low", pin->active_low);
    sysbus_realize_and_unref(SYS_BUS_DEVICE(dev), &error_fatal);
    qdev_connect_gpio_out_named(gpio, KIRKWOOD_GPIO_OUT, n,
                                qdev_get_gpio_in(dev, 0));
    qdev_connect_gpio_out(dev, 0, qdev_get_gpio_in_named(gpio, KIRKWOOD_GPIO_IN,
                                                         n));
}

static void board_connect_pins(KirkwoodMachineState *m,
                               const KirkwoodBoard *board)
{
    Object *parent = object_property_add_new_container(OBJECT(m), "pins");

    for (unsigned i = 0; i < ARRAY_SIZE(board->pins); i++) {
        if (board->pins[i].name) {
            board_connect_pin(m, parent, &board->pins[i]);
        }
    }
}

static void board_set_phy(KirkwoodMachineState *m, unsigned n,
                          const KirkwoodBoardPhy *phy)
{
    g_autofree char *type = g_strdup_printf("ge%u-phy", n);
    g_autofree char *addr = g_strdup_printf("ge%u-phy-addr", n);

    if (phy->type) {
        qdev_prop_set_string(DEVICE(&m->soc), type, phy->type);
        qdev_prop_set_uint8(DEVICE(&m->soc), addr, phy->addr);
    }
}

static void board_set_drive(DeviceState *flash)
{
    DriveInfo *dinfo = drive_get(IF_MTD, 0, 0);

    if (dinfo) {
        qdev_prop_set_drive_err(flash, "drive", blk_by_legacy_dinfo(dinfo),
                                &error_fatal);
    }
}

static void board_connect_spi_flash(KirkwoodMachineState *m, const char *type)
{
    DeviceState *spi = DEVICE(&m->soc.spi);
    DeviceState *flash = qdev_new(type);

    board_set_drive(flash);
    qdev_realize_and_unref(flash, qdev_get_child_bus(spi, "spi"), &error_fatal);
    qdev_connect_gpio_out_named(spi, KIRKWOOD_SPI_CS, 0,
                                qdev_get_gpio_in_named(flash, SSI_GPIO_CS, 0));
}

static void board_check_options(MachineState *machine)
{
    if (machine->ram_size < KIRKWOOD_DRAM_CS_MIN ||
        machine->ram_size > KIRKWOOD_DRAM_MAX ||
        machine->ram_size % KIRKWOOD_DRAM_CS_MIN) {
        error_report("RAM size must be a multiple of %" PRIu64 " MiB from %"
                     PRIu64 " MiB to %" PRIu64 " MiB",
                     KIRKWOOD_DRAM_CS_MIN / MiB, KIRKWOOD_DRAM_CS_MIN / MiB,
                     KIRKWOOD_DRAM_MAX / MiB);
        exit(1);
    }
    if (machine->firmware && machine->kernel_filename) {
        error_report("-bios and -kernel exclude each other: a boot loader "
                     "loads its kernel itself");
        exit(1);
    }
}

static void board_load_firmware(KirkwoodMachineState *m, const char *name)
{
    g_autofree char *path = qemu_find_file(QEMU_FILE_TYPE_BIOS, name);
    Error *err = NULL;

    if (!path) {
        error_report("could not find boot image '%s'", name);
        exit(1);
    }
    if (!kirkwood_bootrom_set_image(&m->soc.bootrom, path, &err)) {
        error_report_err(err);
        exit(1);
    }
}

/*
 * No board brings its second UART to a connector, so device trees have it
 * disabled. It is enabled for a guest that gets something connected there.
 */
static void board_modify_dtb(const struct arm_boot_info *info, void *fdt)
{
    static const char uart[] = "/ocp@f1000000/serial@12100";

    if (serial_hd(1) && fdt_path_offset(fdt, uart) >= 0) {
        qemu_fdt_setprop_string(fdt, uart, "status", "okay");
    }
}

static void board_init(MachineState *machine)
{
    KirkwoodMachineState *m = KIRKWOOD_MACHINE(machine);
    const KirkwoodBoard *board = KIRKWOOD_MACHINE_GET_CLASS(m)->board;

    board_check_options(machine);

    object_initialize_child(OBJECT(m), "soc", &m->soc, TYPE_KIRKWOOD);
    object_property_set_link(OBJECT(&m->soc), "memory",
                             OBJECT(get_system_memory()), &error_abort);
    object_property_set_link(OBJECT(&m->soc), "ram", OBJECT(machine->ram),
                             &error_abort);
    qdev_prop_set_bit(DEVICE(&m->soc), "after-firmware", !machine->firmware);
    qdev_prop_set_uint32(DEVICE(&m->soc), "nand-size", board->nand_size_mib);
    for (unsigned n = 0; n < KIRKWOOD_NUM_GBES; n++) {
        board_set_phy(m, n, &board->phy[n]);
    }
    for (unsigned n = 0; n < KIRKWOOD_NUM_UARTS; n++) {
        qdev_prop_set_chr(DEVICE(&m->soc.uart[n]), "chardev", serial_hd(n));
    }
    if (board->nand_size_mib) {
        board_set_drive(DEVICE(&m->soc.nand));
    }
    sysbus_realize(SYS_BUS_DEVICE(&m->soc), &error_fatal);
    if (board->spi_flash) {
        board_connect_spi_flash(m, board->spi_flash);
    }
    board_connect_pins(m, board);

    m->boot_info = (struct arm_boot_info) {
        .ram_size = machine->ram_size,
        .board_id = board->arm_machine_id,
        .modify_dtb = board_modify_dtb,
    };
    arm_load_kernel(&m->soc.cpu, machine, &m->boot_info);
    if (m->boot_info.is_linux && !machine->dtb) {
        warn_report("no -dtb: this kernel must bring its device tree, or be "
                    "too old to need one");
    }
    if (machine->firmware) {
        board_load_firmware(m, machine->firmware);
    } else if (!machine->kernel_filename) {
        qemu_register_reset(kirkwood_bootrom_idle, &m->soc.bootrom);
    }
}

static void board_class_init(ObjectClass *klass, void *data)
{
    static const char * const valid_cpu_types[] = { KIRKWOOD_CPU_TYPE, NULL };
    const KirkwoodBoard *board = data;
    MachineClass *mc = MACHINE_CLASS(klass);

    KIRKWOOD_MACHINE_CLASS(klass)->board = board;
    mc->desc = board->desc;
    mc->init = board_init;
    mc->max_cpus = 1;
    mc->default_cpu_type = KIRKWOOD_CPU_TYPE;
    mc->valid_cpu_types = valid_cpu_types;
    mc->default_ram_size = board->ram_size;
    mc->default_ram_id = "kirkwood.ram";
    mc->no_cdrom = 1;
    mc->no_floppy = 1;
    mc->no_parallel = 1;
}

static void board_register_types(void)
{
    static const TypeInfo parent = {
        .name = TYPE_KIRKWOOD_MACHINE,
        .parent = TYPE_MACHINE,
        .abstract = true,
        .instance_size = sizeof(KirkwoodMachineState),
        .class_size = sizeof(KirkwoodMachineClass),
    };

    type_register_static(&parent);
    for (unsigned i = 0; i < ARRAY_SIZE(kirkwood_boards); i++) {
        const KirkwoodBoard *board = &kirkwood_boards[i];
        g_autofree char *name = g_strdup_printf("%s" TYPE_MACHINE_SUFFIX,
                                                board->name);

        type_register_static(&(TypeInfo) {
            .name = name,
            .parent = TYPE_KIRKWOOD_MACHINE,
            .class_init = board_class_init,
            .class_data = (void *)board,
        });
    }
}

type_init(board_register_types)
