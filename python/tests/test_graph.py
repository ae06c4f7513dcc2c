# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp topology`` with maps written by hand in the dialect of the Internet Topology Zoo."""

import json
import math

import pytest
from iwarp.errors import UsageError
from iwarp.network.graph import City, Line, read_graph

NODE = '  node [\n    id {}\n    label "{}"\n    Longitude {}\n    Latitude {}\n    Internal 1\n  ]\n'
NOWHERE = '  node [\n    id {}\n    label "{}"\n  ]\n'
EDGE = '  edge [\n    source {}\n    target {}\n    LinkLabel "?"\n  ]\n'
FAST = (
    '  edge [\n    source {}\n    target {}\n    LinkSpeed "2.5"\n    LinkSpeedUnits "G"\n'
    "    LinkSpeedRaw 2500000000.0\n  ]\n"
)

GRAPHML = """<?xml version="1.0" encoding="utf-8"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key attr.name="LinkSpeedRaw" attr.type="double" for="edge" id="d3" />
<key attr.name="Latitude" attr.type="double" for="node" id="d1" />
<key attr.name="Longitude" attr.type="double" for="node" id="d2" />
<key attr.name="label" attr.type="string" for="node" id="d0" />
<graph edgedefault="undirected">
<node id="0"><data key="d0">Oslo</data><data key="d1">59.9</data><data key="d2">10.7</data></node>
<node id="1"><data key="d0">Rome</data><data key="d1">41.9</data><data key="d2">12.5</data></node>
<edge source="0" target="1"><data key="d3">10000000000.0</data></edge>
</graph></graphml>
"""


def _gml(path, *items, head=""):
    path.write_text(f'graph [\n  DateObtained "1/01/11"\n  Network "Own"\n{head}{"".join(items)}]\n')
    return path


def test_gml(tmp_path):
    path = _gml(tmp_path / "a.gml", NODE.format(4, "A-x, y", 5, 1), NODE.format(7, "B", -6.5, 2), FAST.format(4, 7))
    graph = read_graph(path)
    assert graph.cities == [City("A x y", 1, 5), City("B", 2, -6.5)] and not graph.notes
    assert graph.lines == [Line("A x y", "B", 2_500_000_000)]


def test_graphml(tmp_path):
    path = tmp_path / "a.graphml"
    path.write_text(GRAPHML)
    graph = read_graph(path)
    assert graph.cities == [City("Oslo", 59.9, 10.7), City("Rome", 41.9, 12.5)]
    assert graph.lines == [Line("Oslo", "Rome", 10_000_000_000)]


def test_several_links_of_two_nodes_are_several(tmp_path):
    nodes = NODE.format(0, "A", 0, 0), NODE.format(1, "B", 0, 1)
    graph = read_graph(_gml(tmp_path / "a.gml", *nodes, EDGE.format(0, 1), FAST.format(1, 0)))
    assert sorted(line.rate or 0 for line in graph.lines) == [0, 2_500_000_000]


def test_a_link_for_each_direction_is_one(tmp_path):
    nodes = NODE.format(0, "A", 0, 0), NODE.format(1, "B", 0, 1)
    edges = EDGE.format(0, 1), EDGE.format(1, 0), EDGE.format(0, 1)
    graph = read_graph(_gml(tmp_path / "a.gml", *nodes, *edges, head="  directed 1\n"))
    assert len(graph.lines) == 2


def test_names_are_unique(tmp_path):
    nodes = [NODE.format(i, name, i, i) for i, name in enumerate(("None", "None", "C", "None 2"))]
    edges = [EDGE.format(i, i + 1) for i in range(3)]
    names = [city.name for city in read_graph(_gml(tmp_path / "a.gml", *nodes, *edges)).cities]
    assert len(set(names)) == 4 and names[2:] == ["C", "None 2"]


def test_what_is_not_joined_is_left_out_and_said(tmp_path):
    nodes = [NODE.format(i, f"N{i}", i, i) for i in range(6)]
    edges = EDGE.format(3, 4), EDGE.format(4, 5), EDGE.format(0, 1), EDGE.format(5, 5)
    graph = read_graph(_gml(tmp_path / "a.gml", *nodes, *edges))
    assert [city.name for city in graph.cities] == ["N3", "N4", "N5"] and len(graph.lines) == 2
    assert graph.notes == ["left out 3 nodes that no path joins to the other 3", "left out a link of N5 to itself"]


def test_a_place_that_is_not_known_needs_a_delay(tmp_path):
    nodes = NODE.format(0, "A", 10, 20), NOWHERE.format(1, "B"), NODE.format(2, "C", 30, 40)
    path = _gml(tmp_path / "a.gml", *nodes, EDGE.format(0, 1), EDGE.format(0, 2))
    with pytest.raises(UsageError, match="where B is: say with --delay"):
        read_graph(path)
    graph = read_graph(path, "3ms")
    assert graph.cities[1] == City("B", 30, 20)
    assert [line.delay for line in graph.lines] == ["3ms", None]


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.txt", "", "neither of .graphml and .gml"),
        ("a.gml", "graph [", "a.gml: "),
        ("a.graphml", "<x>", "a.graphml: "),
        ("a.gml", "graph [\n" + NODE.format(0, "A", 0, 0) + "]\n", "there is no link"),
        ("a.gml", "graph [\n" + NODE.format(0, "A", 0, 0) + NODE.format(1, "B", '"x"', 0) + EDGE.format(0, 1) + "]\n",
         "latitude and longitude of B are not numbers"),
        ("a.gml", "graph [\n" + NODE.format(0, "A", 0, 0) + NODE.format(1, "B", 1, 0)
         + FAST.format(0, 1).replace("2500000000.0", "-1") + "]\n", "LinkSpeedRaw of A and B is no rate: -1"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_said(tmp_path, name, text, says):
    (tmp_path / name).write_text(text)
    with pytest.raises(UsageError, match=says):
        read_graph(tmp_path / name)
    with pytest.raises(UsageError, match="No such file"):
        read_graph(tmp_path / "none.gml")


@pytest.mark.parametrize(("delay", "says"), [
    ("garbage", "a time with its unit"), ("5", "has no unit"), ("", "a time"), ("-1ms", "out of range"),
    ("1e400s", "a time"),
])  # fmt: skip
def test_a_delay_that_is_no_time_is_refused(real_cli, tmp_path, delay, says):
    path = tmp_path / "m.gml"
    path.write_text("graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]")
    code, _, err = real_cli("topology", path, tmp_path / "m", f"--delay={delay}")
    assert code == 2 and says in err and not list(tmp_path.glob("*.csv"))


@pytest.mark.parametrize(("delay", "kept"), [("2 ms", "2ms"), ("5µs", "5us"), ("0", "0s"), ("1.5e-3s", "1.5e-3s")])
def test_a_delay_is_kept_as_ns3_reads_it(real_cli, tmp_path, delay, kept):
    path = tmp_path / "m.gml"
    path.write_text("graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]")
    assert real_cli("topology", path, tmp_path / "m", "--delay", delay)[0] == 0
    assert (tmp_path / "m-links.csv").read_text().splitlines()[1].endswith(f",{kept}")


def test_a_run_on_a_map(real_cli, tmp_path):
    nodes = NODE.format(0, "A", 0, 0), NODE.format(1, "B", 90, 0)
    _gml(tmp_path / "a.gml", *nodes, FAST.format(0, 1))
    code, out, _ = real_cli("topology", str(tmp_path / "a.gml"), str(tmp_path / "own"))
    assert code == 0 and "2 routers" in out and "1 links" in out
    code, out, _ = real_cli("run", f"topology=file:{tmp_path / 'own'}", "octets=100000", "plain_tcp=false", "--json")
    assert code == 0
    found = json.loads(out)["metrics"]
    quarter = math.pi / 2 * 6371008.8 / (299792458 * 2 / 3)  # of the equator, in glass
    assert found["round_trip"]["value"] == pytest.approx(2 * (quarter + 2e-6), abs=1e-8)  # Time has nanoseconds
    assert found["goodput_bound"]["value"] < 2.5e9
