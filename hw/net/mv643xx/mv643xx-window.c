/*
 * Marvell mv643xx Gigabit Ethernet unit: address windows
 *
 * Every DMA access is looked up in six windows.  Where windows overlap, the
 * lowest number wins (not known).  A window's target and attribute are not
 * followed: whatever the window lets through is found at the same address on
 * the memory that the unit was given, as is true for DRAM and SRAM on
 * Kirkwood.  An access that no window takes is refused, not sent to the
 * default target.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "mv643xx-internal.h"
#include "qemu/bswap.h"
#include "qemu/units.h"
#include "trace.h"

#define GRANULE         (64 * KiB)

static int find_window(const MV643xxState *s, uint32_t addr)
{
    for (int n = 0; n < MV643XX_WINDOWS; n++) {
        uint32_t base = s->regs[MV_WIN_BASE(n) / 4];
        uint32_t ignored = s->regs[MV_WIN_SIZE(n) / 4] | (GRANULE - 1);

        if (!(s->regs[MV_BARE / 4] & (1u << n)) &&
            !((addr ^ base) & ~ignored)) {
            return n;
        }
    }
    return -1;
}

static bool fault(MV643xxPort *port, uint32_t addr, uint32_t cause,
                  const char *what)
{
    MV643xxState *s = port->unit;
    uint32_t latched = MV_EUIC_ADDR_NO_MATCH | MV_EUIC_ADDR_VIOLATION;

    trace_mv643xx_dma_fault(DEVICE(port)->canonical_path, addr, what);
    if (!(s->regs[MV_EUIC / 4] & latched)) {
        s->regs[MV_EUEA / 4] = addr;
    }
    mv643xx_raise_unit(s, cause);
    return false;
}

static bool check_access(MV643xxPort *port, uint32_t addr, bool is_write)
{
    MV643xxState *s = port->unit;
    int window = find_window(s, addr);
    uint32_t allowed;

    if (window < 0) {
        return fault(port, addr, MV_EUIC_ADDR_NO_MATCH, "no window");
    }
    allowed = (s->regs[MV_EPAP(port->index) / 4] >> (2 * window)) & 3;
    if (allowed != MV_EPAP_FULL && (is_write || allowed != MV_EPAP_READ)) {
        return fault(port, addr, MV_EUIC_ADDR_VIOLATION, "not permitted");
    }
    return true;
}

static bool dma(MV643xxPort *port, uint32_t addr, void *buf, uint32_t len,
                bool is_write)
{
    uint8_t *bytes = buf;

    while (len) {
        uint32_t n = MIN(len, GRANULE - addr % GRANULE);

        if (!check_access(port, addr, is_write)) {
            return false;
        }
        if (address_space_rw(&port->unit->dma_as, addr,
                             MEMTXATTRS_UNSPECIFIED, bytes, n,
                             is_write) != MEMTX_OK) {
            return fault(port, addr, MV_EUIC_ADDR_NO_MATCH, "bus error");
        }
        addr += n;
        bytes += n;
        len -= n;
    }
    return true;
}

bool mv643xx_dma_read(MV643xxPort *port, uint32_t addr, void *buf,
                      uint32_t len)
{
    return dma(port, addr, buf, len, false);
}

bool mv643xx_dma_write(MV643xxPort *port, uint32_t addr, const void *buf,
                       uint32_t len)
{
    return dma(port, addr, (void *)buf, len, true);
}

/*
 * With SDMA_CONFIG b6 each 64-bit half of a descriptor is stored as one
 * big-endian value: words swap places and bytes swap in them (section 5.1).
 */
static bool swapped(const MV643xxPort *port)
{
    return mv643xx_get(port, MV_SDC) & MV_SDC_SWAP;
}

static unsigned word_place(const MV643xxPort *port, unsigned offset)
{
    return swapped(port) ? offset ^ 4 : offset;
}

static uint32_t load_word(const MV643xxPort *port, const uint8_t *raw,
                          unsigned offset)
{
    const uint8_t *p = raw + word_place(port, offset);

    return swapped(port) ? ldl_be_p(p) : ldl_le_p(p);
}

static bool store_word(MV643xxPort *port, uint32_t desc, unsigned offset,
                       uint32_t value)
{
    uint8_t raw[4];

    if (swapped(port)) {
        stl_be_p(raw, value);
    } else {
        stl_le_p(raw, value);
    }
    return mv643xx_dma_write(port, desc + word_place(port, offset), raw,
                             sizeof(raw));
}

bool mv643xx_read_desc(MV643xxPort *port, uint32_t addr, MV643xxDesc *desc)
{
    uint8_t raw[MV_DESC_SIZE];
    uint32_t size_cnt;

    if (!mv643xx_dma_read(port, addr, raw, sizeof(raw))) {
        return false;
    }
    size_cnt = load_word(port, raw, MV_DESC_SIZE_CNT);
    desc->cmd_sts = load_word(port, raw, MV_DESC_CMD_STS);
    desc->buf_size = size_cnt;
    desc->byte_cnt = size_cnt >> 16;
    desc->buf = load_word(port, raw, MV_DESC_BUF);
    desc->next = load_word(port, raw, MV_DESC_NEXT);
    return true;
}

bool mv643xx_write_desc_status(MV643xxPort *port, uint32_t addr,
                               uint32_t cmd_sts)
{
    return store_word(port, addr, MV_DESC_CMD_STS, cmd_sts);
}

bool mv643xx_write_desc_size(MV643xxPort *port, uint32_t addr,
                             const MV643xxDesc *desc)
{
    return store_word(port, addr, MV_DESC_SIZE_CNT,
                      (uint32_t)desc->byte_cnt << 16 | desc->buf_size);
}
