/*
 * Run a fuzz target over files, without libFuzzer
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "fuzz.h"

int main(int argc, char **argv)
{
    static uint8_t buf[1 << 20];

    for (int i = 1; i < argc; i++) {
        FILE *f = fopen(argv[i], "rb");
        size_t n;

        if (!f) {
            perror(argv[i]);
            return 2;
        }
        n = fread(buf, 1, sizeof(buf), f);
        fclose(f);
        LLVMFuzzerTestOneInput(buf, n);
    }
    printf("%d inputs\n", argc - 1);
    return argc > 1 ? 0 : 2;
}
