/*
 * gsotool: options
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <ctype.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gsotool.h"

static const char usage_text[] =
    "usage: gsotool COMMAND [OPTION...] IN [OUT]\n"
    "\n"
    "  segment   cut frames with more payload than --mss; write OUT\n"
    "  coalesce  join packets of a flow; write OUT\n"
    "  check     checksums and lengths, one line for each fault\n"
    "  cost      what cutting costs: copied, summed, and shared\n"
    "\n"
    "IN is a pcap or pcapng file of Ethernet frames (/dev/stdin: a pipe),\n"
    "OUT a pcap file, which is replaced when all is written.\n"
    "\n"
    "segment, cost:\n"
    "  --mss N             bytes of payload in each segment (1448)\n"
    "  --profile NAME      core (as Linux's stack, default) or driver\n"
    "  --ip-id NAME        increment (default) or fixed\n"
    "  --csum NAME         what IN has: none (default), partial, complete\n"
    "  --repeat-flags      cut also what has SYN, RST or URG\n"
    "coalesce:\n"
    "  --flush-timeout T   hold packets this long, e.g. 2000ns, 20us, 0;\n"
    "                      several, with commas: a table, without OUT\n"
    "  --max-hold T        longest time for the first packet of a frame\n"
    "  --poll T            poll this often, not for each packet\n"
    "  --buckets N         of the flow table (64)\n"
    "  --depth N           flows in a bucket (8)\n"
    "  --no-udp            leave UDP alone\n"
    "all:\n"
    "  --json              the result as JSON\n"
    "  --help              this text\n"
    "\n"
    "Exit status: 0 fine, 1 faults found, 2 bad option or file.\n"
    "example: gsotool coalesce --flush-timeout 2000ns in.pcap out.pcap\n";

void die(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    fprintf(stderr, "gsotool: ");
    vfprintf(stderr, format, ap);
    fprintf(stderr, "\n");
    va_end(ap);
    output_abandon();
    exit(EXIT_BAD);
}

static unsigned number(const char *option, const char *text, unsigned min,
                       unsigned max)
{
    unsigned n;
    int end = 0;

    if (!isdigit((unsigned char)text[0]) ||
        sscanf(text, "%9u%n", &n, &end) != 1 || text[end]) {
        die("--%s %s: not a number", option, text);
    }
    if (n < min || n > max) {
        die("--%s %s: not between %u and %u", option, text, min, max);
    }
    return n;
}

/* A time up to the next comma or the end, in ns; steps to there. */
static uint64_t take_time(const char *option, const char **text)
{
    static const struct {
        const char *unit;
        uint64_t ns;
    } units[] = {
        { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
    };
    size_t len = strcspn(*text, ",");
    char unit[3] = "";
    unsigned n;
    int end = 0;
    const char *p = *text;

    if (!isdigit((unsigned char)p[0]) || sscanf(p, "%9u%n", &n, &end) != 1 ||
        len - (size_t)end > 2) {
        die("--%s %.*s: not a time", option, (int)len, p);
    }
    memcpy(unit, p + end, len - (size_t)end);
    *text += len;
    for (unsigned i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (!strcmp(unit, units[i].unit)) {
            return n * units[i].ns;
        }
    }
    if (n || unit[0]) {
        die("--%s %.*s: a time needs one of the units ns, us, ms, s", option,
            (int)len, p);
    }
    return 0;
}

/* Index of @text in @names, which ends with NULL. */
static uint8_t choice(const char *option, const char *text,
                      const char *const *names)
{
    for (uint8_t i = 0; names[i]; i++) {
        if (!strcmp(text, names[i])) {
            return i;
        }
    }
    die("--%s %s: unknown; see gsotool --help", option, text);
}

enum {
    OPT_MSS = 256,
    OPT_PROFILE,
    OPT_IP_ID,
    OPT_CSUM,
    OPT_REPEAT_FLAGS,
    OPT_FLUSH_TIMEOUT,
    OPT_MAX_HOLD,
    OPT_POLL,
    OPT_BUCKETS,
    OPT_DEPTH,
    OPT_NO_UDP,
    OPT_JSON,
    OPT_HELP,
};

/* Which options a command takes, besides those of all. */
typedef struct Command {
    const char *name;
    int (*run)(const Options *o);
    int first_option;
    int last_option;
    bool out;
} Command;

static const Command commands[] = {
    { "segment", command_segment, OPT_MSS, OPT_REPEAT_FLAGS, true },
    { "coalesce", command_coalesce, OPT_FLUSH_TIMEOUT, OPT_NO_UDP, true },
    { "check", command_check, 0, 0, false },
    { "cost", command_cost, OPT_MSS, OPT_REPEAT_FLAGS, false },
};

static const struct option option_table[] = {
    { "mss", required_argument, NULL, OPT_MSS },
    { "profile", required_argument, NULL, OPT_PROFILE },
    { "ip-id", required_argument, NULL, OPT_IP_ID },
    { "csum", required_argument, NULL, OPT_CSUM },
    { "repeat-flags", no_argument, NULL, OPT_REPEAT_FLAGS },
    { "flush-timeout", required_argument, NULL, OPT_FLUSH_TIMEOUT },
    { "max-hold", required_argument, NULL, OPT_MAX_HOLD },
    { "poll", required_argument, NULL, OPT_POLL },
    { "buckets", required_argument, NULL, OPT_BUCKETS },
    { "depth", required_argument, NULL, OPT_DEPTH },
    { "no-udp", no_argument, NULL, OPT_NO_UDP },
    { "json", no_argument, NULL, OPT_JSON },
    { "help", no_argument, NULL, OPT_HELP },
    { 0 },
};

static const char *const profiles[] = { "core", "driver", NULL };
static const char *const ip_ids[] = { "increment", "fixed", NULL };
static const char *const csums[] = { "none", "partial", "complete", NULL };

static void set_segment_option(Options *o, int opt, const char *arg)
{
    switch (opt) {
    case OPT_MSS:
        o->mss = number("mss", arg, 1, 65534);
        break;
    case OPT_PROFILE:
        o->seg.profile = choice("profile", arg, profiles);
        break;
    case OPT_IP_ID:
        o->seg.ip_id = choice("ip-id", arg, ip_ids);
        break;
    case OPT_CSUM:
        o->seg.csum = choice("csum", arg, csums);
        break;
    case OPT_REPEAT_FLAGS:
        o->seg.repeat_flags = GSO_TCP_SYN | GSO_TCP_RST | GSO_TCP_URG;
        break;
    }
}

static void set_timeouts(Options *o, const char *arg)
{
    o->timeouts = 0;
    for (;;) {
        if (o->timeouts == TIMEOUTS_MAX) {
            die("--flush-timeout: more than %d values", TIMEOUTS_MAX);
        }
        o->timeout[o->timeouts++] = take_time("flush-timeout", &arg);
        if (!*arg++) {
            break;
        }
    }
}

static uint64_t one_time(const char *option, const char *arg)
{
    const char *rest = arg;
    uint64_t ns = take_time(option, &rest);

    if (*rest) {
        die("--%s %s: one time only", option, arg);
    }
    return ns;
}

static void set_coalesce_option(Options *o, int opt, const char *arg)
{
    switch (opt) {
    case OPT_FLUSH_TIMEOUT:
        set_timeouts(o, arg);
        break;
    case OPT_MAX_HOLD:
        o->max_hold = one_time("max-hold", arg);
        break;
    case OPT_POLL:
        o->poll = one_time("poll", arg);
        break;
    case OPT_BUCKETS:
        o->buckets = number("buckets", arg, 1, 65536);
        if (o->buckets & (o->buckets - 1)) {
            die("--buckets %s: not a power of two", arg);
        }
        break;
    case OPT_DEPTH:
        o->depth = number("depth", arg, 1, 64);
        break;
    case OPT_NO_UDP:
        o->udp = false;
        break;
    }
}

static const char *option_name(int opt)
{
    const struct option *p = option_table;

    while (p->val != opt) {
        p++;
    }
    return p->name;
}

static void parse_options(Options *o, const Command *c, int argc, char **argv)
{
    int opt;

    while ((opt = getopt_long(argc, argv, "", option_table, NULL)) != -1) {
        if (opt == OPT_HELP) {
            fputs(usage_text, stdout);
            exit(EXIT_FINE);
        }
        if (opt == OPT_JSON) {
            o->json = true;
        } else if (opt == '?') {
            exit(EXIT_BAD); /* getopt_long() said why */
        } else if (opt < c->first_option || opt > c->last_option) {
            die("--%s is no option of %s", option_name(opt), c->name);
        } else {
            set_segment_option(o, opt, optarg);
            set_coalesce_option(o, opt, optarg);
        }
    }
    argv += optind;
    argc -= optind;
    if (argc < 1) {
        die("%s: no input file; see gsotool --help", c->name);
    }
    o->in = argv[0];
    o->out = argc > 1 ? argv[1] : NULL;
    if (argc > (c->out ? 2 : 1)) {
        die("unexpected argument %s", argv[c->out ? 2 : 1]);
    }
}

/* @status, once what was printed is where it should be. */
static int printed(int status)
{
    if (fflush(stdout) || ferror(stdout)) {
        die("standard output could not be written");
    }
    return status;
}

int main(int argc, char **argv)
{
    Options o = {
        .mss = 1448, .timeouts = 1, .buckets = 64, .depth = 8, .udp = true,
    };

    if (argc > 1 && !strcmp(argv[1], "--help")) {
        fputs(usage_text, stdout);
        return EXIT_FINE;
    }
    if (argc < 2) {
        die("no command; see gsotool --help");
    }
    for (unsigned i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (!strcmp(argv[1], commands[i].name)) {
            argv[1] = argv[0];
            parse_options(&o, &commands[i], argc - 1, argv + 1);
            return printed(commands[i].run(&o));
        }
    }
    die("%s: no command of gsotool; see gsotool --help", argv[1]);
}
