/*
 * Harness of the mv643xx tests
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include "qemu/bswap.h"
#include "mv643xx-util.h"

#define INTC_CAUSE_LOW          0xf1020200
#define INTC_CAUSE_HIGH         0xf1020210

/* Round trips to QEMU before a frame counts as lost */
#define MAX_ROUND_TRIPS         20000

/* Timers that run before the wire is empty */
#define MAX_WIRE_EVENTS         10000

/* Polls of a migration's state */
#define MAX_MIGRATION_POLLS     1000000

/* Only bounds a test that would otherwise hang: never met by a passing one */
#define WIRE_TIMEOUT_MS         30000

static bool all_paced(void)
{
    return g_strcmp0(g_getenv("MV643XX_WIRE"), "paced") == 0;
}

void nic_add_ideal_test(const char *path, void (*test)(void))
{
    if (!all_paced()) {
        qtest_add_func(path, test);
    }
}

Nic *nic_new_args(const NicArgs *args)
{
    bool wait = !args->paced && all_paced();
    Nic *n = g_new0(Nic, 1);
    g_autofree char *backend = NULL;
    int fds[2], size = 1 << 20;
    g_autofree char *mac = g_strdup_printf(
        "%02x:%02x:%02x:%02x:%02x:%02x", frame_nic_mac[0], frame_nic_mac[1],
        frame_nic_mac[2], frame_nic_mac[3], frame_nic_mac[4],
        frame_nic_mac[5]);

    g_assert(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds) == 0);
    for (int i = 0; i < 2; i++) {
        setsockopt(fds[i], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
    }
    n->wire = fds[0];
    n->wait = wait;
    backend = args->no_wire
        ? g_strdup("hubport,hubid=1")
        : g_strdup_printf("dgram,local.type=fd,local.str=%d", fds[1]);
    n->base = args->gbe ? GBE1_BASE : GBE0_BASE;
    n->qom = g_strdup_printf("/machine/soc/gbe[%u]/port[0]", args->gbe);
    n->qts = qtest_initf("-machine %s "
                         "%s"
                         "-netdev %s,id=wire "
                         "-net nic,netdev=wire,macaddr=%s "
                         "-global mv643xx-port.wire-slack=0 %s %s",
                         args->machine ? args->machine : "sheevaplug",
                         args->gbe ? "-netdev hubport,id=other,hubid=0 "
                                     "-net nic,netdev=other " : "",
                         backend, mac,
                         args->paced || wait ?
                         "" : "-global mv643xx-port.wire=ideal",
                         args->extra ? args->extra : "");
    close(fds[1]);
    return n;
}

Nic *nic_new(void)
{
    return nic_new_args(&(NicArgs) { });
}

void nic_free(Nic *n)
{
    qtest_quit(n->qts);
    close(n->wire);
    g_free(n->qom);
    g_free(n);
}

Nic *nic_new_incoming(const NicArgs *args)
{
    g_autofree char *extra = g_strdup_printf("-incoming defer %s",
                                             args->extra ? args->extra : "");
    NicArgs incoming = *args;
    Nic *n;

    incoming.extra = extra;
    n = nic_new_args(&incoming);
    /* only the guest's frames on the wire, not QEMU's announcements */
    qtest_qmp_assert_success(n->qts, "{ 'execute': 'migrate-set-parameters',"
                             " 'arguments': { 'announce-rounds': 0 } }");
    return n;
}

/* Poll until the migration is over: whether it completed */
static bool migration_completed(QTestState *qts)
{
    for (int i = 0; i < MAX_MIGRATION_POLLS; i++) {
        QDict *rsp = qtest_qmp_assert_success_ref(
            qts, "{ 'execute': 'query-migrate' }");
        const char *status = qdict_get_try_str(rsp, "status");
        bool completed = status && g_str_equal(status, "completed");
        bool failed = status && g_str_equal(status, "failed");

        qobject_unref(rsp);
        if (completed || failed) {
            return completed;
        }
    }
    g_assert_not_reached();
}

char *nic_save(Nic *n)
{
    char *path = NULL;
    g_autofree char *uri = NULL;
    int fd = g_file_open_tmp("mv643xx-state-XXXXXX", &path, NULL);

    g_assert_cmpint(fd, >=, 0);
    close(fd);
    uri = g_strdup_printf("file:%s", path);
    qtest_qmp_assert_success(n->qts, "{ 'execute': 'migrate',"
                             " 'arguments': { 'uri': %s } }", uri);
    g_assert_true(migration_completed(n->qts));
    return path;
}

bool nic_load(Nic *n, const char *path, int64_t now)
{
    g_autofree char *uri = g_strdup_printf("file:%s", path);

    /* the virtual clock of a test is not in the stream */
    qtest_clock_set(n->qts, now);
    qtest_qmp_assert_success(n->qts, "{ 'execute': 'migrate-incoming',"
                             " 'arguments': { 'uri': %s,"
                             " 'exit-on-error': false } }", uri);
    return migration_completed(n->qts);
}

Nic *nic_move(Nic *n, const NicArgs *args)
{
    int64_t now = qtest_clock_step(n->qts, 1);
    g_autofree char *path = nic_save(n);
    Nic *target = nic_new_incoming(args);

    g_assert_true(nic_load(target, path, now));
    unlink(path);
    target->offered = n->offered;
    nic_free(n);
    return target;
}

uint32_t nic_read(Nic *n, uint32_t offset)
{
    return qtest_readl(n->qts, n->base + offset);
}

void nic_write(Nic *n, uint32_t offset, uint32_t value)
{
    qtest_writel(n->qts, n->base + offset, value);
}

void nic_rmw(Nic *n, uint32_t offset, uint32_t clear, uint32_t set)
{
    nic_write(n, offset, (nic_read(n, offset) & ~clear) | set);
}

bool nic_irq(Nic *n, unsigned input)
{
    uint32_t cause = qtest_readl(n->qts, input < 32 ? INTC_CAUSE_LOW
                                                    : INTC_CAUSE_HIGH);

    return cause >> (input % 32) & 1;
}

uint64_t nic_counter(Nic *n, const char *name)
{
    QDict *rsp = qtest_qmp(n->qts, "{ 'execute': 'qom-get', 'arguments':"
                           " { 'path': %s, 'property': %s } }", n->qom, name);
    uint64_t value;

    g_assert(qdict_haskey(rsp, "return"));
    value = qdict_get_int(rsp, "return");
    qobject_unref(rsp);
    return value;
}

void nic_open_dma(Nic *n)
{
    nic_write(n, MV_WIN_BASE(0), 0x00000e00);
    nic_write(n, MV_WIN_SIZE(0), 0x3fff0000);
    nic_write(n, MV_WIN_REMAP(0), 0);
    nic_write(n, MV_EPAP(0), 0x00000003);
    nic_write(n, MV_BARE, 0x3e);
}

void nic_ack_all(Nic *n)
{
    nic_write(n, PORT(MV_ICE), 0);
    nic_write(n, PORT(MV_IC), 0);
    nic_write(n, MV_EUIC, 0);
}

void nic_up(Nic *n)
{
    nic_open_dma(n);
    nic_write(n, PORT(MV_PSC1), 0x00000008);
    nic_write(n, PORT(MV_SDC), 0x00800034);
    nic_write(n, PORT(MV_PXC), 0x02000000);
    nic_write(n, PORT(MV_PXCX), 0);
    nic_write(n, PORT(MV_PSC0), 0x000a0601);
    filter_set(n, MV_UC_BASE(0), frame_nic_mac[5] & 0xf, true, 0);
    nic_ack_all(n);
}

void nic_set_link(Nic *n, bool up)
{
    qtest_qmp_assert_success(n->qts, "{ 'execute': 'set_link', 'arguments':"
                             " { 'name': 'wire', 'up': %i } }", up);
}

uint16_t smi_read(Nic *n, unsigned phy, unsigned reg)
{
    uint32_t smi;

    nic_write(n, MV_SMI, MV_SMI_OP_READ | reg << MV_SMI_REG_SHIFT |
                         phy << MV_SMI_PHY_SHIFT);
    smi = nic_read(n, MV_SMI);
    g_assert_cmphex(smi & (MV_SMI_BUSY | MV_SMI_READ_VALID), ==,
                    MV_SMI_READ_VALID);
    return smi;
}

void smi_write(Nic *n, unsigned phy, unsigned reg, uint16_t value)
{
    nic_write(n, MV_SMI, reg << MV_SMI_REG_SHIFT | phy << MV_SMI_PHY_SHIFT |
                         value);
    g_assert_cmphex(nic_read(n, MV_SMI) & MV_SMI_BUSY, ==, 0);
}

void wire_queue(Nic *n, const void *data, size_t len)
{
    g_assert_cmpint(send(n->wire, data, len, MSG_DONTWAIT), ==, len);
    n->offered++;
}

void nic_settle(Nic *n)
{
    for (int i = 0; i < MAX_ROUND_TRIPS; i++) {
        if (nic_counter(n, "rx-offered") == n->offered) {
            return;
        }
    }
    g_assert_cmpuint(nic_counter(n, "rx-offered"), ==, n->offered);
}

static void wait_until_read(Nic *n)
{
    int unread = 1;

    for (int i = 0; unread && i < MAX_ROUND_TRIPS; i++) {
        g_assert(ioctl(n->wire, SIOCOUTQ, &unread) == 0);
        nic_counter(n, "rx-offered");
    }
    g_assert_cmpint(unread, ==, 0);
}

void nic_resync(Nic *n)
{
    wait_until_read(n);
    n->offered = nic_counter(n, "rx-offered");
}

void wire_lose(Nic *n, const void *data, size_t len)
{
    g_assert_cmpint(send(n->wire, data, len, MSG_DONTWAIT), ==, len);
    wait_until_read(n);
    g_assert_cmpuint(nic_counter(n, "rx-offered"), ==, n->offered);
}

void nic_wait_wire(Nic *n)
{
    for (int i = 0; n->wait && i < MAX_WIRE_EVENTS; i++) {
        if (!nic_counter(n, "rx-held") &&
            (nic_read(n, PORT(MV_PS0)) & MV_PS0_TX_FIFO_EMPTY)) {
            return;
        }
        qtest_clock_step_next(n->qts);
    }
    g_assert_false(n->wait);
}

void wire_send(Nic *n, const void *data, size_t len)
{
    wire_queue(n, data, len);
    nic_settle(n);
    nic_wait_wire(n);
}

void wire_send_frame(Nic *n, const Frame *f)
{
    wire_send(n, f->data, f->len);
}

size_t wire_take(Nic *n, void *data, size_t size)
{
    struct pollfd pfd = { .fd = n->wire, .events = POLLIN };
    ssize_t len;

    g_assert_cmpint(poll(&pfd, 1, WIRE_TIMEOUT_MS), ==, 1);
    len = recv(n->wire, data, size, MSG_TRUNC);
    g_assert_cmpint(len, >=, 0);
    return len;
}

void wire_expect(Nic *n, const void *data, size_t len)
{
    g_autofree uint8_t *got = g_malloc(FRAME_MAX);
    size_t got_len = wire_take(n, got, FRAME_MAX);

    g_assert_cmpmem(got, MIN(got_len, FRAME_MAX), data, len);
}

void wire_expect_frame(Nic *n, const Frame *f)
{
    wire_expect(n, f->data, f->len);
}

void wire_expect_none(Nic *n)
{
    char byte;

    g_assert_cmpint(recv(n->wire, &byte, 1, MSG_DONTWAIT), ==, -1);
    g_assert(errno == EAGAIN);
}

unsigned wire_flush(Nic *n)
{
    unsigned frames = 0;
    char byte;

    while (recv(n->wire, &byte, 1, MSG_DONTWAIT) >= 0) {
        frames++;
    }
    return frames;
}

void desc_read(Nic *n, uint32_t addr, Desc *d)
{
    uint8_t raw[MV_DESC_SIZE];

    qtest_memread(n->qts, addr, raw, sizeof(raw));
    d->cmd_sts = ldl_le_p(raw + MV_DESC_CMD_STS);
    d->size = lduw_le_p(raw + MV_DESC_SIZE_CNT);
    d->count = lduw_le_p(raw + MV_DESC_SIZE_CNT + 2);
    d->buf = ldl_le_p(raw + MV_DESC_BUF);
    d->next = ldl_le_p(raw + MV_DESC_NEXT);
}

void desc_write(Nic *n, uint32_t addr, const Desc *d)
{
    uint8_t raw[MV_DESC_SIZE];

    stl_le_p(raw + MV_DESC_CMD_STS, d->cmd_sts);
    stw_le_p(raw + MV_DESC_SIZE_CNT, d->size);
    stw_le_p(raw + MV_DESC_SIZE_CNT + 2, d->count);
    stl_le_p(raw + MV_DESC_BUF, d->buf);
    stl_le_p(raw + MV_DESC_NEXT, d->next);
    qtest_memwrite(n->qts, addr, raw, sizeof(raw));
}

void mem_write(Nic *n, uint32_t addr, const void *data, size_t len)
{
    const uint8_t *bytes = data;

    for (size_t at = 0; at < len; at += 8192) {
        qtest_bufwrite(n->qts, addr + at, bytes + at, MIN(8192, len - at));
    }
}

uint32_t mem_read32(Nic *n, uint32_t addr)
{
    return qtest_readl(n->qts, addr);
}

void mem_write32(Nic *n, uint32_t addr, uint32_t value)
{
    qtest_writel(n->qts, addr, value);
}

void filter_set(Nic *n, uint32_t table, unsigned e, bool pass, unsigned queue)
{
    unsigned shift = 8 * (e % 4);

    nic_rmw(n, table + e / 4 * 4, 0xffu << shift,
            (pass | queue << MV_FILTER_QUEUE_SHIFT) << shift);
}

uint32_t rx_ring_desc(const RxRing *r, unsigned i)
{
    return MEM_RX_RING(r->q) + i % r->count * MV_DESC_SIZE;
}

void rx_ring_give(RxRing *r, unsigned i)
{
    Desc d = {
        .cmd_sts = MV_RXD_O | MV_RXD_EI,
        .size = r->buf_size,
        .buf = MEM_RX_BUF(r->q, i % r->count),
        .next = rx_ring_desc(r, i + 1),
    };

    qtest_memset(r->n->qts, d.buf, MEM_POISON, r->buf_size + 64);
    desc_write(r->n, rx_ring_desc(r, i), &d);
}

void rx_ring_refill(RxRing *r)
{
    while (r->taken) {
        rx_ring_give(r, r->head + r->count - r->taken);
        r->taken--;
    }
}

void rx_ring_init(RxRing *r, Nic *n, unsigned q, unsigned count,
                  uint16_t buf_size)
{
    g_assert_cmpuint(count, <=, RING_MAX);
    *r = (RxRing) { .n = n, .q = q, .count = count, .buf_size = buf_size };
    for (unsigned i = 0; i < count; i++) {
        rx_ring_give(r, i);
    }
    nic_write(n, PORT(MV_CRDP(q)), rx_ring_desc(r, 0));
    nic_write(n, PORT(MV_RQC), 1u << q);
}

static void expect_poison(Nic *n, uint32_t addr, size_t len)
{
    g_autofree uint8_t *got = g_malloc(len);

    qtest_memread(n->qts, addr, got, len);
    for (size_t i = 0; i < len; i++) {
        g_assert_cmphex(got[i], ==, MEM_POISON);
    }
}

void rx_ring_expect_masked(RxRing *r, const Frame *f, uint32_t cmd_sts,
                           uint32_t mask)
{
    size_t len = MAX(f->len, FRAME_MIN);
    size_t count = MV_RX_PAD + len + MV_FCS_LEN;
    g_autofree uint8_t *want = g_malloc0(count);
    g_autofree uint8_t *got = g_malloc0(count);
    Desc d;

    desc_read(r->n, rx_ring_desc(r, r->head), &d);
    g_assert_cmphex(d.cmd_sts & mask, ==, cmd_sts & mask);
    g_assert_cmpuint(d.count, ==, count);
    g_assert_cmphex(d.size & ~MV_RXD_SIZE_FRAGMENT, ==, r->buf_size & ~4);
    g_assert_cmphex(d.buf, ==, MEM_RX_BUF(r->q, r->head));
    g_assert_cmphex(d.next, ==, rx_ring_desc(r, r->head + 1));

    memcpy(want + MV_RX_PAD, f->data, f->len);
    stl_le_p(want + MV_RX_PAD + len, frame_crc32(want + MV_RX_PAD, len));
    qtest_memread(r->n->qts, d.buf, got, count);
    g_assert_cmpmem(got, count, want, count);
    /* hardware may write whole 8-byte words (5.4) [L] */
    count = ROUND_UP(count, 8);
    expect_poison(r->n, d.buf + count, r->buf_size + 64 - count);

    r->head = (r->head + 1) % r->count;
    r->taken++;
    g_assert_cmpuint(r->taken, <=, r->count);
}

void rx_ring_expect(RxRing *r, const Frame *f, uint32_t cmd_sts)
{
    rx_ring_expect_masked(r, f, cmd_sts, 0xffffffff);
}

void rx_ring_expect_none(RxRing *r)
{
    Desc d;

    desc_read(r->n, rx_ring_desc(r, r->head), &d);
    g_assert_cmphex(d.cmd_sts, ==, MV_RXD_O | MV_RXD_EI);
}

uint32_t tx_ring_desc(const TxRing *r, unsigned i)
{
    return MEM_TX_RING(r->q) + i % r->count * MV_DESC_SIZE;
}

void tx_ring_init(TxRing *r, Nic *n, unsigned q, unsigned count)
{
    g_assert_cmpuint(count, <=, RING_MAX);
    *r = (TxRing) { .n = n, .q = q, .count = count };
    for (unsigned i = 0; i < count; i++) {
        desc_write(n, tx_ring_desc(r, i),
                   &(Desc) { .next = tx_ring_desc(r, i + 1) });
    }
    nic_write(n, PORT(MV_TCQDP(q)), tx_ring_desc(r, 0));
}

unsigned tx_ring_put(TxRing *r, const TxBuf *bufs, unsigned n_bufs,
                     uint32_t cmd, uint16_t l4i_chk)
{
    unsigned first = r->head;

    /* the first descriptor last: the device may look at any time */
    for (unsigned i = n_bufs; i-- > 0;) {
        unsigned slot = (first + i) % r->count;
        Desc d = {
            .cmd_sts = MV_TXD_O,
            .count = bufs[i].len,
            .buf = MEM_TX_BUF(r->q, slot) + bufs[i].align,
            .next = tx_ring_desc(r, slot + 1),
        };

        if (i == 0) {
            d.cmd_sts |= MV_TXD_F | MV_TXD_GC | cmd;
            d.size = l4i_chk;
        }
        if (i == n_bufs - 1) {
            d.cmd_sts |= MV_TXD_L | MV_TXD_ZP | MV_TXD_EI;
        }
        if (bufs[i].len) {
            mem_write(r->n, d.buf, bufs[i].data, bufs[i].len);
        }
        desc_write(r->n, tx_ring_desc(r, slot), &d);
    }
    r->head = (first + n_bufs) % r->count;
    return first;
}

unsigned tx_ring_put_frame(TxRing *r, const Frame *f, uint32_t cmd)
{
    TxBuf buf = { f->data, f->len, 0 };

    return tx_ring_put(r, &buf, 1, cmd, 0);
}

void tx_ring_kick(TxRing *r)
{
    nic_write(r->n, PORT(MV_TQC), 1u << r->q);
    nic_wait_wire(r->n);
}

void tx_ring_expect_done(TxRing *r, unsigned first, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        uint32_t edges = (i == 0 ? MV_TXD_F | MV_TXD_GC : 0) |
                         (i == n - 1 ? MV_TXD_L | MV_TXD_ZP | MV_TXD_EI : 0);
        Desc d;

        desc_read(r->n, tx_ring_desc(r, first + i), &d);
        g_assert_cmphex(d.cmd_sts & MV_TXD_O, ==, 0);
        g_assert_cmphex(d.cmd_sts & (MV_TXD_F | MV_TXD_L | MV_TXD_GC |
                                     MV_TXD_ZP | MV_TXD_EI), ==, edges);
        g_assert_cmphex(d.cmd_sts & (MV_TXD_ES | 3 << MV_TXD_CODE_SHIFT),
                        ==, 0);
        g_assert_cmphex(d.next, ==, tx_ring_desc(r, first + i + 1));
    }
}
