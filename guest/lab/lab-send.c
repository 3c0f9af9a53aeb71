/*
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * lab-send ADDRESS PORT BYTES FILE sendfile|write:SIZE: one TCP connection
 * that sends BYTES, with sendfile() over and over from the zeroes of FILE or
 * with write() of SIZE zeroes, and waits until the receiver has closed. The
 * marks 2 and 3 of guest/mark/mark.h stand around just that. What it cost and
 * what TCP has to say comes out as name=value lines: times in ns of the
 * monotonic clock, CPU times in us as time(1) shows them, TCP's own figures
 * as in struct tcp_info.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "guest/mark/mark.h"

#define WRITE_MOST  (1024 * 1024)
#define STALLED_MS  60000   /* without an acknowledgement: give up */

static void die(const char *what)
{
    fprintf(stderr, "lab-send: %s: %s\n", what, strerror(errno));
    exit(1);
}

static unsigned long long number(const char *text, unsigned long long most)
{
    char *end;
    unsigned long long value;

    errno = 0;
    value = strtoull(text, &end, 10);
    if (errno || end == text || *end || !value || value > most) {
        fprintf(stderr, "lab-send: %s: not a number from 1 to %llu\n", text,
                most);
        exit(2);
    }
    return value;
}

static unsigned long long now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static unsigned long long us(struct timeval t)
{
    return t.tv_sec * 1000000ULL + t.tv_usec;
}

static int connected(const char *address, unsigned port)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port) };
    unsigned stalled = STALLED_MS;
    int s = socket(AF_INET, SOCK_STREAM, 0);

    if (s < 0) {
        die("socket");
    }
    if (inet_pton(AF_INET, address, &to.sin_addr) != 1) {
        fprintf(stderr, "lab-send: %s: not an IPv4 address\n", address);
        exit(2);
    }
    if (setsockopt(s, IPPROTO_TCP, TCP_USER_TIMEOUT, &stalled,
                   sizeof(stalled))) {
        die("TCP_USER_TIMEOUT");
    }
    if (connect(s, (struct sockaddr *)&to, sizeof(to))) {
        die(address);
    }
    return s;
}

/* Sends zeroes, `size` at a time; returns the number of system calls. */
static unsigned long long write_all(int s, size_t size,
                                    unsigned long long bytes)
{
    static char zeroes[WRITE_MOST];
    unsigned long long calls = 0;

    while (bytes) {
        ssize_t sent = write(s, zeroes, bytes < size ? bytes : size);

        if (sent <= 0) {
            die("write");
        }
        calls++;
        bytes -= sent;
    }
    return calls;
}

/* Sends the file again and again; returns the number of system calls. */
static unsigned long long send_all(int s, int file, off_t size,
                                   unsigned long long bytes)
{
    unsigned long long calls = 0;
    off_t at = 0;

    while (bytes) {
        size_t want = size - at;
        ssize_t sent;

        sent = sendfile(s, file, &at, want < bytes ? want : bytes);
        if (sent <= 0) {
            die("sendfile");
        }
        calls++;
        bytes -= sent;
        if (at == size) {
            at = 0;
        }
    }
    return calls;
}

static void print_tcp(int s)
{
    struct tcp_info info;
    socklen_t size = sizeof(info);

    memset(&info, 0, sizeof(info));
    if (getsockopt(s, IPPROTO_TCP, TCP_INFO, &info, &size)) {
        die("TCP_INFO");
    }
    printf("tcp_mss=%u\ntcp_timestamps=%d\n", info.tcpi_snd_mss,
           !!(info.tcpi_options & TCPI_OPT_TIMESTAMPS));
    printf("tcp_sack=%d\ntcp_cwnd=%u\ntcp_ssthresh=%u\n",
           !!(info.tcpi_options & TCPI_OPT_SACK), info.tcpi_snd_cwnd,
           info.tcpi_snd_ssthresh);
    printf("tcp_rtt_us=%u\ntcp_min_rtt_us=%u\ntcp_retransmissions=%u\n",
           info.tcpi_rtt, info.tcpi_min_rtt, info.tcpi_total_retrans);
    printf("tcp_segments_out=%u\ntcp_data_segments_out=%u\n"
           "tcp_segments_in=%u\n", info.tcpi_segs_out,
           info.tcpi_data_segs_out, info.tcpi_segs_in);
    printf("tcp_busy_us=%llu\ntcp_rwnd_limited_us=%llu\n"
           "tcp_sndbuf_limited_us=%llu\n",
           (unsigned long long)info.tcpi_busy_time,
           (unsigned long long)info.tcpi_rwnd_limited,
           (unsigned long long)info.tcpi_sndbuf_limited);
}

int main(int argc, char **argv)
{
    unsigned long long bytes, calls, begin, end;
    struct rusage before, after;
    struct stat info;
    char rest[64];
    size_t size = 0;
    int s, file;

    if (argc != 6 || (strcmp(argv[5], "sendfile") &&
                      strncmp(argv[5], "write:", 6))) {
        fprintf(stderr,
                "usage: %s ADDRESS PORT BYTES FILE sendfile|write:SIZE\n",
                argv[0]);
        return 2;
    }
    if (argv[5][0] == 'w') {
        size = number(argv[5] + 6, WRITE_MOST);
    }
    bytes = number(argv[3], 1ULL << 40);
    file = open(argv[4], O_RDONLY);
    if (file < 0 || fstat(file, &info)) {
        die(argv[4]);
    }
    if (!info.st_size) {
        fprintf(stderr, "lab-send: %s is empty\n", argv[4]);
        return 2;
    }
    s = connected(argv[1], number(argv[2], 65535));

    getrusage(RUSAGE_SELF, &before);
    begin = now_ns();
    mark(MARK_BEGIN, begin);
    calls = size ? write_all(s, size, bytes)
                 : send_all(s, file, info.st_size, bytes);
    shutdown(s, SHUT_WR);
    while (read(s, rest, sizeof(rest)) > 0) {
        ;
    }
    end = now_ns();
    mark(MARK_END, end);
    getrusage(RUSAGE_SELF, &after);

    printf("bytes=%llu\nelapsed_ns=%llu\ncalls=%llu\n", bytes,
           end - begin, calls);
    printf("user_us=%llu\nsystem_us=%llu\n",
           us(after.ru_utime) - us(before.ru_utime),
           us(after.ru_stime) - us(before.ru_stime));
    printf("voluntary_switches=%ld\n", after.ru_nvcsw - before.ru_nvcsw);
    printf("involuntary_switches=%ld\n", after.ru_nivcsw - before.ru_nivcsw);
    print_tcp(s);
    return 0;
}
