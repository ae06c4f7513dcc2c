#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in the machine: siw on the network card, then whatever appears in /host/queue, one script at a time. A script NAME
# leaves NAME.log, NAME.siw.pcap, NAME.listening as soon as a server listens, and NAME.status once it is over, in /host/out.
out=/host/out
mkdir -p "$out" /host/queue
for module in virtio_net ib_core ib_cm iw_cm rdma_cm ib_uverbs rdma_ucm crc32c libcrc32c; do
    modprobe "$module" || echo "modprobe $module failed"
done
insmod /host/siw.ko || {
    echo "insmod siw failed"
    dmesg | tail
    exit 1
}
sleep 1
card=$(basename "$(ls -d /sys/class/net/e*)")
export card PEER=/host/rdma-peer
ulimit -l unlimited
for offload in tso gso gro tx rx; do
    ethtool -K "$card" "$offload" off > /dev/null 2>&1
done
ip link set lo up
ip link set "$card" up mtu 1500
ip addr add 10.8.0.2/24 dev "$card"
ip -6 addr add fd08::2/64 dev "$card" nodad
ip route add 10.9.0.0/24 via 10.8.0.1
rdma link add siw0 type siw netdev "$card"
rdma link show

# set NAME VALUE...: parameters of the driver
set_driver() {
    while [ $# -gt 1 ]; do
        echo "$2" > "/sys/module/siw/parameters/$1" || echo "cannot set $1"
        shift 2
    done
}
# ping_client OPTIONS...: rping's client, whose thread of events may read from the channel that it has just closed
ping_client() {
    rping -c "$@" > /tmp/rping.log 2>&1
    local status=$?
    cat /tmp/rping.log
    if [ "$status" = 255 ] && grep -q 'rdma_get_cm_event: Bad file descriptor' /tmp/rping.log; then
        status=0
    fi
    return "$status"
}
# protect MODE HERE THERE ALGORITHMS...: TCP with the simulated host, which is THERE, by ESP with static keys
protect() {
    local mode=$1 here=$2 there=$3 module
    shift 3
    for module in esp4 esp6 xfrm_user xfrm4_tunnel xfrm6_tunnel tunnel4 tunnel6 gcm ctr authenc seqiv echainiv rfc7539 \
        chacha20poly1305 cbc sha1_generic sha256_generic aes_generic hmac; do
        modprobe "$module" 2> /dev/null
    done
    ip xfrm state add src "$there" dst "$here" proto esp spi 0x1001 mode "$mode" replay-window 64 "$@" || return 1
    ip xfrm state add src "$here" dst "$there" proto esp spi 0x2001 mode "$mode" replay-window 64 "$@" || return 1
    ip xfrm policy add src "$here" dst "$there" proto 6 dir out \
        tmpl src "$here" dst "$there" proto esp mode "$mode" || return 1
    ip xfrm policy add src "$there" dst "$here" proto 6 dir in \
        tmpl src "$there" dst "$here" proto esp mode "$mode"
}
# what the kernel counted, without lines that count nothing
xfrm_counters() {
    grep -v '[[:space:]]0$' /proc/net/xfrm_stat
    ip -s xfrm state | grep -E 'spi|bytes|replay'
}
NQN=nqn.2014-08.org.nvmexpress:uuid:iwarp
# nvme_connect ADDRESS PORT OPTIONS: Linux's host connects, and its namespace appears as /dev/nvme0n1
nvme_connect() {
    modprobe nvme-tcp || return 1
    echo "transport=tcp,traddr=$1,trsvcid=$2,nqn=$NQN${3:+,$3}" > /dev/nvme-fabrics || return 1
    for _ in $(seq 200); do
        [ -b /dev/nvme0n1 ] && return 0
        sleep 0.05
    done
    echo "there is no namespace"
    return 1
}
# nvme_copy OCTETS BLOCK COUNT: random octets to the namespace, behind its first OCTETS, and back, past the cache
nvme_copy() {
    local skip=$(($1 / $2))
    dd if=/dev/urandom of=/tmp/written bs="$2" count="$3" 2> /dev/null
    dd if=/tmp/written of=/dev/nvme0n1 bs="$2" seek="$skip" oflag=direct 2>&1 || return 1
    dd if=/dev/nvme0n1 of=/tmp/read bs="$2" skip="$skip" count="$3" iflag=direct 2>&1 || return 1
    cmp /tmp/written /tmp/read || {
        echo "CONTENT BAD of what was read back"
        return 1
    }
    echo "$(($2 * $3)) octets are as they were written"
}
nvme_disconnect() {
    echo 1 > /sys/class/nvme/nvme0/delete_controller
}
# nvme_serve ADDRESS PORT FILE: Linux's target with a file as its namespace, until a host has come and gone
nvme_serve() {
    modprobe nvmet-tcp || return 1
    mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
    local nvmet=/sys/kernel/config/nvmet family=ipv4
    case $1 in *:*) family=ipv6 ;; esac
    mkdir "$nvmet/subsystems/$NQN"
    echo 1 > "$nvmet/subsystems/$NQN/attr_allow_any_host"
    mkdir "$nvmet/subsystems/$NQN/namespaces/1"
    echo -n "$3" > "$nvmet/subsystems/$NQN/namespaces/1/device_path"
    echo 1 > "$nvmet/subsystems/$NQN/namespaces/1/buffered_io"
    echo 1 > "$nvmet/subsystems/$NQN/namespaces/1/enable" || return 1
    mkdir "$nvmet/ports/1"
    echo tcp > "$nvmet/ports/1/addr_trtype"
    echo "$family" > "$nvmet/ports/1/addr_adrfam"
    echo "$1" > "$nvmet/ports/1/addr_traddr"
    echo "$2" > "$nvmet/ports/1/addr_trsvcid"
    ln -s "$nvmet/subsystems/$NQN" "$nvmet/ports/1/subsystems/" || return 1
    touch /tmp/serving
    # a host may have left before its connections are looked for
    until dmesg | grep -q 'nvmet: creating .* controller'; do sleep 0.05; done
    while nvme_hosts "$2"; do sleep 0.05; done
}
# nvme_hosts PORT: whether a host is connected
nvme_hosts() {
    ss -Htn state established "sport = :$1" | grep -q .
}
# what there was of NVMe/TCP goes
nvme_restore() {
    local controller nvmet=/sys/kernel/config/nvmet
    for controller in /sys/class/nvme/nvme*/delete_controller; do
        [ -e "$controller" ] && echo 1 > "$controller"
    done
    rm -f /tmp/serving "$nvmet/ports/1/subsystems/$NQN"
    [ -e "$nvmet/subsystems/$NQN" ] && rmdir "$nvmet/ports/1" "$nvmet/subsystems/$NQN/namespaces/1" \
        "$nvmet/subsystems/$NQN"
}
export NQN
export -f set_driver ping_client protect xfrm_counters nvme_connect nvme_copy nvme_disconnect nvme_serve nvme_hosts

# What a script finds: all as it was after boot
restore() {
    set_driver mpa_crc_required 0 mpa_crc_strict 0 mpa_version 2 peer_to_peer 0 try_gso 0 siw_tcp_nagle 0 zcopy_tx 1 \
        rtr_type 192 relaxed_ird_negotiation 1
    ip link set "$card" mtu 1500
    ip xfrm policy flush 2> /dev/null
    ip xfrm state flush 2> /dev/null
    nvme_restore 2> /dev/null
}

touch /host/ready
while [ ! -e /host/halt ]; do
    for script in /host/queue/*.sh; do
        [ -e "$script" ] || continue
        name=$(basename "$script" .sh)
        mv "$script" "/tmp/$name.sh"
        tcpdump -Z root --immediate-mode -i "$card" -s 0 -U -B 32768 -w "/tmp/$name.pcap" ip or ip6 2> "/tmp/$name.err" &
        capture=$!
        for _ in $(seq 100); do
            grep -q listening "/tmp/$name.err" 2> /dev/null && break
            sleep 0.05
        done
        restore
        dmesg -C
        timeout "$(cat /host/limit)" bash "/tmp/$name.sh" > "$out/$name.log" 2>&1 &
        script=$!
        while kill -0 "$script" 2> /dev/null && [ ! -e /tmp/serving ] && ! rdma resource show cm_id | grep -q LISTEN; do
            sleep 0.05
        done
        touch "$out/$name.listening"
        wait "$script"
        status=$?
        sleep 0.5
        kill "$capture"
        wait "$capture" 2> /dev/null
        dmesg >> "$out/$name.log"
        cp "/tmp/$name.pcap" "$out/$name.siw.pcap"
        rm -f "/tmp/$name".*
        echo "$status" > "$out/$name.writing"
        mv "$out/$name.writing" "$out/$name.status"
    done
    sleep 0.05
done
