# SPDX-License-Identifier: GPL-2.0-or-later
# The laboratory's boards and nothing else.
CONFIG_KIRKWOOD_BOARDS=y
# -device loader, which puts a file into the guest's memory
CONFIG_GENERIC_LOADER=y
# -device mvlab-peer, the far end of a network cable
CONFIG_MVLAB_PEER=y
