/*
 * gsotool: results as a table or as JSON
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdio.h>

#include "gsotool.h"

#define DEPTH_MAX 4

/* The one report that is being written. */
static struct {
    bool json;
    unsigned depth;
    bool array[DEPTH_MAX];
    bool comma;
} report;

static void indent(void)
{
    if (report.json) {
        printf("%s\n", report.comma ? "," : "");
    }
    printf("%*s", 2 * (int)report.depth, "");
    report.comma = true;
}

static void open_level(const char *name, char bracket)
{
    if (report.json) {
        indent();
        if (name) {
            printf("\"%s\": ", name);
        }
        printf("%c", bracket);
    } else if (name) {
        printf("%*s%s\n", 2 * (int)report.depth, "", name);
    }
    report.array[report.depth++] = bracket == '[';
    report.comma = false;
}

void report_start(bool json, const char *command)
{
    report.json = json;
    report.depth = 1;
    report.comma = false;
    if (json) {
        printf("{");
        indent();
        printf("\"command\": \"%s\"", command);
    } else {
        report.depth = 0;
    }
}

void report_number(const char *name, uint64_t value)
{
    indent();
    if (report.json) {
        printf("\"%s\": %llu", name, (unsigned long long)value);
    } else {
        printf("%-*s %14llu\n", 26 - 2 * (int)report.depth, name,
               (unsigned long long)value);
    }
}

void report_real(const char *name, double value)
{
    indent();
    if (report.json) {
        printf("\"%s\": %.4f", name, value);
    } else {
        printf("%-*s %14.2f\n", 26 - 2 * (int)report.depth, name, value);
    }
}

void report_group(const char *name)
{
    open_level(name, '{');
}

void report_array(const char *name)
{
    open_level(name, '[');
}

void report_row(void)
{
    if (!report.json) {
        printf("%*s-\n", 2 * (int)report.depth, "");
    }
    open_level(NULL, '{');
}

void report_close(void)
{
    report.depth--;
    if (report.json) {
        printf("\n%*s%c", 2 * (int)report.depth, "",
               report.array[report.depth] ? ']' : '}');
    }
    report.comma = true;
}

void report_end(void)
{
    if (report.json) {
        printf("\n}\n");
    }
}
