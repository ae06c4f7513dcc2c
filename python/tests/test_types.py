# SPDX-License-Identifier: GPL-2.0-only
"""Types for editors and checkers: those of the parameters go by the schema, and a checker finds what is wrong."""

import importlib.util
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import iwarp
import pytest
from iwarp.errors import IwarpError
from iwarp.runs import loader

PACKAGE = Path(__file__).resolve().parents[1]

GOOD = """
from typing import Any
import iwarp

result = iwarp.run(topology="dumbbell", loss=0.01, link_rate="10Gbps", delay="5us", octets="1MB", ecmp="flow")
goodput: float = iwarp.run(markers=True)["goodput"]
unit: str = result["goodput"].unit
others: dict[str, Any] = {"MpaStream.SilentDrop": True}
iwarp.run(mtu=9000, **others)
iwarp.run({"MpaStream.SilentDrop": True}, mtu=9000)
help_text: str = iwarp.params()["mtu"].help
for event in iwarp.decode("x.pcap"):
    print(event["layer"])
iwarp.sweep({"loss": [0, 0.01]}, runs=2)
"""
WRONG = {
    'iwarp.run(marker=True)': "marker",
    'iwarp.run(markers="maybe")': "markers",
    'iwarp.run(ecmp="flwo")': "ecmp",
    'iwarp.run(flows=[1, 2])': "flows",
    'iwarp.run().report.nothing': "nothing",
    'iwarp.sweep({}, runs="x")': "runs",
}


def test_the_package_says_that_it_is_typed():
    assert (PACKAGE / "iwarp" / "py.typed").read_text() == ""


def test_parameters_are_those_of_the_schema():
    from iwarp.development import parameter_types

    try:
        loader.find()
    except IwarpError:
        pytest.skip("the library is not built")
    says = "run python -m iwarp.development.parameter_types"
    assert parameter_types.FILE.read_text() == parameter_types.source(), says


def test_no_module_takes_the_name_of_what_the_package_offers():
    """Once imported, a module would stand in the place of the function."""
    modules = {module.name for module in pkgutil.iter_modules(iwarp.__path__)}
    assert not modules & set(iwarp.__all__)


def test_documented_modules_have_what_they_had():
    code = (
        "from iwarp.schema import Param\nfrom iwarp.scenario import Metric\nfrom iwarp.parameters import Parameters\n"
        "import iwarp\nassert (Param, Metric) == (iwarp.Param, iwarp.Metric) and callable(iwarp.run)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": str(PACKAGE)})


def check(text, directory):
    file = directory / "program.py"
    file.write_text(text)
    checker = os.environ.get("IWARP_MYPY", f"{sys.executable} -m mypy").split()
    command = [
        *checker,
        "--cache-dir",
        str(directory / "cache"),
        "--follow-imports=silent",
        "--ignore-missing-imports",
        str(file),
    ]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=directory, env={**os.environ, "MYPYPATH": str(PACKAGE)}
    )


@pytest.mark.skipif(
    not importlib.util.find_spec("mypy") and "IWARP_MYPY" not in os.environ, reason="mypy is not installed"
)
def test_mypy_passes_what_is_right_and_finds_what_is_wrong(tmp_path):
    done = check(GOOD, tmp_path)
    assert done.returncode == 0, done.stdout
    done = check("import iwarp\n" + "\n".join(WRONG) + "\n", tmp_path)
    errors = {int(line.split(":")[1]): line for line in done.stdout.splitlines() if ": error:" in line}
    for number, says in enumerate(WRONG.values(), 2):
        assert says in errors.pop(number, ""), done.stdout
    assert not errors
