/*
 * Marvell mv643xx Gigabit Ethernet unit: a port
 *
 * Registers, interrupts and link of one MAC, and its network client.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/irq.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "mv643xx-internal.h"
#include "net/net.h"
#include "qapi/error.h"
#include "qemu/bswap.h"
#include "qemu/log.h"
#include "trace.h"

/* Interrupts */

static uint32_t effective_ice(const MV643xxPort *port)
{
    uint32_t cause = mv643xx_get(port, MV_ICE);

    return cause & mv643xx_get(port, MV_IME) ? cause | MV_ICE_SUM : cause;
}

static uint32_t effective_ic(const MV643xxPort *port)
{
    uint32_t cause = mv643xx_get(port, MV_IC);

    if (cause & MV_IC_RXQ_MASK) {
        cause |= MV_IC_RX;
    }
    if (cause & MV_IC_RXERRQ_MASK) {
        cause |= MV_IC_RXERR;
    }
    if (effective_ice(port) & MV_ICE_SUM) {
        cause |= MV_IC_EXT;
    }
    return cause & mv643xx_get(port, MV_IM) ? cause | MV_IC_SUM : cause;
}

#define IC_RX_BUFFER    (MV_IC_RX | MV_IC_RXQ_MASK)

static uint32_t enabled_ic(const MV643xxPort *port)
{
    return effective_ic(port) & mv643xx_get(port, MV_IM) & ~MV_IC_SUM;
}

static uint32_t enabled_ice(const MV643xxPort *port)
{
    return enabled_ic(port) & MV_IC_EXT ?
           mv643xx_get(port, MV_ICE) & mv643xx_get(port, MV_IME) : 0;
}

/* Enabled causes whose interrupts are moderated */
static bool rx_buffer_enabled(const MV643xxPort *port)
{
    return enabled_ic(port) & IC_RX_BUFFER;
}

static bool tx_buffer_enabled(const MV643xxPort *port)
{
    return enabled_ice(port) & MV_ICE_TXBUF_MASK;
}

static uint8_t line_levels(const MV643xxPort *port)
{
    uint32_t held_ic = port->coal[MV643XX_COAL_RX].up ? 0 : IC_RX_BUFFER;
    uint32_t held_ice = port->coal[MV643XX_COAL_TX].up ? 0 : MV_ICE_TXBUF_MASK;
    uint32_t ext = enabled_ice(port) & ~held_ice;
    uint32_t main = enabled_ic(port) & ~(ext ? held_ic : held_ic | MV_IC_EXT);
    uint32_t rx = IC_RX_BUFFER | MV_IC_RXERR | MV_IC_RXERRQ_MASK;
    uint32_t ext_tx = MV_ICE_TXBUF_MASK | MV_ICE_TXERR_MASK | MV_ICE_TX_UDR;

    return !!main << MV643XX_LINE_SUM |
           !!(main & rx) << MV643XX_LINE_RX |
           !!((main & MV_IC_TXEND_MASK) || (ext & ext_tx))
                << MV643XX_LINE_TX |
           !!(ext & ~ext_tx) << MV643XX_LINE_MISC;
}

void mv643xx_update_irq(MV643xxPort *port)
{
    uint8_t levels, changed;

    mv643xx_coal_update(port, MV643XX_COAL_RX,
                        mv643xx_get(port, MV_IC) & MV_IC_RXQ_MASK,
                        rx_buffer_enabled(port));
    mv643xx_coal_update(port, MV643XX_COAL_TX,
                        mv643xx_get(port, MV_ICE) & MV_ICE_TXBUF_MASK,
                        tx_buffer_enabled(port));
    levels = line_levels(port);
    changed = levels ^ port->lines;
    if (!changed) {
        return;
    }
    trace_mv643xx_irq(DEVICE(port)->canonical_path, effective_ic(port),
                      mv643xx_get(port, MV_IM), effective_ice(port),
                      mv643xx_get(port, MV_IME));
    port->lines = levels;
    if (levels & changed & (1u << MV643XX_LINE_SUM)) {
        port->stats.irq_raised++;
    }
    for (int line = 0; line < MV643XX_LINES; line++) {
        if (changed & (1u << line)) {
            qemu_set_irq(port->irq[line], levels >> line & 1);
        }
    }
}

void mv643xx_raise(MV643xxPort *port, uint32_t ic, uint32_t ice)
{
    *mv643xx_reg(port, MV_IC) |= ic;
    *mv643xx_reg(port, MV_ICE) |= ice;
    mv643xx_update_irq(port);
    mv643xx_coal_count(port,
                       (ic & MV_IC_RXQ_MASK) && rx_buffer_enabled(port),
                       (ice & MV_ICE_TXBUF_MASK) && tx_buffer_enabled(port));
}

/* Link */

static bool phy_up(MV643xxPort *port)
{
    MV88E1xxxState *phy = mv643xx_polled_phy(port);

    return phy && phy->link.up;
}

static bool effective_link(MV643xxPort *port)
{
    uint32_t psc0 = mv643xx_get(port, MV_PSC0);

    if (psc0 & MV_PSC0_FORCE_PASS) {
        return true;
    }
    return (psc0 & MV_PSC0_NO_FORCE_FAIL) && phy_up(port);
}

static int effective_speed(MV643xxPort *port)
{
    uint32_t psc0 = mv643xx_get(port, MV_PSC0);

    if (psc0 & MV_PSC0_AN_SPEED_DIS) {
        if (psc0 & MV_PSC0_GMII_1000) {
            return 1000;
        }
        return psc0 & MV_PSC0_MII_100 ? 100 : 10;
    }
    return phy_up(port) ? mv643xx_polled_phy(port)->link.mbps : 10;
}

static bool effective_duplex(MV643xxPort *port)
{
    uint32_t psc0 = mv643xx_get(port, MV_PSC0);

    if (psc0 & MV_PSC0_AN_DUPLEX_DIS) {
        return psc0 & MV_PSC0_FULL_DUPLEX;
    }
    return phy_up(port) && mv643xx_polled_phy(port)->link.full_duplex;
}

static bool effective_fc(MV643xxPort *port)
{
    uint32_t psc0 = mv643xx_get(port, MV_PSC0);

    if (!effective_duplex(port)) {
        return false;
    }
    if (psc0 & MV_PSC0_AN_FC_DIS) {
        return psc0 & MV_PSC0_FC_EN;
    }
    return phy_up(port) && mv643xx_polled_phy(port)->link.pause;
}

/* Without the FIFO's bits, which are computed when they are read. */
static uint32_t link_status(MV643xxPort *port)
{
    int speed = effective_speed(port);

    return (effective_link(port) ? MV_PS0_LINK : 0) |
           (effective_duplex(port) ? MV_PS0_FULL_DUPLEX : 0) |
           (effective_fc(port) ? MV_PS0_FC : 0) |
           (speed == 1000 ? MV_PS0_GMII_1000 : 0) |
           (speed == 100 ? MV_PS0_MII_100 : 0);
}

bool mv643xx_link_up(const MV643xxPort *port)
{
    return mv643xx_get(port, MV_PS0) & MV_PS0_LINK;
}

/* Returns whether PORT_STATUS has changed. */
static bool refresh_status(MV643xxPort *port)
{
    uint32_t old = mv643xx_get(port, MV_PS0);
    uint32_t status = link_status(port);

    *mv643xx_reg(port, MV_PS0) = status;
    *mv643xx_reg(port, MV_PS1) = status & MV_PS0_LINK ? MV_PS1_AN_DONE : 0;
    if (status == old) {
        return false;
    }
    trace_mv643xx_link(DEVICE(port)->canonical_path, status);
    if (old & ~status & MV_PS0_LINK) {
        mv643xx_wire_link_lost(port);
    }
    mv643xx_wire_poll(port);
    return true;
}

void mv643xx_update_link(MV643xxPort *port)
{
    if (refresh_status(port)) {
        mv643xx_raise(port, 0, MV_ICE_LINK);
    }
}

void mv643xx_phy_changed(MV643xxPort *port)
{
    uint32_t causes = MV_ICE_PHY_STC;

    mv643xx_wire_sync(port);
    if (refresh_status(port)) {
        causes |= MV_ICE_LINK;
    }
    mv643xx_raise(port, 0, causes);
}

/* Registers */

bool mv643xx_port_running(const MV643xxPort *port)
{
    uint32_t euc = port->unit->regs[MV_EUC / 4];

    return (mv643xx_get(port, MV_PSC0) & MV_PSC0_PORT_EN) &&
           !(mv643xx_get(port, MV_PSC1) & MV_PSC1_PORT_RESET) &&
           !(port->index == 0 &&
             (euc & (MV_EUC_PORT_RESET | MV_EUC_PORT_RESET_ALT)));
}

void mv643xx_stop_queues(MV643xxPort *port)
{
    *mv643xx_reg(port, MV_TQC) = 0;
    *mv643xx_reg(port, MV_RQC) = 0;
    mv643xx_tx_abort(port);
    mv643xx_wire_drop(port, &port->stats.rx_drop_port_disabled);
}

/* Enable and disable bits of a queue command; where both are set, disable. */
static uint32_t queue_command(uint32_t enabled, uint32_t value)
{
    uint32_t disable = value >> MV_QC_DISABLE_SHIFT;

    return (enabled | value) & ~disable & MV_QC_ENABLE_MASK;
}

static void write_tqc(MV643xxPort *port, uint32_t old, uint32_t value)
{
    mv643xx_tx_command(port, value);
}

static void write_rqc(MV643xxPort *port, uint32_t old, uint32_t value)
{
    *mv643xx_reg(port, MV_RQC) = queue_command(old, value);
}

static void write_psc0(MV643xxPort *port, uint32_t old, uint32_t value)
{
    bool enabled = ~old & value & MV_PSC0_PORT_EN;
    bool changed = refresh_status(port);

    if (enabled) {
        mv643xx_tx_enabled(port);
    }
    /* Linux without a PHY learns of its link from this event alone. */
    if (changed || (enabled && mv643xx_link_up(port))) {
        mv643xx_raise(port, 0, MV_ICE_LINK);
    }
}

static void write_psc1(MV643xxPort *port, uint32_t old, uint32_t value)
{
    if (value & MV_PSC1_PORT_RESET) {
        mv643xx_stop_queues(port);
    } else if (old & MV_PSC1_PORT_RESET) {
        mv643xx_tx_enabled(port);
    }
}

static void write_interrupt(MV643xxPort *port, uint32_t old, uint32_t value)
{
    mv643xx_update_irq(port);
}

/* What a write does beyond changing the register */
static const struct {
    uint16_t offset;
    void (*written)(MV643xxPort *port, uint32_t old, uint32_t value);
} port_effects[] = {
    { MV_TQC, write_tqc },
    { MV_IC, write_interrupt },
    { MV_IM, write_interrupt },
    { MV_ICE, write_interrupt },
    { MV_IME, write_interrupt },
    { MV_RQC, write_rqc },
    { MV_SDC, write_interrupt },
    { MV_PTFUT, write_interrupt },
    { MV_PSC0, write_psc0 },
    { MV_PSC1, write_psc1 },
};

void mv643xx_port_write(MV643xxPort *port, unsigned offset, uint32_t value)
{
    uint32_t *reg = mv643xx_reg(port, offset);
    uint32_t old;

    mv643xx_bucket_sync(port, offset);
    old = *reg;
    *reg = mv643xx_merge(mv643xx_port_reg(offset), old, value);
    mv643xx_bucket_written(port, offset);
    for (int i = 0; i < ARRAY_SIZE(port_effects); i++) {
        if (port_effects[i].offset == offset) {
            port_effects[i].written(port, old, value);
            break;
        }
    }
    mv643xx_wire_poll(port);
}

uint32_t mv643xx_port_read(MV643xxPort *port, unsigned offset)
{
    uint32_t value;

    mv643xx_bucket_sync(port, offset);
    value = mv643xx_get(port, offset);
    switch (offset) {
    case MV_IC:
        mv643xx_wire_poll_held(port);
        return effective_ic(port);
    case MV_ICE:
        mv643xx_wire_poll_held(port);
        return effective_ice(port);
    case MV_PS0:
        return value | (mv643xx_wire_tx_empty(port) ? MV_PS0_TX_FIFO_EMPTY :
                                                      MV_PS0_TX_IN_PROGRESS);
    }
    if (mv643xx_port_reg(offset)->flags & MV_RC) {
        *mv643xx_reg(port, offset) = 0;
    }
    return value;
}

void mv643xx_port_reset(MV643xxPort *port)
{
    const uint8_t *mac = port->conf.macaddr.a;

    for (unsigned offset = 0; offset < MV_PORT_SIZE; offset += 4) {
        const MV643xxReg *reg = mv643xx_port_reg(offset);

        *mv643xx_reg(port, offset) = reg ? reg->reset : 0;
    }
    *mv643xx_reg(port, MV_MACH) = ldl_be_p(mac);
    *mv643xx_reg(port, MV_MACL) = lduw_be_p(mac + 4);
    memset(port->mib, 0, sizeof(port->mib));
    memset(port->special_mc, 0, sizeof(port->special_mc));
    memset(port->other_mc, 0, sizeof(port->other_mc));
    memset(port->unicast, 0, sizeof(port->unicast));
    mv643xx_tx_reset(port);
    mv643xx_wire_reset(port);
    mv643xx_coal_reset(port);
    mv643xx_bucket_reset(port);
    refresh_status(port);
}

/* Network client */

static bool can_receive(NetClientState *nc)
{
    return mv643xx_wire_can_receive(qemu_get_nic_opaque(nc));
}

static ssize_t receive(NetClientState *nc, const uint8_t *buf, size_t size)
{
    MV643xxPort *port = qemu_get_nic_opaque(nc);

    /* A queue that is flushed does not ask before. */
    if (!mv643xx_wire_can_receive(port)) {
        return 0;
    }
    mv643xx_wire_receive(port, buf, size);
    return size;
}

static void link_status_changed(NetClientState *nc)
{
    MV643xxPort *port = qemu_get_nic_opaque(nc);

    if (port->phy) {
        mv88e1xxx_set_cable(port->phy, !nc->link_down);
    }
}

static NetClientInfo mv643xx_net_info = {
    .type = NET_CLIENT_DRIVER_NIC,
    .size = sizeof(NICState),
    .can_receive = can_receive,
    .receive = receive,
    .link_status_changed = link_status_changed,
};

/* Life of the device */

static void mv643xx_port_realize(DeviceState *dev, Error **errp)
{
    MV643xxPort *port = MV643XX_PORT(dev);
    NetClientState *nc;

    if (port->pcap_wanted &&
        !mv643xx_pcap_set(port, port->pcap_wanted, errp)) {
        return;
    }
    qemu_macaddr_default_if_unset(&port->conf.macaddr);
    port->nic = qemu_new_nic(&mv643xx_net_info, &port->conf,
                             object_get_typename(OBJECT(dev)), dev->id,
                             &DEVICE(port->unit)->mem_reentrancy_guard, port);
    nc = qemu_get_queue(port->nic);
    qemu_format_nic_info_str(nc, port->conf.macaddr.a);
    port->rx_frame = g_malloc0(MV643XX_RX_BUFFER);
    mv643xx_tx_init(port);
    mv643xx_wire_init(port);
    mv643xx_coal_init(port);
    link_status_changed(nc);
}

static void mv643xx_port_unrealize(DeviceState *dev)
{
    MV643xxPort *port = MV643XX_PORT(dev);

    qemu_del_nic(port->nic);
    mv643xx_pcap_set(port, "", &error_abort);
    mv643xx_tx_cleanup(port);
    mv643xx_wire_cleanup(port);
    mv643xx_coal_cleanup(port);
    g_free(port->rx_frame);
}

static void mv643xx_port_init(Object *obj)
{
    MV643xxPort *port = MV643XX_PORT(obj);

    port->wire.next = INT64_MAX;
    port->wire.slack = MV643XX_SLACK;
    mv643xx_stats_init(port);
}

static void mv643xx_port_finalize(Object *obj)
{
    g_free(MV643XX_PORT(obj)->pcap_wanted);
}

static int mv643xx_port_pre_save(void *opaque)
{
    MV643xxPort *port = opaque;

    port->link_down = qemu_get_queue(port->nic)->link_down;
    port->stream_tx_dma = port->tx_dma;
    return 0;
}

/* A load that fails ends anywhere: until all is checked no DMA waits. */
static int mv643xx_port_pre_load(void *opaque)
{
    MV643xxPort *port = opaque;

    memset(&port->tx_dma, 0, sizeof(port->tx_dma));
    return 0;
}

static int mv643xx_port_post_load(void *opaque, int version_id)
{
    MV643xxPort *port = opaque;

    if (port->tx_last_queue >= MV643XX_QUEUES || !mv643xx_tx_loaded(port)) {
        return -EINVAL;
    }
    qemu_get_queue(port->nic)->link_down = port->link_down;
    if (port->phy) {
        port->phy->cable = !port->link_down;
    }
    port->lines = line_levels(port);
    mv643xx_coal_resume(port, MV643XX_COAL_RX, rx_buffer_enabled(port));
    mv643xx_coal_resume(port, MV643XX_COAL_TX, tx_buffer_enabled(port));
    mv643xx_wire_loaded(port);
    return 0;
}

static const VMStateDescription vmstate_mv643xx_port = {
    .name = TYPE_MV643XX_PORT,
    .version_id = 2,
    .minimum_version_id = 2,
    .pre_save = mv643xx_port_pre_save,
    .pre_load = mv643xx_port_pre_load,
    .post_load = mv643xx_port_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32_ARRAY(regs, MV643xxPort, MV_PORT_SIZE / 4),
        VMSTATE_UINT32_ARRAY(mib, MV643xxPort, MV_MIB_SIZE / 4),
        VMSTATE_UINT32_ARRAY(special_mc, MV643xxPort, MV_MC_SIZE / 4),
        VMSTATE_UINT32_ARRAY(other_mc, MV643xxPort, MV_MC_SIZE / 4),
        VMSTATE_UINT32_ARRAY(unicast, MV643xxPort, MV_UC_SIZE / 4),
        VMSTATE_UINT8(tx_last_queue, MV643xxPort),
        VMSTATE_BOOL(link_down, MV643xxPort),
        VMSTATE_STRUCT(stream_tx_dma, MV643xxPort, 1, vmstate_mv643xx_tx_dma,
                       MV643xxTxDma),
        VMSTATE_STRUCT_POINTER(tx_chain, MV643xxPort,
                               vmstate_mv643xx_tx_chain, MV643xxTxChain),
        VMSTATE_STRUCT(wire, MV643xxPort, 1, vmstate_mv643xx_wire,
                       MV643xxWire),
        VMSTATE_STRUCT_ARRAY(coal, MV643xxPort, MV643XX_COAL_DIRS, 1,
                             vmstate_mv643xx_coal, MV643xxCoal),
        VMSTATE_STRUCT_ARRAY(tx_bucket, MV643xxPort, MV643XX_BUCKETS, 1,
                             vmstate_mv643xx_bucket, MV643xxBucket),
        VMSTATE_UINT64_ARRAY(stats.counter, MV643xxPort, MV643XX_COUNTERS),
        VMSTATE_UINT64(stats.kick_mark, MV643xxPort),
        VMSTATE_UINT64_ARRAY(stats.kick_class, MV643xxPort,
                             MV643XX_KICK_CLASSES),
        VMSTATE_END_OF_LIST()
    }
};

static const Property mv643xx_port_properties[] = {
    DEFINE_NIC_PROPERTIES(MV643xxPort, conf),
    DEFINE_PROP_LINK("phy", MV643xxPort, phy, TYPE_MV88E1XXX,
                     MV88E1xxxState *),
};

static void mv643xx_port_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->realize = mv643xx_port_realize;
    dc->unrealize = mv643xx_port_unrealize;
    dc->desc = "Port of a Marvell mv643xx Gigabit Ethernet unit";
    dc->vmsd = &vmstate_mv643xx_port;
    dc->user_creatable = false;
    device_class_set_props(dc, mv643xx_port_properties);
    mv643xx_stats_class_init(klass);
}

static const TypeInfo mv643xx_port_types[] = {
    {
        .name = TYPE_MV643XX_PORT,
        .parent = TYPE_DEVICE,
        .instance_size = sizeof(MV643xxPort),
        .instance_init = mv643xx_port_init,
        .instance_finalize = mv643xx_port_finalize,
        .class_init = mv643xx_port_class_init,
    },
};

DEFINE_TYPES(mv643xx_port_types)
