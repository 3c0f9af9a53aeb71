/*
 * gsotool: captures in and out
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <pcap/pcap.h>

#include "gsotool.h"

#define SNAPLEN 262144

struct Capture {
    const char *path;
    pcap_t *pcap;
    uint64_t number;
};

struct Output {
    const char *path;
    pcap_t *dead;
    pcap_dumper_t *dumper;
};

/* Name of the file that is being written, or NULL. */
static char *part;

Capture *capture_open(const char *path)
{
    char error[PCAP_ERRBUF_SIZE] = "";
    Capture *c = calloc(1, sizeof(*c));
    struct stat st;

    if (!c) {
        die("no memory");
    }
    if (stat(path, &st)) {
        die("%s: %s", path, strerror(errno));
    }
    c->path = path;
    c->pcap = pcap_open_offline_with_tstamp_precision(
        path, PCAP_TSTAMP_PRECISION_NANO, error);
    if (!c->pcap) {
        die("%s: not a capture: %s", path, error);
    }
    if (pcap_datalink(c->pcap) != DLT_EN10MB) {
        die("%s: link type %s, not Ethernet", path,
            pcap_datalink_val_to_name(pcap_datalink(c->pcap)) ?: "unknown");
    }
    return c;
}

bool capture_next(Capture *c, CaptureFrame *frame)
{
    struct pcap_pkthdr *hdr;
    const u_char *p;
    int ret = pcap_next_ex(c->pcap, &hdr, &p);

    if (ret == PCAP_ERROR_BREAK) {
        return false;
    }
    if (ret != 1) {
        die("%s: after frame %llu: %s", c->path,
            (unsigned long long)c->number, pcap_geterr(c->pcap));
    }
    frame->p = p;
    frame->len = hdr->caplen;
    frame->wire_len = hdr->len;
    frame->time = (uint64_t)hdr->ts.tv_sec * 1000000000 +
                  (uint64_t)hdr->ts.tv_usec;
    frame->number = ++c->number;
    return true;
}

void capture_close(Capture *c)
{
    pcap_close(c->pcap);
    free(c);
}

Output *output_open(const char *path)
{
    Output *o;

    if (!path) {
        return NULL;
    }
    o = calloc(1, sizeof(*o));
    if (!o || asprintf(&part, "%s.part", path) < 0) {
        die("no memory");
    }
    o->path = path;
    o->dead = pcap_open_dead_with_tstamp_precision(
        DLT_EN10MB, SNAPLEN, PCAP_TSTAMP_PRECISION_NANO);
    o->dumper = o->dead ? pcap_dump_open(o->dead, part) : NULL;
    if (!o->dumper) {
        die("%s: %s", part, o->dead ? pcap_geterr(o->dead) : "no memory");
    }
    return o;
}

void output_frame(Output *o, const struct iovec *iov, unsigned iovcnt,
                  uint64_t time)
{
    static uint8_t buf[SNAPLEN];
    struct pcap_pkthdr hdr = {
        .ts = { .tv_sec = (time_t)(time / 1000000000),
                .tv_usec = (suseconds_t)(time % 1000000000) },
    };

    if (!o) {
        return;
    }
    for (unsigned i = 0; i < iovcnt; i++) {
        memcpy(buf + hdr.caplen, iov[i].iov_base, iov[i].iov_len);
        hdr.caplen += (uint32_t)iov[i].iov_len;
    }
    hdr.len = hdr.caplen;
    pcap_dump((u_char *)o->dumper, &hdr, buf);
}

void output_commit(Output *o)
{
    if (!o) {
        return;
    }
    if (pcap_dump_flush(o->dumper) || ferror(pcap_dump_file(o->dumper))) {
        die("%s: could not be written", o->path);
    }
    pcap_dump_close(o->dumper);
    pcap_close(o->dead);
    if (rename(part, o->path)) {
        die("%s: %s", o->path, strerror(errno));
    }
    free(part);
    part = NULL;
    free(o);
}

void output_abandon(void)
{
    if (part) {
        remove(part);
    }
}
