#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Installs the build and links the README's first program, once by the README's CMake lines and once by
# iwarp.pc. The program prints what the README says, and its pcap files hold the FPDUs. Nothing that is installed
# points back to where it was built: the prefix goes on working when the clone, with its .venv, is gone.

set -euo pipefail
command -v pkg-config >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$IWARP_BUILD_DIR" --prefix "$work/prefix" >"$work/log" || { cat "$work/log"; exit 1; }

block() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/{/^\`\`\`/d;p}" "$IWARP_SOURCE_DIR/README.md"; }
block cpp >"$work/first.cc"
{
    echo 'cmake_minimum_required(VERSION 3.13)'
    echo 'project(first LANGUAGES CXX)'
    block cmake
} >"$work/CMakeLists.txt"
expected=$(sed -n 's/^It prints `\([^`]*\)`.*/\1/p' "$IWARP_SOURCE_DIR/README.md")

# files that name the clone or the wheel in it, and libraries that a program finds there
wheel=$(sed -n "s/^IWARP_NS3_WHEEL:PATH=//p" "$IWARP_BUILD_DIR/CMakeCache.txt")
outside() { grep -F -e "$IWARP_SOURCE_DIR" -e "$IWARP_BUILD_DIR" ${wheel:+-e "$wheel"} "$@"; }
[ -z "$(outside -rIl "$work/prefix")" ]
independent() { [ -z "$(ldd "$1" | outside)" ] && ! ldd "$1" | grep -F "not found"; }

cmake -S "$work" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix"
cmake --build "$work/build"
cd "$work"
independent build/first
[ "$(build/first)" = "$expected" ]
frames() { tshark -r first-0.pcap -Y "$1" 2>/dev/null | wc -l; }
if command -v tshark >/dev/null; then
    [ "$(frames iwarp_mpa.rep)" = 1 ]
    [ "$(frames iwarp_mpa.fpdu)" -gt 100 ]
    [ "$(frames _ws.malformed)" = 0 ]
fi

pc=$(dirname "$(find prefix -name iwarp.pc)")
flags() { PKG_CONFIG_PATH=$pc pkg-config "$@" iwarp; }
# shellcheck disable=SC2046
c++ $(flags --cflags) first.cc $(flags --libs) -o first
[ "$(./first)" = "$expected" ]
independent first

# the example of emulation, where ns-3 has what it needs
emulation=$(flags --variable=emulation_libs)
if [ -n "$emulation" ]; then
    # shellcheck disable=SC2046,SC2086
    c++ $(flags --cflags) prefix/share/iwarp/examples/iwarp-live.cc $(flags --libs) $emulation -o live
    ./live --simulated=true --role=ping-server | grep -q "^LIVE GOOD"
    independent live
fi
