# SPDX-License-Identifier: GPL-2.0-only
"""Ten thousand connections that share room for a thousand associations: the figures of doc/ipsec.rst, run again."""

import iwarp
from iwarp.studies import ipsec
from iwarp.studies.ipsec_conditions import ROOM, more

CONNECTIONS = 10_000


def test_ten_thousand_connections_on_a_thousand_associations():
    preset = ipsec.STUDY.presets["full"]
    (grid,) = (grid for grid in more(3_000_000, CONNECTIONS, [0.001], 1) if ROOM in grid)
    settings = {**preset.fixed, **{name: levels[0] for name, levels in grid.items()}, "ipsec": "transport"}
    found = iwarp.sweep({**settings, ROOM: [0, CONNECTIONS // 10]}, runs=1, timeout=preset.timeout).set_index(ROOM)
    assert (found["status"] == "ok").all()
    assert (found["messages"] == 2 * CONNECTIONS).all() and (found["esp_drops"] == 0).all()
    all_fit, few_fit = found.loc[0], found.loc[CONNECTIONS // 10]
    assert all_fit["esp_associations"] == 2 * CONNECTIONS and all_fit["esp_evictions"] == 0
    # each connects and sends twice, after as long a pause as the others take turns: most need one anew each time
    assert few_fit["esp_associations"] > 3.5 * CONNECTIONS
    assert few_fit["esp_evictions"] > 0.9 * few_fit["esp_associations"]
