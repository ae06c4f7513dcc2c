# SPDX-License-Identifier: GPL-2.0-only
"""What the window study computes from its runs, against numbers that are known beforehand."""

import math

import number_columns
import pandas as pd
import pytest
from iwarp.parameters.schema import param_from_attribute
from iwarp.studies import window

WIRE, SENT, EMSS = 1500.0 + 8 + 14 + 4 + 12, 1500.0 + 8 + 14 + 4, 1448.0  # of a full Ethernet frame
MOST = 1e10 * (EMSS - 20) / WIRE
SLOW = 5 * 10**9
FAST = 20 * 10**9
NONE = 0
BASE = {
    "status": "ok", "topology": "dumbbell",
    "mtu": 1500, "emss": EMSS, "link_rate": 10_000_000_000, "access_rate": 400_000_000_000,
    "delay": 50e-6, "round_trip": 100e-6, "window_rate": 0, "window_rtt": 0.0, "receive_window": "Constant",
    window.RATE: NONE, "flows": 1, "common_goodput": MOST, "segments_sent": 1000.0, "rnic_drops_packet_buffer": 0.0,
    "rnic_packet_buffer_peak": 5000.0, window.BUFFER: 1_000_000,
}  # fmt: skip


def frame(rows):
    return window.derive(pd.DataFrame([{**BASE, **row} for row in rows]))


def test_the_closed_form_of_a_window():
    # one segment a round trip that is as long as it takes to get across: 1/n of the link
    n = 100
    access = 400_000_000_000
    frame_time = 8 * WIRE / 1e10
    rtt = n * frame_time - 8 * (WIRE + SENT) * (1 / 1e10 + 1 / access)
    rows = [{"window_rate": 8 * k * EMSS / 100e-6, "window_rtt": 100e-6, "round_trip": rtt} for k in (1, 50, 100, 150)]
    derived = frame(rows)
    assert derived["window_share_formula"].tolist() == pytest.approx([0.01, 0.5, 1, 1])
    assert derived["window_share"].tolist() == pytest.approx([1] * 4)
    assert math.isnan(frame([{}])["window_share_formula"][0])


def test_the_closed_form_of_a_slow_rnic():
    derived = frame([{window.RATE: SLOW}, {window.RATE: FAST}, {}])
    # what a bus of 5 Gbit/s carries is payload: DDP places no headers
    assert derived["goodput_formula"].tolist() == pytest.approx([5e9, MOST, MOST])


def test_the_tables_say_what_the_runs_do():
    sizes = [
        {"window_rate": r, "window_rtt": 100e-6, "common_goodput": MOST * share, "run": run}
        for r, share in ((5_000_000_000, 0.47), (10_000_000_000, 0.94))
        for run in (1, 2)
    ]
    good = 5e9
    rates = [
        {window.RATE: SLOW, "receive_window": mode, "common_goodput": good * share, "rnic_drops_packet_buffer": drops,
         "rnic_packet_buffer_peak": peak}
        for mode, share, drops, peak in (("Constant", 0.8, 100.0, 1e6), ("Retired", 0.99, 0.0, 2.5e5))
    ]  # fmt: skip
    tables = {t.name: t for t in window.conclude(frame(sizes + rates))}
    assert set(tables) == {"sizes", "rates"}
    number_columns.check(tables.values())
    assert list(map(str, tables["sizes"].rows["Window"])) == ["62,500", "125,000"]
    assert list(map(str, tables["sizes"].rows["Share of the link"])) == ["0.47", "0.94"]
    # 43 and 86 segments a round trip and two frames: 0.516 and 1 of the link
    assert "is -8.9% to -6.0% off min(1, W/(rate · round trip)), in 2 cases" in tables["sizes"].sentences[0]
    row = tables["rates"].rows.iloc[0]
    assert row["Connections"] == 1 and str(row["Dropped, constant"]) == "10 %" and row["Dropped, retired"].value == 0


def test_every_level_has_its_name():
    rate = param_from_attribute(window.RATE, "ns3::DataRateValue", "DataRate", "0bps", "")
    for preset in window.STUDY.presets.values():
        for text in preset.grid[window.RATE]:
            assert ("retires", round(rate.parse(text) / 1e10, 4)) in window.STUDY.levels


def test_a_window_of_a_size_is_not_called_one_of_no_rate():
    """Where no rate gives the window its size, which is that of TCP's buffer, the page has the size."""
    assert window.STUDY.levels["window", 0.0] == f"{window._BASE['receive_buffer']:,} octets"


@pytest.mark.parametrize(
    ("rate", "slower"), [(window._NO_LIMIT, False), (7_500_000_000, True), (20_000_000_000, False)]
)
def test_each_configuration_is_in_one_scope(rate, slower):
    """A scope is asked of one configuration, whose values are numbers: an RNIC without a limit is as fast as its
    link."""
    (question,) = (q for q in window.STUDY.questions if q.scopes)
    where = {"retires": rate / 1e10, "flows": 1}
    assert [wanted(where) for _, wanted in question.scopes] == [slower, not slower]
