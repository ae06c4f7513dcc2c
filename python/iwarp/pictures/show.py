# SPDX-License-Identifier: GPL-2.0-only
"""Makes the page of captures and traces, or of a run that is made for it."""

from __future__ import annotations

import html
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import UsageError
from . import page, perfetto
from .captures import Tables, read_captures
from .sources import captures_in, traces_in
from .traces import Trace, read_traces

TRACES = ("standard", "stage_visits")  #: of a run that is made to be shown
ROWS = 200_000  #: of each of them: a page has to be read by a browser


@dataclass
class Shown:
    """A picture: its tables, and the page that has it; notebooks show it."""

    title: str
    tables: Tables | None
    traces: Sequence[Trace] = ()
    about: Mapping[str, str] = field(default_factory=dict)

    def data(self) -> dict[str, Any]:
        """Return what the page draws."""
        return page.page_data(self.tables, self.traces, self.about)

    def save(self, path: str | Path) -> Path:
        """Write the page, and return its path."""
        path = Path(path)
        page.write(path, self.data(), self.title)
        return path

    def save_perfetto(self, path: str | Path) -> Path:
        """Write Chrome's trace-event JSON, which Perfetto opens, and return its path."""
        path = Path(path)
        perfetto.write(path, self.tables, self.traces)
        return path

    def _repr_html_(self) -> str:
        """Return the page in a frame."""
        text = html.escape(page.render(self.data(), self.title), quote=True)
        return f'<iframe srcdoc="{text}" style="width: 100%; height: 900px; border: 0"></iframe>'


def show_captures(files: Sequence[Path], ports: Sequence[int] = (), esp_keys: str | None = None,
                  tls_keys: str | None = None) -> Shown:  # fmt: skip
    """Return the picture of captures of the same traffic."""
    names = ", ".join(Path(file).name for file in files)
    tables = read_captures(files, ports, esp_keys, tls_keys)
    return Shown(names, tables, about={"captures": ", ".join(map(str, files))})


def show_directory(directory: Path, ports: Sequence[int] = (), esp_keys: str | None = None,
                   tls_keys: str | None = None) -> Shown:  # fmt: skip
    """Return the picture of a run's directory: its captures and its traces."""
    captures, traces = captures_in(directory), traces_in(directory)
    if not captures and traces is None:
        raise UsageError(f"{directory} has neither captures nor traces.json")
    tables = read_captures(captures, ports, esp_keys, tls_keys) if captures else None
    if tables is not None and traces is not None:
        tables.segments, tables.fpdus, tables.messages, tables.notes = (
            _later(table, tables.start_ns) for table in (tables.segments, tables.fpdus, tables.messages, tables.notes)
        )
        tables.start_ns = 0
    found = read_traces(traces) if traces else ()
    return Shown(directory.name or str(directory), tables, found, {"directory": str(directory)})


def _later(table: Any, ns: int) -> Any:
    """Return a table whose times are ns from the beginning of the simulation, as those of traces."""
    return table.assign(**{name: table[name] + ns for name in table.columns if name.endswith("_ns")})


def show_run(run: Callable[..., Any], settings: Mapping[str, Any], title: str = "") -> Shown:
    """Run a scenario with captures and traces in a temporary place, and return the picture of it.

    ``run`` is iwarp.run, or takes what that takes. Plain TCP does not run beside, and ESP and TLS encipher octets,
    unless something else is asked for.
    """
    defaults = {"plain_tcp": False}
    if str(settings.get("ipsec", "none")) != "none":
        defaults["ipsec_real"] = True  # captures of modelled ciphers cannot be opened
    if settings.get("workload") == "tls":
        defaults["tls_real"] = True
    words = " ".join(f"{name}={value}" for name, value in settings.items())
    settings = {**defaults, **settings}
    with tempfile.TemporaryDirectory(prefix="iwarp-show-") as directory:
        place = Path(directory)
        result = run({**settings, "pcap": str(place / "iwarp")}, trace=TRACES, trace_dir=place / "traces",
                     trace_rows=ROWS)  # fmt: skip
        if not captures_in(place):
            raise UsageError("the run has written no capture: it carries no TCP that a capture would show")
        shown = show_directory(place)
    found = {name: str(result[name]) for name in ("goodput", "duration", "fpdus_passed_out_of_order", "reassembly_peak")
             if name in result}  # fmt: skip
    return Shown(title or words, shown.tables, shown.traces, {"run": words, **found})
