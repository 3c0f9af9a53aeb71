/*
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * lab-entropy: lets the kernel believe that its random numbers are seeded.
 * Until it does it hashes its whole pool for each of them, which no machine
 * that has been up for a minute does; a guest without noise never gets there.
 */

#include <fcntl.h>
#include <linux/random.h>
#include <stdio.h>
#include <sys/ioctl.h>

int main(void)
{
    static const struct {
        struct rand_pool_info info;
        unsigned data[16];
    } seed = { .info = { .entropy_count = 512, .buf_size = 64 } };
    int fd = open("/dev/urandom", O_WRONLY);

    if (fd < 0 || ioctl(fd, RNDADDENTROPY, &seed)) {
        perror("lab-entropy: /dev/urandom");
        return 1;
    }
    return 0;
}
