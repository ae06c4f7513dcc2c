#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What `pip wheel .` puts into a wheel runs by itself: the files that CMake installs for it, with the library of this
# build, and the Python package beside them. Nothing is taken from, or points to, the clone.

set -euo pipefail
cached() { sed -n "s/^$1:[A-Z]*=//p" "$IWARP_BUILD_DIR/CMakeCache.txt"; }
[ "$(cached IWARP_NS3)" = wheel ] || exit 77 # the Python package needs ns-3 from PyPI
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wheel=$("$IWARP_PYTHON" -c 'import ns3; print(ns3.__path__[0])')

cmake -S "$IWARP_SOURCE_DIR" -B "$work/build" -G Ninja -DSKBUILD=ON -DIWARP_NS3_WHEEL="$wheel" -DIWARP_PCH=OFF >"$work/log" ||
    { cat "$work/log"; exit 1; }
mkdir -p "$work/build/lib"
cp -P "$IWARP_BUILD_DIR"/lib/libiwarp.so* "$work/build/lib"
cmake --install "$work/build" --prefix "$work/site" >"$work/log" || { cat "$work/log"; exit 1; }
cp -r "$IWARP_SOURCE_DIR/python/iwarp/." "$work/site/iwarp"
find "$work/site" -name __pycache__ -prune -exec rm -r {} +
[ -z "$(grep -rIlF -e "$IWARP_SOURCE_DIR" -e "$IWARP_BUILD_DIR" "$work/site")" ]

[ -f "$work/site/iwarp/_lib/data/googlerpc2008.csv" ] # the library would look into its clone else

# sizes of messages come from a data file, which is found beside the library
cd "$work"
env -u IWARP_BUILD_DIR -u IWARP_SOURCE_DIR -u IWARP_DATA PYTHONPATH="$work/site" "$IWARP_PYTHON" - "$work/site" <<'END'
import sys
import iwarp
from iwarp import studies
from iwarp.runs import loader
places = loader.find()
assert str(places.library).startswith(sys.argv[1]), places
assert not str(places.ns3_libraries[0]).startswith(sys.argv[1]), places  # in a process once, with all of the wheel
result = iwarp.run(octets=100_000, message_sizes="cdf:googlerpc2008", workload="rdma-write", plain_tcp=False)
assert result["payload_octets"] == 100_000, result
assert all(studies.get(name).title for name in studies.NAMES)
END
env -u IWARP_BUILD_DIR -u IWARP_SOURCE_DIR PYTHONPATH="$work/site" "$IWARP_PYTHON" -m iwarp --help >/dev/null

# runs need neither the wheel of ns-3 nor cppyy, which it asks for
mkdir "$work/others"
for package in "$(dirname "$wheel")"/*; do
    case $(basename "$package") in
    ns | ns3* | *cppyy* | iwarp*) ;;
    *) ln -s "$package" "$work/others" ;;
    esac
done
env -u IWARP_BUILD_DIR -u IWARP_SOURCE_DIR -u IWARP_DATA PYTHONPATH="$work/site:$work/others" "$IWARP_PYTHON" -S - "$work/site" <<'END'
import importlib.util
import sys
import iwarp
from iwarp.runs import loader
assert not importlib.util.find_spec("ns3") and not importlib.util.find_spec("cppyy")
places = loader.find()
assert all(str(path).startswith(sys.argv[1]) for path in places.ns3_libraries), places
assert iwarp.run(octets=100_000, plain_tcp=False)["payload_octets"] == 100_000
assert len(iwarp.sweep({"loss": [0, 0.01], "octets": 100_000}, runs=2)) == 4
try:
    iwarp.load()
except iwarp.IwarpError as error:
    assert 'pip install "iwarp[scripts]"' in str(error), error
else:
    raise AssertionError("there are no headers of ns-3 to load")
END
