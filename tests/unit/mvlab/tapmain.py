# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the unittest cases of the calling program with TAP output."""
import unittest

import pycotap


def main():
    log = pycotap.LogMode.LogToDiagnostics
    unittest.main(testRunner=pycotap.TAPTestRunner(message_log=log, test_output_log=log))
