# SPDX-License-Identifier: GPL-2.0-only
"""Tables of captures against readers of their own, sums against the run's metrics, and the page's data."""

import itertools
import json
from pathlib import Path

import iwarp
import numpy as np
import pandas as pd
import pytest
from fpdu_fates import fates
from iwarp import studies
from iwarp.errors import UsageError
from iwarp.pictures import page
from iwarp.pictures.captures import FPDU_FATES, SEGMENT_FATES, marker_places, read_captures
from iwarp.pictures.path import follow
from iwarp.pictures.show import show_captures, show_directory, show_run
from iwarp.pictures.sources import settings_of
from iwarp.pictures.traces import read_traces
from pcap_reader import segments
from test_page import written  # noqa: F401

DATA = Path(__file__).resolve().parents[2] / "test" / "data"
FLAGS = ("FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR")
LOSSY = {"topology": "dumbbell", "flows": 1, "octets": "400kB", "loss": "1%", "plain_tcp": False}
TRACED = "10.0.0.2:49153-10.1.0.2:20049"


def make(tmp_path_factory, **more):
    """Run a scenario; return its directory, its metrics, and the tables of its captures."""
    place = tmp_path_factory.mktemp("run")
    result = iwarp.run(LOSSY | more, pcap=str(place / "iwarp"))
    return place, result, read_captures(sorted(place.glob("*.pcap")))


@pytest.fixture(scope="module", params=[True, False], ids=["markers", "no markers"])
def lossy(request, tmp_path_factory):
    return request.param, *make(tmp_path_factory, markers=request.param)


@pytest.fixture(scope="module")
def shifted(tmp_path_factory):
    """A sender that is not aligned, and losses."""
    return make(tmp_path_factory, alignment=False)


def equals_capture(table, path, start_ns):
    """Compare the rows of one file with what the other reader finds."""
    expected = {s.frame: s for s in segments(path)}
    for row in table.itertuples():
        found = expected[row.frame]
        ends = row.connection.split(" ")[0].split("-")
        assert found.ends == tuple(ends if row.direction == ">" else ends[::-1])
        assert (row.time_ns + start_ns, row.seq, row.length_octets) == (found.time_ns, found.seq, found.length)
        assert row.flags.split() == [name for k, name in enumerate(FLAGS) if found.flags >> k & 1]
        blocks = [((e - b) & 0xFFFFFFFF, (e - found.ack) & 0xFFFFFFFF) for b, e in found.sack]
        assert [(e - b, (e - row.ack) & 0xFFFFFFFF) for b, e in row.sack] == blocks
    return {row.frame for row in table.itertuples()}, set(expected)


def test_each_segment_of_a_run_is_in_the_table(lossy):
    _, place, _, tables = lossy
    for path in place.glob("*.pcap"):
        frames, expected = equals_capture(tables.segments[tables.segments["file"] == path.name], path, tables.start_ns)
        assert frames == expected and len(frames) > 300


CAPTURES = ["captures/loss2_crc_rping_S65000_mtu1500.pcap", "captures/loss2_crc_rping_S65000_mtu1500.atB.pcap",
            "captures/stock_sizes_mtu1400.pcap", "captures/raw_markers.pcap",
            "captures/tune_gso_rping_S65000_mtu1500_tso.pcap", "nvme/digests_reorder_mtu1500.pcap",
            "nvme/digests_loss2_mtu1500.pcap"]  # fmt: skip


@pytest.mark.parametrize("name", CAPTURES)
def test_each_segment_of_linux_is_in_the_table(name):
    tables = read_captures([DATA / name])
    frames, expected = equals_capture(tables.segments, DATA / name, tables.start_ns)
    connections = {frozenset(c.split(" ")[0].split("-")) for c in tables.connections["connection"]}
    carried = {s.frame for s in segments(DATA / name) if frozenset(s.ends) in connections}
    assert frames == carried <= expected and frames


def test_segments_of_other_framings_have_fates():
    tables = read_captures([DATA / "nvme" / "digests_reorder_mtu1500.pcap"])
    carried = tables.segments[tables.segments["length_octets"] > 0]
    assert set(carried["fate"]) <= {"at once", "waited", "in vain", "lost", "refused"}
    assert {"at once", "waited"} <= set(carried["fate"]) and set(tables.connections["framing"]) == {"nvme-tcp"}
    assert {"at once", "in parts"} <= set(tables.fpdus["fate"])


def compared(tables, path, markers):
    """Return the fates of the table and of the other script, of FPDUs near their receiver."""
    sender = tables.connections["connection"].iloc[0].split("-")[0]
    table = tables.fpdus[(tables.fpdus["file"] == path.name) & (tables.fpdus["direction"] == ">") & tables.fpdus["mpa"]]
    columns = ["begin", "size_octets", "fate", "first_ns", "placed_ns"]
    found = [(b - 1, s, f, t + tables.start_ns, p + tables.start_ns) for b, s, f, t, p in table[columns].to_numpy()]
    return found, fates(path, sender, markers)


def test_fates_are_those_of_another_script(lossy):
    markers, place, _, tables = lossy
    found, expected = compared(tables, place / "iwarp-3.pcap", markers)
    assert found == expected
    kinds = {fate for _, _, fate, _, _ in found}
    assert {"at once", "early, by a Marker", "early, by length"} <= kinds if markers else {"at once", "waited"} <= kinds


def test_fates_of_a_stream_that_is_not_aligned(shifted):
    place, _, tables = shifted
    found, expected = compared(tables, place / "iwarp-3.pcap", True)
    assert found == expected and {"in parts", "early, by a Marker"} <= {fate for _, _, fate, _, _ in found}


def test_sums_equal_the_metrics(lossy):
    markers, _, result, tables = lossy
    here = tables.fpdus["mpa"] & tables.fpdus["file"].eq("iwarp-3.pcap")
    assert here.sum() == result["fpdus_passed"]
    early = tables.fpdus["fate"].str.startswith("early")
    assert (here & early).sum() == result["fpdus_passed_out_of_order"] and bool((here & early).any()) == markers
    sent = tables.segments[tables.segments["file"].eq("iwarp-2.pcap") & tables.segments["direction"].eq(">")]
    assert sent.loc[sent["sent_again"], "length_octets"].sum() == result["retransmitted_octets"] > 0
    fates = tables.fates()
    chosen = fates[(fates["kind"] == "segment") & (fates["file"] == "iwarp-2.pcap") & (fates["fate"] == "lost")]
    assert chosen["octets"].sum() == result["retransmitted_octets"]


def test_memory_equals_the_metrics(lossy, shifted):
    for result, tables in (lossy[2:], shifted[1:]):
        there = tables.segments[tables.segments["file"].eq("iwarp-3.pcap") & tables.segments["held_octets"].ge(0)]
        assert there["held_octets"].max() == result["reassembly_peak"]
        steps = np.diff(there["time_ns"], append=there["time_ns"].iloc[-1])
        levels = there.assign(steps=steps).groupby("held_octets")["steps"].sum().sort_index()
        opened = tables.segments["time_ns"].max() - tables.segments["time_ns"].min()
        idle = opened - levels.sum()  # nothing is held before the first and after the last
        share = (levels.cumsum() + idle) / opened
        assert levels.index[(share >= 0.99).argmax()] == pytest.approx(result["reassembly_p99"], abs=1448 * 2)


def test_waits_equal_the_metrics(lossy):
    _, _, result, tables = lossy
    here = tables.fpdus[tables.fpdus["mpa"] & tables.fpdus["file"].eq("iwarp-3.pcap")]
    waits = (here["placed_ns"] - here["complete_ns"]) / 1e9
    assert waits.max() == pytest.approx(result["placement_wait_max"], abs=2e-6)  # a pcap counts microseconds
    assert waits.mean() == pytest.approx(result["placement_wait_mean"], abs=1e-6)


def test_messages_are_whole(lossy):
    _, _, result, tables = lossy
    there = tables.messages[tables.messages["file"].eq("iwarp-3.pcap")]
    assert len(there) == result["messages"] and there["message_octets"].sum() == result["payload_octets"]
    assert there["fpdus"].sum() == result["fpdus_passed"]
    assert (there["delivered_ns"] >= there["placed_ns"]).all() and (there["placed_ns"] >= there["first_ns"]).all()


def test_markers_are_where_the_octets_say(shifted):
    _, _, tables = shifted
    there = tables.fpdus[tables.fpdus["file"].eq("iwarp-3.pcap") & tables.fpdus["mpa"]]
    for row in there.itertuples():
        assert len(marker_places(row.begin, row.size_octets, row.position)) == row.markers
    base = there["begin"].iloc[0]
    places = [m for r in there.itertuples() for m in marker_places(r.begin, r.size_octets, r.position)]
    assert places == list(range(base, there["begin"].iloc[-1] + there["size_octets"].iloc[-1], 512))


def test_the_page_has_the_tables(lossy):
    tables = lossy[3]
    (connection,) = page.page_data(tables)["connections"]
    assert [place["file"] for place in connection["places"]] == ["iwarp-2.pcap", "iwarp-3.pcap"]
    for place in connection["places"]:
        table = tables.segments[tables.segments["file"] == place["file"]]
        for name in ("time_ns", "begin", "length_octets", "ack", "held_octets", "seq"):
            assert (page.unpack(place["segments"][name]) == table[name].to_numpy()).all(), name
        codes = page.unpack(place["segments"]["fate"])
        assert [list(SEGMENT_FATES)[code] for code in codes] == list(table["fate"])
        table = tables.fpdus[tables.fpdus["file"] == place["file"]]
        for name in ("begin", "size_octets", "first_ns", "placed_ns", "delivered_ns"):
            assert (page.unpack(place["fpdus"][name]) == table[name].to_numpy()).all(), name
        assert [list(FPDU_FATES)[code] for code in page.unpack(place["fpdus"]["fate"])] == list(table["fate"])


def test_what_is_sent_in_vain_is_named(tmp_path_factory):
    _, result, tables = make(tmp_path_factory, loss=0, reordering="5%", reordering_delay="300us")
    there = tables.segments[tables.segments["file"].eq("iwarp-3.pcap") & tables.segments["direction"].eq(">")]
    vain = there["fate"].eq("in vain")
    assert not there["fate"].isin(["lost", "refused"]).any()
    assert there.loc[vain, "length_octets"].sum() == result["retransmitted_octets"]


def segment_table(*rows):
    return pd.DataFrame(rows, columns=["ip_id", "begin", "length_octets", "ack", "time_ns"])


def test_what_a_box_does_is_seen():
    sent = segment_table((1, 1, 100, 1, 0), (2, 101, 100, 1, 1), (3, 201, 400, 1, 2), (4, 601, 50, 1, 3))
    came = segment_table((1, 1, 100, 1, 5), (9, 101, 300, 1, 6), (10, 401, 200, 1, 7))
    pairs = follow(sent, came)
    assert pairs.to_numpy().tolist() == [[0, 0, "as it was"], [1, 1, "merged"], [2, 1, "cut anew"], [2, 2, "cut"]]
    assert 3 not in set(pairs["before"])


def test_a_copy_goes_the_way_of_the_last_that_was_sent():
    sent = segment_table((0, 1, 100, 1, 0), (0, 1, 100, 1, 50))
    assert follow(sent, segment_table((0, 1, 100, 1, 60)))["before"].tolist() == [1]
    assert follow(sent, segment_table((0, 1, 100, 1, 40)))["before"].tolist() == [0]
    named = segment_table((7, 1, 100, 1, 0), (8, 1, 100, 1, 50))
    assert follow(named, segment_table((7, 1, 100, 1, 60)))["before"].tolist() == [0]


def test_a_box_that_merges_shows(tmp_path_factory):
    box = {"middlebox": "resegmenting", "PathResegmentingMiddlebox.CoalesceSize": 8000, "loss": 0}
    _, result, tables = make(tmp_path_factory, **box)
    (connection,) = page.page_data(tables)["connections"]
    moves = [page.MOVES[code] for code in page.unpack(connection["ways"][0][">"]["move"])]
    assert moves.count("as it was") < len(moves) / 2 and {"merged", "cut anew"} & set(moves)
    there = tables.fpdus[tables.fpdus["file"].eq("iwarp-3.pcap") & tables.fpdus["mpa"]]
    assert there["in_one_segment"].mean() < 1 and result["fpdu_aligned_share"] < 1


# ---- traces ---------------------------------------------------------------------------------------


def write_traces(directory):
    """Write a directory of traces by hand, as a run does."""
    first = {"node": np.int32(2), "host": "host 2"}
    times = np.arange(0, 2_000_000, 50_000)
    cwnd = pd.DataFrame({"time_ns": times, **first, "connection": TRACED, "window_octets": times // 50 + 14480})
    stages = pd.DataFrame({"time_ns": times, **first, "connection": "", "begin_ns": times, "end_ns": times + 20_000,
                           "stage": ["parse", "crc"] * 20, "state": ["busy"] * 40})  # fmt: skip
    entries = []
    for name, kind, table in (("cwnd", "value", cwnd), ("stages", "event", stages)):
        table.to_parquet(directory / f"{name}.parquet")
        columns = [{"name": c, "type": "x", "unit": "octets" if c == "window_octets" else "", "help": c}
                   for c in table.columns[4:]]  # fmt: skip
        entries.append({"name": name, "source": f"X.{name}", "kind": kind, "file": f"{name}.parquet", "rows": 40,
                        "left_out": 3, "columns": columns})  # fmt: skip
    (directory / "traces.json").write_text(json.dumps({"version": 1, "run": {"loss": 0}, "traces": entries}))


def test_traces_are_lanes_on_the_axis_of_the_capture(lossy, tmp_path):
    for path in lossy[1].glob("*.pcap"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    write_traces(tmp_path)
    shown = show_directory(tmp_path)
    data = shown.data()
    cwnd, stages = data["traces"]
    assert (cwnd["kind"], stages["kind"], data["start_ns"]) == ("value", "event", "0")
    assert "cwnd: 3 rows behind the first 40 were left out" in data["cautions"]
    assert (page.unpack(cwnd["columns"][0]["values"]) == np.arange(40) * 1000 + 14480).all()
    assert stages["columns"][0]["texts"] == ["crc", "parse"]
    assert (page.unpack(stages["end"])[:2] == [20000, 70000]).all()
    assert shown.tables.segments["time_ns"].min() == lossy[3].start_ns  # of the simulation, as those of traces


def test_traces_alone_make_a_page(tmp_path):
    write_traces(tmp_path)
    data = show_directory(tmp_path).data()
    assert data["connections"] == [] and len(data["traces"]) == 2
    (tmp_path / "traces.json").write_text("{}")
    with pytest.raises(UsageError, match="is no index of traces"):
        read_traces(tmp_path)


def test_tables_in_csv_are_those_in_parquet(tmp_path):
    for form in ("parquet", "csv"):
        traces = iwarp.Traces(["cwnd", "queue"], format=form)
        iwarp.run(octets="20kB", plain_tcp=False, trace=traces, trace_dir=tmp_path / form)
    shown = [[trace.rows.astype({"host": str, "connection": str}) for trace in read_traces(tmp_path / form)]
             for form in ("parquet", "csv")]  # fmt: skip
    for binary, text in zip(*shown, strict=True):
        pd.testing.assert_frame_equal(binary, text, check_dtype=False, check_categorical=False)
    lanes = show_directory(tmp_path / "csv").data()["traces"]
    assert [len(lane["columns"]) for lane in lanes] == [1, 2] and all(lane["n"] for lane in lanes)


def test_perfetto_gets_all_lanes(lossy, tmp_path):
    shown = show_captures(sorted(lossy[1].glob("*.pcap")))
    write_traces(tmp_path)
    shown.traces = read_traces(tmp_path)
    events = json.loads(shown.save_perfetto(tmp_path / "x.json").read_text())["traceEvents"]
    slices = [e for e in events if e["ph"] == "X"]
    tables = lossy[3]
    assert len(slices) == len(tables.fpdus) + len(tables.messages) + 40
    assert sum(e["ph"] == "C" for e in events) == 40
    for lane in {(e["pid"], e["tid"]) for e in slices}:  # slices of a thread may not overlap
        ends = sorted((e["ts"], e["ts"] + e["dur"]) for e in slices if (e["pid"], e["tid"]) == lane)
        assert all(a[1] <= b[0] + 1e-6 for a, b in itertools.pairwise(ends))


# ---- what is asked for ----------------------------------------------------------------------------


def test_a_run_is_shown_again(tmp_path):
    result = iwarp.run(LOSSY)
    shown = result.show()
    assert shown.tables.fpdus["mpa"].sum() == 2 * result["fpdus_passed"]  # at both places
    assert shown._repr_html_().startswith("<iframe srcdoc=")
    assert "<canvas" in shown.save(tmp_path / "x" / "page.html").read_text()


def test_enciphered_runs_are_opened():
    more = {"ipsec": "tunnel", "octets": "50kB", "loss": 0}
    assert set(show_run(iwarp.run, LOSSY | more).tables.fpdus["fate"]) == {"at once"}


def test_a_configuration_of_a_sweep_is_run_again(tmp_path, real_cli):
    grid = LOSSY | {"loss": [0, 0.02], "octets": "50kB"}
    frame = iwarp.sweep(grid, runs=2, out=tmp_path / "sweep")
    settings, title = settings_of(tmp_path / "sweep", 2, iwarp.params())
    assert title == "loss=0.02" and settings["run"] == 1
    chosen = frame[(frame["loss"] == 0.02) & (frame["run"] == 1)]
    assert iwarp.run(settings)["events"] == chosen["events"].iloc[0]
    page_file = tmp_path / "c.html"
    code, out, _ = real_cli("show", tmp_path / "sweep", "--config", 2, "--no-open", "--out", page_file)
    assert (code, out) == (0, f"{page_file}\n") and page_file.is_file()
    code, _, err = real_cli("show", tmp_path / "sweep", "--no-open")
    assert code == 2 and "has 2 configurations: choose one with --config N" in err


def test_configurations_of_a_study_are_those_of_its_summary(written, fake):  # noqa: F811
    """Of a study that tells them apart by what it derives from its runs."""
    summary = pd.read_parquet(written / "summary.parquet")
    derive = studies.get("alignment").derive
    for number in (1, len(summary) // 2, len(summary)):
        settings, title = settings_of(written, number, fake.params, derive)
        row = summary.iloc[number - 1]
        assert title == ", ".join(f"{name}={row[name]}" for name in ("topology", "condition", "markers", "alignment"))
        assert all(settings[name] == row[name] for name in ("topology", "markers", "alignment"))
        assert derive(pd.DataFrame([{**settings}]).pipe(with_units))["condition"].item() == row["condition"]


def waiting(delay: float, run: int = 1) -> dict:
    return {"delay": 2 * delay, "loss": 0.01}


def test_a_sweep_of_a_function_has_no_run_of_the_scenario_to_show(cli, tmp_path):
    iwarp.sweep(waiting, {"delay": [1, 2]}, out=tmp_path / "f")
    iwarp.sweep(lambda load: {"delay": load}, {"load": [1, 2]}, out=tmp_path / "g")  # without a parameter run
    iwarp.merge([tmp_path / "f", tmp_path / "g"], tmp_path / "merged")  # which has no plan
    for name in ("f", "g", "merged"):
        code, out, err = cli("show", tmp_path / name, "--config", 1, "--no-open", "--out", tmp_path / "page.html")
        assert (code, out) == (2, "") and "no runs of the scenario" in err.splitlines()[-1]


def test_what_a_function_measured_is_no_parameter_of_the_scenario(fake, tmp_path):
    """Rows of a function beside those of the scenario count for nothing."""
    iwarp.sweep(lambda load: {"flows": load, "MpaStream.Markers": 0}, {"load": [1, 2]}, out=tmp_path / "both")
    iwarp.sweep({"loss": [0, 0.01]}, out=tmp_path / "both")
    iwarp.merge([tmp_path / "both"], tmp_path / "merged")
    for name in ("both", "merged"):
        settings, title = settings_of(tmp_path / name, 2, fake.params)
        assert title == "loss=0.01" and settings["flows"] == 1 and "MpaStream.Markers" not in settings
        with pytest.raises(UsageError, match="has 2 configurations"):
            settings_of(tmp_path / name, 3, fake.params)


def with_units(frame):
    frame.attrs["units"] = {}
    return frame


@pytest.mark.parametrize(("words", "says"), [
    (["nowhere.pcap"], "there is no nowhere.pcap; parameters of a run are given as NAME=VALUE"),
    (["loss=1%", str(DATA / "captures" / "raw_markers.pcap")], "give captures or the parameters of a run, not both"),
    ([str(DATA / "captures" / "raw_markers.pcap"), "--config", "1"], "--config N goes with the directory of a study"),
    ([str(DATA / "esp")], "no connection carries MPA"),
    ([str(DATA / "tls" / "README.md")], "neither a pcap nor a pcapng file"),
    ([str(DATA)], "has neither captures nor traces.json"),
    (["los=1%"], 'did you mean "loss"'),
])  # fmt: skip
def test_wrong_uses_are_said_in_a_line(real_cli, words, says):
    code, out, err = real_cli("show", *words, "--no-open")
    assert (code, out) == (2, "") and says in err and err.count("\n") == 1


def test_the_page_lies_below_out(real_cli, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    code, out, _ = real_cli("show", DATA / "captures" / "stock_mix_mtu1500.pcap", "--no-open", "--tables", "tables")
    assert (code, out) == (0, "out/show/stock_mix_mtu1500.pcap.html\n") and (tmp_path / out.strip()).is_file()
    assert len(pd.read_parquet("tables/fpdus.parquet")) == len(
        read_captures([DATA / "captures" / "stock_mix_mtu1500.pcap"]).fpdus
    )
