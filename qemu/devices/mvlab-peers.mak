# SPDX-License-Identifier: GPL-2.0-or-later
# The boards that the laboratory compares with: palmetto-bmc, versatilepb with PCI network cards, imx25-pdk.
include mvlab.mak
CONFIG_ASPEED_SOC=y
CONFIG_VERSATILE=y
CONFIG_FSL_IMX25=y
CONFIG_E1000_PCI=y
CONFIG_VIRTIO_PCI=y
CONFIG_VIRTIO_NET=y
