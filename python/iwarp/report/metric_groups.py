# SPDX-License-Identifier: GPL-2.0-only
"""The metrics of a run in groups, those that are asked for most in front: what ``iwarp run`` prints."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from ..parameters.quantity import Quantity, human

Value = TypeVar("Value")

IDLE = 0.1  #: share of the time below which the busiest link says little about the network


@dataclass(frozen=True)
class Group:
    """Metrics that belong together: patterns of the names of all, and of those that are asked for most, in order."""

    title: str
    members: str
    first: tuple[str, ...]


GROUPS = (
    Group(
        "Goodput and time",
        r"goodput|goodput_bound|bottleneck_share|duration|warm_up|common_\w+|cross_goodput|payload_octets|round_trip|"
        r"drain_time",
        ("goodput", "bottleneck_share", "duration", "payload_octets", "round_trip", "cross_goodput"),
    ),
    Group(
        "Messages",
        r"messages\w*|message_time\w*|slowdown\w*|half_\w+|size_\w+|censored_\w+|completed_\w+|offered_\w+|"
        r"connections_opened|rounds|round_(goodput|time_\w+)|delivery_latency\w*|content_errors",
        ("messages", "message_time_mean", "message_time_p99", "offered_load", "completed_messages", "slowdown_p50",
         "slowdown_p99", "rounds", "round_time_mean", "round_time_p99"),
    ),
    Group(
        "Requests of storage",
        r"(storage|nvme)_\w+",
        (r"\w+_goodput", r"\w+_request_rate", r"\w+_latency_mean", r"\w+_latency_p99"),
    ),
    Group("perftest", r"perf_\w+", (r"perf_bw_average", "perf_msg_rate", "perf_t_typical", "perf_t_99")),
    Group(
        "Alignment",
        r"(header|fpdu)_aligned_share(_sent)?|fpdus_\w+|emss(_end)?",
        ("fpdu_aligned_share", "header_aligned_share", "fpdus_passed", "fpdus_passed_out_of_order"),
    ),
    Group(
        "Memory for what comes early",
        r"reassembly_\w+|placement_wait_\w+|buffer_size_\w+|segments_dropped",
        ("reassembly_p99", "reassembly_peak", "placement_wait_p99"),
    ),
    Group(
        "RNICs",
        r"rnic_\w+",
        ("rnic_memory_p99", "rnic_memory_peak", "rnic_packet_buffer_peak", "rnic_receive_delay_mean",
         "rnic_place_delay_mean", r"rnic_drops_\w+", "rnic_offload_share"),
    ),
    Group(
        "ESP",
        r"esp_\w+",
        ("esp_overhead", "esp_associations", "esp_rekeys", "esp_drops"),
    ),
    Group("Adversaries", r"adversary_acts|connections_lost", ("adversary_acts", "connections_lost")),
    Group("RoCE", r"roce_\w+", ("roce_rate", "roce_cnps", "roce_naks")),
    Group(
        "Segments",
        r"segments_sent|octets_on_wire|retransmitted_octets|timeouts|loss_probes",
        ("segments_sent", "retransmitted_octets", "timeouts"),
    ),
    Group(
        "Queues and switches",
        r"queue_\w+|ecn_marks|buffer_drops|headroom_drops|switch_buffer_peak|(host_|victim_)?pause_\w+",
        ("queue_p99", "queue_peak", "queue_drops", "ecn_marks", "pause_frames", "host_pause_share"),
    ),
    Group(
        "The same over TCP of ns-3 without MPA",
        r"plain_tcp_\w+",
        ("plain_tcp_goodput", "plain_tcp_duration", "plain_tcp_retransmitted_octets", "plain_tcp_queue_p99"),
    ),
    Group("The simulation", "events", ()),
)  # fmt: skip


def arrange(metrics: Mapping[str, Value], everything: bool = False) -> list[tuple[str, dict[str, Value]]]:
    """Return the titles of the groups, with the metrics of each: those asked for most, or behind them all others.

    What counts what went wrong, drops, is among those asked for where it is not 0. A group without any is left out.
    """
    left = dict(metrics)
    found = []
    for group in GROUPS:
        members = [name for name in left if re.fullmatch(group.members, name)]
        asked = {
            name: left[name]
            for pattern in group.first
            for name in members
            if re.fullmatch(pattern, name) and (left[name] or "_drops" not in name)
        }
        chosen = asked | {name: left[name] for name in members} if everything else asked
        found.append((group.title, chosen))
        left = {name: value for name, value in left.items() if name not in members}
    found.append(("Others", left))
    return [(title, chosen) for title, chosen in found if chosen]


def caution_of_idle(metrics: Mapping[str, Quantity]) -> str:
    """Return what to know of a run whose busiest link hardly sends, or an empty string."""
    share = metrics.get("bottleneck_share")
    if share is None or not share < IDLE:
        return ""
    trip = metrics.get("round_trip")
    trips = f" and round-trip times (the longest is {human(trip, trip.unit)} here)" if trip else ""
    return (
        f"the busiest link sends for {human(share, 'share')} of the time: goodput and times are those of connecting, "
        f"slow start{trips}, of answers to loss or of an RNIC, not of a link in use; more octets or flows fill it"
    )
