# SPDX-License-Identifier: GPL-2.0-only
"""Tables of studies: people read texts, files hold numbers with their units in the names of columns."""

import math

import pandas as pd
from iwarp.report.cells import Cell, number, numbers, write_table


def test_texts_are_for_people_and_numbers_for_files(tmp_path):
    rows = pd.DataFrame(
        [
            {
                "Sender": "aligned",
                "Memory": number(6250, "octets", 12),
                "Rate": number(2.48e9, "bit/s"),
                "Runs [runs]": number(3),
            },
            {
                "Sender": "other",
                "Memory": "more than tried",
                "Rate": number(math.nan, "bit/s"),
                "Runs [runs]": number(4),
            },
        ]
    )
    assert [str(c) for c in rows.iloc[0]] == ["aligned", "6.1 KiB ± 12 octets", "2.48 Gbit/s", "3"]
    assert [str(c) for c in rows.iloc[1]] == ["other", "more than tried", "n/a", "4"]
    write_table(rows, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == (
        "Sender,Memory [octets],Memory ± [octets],Rate [bit/s],Runs [runs]\n"
        "aligned,6250.0,12.0,2480000000.0,3\nother,,,,4\n"
    )


def test_units_that_differ_have_columns_of_their_own():
    table = numbers(pd.DataFrame([{"Effect": number(2.0, "ratio")}, {"Effect": number(0.1, "share")}]))
    assert list(table) == ["Effect [ratio]", "Effect [share]"] and table["Effect [ratio]"].tolist()[0] == 2.0


def test_intervals_and_verdicts_are_in_files():
    shown = Cell("1.5 times (1.2 to 1.8)", 1.5, "ratio", ends=(1.2, 1.8), verdict="higher")
    table = numbers(pd.DataFrame([{"Memory": shown}, {"Memory": ""}]))
    assert list(table) == ["Memory [ratio]", "Memory low [ratio]", "Memory high [ratio]", "Memory verdict"]
    assert table.iloc[0].tolist() == [1.5, 1.2, 1.8, "higher"] and table["Memory low [ratio]"].isna().tolist()[1]


def test_an_interval_ends_where_the_value_cannot_be():
    # 10.8 Gbit/s on a link of 10 Gbit/s
    assert str(number(9.4e9, "bit/s", 1.4e9, bounds=(0, 10e9))) == "9.4 Gbit/s (8 Gbit/s to 10 Gbit/s)"
    assert str(number(0.02, "share", 0.05, bounds=(0, 1))) == "2 % (0 % to 7 %)"
    assert str(number(9.4e9, "bit/s", 0.1e9, bounds=(0, 10e9))) == "9.4 Gbit/s ± 100 Mbit/s"
    assert str(number(9.4e9, "bit/s", math.nan, bounds=(0, 10e9))) == "9.4 Gbit/s"
