/*
 * Run a fuzz target over the files of a folder, without libFuzzer
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <dirent.h>

#include "fuzz.h"

static void run_file(const char *path)
{
    static uint8_t buf[1 << 20];
    FILE *f = fopen(path, "rb");
    size_t n;

    if (!f) {
        perror(path);
        exit(2);
    }
    n = fread(buf, 1, sizeof(buf), f);
    fclose(f);
    LLVMFuzzerTestOneInput(buf, n);
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    struct dirent *e;
    int inputs = 0;

    if (!folder) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    while ((e = readdir(folder))) {
        char path[4096];

        if (e->d_name[0] != '.') {
            snprintf(path, sizeof(path), "%s/%s", argv[1], e->d_name);
            run_file(path);
            inputs++;
        }
    }
    closedir(folder);
    printf("%d inputs\n", inputs);
    return inputs ? 0 : 2;
}
