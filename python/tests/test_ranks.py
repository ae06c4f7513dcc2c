# SPDX-License-Identifier: GPL-2.0-only
"""A run in ranks, up to where MPI is needed; test/ranks_scenarios.py compares runs in a tree that has it."""

from __future__ import annotations

import pytest

import iwarp
from iwarp.runs import ranks, scenario

GOOD = {"plain_tcp": False, "octets": 0, "duration": "1ms"}


def tree_with(folder, *names):
    (folder / "build" / "lib").mkdir(parents=True)
    for name in names:
        (folder / "build" / "lib" / name).touch()
    return folder


@pytest.mark.parametrize("name", ["libns3.48-iwarp.so", "libns3.35-iwarp-release.so", "libns3.44-iwarp-default.so"])
def test_library_of_a_tree(tmp_path, name):
    tree = tree_with(tmp_path, "libns3.48-core.so", "libns3.48-iwarp-test.so", "libns3.44-iwarp-test-default.so", name)
    assert ranks.find_library(tree).name == name


def test_tree_without_the_module(tmp_path):
    with pytest.raises(iwarp.UsageError, match="is not built there"):
        ranks.find_library(tree_with(tmp_path, "libns3.48-core.so", "libns3.48-iwarp-test.so"))


@pytest.mark.parametrize(
    "params",
    [{"mtu": 9000}, {"pfc_xoff": 30_000}, {"duration": 0}, {"plain_tcp": True}, {"workload": "storage"}, {"delay": 0}],
    ids=lambda params: next(iter(params)),
)
def test_what_cannot_be_shared_out_is_refused_by_name(tmp_path, params):
    tree = tree_with(tmp_path, "libns3.48-iwarp.so")
    given = GOOD | ({"octets": 1000} if "duration" in params else {}) | params
    with pytest.raises(iwarp.UsageError, match=f"^{next(iter(params))}: "):
        iwarp.run(ranks=2, ns3_tree=tree, **given)


def test_functions_and_traces_are_of_one_process(tmp_path):
    tree = tree_with(tmp_path, "libns3.48-iwarp.so")
    with pytest.raises(iwarp.UsageError, match="observe is a function"):
        scenario.backend().execute_ranks({"observe": print}, tree, 2)
    with pytest.raises(iwarp.UsageError, match="no traces"):
        iwarp.run(ranks=2, ns3_tree=tree, trace="cwnd", **GOOD)
    with pytest.raises(iwarp.UsageError, match="no file for NetAnim"):
        iwarp.run(ranks=2, ns3_tree=tree, net_anim=tree / "anim.xml", **GOOD)
    with pytest.raises(iwarp.UsageError, match="needs the tree"):
        iwarp.run(ranks=2, **GOOD)


def test_reason_of_an_early_end():
    rule = "-" * 60
    said = f"{rule}\nmpirun has detected an attempt to run as root.\n\nRunning as root is discouraged.\n{rule}\n"
    assert ranks._reason(said) == "mpirun has detected an attempt to run as root."
    assert ranks._reason(f"OSError: no such library\n{rule}\nprocess 1 exited\n{rule}\n") == "OSError: no such library"
    assert ranks._reason("") == ""
