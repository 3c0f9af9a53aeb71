/*
 * Reading and writing frames that are cut into pieces
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "gso-int.h"

size_t gso_iov_size(const struct iovec *iov, unsigned iovcnt)
{
    size_t size = 0;

    for (unsigned i = 0; i < iovcnt; i++) {
        size += iov[i].iov_len;
    }
    return size;
}

size_t gso_iov_read(const struct iovec *iov, unsigned iovcnt, size_t off,
                    void *buf, size_t len)
{
    uint8_t *d = buf;
    size_t done = 0;

    for (; iovcnt && done < len; iov++, iovcnt--) {
        size_t n;

        if (off >= iov->iov_len) {
            off -= iov->iov_len;
            continue;
        }
        n = GSO_MIN(iov->iov_len - off, len - done);
        memcpy(d + done, (const uint8_t *)iov->iov_base + off, n);
        done += n;
        off = 0;
    }
    return done;
}

size_t gso_iov_write(const struct iovec *iov, unsigned iovcnt, size_t off,
                     const void *buf, size_t len)
{
    const uint8_t *s = buf;
    size_t done = 0;

    for (; iovcnt && done < len; iov++, iovcnt--) {
        size_t n;

        if (off >= iov->iov_len) {
            off -= iov->iov_len;
            continue;
        }
        n = GSO_MIN(iov->iov_len - off, len - done);
        memcpy((uint8_t *)iov->iov_base + off, s + done, n);
        done += n;
        off = 0;
    }
    return done;
}

const uint8_t *gso_iov_head(const struct iovec *iov, unsigned iovcnt,
                            size_t len, uint8_t *scratch)
{
    if (iovcnt && iov->iov_len >= len) {
        return iov->iov_base;
    }
    gso_iov_read(iov, iovcnt, 0, scratch, len);
    return scratch;
}
