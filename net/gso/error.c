/*
 * Error codes in words
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "gso-int.h"

const char *gso_strerror(int error)
{
    static const char *const text[] = {
        [0] = "no error",
        [-GSO_E_PROTO] = "not TCP or UDP over IP in Ethernet II",
        [-GSO_E_FRAGMENT] = "an IP fragment",
        [-GSO_E_MALFORMED] = "a header contradicts itself or the frame",
        [-GSO_E_SIZE] = "gso_size is 0 or 65535",
        [-GSO_E_FLAGS] = "TCP SYN, RST or URG on data to be cut",
        [-GSO_E_TOO_BIG] = "longer than an IP length can say",
        [-GSO_E_SEGS] = "more segments than allowed",
        [-GSO_E_IPID] = "fixed IP ID wanted, but DF is clear",
        [-GSO_E_NOSPACE] = "buffer too short for a segment",
        [-GSO_E_IOV] = "iovec array too short for a segment",
        [-GSO_E_VNET] = "invalid virtio-net header",
        [-GSO_E_CONFIG] = "parameter out of range",
    };
    unsigned i = (unsigned)-error;

    if (i >= sizeof(text) / sizeof(text[0])) {
        return "unknown error";
    }
    return text[i];
}
