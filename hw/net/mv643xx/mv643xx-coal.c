/*
 * Marvell mv643xx Gigabit Ethernet unit: interrupt moderation
 *
 * Hardware reference, section 4.7.  RxBuffer and TxBuffer each have a timer
 * that keeps their interrupts apart: once one of them has reached the lines,
 * the next waits until the programmed time has passed.  What is in the cause
 * registers is never delayed, only its way to the lines.
 *
 * The state is the time of the last interrupt; how long the next has to wait
 * follows from it and from the register as it is now, so that a new time
 * counts at once, for an interrupt that waits too.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "migration/vmstate.h"
#include "mv643xx-internal.h"
#include "qemu/host-utils.h"
#include "qemu/timer.h"
#include "trace.h"

#define UNIT_TCLKS      64

static int64_t now_ns(void)
{
    return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

/* The programmed time, in units of 64 TCLK: 16 bits */
static uint32_t programmed(const MV643xxPort *port, MV643xxCoalDir dir)
{
    uint32_t sdc = mv643xx_get(port, MV_SDC);

    if (dir == MV643XX_COAL_TX) {
        return (mv643xx_get(port, MV_PTFUT) >> MV_PTFUT_IPG_TX_SHIFT) &
               MV_PTFUT_IPG_TX_MASK;
    }
    return ((sdc >> MV_SDC_IPG_RX_SHIFT) & MV_SDC_IPG_RX_MASK) |
           (sdc & MV_SDC_IPG_RX_MSB ? MV_SDC_IPG_RX_MASK + 1 : 0);
}

/* The same in ns: the first one at which so many cycles are over */
static int64_t spacing_ns(const MV643xxPort *port, MV643xxCoalDir dir)
{
    uint64_t cycles = (uint64_t)programmed(port, dir) * UNIT_TCLKS;

    return DIV_ROUND_UP(cycles * NANOSECONDS_PER_SECOND, port->unit->tclk);
}

static int64_t opens_at(const MV643xxPort *port, MV643xxCoalDir dir)
{
    const MV643xxCoal *coal = &port->coal[dir];

    return coal->last < 0 ? 0 : coal->last + spacing_ns(port, dir);
}

void mv643xx_coal_update(MV643xxPort *port, MV643xxCoalDir dir, bool present,
                         bool enabled)
{
    MV643xxCoal *coal = &port->coal[dir];
    int64_t now = now_ns();
    int64_t at;

    coal->up &= present;
    if (coal->up || !enabled) {
        timer_del(coal->timer);
        return;
    }
    at = opens_at(port, dir);
    if (now >= at) {
        coal->up = true;
        coal->last = now;
        timer_del(coal->timer);
    } else {
        trace_mv643xx_irq_held(DEVICE(port)->canonical_path,
                               dir == MV643XX_COAL_RX ? "RX" : "TX", at);
        timer_mod(coal->timer, at);
    }
}

void mv643xx_coal_count(MV643xxPort *port, bool rx, bool tx)
{
    port->stats.irq_suppressed_rx += rx && !port->coal[MV643XX_COAL_RX].up;
    port->stats.irq_suppressed_tx += tx && !port->coal[MV643XX_COAL_TX].up;
}

static void opened(void *opaque)
{
    mv643xx_update_irq(opaque);
}

void mv643xx_coal_init(MV643xxPort *port)
{
    for (int dir = 0; dir < MV643XX_COAL_DIRS; dir++) {
        port->coal[dir].timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, opened, port);
    }
}

void mv643xx_coal_reset(MV643xxPort *port)
{
    for (int dir = 0; dir < MV643XX_COAL_DIRS; dir++) {
        port->coal[dir].up = false;
        port->coal[dir].last = -1;
        timer_del(port->coal[dir].timer);
    }
}

void mv643xx_coal_cleanup(MV643xxPort *port)
{
    for (int dir = 0; dir < MV643XX_COAL_DIRS; dir++) {
        timer_free(port->coal[dir].timer);
    }
}

/* An interrupt cannot have come later than now. */
static int coal_post_load(void *opaque, int version_id)
{
    MV643xxCoal *coal = opaque;

    return coal->last >= -1 && coal->last <= now_ns() ? 0 : -EINVAL;
}

/* The deadline is not in the stream: what has to wait for how long is. */
void mv643xx_coal_resume(MV643xxPort *port, MV643xxCoalDir dir, bool enabled)
{
    if (enabled && !port->coal[dir].up) {
        timer_mod(port->coal[dir].timer, opens_at(port, dir));
    }
}

const VMStateDescription vmstate_mv643xx_coal = {
    .name = "mv643xx-coal",
    .version_id = 1,
    .minimum_version_id = 1,
    .post_load = coal_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_BOOL(up, MV643xxCoal),
        VMSTATE_INT64(last, MV643xxCoal),
        VMSTATE_END_OF_LIST()
    }
};
