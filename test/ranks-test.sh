#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The leaf-spine program prints the same table without MPI and in one, two and four ranks, by both of ns-3's
# engines, with ns-3's TCP alone as with RNICs, with queues that overflow as without. Links that ranks cannot
# share are refused. Scenarios have the same metrics (ranks_scenarios.py).
# usage: IWARP_NS3_TREE=TREE test/ranks-test.sh, where TREE was built with --enable-mpi --enable-examples

set -euo pipefail
skip() { echo "skipped: $1"; exit 77; }
tree=${IWARP_NS3_TREE:-}
[ -n "$tree" ] || skip "IWARP_NS3_TREE names no ns-3 source tree that was built with --enable-mpi"
grep -q '^NS3_MPI:BOOL=ON' "$tree/cmake-cache/CMakeCache.txt" || skip "$tree was configured without --enable-mpi"
command -v mpirun >/dev/null || skip "there is no mpirun"
program=$(find "$tree/build" -name '*iwarp-leaf-spine-ranks*' -type f -perm -u+x | head -n 1)
[ -n "$program" ] || skip "$tree has no iwarp-leaf-spine-ranks: configure it with --enable-examples"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # for containers
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

network=(--leaves=4 --spines=2 --hosts=2 --time=20ms)
ranks() { timeout 300 mpirun --oversubscribe -n "$1" "$program" "${network[@]}" "${@:2}"; }
failed=0
# all flows end: 0, or some wait for a timeout when the run does: 1; then arguments
check() {
    local status=0
    "$program" "${network[@]}" --engine=none "${@:2}" >"$work/one" 2>/dev/null || status=$?
    [ "$status" = "$1" ] || { cat "$work/one"; echo "${*:2}: ended with $status"; failed=1; }
    for engine in granted-time null-message; do
        for n in 1 2 4; do
            ranks "$n" --engine="$engine" "${@:2}" >"$work/several" 2>"$work/log" || [ $? = "$1" ] ||
                { cat "$work/log"; failed=1; }
            sed -i '/^-----/,/^-----/d' "$work/several" # what mpirun says of the status
            cmp "$work/one" "$work/several" || { echo "$n ranks, $engine, ${*:2}: another table"; failed=1; }
        done
    done
}
check 0 --octets=200000
check 0 --octets=200000 --rnic=t5-like
check 1 --octets=1000000 --queue=20p
grep -q ', 0 sent again' "$work/one" && { echo "no queue overflowed"; failed=1; }

refused() {
    if ranks 2 "${@:2}" >"$work/log" 2>&1 || ! grep -q "$1" "$work/log"; then
        cat "$work/log"
        echo "${*:2}: not refused"
        failed=1
    fi
}
refused "takes at most 1800" --mtu=9000
python=${IWARP_PYTHON:-$(dirname "$0")/../.venv/bin/python} # which has what the package needs
[ -x "$python" ] || python=python3
"$python" "$(dirname "$0")/ranks_scenarios.py" "$tree" || failed=1
exit "$failed"
