# SPDX-License-Identifier: GPL-2.0-only
"""What the buffer study computes from its runs, against numbers that are known beforehand."""

import numpy as np
import pandas as pd
import pytest

from iwarp.studies import buffers

BASE = {
    "status": "ok", "delay": 50e-6, "mtu": 1552, "loss": 0.01, "link_rate": 10_000_000_000, buffers.MEMORY: 0,
    "flows": 100, "emss": 1500.0, "alignment": False, "markers": True, "buffer_size_tcp": 125_000.0,
    "buffer_size_naf": 150_000.0, "rnic_memory_holders_peak": 90.0, "segments_dropped": 0.0, "segments_sent": 1000.0,
    "rnic_drops_memory_full": 0.0, "rnic_drops_memory_too_small": 0.0, "goodput": 9e9, "rnic_memory_peak": 120_000.0,
}  # fmt: skip


def frame(rows):
    return buffers.derive(pd.DataFrame([{**BASE, **row} for row in rows]))


def test_the_fit_finds_the_constants_of_the_formula():
    runs = frame([{"flows": n, "rnic_memory_peak": 1500 * (0.5 * n + 10)} for n in (1, 10, 100, 1000) for _ in (1, 2)])
    found = buffers.fit(runs)
    assert found["k1"] == pytest.approx(0.5) and found["k2"] == pytest.approx(10)
    assert found["k1_half"] == pytest.approx(0, abs=1e-9) and found["r2"] == pytest.approx(1)


def test_the_intervals_hold_the_constants_as_often_as_they_say():
    rng = np.random.default_rng(1)
    inside = 0
    for _ in range(2000):
        rows = [
            {"flows": n, "rnic_memory_peak": 1500 * (0.8 * n + 20 + rng.normal(0, 5))}
            for n in (1, 10, 100, 1000)
            for _ in range(3)
        ]
        found = buffers.fit(pd.DataFrame([{"emss": 1500.0, **row} for row in rows]))
        inside += abs(found["k1"] - 0.8) <= found["k1_half"]
    assert inside / 2000 == pytest.approx(0.95, abs=0.017)  # 3.5 standard deviations


def test_ratios():
    derived = frame([{"rnic_drops_memory_full": 20.0, "rnic_drops_memory_too_small": 5.0}])
    assert derived["drop_share"][0] == 0.025 and derived["k1"][0] == pytest.approx(120_000 / 150_000)
    assert derived.attrs["units"]["drop_share"] == "share"


def test_the_least_memory_for_a_target_is_good_from_there_on():
    goodput = {140: 1e9, 1600: 8.95e9, 4000: 5e9, 16_000: 8.2e9, 64_000: 8.95e9, 0: 9e9}
    rows = [
        {buffers.MEMORY: m, "goodput": g, "rnic_drops_memory_full": 0.0 if m in (0, 64_000) else 9.0}
        for m, g in goodput.items()
    ]
    answers = next(t for t in buffers.conclude(frame(rows)) if t.name == "answers")
    row = answers.rows.iloc[0]
    assert row["for 90 % of the goodput [octets]"] == "16,000"
    assert row["for 99 % of the goodput [octets]"] == "64,000"
    assert row["for no drop at all [octets]"] == "64,000"


def test_the_example_of_the_appendix_is_told_apart():
    rows = [{"flows": 10_000, "loss": 0.001, "rnic_memory_peak": p, "buffer_size_naf": 15e6} for p in (12e6, 13e6)]
    tables = {t.name: t for t in buffers.conclude(frame(rows))}
    assert set(tables) == {"example"}
    assert tables["example"].rows.iloc[0]["BufferSizeNAF, K1 = 1 [octets]"] == "15,000,000"
    assert tables["example"].rows.iloc[0]["Peak over it"] == "0.833"
