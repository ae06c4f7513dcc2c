#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Makes the captures of this folder anew, with other keys: as root, with openssl, tcpdump and iproute2.
# Calls itself in a network of its own, where the loopback link has Ethernet's MTU.

set -eu
folder=$(cd "$(dirname "$0")" && pwd)
if [ "${1:-}" != inside ]; then
    exec unshare -n "$0" inside
fi
ip link set lo mtu 1500 up
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out cert.pem \
    -days 3650 -subj /CN=server 2> /dev/null
seq 1 9000 | head -c 40000 > forth
seq 9000 -1 1 | head -c 30000 > back

# what the server sends, options; serves two connections, of which only the second need be captured
serve() {
    local input=$1
    shift
    eval "$input" | openssl s_server -accept 4433 -cert cert.pem -key key.pem -quiet -naccept 2 "$@" > /dev/null 2>&1 &
    server=$!
    sleep 0.5
}

# what the client sends, options
connect() {
    local input=$1
    shift
    eval "$input" | openssl s_client -connect 127.0.0.1:4433 -tls1_3 "$@" > /dev/null 2>&1 || true
}

# name, what the client sends, options of the client: the captured connection
capture() {
    local name=$1
    shift
    tcpdump -q -i lo -U -w "$work/$name.pcap" tcp port 4433 2> /dev/null &
    local dump=$!
    sleep 1
    connect "$@" -keylogfile "$work/$name.keys"
    kill $server 2> /dev/null || true
    wait $server 2> /dev/null || true
    sleep 0.5
    kill $dump
    wait $dump 2> /dev/null || true
    cp "$work/$name.pcap" "$folder/$name.pcap"
    grep -v '^#' "$work/$name.keys" > "$folder/$name.keys" # comments say when it was written
}

rm -f "$folder"/*.pcap "$folder"/*.keys
data='(sleep 1; cat forth; sleep 2)'
back='(sleep 1.5; cat back; sleep 3)'
words='(sleep 1; for word in one K two k three K four; do echo $word; sleep 0.3; done; sleep 1; echo Q)'
answer='(sleep 1.5; echo an answer; sleep 4)'

suite=(-ciphersuites TLS_AES_128_GCM_SHA256)
serve "$back" "${suite[@]}"
capture aes128 "$data" "${suite[@]}" -quiet -no_ign_eof

suite=(-ciphersuites TLS_AES_256_GCM_SHA384 -record_padding 512)
serve "$back" "${suite[@]}"
capture aes256-padding "$data" "${suite[@]}" -quiet -no_ign_eof

suite=(-ciphersuites TLS_CHACHA20_POLY1305_SHA256 -max_send_frag 1024)
serve "$back" "${suite[@]}"
capture chacha-fragments "$data" "${suite[@]}" -quiet -no_ign_eof

suite=(-ciphersuites TLS_AES_128_GCM_SHA256)
serve "$answer" "${suite[@]}"
capture aes128-updates "$words" "${suite[@]}"

suite=(-ciphersuites TLS_AES_256_GCM_SHA384)
serve "(sleep 8)" "${suite[@]}"
connect '(sleep 1; echo Q)' "${suite[@]}" -sess_out session.pem
capture aes256-resumed '(sleep 1; echo one; sleep 0.5; echo Q)' "${suite[@]}" -sess_in session.pem
