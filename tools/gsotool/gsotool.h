/*
 * gsotool: net/gso by hand, on captures
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TOOLS_GSOTOOL_GSOTOOL_H
#define TOOLS_GSOTOOL_GSOTOOL_H

#include "gso.h"

/* Exit statuses. */
enum {
    EXIT_FINE = 0,
    EXIT_FAULTS = 1, /* check found faults */
    EXIT_BAD = 2,    /* bad options or input; nothing was written */
};

/* Longest frame that is written: a super-frame with its Ethernet header. */
#define FRAME_MAX (65535 + 64)

/* Most flows of a coalescer; each takes some 25 KiB. */
#define FLOWS_MAX 65536

/* Most values of --flush-timeout. */
#define TIMEOUTS_MAX 16

typedef struct Options {
    const char *in;
    const char *out;          /* NULL: none */
    bool json;
    uint32_t mss;
    GsoSegParams seg;
    uint64_t timeout[TIMEOUTS_MAX];
    unsigned timeouts;
    uint64_t max_hold;
    uint64_t poll;            /* ns between polls; 0: one for each packet */
    unsigned buckets;
    unsigned depth;
    bool udp;
} Options;

/* Print "gsotool: ..." and exit with EXIT_BAD. */
void die(const char *format, ...)
    __attribute__((noreturn, format(printf, 1, 2)));

/* A frame read from a capture. */
typedef struct CaptureFrame {
    const uint8_t *p;
    uint32_t len;        /* bytes captured */
    uint32_t wire_len;   /* bytes on the wire */
    uint64_t time;       /* ns since the epoch */
    uint64_t number;     /* 1 for the first, as Wireshark counts */
} CaptureFrame;

typedef struct Capture Capture;

/* Open a pcap or pcapng file of Ethernet frames; dies if it is none. */
Capture *capture_open(const char *path);

/* Can it be opened a second time, as a pipe cannot? */
bool capture_can_reopen(const char *path);

/* The next frame, valid until the next call; false at the end. */
bool capture_next(Capture *capture, CaptureFrame *frame);

void capture_close(Capture *capture);

typedef struct Output Output;

/*
 * Start to write a pcap file with nanoseconds.  It gets its name when
 * output_commit() is called, so a failure leaves what was there before.
 * Dies if @path is the input @in, or something else than a file.  NULL, and
 * nothing is written, if @path is NULL.
 */
Output *output_open(const char *path, const char *in);

/* Write a frame that had @wire_len bytes, all of them captured or not. */
void output_frame(Output *output, const struct iovec *iov, unsigned iovcnt,
                  uint32_t wire_len, uint64_t time);

void output_commit(Output *output);

/* Remove what has been written and not committed. */
void output_abandon(void);

/* A report: a table for people or, with @json, one JSON object. */
void report_start(bool json, const char *command);

void report_number(const char *name, uint64_t value);

void report_real(const char *name, double value);

/* Open and close a group; a row of an array of groups without name. */
void report_group(const char *name);
void report_array(const char *name);
void report_row(void);
void report_close(void);

void report_end(void);

/* The commands; each returns an exit status. */
int command_segment(const Options *o);
int command_coalesce(const Options *o);
int command_check(const Options *o);
int command_cost(const Options *o);

#endif /* TOOLS_GSOTOOL_GSOTOOL_H */
