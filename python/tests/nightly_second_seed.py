# SPDX-License-Identifier: GPL-2.0-only
"""Each figure that the documentation states of studies, with another seed: the intervals of both meet."""

import documented
import nightly_alignment
import nightly_buffers
import nightly_compare
import nightly_compute
import nightly_fabric
import pytest
import test_fabric
import test_ipsec_study
import test_study_figures

#: what repeats figures, with the arguments that it is called with
REPEATED = [
    *((getattr(test_study_figures, name), {}) for name in dir(test_study_figures)
      if name.startswith("test_") and "check(" in __import__("inspect").getsource(getattr(test_study_figures, name))),
    (test_ipsec_study.test_in_steady_state_esp_costs_its_octets_and_leaves_alignment, {}),
    (test_ipsec_study.test_a_tunnel_is_one_flow_to_routers_with_equal_paths, {}),
    (test_fabric.test_an_incast_with_pauses_loses_nothing, {}),
    (nightly_fabric.test_what_is_lost_and_how_long_messages_take_on_the_leaf_spine, {}),
    (nightly_compare.test_an_incast_has_roce_pause_and_dctcp_wait, {}),
    (nightly_compare.test_an_incast_of_dctcp_waits_for_delayed_acknowledgements, {}),
    (nightly_compare.test_long_flows_share_a_leaf_spine, {}),
    (nightly_compare.test_random_loss_lengthens_tails, {}),
    (nightly_alignment.test_an_aligned_sender_is_slower_under_loss_since_its_segments_are_shorter, {}),
    (nightly_alignment.test_an_aligned_sender_whose_fpdus_fill_segments_is_no_slower, {}),
    (nightly_alignment.test_the_memory_that_many_connections_need, {}),
    (nightly_buffers.test_k1_by_1_to_1000_connections, {"figure": "k1-0.1-percent", "loss": 0.001}),
    (nightly_buffers.test_k1_by_1_to_1000_connections, {"figure": "k1-1-percent", "loss": 0.01}),
    (nightly_buffers.test_k1_of_runs_that_are_twice_as_long, {}),
    *((nightly_buffers.test_what_a_connection_holds_over_rates_delays_and_sizes, {"figure": figure, "changes": changes})
      for figure, changes in nightly_buffers.PATHS),
    (nightly_buffers.test_what_too_little_memory_leaves, {}),
    *((nightly_buffers.test_more_memory_is_not_always_better, {"name": name, "kind": kind})
      for name, kind in nightly_buffers.SENDERS),
    *((nightly_buffers.test_what_rack_makes_of_little_memory, {"figure": figure, "memory": memory, "kind": kind})
      for figure, memory, kind in nightly_buffers.LITTLE),
    (nightly_compute.test_contexts_that_are_off_chip, {"pairs": 2000, "messages": 10}),
    (nightly_compute.test_contexts_that_are_off_chip, {"pairs": 5000, "messages": 5}),
]  # fmt: skip


@pytest.mark.parametrize(("repeat", "arguments"), REPEATED)
def test_another_seed_finds_the_same(repeat, arguments, monkeypatch, capsys):
    monkeypatch.setattr(documented, "seed", 2)
    monkeypatch.setattr(documented, "compared", [])
    repeat(**arguments)
    assert documented.compared
    with capsys.disabled():
        for figure, stated, found, most in documented.compared:
            print(f"\n{figure},{stated},{found:.4g},{most:.3g},{abs(found - stated) <= most}", end="")
    assert not documented.differing(), documented.differing()
