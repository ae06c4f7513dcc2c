# SPDX-License-Identifier: GPL-2.0-only
"""The library by its C interface: what people do most parses no C++ header."""

import concurrent.futures
import json
import os
import subprocess
import sys
from pathlib import Path

import iwarp
import pytest
from iwarp.runs import loader

try:
    loader.find()
except iwarp.IwarpError:
    pytest.skip("the library is not built", allow_module_level=True)

HERE = Path(__file__).resolve().parent
CAPTURE = HERE.parents[1] / "test" / "data" / "captures" / "raw_crc1_badcrc.pcap"
FEW = "octets=10000, plain_tcp=False"


@pytest.mark.parametrize(
    "code",
    [
        f"iwarp.run({FEW})",
        f"iwarp.sweep({{'octets': [1000, 2000]}})",
        "iwarp.params(), iwarp.params('retx'), iwarp.metrics()",
        f"list(iwarp.decode({str(CAPTURE)!r}))",
        "from iwarp.cli import main; main(['run', 'octets=10000', 'plain_tcp=no'])",
        "from iwarp.cli import main; main(['params', '--json'])",
    ],
)
def test_no_header_is_parsed(code):
    """cppyy takes most of a second to come and parses headers: it is for functions of Python's and C++ classes only."""
    code = f"import sys; sys.path.insert(0, {str(HERE.parent)!r}); import iwarp; {code}; print('cppyy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1:] == ["False"], done.stderr


def test_a_function_changes_nothing_else():
    """A run through cppyy, with a function that looks on, gives the numbers of one that does without."""
    given = {"octets": 100_000, "loss": 0.01, "plain_tcp": False}
    seen = []
    assert dict(iwarp.run(**given)) == dict(iwarp.run(**given, observe=seen.append))


@pytest.mark.parametrize("text", ['a"b', "a\\b", "a\tb", "grün"])
def test_texts_reach_cpp_and_come_back_as_they_are(text):
    with pytest.raises(iwarp.UsageError) as error:
        iwarp.run(message_sizes=f"fixed:{text}")
    assert " ".join(text.split()) in str(error.value)


def test_sizes_and_intervals_take_units():
    """One message of 10,000 octets each 5 ms: the second is posted 5 ms after the first, and ends some round trips
    later."""
    few = {"octets": 20_000, "plain_tcp": False, "start_spread": "0s"}
    by_units = iwarp.run(message_sizes="fixed:10kB", intervals="fixed:5ms", **few)
    assert dict(by_units) == dict(iwarp.run(message_sizes="fixed:10000", intervals="fixed:0.005", **few))
    assert by_units["messages"] == 2 and by_units["duration"] > 5e-3
    with pytest.raises(iwarp.UsageError, match="fixed:5us"):
        iwarp.run(message_sizes="fixed:5us")


def test_a_null_character_is_refused():
    with pytest.raises(iwarp.IwarpError, match="null character"):
        iwarp.run(pcap="a\0b")


def test_qualified_parameters_are_those_of_the_type():
    (found,) = [p for p in iwarp.params("MpaStream.SilentDrop").values() if p.name == "MpaStream.SilentDrop"]
    assert (found.type, found.default) == ("bool", False)
    assert json.dumps(found.to_json())


def test_every_parameter_of_the_scenario_has_a_group():
    from iwarp.parameters.groups import GROUPS, group_of

    groups = {name: group_of(param) for name, param in iwarp.params().items()}
    assert [name for name, group in groups.items() if group == "other"] == []
    assert set(groups.values()) == set(GROUPS) - {"other"}
    assert (groups["mtu"], groups["markers"], groups["sack"], groups["loss"]) == ("network", "mpa", "tcp", "path")


def test_help_names_parameters_as_they_are_typed():
    params = iwarp.params()
    typed = {param.attribute for param in params.values() if not param.attribute.islower()}
    for param in params.values():
        words = param.help.replace("(", " ").replace(",", " ").split()
        assert not [word for word in words if word in typed and not word[1:].islower()], param.help
    assert "incast_senders hosts to one" in params["pattern"].help


def test_all_classes_of_the_module_come_when_they_are_asked_for():
    """In a process of its own: what is declared once stays so."""
    code = """
import iwarp
ns3 = iwarp.load()
assert ns3.MpaStream.GetTypeId().GetName() == "ns3::MpaStream"
assert ns3.RdmaQueuePair.__name__ and ns3.iwarp.MetricSet and ns3.Simulator and ns3.NodeContainer(2).GetN() == 2
missing = [name for name in dir(ns3) if not hasattr(ns3, name)]
assert not missing, missing
ns3 = iwarp.load("csma")
assert ns3.CsmaHelper()
for name in ("MpaStraem", "WifiHelper"):
    try:
        getattr(ns3, name)
    except AttributeError as error:
        print(error)
try:
    iwarp.load("cmsa")
except iwarp.UsageError as error:
    print(error)
"""
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    near, other, module = done.stdout.splitlines()
    assert near.startswith('there is no "MpaStraem" in ns3 (did you mean "MpaStream"?)')
    assert other.endswith("come by iwarp.load(MODULE)") and '"cmsa" (did you mean "csma"?)' in module


def test_threads_run_side_by_side():
    """ns-3 has one simulator a process: what one thread sets must not reach another's run."""
    given = [{"octets": 20_000, "loss": 0.3 * (i % 2), "plain_tcp": False, "time_limit": "100s"} for i in range(24)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda settings: iwarp.run(**settings), given))
    assert all(r["retransmitted_octets"] == 0 for r in results[::2])
    assert len({r["goodput"] for r in results[1::2]}) == 1 and results[1]["retransmitted_octets"] > 0


def test_the_package_loads_before_what_sweeps_need_is_installed():
    """``./iwarp`` builds with a Python that has click and tqdm; numpy, pandas and others come meanwhile."""
    code = (
        "import sys\n"
        "for name in ('numpy', 'pandas', 'pyarrow', 'scipy', 'jinja2', 'vl_convert'):\n"
        "    sys.modules[name] = None\n"
        "from iwarp.cli import main\n"
        "sys.exit(main(['build', '--help']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=HERE.parent)
    assert done.returncode == 0, done.stderr


def test_another_build_is_named(monkeypatch, tmp_path):
    """IWARP_BUILD has runs load another build's library; what is not there is told."""
    monkeypatch.setenv("IWARP_BUILD", str(tmp_path))
    with pytest.raises(iwarp.IwarpError, match=f"IWARP_BUILD={tmp_path}: there is no .*libiwarp.so"):
        loader.find()
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libiwarp.so").touch()
    assert loader.find().library == tmp_path / "lib" / "libiwarp.so"
