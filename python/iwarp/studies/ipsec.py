# SPDX-License-Identifier: GPL-2.0-only
"""What ESP does to RDMA over TCP: to alignment, buffers and goodput, and where the difference comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from ..cells import number
from ..chart import Layout
from ..findings import Contrast, View
from ..quantity import human, number_text
from ..report import Table
from .study import Evidence, Panel, Preset, Question, Study

GCM = "aes-gcm-16-128"
PLACES = ("transport", "tunnel", "gateway", "nested")
TIMELESS = ("none", "inline")  #: engines that take no time

_BASE = {
    "rnic": "e810-like",
    "esp_engine": "inline",
    "cipher": GCM,
    "ipsec_sharing": "hosts",
    "flows": 4,
    "host_pairs": 0,
    "workload": "mpa",
    "message_sizes": "ns3::ExponentialRandomVariable[Mean=8192]",
    "octets": 400_000,
    "alignment": True,
    "loss": 0.0,
    "mtu": 1500,
    "link_rate": "40Gbps",
    "access_rate": "40Gbps",
    "delay": "20us",
    "queue_size": "2000p",
    "send_buffer": 262144,
    "receive_buffer": 262144,
    "min_rto": "10ms",
    "delayed_ack": "1ms",
    "plain_tcp": False,
    "EspEngine.AssociationCache.Entries": 0,
}
_ENGINES = {"ipsec": ["none", "transport"], "flows": [8], "host_pairs": [1]}
_FACTORS = ["topology", "rnic", "esp_engine", "cipher", "mtu", "loss", "alignment", "flows", "ipsec_sharing",
            "EspEngine.AssociationCache.Entries"]  # fmt: skip


def _more(octets: int) -> list[dict]:
    """Return the grids of ciphers, of engines, of MTUs and of contexts on chip."""
    engines = {**_ENGINES, "octets": [octets]}
    return [
        {"ipsec": ["none", "transport", "tunnel"], "octets": [octets],
         "cipher": ["null/hmac-sha1-96", "aes-cbc-128/hmac-sha1-96", "aes-cbc-256/hmac-sha2-256-128",
                    "chacha20-poly1305"]},
        {**engines, "rnic": ["t5-like", "e810-like"],
         "esp_engine": ["inline", "t6-like", "connectx6dx-like", "qat-like"]},
        {**engines, "rnic": ["siw-like"], "esp_engine": ["inline", "aesni-like", "qat-like"],
         "cipher": [GCM, "aes-cbc-128/hmac-sha1-96"]},
        {"ipsec": ["none", *PLACES], "octets": [octets], "mtu": [9000]},
        {**engines, "flows": [64], "octets": [octets // 8], "ipsec_sharing": ["connection"],
         "esp_engine": ["connectx6dx-like"], "EspEngine.AssociationCache.Entries": [16, 64, 256]},
    ]  # fmt: skip


_VIEWS = [
    View("goodput", "Goodput", higher_is_better=True, log=True),
    View("message_time_mean", "Time of a message, mean", higher_is_better=False, log=True),
    View("header_aligned_share", "Segments that begin with an FPDU"),
    View("fpdu_aligned_share", "Segments of whole FPDUs only"),
    View("rnic_memory_peak", "Reassembly memory, peak", higher_is_better=False),
    View("rnic_packet_buffer_peak", "Packet buffer, peak", higher_is_better=False),
    View("rnic_ip_reassembly_peak", "IP fragments held, peak", higher_is_better=False),
    View("segments_sent", "Segments", higher_is_better=False),
    View("esp_share", "Octets that ESP adds", "share", "Of the octets of the IP datagrams that it protects.", False),
    View("esp_delay_out", "From a packet to its protection", higher_is_better=False),
    View("esp_context_misses", "Contexts of associations off chip", higher_is_better=False),
    View("rnic_cpu_time", "Time of CPUs", higher_is_better=False),
]  # fmt: skip


def derive(frame: pd.DataFrame) -> pd.DataFrame:
    """Add the share of ESP's octets."""
    if "esp_overhead" not in frame:
        return frame
    frame = frame.copy()
    units = dict(frame.attrs.get("units", {}))
    frame["esp_share"] = frame["esp_overhead"] / frame["esp_octets"].where(frame["esp_octets"] > 0)
    frame.attrs["units"] = units | {"esp_share": "share"}
    return frame


def _factors(frame: pd.DataFrame) -> list[str]:
    return [name for name in _FACTORS if name in frame]


def _breakdown(frame: pd.DataFrame) -> Table | None:
    """Return what becomes of the goodput: without ESP, with ESP that takes no time, with the engine's time."""
    rows = []
    key = [name for name in _factors(frame) if name != "esp_engine"]
    for values, runs in frame.groupby(key, sort=True, dropna=False):
        where = dict(zip(key, values, strict=True))
        goodput = runs.groupby(["ipsec", "esp_engine"])["goodput"].mean()
        plain = runs[runs["ipsec"] == "none"]["goodput"].mean()
        for (ipsec, engine), reached in goodput.items():
            if ipsec == "none" or not plain > 0:
                continue
            timeless = [goodput[ipsec, e] for e in TIMELESS if (ipsec, e) in goodput]
            own = runs[(runs["ipsec"] == ipsec) & (runs["esp_engine"] == engine)]
            row = {
                "Topology": where.get("topology", ""),
                "RNIC": where["rnic"],
                "ESP": ipsec,
                "Cipher": where["cipher"],
                "Engine": engine,
                "MTU": number(where["mtu"], "octets", form=","),
                "Loss": number(where["loss"], "share"),
                "Sender": "aligned" if where["alignment"] else "unaligned",
                "Contexts on chip": where["EspEngine.AssociationCache.Entries"] or "all",
                "Without ESP": number(plain, "bit/s"),
                "With ESP": number(reached, "bit/s"),
                "Lost": number(1 - reached / plain, "share"),
            }
            if timeless:
                row["to octets, segments and fragments"] = number(1 - timeless[0] / plain, "share")
                row["to the engine"] = number((timeless[0] - reached) / plain, "share")
            row |= {
                "Octets added": number(own["esp_share"].mean(), "share"),
                "Segments begin with an FPDU": number(own["header_aligned_share"].mean(), "share"),
                "Context misses": number(own["esp_context_misses"].mean(), "share")
                if "esp_context_misses" in own else "",
            }  # fmt: skip
            rows.append(row)
    if not rows:
        return None
    text = (
        "Goodput of runs that differ in ESP alone. What is lost with an engine that takes no time is lost to octets "
        "that ESP adds, to the shorter segments that it leaves, and to fragments where a tunnel begins behind the "
        "sender; the rest is lost to the engine, misses of contexts among it."
    )
    return Table("breakdown", "Where the difference comes from", text, pd.DataFrame(rows).fillna(""))


def conclude(frame: pd.DataFrame) -> list[Table]:
    """Return the study's table: where the difference comes from."""
    table = _breakdown(frame) if "esp_share" in frame else None
    return [table] if table else []


def _usual(frame: pd.DataFrame) -> pd.Series:
    return (
        (frame["rnic"] == _BASE["rnic"]) & (frame["esp_engine"] == "inline") & (frame["cipher"] == GCM)
        & (frame["mtu"] == 1500) & (frame["ipsec_sharing"] == "hosts")
    )  # fmt: skip


def _answer(evidence: Evidence) -> list[str]:
    """Say what ESP does to alignment, to buffers and to goodput, and what its engines cost."""
    frame = evidence.frame
    if "esp_share" not in frame:
        return []
    usual = frame[_usual(frame) & frame["alignment"]]
    plain = usual[usual["ipsec"] == "none"]
    answers = []
    for place in PLACES:
        runs = usual[usual["ipsec"] == place]
        if runs.empty or plain.empty:
            continue
        answers.append(
            f"{place[0].upper()}{place[1:]}: an aligned sender's segments begin with an FPDU in "
            f"{human(runs['header_aligned_share'].mean(), 'share')} of the cases, in "
            f"{human(plain['header_aligned_share'].mean(), 'share')} without ESP; the RNIC's reassembly memory holds "
            f"{human(runs['rnic_memory_peak'].mean(), 'octets')} at the peak instead of "
            f"{human(plain['rnic_memory_peak'].mean(), 'octets')}, fragments take "
            f"{human(runs['rnic_ip_reassembly_peak'].mean(), 'octets')}, and goodput is "
            f"{number_text(runs['goodput'].mean() / plain['goodput'].mean())} times that without ESP, which adds "
            f"{human(runs['esp_share'].mean(), 'share')} of the octets."
        )
    for (rnic, engine), runs in frame[frame["flows"] == 8].groupby(["rnic", "esp_engine"], sort=True):
        means = runs[runs["cipher"] == GCM].groupby("ipsec")["goodput"].mean()
        if engine not in TIMELESS and {"none", "transport"} <= set(means.index):
            answers.append(
                f"{engine} at {rnic}: {human(means['transport'], 'bit/s')} with AES-GCM, "
                f"{human(means['none'], 'bit/s')} without ESP."
            )
    return ["What ESP costs depends on where it is done.", *answers] if answers else []


def _contrast(place: str) -> Contrast:
    return Contrast("ipsec", place, "none", f"ESP ({place})", "no ESP")


def _calm(where: Mapping[str, Any]) -> bool:
    return where["loss"] == 0


def _question(place: str, metrics: Sequence[str]) -> Question:
    scopes = [("in order", _calm), ("with loss", lambda w: not _calm(w))]
    return Question(f"ESP ({place}) against none", _contrast(place), metrics, scopes)


_GRID = {"ipsec": ["none", *PLACES], "alignment": [True, False], "loss": [0.0, 0.001]}
_METRICS = [view.metric for view in _VIEWS if not view.metric.startswith("esp_")]

STUDY = Study(
    name="ipsec",
    title="What ESP does to RDMA over TCP",
    lead=(
        "ESP adds octets, takes time where it is done, and in tunnels of gateways makes datagrams longer than the "
        "sender's EMSS reckons with. Each run is compared with the same one without ESP, simulated in ns‑3."
    ),
    presets={
        "quick": Preset({**_GRID, "topology": ["dumbbell"]}, _BASE, runs=3, timeout=300, more=_more(400_000)),
        "full": Preset(
            {**_GRID, "topology": ["dumbbell", "leaf-spine", "fat-tree", "wan"], "loss": [0.0, 0.001, 0.01],
             "octets": [2_000_000]},
            _BASE, runs=10, timeout=1800, more=_more(2_000_000),
        ),
    },
    views=_VIEWS,
    questions=[_question(place, _METRICS) for place in PLACES],
    layout=Layout(x="ipsec", colour="alignment", shape="loss", rows="topology", columns=()),
    figures={},
    titles={
        "ipsec": "ESP", "cipher": "Cipher", "esp_engine": "Engine", "alignment": "Sender", "loss": "Loss",
        "mtu": "MTU", "rnic": "RNIC", "flows": "Connections", "ipsec_sharing": "An association for",
        "octets": "Octets a connection", "EspEngine.AssociationCache.Entries": "Contexts on chip",
    },
    levels={("alignment", True): "aligned sender", ("alignment", False): "unaligned sender", ("ipsec", "none"): "no ESP"},
    derive=derive,
    conclude=conclude,
    answer=_answer,
    least_share=0.2,
    warm_up="counts: connecting and slow start are in every time and rate",
    limits=(
        "Rates are of short transfers, of which slow start is a part, with or without ESP. Times of engines are of "
        "profiles, most of whose figures are assumed."
    ),
    factors=["rnic", "esp_engine", "cipher", "mtu", "flows", "ipsec_sharing", "EspEngine.AssociationCache.Entries"],
    panels=[
        Panel("Goodput over what does ESP", "goodput",
              Layout(x="esp_engine", colour="ipsec", shape="cipher", rows="rnic", columns=()), "Eight connections between two hosts.", lambda f: f["flows"] == 8),
        Panel("Segments that begin with an FPDU", "header_aligned_share",
              Layout(x="ipsec", colour="alignment", shape="loss", rows="topology", columns=()),
              "Fragments put together again are as aligned as before.", _usual),
    ],
    notes=["Keys are agreed on at once: rekeying and its messages are not in these runs."],
)  # fmt: skip
