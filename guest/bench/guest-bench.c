/*
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * guest-bench NAME SECONDS: repeat one cheap kernel operation for that many
 * seconds of the guest's monotonic clock and print how often it ran per second.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static void do_getpid(void)
{
    syscall(SYS_getpid);
}

static int to_child, from_child;

/* The child sends back every byte until it is killed. */
static void start_echo(void)
{
    int down[2], up[2];
    char c;

    if (pipe(down) || pipe(up)) {
        die("pipe");
    }
    switch (fork()) {
    case -1:
        die("fork");
        break;
    case 0:
        close(down[1]);
        while (read(down[0], &c, 1) == 1 && write(up[1], &c, 1) == 1) {
            ;
        }
        _exit(0);
    }
    close(down[0]);
    to_child = down[1];
    from_child = up[0];
}

static void do_pipe(void)
{
    char c = 0;

    if (write(to_child, &c, 1) != 1 || read(from_child, &c, 1) != 1) {
        die("pipe");
    }
}

static void do_forkexec(void)
{
    int status;
    pid_t child = fork();

    if (child < 0) {
        die("fork");
    }
    if (!child) {
        execl("/proc/self/exe", "guest-bench", "true", "0", NULL);
        _exit(127);
    }
    if (waitpid(child, &status, 0) != child || status) {
        die("fork and exec");
    }
}

static const struct {
    const char *name;
    void (*start)(void);
    void (*run)(void);
    unsigned batch;        /* runs between two looks at the clock */
} benches[] = {
    { "getpid", NULL, do_getpid, 1000 },
    { "pipe", start_echo, do_pipe, 50 },
    { "forkexec", NULL, do_forkexec, 1 },
};

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s NAME SECONDS\n", argv[0]);
        return 2;
    }
    if (!strcmp(argv[1], "true")) {
        return 0;
    }
    for (unsigned i = 0; i < sizeof(benches) / sizeof(benches[0]); i++) {
        double begin, end, length = atof(argv[2]);
        unsigned long runs = 0;

        if (strcmp(argv[1], benches[i].name)) {
            continue;
        }
        if (benches[i].start) {
            benches[i].start();
        }
        begin = now();
        do {
            for (unsigned n = 0; n < benches[i].batch; n++) {
                benches[i].run();
            }
            runs += benches[i].batch;
            end = now();
        } while (end - begin < length);
        printf("%.1f\n", runs / (end - begin));
        return 0;
    }
    fprintf(stderr, "%s: no benchmark %s\n", argv[0], argv[1]);
    return 2;
}
