# SPDX-License-Identifier: GPL-2.0-only
"""The library by its C interface: what people do most parses no C++ header."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import iwarp
from iwarp import loader

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


def test_a_null_character_is_refused():
    with pytest.raises(iwarp.IwarpError, match="null character"):
        iwarp.run(pcap="a\0b")


def test_qualified_parameters_are_those_of_the_type():
    (found,) = [p for p in iwarp.params("MpaStream.SilentDrop").values() if p.name == "MpaStream.SilentDrop"]
    assert (found.type, found.default) == ("bool", False)
    assert json.dumps(found.to_json())
