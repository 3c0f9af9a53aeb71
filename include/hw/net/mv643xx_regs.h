/*
 * Marvell mv643xx Gigabit Ethernet unit: register offsets and bit fields
 *
 * Names and numbers only, shared by the device and its tests.  Reset values,
 * write masks and side effects are not here: the device has them in its
 * register table, the tests state what they expect themselves.
 *
 * Offsets of a port's registers are relative to the block named in the
 * heading above them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_NET_MV643XX_REGS_H
#define HW_NET_MV643XX_REGS_H

#define MV643XX_MMIO_SIZE       0x4000
#define MV643XX_MAX_PORTS       3
#define MV643XX_QUEUES          8
#define MV643XX_WINDOWS         6
#define MV643XX_REMAPS          4

/* Blocks of the unit, p = port number */
#define MV_PORT_BASE(p)         (0x0400 + 0x400 * (p))
#define MV_MIB_BASE(p)          (0x1000 + 0x80 * (p))
#define MV_SMC_BASE(p)          (0x1400 + 0x400 * (p))
#define MV_OMC_BASE(p)          (0x1500 + 0x400 * (p))
#define MV_UC_BASE(p)           (0x1600 + 0x400 * (p))
#define MV_PORT_SIZE            0x400
#define MV_MIB_SIZE             0x80
#define MV_MC_SIZE              0x100
#define MV_UC_SIZE              0x10

/* Unit registers */
#define MV_PHY_ADDR             0x0000
#define MV_SMI                  0x0004
#define MV_EUDA                 0x0008
#define MV_EUDID                0x000c
#define MV_EU_AUX               0x0014
#define MV_EUIC                 0x0080
#define MV_EUIM                 0x0084
#define MV_EUEA                 0x0094
#define MV_EUIAE                0x0098
#define MV_EU_PAD0              0x00a0
#define MV_EU_PAD1              0x00a4
#define MV_EU_PAD2              0x00a8
#define MV_EUC                  0x00b0
#define MV_WIN_BASE(n)          (0x0200 + 8 * (n))
#define MV_WIN_SIZE(n)          (0x0204 + 8 * (n))
#define MV_HDR_RETARGET_BASE    0x0230
#define MV_HDR_RETARGET_CTRL    0x0234
#define MV_WIN_REMAP(n)         (0x0280 + 4 * (n))
#define MV_BARE                 0x0290
#define MV_EPAP(p)              (0x0294 + 4 * (p))

#define MV_SMI_DATA_MASK        0x0000ffffu
#define MV_SMI_PHY_SHIFT        16
#define MV_SMI_REG_SHIFT        21
#define MV_SMI_OP_READ          (1u << 26)
#define MV_SMI_READ_VALID       (1u << 27)
#define MV_SMI_BUSY             (1u << 28)

#define MV_EUIC_SUM             (1u << 0)
#define MV_EUIC_PARITY          (1u << 1)
#define MV_EUIC_ADDR_VIOLATION  (1u << 2)
#define MV_EUIC_ADDR_NO_MATCH   (1u << 3)
#define MV_EUIC_SMI_DONE        (1u << 4)
#define MV_EUIC_COUNTER_WRAP    (1u << 5)
#define MV_EUIC_INT_ADDR_ERR    (1u << 7)
#define MV_EUIC_P0_PARITY       (1u << 9)
#define MV_EUIC_TOP_PARITY      (1u << 12)

#define MV_EUC_PORT_RESET       (1u << 24)
#define MV_EUC_PORT_RESET_ALT   (1u << 20)

#define MV_BARE_MASK            0x0000003fu
#define MV_EPAP_NONE            0u
#define MV_EPAP_READ            1u
#define MV_EPAP_FULL            3u

/* Port registers, relative to MV_PORT_BASE */
#define MV_PXC                  0x0000
#define MV_PXCX                 0x0004
#define MV_MII_SERIAL           0x0008
#define MV_GMII_SERIAL          0x000c
#define MV_EVLANE               0x0010
#define MV_MACL                 0x0014
#define MV_MACH                 0x0018
#define MV_SDC                  0x001c
#define MV_DSCP(n)              (0x0020 + 4 * (n))
#define MV_PSC0                 0x003c
#define MV_VPT2P                0x0040
#define MV_PS0                  0x0044
#define MV_TQC                  0x0048
#define MV_PSC1                 0x004c
#define MV_PS1                  0x0050
#define MV_MARVELL_HEADER       0x0054
#define MV_FIFO_PARAM           0x0058
#define MV_OLD_BUCKET           0x005c
#define MV_IC                   0x0060
#define MV_ICE                  0x0064
#define MV_IM                   0x0068
#define MV_IME                  0x006c
#define MV_RX_FIFO_URGENT       0x0070
#define MV_PTFUT                0x0074
#define MV_TX_FIFO_THRESHOLD    0x0078
#define MV_PMFS                 0x007c
#define MV_PXDFC                0x0084
#define MV_PXOFC                0x0088
#define MV_PORT_IAE             0x0094
#define MV_ARP_IP0              0x0098
#define MV_ARP_IP1              0x009c
#define MV_SERDES_CONFIG        0x00a0
#define MV_SERDES_STATUS        0x00a4
#define MV_ETHERTYPE_PRIO       0x00bc
#define MV_TX_FIXED_PRIO        0x00dc
#define MV_TX_RATE              0x00e0
#define MV_TQC1                 0x00e4
#define MV_TX_MTU               0x00e8
#define MV_TX_BUCKET            0x00ec
#define MV_CLKDIV0              0x00f4
#define MV_CLKDIV1              0x00f8
#define MV_RX_SHADOW_STS(q)     (0x0200 + 0x10 * (q))
#define MV_RX_SHADOW_CNT(q)     (0x0204 + 0x10 * (q))
#define MV_RX_SHADOW_BUF(q)     (0x0208 + 0x10 * (q))
#define MV_CRDP(q)              (0x020c + 0x10 * (q))
#define MV_RQC                  0x0280
#define MV_TCSDP                0x0284
#define MV_TCQDP(q)             (0x02c0 + 4 * (q))
#define MV_TXQ_COUNT(q)         (0x0300 + 0x10 * (q))
#define MV_TXQ_CONFIG(q)        (0x0304 + 0x10 * (q))
#define MV_TXQ_ARBITER(q)       (0x0308 + 0x10 * (q))
#define MV_TX_TOKENS            0x0380
#define MV_EJP_IPG2             0x03a8
#define MV_EJP_IPG3             0x03b8
#define MV_EJP_TOKEN(n)         (0x03c0 + 4 * (n))
#define MV_EJP_SPEED            0x03d0

#define MV_PXC_UPM              (1u << 0)
#define MV_PXC_RXQ_SHIFT        1
#define MV_PXC_ARPQ_SHIFT       4
#define MV_PXC_RB               (1u << 7)
#define MV_PXC_RBIP             (1u << 8)
#define MV_PXC_RBARP            (1u << 9)
#define MV_PXC_TCP_CAP          (1u << 14)
#define MV_PXC_UDP_CAP          (1u << 15)
#define MV_PXC_TCPQ_SHIFT       16
#define MV_PXC_UDPQ_SHIFT       19
#define MV_PXC_BPDUQ_SHIFT      22
#define MV_PXC_RXCS             (1u << 25)

#define MV_PXCX_SPAN            (1u << 1)
#define MV_PXCX_TX_CRC_DIS      (1u << 3)

#define MV_PSC0_PORT_EN         (1u << 0)
#define MV_PSC0_FORCE_PASS      (1u << 1)
#define MV_PSC0_AN_DUPLEX_DIS   (1u << 2)
#define MV_PSC0_AN_FC_DIS       (1u << 3)
#define MV_PSC0_PAUSE_ADV       (1u << 4)
#define MV_PSC0_RESERVED_ONE    (1u << 9)
#define MV_PSC0_NO_FORCE_FAIL   (1u << 10)
#define MV_PSC0_AN_SPEED_DIS    (1u << 13)
#define MV_PSC0_MRU_SHIFT       17
#define MV_PSC0_FULL_DUPLEX     (1u << 21)
#define MV_PSC0_FC_EN           (1u << 22)
#define MV_PSC0_GMII_1000       (1u << 23)
#define MV_PSC0_MII_100         (1u << 24)

#define MV_PSC1_RGMII           (1u << 3)
#define MV_PSC1_PORT_RESET      (1u << 4)

#define MV_PS0_LINK             (1u << 1)
#define MV_PS0_FULL_DUPLEX      (1u << 2)
#define MV_PS0_FC               (1u << 3)
#define MV_PS0_GMII_1000        (1u << 4)
#define MV_PS0_MII_100          (1u << 5)
#define MV_PS0_TX_IN_PROGRESS   (1u << 7)
#define MV_PS0_TX_FIFO_EMPTY    (1u << 10)

#define MV_PS1_AN_DONE          (1u << 4)

#define MV_SDC_RIFB             (1u << 0)
#define MV_SDC_BLMR             (1u << 4)
#define MV_SDC_BLMT             (1u << 5)
#define MV_SDC_SWAP             (1u << 6)
#define MV_SDC_IPG_RX_SHIFT     7
#define MV_SDC_IPG_RX_MASK      0x7fffu
#define MV_SDC_IPG_RX_MSB       (1u << 25)

#define MV_PTFUT_IPG_TX_SHIFT   4
#define MV_PTFUT_IPG_TX_MASK    0xffffu

#define MV_TXQ_CONFIG_RATE_MASK 0x3ffu
#define MV_TXQ_CONFIG_SIZE_SHIFT 10

#define MV_QC_ENABLE_MASK       0x000000ffu
#define MV_QC_DISABLE_SHIFT     8

#define MV_IC_RX                (1u << 0)
#define MV_IC_EXT               (1u << 1)
#define MV_IC_RXQ(q)            (1u << (2 + (q)))
#define MV_IC_RXQ_MASK          0x000003fcu
#define MV_IC_RXERR             (1u << 10)
#define MV_IC_RXERRQ(q)         (1u << (11 + (q)))
#define MV_IC_RXERRQ_MASK       0x0007f800u
#define MV_IC_TXEND(q)          (1u << (19 + (q)))
#define MV_IC_TXEND_MASK        0x07f80000u
#define MV_IC_SUM               (1u << 31)

#define MV_ICE_TXBUF(q)         (1u << (q))
#define MV_ICE_TXBUF_MASK       0x000000ffu
#define MV_ICE_TXERR(q)         (1u << (8 + (q)))
#define MV_ICE_TXERR_MASK       0x0000ff00u
#define MV_ICE_PHY_STC          (1u << 16)
#define MV_ICE_PTP              (1u << 17)
#define MV_ICE_RX_OVR           (1u << 18)
#define MV_ICE_TX_UDR           (1u << 19)
#define MV_ICE_LINK             (1u << 20)
#define MV_ICE_SERDES           (1u << 21)
#define MV_ICE_INT_ADDR_ERR     (1u << 23)
#define MV_ICE_SYNC             (1u << 24)
#define MV_ICE_PRBS             (1u << 25)
#define MV_ICE_SUM              (1u << 31)

/* MIB counters, relative to MV_MIB_BASE */
#define MV_MIB_RX_OCTETS_LO     0x00
#define MV_MIB_RX_OCTETS_HI     0x04
#define MV_MIB_RX_BAD_OCTETS    0x08
#define MV_MIB_TX_MAC_ERR       0x0c
#define MV_MIB_RX_FRAMES        0x10
#define MV_MIB_RX_BAD_FRAMES    0x14
#define MV_MIB_RX_BROADCAST     0x18
#define MV_MIB_RX_MULTICAST     0x1c
#define MV_MIB_SIZE_64          0x20
#define MV_MIB_SIZE_65_127      0x24
#define MV_MIB_SIZE_128_255     0x28
#define MV_MIB_SIZE_256_511     0x2c
#define MV_MIB_SIZE_512_1023    0x30
#define MV_MIB_SIZE_1024_MAX    0x34
#define MV_MIB_TX_OCTETS_LO     0x38
#define MV_MIB_TX_OCTETS_HI     0x3c
#define MV_MIB_TX_FRAMES        0x40
#define MV_MIB_EXC_COLLISION    0x44
#define MV_MIB_TX_MULTICAST     0x48
#define MV_MIB_TX_BROADCAST     0x4c
#define MV_MIB_UNREC_MAC_CTRL   0x50
#define MV_MIB_FC_SENT          0x54
#define MV_MIB_FC_GOOD          0x58
#define MV_MIB_FC_BAD           0x5c
#define MV_MIB_UNDERSIZE        0x60
#define MV_MIB_FRAGMENTS        0x64
#define MV_MIB_OVERSIZE         0x68
#define MV_MIB_JABBER           0x6c
#define MV_MIB_RX_MAC_ERR       0x70
#define MV_MIB_BAD_CRC          0x74
#define MV_MIB_COLLISIONS       0x78
#define MV_MIB_LATE_COLLISION   0x7c

/* Filter table entries: one byte each, entry e in lane e % 4 of word e / 4 */
#define MV_FILTER_PASS          0x01u
#define MV_FILTER_QUEUE_SHIFT   1

/* Descriptor: four 32-bit words; offsets of the little-endian layout */
#define MV_DESC_SIZE            16
#define MV_DESC_CMD_STS         0
/* [15:0] buffer size or l4i_chk, [31:16] byte count */
#define MV_DESC_SIZE_CNT        4
#define MV_DESC_BUF             8
#define MV_DESC_NEXT            12

#define MV_RXD_ES               (1u << 0)
#define MV_RXD_CODE_SHIFT       1
#define MV_RXD_CODE_CRC         0u
#define MV_RXD_CODE_OVERRUN     1u
#define MV_RXD_CODE_MAX_LEN     2u
#define MV_RXD_CODE_RESOURCE    3u
#define MV_RXD_L4_SUM_SHIFT     3
#define MV_RXD_VLAN             (1u << 19)
#define MV_RXD_BPDU             (1u << 20)
#define MV_RXD_L4_TYPE_SHIFT    21
#define MV_RXD_L4_TCP           0u
#define MV_RXD_L4_UDP           1u
#define MV_RXD_L4_OTHER         2u
#define MV_RXD_ETHERNET_II      (1u << 23)
#define MV_RXD_IPV4             (1u << 24)
#define MV_RXD_IP_OK            (1u << 25)
#define MV_RXD_L                (1u << 26)
#define MV_RXD_F                (1u << 27)
#define MV_RXD_UNKNOWN_DA       (1u << 28)
#define MV_RXD_EI               (1u << 29)
#define MV_RXD_L4_OK            (1u << 30)
#define MV_RXD_O                (1u << 31)
#define MV_RXD_SIZE_FRAGMENT    (1u << 2)   /* in the buffer size field */
#define MV_RX_PAD               2           /* bytes before the frame */
#define MV_FCS_LEN              4

#define MV_TXD_ES               (1u << 0)
#define MV_TXD_CODE_SHIFT       1
#define MV_TXD_LLC_SNAP         (1u << 9)
#define MV_TXD_L4_FULL          (1u << 10)
#define MV_TXD_IHL_SHIFT        11
#define MV_TXD_VLAN             (1u << 15)
#define MV_TXD_UDP              (1u << 16)
#define MV_TXD_GEN_L4           (1u << 17)
#define MV_TXD_GEN_IP           (1u << 18)
#define MV_TXD_ZP               (1u << 19)
#define MV_TXD_L                (1u << 20)
#define MV_TXD_F                (1u << 21)
#define MV_TXD_GC               (1u << 22)
#define MV_TXD_EI               (1u << 23)
#define MV_TXD_AM               (1u << 30)
#define MV_TXD_O                (1u << 31)

#endif
