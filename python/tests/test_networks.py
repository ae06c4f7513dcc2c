# SPDX-License-Identifier: GPL-2.0-only
"""The list of networks against the library's topologies and against paths that a run measures."""

import iwarp
import pytest
from iwarp import studies
from iwarp.errors import IwarpError, UsageError
from iwarp.runs import loader, scenario
from iwarp.studies import networks
from iwarp.studies.restriction import build_grids

try:
    loader.find()
except IwarpError as error:
    pytest.skip(str(error), allow_module_level=True)

STUDIES = ("alignment", "buffers", "compute", "ipsec", "window")


def test_the_list_has_every_topology_of_the_library():
    choices = set(scenario.backend().params["topology"].choices) - {"file:PATH"}
    assert {name for name in networks.NETWORKS if not name.startswith("file:")} == choices


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_looks_at_every_network(name):
    for preset in ("quick", "full"):
        grids = build_grids(studies.get(name), preset, {} if name != "compute" else {"rnic": ["t5-like"]})
        assert {grid["topology"][0] for grid in grids} == set(networks.NETWORKS)


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_takes_a_network_of_its_users(name):
    """A file that no list has: what all networks have is asked of it, with what goes with its round trip."""
    grids = build_grids(studies.get(name), "quick", {"topology": ["file:abilene"]})
    assert grids and all(grid["topology"] == ["file:abilene"] for grid in grids)
    of_all = [grid for grid in grids if min(grid.get("min_rto", [0.2])) >= 0.2]
    assert of_all, "timeouts are those of long links"


def test_what_is_not_listed_is_long_or_not_by_its_round_trip():
    assert networks.find("file:abilene").long and networks.find("dumbbell") is networks.NETWORKS["dumbbell"]
    with pytest.raises(UsageError, match="there is no file"):
        networks.find("file:/no/such")


@pytest.mark.parametrize("topology", networks.NETWORKS)
def test_the_round_trip_is_that_of_a_run(topology):
    """The metric is that of an empty path between the two hosts, of the longest pair: here there is one."""
    path = {"topology": topology, "flows": 1, "host_pairs": 1, "delay": "20us", "hosts_per_leaf": 4}
    measured = iwarp.run(**path, octets=20_000, plain_tcp=False)["round_trip"]
    assert networks.round_trip(path) == pytest.approx(measured, rel=1e-6)


def test_long_links_of_the_window_study_are_slower_and_their_runs_longer():
    for grid in build_grids(studies.get("window"), "quick", {"topology": ["abilene"]}):
        assert grid["link_rate"] == [10_000_000_000 // networks.SLOWER]
        assert grid["duration"][0] >= networks.SLOWER * 60e-3
        if grid["window_rate"] != [0]:
            assert 0.04 < grid["window_rtt"][0] < 0.06
