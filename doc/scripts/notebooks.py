#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs the notebooks of doc/notebooks, and tells where they show other text than they have stored; --write stores it.

It needs no Jupyter: cells are run one after the other in this process, and the last expression of each is shown.

usage: notebooks.py [--write] [FILE...]
"""

from __future__ import annotations

import ast
import contextlib
import io
import itertools
import json
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def shown(value: Any) -> list[dict]:
    """Return the output of a cell whose last expression is ``value``, as Jupyter stores it."""
    if value is None:
        return []
    data: dict[str, Any] = {}
    if hasattr(value, "savefig"):
        file = io.StringIO()
        value.savefig(file, format="svg", metadata={"Date": None}, bbox_inches="tight")
        data["image/svg+xml"] = lines(file.getvalue())
        data["text/plain"] = ["a figure"]
    else:
        if hasattr(value, "_repr_html_"):
            data["text/html"] = lines(value._repr_html_())
        data["text/plain"] = lines(repr(value))
    return [{"output_type": "execute_result", "data": data, "metadata": {}}]


def run_cell(source: str, names: dict[str, Any]) -> list[dict]:
    """Run a cell in these names and return its outputs."""
    tree = ast.parse(source)
    last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(last, "cell", "eval"), names) if last else None
    outputs = shown(value)
    if printed.getvalue():
        outputs.insert(0, {"output_type": "stream", "name": "stdout", "text": lines(printed.getvalue())})
    return outputs


def run(notebook: dict) -> None:
    """Run the code of a notebook and put what it shows in place of its outputs."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "notebook"
    names: dict[str, Any] = {"__name__": "__main__"}
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            cell["outputs"] = run_cell("".join(cell["source"]), names)
            cell["execution_count"] = count
            for output in cell["outputs"]:
                if output["output_type"] == "execute_result":
                    output["execution_count"] = count


def texts(notebook: dict) -> list[str]:
    """Return all text that the cells show."""
    found = []
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {"text/plain": output.get("text", [])})
            found += ["".join(data.get(kind, [])) for kind in ("text/html", "text/plain")]
    return found


def main(arguments: list[str]) -> int:
    write = "--write" in arguments
    files = [Path(name) for name in arguments if name != "--write"] or sorted(FOLDER.glob("*.ipynb"))
    different = 0
    for path in files:
        notebook = json.loads(path.read_text())
        before = texts(notebook)
        run(notebook)
        if write:
            path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
        elif before != texts(notebook):
            different += 1
            print(
                f"{path.name} shows something else than is stored: look at it, then run {Path(__file__).name} --write"
            )
            for old, new in itertools.zip_longest(before, texts(notebook), fillvalue="nothing"):
                if old != new:
                    print(f"stored:\n{old}\nshown:\n{new}")
    return min(different, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
