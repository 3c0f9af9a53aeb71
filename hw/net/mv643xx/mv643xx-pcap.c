/*
 * Marvell mv643xx Gigabit Ethernet unit: captures of the wire
 *
 * The frames of both lanes of a port's wire in the pcap format with
 * nanoseconds, stamped with virtual time: a transmitted frame with its wire
 * end, a received one with the arrival of its last bit.  They stand there as
 * a host's captures have them, without preamble and FCS.
 *
 * Each frame is written at once and whole, so the file is good at any time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "mv643xx-internal.h"
#include "qapi/error.h"
#include "qemu/bswap.h"
#include "qemu/error-report.h"
#include "qemu/iov.h"
#include "qemu/timer.h"

#define PCAP_MAGIC_NS       0xa1b23c4d
#define PCAP_MAJOR          2
#define PCAP_MINOR          4
#define PCAP_ETHERNET       1
#define PCAP_HEADER_SIZE    24
#define PCAP_RECORD_SIZE    16

struct MV643xxPcap {
    int fd;
    bool regular;
    off_t end;          /* of what is written */
    char *name;
};

static void pcap_free(MV643xxPcap *pcap)
{
    if (pcap) {
        if (pcap->fd >= 0) {
            close(pcap->fd);
        }
        g_free(pcap->name);
        g_free(pcap);
    }
}

/* Take an open file for this capture alone, and empty it. */
static bool claim(MV643xxPcap *pcap, Error **errp)
{
    struct stat st;

    pcap->regular = fstat(pcap->fd, &st) == 0 && S_ISREG(st.st_mode);
    if (!pcap->regular) {
        return true;
    }
    if (qemu_lock_fd(pcap->fd, 0, 0, true) == -EAGAIN) {
        error_setg(errp, "pcap: %s is being written by another capture; "
                   "each port needs a file of its own", pcap->name);
        return false;
    }
    if (ftruncate(pcap->fd, 0) < 0) {
        error_setg_errno(errp, errno, "pcap: cannot empty %s", pcap->name);
        return false;
    }
    return true;
}

static bool write_header(MV643xxPcap *pcap, Error **errp)
{
    uint8_t header[PCAP_HEADER_SIZE] = { 0 };
    ssize_t done;

    stl_le_p(header, PCAP_MAGIC_NS);
    stw_le_p(header + 4, PCAP_MAJOR);
    stw_le_p(header + 6, PCAP_MINOR);
    stl_le_p(header + 16, MV643XX_TX_MAX_FRAME);
    stl_le_p(header + 20, PCAP_ETHERNET);
    done = write(pcap->fd, header, sizeof(header));
    if (done != sizeof(header)) {
        error_setg_errno(errp, done < 0 ? errno : ENOSPC,
                         "pcap: cannot write to %s", pcap->name);
        return false;
    }
    pcap->end = sizeof(header);
    return true;
}

static MV643xxPcap *pcap_new(const char *name, Error **errp)
{
    MV643xxPcap *pcap = g_new0(MV643xxPcap, 1);

    pcap->name = g_strdup(name);
    /* nothing waits for whoever reads a pipe */
    pcap->fd = qemu_create(name, O_WRONLY | O_NONBLOCK, 0666, errp);
    if (pcap->fd < 0) {
        error_prepend(errp, "pcap: ");
    }
    if (pcap->fd < 0 || !claim(pcap, errp) || !write_header(pcap, errp)) {
        pcap_free(pcap);
        return NULL;
    }
    return pcap;
}

const char *mv643xx_pcap_name(const MV643xxPort *port)
{
    return port->pcap ? port->pcap->name : "";
}

bool mv643xx_pcap_set(MV643xxPort *port, const char *name, Error **errp)
{
    MV643xxPcap *pcap = NULL;

    if (g_str_equal(name, mv643xx_pcap_name(port))) {
        return true;
    }
    if (*name) {
        pcap = pcap_new(name, errp);
        if (!pcap) {
            return false;
        }
    }
    pcap_free(port->pcap);
    port->pcap = pcap;
    return true;
}

/* The capture ends, with the last frame that is whole. */
static void give_up(MV643xxPort *port, int error)
{
    MV643xxPcap *pcap = port->pcap;

    if (pcap->regular && ftruncate(pcap->fd, pcap->end) < 0) {
        error = errno;
    }
    error_report("pcap: %s: %s; the capture ends here", pcap->name,
                 strerror(error));
    pcap_free(pcap);
    port->pcap = NULL;
}

void mv643xx_pcap_frame(MV643xxPort *port, const uint8_t *frame, uint32_t len,
                        int64_t ns)
{
    uint8_t header[PCAP_RECORD_SIZE];
    struct iovec iov[] = {
        { .iov_base = header, .iov_len = sizeof(header) },
        { .iov_base = (void *)frame, .iov_len = len },
    };
    ssize_t done;

    if (!port->pcap) {
        return;
    }
    stl_le_p(header, ns / NANOSECONDS_PER_SECOND);
    stl_le_p(header + 4, ns % NANOSECONDS_PER_SECOND);
    stl_le_p(header + 8, len);
    stl_le_p(header + 12, len);
    done = RETRY_ON_EINTR(writev(port->pcap->fd, iov, ARRAY_SIZE(iov)));
    if (done != sizeof(header) + len) {
        give_up(port, done < 0 ? errno : ENOSPC);
        return;
    }
    port->pcap->end += done;
}
