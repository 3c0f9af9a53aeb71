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
#include <unistd.h>
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
    char *target;          /* @path, links resolved */
    pcap_t *dead;
    pcap_dumper_t *dumper;
};

/* Name of the file that is being written, or NULL. */
static char *part;

Capture *capture_open(const char *path)
{
    char error[PCAP_ERRBUF_SIZE] = "";
    struct stat st;
    Capture *c;

    if (stat(path, &st)) {
        die("%s: %s", path, strerror(errno));
    }
    c = calloc(1, sizeof(*c));
    if (!c) {
        die("no memory");
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

bool capture_can_reopen(const char *path)
{
    struct stat st;

    return !stat(path, &st) && S_ISREG(st.st_mode);
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

/*
 * What is at @path already must be a file, which is going to be replaced,
 * and not the input.  Returns its mode, or that of a new file.
 */
static mode_t check_old(const char *path, const char *in)
{
    struct stat st, in_st;
    mode_t mask = umask(0);

    umask(mask);
    if (stat(path, &st)) {
        return 0666 & ~mask;
    }
    if (!S_ISREG(st.st_mode)) {
        die("%s: not a regular file", path);
    }
    if (!stat(in, &in_st) && st.st_dev == in_st.st_dev &&
        st.st_ino == in_st.st_ino) {
        die("%s: is the input", path);
    }
    return st.st_mode & 0777;
}

/* Make a file beside @target that nobody else has. */
static FILE *open_part(const char *path, const char *target, mode_t mode)
{
    char *name;
    int fd;

    if (!target || asprintf(&name, "%s.XXXXXX", target) < 0) {
        die("no memory");
    }
    fd = mkstemp(name);
    if (fd < 0) {
        die("%s: %s", path, strerror(errno));
    }
    part = name;
    fchmod(fd, mode);
    return fdopen(fd, "wb");
}

Output *output_open(const char *path, const char *in)
{
    mode_t mode;
    char *target;
    FILE *file;
    Output *o;

    if (!path) {
        return NULL;
    }
    mode = check_old(path, in);
    target = realpath(path, NULL) ?: strdup(path);
    file = open_part(path, target, mode);
    o = calloc(1, sizeof(*o));
    if (!o || !file) {
        die("no memory");
    }
    o->path = path;
    o->target = target;
    o->dead = pcap_open_dead_with_tstamp_precision(
        DLT_EN10MB, SNAPLEN, PCAP_TSTAMP_PRECISION_NANO);
    o->dumper = o->dead ? pcap_dump_fopen(o->dead, file) : NULL;
    if (!o->dumper) {
        die("%s: %s", path, o->dead ? pcap_geterr(o->dead) : "no memory");
    }
    return o;
}

void output_frame(Output *o, const struct iovec *iov, unsigned iovcnt,
                  uint32_t wire_len, uint64_t time)
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
    hdr.len = wire_len;
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
    if (rename(part, o->target)) {
        die("%s: %s", o->path, strerror(errno));
    }
    free(part);
    part = NULL;
    free(o->target);
    free(o);
}

void output_abandon(void)
{
    if (part) {
        remove(part);
    }
}
