# SPDX-License-Identifier: GPL-2.0-only
"""``--set`` with values that a study has leaves out the rest, and adds nothing."""

import itertools

import pytest
from iwarp import studies
from iwarp.errors import IwarpError
from iwarp.runs import loader, scenario
from iwarp.studies.restriction import build_grids, find_lost

try:
    loader.find()
except IwarpError:
    pytest.skip("the library is not built", allow_module_level=True)


RUN = {"run": [1]}  # is the default, and no part of a configuration


def configurations(name, **changes):
    """Return the configurations of a study's quick preset, as what differs from the defaults."""
    params = scenario.backend().params
    every = set()
    for grid in build_grids(studies.get(name), "quick", changes):
        items = [[(p, v) if v != params[p].default else None for v in values] for p, values in (grid | RUN).items()]
        every |= {frozenset(one) - {None} for one in itertools.product(*items)}
    return every


def has(configuration, parameter, value):
    if value != scenario.backend().params[parameter].default:
        return (parameter, value) in configuration
    return all(name != parameter for name, _ in configuration)


@pytest.mark.parametrize("name", [name for name in studies.NAMES if name != "compute"])
def test_a_restriction_only_removes(name):
    whole = configurations(name)
    levels = {}
    nuisances = studies.get(name).presets["quick"].nuisance  # what is asked of these is in place of all of them
    for parameter in {parameter for configuration in whole for parameter, _ in configuration} - nuisances.keys():
        default = scenario.backend().params[parameter].default
        levels[parameter] = {dict(c).get(parameter, default) for c in whole}
    for parameter, values in levels.items():
        for value in sorted(values, key=str)[:2] if len(values) > 1 else ():
            kept = {c for c in whole if has(c, parameter, value)}
            assert configurations(name, **{parameter: [value]}) == kept, f"{parameter}={value}"


def test_several_levels_of_the_buffer_study():
    whole = configurations("buffers")
    assert configurations("buffers", flows=["1", "100"]) == {
        c for c in whole if has(c, "flows", 1) or has(c, "flows", 100)
    }


def test_a_restricted_screening_keeps_its_points():
    whole, restricted = configurations("compute"), configurations("compute", rnic=["t5-like"])
    assert restricted == {c for c in whole if has(c, "rnic", "t5-like")} and len(restricted) > 100


def test_a_new_value_takes_the_place_of_the_studys():
    new = configurations("buffers", mtu=["4000"])
    assert all(has(c, "mtu", 4000) for c in new) and len(new) > 50


def test_what_a_restriction_leaves_no_runs_of_is_told():
    lost = find_lost(studies.get("ipsec"), "quick", {"topology": ["fat-tree"]})
    assert "the dumbbell" in lost and "engines" in lost and "networks, nothing else added" not in lost
    assert not any("ESP in transport mode" in text for text in lost)  # whose primary comparison it has
    assert find_lost(studies.get("ipsec"), "quick", {}) == []
    lost = find_lost(studies.get("ipsec"), "quick", {"topology": ["point-to-point"]})
    assert any(text.startswith("the declared comparison: what ESP in a gateway's tunnel does to") for text in lost)
    assert any(text.startswith("the reason for what ESP in a gateway's tunnel does to goodput") for text in lost)


def test_what_goes_along_with_a_part_gives_way():
    """A part about networks has few connections only because that is enough."""
    grids = build_grids(studies.get("buffers"), "quick", {"flows": ["7"], "topology": ["abilene"]})
    assert grids and all(grid["flows"] == [7] and grid["topology"] == ["abilene"] for grid in grids)
    lost = find_lost(studies.get("buffers"), "quick", {"flows": ["7"], "topology": ["abilene"]})
    assert {"a thousand connections", "memory of several sizes"} <= set(lost)
    octets = build_grids(studies.get("compute"), "quick", {"octets": ["123456"], "rnic": ["siw-like"]})
    assert {size for grid in octets for size in grid["message_sizes"]} >= {"fixed:256", "fixed:65536"}
