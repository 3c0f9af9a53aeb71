/*
 * Names of verdicts and of reasons to deliver
 *
 * Copyright (c) 2026 The mvlab authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "gso-int.h"

const char *gso_verdict_name(GsoVerdict verdict)
{
    static const char *const name[GSO_V_COUNT] = {
        [GSO_V_HELD] = "held",
        [GSO_V_MERGED] = "merged",
        [GSO_V_MERGED_PUSH] = "merged-push",
        [GSO_V_MERGED_SHORT] = "merged-short",
        [GSO_V_MERGED_FULL] = "merged-full",
        [GSO_V_DIFF_TTL] = "diff-ttl",
        [GSO_V_DIFF_TOS] = "diff-tos",
        [GSO_V_DIFF_DF] = "diff-df",
        [GSO_V_DIFF_IP_ID] = "diff-ip-id",
        [GSO_V_DIFF_FLAGS] = "diff-flags",
        [GSO_V_DIFF_CWR] = "diff-cwr",
        [GSO_V_DIFF_WINDOW] = "diff-window",
        [GSO_V_DIFF_ACK] = "diff-ack",
        [GSO_V_DIFF_OPTIONS] = "diff-options",
        [GSO_V_DIFF_URGENT] = "diff-urgent",
        [GSO_V_DIFF_SEQ] = "diff-seq",
        [GSO_V_DIFF_LONGER] = "diff-longer",
        [GSO_V_DIFF_TOO_BIG] = "diff-too-big",
        [GSO_V_DIFF_PIECES] = "diff-pieces",
        [GSO_V_PASS_TYPE] = "pass-type",
        [GSO_V_PASS_NOT_IP] = "pass-not-ip",
        [GSO_V_PASS_NOT_L4] = "pass-not-l4",
        [GSO_V_PASS_FRAGMENT] = "pass-fragment",
        [GSO_V_PASS_OPTIONS] = "pass-options",
        [GSO_V_PASS_LENGTH] = "pass-length",
        [GSO_V_PASS_IP_CSUM] = "pass-ip-csum",
        [GSO_V_PASS_L4_CSUM] = "pass-l4-csum",
        [GSO_V_PASS_NO_CSUM] = "pass-no-csum",
        [GSO_V_PASS_CSUM_FORM] = "pass-csum-form",
        [GSO_V_PASS_EMPTY] = "pass-empty",
        [GSO_V_PASS_FLAGS] = "pass-flags",
        [GSO_V_PASS_SUPER] = "pass-super",
        [GSO_V_PASS_PIECES] = "pass-pieces",
        [GSO_V_PASS_BUSY] = "pass-busy",
    };

    return (unsigned)verdict < GSO_V_COUNT ? name[verdict] : "unknown";
}

const char *gso_close_name(GsoClose reason)
{
    static const char *const name[GSO_CLOSE_COUNT] = {
        [GSO_CLOSE_MERGED] = "merged",
        [GSO_CLOSE_DIFF] = "diff",
        [GSO_CLOSE_PASS] = "pass",
        [GSO_CLOSE_EVICT] = "evict",
        [GSO_CLOSE_POLL] = "poll",
        [GSO_CLOSE_DEADLINE] = "deadline",
        [GSO_CLOSE_AGE] = "age",
        [GSO_CLOSE_DEMAND] = "demand",
    };

    return (unsigned)reason < GSO_CLOSE_COUNT ? name[reason] : "unknown";
}
