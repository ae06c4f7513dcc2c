#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the machine for `./iwarp interop` from Debian bookworm's packages: a kernel, its soft-iWARP driver (siw) with
# the driver's constants as parameters, its host and target of NVMe/TCP, and a root file system in memory with rdma-core
# and perftest.
#
# usage: build.sh DIR, as root; DIR then holds vmlinuz, initrd.cpio, siw.ko, rdma-peer, nvme-pattern and versions.txt
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(realpath -m "$1")
work=$out/work
export DEBIAN_FRONTEND=noninteractive LC_ALL=C

fail() {
    echo "$*" >&2
    exit 1
}

rm -rf "$work"
mkdir -p "$work"/{debs,image,source}

# the newest kernel for which the headers are there: its package has to be the archive's too
kernel=$(readlink -f /usr/src/linux-headers-*-amd64 | sed 's|.*/linux-headers-||' | sort -V | tail -1)
[ -e "/lib/modules/$kernel/build" ] || fail "no headers of a kernel: apt-get install linux-headers-amd64"
echo "kernel $kernel"
(
    cd "$work/debs"
    apt-get download "linux-image-$kernel" linux-source-6.1 || {
        apt-get update
        apt-get download "linux-image-$kernel" linux-source-6.1
    }
) || fail "the archive has no linux-image-$kernel (any more): apt-get install linux-headers-amd64, then try again"
dpkg -x "$work"/debs/linux-image-*.deb "$work/image"
dpkg -x "$work"/debs/linux-source-*.deb "$work/source"
driver=drivers/infiniband/sw/siw
tar -xJf "$work"/source/usr/src/linux-source-6.1.tar.xz -C "$work/source" --strip-components=1 --wildcards "*/$driver/*"

echo "siw, its constants as parameters, their values as they were"
cd "$work/source/$driver"
for name in zcopy_tx try_gso loopback_enabled mpa_crc_required mpa_crc_strict siw_tcp_nagle peer_to_peer; do
    sed -i -E "s/^const bool ($name)\b/bool \1/" siw_main.c
    sed -i -E "s/^extern const bool ($name);/extern bool \1;/" siw.h
    echo "module_param($name, bool, 0644);" >> siw_main.c
done
echo 'module_param_named(mpa_version, mpa_version, byte, 0644);' >> siw_main.c
# 0x8000 in the packet is an RDMA Write of no octets, 0x4000 an RDMA Read; read here as the machine stores them
rtr='MPA_V2_RDMA_READ_RTR | MPA_V2_RDMA_WRITE_RTR'
sed -i -E "s/^static __be16 rtr_type = .*/static __be16 rtr_type = $rtr;\nmodule_param_named(rtr_type, rtr_type, ushort, 0644);/" \
    siw_cm.c
name=relaxed_ird_negotiation
sed -i -E "s/^static (const )?bool $name = (.*);/static bool $name = \2;\nmodule_param($name, bool, 0644);/" siw_cm.c
make -C "/lib/modules/$kernel/build" M="$PWD" CONFIG_RDMA_SIW=m modules > "$work/siw.log" 2>&1 ||
    fail "siw does not compile: $(tail -3 "$work/siw.log")"
strip -g -o "$out/siw.ko" siw.ko

echo "the peer"
gcc -O1 -Wall -o "$out/rdma-peer" "$here/rdma-peer.c" -lrdmacm -libverbs
gcc -O1 -Wall -o "$out/nvme-pattern" "$here/nvme-pattern.c"

echo "root file system"
sources=/etc/apt/sources.list.d/debian.sources
[ -e "$sources" ] || sources=/etc/apt/sources.list
packages=rdma-core,ibverbs-providers,ibverbs-utils,rdmacm-utils,perftest,iproute2,iputils-ping,tcpdump,ethtool,kmod
mmdebstrap --mode=root --variant=minbase --include="$packages,busybox-static,procps" bookworm "$work/root" "$sources" \
    > "$work/root.log" 2>&1 || fail "mmdebstrap failed: $(tail -3 "$work/root.log")"
root=$work/root
rm -rf "$root"/usr/share/{doc,man,locale,info} "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/*
modules=$root/lib/modules/$kernel
mkdir -p "$modules/kernel"
for part in crypto arch/x86/crypto lib net/9p net/core net/sched net/ipv4 net/ipv6 net/llc net/802 net/xfrm \
    drivers/infiniband/core drivers/infiniband/sw drivers/net/virtio_net.ko drivers/net/net_failover.ko drivers/virtio \
    drivers/nvme drivers/char/hw_random block fs/9p fs/netfs fs/fscache fs/configfs; do
    (cd "$work/image/lib/modules/$kernel/kernel" && cp -a --parents "$part" "$modules/kernel")
done
cp "$work/image/lib/modules/$kernel"/modules.{builtin,builtin.modinfo,order} "$modules/"
/sbin/depmod -b "$root" "$kernel" 2> /dev/null
install -m 755 "$here/init" "$root/init"
(cd "$root" && find . -xdev -path './dev/*' -prune -o -print | cpio -o -H newc --quiet) > "$out/initrd.cpio"
cp "$work/image/boot/vmlinuz-$kernel" "$out/vmlinuz"
{
    echo "linux-image $(dpkg-deb -f "$work"/debs/linux-image-*.deb Version)"
    for package in rdma-core perftest; do
        echo "$package $(dpkg-query --admindir="$root/var/lib/dpkg" -W -f '${Version}' "$package")"
    done
} > "$out/versions.txt"
cd /
rm -rf --one-file-system "$work"
