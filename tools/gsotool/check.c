/*
 * gsotool check
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdio.h>

#include "gsotool.h"

typedef enum Fault {
    FAULT_TRUNCATED,
    FAULT_MALFORMED,
    FAULT_IP_CSUM,
    FAULT_L4_CSUM,
    FAULT_UDP_LENGTH,
    FAULT_COUNT,
} Fault;

static const struct {
    const char *name;
    const char *text;
} faults[FAULT_COUNT] = {
    [FAULT_TRUNCATED] = { "truncated", "shorter than its headers say" },
    [FAULT_MALFORMED] = { "malformed", "a header contradicts itself" },
    [FAULT_IP_CSUM] = { "ip_checksum", "IPv4 header checksum wrong" },
    [FAULT_L4_CSUM] = { "l4_checksum", "TCP or UDP checksum wrong" },
    [FAULT_UDP_LENGTH] = { "udp_length",
                           "UDP length is not that of the IP payload" },
};

typedef struct Tally {
    uint64_t frames;
    uint64_t good;        /* with an L4 checksum that is right */
    uint64_t unchecked;   /* captured in part only */
    uint64_t fault[FAULT_COUNT];
} Tally;

static void found(const CaptureFrame *frame, Fault fault, bool json,
                  Tally *tally)
{
    tally->fault[fault]++;
    fprintf(json ? stderr : stdout, "frame %llu: %s\n",
            (unsigned long long)frame->number, faults[fault].text);
}

static bool udp_length_wrong(const CaptureFrame *frame, const GsoLayout *l)
{
    const uint8_t *udp = frame->p + l->l4_off;

    return l->l4_off && l->l4_proto == GSO_IPPROTO_UDP &&
           !(l->flags & GSO_LF_FRAGMENT) &&
           (uint32_t)(udp[4] << 8 | udp[5]) != l->l4_len;
}

static void check_frame(const CaptureFrame *frame, bool json, Tally *tally)
{
    struct iovec iov = { (void *)frame->p, frame->len };
    GsoCheck l4;
    GsoLayout l;

    tally->frames++;
    gso_parse(&iov, 1, &l);
    if (frame->len < frame->wire_len) {
        tally->unchecked++;
        return;
    }
    if (l.flags & GSO_LF_TRUNCATED) {
        found(frame, FAULT_TRUNCATED, json, tally);
    }
    if (l.flags & GSO_LF_MALFORMED) {
        found(frame, FAULT_MALFORMED, json, tally);
    }
    if (gso_csum_verify_ip(&iov, 1, &l) == GSO_CHECK_BAD) {
        found(frame, FAULT_IP_CSUM, json, tally);
    }
    if (udp_length_wrong(frame, &l)) {
        found(frame, FAULT_UDP_LENGTH, json, tally);
    }
    l4 = gso_csum_verify_l4(&iov, 1, &l);
    if (l4 == GSO_CHECK_BAD) {
        found(frame, FAULT_L4_CSUM, json, tally);
    }
    tally->good += l4 == GSO_CHECK_GOOD;
}

int command_check(const Options *o)
{
    Capture *in = capture_open(o->in);
    Tally tally = { 0 };
    CaptureFrame frame;
    uint64_t sum = 0;

    while (capture_next(in, &frame)) {
        check_frame(&frame, o->json, &tally);
    }
    capture_close(in);
    report_start(o->json, "check");
    report_number("frames", tally.frames);
    report_number("l4_checksum_good", tally.good);
    report_number("captured_in_part", tally.unchecked);
    report_group("faults");
    for (int i = 0; i < FAULT_COUNT; i++) {
        report_number(faults[i].name, tally.fault[i]);
        sum += tally.fault[i];
    }
    report_close();
    report_end();
    return sum ? EXIT_FAULTS : EXIT_FINE;
}
