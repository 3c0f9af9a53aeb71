# SPDX-License-Identifier: GPL-2.0-or-later
"""The code behind ./mvlab, one module per job."""
