/*
 * Marvell Feroceon 88FR131 (Sheeva) CPU core
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An ARMv5TE core without VFP and Jazelle.  Beyond an ARM926 it has CP15
 * registers for its second-level cache and for cache operations on address
 * ranges; QEMU has no caches, so they do nothing.
 */

#include "qemu/osdep.h"
#include "qemu/module.h"
#include "target/arm/cpu.h"
#include "target/arm/cpregs.h"
#include "target/arm/internals.h"

/* 16 KiB, 4 ways, 32-byte lines, instruction and data cache separate */
#define FEROCEON_CTR 0x1d152152
#define FEROCEON_MIDR 0x56251311
#define FEROCEON_SCTLR 0x00050078

#define FEROCEON_NOP(NAME, OPC1, CRM)                                       \
    { .name = NAME, .cp = 15, .crn = 15, .crm = CRM, .opc1 = OPC1,          \
      .opc2 = CP_ANY, .access = PL1_RW, .type = ARM_CP_CONST | ARM_CP_NO_RAW, \
      .resetvalue = 0 }

static const ARMCPRegInfo feroceon_cp_reginfo[] = {
    /*
     * Holds the second-level cache enable and the prefetch disable bit.
     * CPUARMState has no field of its own for it; this core does not have
     * the register whose field is used.
     */
    { .name = "FEROCEON_EXTRA_FEATURES", .cp = 15, .crn = 15, .crm = 1,
      .opc1 = 1, .opc2 = 0, .access = PL1_RW, .resetvalue = 0,
      .fieldoffset = offsetof(CPUARMState, cp15.c15_power_control) },
    FEROCEON_NOP("FEROCEON_L2_CLEAN", 1, 9),
    FEROCEON_NOP("FEROCEON_L2_CLEAN_INV", 1, 10),
    FEROCEON_NOP("FEROCEON_L2_INV", 1, 11),
    FEROCEON_NOP("FEROCEON_D_CLEAN_RANGE", 5, 13),
    FEROCEON_NOP("FEROCEON_D_INV_RANGE", 5, 14),
    FEROCEON_NOP("FEROCEON_D_CLEAN_INV_RANGE", 5, 15),
};

static void feroceon_88fr131_initfn(Object *obj)
{
    ARMCPU *cpu = ARM_CPU(obj);

    cpu->dtb_compatible = "marvell,feroceon";
    set_feature(&cpu->env, ARM_FEATURE_V5);
    set_feature(&cpu->env, ARM_FEATURE_CACHE_TEST_CLEAN);
    cpu->midr = FEROCEON_MIDR;
    cpu->ctr = FEROCEON_CTR;
    cpu->reset_sctlr = FEROCEON_SCTLR;
    define_arm_cp_regs(cpu, feroceon_cp_reginfo);
}

static const ARMCPUInfo feroceon_88fr131 = {
    .name = "88fr131",
    .initfn = feroceon_88fr131_initfn,
};

static void feroceon_register_types(void)
{
    arm_cpu_register(&feroceon_88fr131);
}

type_init(feroceon_register_types)
