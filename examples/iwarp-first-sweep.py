# SPDX-License-Identifier: GPL-2.0-only
"""Reassembly memory over loss and alignment: two values of each, three seeds."""

import iwarp

table = iwarp.sweep(
    {"loss": [0, 0.01], "alignment": [True, False], "octets": 1_000_000, "plain_tcp": False},
    runs=3,
)
peak = table.groupby(["loss", "alignment"])["reassembly_peak"].mean().round()
print(peak.to_string())
