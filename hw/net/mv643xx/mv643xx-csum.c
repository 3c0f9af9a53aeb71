/*
 * Marvell mv643xx Gigabit Ethernet unit: checksums
 *
 * The transmitter puts sums where the descriptor says, the receiver looks for
 * IPv4 itself: behind one VLAN tag, in Ethernet II or LLC/SNAP.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "mv643xx-internal.h"
#include "net/eth.h"
#include "net/gso/gso.h"
#include "qemu/bswap.h"
#include "qemu/log.h"

#define ETHERTYPE_AT        12
#define VLAN_TAG_LEN        4
#define LLC_SNAP_LEN        8
#define ETHERTYPE_MIN       0x600

#define IP_HEADER_MIN       20
#define IP_TOTAL_LEN        2
#define IP_FRAGMENT         6
#define IP_FRAGMENT_MASK    0x3fff
#define IP_PROTOCOL         9
#define IP_HEADER_CHECKSUM         10
#define IP_SOURCE           12
#define IP_DESTINATION      16

#define TCP_HEADER_MIN      20
#define TCP_CHECKSUM        16
#define UDP_HEADER_LEN      8
#define UDP_LENGTH          4
#define UDP_CHECKSUM        6

/* Receive */

static uint32_t rx_parse_l2(const MV643xxPort *port, const uint8_t *frame,
                            MV643xxRxInfo *info)
{
    static const uint8_t snap[] = { 0xaa, 0xaa, 0x03, 0, 0, 0 };
    uint32_t at = ETHERTYPE_AT;
    uint16_t type = lduw_be_p(frame + at);

    if (type == mv643xx_get(port, MV_EVLANE)) {
        info->vlan = true;
        info->vlan_priority = frame[at + 2] >> 5;
        info->status |= MV_RXD_VLAN;
        at += VLAN_TAG_LEN;
        type = lduw_be_p(frame + at);
    }
    at += sizeof(type);
    if (type >= ETHERTYPE_MIN) {
        info->status |= MV_RXD_ETHERNET_II;
        info->ethertype = type;
    } else if (!memcmp(frame + at, snap, sizeof(snap))) {
        info->ethertype = lduw_be_p(frame + at + sizeof(snap));
        at += LLC_SNAP_LEN;
    }
    return at;
}

static uint16_t pseudo_sum_finish(const uint8_t *ip, uint8_t protocol,
                                  const uint8_t *l4, uint32_t l4_len,
                                  bool pseudo)
{
    uint64_t sum = pseudo ? gso_sum_pseudo4(ip + IP_SOURCE,
                                            ip + IP_DESTINATION, protocol,
                                            l4_len)
                          : 0;

    return gso_sum_finish(gso_sum(l4, l4_len, sum));
}

/* Whether a sum of 0 over the segment proves it right. */
static bool l4_verifiable(const MV643xxRxInfo *info, const uint8_t *l4,
                          uint32_t l4_len)
{
    if (info->tcp) {
        return l4_len >= TCP_HEADER_MIN;
    }
    return l4_len >= UDP_HEADER_LEN &&
           lduw_be_p(l4 + UDP_LENGTH) == l4_len &&
           lduw_be_p(l4 + UDP_CHECKSUM) != 0;
}

static void rx_parse_l4(const MV643xxPort *port, const uint8_t *ip,
                        uint32_t header_len, uint32_t l4_len,
                        MV643xxRxInfo *info)
{
    const uint8_t *l4 = ip + header_len;
    uint8_t protocol = ip[IP_PROTOCOL];
    bool pseudo = mv643xx_get(port, MV_PXC) & MV_PXC_RXCS;
    uint16_t sum;

    if (protocol != IP_PROTO_TCP && protocol != IP_PROTO_UDP) {
        info->status |= MV_RXD_L4_OTHER << MV_RXD_L4_TYPE_SHIFT;
        return;
    }
    info->status |= (protocol == IP_PROTO_UDP ? MV_RXD_L4_UDP : MV_RXD_L4_TCP)
                    << MV_RXD_L4_TYPE_SHIFT;
    if (info->fragment) {
        sum = gso_sum_finish(gso_sum(l4, l4_len, 0));
        info->status |= (uint32_t)sum << MV_RXD_L4_SUM_SHIFT;
        return;
    }
    info->tcp = protocol == IP_PROTO_TCP;
    info->udp = protocol == IP_PROTO_UDP;
    sum = pseudo_sum_finish(ip, protocol, l4, l4_len, pseudo);
    info->status |= (uint32_t)sum << MV_RXD_L4_SUM_SHIFT;
    if (pseudo && sum == 0 && (info->status & MV_RXD_IP_OK) &&
        l4_verifiable(info, l4, l4_len)) {
        info->status |= MV_RXD_L4_OK;
    }
}

static void rx_parse_ipv4(const MV643xxPort *port, const uint8_t *ip,
                          uint32_t room, MV643xxRxInfo *info)
{
    uint32_t header_len = (ip[0] & 0xf) * 4;
    uint32_t total_len = lduw_be_p(ip + IP_TOTAL_LEN);

    info->ipv4 = true;
    info->tos = ip[1];
    info->fragment = lduw_be_p(ip + IP_FRAGMENT) & IP_FRAGMENT_MASK;
    info->status |= MV_RXD_IPV4;
    if (header_len < IP_HEADER_MIN || total_len < header_len ||
        total_len > room) {
        info->status |= MV_RXD_L4_OTHER << MV_RXD_L4_TYPE_SHIFT;
        return;
    }
    if (gso_sum_finish(gso_sum(ip, header_len, 0)) == 0) {
        info->status |= MV_RXD_IP_OK;
    }
    rx_parse_l4(port, ip, header_len, total_len - header_len, info);
}

void mv643xx_rx_parse(const MV643xxPort *port, const uint8_t *frame,
                      uint32_t len, MV643xxRxInfo *info)
{
    uint32_t l3;

    memset(info, 0, sizeof(*info));
    l3 = rx_parse_l2(port, frame, info);
    if (info->ethertype == ETH_P_IP && l3 + IP_HEADER_MIN <= len &&
        frame[l3] >> 4 == IP_HEADER_VERSION_4) {
        rx_parse_ipv4(port, frame + l3, len - l3, info);
    } else {
        info->status |= MV_RXD_L4_OTHER << MV_RXD_L4_TYPE_SHIFT;
    }
}

/* Transmit */

static void log_bad_place(MV643xxPort *port, uint32_t cmd_sts, uint32_t len)
{
    qemu_log_mask(LOG_GUEST_ERROR,
                  "%s: checksum of cmd_sts 0x%08x is outside the frame of %u "
                  "bytes\n", DEVICE(port)->canonical_path, cmd_sts, len);
}

static void tx_ip_checksum(uint8_t *ip, uint32_t header_len)
{
    stw_be_p(ip + IP_HEADER_CHECKSUM, 0);
    stw_be_p(ip + IP_HEADER_CHECKSUM,
             gso_sum_finish(gso_sum(ip, header_len, 0)));
}

static void tx_l4_checksum(uint8_t *ip, uint8_t *l4, uint32_t l4_len,
                           uint32_t cmd_sts, uint16_t l4i_chk)
{
    bool udp = cmd_sts & MV_TXD_UDP;
    uint8_t *field = l4 + (udp ? UDP_CHECKSUM : TCP_CHECKSUM);
    uint64_t sum;
    uint16_t csum;

    if (cmd_sts & MV_TXD_L4_FULL) {
        sum = gso_sum_pseudo4(ip + IP_SOURCE, ip + IP_DESTINATION,
                              udp ? IP_PROTO_UDP : IP_PROTO_TCP, l4_len);
    } else {
        sum = gso_sum_u16(0, l4i_chk);
    }
    stw_be_p(field, 0);
    csum = gso_sum_finish(gso_sum(l4, l4_len, sum));
    stw_be_p(field, udp ? gso_csum_udp(csum) : csum);
}

void mv643xx_tx_checksum(MV643xxPort *port, uint8_t *frame, uint32_t len,
                         uint32_t cmd_sts, uint16_t l4i_chk)
{
    uint32_t l3 = ETH_HLEN + (cmd_sts & MV_TXD_VLAN ? VLAN_TAG_LEN : 0) +
                  (cmd_sts & MV_TXD_LLC_SNAP ? LLC_SNAP_LEN : 0);
    uint32_t header_len = ((cmd_sts >> MV_TXD_IHL_SHIFT) & 0xf) * 4;
    uint32_t l4 = l3 + header_len;
    uint32_t end, l4_min;

    if (!(cmd_sts & (MV_TXD_GEN_IP | MV_TXD_GEN_L4))) {
        return;
    }
    if (header_len < IP_HEADER_MIN || l4 > len) {
        log_bad_place(port, cmd_sts, len);
        return;
    }
    if (cmd_sts & MV_TXD_GEN_L4) {
        /* The IP length, so that padding is left out. */
        end = l3 + lduw_be_p(frame + l3 + IP_TOTAL_LEN);
        l4_min = cmd_sts & MV_TXD_UDP ? UDP_HEADER_LEN : TCP_HEADER_MIN;
        if (end > len || end < l4 + l4_min) {
            log_bad_place(port, cmd_sts, len);
        } else {
            tx_l4_checksum(frame + l3, frame + l4, end - l4, cmd_sts,
                           l4i_chk);
        }
    }
    if (cmd_sts & MV_TXD_GEN_IP) {
        tx_ip_checksum(frame + l3, header_len);
    }
}
