#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Installs the build and links a script that is no part of it, once by the CMake package and once by
# iwarp.pc. The script takes a checksum in an ns-3 event, and its value is known.

set -euo pipefail
command -v pkg-config >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$IWARP_BUILD_DIR" --prefix "$work/prefix" >"$work/log" || { cat "$work/log"; exit 1; }

cat >"$work/script.cc" <<'END'
#include "ns3/core-module.h"
#include "ns3/mpa-crc32c.h"

#include <cstring>
#include <iostream>

int
main()
{
    ns3::MpaCrc32c crc;
    ns3::Simulator::Schedule(ns3::Seconds(1), [&crc] {
        const char* text = "123456789";
        crc.Update(reinterpret_cast<const uint8_t*>(text), std::strlen(text));
    });
    ns3::Simulator::Run();
    ns3::Simulator::Destroy();
    std::cout << std::hex << crc.GetValue() << std::endl;
}
END
cat >"$work/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.13)
project(script LANGUAGES CXX)
find_package(iwarp REQUIRED)
add_executable(script script.cc)
target_link_libraries(script iwarp::iwarp)
END

cmake -S "$work" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix"
cmake --build "$work/build"
# the check value of CRC32c in the catalogue of parametrised CRC algorithms
[ "$("$work/build/script")" = e3069283 ]

pc=$(dirname "$(find "$work/prefix" -name iwarp.pc)")
flags() { PKG_CONFIG_PATH=$pc pkg-config "$@" iwarp; }
# shellcheck disable=SC2046
c++ $(flags --cflags) "$work/script.cc" $(flags --libs) -o "$work/script"
[ "$("$work/script")" = e3069283 ]
