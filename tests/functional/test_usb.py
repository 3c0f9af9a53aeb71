# SPDX-License-Identifier: GPL-2.0-or-later
"""A root file system on a USB disk: Linux runs from it, writes to it, and finds what it wrote after a reboot."""
import shutil
import subprocess

import lab

MEGABYTES = 128


class UsbRoot(lab.TestCase):

    def image(self):
        """An ext4 image of the guest's user space."""
        path = self.directory / "root.img"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        subprocess.run([shutil.which("mke2fs", path="/sbin:/usr/sbin"), "-q", "-t", "ext4", "-L", "mvlab", "-d", lab.guest.ROOTFS, path,
                        f"{MEGABYTES}M"], check=True, stdout=subprocess.DEVNULL)
        return path

    def test_root_on_usb_survives_a_reboot(self):
        image = self.image()
        guest = self.boot(netdevs=[lab.USER], drives=[image], append=f"{lab.AGENT} mvlab_root=sda")
        self.assertRegex(guest.run("grep ' / ' /proc/mounts"), r"(?m)^/dev/sda / ext4 rw")
        self.assertEqual(guest.run("cat /sys/block/sda/size").split(), [str(MEGABYTES << 11)])
        wrote = guest.run("mkdir /kept && dd if=/dev/urandom of=/kept/data bs=64k count=256 2>/dev/null && sha256sum /kept/data").split()[0]
        guest.run("sync && mount -o remount,ro /")
        guest.agent.send("reboot -f")
        guest.booted()
        self.assertRegex(guest.run("grep ' / ' /proc/mounts"), r"(?m)^/dev/sda / ext4 rw")
        self.assertEqual(guest.run("sha256sum /kept/data").split()[0], wrote)
        self.assertEqual(guest.dhcp(), "10.0.2.15")
        self.assertEqual(guest.complaints(), "")
        guest.run("sync && mount -o remount,ro /")
        guest.close()
        checked = subprocess.run([shutil.which("e2fsck", path="/sbin:/usr/sbin"), "-f", "-n", image], capture_output=True, text=True, check=False)
        self.assertEqual(checked.returncode, 0, checked.stdout)


if __name__ == "__main__":
    lab.main()
