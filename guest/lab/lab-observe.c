/*
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Histograms of the packets that enter a device's transmit path, before
 * anything is segmented: a BPF classifier for the egress side of tc's clsact.
 *
 *   lab-observe load DIRECTORY PORT GROUP SKIP
 *       pins the program and its maps in DIRECTORY, a directory of a bpf file
 *       system: DIRECTORY/program is for "tc filter ... bpf da object-pinned"
 *   lab-observe print DIRECTORY
 *       prints a line "GROUP KIND BIN COUNT" for every bin that is not empty
 *
 * Counted are TCP packets over IPv4 to PORT with payload. Of every GROUP
 * packets there is a histogram of gso_segs and one of len >> 9, both with
 * bins 0..127; groups beyond the 126th share one. Group "rest" has the
 * packets that began after the first SKIP bytes of payload.
 */

#include <errno.h>
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BINS 128
#define KINDS 2                         /* gso_segs, len >> 9 */
#define GROUPS 128
#define REST (GROUPS - 1)
#define ENTRIES (GROUPS * KINDS * BINS)

#ifndef SYS_bpf
#define SYS_bpf 386                     /* EABI */
#endif

/* What the program keeps between packets: the only entry of its state map. */
struct state {
    uint64_t packets;
    uint64_t bytes;
};

static void die(const char *what)
{
    fprintf(stderr, "lab-observe: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int bpf(int command, union bpf_attr *attr, const char *what)
{
    int result = syscall(SYS_bpf, command, attr, sizeof(*attr));

    if (result < 0) {
        die(what);
    }
    return result;
}

static uint64_t pointer(const void *p)
{
    return (uintptr_t)p;
}

static int make_array(unsigned value_size, unsigned entries, const char *what)
{
    union bpf_attr attr;

    memset(&attr, 0, sizeof(attr));
    attr.map_type = BPF_MAP_TYPE_ARRAY;
    attr.key_size = sizeof(uint32_t);
    attr.value_size = value_size;
    attr.max_entries = entries;
    return bpf(BPF_MAP_CREATE, &attr, what);
}

static char *in_directory(const char *directory, const char *name)
{
    static char path[256];

    snprintf(path, sizeof(path), "%s/%s", directory, name);
    return path;
}

static void pin(int fd, const char *directory, const char *name)
{
    union bpf_attr attr;
    char *path = in_directory(directory, name);

    memset(&attr, 0, sizeof(attr));
    attr.pathname = pointer(path);
    attr.bpf_fd = fd;
    bpf(BPF_OBJ_PIN, &attr, path);
}

static int pinned(const char *directory, const char *name)
{
    union bpf_attr attr;
    char *path = in_directory(directory, name);

    memset(&attr, 0, sizeof(attr));
    attr.pathname = pointer(path);
    return bpf(BPF_OBJ_GET, &attr, path);
}

/* A program under construction. A jump to `out` is patched at the end. */
static struct bpf_insn program[160];
static unsigned length;

static void emit(uint8_t code, uint8_t dst, uint8_t src, int16_t off,
                 int32_t imm)
{
    program[length++] = (struct bpf_insn) {
        .code = code, .dst_reg = dst, .src_reg = src, .off = off, .imm = imm,
    };
}

#define TO_OUT 0x7fff

static void alu(uint8_t op, uint8_t dst, int32_t imm)
{
    emit(BPF_ALU64 | op | BPF_K, dst, 0, 0, imm);
}

static void alu_reg(uint8_t op, uint8_t dst, uint8_t src)
{
    emit(BPF_ALU64 | op | BPF_X, dst, src, 0, 0);
}

/* r0 = the packet's byte or big-endian halfword at an offset; r6 is ctx. */
static void packet(uint8_t size, int32_t offset)
{
    emit(BPF_LD | size | BPF_ABS, 0, 0, 0, offset);
}

static void out_unless(uint8_t reg, int32_t value)
{
    emit(BPF_JMP | BPF_JNE | BPF_K, reg, 0, TO_OUT, value);
}

static void load_map(uint8_t dst, int fd)
{
    emit(BPF_LD | BPF_DW | BPF_IMM, dst, BPF_PSEUDO_MAP_FD, 0, fd);
    emit(0, 0, 0, 0, 0);
}

/* r0 = the value at the 32-bit key that is at r10 - 4. */
static void look_up(int fd)
{
    load_map(BPF_REG_1, fd);
    alu_reg(BPF_MOV, BPF_REG_2, BPF_REG_10);
    alu(BPF_ADD, BPF_REG_2, -4);
    emit(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem);
    emit(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, TO_OUT, 0);
}

/* Adds 1 to the bin r8 (group) * KINDS * BINS + kind * BINS + r9 (bin). */
static void count(int bins, unsigned kind)
{
    emit(BPF_JMP | BPF_JLE | BPF_K, BPF_REG_9, 0, 1, BINS - 1);
    alu(BPF_MOV, BPF_REG_9, BINS - 1);
    alu_reg(BPF_MOV, BPF_REG_1, BPF_REG_8);
    alu(BPF_MUL, BPF_REG_1, KINDS * BINS);
    alu(BPF_ADD, BPF_REG_1, kind * BINS);
    alu_reg(BPF_ADD, BPF_REG_1, BPF_REG_9);
    emit(BPF_STX | BPF_MEM | BPF_W, BPF_REG_10, BPF_REG_1, -4, 0);
    look_up(bins);
    emit(BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_1, BPF_REG_0, 0, 0);
    alu(BPF_ADD, BPF_REG_1, 1);
    emit(BPF_STX | BPF_MEM | BPF_DW, BPF_REG_0, BPF_REG_1, 0, 0);
}

/* Counts the packet in both histograms of group r8. */
static void count_both(int bins)
{
    emit(BPF_LDX | BPF_MEM | BPF_W, BPF_REG_9, BPF_REG_6,
         offsetof(struct __sk_buff, gso_segs), 0);
    count(bins, 0);
    emit(BPF_LDX | BPF_MEM | BPF_W, BPF_REG_9, BPF_REG_6,
         offsetof(struct __sk_buff, len), 0);
    alu(BPF_RSH, BPF_REG_9, 9);
    count(bins, 1);
}

static void finish(void)
{
    unsigned out = length;

    emit(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, TC_ACT_UNSPEC);
    emit(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
    for (unsigned i = 0; i < out; i++) {
        if (program[i].off == TO_OUT) {
            program[i].off = out - i - 1;
        }
    }
}

static void build(int state, int bins, unsigned port, unsigned group,
                  unsigned skip)
{
    alu_reg(BPF_MOV, BPF_REG_6, BPF_REG_1);
    packet(BPF_H, 12);                          /* IPv4, no options, TCP */
    out_unless(BPF_REG_0, 0x0800);
    packet(BPF_B, 14);
    out_unless(BPF_REG_0, 0x45);
    packet(BPF_B, 23);
    out_unless(BPF_REG_0, 6);
    packet(BPF_H, 36);
    out_unless(BPF_REG_0, port);
    packet(BPF_B, 46);                          /* r7 = bytes of payload */
    alu(BPF_RSH, BPF_REG_0, 4);
    alu(BPF_LSH, BPF_REG_0, 2);
    emit(BPF_LDX | BPF_MEM | BPF_W, BPF_REG_7, BPF_REG_6,
         offsetof(struct __sk_buff, len), 0);
    alu(BPF_SUB, BPF_REG_7, 34);
    alu_reg(BPF_SUB, BPF_REG_7, BPF_REG_0);
    emit(BPF_JMP | BPF_JSLE | BPF_K, BPF_REG_7, 0, TO_OUT, 0);

    emit(BPF_ST | BPF_MEM | BPF_W, BPF_REG_10, 0, -4, 0);
    look_up(state);                     /* r8 = packets, r7 = bytes so far */
    emit(BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_1, BPF_REG_0,
         offsetof(struct state, bytes), 0);
    alu_reg(BPF_ADD, BPF_REG_7, BPF_REG_1);
    emit(BPF_STX | BPF_MEM | BPF_DW, BPF_REG_0, BPF_REG_7,
         offsetof(struct state, bytes), 0);
    alu_reg(BPF_MOV, BPF_REG_7, BPF_REG_1);
    emit(BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_8, BPF_REG_0,
         offsetof(struct state, packets), 0);
    alu_reg(BPF_MOV, BPF_REG_1, BPF_REG_8);
    alu(BPF_ADD, BPF_REG_1, 1);
    emit(BPF_STX | BPF_MEM | BPF_DW, BPF_REG_0, BPF_REG_1,
         offsetof(struct state, packets), 0);

    alu(BPF_DIV, BPF_REG_8, group);
    emit(BPF_JMP | BPF_JLT | BPF_K, BPF_REG_8, 0, 1, REST);
    alu(BPF_MOV, BPF_REG_8, REST - 1);
    count_both(bins);

    emit(BPF_JMP | BPF_JLT | BPF_K, BPF_REG_7, 0, TO_OUT, skip);
    alu(BPF_MOV, BPF_REG_8, REST);
    count_both(bins);
    finish();
}

static unsigned number(const char *text, unsigned least, unsigned most)
{
    char *end;
    unsigned long value;

    errno = 0;
    value = strtoul(text, &end, 10);
    if (errno || end == text || *end || value < least || value > most) {
        fprintf(stderr, "lab-observe: %s: not a number from %u to %u\n", text,
                least, most);
        exit(2);
    }
    return value;
}

static void load(char **argv)
{
    static char log[65536];
    union bpf_attr attr;
    int state = make_array(sizeof(struct state), 1, "state map");
    int bins = make_array(sizeof(uint64_t), ENTRIES, "map of bins");
    int fd;

    build(state, bins, number(argv[1], 1, 65535),
          number(argv[2], 1, INT32_MAX), number(argv[3], 0, INT32_MAX));
    memset(&attr, 0, sizeof(attr));
    attr.prog_type = BPF_PROG_TYPE_SCHED_CLS;
    attr.insns = pointer(program);
    attr.insn_cnt = length;
    attr.license = pointer("GPL");
    attr.log_buf = pointer(log);
    attr.log_size = sizeof(log);
    attr.log_level = 1;
    fd = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
    if (fd < 0) {
        fputs(log, stderr);
        die("program");
    }
    pin(fd, argv[0], "program");
    pin(state, argv[0], "state");
    pin(bins, argv[0], "bins");
}

static void print(const char *directory)
{
    int bins = pinned(directory, "bins");

    for (uint32_t key = 0; key < ENTRIES; key++) {
        static const char *const kinds[KINDS] = { "segments", "size" };
        unsigned group = key / (KINDS * BINS);
        union bpf_attr attr;
        uint64_t value = 0;

        memset(&attr, 0, sizeof(attr));
        attr.map_fd = bins;
        attr.key = pointer(&key);
        attr.value = pointer(&value);
        bpf(BPF_MAP_LOOKUP_ELEM, &attr, "bins");
        if (!value) {
            continue;
        }
        if (group == REST) {
            printf("rest");
        } else {
            printf("%u", group);
        }
        printf(" %s %u %llu\n", kinds[key / BINS % KINDS],
               (unsigned)(key % BINS), (unsigned long long)value);
    }
}

int main(int argc, char **argv)
{
    if (argc == 6 && !strcmp(argv[1], "load")) {
        load(argv + 2);
    } else if (argc == 3 && !strcmp(argv[1], "print")) {
        print(argv[2]);
    } else {
        fprintf(stderr, "usage: %s load DIRECTORY PORT GROUP SKIP\n"
                "       %s print DIRECTORY\n", argv[0], argv[0]);
        return 2;
    }
    return 0;
}
