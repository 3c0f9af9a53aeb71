/*
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * lab-symbols: writes /proc/kallsyms to the board's second UART and sets mark
 * 1. No driver owns that UART: the board's device tree leaves it out. Needs
 * iomem=relaxed on the kernel's command line.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "guest/mark/mark.h"

#define UART_PAGE   0xf1012000
#define UART1       0x100       /* in its page */
#define THR         0
#define LSR         5
#define LSR_THRE    0x20
#define PAGE        4096

static void die(const char *what)
{
    fprintf(stderr, "lab-symbols: %s: %s\n", what, strerror(errno));
    exit(1);
}

int main(void)
{
    static char text[65536];
    int symbols = open("/proc/kallsyms", O_RDONLY);
    int memory = open("/dev/mem", O_RDWR | O_SYNC);
    volatile uint32_t *uart;
    void *page;
    ssize_t n;

    if (symbols < 0) {
        die("/proc/kallsyms");
    }
    if (memory < 0) {
        die("/dev/mem");
    }
    page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, memory,
                UART_PAGE);
    if (page == MAP_FAILED) {
        die("second UART");
    }
    uart = (volatile uint32_t *)((char *)page + UART1);
    while ((n = read(symbols, text, sizeof(text))) > 0) {
        for (ssize_t i = 0; i < n; i++) {
            while (!(uart[LSR] & LSR_THRE)) {
                ;
            }
            uart[THR] = (unsigned char)text[i];
        }
    }
    if (n < 0) {
        die("/proc/kallsyms");
    }
    mark(MARK_SYMBOLS, 0);
    return 0;
}
