# SPDX-License-Identifier: GPL-2.0-only
"""The figures of doc/study-ipsec.rst: what ESP costs in steady state, and where a tunnel is one flow to routers."""

from __future__ import annotations

import math

from ..analysis.cause import explain
from ..analysis.stats import Estimate, PairedTest
from ..studies.ipsec import STUDY, derive
from .experiment import Experiment, Measured, Sweep, value

PAGE = "study-ipsec"
PLACES = ("transport", "gateway", "nested")


def steady(sweep: Sweep) -> Measured:
    preset = STUDY.presets["quick"]
    settings = {**preset.fixed, **preset.goes_with("dumbbell", {}, ()), "ipsec": ["none", *PLACES]}
    runs = derive(sweep(settings, 6))
    goodput = runs.groupby("ipsec")["goodput"].mean()
    # a full datagram: 1,448 octets of payload in 1,500, of 2 on the link besides; with ESP 1,412 or 1,414 (RFC 4106)
    octets = goodput["transport"] / goodput["none"] / (1413 / 1448)
    return {
        **{f"ipsec-{place}": value(100 * (1 - goodput[place] / goodput["none"]), runs=6) for place in PLACES},
        "transport mode costs its octets, 1,413 of 1,448 are left, within 1 %": bool(abs(octets - 1) < 0.01),
        "ESP leaves alignment as it is": bool((runs.groupby("ipsec")["header_aligned_share"].mean() > 0.999).all()),
    }


def leaf_spine(sweep: Sweep) -> Measured:
    """The cause that the page states, by runs that lack it: an association a connection, and SPIs that are hashed."""
    preset = STUDY.presets["quick"]
    base = {**preset.fixed, **preset.goes_with("leaf-spine", {}, ()), "topology": "leaf-spine"}
    ways = ({"ecmp": "flow"}, {"ecmp": "flow-spi", "ipsec_sharing": "connection"})
    found = sweep([{**base, **way, "ipsec": ["none", "gateway"]} for way in ways], 12)
    found.attrs["units"] = {}
    factors = ["topology", "condition", "ipsec", "ipsec_sharing", "flows", "alignment", "loss", "mtu"]
    (tunnel,) = explain(derive(found), STUDY.causes, {"goodput": STUDY.views[0]}, factors)
    return {
        "ipsec-leaf-gateway": _lost(tunnel.present.test),
        "ipsec-leaf-hashed": _lost(tunnel.absent.test),
        "one flow to the routers is shown to be why a tunnel costs that": tunnel.is_stated
        and tunnel.absent.test.high > 0,
    }


def _lost(test: PairedTest) -> Estimate:
    """Return by how many per cent a metric is less, of the logarithm of a ratio."""
    low, high = (-100 * math.expm1(end) for end in (test.high, test.low))
    return value(-100 * math.expm1(test.mean), (high - low) / 2, test.n)


EXPERIMENTS = (Experiment("ipsec-steady", PAGE, 0.1, steady), Experiment("ipsec-leaf-spine", PAGE, 0.3, leaf_spine))
