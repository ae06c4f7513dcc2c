# SPDX-License-Identifier: GPL-2.0-only
"""What is kept of a finished study as its pilot: how runs differ, for tests and for the number of runs it needs.

    ./iwarp study NAME --out DIR; .venv/bin/python python/tests/pilot.py NAME DIR

writes ``data/pilot-NAME.parquet`` beside this file, the runs with what the study derives, and the study's lines of
``python/iwarp/studies/pilot.csv``.
"""

import csv
import sys
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from iwarp import studies
from iwarp.analysis.nuisance import blocks
from iwarp.analysis.primary import examine
from iwarp.runs import scenario
from iwarp.studies import pilot
from iwarp.studies.restriction import build_grids
from iwarp.studies.study import varied

DATA = Path(__file__).parent / "data"
#: what tables and answers of a study need besides the metrics of its views
MORE = {
    "alignment": ["host_pairs", "pattern"],
    "buffers": ["length", "emss", "octets", "flows", "segments_dropped", "buffer_size_naf"],
    "window": [
        "Rnic.HostInterface.WriteRate",
        "link_rate",
        "window_rate",
        "window_rtt",
        "goodput_formula",
        "window_share_formula",
        "buffer",
    ],
    "ipsec": ["payload_octets", "esp_overhead", "esp_packets", "esp_rekeys", "esp_evictions"],
    "compare": ["roce_window", "common_goodput", "half_slowdown_p50_1", "half_slowdown_p50_2"],
    "fabric": ["transport", "half_slowdown_p50_1", "half_slowdown_p50_2"],
    "offload": ["bound", "reordering", "load", "octets_on_wire", "payload_octets", "rnic_offload_absences"],
    "compute": ["busiest", "measured_duration", "segments_sent"],
}


def read(name: str, directory: Path) -> tuple[pd.DataFrame, list[str]]:
    """Return the runs of a study with what it derives, and what tells configurations apart."""
    study = studies.get(name)
    frame = pd.read_parquet(directory / "runs.parquet")
    frame.attrs["units"] = {}
    frame = study.derive(frame)
    return frame, varied(study, build_grids(study, "quick", {}), frame)


def keep(name: str, directory: Path) -> None:
    """Write a study's pilot."""
    study = studies.get(name)
    frame, factors = read(name, directory)
    nuisance = list(study.presets["quick"].nuisance)
    metrics = [view.metric for view in study.views]
    operations = [column for column in frame if column.startswith("rnic_op_")] if name == "compute" else []
    wanted = [*factors, *nuisance, "run", "status", *metrics, *MORE.get(name, ()), *operations]
    kept = frame[[column for column in dict.fromkeys(wanted) if column in frame]].copy()
    for column in kept.select_dtypes("float64"):
        if column in metrics or column in operations:
            kept[column] = kept[column].astype(np.float32)
    DATA.mkdir(exist_ok=True)
    kept.attrs = {}
    kept.to_parquet(DATA / f"pilot-{name}.parquet", compression="zstd", index=False)
    rows = [row for row in _stored() if row["study"] != name] + _spreads(study, frame, factors)
    path = Path(pilot.__file__).with_name(pilot.FILE)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, pilot.COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: (row["study"], row["comparison"])))


def _stored() -> list[dict[str, str]]:
    path = Path(pilot.__file__).with_name(pilot.FILE)
    return list(csv.DictReader(path.read_text().splitlines())) if path.exists() else []


def _spreads(study, frame: pd.DataFrame, factors: list[str]) -> list[dict[str, object]]:
    """Return how the pooled effect of each primary comparison differs from run to run."""
    metrics = scenario.backend().metrics
    views = {view.metric: view.described(metrics) for view in study.views if view.metric in frame}
    levels = blocks(frame, list(study.presets["quick"].nuisance))
    return [
        {
            "study": study.name,
            "comparison": pilot.name_of(found.primary),
            "spread": f"{found.whole.test.spread:.4g}",
            "effect is": "ratio" if found.whole.relative else "difference",
            "runs": found.whole.test.n,
            "library": scenario.backend().code_id,
        }
        for found in examine(frame, study.primaries, views, factors, levels)
    ]


if __name__ == "__main__":
    keep(sys.argv[1], Path(sys.argv[2]))
