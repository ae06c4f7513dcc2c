# SPDX-License-Identifier: GPL-2.0-only
"""The contract of DESIGN's command line: exit codes, one line on bad usage, JSON and nothing else."""

import json
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from iwarp import studies
from iwarp.parameters.quantity import Quantity
from iwarp.studies.restriction import build_grids
from iwarp.studies.study import Request, conduct


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "--set", "marker=true"], 'there is no parameter "marker" (did you mean "markers"?)'),
        (["run", "--set", "markers"], "NAME=VALUE"),
        (["run", "--set", "mtu=banana"], "mtu=banana"),
        (["run", "--set", "mtu=577"], "no room for an FPDU"),
        (["run", "--sett", "mtu=1500"], "--sett"),
        (["run", "extra"], "extra"),
        (["stduy"], '"stduy" (did you mean "study"?)'),
        (["study", "alignmnt"], '"alignmnt" (did you mean "alignment"?)'),
        (["study", "--preset", "huge"], "huge"),
        (["study", "--runs", "0"], "0"),
        (["study", "--jobs", "none"], "none"),
        (["study", "--topology", "dumbell"], 'did you mean "dumbbell"'),
        (["study", "--topology", ","], "holds no value"),
        (["study", "--set", "run=1,2"], "--runs"),
        (["study", "--resume", "/nonexistent/dir"], "no study to resume"),
    ],
)
def test_bad_usage_is_one_line_and_2(cli, arguments, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = cli(*arguments)
    assert code == 2 and out == ""
    assert err.count("\n") == 1 and err.startswith("iwarp: ") and says in err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("files", "says"),
    [
        (None, "is neither wheel nor debian nor the path of an ns-3 source tree"),
        ({}, "it has no VERSION file"),
        ({"VERSION": "3.44\n"}, "it has neither ./ns3 nor ./waf"),
        ({"VERSION": "3.34\n", "waf": ""}, "is ns-3 3.34: take 3.35 or later"),
    ],
)
def test_what_is_no_tree_is_bad_usage_and_left_alone(cli, files, says, tmp_path):
    tree = tmp_path / "ns-3"
    if files is not None:
        tree.mkdir()
        for name, text in files.items():
            (tree / name).write_text(text)
    code, out, err = cli("build", "--ns3", str(tree))
    assert code == 2 and out == ""
    assert err.count("\n") == 1 and err.startswith("iwarp: ") and says in err
    assert not (tree / "contrib").exists()


def test_failure_is_one_line_and_1(cli):
    code, out, err = cli("run", "--json", "--set", "behaviour=abort")
    assert (code, out) == (1, "") and "the link is on fire" in err.splitlines()[-1]


def test_help_explains_every_command(cli):
    code, out, _ = cli("--help")
    assert code == 0
    for command in ("study", "run", "params"):
        assert command in out
        assert cli(command, "--help")[0] == 0
    assert cli()[0] == 2


def test_run_json(cli, tmp_path):
    code, out, err = cli("run", "--json", "--set", "loss=0.01", "--set", "link-rate=1Gbps", "--pcap", tmp_path / "p")
    assert code == 0 and err == ""
    result = json.loads(out)
    assert set(result) == {"params", "metrics", "cautions"} and result["cautions"] == []
    assert result["params"]["loss"] == 0.01 and result["params"]["link_rate"] == 10**9
    assert result["params"]["pcap"] == str(tmp_path / "p" / "iwarp")
    assert result["metrics"]["goodput"] == {"value": 900001000.0, "unit": "bit/s"}


def test_run_text(cli):
    code, out, _ = cli("run")
    assert code == 0 and "goodput" in out and "1 Gbit/s" in out


def test_run_says_what_a_reader_has_to_know(cli):
    code, out, err = cli("run", "--set", "behaviour=caution")
    assert code == 0 and err.startswith("caution: mtu, loss: mind the gap\n") and "mind" not in out
    code, out, _ = cli("run", "--json", "--set", "behaviour=caution")
    assert json.loads(out)["cautions"] == ["mtu, loss: mind the gap"]


def test_run_prints_the_workloads_table(cli):
    code, out, _ = cli("run", "--set", "behaviour=report")
    assert code == 0 and out.startswith(" #bytes\n") and "goodput" in out


def test_params_json(cli):
    code, out, _ = cli("params", "--json")
    params = {p["name"]: p for p in json.loads(out)}
    assert code == 0
    assert params["loss"] == {"name": "loss", "type": "float", "unit": "probability", "default": 0,
                              "range": [0, 1], "help": "Packets lost", "group": "other"}  # fmt: skip
    code, out, _ = cli("params")
    assert code == 0 and "\nmtu = 1500 octets  (576 to 65535 octets)\n" in out
    assert "\ndelay = 10 ms  (a time, as 10ms)\n" in out and "\nloss = 0.0 probability  (0 to 1 probability)\n" in out
    assert "\nreordering_delay = 50 µs  (0 s to 100 s)\n" in out
    assert "markers = true  (true or false)  for MpaStream.Markers" in out and "SilentDrop" not in out


def test_params_are_in_groups(cli):
    code, out, _ = cli("params", "--group", "mpa")
    assert code == 0 and out.startswith("MPA, DDP and RDMAP (--group mpa)\n\nmarkers = true") and "topology" not in out
    assert cli("params")[1].index("(--group workload)") < cli("params")[1].index("(--group network)")
    code, out, err = cli("params", "nonsense")
    assert (code, out) == (2, "") and "--all looks at every class" in err


def test_params_by_qualified_name(cli):
    code, out, _ = cli("params", "--all")
    assert code == 0 and "MpaStream.SilentDrop = false  (true or false)" in out and "mtu" not in out
    code, out, _ = cli("params", "--all", "silent", "--json")
    assert code == 0 and [p["name"] for p in json.loads(out)] == ["MpaStream.SilentDrop"]
    code, out, _ = cli("params", "mark")
    assert code == 0 and "\nmarkers = " in out and "mtu" not in out


def test_metrics(cli):
    code, out, _ = cli("metrics")
    assert code == 0 and out.splitlines()[0].split() == ["metric", "unit", "merge", "meaning"]
    code, out, _ = cli("metrics", "--json")
    assert code == 0
    assert json.loads(out)[0] == {"name": "goodput", "unit": "bit/s", "merge": "run", "help": "Payload over time"}
    code, out, _ = cli("metrics", "Good")
    assert code == 0 and [line.split()[0] for line in out.splitlines()] == ["metric", "goodput"]
    assert cli("metrics", "nosuch")[::2] == (2, 'iwarp: no metric has "nosuch" in its name\n')


def test_values_with_commas(cli, tmp_path):
    code, out, _ = cli("run", "--json", "--set", 'pcap="a,b"', "--set", "behaviour=report")
    assert code == 0 and json.loads(out)["params"]["pcap"] == "a,b"
    assert json.loads(cli("run", "--json", "--set", "pcap=a,b")[1])["params"]["pcap"] == "a,b"
    arguments = [*FEW, "--set", 'behaviour="report:a,b",report']
    code, result, _ = _study(
        cli, "--out", tmp_path, "--runs", "1", "--topology", "fat-tree", *arguments, "--set", "ecmp=flow"
    )
    assert code == 0 and result["rows"] == 8
    saved = json.loads((tmp_path / "study.json").read_text())
    assert saved["grids"][0]["behaviour"] == ["report:a,b", "report"]
    assert """'behaviour="report:a,b",report'""" in saved["command"]


FEW = [
    f"--set={setting}" for setting in ("loss=0", "reordering=0", "middlebox=none", "split_proxy=false")
]  # the path as it is, alone


def _study(cli, *arguments):
    code, out, err = cli("study", "--json", *arguments)
    return code, json.loads(out), err


def test_study_writes_everything(cli, tmp_path):
    code, result, err = _study(cli, "--out", tmp_path, "--topology", "fat-tree,file:x/y", "--set", "ecmp=flow",
                            "--runs", "3", "--jobs", "4")  # fmt: skip
    assert code == 0
    assert result == {"out": str(tmp_path), "report": str(tmp_path / "report.html"), "rows": 132, "failed": 0}
    assert "132/132" in err
    for name in ("runs.parquet", "summary.csv", "summary.parquet", "study.json", "fat-tree-goodput.svg",
                 "fat-tree-goodput.pdf",
                 "topologies.csv",
                 "network-y.svg", "network-y.pdf", "report-y.html", "report-fat-tree.html",
                 "vega.min.js"):  # fmt: skip
        assert (tmp_path / name).stat().st_size > 0
    summary = pd.read_csv(tmp_path / "summary.csv")
    assert len(summary) == 44 and (summary["runs"] == 3).all()
    assert summary.groupby("alignment")["header_aligned_share [share]"].first().to_dict() == {True: 1.0, False: 0.05}
    assert set(summary["condition"]) == {
        "nothing added", "1 % lost", "2 % reordered", "re-cut at 700 octets", "re-cut at 700 octets + 2 % reordered",
        "proxies split connections",
    }  # fmt: skip
    saved = json.loads((tmp_path / "study.json").read_text())
    assert saved["state"] == "done" and saved["rows"] == 132
    assert saved["command"].endswith("--set ecmp=flow --set topology=fat-tree,file:x/y")


def _page(path):
    """Return a page with plain spaces."""
    return path.read_text().replace("\N{NO-BREAK SPACE}", " ")


def test_first_page_has_all_topologies_in_one_table_and_leads_to_their_pages(cli, tmp_path):
    _study(cli, "--out", tmp_path, "--topology", "fat-tree,file:x/y", "--runs", "3")
    page = _page(tmp_path / "report.html")
    assert page.count('<a href="report-fat-tree.html">') == 3 and page.count('<a href="report-y.html">') == 3
    assert "segments 100 % arrive as whole FPDUs where nothing is added to the path (topologies: 2). In the " in page
    assert page.count("data:image/svg+xml;base64,") == 1 + 2  # the key figure and two networks
    table = pd.read_csv(tmp_path / "topologies.csv").set_index("Topology")
    assert list(table.index) == ["fat tree", "file:x/y"] and list(table["Conditions"]) == ["4 that all have"] * 2
    assert table["Alignment kept, nothing added [share]"].eq(1).all()
    assert table["Alignment kept, worst condition [share]"].eq(0.25).all()
    assert table["Worst condition"].str.startswith("re-cut at 700 octets").all()
    own = _page(tmp_path / "report-fat-tree.html")
    assert "packets at random over paths" in own and "data:image/svg+xml;base64," in own
    assert '<a href="report.html">' in own and "1 % lost" in own
    assert own.index("25 % in the worst of 7 conditions") < own.index("What this rests on")


def test_a_study_without_pages_has_all_on_one(fake, tmp_path):
    study = replace(studies.get("alignment"), pages="", write=None)
    few = {"topology": ["file:x"], "loss": ["0", "0.01"], "reordering": ["0"], "middlebox": ["none"]}
    result = conduct(Request(study, "quick", build_grids(study, "quick", few), 2, tmp_path, "./iwarp study"))
    assert (result["rows"], result["failed"]) == (16, 0)
    page = (tmp_path / "report.html").read_text()
    assert "What the numbers show" in page and "Every configuration" in page and "data:image/svg+xml;base64," in page
    assert (tmp_path / "goodput.svg").stat().st_size > 0 and (tmp_path / "goodput.pdf").stat().st_size > 0


def test_study_resumes_and_grows(cli, tmp_path):
    arguments = [*FEW, "--set", "ecmp=flow"]
    _, first, _ = _study(cli, "--out", tmp_path, "--runs", "2", "--topology", "fat-tree", *arguments)
    before = pd.read_parquet(tmp_path / "runs.parquet").set_index("key")["pid"]
    _, again, _ = _study(cli, "--resume", tmp_path)
    _, more, _ = _study(cli, "--resume", tmp_path, "--runs", "3")
    after = pd.read_parquet(tmp_path / "runs.parquet").set_index("key")["pid"]
    assert (first["rows"], again["rows"], more["rows"]) == (4 * 2, 4 * 2, 4 * 3)
    assert (after.loc[before.index] == before).all() and len(after) == 12
    code, _, err = cli("study", "--resume", tmp_path, "--set", "mtu=9000")
    assert code == 2 and "leave out --set" in err


def test_study_with_failures_says_so(cli, tmp_path):
    _, result, _ = _study(cli, "--out", tmp_path, "--topology", "fat-tree", *FEW, "--set", "ecmp=flow",
                          "--set", "behaviour=exception,abort", "--runs", "1")  # fmt: skip
    assert result["rows"] == result["failed"] == 8
    for name in ("report.html", "report-fat-tree.html"):
        page = (tmp_path / name).read_text()
        assert "8 runs failed" in page and "the link is on fire" in page and "the peer went away" in page


def test_only_json_reaches_standard_output_of_a_process(tmp_path):
    here = Path(__file__).parent
    code = f"import sys; sys.path[:0] = [{str(here)!r}, {str(here.parent)!r}]\n"
    code += "import fake; fake.install(); from iwarp.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [
        sys.executable,
        "-c",
        code,
        "study",
        "--json",
        "--runs",
        "1",
        "--topology",
        "fat-tree",
        "--out",
        tmp_path,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and json.loads(done.stdout)["failed"] == 0


def test_a_study_compares_runs_in_pairs(fake, cli, tmp_path):
    """Runs differ by tens of per cent, the senders by two in each of them."""
    original = fake.execute

    def execute(params):
        metrics, report, cautions = original(params)
        noise = 1 + 0.3 * math.sin(params["run"]) + 0.001 * math.sin(7 * params["run"] + params["alignment"])
        metrics["goodput"] = Quantity(1e9 * noise * (1.02 if params["alignment"] else 1), "bit/s")
        return metrics, report, cautions

    fake.execute = execute
    code, _, _ = _study(cli, "--out", tmp_path, "--topology", "fat-tree", "--set", "loss=0.01",
                        "--set", "reordering=0", "--runs", "12")  # fmt: skip
    assert code == 0
    finding = next(f for f in json.loads((tmp_path / "study.json").read_text())["findings"]
                   ["Aligned against unaligned sender"] if f["title"] == "Goodput")  # fmt: skip
    assert (finding["sureness"], finding["direction"]) == ("clear", "higher")
    table = pd.read_csv(tmp_path / "comparisons.csv")
    row = table[(table["metric"] == "goodput") & (table["factor"] == "alignment")].iloc[0]
    assert row["unit"] == "bit/s"
    assert row["effect"] == pytest.approx(1.02, abs=0.001) and row["pairs"] == 12 and row["verdict"] == "higher"


def test_restricting_a_study_leaves_out_other_grids(fake):
    study = studies.get("alignment")

    def sizes(**changes):
        nuisance = study.presets["quick"].nuisance  # which go with the runs
        grids = build_grids(study, "quick", changes)
        return sum(math.prod(len(values) for name, values in grid.items() if name not in nuisance) for grid in grids)

    everywhere = 5  # the path as it is, loss, reordering, a box, both of these
    dumbbell, star, parking_lot, fabrics, abilene, wan = 2 + 1 + 1 + 2 + 2 + 2, 1 + 2, 1, 2, 2, 2
    proxies = 8 + 2  # wherever there are routers, and with loss on two
    assert sizes() == 4 * (9 * everywhere + proxies + dumbbell + star + parking_lot + fabrics + abilene + wan)
    assert sizes(topology=["point-to-point"]) == sizes(topology=["file:any"]) == 4 * everywhere
    assert sizes(topology=["fat-tree"]) == 4 * (everywhere + 2)
    assert sizes(topology=["fat-tree"], ecmp=["flow"]) == 4 * (everywhere + 1)
    # the path as it is, with reordering, with a box, with both: each with this loss; what has losses of its own does
    # not
    assert sizes(topology=["file:any"], loss=["0.5"]) == 4 * 4
    assert sizes(topology=["file:any"], loss=["0", "0.5"]) == 4 * 8
