# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the unittest cases of the calling program with TAP output."""
import unittest

import pycotap


def add_subtest(result, test, subtest, err):
    """Lets the first failed subtest fail its test: pycotap itself has no result for a test with failed subtests."""
    if err is not None and result.failed_in is not test:
        result.failed_in = test
        result.message.write(f"{subtest}\n")
        result.addFailure(test, err)


def main():
    log = pycotap.LogMode.LogToDiagnostics
    pycotap.TAPTestResult.failed_in = None
    pycotap.TAPTestResult.addSubTest = add_subtest
    unittest.main(testRunner=pycotap.TAPTestRunner(message_log=log, test_output_log=log))
