/*
 * Marvell mv643xx Gigabit Ethernet unit: receive filter and classification
 *
 * Hardware reference, sections 4.1, 4.6 and 8.  How the classifiers rank is
 * not known in detail; here BPDU capture comes first, then the EtherType
 * rule, then the address filter's queue, which TCP or UDP capture replaces;
 * DSCP and VLAN priority can only raise it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "mv643xx-internal.h"
#include "net/eth.h"
#include "qemu/bswap.h"

#define QUEUE_MASK          7
#define QUEUE_BITS          3
#define DSCP_PER_REGISTER   10

#define ETHERTYPE_RULE_EN           (1u << 0)
#define ETHERTYPE_RULE_QUEUE_SHIFT  2
#define ETHERTYPE_RULE_TYPE_SHIFT   5

static unsigned queue_field(uint32_t value, unsigned shift)
{
    return (value >> shift) & QUEUE_MASK;
}

/* x^8 + x^2 + x + 1 over the address, most significant bit first */
static uint8_t address_crc8(const uint8_t *addr)
{
    uint8_t crc = 0;

    for (int i = 0; i < ETH_ALEN; i++) {
        crc ^= addr[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc & 0x80 ? crc << 1 ^ 0x07 : crc << 1;
        }
    }
    return crc;
}

static MV643xxRoute route_by_entry(const uint32_t *table, unsigned index)
{
    uint8_t entry = table[index / 4] >> (8 * (index % 4));

    return (MV643xxRoute) {
        .accept = entry & MV_FILTER_PASS,
        .queue = queue_field(entry, MV_FILTER_QUEUE_SHIFT),
    };
}

static MV643xxRoute route_broadcast(const MV643xxPort *port,
                                    const MV643xxRxInfo *info)
{
    uint32_t pxc = mv643xx_get(port, MV_PXC);
    MV643xxRoute route = { .queue = queue_field(pxc, MV_PXC_RXQ_SHIFT) };

    if (info->ethertype == ETH_P_ARP) {
        route.accept = !(pxc & MV_PXC_RBARP);
        route.queue = queue_field(pxc, MV_PXC_ARPQ_SHIFT);
    } else if (info->ethertype == ETH_P_IP) {
        route.accept = !(pxc & MV_PXC_RBIP);
    } else {
        route.accept = !(pxc & MV_PXC_RB);
    }
    return route;
}

static MV643xxRoute route_multicast(const MV643xxPort *port,
                                    const uint8_t *addr)
{
    static const uint8_t special[] = { 0x01, 0x00, 0x5e, 0x00, 0x00 };

    if (!memcmp(addr, special, sizeof(special))) {
        return route_by_entry(port->special_mc, addr[5]);
    }
    return route_by_entry(port->other_mc, address_crc8(addr));
}

static MV643xxRoute route_unicast(const MV643xxPort *port,
                                  const uint8_t *addr)
{
    uint32_t pxc = mv643xx_get(port, MV_PXC);
    uint32_t high = ldl_be_p(addr);
    uint32_t low = lduw_be_p(addr + 4);
    MV643xxRoute route = { 0 };

    if (high == mv643xx_get(port, MV_MACH) &&
        (low & ~0xfu) == (mv643xx_get(port, MV_MACL) & ~0xfu)) {
        route = route_by_entry(port->unicast, low & 0xf);
    }
    if (!route.accept && (pxc & MV_PXC_UPM)) {
        route.accept = true;
        route.unknown_da = true;
        route.queue = queue_field(pxc, MV_PXC_RXQ_SHIFT);
    }
    return route;
}

static bool is_bpdu(const uint8_t *addr)
{
    static const uint8_t bpdu[] = { 0x01, 0x80, 0xc2, 0x00, 0x00 };

    return !memcmp(addr, bpdu, sizeof(bpdu));
}

static bool ethertype_rule(const MV643xxPort *port, const MV643xxRxInfo *info,
                           unsigned *queue)
{
    uint32_t rule = mv643xx_get(port, MV_ETHERTYPE_PRIO);

    if (!(rule & ETHERTYPE_RULE_EN) ||
        (uint16_t)(rule >> ETHERTYPE_RULE_TYPE_SHIFT) != info->ethertype) {
        return false;
    }
    *queue = queue_field(rule, ETHERTYPE_RULE_QUEUE_SHIFT);
    return true;
}

static unsigned classify(const MV643xxPort *port, const MV643xxRxInfo *info,
                         unsigned queue)
{
    uint32_t pxc = mv643xx_get(port, MV_PXC);
    unsigned mapped;

    if (info->tcp && (pxc & MV_PXC_TCP_CAP)) {
        queue = queue_field(pxc, MV_PXC_TCPQ_SHIFT);
    } else if (info->udp && (pxc & MV_PXC_UDP_CAP)) {
        queue = queue_field(pxc, MV_PXC_UDPQ_SHIFT);
    }
    if (info->ipv4) {
        unsigned dscp = info->tos >> 2;

        mapped = queue_field(mv643xx_get(port,
                                         MV_DSCP(dscp / DSCP_PER_REGISTER)),
                             QUEUE_BITS * (dscp % DSCP_PER_REGISTER));
        queue = MAX(queue, mapped);
    }
    if (info->vlan) {
        mapped = queue_field(mv643xx_get(port, MV_VPT2P),
                             QUEUE_BITS * info->vlan_priority);
        queue = MAX(queue, mapped);
    }
    return queue;
}

MV643xxRoute mv643xx_route(const MV643xxPort *port, const uint8_t *frame,
                           const MV643xxRxInfo *info)
{
    MV643xxRoute route;

    if (is_bpdu(frame) && (mv643xx_get(port, MV_PXCX) & MV_PXCX_SPAN)) {
        return (MV643xxRoute) {
            .accept = true,
            .bpdu = true,
            .queue = queue_field(mv643xx_get(port, MV_PXC),
                                 MV_PXC_BPDUQ_SHIFT),
        };
    }
    if (is_broadcast_ether_addr(frame)) {
        route = route_broadcast(port, info);
    } else if (is_multicast_ether_addr(frame)) {
        route = route_multicast(port, frame);
    } else {
        route = route_unicast(port, frame);
    }
    if (route.accept && !ethertype_rule(port, info, &route.queue)) {
        route.queue = classify(port, info, route.queue);
    }
    return route;
}
