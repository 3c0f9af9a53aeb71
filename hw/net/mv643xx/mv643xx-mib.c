/*
 * Marvell mv643xx Gigabit Ethernet unit: MIB counters
 *
 * All are 32 bits wide, wrap with EUIC b5 and clear on read.  The histogram
 * counts both directions; received frames count before the address filter.
 * Backends hand over whole frames without FCS, so what counts collisions,
 * bad FCS or short frames stays 0.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "mv643xx-internal.h"
#include "net/eth.h"

static const struct {
    uint32_t max;
    uint8_t offset;
} size_classes[] = {
    { 64, MV_MIB_SIZE_64 },
    { 127, MV_MIB_SIZE_65_127 },
    { 255, MV_MIB_SIZE_128_255 },
    { 511, MV_MIB_SIZE_256_511 },
    { 1023, MV_MIB_SIZE_512_1023 },
    { UINT32_MAX, MV_MIB_SIZE_1024_MAX },
};

uint32_t mv643xx_mib_read(MV643xxPort *port, unsigned offset)
{
    uint32_t value = port->mib[offset / 4];

    port->mib[offset / 4] = 0;
    return value;
}

/* Add to a counter; true if it wrapped. */
static bool mib_add(MV643xxPort *port, unsigned offset, uint32_t n)
{
    uint32_t *counter = &port->mib[offset / 4];

    *counter += n;
    return *counter < n;
}

void mv643xx_mib_count(MV643xxPort *port, unsigned offset)
{
    if (mib_add(port, offset, 1)) {
        mv643xx_raise_unit(port->unit, MV_EUIC_COUNTER_WRAP);
    }
}

static void count_octets(MV643xxPort *port, unsigned low, unsigned high,
                         uint32_t octets)
{
    if (mib_add(port, low, octets) && mib_add(port, high, 1)) {
        mv643xx_raise_unit(port->unit, MV_EUIC_COUNTER_WRAP);
    }
}

static void count_size(MV643xxPort *port, uint32_t octets)
{
    int i = 0;

    while (octets > size_classes[i].max) {
        i++;
    }
    mv643xx_mib_count(port, size_classes[i].offset);
}

static void count_cast(MV643xxPort *port, const uint8_t *addr,
                       unsigned broadcast, unsigned multicast)
{
    if (is_broadcast_ether_addr(addr)) {
        mv643xx_mib_count(port, broadcast);
    } else if (is_multicast_ether_addr(addr)) {
        mv643xx_mib_count(port, multicast);
    }
}

void mv643xx_mib_rx(MV643xxPort *port, const uint8_t *frame, uint32_t len)
{
    uint32_t octets = len + MV_FCS_LEN;

    count_octets(port, MV_MIB_RX_OCTETS_LO, MV_MIB_RX_OCTETS_HI, octets);
    mv643xx_mib_count(port, MV_MIB_RX_FRAMES);
    count_cast(port, frame, MV_MIB_RX_BROADCAST, MV_MIB_RX_MULTICAST);
    count_size(port, octets);
}

void mv643xx_mib_tx(MV643xxPort *port, const uint8_t *frame, uint32_t len)
{
    uint32_t octets = len + MV_FCS_LEN;

    count_octets(port, MV_MIB_TX_OCTETS_LO, MV_MIB_TX_OCTETS_HI, octets);
    mv643xx_mib_count(port, MV_MIB_TX_FRAMES);
    count_cast(port, frame, MV_MIB_TX_BROADCAST, MV_MIB_TX_MULTICAST);
    count_size(port, octets);
}
