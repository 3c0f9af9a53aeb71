/*
 * Harness of the mv643xx tests: a board, one port of it, its wire and rings
 *
 * The wire is a socket pair with one message a frame, whose other end is the
 * port's dgram backend.  Nothing here waits for time to pass: a frame put on
 * the wire is there when the port's counter "rx-offered" says so, everything
 * else happens inside a register access or a clock step.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TESTS_QTEST_MV643XX_UTIL_H
#define TESTS_QTEST_MV643XX_UTIL_H

#include "tests/qtest/libqtest.h"
#include "qobject/qdict.h"
#include "hw/net/mv643xx_regs.h"
#include "mv643xx-frame.h"

#define GBE0_BASE               0xf1072000
#define GBE1_BASE               0xf1076000

/* Registers of the unit's only port, as offsets in the unit */
#define PORT(reg)               (MV_PORT_BASE(0) + (reg))
#define MIB(reg)                (MV_MIB_BASE(0) + (reg))

/* Interrupt inputs of the Kirkwood (section 7.6) [H] */
enum {
    IRQ_GE0_SUM = 11, IRQ_GE0_RX, IRQ_GE0_TX, IRQ_GE0_MISC,
    IRQ_GE1_SUM = 15, IRQ_GE1_RX, IRQ_GE1_TX, IRQ_GE1_MISC,
    IRQ_GE0_ERR = 46, IRQ_GE1_ERR,
};

/* Guest memory used by the tests, all below 128 MiB */
#define MEM_RX_RING(q)          (0x00100000u + 0x10000 * (q))
#define MEM_TX_RING(q)          (0x00200000u + 0x10000 * (q))
#define MEM_RX_BUF(q, i)        (0x01000000u + 0x100000 * (q) + 0x4000 * (i))
#define MEM_TX_BUF(q, i)        (0x04000000u + 0x400000 * (q) + 0x10000 * (i))
#define MEM_SCRATCH             0x00800000u
#define MEM_POISON              0xa5
#define RING_MAX                64

/* Virtual time of the model, in ns: docs/device.md */
#define TX_RESUME_NS            10000
#define RX_RETRY_NS             50000
#define RX_HOLD_NS              10000000
#define TX_BATCH                256     /* descriptors for one kick */

/* cmd_sts of a good frame that fits one buffer (12.8, check 4) [H] */
#define RX_GOOD_TCP             0x6f800000
#define RX_GOOD_UDP             0x6fa00000
#define RX_NOT_IP               0x2cc00000      /* [L] */

/* Interrupt masks of Linux with one queue (7.5) [H] */
#define IM_LINUX                0x00080006
#define IME_LINUX               0x001100ff

typedef struct Nic {
    QTestState *qts;
    uint32_t base;              /* physical address of the unit */
    int wire;                   /* our end, one message a frame */
    uint64_t offered;           /* frames put on the wire so far */
    char *qom;                  /* path of the port */
    bool wait;                  /* helpers step the clock over wire time */
} Nic;

typedef struct NicArgs {
    const char *machine;        /* NULL: sheevaplug */
    unsigned gbe;               /* unit under test: 0, or 1 where it exists */
    bool no_wire;               /* the backend swallows everything */
    bool paced;                 /* frames take time, which the test steps */
    const char *extra;          /* more QEMU arguments, or NULL */
} NicArgs;

/* One 16-byte descriptor, host byte order */
typedef struct Desc {
    uint32_t cmd_sts;
    uint16_t size;              /* RX buffer size, TX l4i_chk */
    uint16_t count;             /* byte count */
    uint32_t buf;
    uint32_t next;
} Desc;

/*
 * Start a sheevaplug with GE0 on the wire; free with nic_free().  Unless the
 * test is about time the wire has none.  With MV643XX_WIRE=paced in the
 * environment it has, and wire_send() and tx_ring_kick() step the clock until
 * nothing is on it any more.
 */
Nic *nic_new(void);
Nic *nic_new_args(const NicArgs *args);
void nic_free(Nic *n);

uint32_t nic_read(Nic *n, uint32_t offset);
void nic_write(Nic *n, uint32_t offset, uint32_t value);
void nic_rmw(Nic *n, uint32_t offset, uint32_t clear, uint32_t set);

/*
 * Migration: the state goes to a file, whose name the caller frees, and from
 * there to a QEMU that waits for it, at virtual time @now.  Whether that took
 * it.  nic_move() does all of it and frees the source.
 */
Nic *nic_new_incoming(const NicArgs *args);
char *nic_save(Nic *n);
bool nic_load(Nic *n, const char *path, int64_t now);
Nic *nic_move(Nic *n, const NicArgs *args);

/* Level of an input of the board's interrupt controller */
bool nic_irq(Nic *n, unsigned input);

/* One of the port's read-only counters (QOM property) */
uint64_t nic_counter(Nic *n, const char *name);

/* Window 0 onto all of DRAM, chip select 0, full access */
void nic_open_dma(Nic *n);

/*
 * Bring the port up the way Linux does: DMA, the port's own address to
 * queue 0, RX checksums on, causes clear, no interrupts enabled.
 */
void nic_up(Nic *n);

/* Clear all causes of the port and the unit */
void nic_ack_all(Nic *n);

void nic_set_link(Nic *n, bool up);

/* One SMI operation of the unit, through its SMI register */
uint16_t smi_read(Nic *n, unsigned phy, unsigned reg);
void smi_write(Nic *n, unsigned phy, unsigned reg, uint16_t value);

/* A test that needs a wire without time: left out where all have it */
void nic_add_ideal_test(const char *path, void (*test)(void));

/* Put a frame on the wire and wait until the backend has offered it */
void wire_send(Nic *n, const void *data, size_t len);
void wire_send_frame(Nic *n, const Frame *f);

/* The same without waiting: nic_settle() does that later */
void wire_queue(Nic *n, const void *data, size_t len);

/* Step the clock until nothing is on a wire that takes time */
void nic_wait_wire(Nic *n);

/* Wait until the backend has offered all that was sent */
void nic_settle(Nic *n);

/* Forget what was sent before: wait until the backend has read all of it */
void nic_resync(Nic *n);

/* A frame that is lost before the port: the backend must not offer it */
void wire_lose(Nic *n, const void *data, size_t len);

/* The next frame the port sent must be exactly these bytes */
void wire_expect(Nic *n, const void *data, size_t len);
void wire_expect_frame(Nic *n, const Frame *f);

/* Take the next frame: its length, at most @size bytes are stored */
size_t wire_take(Nic *n, void *data, size_t size);

/* No frame is waiting */
void wire_expect_none(Nic *n);

/* Discard what is waiting: the number of frames */
unsigned wire_flush(Nic *n);

void desc_read(Nic *n, uint32_t addr, Desc *d);
void desc_write(Nic *n, uint32_t addr, const Desc *d);
uint32_t mem_read32(Nic *n, uint32_t addr);
/* In pieces: libqtest's cost grows with the square of a transfer's length */
void mem_write(Nic *n, uint32_t addr, const void *data, size_t len);
void mem_write32(Nic *n, uint32_t addr, uint32_t value);

/* Store 3 bits of queue and the pass bit for entry @e of a filter table */
void filter_set(Nic *n, uint32_t table, unsigned e, bool pass, unsigned queue);

/* A receive ring of @count owned descriptors on queue @q, enabled */
typedef struct RxRing {
    Nic *n;
    unsigned q;
    unsigned count;
    uint16_t buf_size;
    unsigned head;              /* next descriptor the device fills */
    unsigned taken;             /* consumed and not given back */
} RxRing;

void rx_ring_init(RxRing *r, Nic *n, unsigned q, unsigned count,
                  uint16_t buf_size);
uint32_t rx_ring_desc(const RxRing *r, unsigned i);
/* Descriptor @i back to the device, its buffer poisoned */
void rx_ring_give(RxRing *r, unsigned i);
/* Everything taken back to the device */
void rx_ring_refill(RxRing *r);
/*
 * The next descriptor must hold all of @f: status word, byte count, padding,
 * data, FCS, nothing else touched.  Advances the ring.
 */
void rx_ring_expect(RxRing *r, const Frame *f, uint32_t cmd_sts);
/* The same where only the bits @mask of the status word are known */
void rx_ring_expect_masked(RxRing *r, const Frame *f, uint32_t cmd_sts,
                           uint32_t mask);
/* The next descriptor must still belong to the device */
void rx_ring_expect_none(RxRing *r);

/* A transmit ring of @count descriptors on queue @q */
typedef struct TxRing {
    Nic *n;
    unsigned q;
    unsigned count;
    unsigned head;              /* next descriptor to fill */
} TxRing;

/* One buffer of a frame */
typedef struct TxBuf {
    const void *data;
    uint16_t len;
    uint8_t align;              /* offset of the buffer from 64 KiB */
} TxBuf;

void tx_ring_init(TxRing *r, Nic *n, unsigned q, unsigned count);
uint32_t tx_ring_desc(const TxRing *r, unsigned i);
/*
 * Queue one frame of @n_bufs descriptors; @cmd is added to the first one's
 * command, O, F, L, GC and, on the last, ZP and EI are set.  First
 * descriptor's index.
 */
unsigned tx_ring_put(TxRing *r, const TxBuf *bufs, unsigned n_bufs,
                     uint32_t cmd, uint16_t l4i_chk);
unsigned tx_ring_put_frame(TxRing *r, const Frame *f, uint32_t cmd);
void tx_ring_kick(TxRing *r);
/* Descriptors [first, first + n) returned, all but O as they were written */
void tx_ring_expect_done(TxRing *r, unsigned first, unsigned n);

#endif
