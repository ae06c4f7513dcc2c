#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Sphinx makes the documentation without a warning, nitpicky, and so does Doxygen, where it is installed; each link of
Sphinx's pages leads to a page and a place.

Skipped where what requirements/docs.txt names is not installed.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

SKIP = 77
ROOT = Path(os.environ.get("IWARP_SOURCE_DIR", Path(__file__).resolve().parents[1]))
NEEDED = ("sphinx", "furo", "myst_nb", "sphinx_copybutton")


class Page(HTMLParser):
    """The links of a page and the places that it has names for."""

    def __init__(self, path: Path):
        super().__init__()
        self.links: list[str] = []
        self.names: set[str] = set()
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.names |= {name for key in ("id", "name") if (name := values.get(key))}
        if link := values.get("href" if tag in ("a", "link") else "src"):
            self.links.append(link)


def broken_links(folder: Path) -> list[str]:
    """Return each link within the documentation that leads nowhere; what Doxygen makes is not looked at."""
    found = [path for path in folder.rglob("*.html") if "doxygen" not in path.relative_to(folder).parts[:-1]]
    pages = {path: Page(path) for path in found}
    faults = []
    for path, page in pages.items():
        for link in page.links:
            target, place = urldefrag(link)
            if urlsplit(link).scheme:
                continue
            there = (path.parent / unquote(urlsplit(target).path)).resolve() if target else path
            if not there.exists() or (place and there in pages and unquote(place) not in pages[there].names):
                faults.append(f"{path.relative_to(folder)}: {link}")
    return faults


def main() -> int:
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        print(f"not installed: {', '.join(missing)}; ./iwarp setup docs")
        return SKIP
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder).resolve() / "html"
        command = [sys.executable, "-m", "sphinx", "-q", "-n", "-W", "--keep-going", "-d", f"{folder}/trees"]
        command += [str(ROOT / "doc"), str(out)]
        if subprocess.run(command).returncode != 0:
            return 1
        faults = broken_links(out)
        if (warnings := out / "doxygen" / "warnings.txt").exists():
            faults += warnings.read_text().splitlines()
    print("\n".join(faults) or "no warning, no broken link")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
