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
# protect MODE ALGORITHMS...: TCP with the simulated host by ESP with static keys
protect() {
    local mode=$1 module
    shift
    for module in esp4 xfrm_user xfrm4_tunnel tunnel4 gcm ctr authenc seqiv echainiv rfc7539 chacha20poly1305 cbc \
        sha1_generic sha256_generic aes_generic hmac; do
        modprobe "$module" 2> /dev/null
    done
    ip xfrm state add src 10.8.0.1 dst 10.8.0.2 proto esp spi 0x1001 mode "$mode" replay-window 64 "$@" || return 1
    ip xfrm state add src 10.8.0.2 dst 10.8.0.1 proto esp spi 0x2001 mode "$mode" replay-window 64 "$@" || return 1
    ip xfrm policy add src 10.8.0.2 dst 10.8.0.1 proto 6 dir out \
        tmpl src 10.8.0.2 dst 10.8.0.1 proto esp mode "$mode" || return 1
    ip xfrm policy add src 10.8.0.1 dst 10.8.0.2 proto 6 dir in \
        tmpl src 10.8.0.1 dst 10.8.0.2 proto esp mode "$mode"
}
# what the kernel counted, without lines that count nothing
xfrm_counters() {
    grep -v '[[:space:]]0$' /proc/net/xfrm_stat
    ip -s xfrm state | grep -E 'spi|bytes|replay'
}
export -f set_driver ping_client protect xfrm_counters

# What a script finds: all as it was after boot
restore() {
    set_driver mpa_crc_required 0 mpa_crc_strict 0 mpa_version 2 peer_to_peer 0 try_gso 0 siw_tcp_nagle 0 zcopy_tx 1 \
        rtr_type 192 relaxed_ird_negotiation 1
    ip link set "$card" mtu 1500
    ip xfrm policy flush 2> /dev/null
    ip xfrm state flush 2> /dev/null
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
        while kill -0 "$script" 2> /dev/null && ! rdma resource show cm_id | grep -q LISTEN; do
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
