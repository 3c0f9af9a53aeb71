/*
 * Marvell mv643xx Gigabit Ethernet unit: frames in flight
 *
 * A queue of frames, each behind a record that says when it is where.  The
 * buffer is twice as large as what may be in it: when its end is reached, what
 * is in use moves to the front, which costs at most one more copy of a byte.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "migration/vmstate.h"
#include "mv643xx-internal.h"
#include "qemu/bswap.h"

/* A record as it stands in the buffer, little-endian */
#define RECORD_START    0
#define RECORD_DUE      8
#define RECORD_LEN      16
#define RECORD_BYTE_NS  20
#define RECORD_QUEUE    22
#define RECORD_FLAGS    23

static MV643xxRecord load_record(const uint8_t *at)
{
    return (MV643xxRecord) {
        .start = ldq_le_p(at + RECORD_START),
        .due = ldq_le_p(at + RECORD_DUE),
        .len = ldl_le_p(at + RECORD_LEN),
        .byte_ns = lduw_le_p(at + RECORD_BYTE_NS),
        .queue = ldub_p(at + RECORD_QUEUE),
        .flags = ldub_p(at + RECORD_FLAGS),
    };
}

static void store_record(uint8_t *at, const MV643xxRecord *record)
{
    stq_le_p(at + RECORD_START, record->start);
    stq_le_p(at + RECORD_DUE, record->due);
    stl_le_p(at + RECORD_LEN, record->len);
    stw_le_p(at + RECORD_BYTE_NS, record->byte_ns);
    stb_p(at + RECORD_QUEUE, record->queue);
    stb_p(at + RECORD_FLAGS, record->flags);
}

void mv643xx_frames_init(MV643xxFrames *frames)
{
    frames->size = 2 * MV643XX_FLIGHT_SIZE;
    frames->data = g_malloc(frames->size);
}

void mv643xx_frames_cleanup(MV643xxFrames *frames)
{
    g_free(frames->data);
}

static void to_front(MV643xxFrames *frames)
{
    memmove(frames->data, frames->data + frames->head, frames->used);
    frames->head = 0;
}

uint8_t *mv643xx_frames_room(MV643xxFrames *frames, uint32_t len)
{
    uint32_t need = MV643XX_RECORD_SIZE + len;

    if (need > frames->size / 2 - frames->used) {
        return NULL;
    }
    if (need > frames->size - frames->head - frames->used) {
        to_front(frames);
    }
    return frames->data + frames->head + frames->used + MV643XX_RECORD_SIZE;
}

void mv643xx_frames_push(MV643xxFrames *frames, const MV643xxRecord *record)
{
    store_record(frames->data + frames->head + frames->used, record);
    frames->used += MV643XX_RECORD_SIZE + record->len;
    frames->count++;
}

MV643xxRecord mv643xx_frames_get(const MV643xxFrames *frames, uint32_t offset)
{
    return load_record(frames->data + frames->head + offset);
}

void mv643xx_frames_set(MV643xxFrames *frames, uint32_t offset,
                        const MV643xxRecord *record)
{
    store_record(frames->data + frames->head + offset, record);
}

const uint8_t *mv643xx_frames_data(const MV643xxFrames *frames,
                                   uint32_t offset)
{
    return frames->data + frames->head + offset + MV643XX_RECORD_SIZE;
}

void mv643xx_frames_pop(MV643xxFrames *frames)
{
    uint32_t n = MV643XX_RECORD_SIZE + mv643xx_frames_get(frames, 0).len;

    frames->used -= n;
    frames->count--;
    frames->head = frames->used ? frames->head + n : 0;
}

uint32_t mv643xx_frames_cut(MV643xxFrames *frames, uint32_t offset)
{
    uint32_t n = 0;

    for (uint32_t at = offset; at < frames->used; n++) {
        at += MV643XX_RECORD_SIZE + mv643xx_frames_get(frames, at).len;
    }
    frames->used = offset;
    frames->count -= n;
    return n;
}

void mv643xx_frames_clear(MV643xxFrames *frames)
{
    frames->head = 0;
    frames->used = 0;
    frames->count = 0;
}

/* Migration: nothing that comes in is trusted, nothing refused is kept. */

static bool record_valid(const MV643xxRecord *record, uint32_t room)
{
    return mv643xx_time_valid(record->start) &&
           mv643xx_time_valid(record->due) &&
           record->len && record->len <= room &&
           record->len <= MV643XX_TX_MAX_FRAME &&
           record->byte_ns <= MV643XX_SLOWEST_BYTE_NS &&
           record->queue < MV643XX_QUEUES;
}

static bool fits(void *opaque, int version_id)
{
    MV643xxFrames *frames = opaque;

    return frames->stream <= MV643XX_FLIGHT_SIZE;
}

static int frames_pre_save(void *opaque)
{
    MV643xxFrames *frames = opaque;

    to_front(frames);
    frames->stream = frames->used;
    return 0;
}

static int frames_post_load(void *opaque, int version_id)
{
    MV643xxFrames *frames = opaque;
    uint32_t at = 0;

    while (at < frames->stream) {
        MV643xxRecord record;

        if (frames->stream - at < MV643XX_RECORD_SIZE) {
            return -EINVAL;
        }
        record = mv643xx_frames_get(frames, at);
        at += MV643XX_RECORD_SIZE;
        if (!record_valid(&record, frames->stream - at)) {
            return -EINVAL;
        }
        at += record.len;
    }
    return 0;
}

void mv643xx_frames_take(MV643xxFrames *frames)
{
    frames->used = frames->stream;
    for (uint32_t at = 0; at < frames->used; frames->count++) {
        at += MV643XX_RECORD_SIZE + mv643xx_frames_get(frames, at).len;
    }
}

const VMStateDescription vmstate_mv643xx_frames = {
    .name = "mv643xx-frames",
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_save = frames_pre_save,
    .post_load = frames_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(stream, MV643xxFrames),
        VMSTATE_VALIDATE("frames in flight fit", fits),
        VMSTATE_VBUFFER_UINT32(data, MV643xxFrames, 0, NULL, stream),
        VMSTATE_END_OF_LIST()
    }
};
