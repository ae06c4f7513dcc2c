# SPDX-License-Identifier: GPL-2.0-only
"""What ns-3's own TCP does to the run that it is compared with: nothing."""

import iwarp

# an old acknowledgment with SACK blocks comes when nothing is under way, which ns-3 asserts against
ENDS = {
    "flows": 6, "octets": 60_000, "reordering": 0.1, "reordering_delay": "900us", "impairment_direction": "both",
    "impairment_place": "core", "seed": 22,
}  # fmt: skip


def test_a_comparison_that_ends_its_process_costs_its_metrics_alone():
    alone = iwarp.run(**ENDS, plain_tcp=False)
    beside = iwarp.run(**ENDS)
    assert dict(alone) == {name: value for name, value in beside.items() if not name.startswith("plain_tcp_")}
    if "plain_tcp_goodput" not in beside:  # ns-3 with assertions
        assert dict(alone) == dict(beside)
        assert beside.to_json()["cautions"] == beside.cautions
        assert [caution.split(":")[0] for caution in beside.cautions] == ["plain_tcp"]
        assert "plain_tcp_ metrics" in beside.cautions[0]


def test_a_function_builds_the_network_of_both():
    def build(network, pairs, link, access):
        network.AddRouter()
        return [(network.AddHost(0, access), network.AddHost(0, access)) for _ in range(pairs)]

    found = iwarp.run(topology=build, octets=20_000, flows=2)
    assert found["plain_tcp_goodput"] > 0 and found.cautions == []
