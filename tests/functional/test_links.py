# SPDX-License-Identifier: GPL-2.0-or-later
"""The cable comes and goes, machines reboot, and the far end stops reading: always under load."""
import threading

import lab
from mvlab_lib.servers import HttpServer
from wire import BROADCAST, PLUG, Wire, frame

FLAPS = lab.scaled(10, 200)
REBOOTS = lab.scaled(2, 50)
PING_1400 = 14 + 20 + 8 + 1400      # bytes of a frame with 1400 bytes of echo data


def wait_carrier(up):
    return f"until [ \"$(cat /sys/class/net/eth0/carrier)\" = {int(up)} ]; do :; done"


class Flood:
    """A context in which the far end sends broadcasts as fast as the guest's backend takes them."""

    def __init__(self, wire):
        self.wire, self.stopped = wire, threading.Event()
        self.thread = threading.Thread(target=self.work)

    def work(self):
        data = [frame(BROADCAST, size=size) for size in (60, 1514, 333)]
        while not self.stopped.is_set():
            for item in data:
                self.wire.send(item)
            self.wire.drain()

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.thread.join()


class LoadCase(lab.TestCase):

    def wait_for(self, guest, counter, more=100):
        """Waits until a counter of the port has grown."""
        target = guest.counter(counter) + more
        while guest.counter(counter) < target:
            pass


class Flaps(LoadCase):

    def test_c22_link_flaps_under_load(self):
        """A download is under way while the cable is pulled and plugged; the driver notices each time and no byte is lost."""
        guest = self.boot(netdevs=[lab.USER])
        guest.dhcp()
        with HttpServer(8 << 20) as web:
            fetch = f"wget -q -O - http://{lab.GATEWAY}:{web.port}/ | sha256sum"
            guest.run(f"touch /tmp/go; (while [ -e /tmp/go ]; do {fetch}; done >/tmp/sums) >/dev/null 2>&1 &")
            for _ in range(FLAPS):
                self.wait_for(guest, "rx-delivered")
                guest.set_link(False)
                guest.run(wait_carrier(False))
                guest.set_link(True)
                guest.run(wait_carrier(True))
            guest.run(f"rm /tmp/go; while pidof wget >/dev/null; do :; done; {fetch} >>/tmp/sums")
            sums = set(guest.run("cut -d' ' -f1 /tmp/sums").split())
            self.assertEqual(sums, {web.sha256})
        self.assertGreaterEqual(int(guest.run("cat /sys/class/net/eth0/carrier_down_count")), FLAPS)
        self.assertEqual(guest.complaints(), "")

    def test_c22_nothing_arrives_while_the_link_is_down(self):
        with Wire() as wire:
            guest = self.boot(netdevs=[wire.netdev])
            guest.run(f"ip link set eth0 up && {wait_carrier(True)}")
            guest.set_link(False)
            guest.run(wait_carrier(False))
            delivered = guest.counter("rx-delivered")
            guest.run("ip link set eth0 down; ip link set eth0 up")
            guest.set_link(True)
            guest.run(wait_carrier(True))
            self.assertEqual(guest.counter("rx-delivered"), delivered)
            offered = guest.counter("rx-offered")
            wire.send(frame(BROADCAST))
            guest.offered(offered + 1)
            self.assertEqual(guest.counter("rx-delivered"), delivered + 1)


class Reboots(LoadCase):

    def test_reboot_under_load(self):
        guest = self.boot(netdevs=[lab.USER])
        with HttpServer(8 << 20) as web:
            fetch = f"wget -q -O - http://{lab.GATEWAY}:{web.port}/ | sha256sum"
            for _ in range(REBOOTS):
                guest.dhcp()
                guest.run(f"(while :; do {fetch}; done) >/dev/null 2>&1 &")
                self.wait_for(guest, "rx-delivered")
                guest.agent.send("reboot -f")
                guest.booted()
            guest.dhcp()
            self.assertEqual(guest.run(fetch).split()[0], web.sha256)
        self.assertEqual(guest.complaints(), "")

    def test_a31_c21_system_reset_under_flood(self):
        """The machine is reset by the monitor while frames pour in, before and after; they must not disturb the next kernel."""
        with Wire() as wire:
            guest = self.boot(netdevs=[wire.netdev])
            for _ in range(REBOOTS):
                guest.run(f"ip link set eth0 up && {wait_carrier(True)}")
                with Flood(wire):
                    self.wait_for(guest, "rx-delivered")
                    guest.qmp.execute("system_reset")
                    guest.qmp.wait_event("RESET")
                    self.wait_for(guest, "rx-drop-port-disabled")
                guest.booted()
            guest.run(f"ip link set eth0 up && {wait_carrier(True)}")
            self.assertEqual(guest.complaints(), "")

    def test_a15_interface_down_and_reboot_while_the_far_end_reads_nothing(self):
        with Wire() as wire:
            guest = self.boot(netdevs=[wire.netdev])
            guest.run(f"ip link set eth0 up && {wait_carrier(True)} && ip addr add 192.0.2.1/24 dev eth0 && "
                      "arp -i eth0 -s 192.0.2.2 02:50:43:00:00:01")
            plugs = wire.clog()
            self.assertGreater(plugs, 0)
            sent = guest.counter("tx-frames")
            guest.agent.attempt("ping -q -c 300 -i 0.001 -s 1400 -w 5 192.0.2.2 >/dev/null")
            self.assertGreater(guest.counter("tx-frames") + guest.counter("tx-drop-backend"), sent)
            guest.run("ip link set eth0 down && ip link set eth0 up")
            guest.agent.send("reboot -f")
            guest.booted()
            arrived = []
            while arrived.count(PLUG) < plugs:
                arrived.append(wire.receive())
            self.assertNotIn(PING_1400, [len(frame) for frame in arrived])
            guest.run(f"ip link set eth0 up && {wait_carrier(True)}")


if __name__ == "__main__":
    lab.main()
