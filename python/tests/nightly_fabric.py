# SPDX-License-Identifier: GPL-2.0-only
"""Transports on the leaf-spine: the figures of the page on studies (doc/study-fabric.rst), run again."""

from documented import check
from iwarp.studies import fabric
from test_fabric import means_of


def test_what_is_lost_and_how_long_messages_take_on_the_leaf_spine():
    means = means_of(
        "leaf-spine", ((fabric.GO_BACK_N, 0), (fabric.SELECTIVE, 0), (fabric.GO_BACK_N, fabric.XOFF), ("rdma-write", 0))
    )
    for figure, transport in (
        ("iwarp", "iWARP aligned, DCTCP"), ("go-back-n", "Go-back-N, lossy"),
        ("selective-repeat", "Selective repeat, lossy"), ("pause", "Go-back-N, PFC"),
    ):  # fmt: skip
        check(f"fabric-leaf-{figure}", means.loc[transport, "slowdown_p99"])
    check("fabric-leaf-paused", 100 * means.loc["Go-back-N, PFC", "pause_share"])
    check("fabric-leaf-resent", 100 * means.loc["Go-back-N, lossy", "resent_share"])
    check("fabric-leaf-repeated", 100 * means.loc["Selective repeat, lossy", "resent_share"])
