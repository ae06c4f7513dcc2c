# SPDX-License-Identifier: GPL-2.0-only
"""A Backend with known answers, in place of ns-3: goodput = 1 Gbit/s less 10 Gbit/s times loss, plus run in kbit/s."""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from iwarp.errors import IwarpError, UsageError
from iwarp.network.map import Link, NetworkMap, Node
from iwarp.parameters.quantity import Quantity
from iwarp.parameters.schema import Param, Params, param_from_attribute
from iwarp.runs import scenario
from iwarp.runs.scenario import Metric

ATTRIBUTES = [
    (
        "Topology",
        "ns3::EnumValue<T>",
        "dumbbell|abilene|fat-tree|file:PATH|leaf-spine|parking-lot|point-to-point|star|wan",
        "dumbbell",
        "Where the hosts are.",
    ),
    ("Alignment", "ns3::BooleanValue", "bool", "true", "Whether the sender keeps FPDUs aligned."),
    ("SpreadStarts", "ns3::BooleanValue", "bool", "false", "Whether flows start far apart."),
    ("Markers", "ns3::BooleanValue", "bool", "true", "Whether Markers are used.", "MpaStream.Markers"),
    ("Reordering", "ns3::DoubleValue", "double 0:1", "0", "Packets held back [probability]"),
    ("Loss", "ns3::DoubleValue", "double 0:1", "0", "Packets lost [probability]"),
    ("Mtu", "ns3::UintegerValue", "uint32_t 576:65535", "1500", "Size of an IP datagram [octets]"),
    ("Delay", "ns3::TimeValue", "Time -9.22337e+18ns:+9.22337e+18ns", "+1e+07ns", "One way."),
    ("LinkRate", "ns3::DataRateValue", "DataRate", "10000000000bps", "Of the bottleneck."),
    ("QueueSize", "ns3::StringValue", "std::string", "1000p", "Queue at each device."),
    ("AccessRate", "ns3::DataRateValue", "DataRate", "40000000000bps", "Of hosts' links."),
    ("HostPairs", "ns3::UintegerValue", "uint32_t 0:16384", "0", "Pairs of hosts."),
    ("Receivers", "ns3::UintegerValue", "uint32_t 0:4294967295", "0", "Hosts that receive."),
    ("ReorderingDelay", "ns3::TimeValue", "Time +0ns:+1e+11ns", "+50000ns", "Longest hold."),
    ("Rnic", "ns3::EnumValue<T>", "none|ideal|t5-like", "none", "RNIC of each host."),
    ("PlainTcp", "ns3::BooleanValue", "bool", "true", "Plain TCP too."),
    ("Flows", "ns3::UintegerValue", "uint32_t 1:16384", "1", "Connections."),
    ("MinRto", "ns3::TimeValue", "Time +1e+03ns:+6e+10ns", "+2e+08ns", "Least timeout."),
    ("DelayedAck", "ns3::TimeValue", "Time +0ns:+6e+10ns", "+4e+07ns", "Longest delay of an ACK."),
    ("Octets", "ns3::UintegerValue", "uint64_t 0:18446744073709551615", "1000000", "To send [octets]"),
    ("Seed", "ns3::UintegerValue", "uint32_t 1:4294967295", "1", "Seed of ns-3's random numbers."),
    ("Run", "ns3::UintegerValue", "uint64_t 1:18446744073709551615", "1", "Which random streams."),
    ("Pattern", "ns3::EnumValue<T>", "pairs|incast", "pairs", "Who sends to whom."),
    ("Ecmp", "ns3::EnumValue<T>", "flow|random", "flow", "What equal paths are picked by."),
    ("HostsPerLeaf", "ns3::UintegerValue", "uint32_t 1:1024", "16", "Hosts at each leaf."),
    ("Middlebox", "ns3::EnumValue<T>", "none|resegmenting", "none", "What stands in links."),
    ("MiddleboxPlace", "ns3::EnumValue<T>", "sender|core|receiver", "core", "In which."),
    ("SplitProxy", "ns3::BooleanValue", "bool", "false", "Whether routers end TCP."),
    ("Impairment", "ns3::StringValue", "std::string", "random", "What harms packets."),
    ("LinkSchedule", "ns3::StringValue", "std::string", "", "Changes of links."),
    ("CrossTraffic", "ns3::EnumValue<T>", "none|udp|tcp", "none", "Traffic beside."),
    ("CrossFlows", "ns3::UintegerValue", "uint32_t 1:8192", "1", "Of it."),
    ("CrossRate", "ns3::DataRateValue", "DataRate", "1000000000bps", "Of each."),
    ("CongestionControl", "ns3::StringValue", "std::string", "TcpCubic", "Of TCP."),
    ("QueueDisc", "ns3::EnumValue<T>", "none|threshold", "none", "What queues mark."),
    ("MarkingThreshold", "ns3::StringValue", "std::string", "65p", "From where on."),
    ("Distance", "ns3::DoubleValue", "double 0:1e6", "10000", "Length of the fibre [km]"),
    ("SatelliteHops", "ns3::UintegerValue", "uint32_t 0:10", "0", "Satellites."),
    ("Behaviour", "ns3::StringValue", "std::string", "", "What goes wrong."),
    ("Pcap", "ns3::StringValue", "std::string", "", "Directory for pcap files."),
]
QUALIFIED = {
    "Rnic.ReassemblyMemory.Capacity": ("ns3::UintegerValue", "uint32_t 0:4294967295", "0", "Octets of reassembly."),
    "PathResegmentingMiddlebox.MaxPayload": ("ns3::UintegerValue", "uint32_t 0:65535", "0", "Most payload."),
    "PathGilbertElliottImpairment.GoodToBad": ("ns3::DoubleValue", "double 0:1", "0", "To bad."),
    "PathGilbertElliottImpairment.BadToGood": ("ns3::DoubleValue", "double 0:1", "0.25", "To good."),
    "PathJitterImpairment.Delay": ("ns3::StringValue", "std::string", "", "Delay."),
    "TcpSocket.ConnTimeout": ("ns3::TimeValue", "Time +0ns:+1e+12ns", "+3e+09ns", "Timeout of a SYN."),
    "MpaStream.FramingAhead": ("ns3::UintegerValue", "uint32_t 0:4294967295", "0", "Octets framed ahead."),
    "MpaStream.Markers": ("ns3::BooleanValue", "bool", "true", "Whether Markers are used."),
    "MpaStream.SilentDrop": ("ns3::BooleanValue", "bool", "false", "Whether faulty segments are dropped."),
    "TcpSocketBase.ReTxThreshold": ("ns3::UintegerValue", "uint32_t 0:4294967295", "3", "Threshold (bytes)"),
}
METRICS = [
    Metric("goodput", "bit/s", "run", "Payload over time"),
    Metric("header_aligned_share", "share", "ratio", "Segments that begin with an FPDU"),
    Metric("reassembly_peak", "octets", "level", "Most octets held"),
    Metric("segments_sent", "segments", "sum", "Segments sent"),
]


class FakeBackend:
    """Stands for ns-3; ``Behaviour`` makes it fail as ns-3 can."""

    ns3_version = "3.fake"
    code_id = "fake00000000"

    def __init__(self) -> None:
        self.params = Params((param_from_attribute(*attribute) for attribute in ATTRIBUTES), self._find)
        self.metrics = {metric.name: metric for metric in METRICS}

    def _find(self, name: str) -> Param:
        if name not in QUALIFIED:
            raise UsageError(f"{name}: no such attribute")
        return param_from_attribute(name, *QUALIFIED[name])

    def list_qualified(self, part: str) -> list[Param]:
        return [self._find(name) for name in QUALIFIED if part.lower() in name.lower()]

    def check(self, params: Mapping[str, Any]) -> None:
        if params.get("mtu") == 577:
            raise UsageError("mtu=577 leaves no room for an FPDU")

    def find_map(self, params: Mapping[str, Any]) -> NetworkMap:
        """Return two hosts and the link between them."""
        nodes = [Node("", False, sends=True), Node("", False, receives=True)]
        return NetworkMap(nodes, [Link(0, 1, params["link_rate"], params["delay"], True, True)])

    def execute(self, params: Mapping[str, Any]) -> tuple[dict[str, Quantity], str, list[str]]:
        behaviour, _, argument = params["behaviour"].partition(":")
        if behaviour == "slow":
            time.sleep(float(argument))
        elif behaviour == "hang" or (behaviour == "hang-run" and params["run"] == int(argument)):
            time.sleep(1000)
        elif behaviour == "six" and params["run"] > 6:  # wait for a file
            while not Path(argument).exists():
                time.sleep(0.01)
        elif behaviour == "busy":
            until = time.process_time() + float(argument)
            while time.process_time() < until:
                pass
        elif behaviour == "abort":
            print('msg="the link is on fire", +1.0s 2 file=model.cc, line=1\nNS_FATAL, terminating', file=sys.stderr)
            sys.stderr.flush()
            os.abort()
        elif behaviour == "exit":
            os._exit(3)
        elif behaviour == "exception":
            raise IwarpError("the peer went away")
        elif behaviour == "memory":
            bytearray(int(argument))
        aligned = params["alignment"]
        rng = random.Random(params["run"])
        metrics = {
            "goodput": Quantity(1e9 - 1e10 * params["loss"] + 1e3 * params["run"], "bit/s"),
            "header_aligned_share": Quantity(1.0 if aligned else 0.05, "share"),
            "fpdu_aligned_share": Quantity((0.25 if params["middlebox"] == "resegmenting" else 1) * aligned, "share"),
            "reassembly_peak": Quantity(
                (1 if aligned else 8) * 1e5 * params["loss"] * (1 + rng.random() / 10), "octets"
            ),
            "segments_sent": Quantity(110.0, "segments"),
            "plain_tcp_segments": Quantity(100.0, "segments"),
            "pid": Quantity(os.getpid(), ""),
        }
        cautions = ["mtu, loss: mind the gap"] if behaviour == "caution" else []
        return metrics, " #bytes\n" if behaviour == "report" else "", cautions


def install() -> FakeBackend:
    """Make this the backend of the process."""
    fake = FakeBackend()
    scenario.backend = lambda: fake
    return fake
