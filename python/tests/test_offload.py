# SPDX-License-Identifier: GPL-2.0-only
"""The offload study: names of receivers, its closed form against sums and simulated streams, and its tables."""

import math

import numpy as np
import pandas as pd
import pytest
from iwarp.studies import offload

RUN = {"workload": "tls", "alignment": False, "loss": 0.01, "impairment": "random", "emss": 1448.0,
       offload.RECORD: 16384, offload.RECEIVER: "Autonomous", "markers": True}  # fmt: skip


def test_receivers_have_names():
    names = [
        offload.name_receiver({**RUN, **more})
        for more in (
            {},
            {offload.RESYNC: "Software"},
            {offload.HEADS: True},
            {offload.HEADS: math.nan},
            {offload.RECEIVER: "HostSoftware"},
            {offload.RECEIVER: "StoreAndForward"},
            {offload.RECEIVER: "FlowThrough"},
        )
    ]
    assert names == [
        offload.SEARCHING,
        offload.TOLD_WHERE,
        offload.HEADS_FIRST,
        offload.SEARCHING,
        offload.SOFTWARE,
        offload.TOE,
        offload.PLACING,
    ]
    assert [offload.name_records({**RUN, "workload": "mpa", "markers": m}) for m in (True, False)] == [
        "MPA with Markers",
        "MPA",
    ]


@pytest.mark.parametrize("size", [1000, 4096, 16384])
@pytest.mark.parametrize("loss", [0.001, 0.03])
def test_the_bound_is_that_of_segments_lost_at_random(size, loss):
    """Counted octet by octet, of a stream whose segments are lost at random and cut records anywhere."""
    rng = np.random.default_rng(1)
    emss, record, records = 1448, size + 22, 20_000
    lost = rng.random(records * record // emss + 2) < loss
    gone = np.concatenate([[0], np.cumsum(lost)])  # segments lost before each
    begin = np.arange(records) * record
    worked = 0
    for at in range(0, record, 16):
        first, own = begin // emss, (begin + at) // emss
        worked += np.count_nonzero(gone[own + 1] == gone[first])
    counted = worked / (records * len(range(0, record, 16)))
    assert offload.find_bound({**RUN, "loss": loss, offload.RECORD: size}) == pytest.approx(counted, abs=0.004)


def test_the_bound_of_a_record_in_one_segment_is_what_is_not_lost():
    assert offload.find_bound({**RUN, "alignment": True, offload.RECORD: 1300}) == 0.99
    assert offload.find_bound({**RUN, "loss": 0.0}) == 1
    assert math.isnan(offload.find_bound({**RUN, "impairment": "gilbert-elliott"}))
    assert math.isnan(offload.find_bound({**RUN, "workload": "mpa"}))
    pdu = offload.find_bound({**RUN, "workload": "nvme-tcp", "message_sizes": "fixed:16374"})
    assert pdu == offload.find_bound({**RUN, "alignment": False, offload.RECORD: 16384})


def test_runs_keep_to_the_bound():
    """The simulator's own tracker, under steady load: all without loss, and less than the closed form with it."""
    import iwarp

    shares = {}
    for loss in (0.0, 0.01):
        found = iwarp.run({
            "workload": "tls", "rnic": "connectx7-like", "flows": 2, "loss": loss, "plain_tcp": False,
            "octets": 1_500_000, "warm_up": 300_000, "min_rto": "10ms", "delayed_ack": "1ms",
        })  # fmt: skip
        bound = offload.find_bound({**RUN, "alignment": True, "loss": loss, "emss": float(found["emss"])})
        shares[loss] = (float(found["rnic_offload_share"]), bound)
    assert shares[0.0] == (1.0, 1.0)
    share, bound = shares[0.01]
    assert 0.7 * bound < share < bound + 0.03  # some 20 segments are lost, each with 0.3 % of the octets


def test_markers_are_weighed_by_pairs_of_runs():
    """Memory that Markers spare is that of runs with the same number, whatever the others are."""
    rows = [
        {"records": "MPA", "receiver": offload.PLACING, "topology": "dumbbell", "flows": 4, "answer": offload._ANSWER,
         "link_rate": 10_000_000_000, "condition": "1 % lost", "loss": 0.01, "reordering": 0.0, "alignment": True,
         "markers": markers,
         "run": run, "request": 0, "rnic_memory_p99": 0.0 if markers else 1000.0 * run,
         "octets_on_wire": 1.008 if markers else 1.0, "payload_octets": 1.0, offload.RECORD: 16384}
        for markers in (True, False) for run in (1, 2, 3)
    ]  # fmt: skip
    table = offload._markers(pd.DataFrame(rows))
    assert table.rows["Markers spare of memory"][0].value == 2000
    assert table.rows["Markers add on the wire"][0].value == pytest.approx(0.008)
    assert table.sentences == []  # 2000 ± 2484 is not shown


def test_markers_spare_memory_from_where_they_always_do():
    """At 0.1 % loss too it is shown, but not at 1 %: so it is said of 3 % alone."""
    rows = [
        {"records": "MPA", "receiver": offload.PLACING, "topology": "dumbbell", "flows": 4, "answer": offload._ANSWER,
         "link_rate": 10_000_000_000, "condition": f"{100 * loss:g} % lost", "loss": loss, "reordering": 0.0,
         "alignment": True,
         "markers": markers, "run": run, "request": 0,
         "rnic_memory_p99": 0.0 if markers else 1000.0 + run * more,
         "octets_on_wire": 1.008 if markers else 1.0, "payload_octets": 1.0, offload.RECORD: 16384}
        for loss, more in ((0.001, 1), (0.01, -1000), (0.03, 2))
        for markers in (True, False) for run in (1, 2, 3)
    ]  # fmt: skip
    (text,) = offload._markers(pd.DataFrame(rows)).sentences
    assert text.startswith("Markers spare a placing RNIC of an aligned sender memory from 3 % loss on")
    # the same of reordering, beside a path to which nothing is done
    calm = [{**row, "condition": offload.UNDISTURBED, "loss": 0.0} for row in rows if row["loss"] == 0.01]
    turned = [
        {**row, "condition": row["condition"].replace("lost", "reordered"), "loss": 0.0, "reordering": row["loss"]}
        for row in rows
    ]
    table = offload._markers(pd.DataFrame([*calm, *turned]))
    assert [*table.rows["Path"]] == [offload.UNDISTURBED, "0.1 % reordered", "1 % reordered", "3 % reordered"]
    assert "from 3 % reordering on" in table.sentences[0]


def test_connections_that_share_a_load_have_a_table():
    """Memory is told for a connection; runs without a load are of other tables."""
    row = {"receiver": offload.SOFTWARE, "alignment": True, "bound": 0.9, "cpu_per_octet": 1e-9, "bus_octets": 1.2,
           "message_time_mean": 1e-3, "rnic_offload_share": 0.0}  # fmt: skip
    rows = [
        {**row, "load": load, "flows": flows, "run": run, "rnic_memory_p99": 100.0 * flows * run}
        for load, flows in ((0.5, 1), (0.5, 1000), (0.0, 4)) for run in (1, 3)
    ]  # fmt: skip
    table = offload._by_connections(pd.DataFrame(rows)).rows
    assert [str(cell) for cell in table["Connections"]] == ["1", "1,000"]
    assert [cell.value for cell in table["Memory a connection, 99 % of the time"]] == [200, 200]
    assert offload._by_connections(pd.DataFrame(rows[-2:])) is None
