# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp bench`` with programs whose cost is known."""

import json
from types import SimpleNamespace

import pytest
from iwarp.analysis.ratios import ratio_of_pairs
from iwarp.development import benchmarks

PROGRAM = """#!/bin/sh
case "$*" in *--stack=mpa*) n=1 ;; *) n=2 ;; esac
case "$*" in *--octets=1\\ *) n=0 ;; esac
echo $((n * 50000))
"""
VALGRIND = """#!/bin/sh
for a; do case "$a" in --callgrind-out-file=*) out=${a#*=} ;; --stack=mpa) n=600 ;; --stack=tcp) n=800 ;; esac; done
echo "events: Ir" > "$out"; echo "summary: $n" >> "$out"
"""


def _script(path, text):
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Programs that print the processor time that they are taken to use."""
    used = []
    output = benchmarks._output

    def read(command):
        text = output(command)
        used.append(float(text or 0))
        return text

    def usage(_):
        return SimpleNamespace(ru_utime=sum(used), ru_stime=0.0)

    monkeypatch.setattr(benchmarks, "_output", read)
    monkeypatch.setattr(benchmarks, "resource", SimpleNamespace(getrusage=usage, RUSAGE_CHILDREN=None))
    _script(tmp_path / "mpa-bulk", PROGRAM)
    monkeypatch.setattr(benchmarks, "PROGRAMS", tmp_path)
    small = {n: benchmarks.Benchmark("mpa-bulk", ("--window=1",), 100, 100, 0.5, 2) for n in ("mpa_64k", "mpa_4m")}
    monkeypatch.setattr(benchmarks, "BENCHMARKS", small)
    return tmp_path


def test_instructions(cli, programs, monkeypatch):
    valgrind = _script(programs / "valgrind", VALGRIND)
    monkeypatch.setattr(benchmarks.shutil, "which", lambda name: valgrind)
    code, out, _ = cli("bench", "--json", "mpa_4m")
    result = json.loads(out)
    assert code == 0 and list(result) == ["mpa_4m"]
    wanted = {"ratio": 0.75, "target": 0.5, "ours": 6, "plain_tcp": 8, "measure": "instructions"}
    assert wanted.items() <= result["mpa_4m"].items()
    code, out, _ = cli("bench")
    assert code == 0 and out.count("0.750") == 2 and out.count("missed") == 2


def test_growth_of_an_event(cli, programs, monkeypatch):
    """Four times the hosts run 5 times the events by 6 times the instructions: each costs 1.2 times as much."""
    _script(programs / "fabric", '#!/bin/sh\ncase "$*" in *--hosts=64*) echo 500 ;; *) echo 100 ;; esac\n')
    counter = _script(
        programs / "valgrind",
        '#!/bin/sh\nfor a; do case "$a" in --callgrind-out-file=*) out=${a#*=} ;; --hosts=64) n=6000 ;; '
        '--hosts=16) n=1000 ;; esac; done\necho "summary: $n" > "$out"\nshift 3\nexec "$@"\n',
    )
    monkeypatch.setattr(benchmarks.shutil, "which", lambda name: counter)
    monkeypatch.setattr(benchmarks, "BENCHMARKS", {"growth": benchmarks.EventGrowth("fabric", (64, 16), 10, 1.5)})
    code, out, _ = cli("bench", "--json", "growth")
    result = json.loads(out)["growth"]
    wanted = {"ratio": pytest.approx(1.2), "ours": 12, "plain_tcp": None, "unit": "instructions/event"}
    assert code == 0 and wanted.items() <= result.items()


def test_without_a_terminal_each_benchmark_is_a_line(cli, programs, monkeypatch):
    monkeypatch.setattr(benchmarks.shutil, "which", lambda name: None)
    code, _, err = cli("bench")
    assert code == 0 and "\r" not in err and {"iwarp: mpa_64k", "iwarp: mpa_4m"} <= set(err.splitlines())


def test_time_where_valgrind_is_missing(cli, programs, monkeypatch):
    monkeypatch.setattr(benchmarks.shutil, "which", lambda name: None)
    code, out, err = cli("bench", "--json", "mpa_64k")
    result = json.loads(out)["mpa_64k"]
    assert code == 0 and result["measure"] == "time" and "valgrind is not installed" in err
    assert result["ratio"] == result["time_ratio"] == pytest.approx(0.5)
    assert result["time_interval"] == [pytest.approx(0.5)] * 2 and result["settled"] and result["pairs"] == 2


def test_interval_beside_the_ratio(cli, programs, monkeypatch):
    """Time varies from run to run: what is printed says how well the ratio is known, and when it is not."""
    costs = iter([3.0, 4.0, 4.0, 3.3, 3.0, 4.2])  # of both stacks in the order ABBA
    monkeypatch.setattr(benchmarks, "_call", lambda command: next(costs))
    whole = benchmarks.Benchmark("mpa-bulk", (), 0, 100, 0.5, 3, whole=True)
    monkeypatch.setattr(benchmarks, "BENCHMARKS", {"whole": whole})
    code, out, err = cli("bench", "--json")
    found = json.loads(out)["whole"]
    wanted = ratio_of_pairs([(3.0, 4.0), (3.3, 4.0), (3.0, 4.2)])
    assert code == 0 and found["pairs"] == 3 and not found["settled"]
    assert found["time_interval"] == [pytest.approx(wanted.low), pytest.approx(wanted.high)]
    assert found["time_ratio"] == pytest.approx(wanted.value)
    costs = iter([3.0, 4.0, 4.0, 3.3, 3.0, 4.2])
    code, out, err = cli("bench")
    assert f"{wanted.low:.3f} to {wanted.high:.3f}, 3 pairs *" in out and "limit of pairs" in err


def test_connections(cli, programs, monkeypatch):
    """Growth is of the cost without setting up, memory that of a connection more, time of whole runs."""
    work = """#!/bin/sh
for a; do case "$a" in
  --stack=mpa) m=2 ;; --stack=tcp) m=3 ;; --connections=*) c=${a#*=} ;; --octets=*) o=${a#*=} ;;
esac; done
case "$*" in *--memory*) echo $((1000 + m * c)); exit ;; esac
n=$((c * 1000 + o * 200)); [ $c -gt 1 ] && n=$((n + o * 100))
echo $((n * m / 2))
"""
    _script(programs / "mpa-connections", work)
    monkeypatch.setattr(benchmarks, "BENCHMARKS", {
        "growth": benchmarks.Growth("mpa-connections", 10, 1000, 1.6),
        "memory": benchmarks.Memory("mpa-connections", 11, 5, 0.5),
        "whole": benchmarks.Benchmark("mpa-connections", ("--connections=100",), 0, 1000, 0.7, 2, whole=True),
    })  # fmt: skip
    code, out, _ = cli("bench", "--json")
    results = json.loads(out)
    assert code == 0 and results["growth"]["ratio"] == pytest.approx(1.5)
    assert results["growth"]["plain_tcp"] is None
    assert {"ratio": 2 / 3, "ours": 2, "plain_tcp": 3}.items() <= results["memory"].items()
    assert results["whole"]["measure"] == "time" and results["whole"]["ratio"] == pytest.approx(2 / 3)
    code, out, _ = cli("bench", "memory")
    assert code == 0 and "missed" in out and "2 against 3 octets/connection" in out


def test_idle_memory(cli, programs, monkeypatch):
    """A queue pair's own memory is half of what a connection of them takes more than sockets do."""
    work = """#!/bin/sh
for a; do case "$a" in --stack=mpa) m=100 ;; --stack=socket) m=40 ;; --idle=*) n=${a#*=} ;; esac; done
echo $((5000 + m * n))
"""
    _script(programs / "rdma-write-bulk", work)
    idle = benchmarks.IdleMemory("rdma-write-bulk", 20, 40)
    monkeypatch.setattr(benchmarks, "BENCHMARKS", {"idle": idle})
    code, out, _ = cli("bench", "--json")
    result = json.loads(out)["idle"]
    assert code == 0 and {"ratio": 0.75, "target": 1.0, "ours": 30, "plain_tcp": None}.items() <= result.items()


def test_failures(cli, programs):
    _script(programs / "mpa-bulk", "#!/bin/sh\necho 'mpa-bulk: 3 of 100 octets arrived' >&2; exit 1\n")
    code, out, err = cli("bench", "--json")
    assert (code, out) == (1, "") and "3 of 100 octets arrived" in err.splitlines()[-1]
    (programs / "mpa-bulk").unlink()
    assert "./iwarp build" in cli("bench")[2]
    assert cli("bench", "mpa_46k")[0] == 2
