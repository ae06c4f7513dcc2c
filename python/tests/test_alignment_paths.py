# SPDX-License-Identifier: GPL-2.0-only
"""What is left of alignment on a path, against closed forms; and the pictures of networks against their formulas."""

import math

import iwarp
import numpy as np
import pytest
from iwarp.errors import IwarpError, UsageError
from iwarp.network.map import Link, NetworkMap, Node
from iwarp.parameters.schema import resolve
from iwarp.report.network_picture import describe_network, draw_network
from iwarp.runs import loader, scenario
from iwarp.studies import alignment
from iwarp.studies.alignment_conditions import condition
from iwarp.studies.networks import NETWORKS
from iwarp.studies.restriction import build_grids

try:
    loader.find()
except IwarpError as error:
    pytest.skip(str(error), allow_module_level=True)

SMALL = {"flows": 2, "octets": 200_000, "plain_tcp": False}
LINE = {"topology": "dumbbell", "message_sizes": "fixed:1000", "packing": False, "markers": False}
FPDU = 2 + 14 + 1000 + 4  #: octets: length, DDP header of a tagged segment, payload, CRC (RFC 5044, RFC 5041)


@pytest.mark.parametrize("topology", NETWORKS)
def test_all_is_aligned_where_nothing_is_done_to_the_path(topology):
    found = iwarp.run(topology=topology, **SMALL)
    assert found["fpdu_aligned_share"] == found["header_aligned_share"] == 1


@pytest.mark.parametrize("most", [300, 500, 1019, 1020])
def test_a_box_leaves_one_head_in_each_piece_of_an_fpdu(most):
    """Of an FPDU of s octets, one a segment, ceil(s / m) segments arrive behind a box with maximum m: one has its
    head."""
    box = {"middlebox": "resegmenting", "PathResegmentingMiddlebox.MaxPayload": most}
    found = iwarp.run(**LINE, **SMALL, **box)
    pieces = math.ceil(FPDU / most)
    assert found["header_aligned_share"] == pytest.approx(1 / pieces, abs=1e-3)
    assert found["fpdu_aligned_share"] == pytest.approx(1 if pieces == 1 else 0, abs=1e-3)


def network(**params) -> NetworkMap:
    backend = scenario.backend()
    return backend.find_map(resolve(params, backend.params))


@pytest.mark.parametrize(
    ("params", "kind", "routers", "hosts", "links"),
    [
        ({"topology": "point-to-point", "flows": 5}, "lines", 0, 10, 5),
        ({"topology": "dumbbell", "flows": 4}, "row", 2, 8, 9),
        ({"topology": "star", "flows": 6}, "row", 1, 12, 12),
        ({"topology": "parking-lot", "flows": 4, "bottlenecks": 3}, "row", 4, 8, 3 + 8),
        ({"topology": "leaf-spine", "leaves": 3, "spines": 2, "hosts_per_leaf": 4}, "layers", 5, 12, 12 + 3 * 2),
        ({"topology": "fat-tree", "fat_tree_k": 6}, "layers", 5 * 36 // 4, 6**3 // 4, 3 * 6**3 // 4),
        ({"topology": "abilene", "flows": 3}, "map", 11, 6, 14 + 6),
        ({"topology": "file:nsfnet", "flows": 1}, "map", 14, 2, 21 + 2),
    ],
)
def test_a_network_has_the_nodes_and_links_of_its_formula_and_a_place_for_each(
    params, kind, routers, hosts, links, tmp_path
):
    found = network(**params)
    assert (found.kind(), len(found.routers), len(found.hosts), len(found.links)) == (kind, routers, hosts, links)
    where = np.array(found.positions())
    assert where.shape == (routers + hosts, 2) and np.isfinite(where).all()
    assert len(np.unique(where.round(6), axis=0)) == len(where)
    text = draw_network(found, tmp_path / "network.svg").read_text()
    assert text.count("<svg") == 1
    counts = [f"{n} {name}" for n, name in ((routers, "router"), (hosts, "host"), (links, "link")) if n]
    assert all(count in describe_network(found) for count in counts)


def test_a_network_without_coordinates_is_drawn_by_its_links(tmp_path):
    ring = [Link(i, (i + 1) % 6, 1e9, 1e-3, False, False) for i in range(6)]
    chords = [Link(0, 2, 1e9, 1e-3, False, False)]
    hosts = [Link(i, 6 + k, 1e9, 0, True, k == 0) for k, i in enumerate((0, 3))]
    nodes = [Node(f"router{i}", True) for i in range(6)] + [Node("", False, True), Node("", False, False, True)]
    found = NetworkMap(nodes, [*ring, *chords, *hosts])
    where = np.array(found.positions())
    assert found.kind() == "graph" and np.isfinite(where).all()
    assert len(np.unique(where.round(6), axis=0)) == len(nodes)
    assert draw_network(found, tmp_path / "network.svg").stat().st_size > 0
    assert describe_network(found).startswith("6 routers, 2 hosts and 9 links. The link marked, of 1 Gbit/s, ")


def test_a_network_that_cannot_be_is_refused():
    with pytest.raises(UsageError, match="there is no file"):
        network(topology="file:/no/such")


def test_an_rnic_of_the_study_has_the_memory_that_is_asked_about():
    """Where memory is full it tells what the RNIC has: 256 KiB, which 200 connections without alignment fill if they
    begin at once.
    """
    grids = [g for g in build_grids(alignment.STUDY, "quick", {}) if g.get("flows") == [200]]
    given = {"alignment": False, "loss": 0.0, "spread_starts": False}
    runs = [iwarp.run(**{name: values[0] for name, values in grid.items()} | given) for grid in grids]
    assert runs and all(run["segments_dropped"] == 0 and run["rnic_memory_peak"] > 262_144 for run in runs)


def test_proxies_are_among_the_conditions_where_there_are_routers():
    grids = [g for g in build_grids(alignment.STUDY, "quick", {}) if g.get("split_proxy") == [True]]
    assert {topology for grid in grids for topology in grid["topology"]} == set(NETWORKS) - {"point-to-point"}
    incast = {"topology": "star", "pattern": "incast", "incast_senders": 4}  # what proxies have waits for one link
    found = iwarp.run(**{**SMALL, **incast, "split_proxy": True, "alignment": True})
    assert found["fpdu_aligned_share"] < 1 and condition(found.params) == "proxies split connections"
