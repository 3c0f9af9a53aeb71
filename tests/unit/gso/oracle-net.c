/*
 * Taps, a bridge and a namespace for the kernel oracle
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <linux/ethtool.h>
#include <linux/if_tun.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>

#include "oracle-net.h"

#define QUEUE_LEN 30000
#define MAX_FEATURES 256

static int fail(const char *what, const char *name)
{
    fprintf(stderr, "gso-oracle: %s %s: %s\n", what, name, strerror(errno));
    return -1;
}

static int write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t n;

    if (fd < 0) {
        return fail("open", path);
    }
    n = write(fd, text, strlen(text));
    close(fd);
    return n < 0 ? fail("write", path) : 0;
}

static int map_root(unsigned uid, unsigned gid)
{
    char text[64];

    snprintf(text, sizeof(text), "0 %u 1\n", uid);
    if (write_file("/proc/self/setgroups", "deny") ||
        write_file("/proc/self/uid_map", text)) {
        return -1;
    }
    snprintf(text, sizeof(text), "0 %u 1\n", gid);
    return write_file("/proc/self/gid_map", text);
}

int net_enter_namespace(void)
{
    unsigned uid = geteuid();
    unsigned gid = getegid();

    if (unshare(CLONE_NEWNET | CLONE_NEWNS)) {
        if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS)) {
            return fail("unshare", "net");
        }
        if (map_root(uid, gid)) {
            return -1;
        }
    }
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("sysfs", "/sys", "sysfs", 0, NULL)) {
        return fail("mount", "/sys");
    }
    return 0;
}

int net_tap(const char *name, int flags)
{
    struct ifreq ifr = { .ifr_flags = (short)(IFF_TAP | IFF_NO_PI | flags) };
    int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0) {
        return fail("open", "/dev/net/tun");
    }
    snprintf(ifr.ifr_name, IFNAMSIZ, "%s", name);
    if (ioctl(fd, TUNSETIFF, &ifr)) {
        close(fd);
        return fail("TUNSETIFF", name);
    }
    return fd;
}

static int dev_ioctl(unsigned long request, struct ifreq *ifr)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int ret;

    if (fd < 0) {
        return fail("socket", ifr->ifr_name);
    }
    ret = ioctl(fd, request, ifr);
    if (ret) {
        fail("device ioctl", ifr->ifr_name);
    }
    close(fd);
    return ret;
}

/* By netlink: the ioctl wants privilege outside the namespace. */
static int set_queue_len(const char *name)
{
    struct {
        struct nlmsghdr n;
        struct ifinfomsg i;
        struct rtattr a;
        uint32_t len;
    } request = {
        .n = {
            .nlmsg_len = sizeof(request),
            .nlmsg_type = RTM_NEWLINK,
            .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
        },
        .i = { .ifi_index = (int)if_nametoindex(name) },
        .a = { .rta_len = RTA_LENGTH(4), .rta_type = IFLA_TXQLEN },
        .len = QUEUE_LEN,
    };
    struct {
        struct nlmsghdr n;
        struct nlmsgerr e;
        uint8_t rest[256];
    } reply = { .e = { .error = -EIO } };
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

    if (fd < 0 || send(fd, &request, sizeof(request), 0) < 0 ||
        recv(fd, &reply, sizeof(reply), 0) < 0) {
        fail("netlink", name);
    }
    if (fd >= 0) {
        close(fd);
    }
    errno = -reply.e.error;
    return reply.e.error ? fail("queue length of", name) : 0;
}

int net_up(const char *name)
{
    struct ifreq ifr = { .ifr_flags = IFF_UP };
    char path[128];

    snprintf(path, sizeof(path), "/proc/sys/net/ipv6/conf/%s/disable_ipv6",
             name);
    if (!access(path, F_OK) && write_file(path, "1")) {
        return -1;
    }
    if (set_queue_len(name)) {
        return -1;
    }
    snprintf(ifr.ifr_name, IFNAMSIZ, "%s", name);
    return dev_ioctl(SIOCSIFFLAGS, &ifr);
}

/*
 * A bridge that looks into packets drops those with a wrong IPv4 header
 * checksum and trims padding.
 */
static int be_transparent(const char *name)
{
    static const char *const knobs[] = {
        "/sys/class/net/%s/bridge/multicast_snooping",
        "/sys/class/net/%s/bridge/nf_call_iptables",
        "/sys/class/net/%s/bridge/nf_call_ip6tables",
        "/proc/sys/net/bridge/bridge-nf-call-iptables",
        "/proc/sys/net/bridge/bridge-nf-call-ip6tables",
    };
    char path[128];

    for (unsigned i = 0; i < sizeof(knobs) / sizeof(knobs[0]); i++) {
        snprintf(path, sizeof(path), knobs[i], name);
        if (!access(path, W_OK) && write_file(path, "0")) {
            return -1;
        }
    }
    return 0;
}

int net_bridge(const char *name, const char *port_a, const char *port_b)
{
    const char *const ports[] = { port_a, port_b };
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int ret = 0;

    if (fd < 0 || ioctl(fd, SIOCBRADDBR, name)) {
        ret = fail("bridge", name);
    }
    for (int i = 0; !ret && i < 2; i++) {
        struct ifreq ifr = { .ifr_ifindex = (int)if_nametoindex(ports[i]) };

        snprintf(ifr.ifr_name, IFNAMSIZ, "%s", name);
        if (ioctl(fd, SIOCBRADDIF, &ifr)) {
            ret = fail("bridge port", ports[i]);
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    if (ret || be_transparent(name)) {
        return -1;
    }
    return net_up(name);
}

/* The kernel thread "napi/NAME-ID", or 0. */
static int find_napi_thread(const char *name)
{
    char want[32];
    struct dirent *e;
    int pid = 0;
    DIR *proc = opendir("/proc");

    snprintf(want, sizeof(want), "napi/%s-", name);
    while (proc && !pid && (e = readdir(proc))) {
        char path[300];
        char comm[32] = "";
        FILE *f;

        snprintf(path, sizeof(path), "/proc/%s/comm", e->d_name);
        f = atoi(e->d_name) > 0 ? fopen(path, "re") : NULL;
        if (f) {
            if (fgets(comm, sizeof(comm), f) &&
                !strncmp(comm, want, strlen(want))) {
                pid = atoi(e->d_name);
            }
            fclose(f);
        }
    }
    if (proc) {
        closedir(proc);
    }
    return pid;
}

int net_undisturbed(bool on)
{
    struct sched_param param = { .sched_priority = on };

    if (sched_setscheduler(0, on ? SCHED_FIFO : SCHED_OTHER, &param)) {
        return fail("scheduling of", "the writer");
    }
    return 0;
}

int net_threaded(const char *name)
{
    char path[128];
    cpu_set_t cpu;
    int pid;

    snprintf(path, sizeof(path), "/sys/class/net/%s/threaded", name);
    if (write_file(path, "1")) {
        return -1;
    }
    pid = find_napi_thread(name);
    if (!pid) {
        errno = ESRCH;
        return fail("NAPI thread of", name);
    }
    CPU_ZERO(&cpu);
    CPU_SET(0, &cpu);
    if (sched_setaffinity(pid, sizeof(cpu), &cpu) ||
        sched_setaffinity(0, sizeof(cpu), &cpu)) {
        return fail("scheduling of", name);
    }
    return net_undisturbed(true) || net_undisturbed(false);
}

static int ethtool(const char *name, void *data)
{
    struct ifreq ifr = { .ifr_data = data };

    snprintf(ifr.ifr_name, IFNAMSIZ, "%s", name);
    return dev_ioctl(SIOCETHTOOL, &ifr);
}

/* Position of the feature in the kernel's list, or -1; its length. */
static int find_feature(const char *name, const char *feature, uint32_t *len)
{
    struct ethtool_gstrings *s;
    int found = -1;

    s = calloc(1, sizeof(*s) + MAX_FEATURES * ETH_GSTRING_LEN);
    if (!s) {
        return -1;
    }
    s->cmd = ETHTOOL_GSTRINGS;
    s->string_set = ETH_SS_FEATURES;
    if (!ethtool(name, s)) {
        *len = s->len;
        for (uint32_t i = 0; i < s->len && found < 0; i++) {
            const char *entry = (char *)s->data + i * ETH_GSTRING_LEN;

            found = strcmp(entry, feature) ? -1 : (int)i;
        }
    }
    free(s);
    return found;
}

int net_feature(const char *name, const char *feature)
{
    struct {
        struct ethtool_sfeatures head;
        struct ethtool_set_features_block block[MAX_FEATURES / 32];
    } set = { .head = { .cmd = ETHTOOL_SFEATURES } };
    uint32_t len = 0;
    int bit = find_feature(name, feature, &len);

    if (bit < 0 || len > MAX_FEATURES) {
        return 1;
    }
    set.head.size = (len + 31) / 32;
    set.block[bit / 32].valid = 1u << bit % 32;
    set.block[bit / 32].requested = 1u << bit % 32;
    return ethtool(name, &set) < 0 ? -1 : 0;
}

bool net_wait(int fd, int ms)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };

    return poll(&p, 1, ms) > 0;
}
