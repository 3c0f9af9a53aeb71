/*
 * Marvell mv643xx Gigabit Ethernet unit: token buckets of the transmitter
 *
 * Hardware reference, section 6.5.  Each queue has a bucket, and the port has
 * one for all of them.  A bucket gains rate / 64 bit of tokens every TCLK up
 * to its size, and a frame that starts takes its octets, FCS included, out of
 * both.  A frame may start when both hold the port's MTU.
 *
 * Where the reference leaves it open, no setting keeps a frame back for ever:
 * a rate of 0 or an MTU of 0 limits nothing, a bucket smaller than the MTU
 * has to be full, and a frame larger than what was there leaves a debt.
 *
 * A bucket is what it held at one time; all else follows from the registers
 * and the virtual clock, exactly and whenever it is asked for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "migration/vmstate.h"
#include "mv643xx-internal.h"
#include "qemu/timer.h"

/* A register counts 1/64 octets: a bucket of 0xffff fills its 30 bits [L]. */
#define TOKENS_PER_OCTET    64
#define SIZE_UNIT_TOKENS    (256 * TOKENS_PER_OCTET)

/*
 * A level counts parts of a token so small that a bucket gains rate * TCLK of
 * them in a ns: rate / 64 bit is rate / 8 tokens.  30 bits of tokens fit.
 */
#define LEVEL_PER_TOKEN     (8 * NANOSECONDS_PER_SECOND)
#define LEVEL_MAX           (0x3fffffff * LEVEL_PER_TOKEN)
#define DEBT_MAX            ((MV643XX_TX_MAX_FRAME + MV_FCS_LEN) * \
                             TOKENS_PER_OCTET * LEVEL_PER_TOKEN)

#define PORT_BUCKET         MV643XX_QUEUES

/* What the registers say about a bucket */
typedef struct Rule {
    int64_t gain;       /* of level in a ns; 0: the bucket limits nothing */
    int64_t full;
    int64_t enough;     /* for a frame to start */
} Rule;

static int64_t now_ns(void)
{
    return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

static unsigned count_offset(unsigned bucket)
{
    return bucket == PORT_BUCKET ? MV_TX_TOKENS : MV_TXQ_COUNT(bucket);
}

static Rule rule(const MV643xxPort *port, unsigned bucket)
{
    uint32_t mtu = mv643xx_get(port, MV_TX_MTU);
    uint32_t rate, size;

    if (bucket == PORT_BUCKET) {
        rate = mv643xx_get(port, MV_TX_RATE);
        size = mv643xx_get(port, MV_TX_BUCKET);
    } else {
        uint32_t config = mv643xx_get(port, MV_TXQ_CONFIG(bucket));

        rate = config & MV_TXQ_CONFIG_RATE_MASK;
        size = config >> MV_TXQ_CONFIG_SIZE_SHIFT;
    }
    return (Rule) {
        .gain = mtu ? (int64_t)rate * port->unit->tclk : 0,
        .full = size * SIZE_UNIT_TOKENS * LEVEL_PER_TOKEN,
        .enough = MIN(mtu, size) * SIZE_UNIT_TOKENS * LEVEL_PER_TOKEN,
    };
}

/* What is above the size of the bucket was written there, and stays. */
static void grow(MV643xxBucket *b, const Rule *r, int64_t now)
{
    int64_t ns = now - b->since;

    if (ns <= 0) {
        return;
    }
    b->since = now;
    if (r->gain && b->level < r->full) {
        int64_t room = r->full - b->level;

        b->level = ns > room / r->gain ? r->full : b->level + ns * r->gain;
    }
}

/* The first ns at which a frame may start, or 0 if it already may */
static int64_t ready_at(const MV643xxBucket *b, const Rule *r)
{
    if (!r->gain || b->level >= r->enough) {
        return 0;
    }
    return b->since + DIV_ROUND_UP(r->enough - b->level, r->gain);
}

static void take(MV643xxBucket *b, const Rule *r, uint32_t octets)
{
    if (r->gain) {
        b->level -= octets * TOKENS_PER_OCTET * LEVEL_PER_TOKEN;
        b->level = MAX(b->level, -DEBT_MAX);
    }
}

static int64_t bucket_ready_at(const MV643xxPort *port, unsigned bucket)
{
    Rule r = rule(port, bucket);

    return ready_at(&port->tx_bucket[bucket], &r);
}

int64_t mv643xx_bucket_ready_at(const MV643xxPort *port, unsigned queue)
{
    return MAX(bucket_ready_at(port, PORT_BUCKET),
               bucket_ready_at(port, queue));
}

void mv643xx_bucket_charge(MV643xxPort *port, unsigned queue, uint32_t octets,
                           int64_t start)
{
    const unsigned buckets[] = { queue, PORT_BUCKET };

    for (int i = 0; i < ARRAY_SIZE(buckets); i++) {
        Rule r = rule(port, buckets[i]);

        grow(&port->tx_bucket[buckets[i]], &r, start);
        take(&port->tx_bucket[buckets[i]], &r, octets);
    }
}

static bool concerns_buckets(unsigned offset)
{
    return offset == MV_TX_RATE || offset == MV_TX_BUCKET ||
           offset == MV_TX_MTU ||
           (offset >= MV_TXQ_COUNT(0) && offset <= MV_TX_TOKENS);
}

void mv643xx_bucket_sync(MV643xxPort *port, unsigned offset)
{
    int64_t now = now_ns();

    if (!concerns_buckets(offset)) {
        return;
    }
    for (unsigned i = 0; i < MV643XX_BUCKETS; i++) {
        MV643xxBucket *b = &port->tx_bucket[i];
        Rule r = rule(port, i);

        grow(b, &r, now);
        *mv643xx_reg(port, count_offset(i)) =
            MAX(b->level, 0) / LEVEL_PER_TOKEN;
    }
}

static void load_count(MV643xxPort *port, unsigned bucket)
{
    port->tx_bucket[bucket].level =
        mv643xx_get(port, count_offset(bucket)) * LEVEL_PER_TOKEN;
    port->tx_bucket[bucket].since = now_ns();
}

void mv643xx_bucket_written(MV643xxPort *port, unsigned offset)
{
    for (unsigned i = 0; i < MV643XX_BUCKETS; i++) {
        if (offset == count_offset(i)) {
            load_count(port, i);
        }
    }
}

void mv643xx_bucket_reset(MV643xxPort *port)
{
    for (unsigned i = 0; i < MV643XX_BUCKETS; i++) {
        load_count(port, i);
    }
}

static int bucket_post_load(void *opaque, int version_id)
{
    const MV643xxBucket *b = opaque;

    return b->level >= -DEBT_MAX && b->level <= LEVEL_MAX &&
           b->since >= 0 && b->since <= now_ns() ? 0 : -EINVAL;
}

const VMStateDescription vmstate_mv643xx_bucket = {
    .name = "mv643xx-bucket",
    .version_id = 1,
    .minimum_version_id = 1,
    .post_load = bucket_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_INT64(level, MV643xxBucket),
        VMSTATE_INT64(since, MV643xxBucket),
        VMSTATE_END_OF_LIST()
    }
};
