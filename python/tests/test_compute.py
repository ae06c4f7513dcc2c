# SPDX-License-Identifier: GPL-2.0-only
"""What the compute study makes of operations and times, against numbers that are known beforehand."""

import iwarp
import number_columns
import pandas as pd
import pytest
from iwarp.report.page import Table
from iwarp.studies import compute
from iwarp.studies.study import Evidence

N = 1000.0  # segments with payload, and FPDUs
ALIGNED = dict.fromkeys(
    ("link_crc", "ip", "tcp_checksum", "classify", "align_check", "length_read", "crc_run", "crc_check",
     "address_computation", "copy"), N,
) | dict.fromkeys(
    ("state_fetch", "marker_search", "partial_crc_fetch", "partial_crc_store", "local_store", "local_load"), 0.0,
) | {"crc_octets": 1448 * N}  # fmt: skip
# B.2.1: each segment ends one FPDU and begins another
UNALIGNED = ALIGNED | dict.fromkeys(("state_fetch", "partial_crc_fetch", "partial_crc_store"), N) | {
    "crc_run": 2 * N, "address_computation": 2 * N, "copy": 2 * N, "local_store": 700 * N, "local_load": 700 * N,
}  # fmt: skip
BASE = {
    "key": "", "status": "ok", "topology": "dumbbell",
    "rnic": "t5-like", "message_sizes": compute._MIXED, "loss": 0.0, "reordering": 0.0,
    "markers": True, "workload": "mpa", "flows": 10, "perf_qp": 1, "rnic_context_misses": 0.0,
    "run": 1, "payload_octets": 1400 * N, "measured_duration": 1e-3,
    "rnic_busy_rx_tcp": 4e-4, "rnic_busy_rx_mpa": 2e-4, "rnic_busy_memory": 0.0, "rnic_octets_to_host": 1500 * N,
    "rnic_cpu_time": 0.0, "message_time_mean": 1e-4, "goodput": 8e9,
}  # fmt: skip


def row(aligned=True, **more):
    counts = ALIGNED if aligned else UNALIGNED
    return {**BASE, **{f"rnic_op_{name}": count for name, count in counts.items()}, "alignment": aligned, **more}


def frame(*rows):
    return compute.derive(pd.DataFrame(rows))


def test_operations_of_a_segment(covers):
    found = frame(row(), row(aligned=False))
    assert found["operations_per_fpdu"].tolist() == [10, 16]
    assert found["operations_per_kib"].tolist() == pytest.approx([10 * 1024 / 1400, 16 * 1024 / 1400])
    assert found["state_per_segment"].tolist() == [0, 3]
    assert found["crc_runs_per_fpdu"].tolist() == found["copies_per_fpdu"].tolist() == [1, 2]
    covers("MPA-B.2.1-14")
    assert found["memory_traffic"].tolist() == [0, 1]
    assert found["crc_octets"].tolist() == pytest.approx([1448 / 1400] * 2)
    assert found.attrs["units"]["memory_traffic"] == "octets"


def test_operations_are_all_that_are_listed():
    octets = {"crc_octets", "local_store", "local_load"}
    assert set(compute.OPERATIONS) == set(ALIGNED) - octets  # slow_path counts segments, not an operation


def test_the_busiest_part_and_what_it_can_do():
    found = frame(row(), row(rnic_busy_rx_mpa=8e-4))
    assert found["busiest"].tolist() == ["rx_tcp", "rx_mpa"]
    assert found["occupancy"].tolist() == pytest.approx([0.4, 0.8])
    assert found["receive_capacity"].tolist() == pytest.approx([8 * 1400e3 / 4e-4, 8 * 1400e3 / 8e-4])
    assert found["bus_traffic"].tolist() == pytest.approx([1500 / 1400] * 2)


def test_an_rnic_that_takes_no_time_has_no_busiest_part():
    found = frame(row(rnic_busy_rx_tcp=0.0, rnic_busy_rx_mpa=0.0), row())
    assert found["busiest"].isna().tolist() == [True, False] and found["receive_capacity"].isna().tolist()[0]


def test_cycles_are_time_at_3_ghz():
    found = frame(row(rnic_cpu_time=7e-4), row())
    assert found["cycles_per_octet"][0] == pytest.approx(7e-4 * 3e9 / 1400e3)
    assert found["cycles_per_octet"].isna()[1]


def test_the_tables_say_what_the_runs_do():
    disturbed = [row(a, loss=0.01, reordering=0.02) for a in (True, False)]
    tables = {t.name: t for t in compute.conclude(frame(row(), row(aligned=False), *disturbed))}
    number_columns.check(tables.values())
    operations = tables["operations"].rows
    copies = operations[operations["Operation"] == "copy"].iloc[0]
    assert copies["aligned, Markers"].value == 1 and copies["unaligned, Markers"].value == 2
    loads = tables["loads"].rows
    assert list(map(str, loads["rx tcp busy"])) == ["40 %"] * 4 and loads["Busiest"].tolist() == ["rx tcp"] * 4
    assert str(loads["Full at"].iloc[0]) == "28 Gbit/s"


def test_loads_begin_with_the_busiest_part_whichever_rnic_comes_first():
    software = row(rnic="siw-like", rnic_busy_cpu=6e-4, rnic_busy_rx_tcp=float("nan"), rnic_busy_rx_mpa=float("nan"))
    loads = {t.name: t for t in compute.conclude(frame(software, row()))}["loads"].rows
    after = list(loads.columns)[list(loads.columns).index("Sender") + 1 :]
    assert after[:2] == ["Busiest", "Full at"]
    busy = [name for name in after if name.endswith(" busy")]
    assert busy == ["rx tcp busy", "rx mpa busy", "memory busy", "cpu busy"]
    assert loads["rx tcp busy"].iloc[0] == "" and str(loads["cpu busy"].iloc[0]) == "60 %"


def test_the_answer_says_what_rests_on_assumed_figures():
    drawn = [
        row(a, workload="perf", flows=1, perf_qp=pairs, rnic_context_misses=misses)
        for a in (True, False) for pairs, misses in ((1000, 0.01), (5000, 0.4))
    ]  # fmt: skip
    claim = {"Claim": "an aligned sender is better", "RNIC": "t5-like", "Condition": "in order"}
    screening = pd.DataFrame([{**claim, "Whatever the figures are": "depends", "Points": 9,
                               "Points where it holds": 7}])  # fmt: skip
    table = Table("screening", "", "", screening)
    answers = compute.STUDY.answer(Evidence(frame(row(), row(aligned=False), *drawn), (), (), [table]))
    assert answers == [
        "Queue pairs that send at random find their context off chip in 40 % of the needs with 5,000, of which 1,024 "
        "have theirs on chip.",
        "Only with some of the assumed figures, as a table below has: an aligned sender is better.",
    ]
    assert compute.STUDY.answer(Evidence(frame(row()), (), ())) == []


def test_many_connections_are_drawn_at_random():
    """In turn is the worst case of an LRU cache: what it misses there says nothing of other orders."""
    for preset in compute.STUDY.presets.values():
        many = [grid for grid in preset.more if max(grid.get("perf_qp", grid.get("flows", [0]))) >= 100]
        assert many and all(grid["perf_order"] == ["Random"] for grid in many)


def test_the_simulator_does_what_the_appendix_lists(covers):
    """In order, an FPDU that a cut crosses has two runs of the CRC and two copies, and its first portion is held."""
    short = {**compute._BASE, "flows": 2, "octets": 200_000}
    rows = []
    for sender in (True, False):
        found = iwarp.run(**short, alignment=sender)
        rows.append({**short, **found, "alignment": sender, "measured_duration": found["duration"]})
    aligned, unaligned = (row for _, row in compute.derive(pd.DataFrame(rows)).iterrows())
    assert aligned["crc_runs_per_fpdu"] == aligned["copies_per_fpdu"] == 1
    assert aligned["state_per_segment"] == aligned["memory_traffic"] == 0
    covers("MPA-B.2.1-11 MPA-B.2.1-14")
    cuts = unaligned["rnic_op_partial_crc_store"]
    assert cuts == unaligned["rnic_op_partial_crc_fetch"] == unaligned["rnic_op_state_fetch"] > 200
    covers("MPA-B.2.1-04 MPA-B.2.1-05")
    assert unaligned["rnic_op_crc_run"] == unaligned["rnic_op_copy"] == unaligned["rnic_op_length_read"] + cuts
    covers("MPA-B.2.1-05 MPA-B.2.1-06")
    assert unaligned["rnic_op_local_store"] == unaligned["rnic_op_local_load"] > 0
    covers("MPA-B.2.1-07")
    assert aligned["receive_capacity"] > unaligned["receive_capacity"]
