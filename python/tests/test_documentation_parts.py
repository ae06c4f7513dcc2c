# SPDX-License-Identifier: GPL-2.0-only
"""What the documentation is made of: the reference from the library, figures, notebooks, programs that pages show."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "doc" / "scripts"))

import figures  # noqa: E402
import notebooks  # noqa: E402
import reference  # noqa: E402

PROGRAMS = ROOT / "build" / "examples"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reference")
    reference.write(folder)
    return {path.stem: path.read_text() for path in folder.glob("*.rst")}


def printed(option):
    """Return what ns-3's own command line says of the library."""
    program = PROGRAMS / "iwarp-two-nodes"
    return subprocess.run([program, option], capture_output=True, text=True, check=True).stdout


def test_the_reference_has_every_class_and_attribute_that_ns3_prints(pages):
    text = "".join(pages.values())
    types = re.findall(r"ns3::(\w+)", printed("--PrintGroup=Iwarp"))
    assert len(types) > 100
    counted = 0
    for name in types:
        attributes = re.findall(rf"--ns3::{name}::(\w+)=", printed(f"--PrintAttributes=ns3::{name}"))
        if attributes:
            section = text.split(f".. _class-{name}:")[1].split(".. _class-")[0]
            assert [a for a in attributes if f"* - ``{a}``" not in section] == [], name
            counted += len(attributes)
    assert counted == len(re.findall(r"^   \* - ``", "".join(part.split("* - trace")[0] for page, body in pages.items()
                              if page != "parameters" for part in body.split(".. list-table::")
                              if "* - attribute" in part), re.M))  # fmt: skip


def test_the_reference_says_of_traces_what_callbacks_they_take(pages):
    # a trace of MpaStream, by its header: TracedCallback<…>, whose typedef is named in AddTraceSource
    assert re.search(r"``Drop``\n     - ``MpaStream::DropTracedCallback``", pages["mpa"])


def test_the_reference_has_first_sentences_of_classes(pages):
    comment = "/**\n * @ingroup iwarp-x\n * @brief Does *this*, e.g. for RFC 5044. And more.\n *\n * Later.\n */\n"
    assert reference.first_sentence(comment) == r"Does \*this\*, e.g. for RFC 5044."
    assert reference.first_sentence("/// Does that\n/// in two lines\n") == "Does that in two lines"
    assert "Reads captures" not in pages["mpa"]
    assert "\nRdmaQueuePair\n~" in pages["verbs"]


def test_parameters_have_units_and_ranges(pages):
    row = pages["parameters"].split("* - ``loss``")[1].split("   * -")[0]
    assert "0 to 1" in row
    assert r"file\:PATH" in pages["parameters"]  # no link
    assert "10 Gbit/s" in pages["parameters"].split("* - ``link_rate``")[1].split("   * -")[0]


def test_figures_are_those_that_the_script_draws():
    for name, draw in figures.FIGURES.items():
        assert (ROOT / "doc" / "figures" / f"concept-{name}.svg").read_text() == draw().to_svg(), (
            "run doc/scripts/figures.py doc/figures"
        )


def test_figures_of_runs_are_those_that_the_script_draws():
    for name, draw in figures.RUNS.items():
        assert (ROOT / "doc" / "figures" / f"shown-{name}.svg").read_text() == draw().to_svg(), (
            "run doc/scripts/figures.py doc/figures"
        )


def test_figure_of_a_box_that_cuts_is_to_scale():
    """Of 1428 octets cut at 700 there are pieces of 700, 700 and 28."""
    widths = [float(w) for w in re.findall(r'y="209" width="([\d.]+)"', figures.middlebox().to_svg())]
    assert len(widths) == 6
    assert widths[0] == widths[1] > 10 * widths[2]


def test_notebooks_show_what_is_stored(capsys):
    assert notebooks.main([]) == 0, capsys.readouterr().out


def test_a_notebook_that_shows_something_else_is_told(tmp_path, capsys):
    cell = {"cell_type": "code", "source": ["x = 20\n", "x + 2"], "outputs": []}
    path = tmp_path / "a.ipynb"
    path.write_text(__import__("json").dumps({"cells": [cell]}))
    assert notebooks.main([str(path)]) == 1
    assert "shown:\n22" in capsys.readouterr().out
    assert notebooks.main(["--write", str(path)]) == 0
    assert notebooks.main([str(path)]) == 0


def test_a_result_shows_itself_in_notebooks():
    import iwarp

    result = iwarp.Result({"goodput": iwarp.Quantity(9.1e9, "bit/s")}, {}, "a < b", ["R & D"])
    assert result._repr_html_() == (
        "<p>caution: R &amp; D</p><pre>a &lt; b</pre><table><tr><th>metric</th><th>value</th></tr>"
        "<tr><td>goodput</td><td>9.1 Gbit/s</td></tr></table>"
    )


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=PROGRAMS).stdout


def test_a_topology_of_ones_own():
    # 1 µs of each host's link and 10 µs between neighbours, there and back
    assert run("./iwarp-own-topology", "--routers=8") == "payload_octets 8e+06 octets\nround_trip 2.4e-05 s\n"
    bad = subprocess.run([PROGRAMS / "iwarp-own-topology", "--routers=2"], capture_output=True, text=True)
    assert bad.returncode == 2
    assert "IwarpRingTopology.Routers" in bad.stderr


def test_a_workload_of_ones_own():
    # two flows of 655,360 octets in messages of 65,536, and two in messages of 1024
    assert run("./iwarp-own-workload") == f"messages {2 * 10 + 2 * 640}\nmixed_large_flows 2\n"


def test_an_rnic_of_ones_own():
    def last(rules):
        return float(re.search(r"with \d+ rules \+([\d.]+)us", run("./iwarp-own-rnic", f"--rules={rules}")).group(1))

    # the filter is the bottleneck: a thousand rules more take 5 µs more for each segment, of which there are as many as
    # 100 messages of 65,536 octets need with 1418 or 1424 octets in each
    segments = [100 * 46, 100 * 48]
    took = last(3000) - last(2000)
    assert 5 * segments[0] <= took <= 5 * segments[1]


@pytest.mark.parametrize(
    ("page", "program"), [("start", "iwarp-first-sweep"), ("tutorial-topology", "iwarp-topology-function")]
)
def test_programs_in_python_print_what_pages_show(page, program):
    text = (ROOT / "doc" / f"{page}.rst").read_text()
    shown = re.search(rf"   \$ \.venv/bin/python examples/{program}\.py\n((?:   .*\n)+)", text).group(1)
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / f"{program}.py"], capture_output=True, text=True, check=True
    )
    assert [line.split() for line in done.stdout.splitlines()] == [line.split() for line in shown.splitlines()]


def test_the_citation_has_what_the_format_requires():
    text = (ROOT / "CITATION.cff").read_text()
    version = re.search(r'__version__ = "(.*)"', (ROOT / "python/iwarp/version.py").read_text()).group(1)
    for line in ("cff-version: 1.2.0", f"version: {version}", "type: software"):
        assert f"\n{line}\n" in text
    assert re.search(r"^message: .+$\n^title: .+$", text, re.M)
    assert re.search(r"^authors:\n  - name: ", text, re.M)


def test_every_page_is_in_the_path_once():
    """An entry of the table of contents for each page, in an order that somebody chose: no globs."""
    entries = []
    for page in ("index", "notebooks"):
        text = (ROOT / "doc" / f"{page}.rst").read_text()
        assert ":glob:" not in text
        for block in re.findall(r"\.\. toctree::\n((?:   .*\n|\n)+)", text):
            entries += [
                line.strip() for line in block.splitlines() if line.strip() and not line.strip().startswith(":")
            ]
    made = {"conformance", "reference/index", "reference/parameters", "index"}
    there = {path.stem for path in (ROOT / "doc").glob("*.rst")} | {
        f"notebooks/{p.stem}" for p in (ROOT / "doc/notebooks").glob("*.ipynb")
    }
    assert sorted(set(entries)) == sorted(entries)
    assert set(entries) - made == there - made
