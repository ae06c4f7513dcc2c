# SPDX-License-Identifier: GPL-2.0-only
"""A release has one version, wherever it is stated, and the page for ns-3's app store says what the sources do."""

import os
import re
import struct
import tomllib
from pathlib import Path

import pytest
from iwarp._setup import catalog
from iwarp.version import __version__

ROOT = Path(__file__).resolve().parents[2]
STATED = {
    "python/iwarp/version.py": r'^__version__ = "(.+)"$',
    "CITATION.cff": r"^version: (\S+)$",
    "CHANGES.md": r"^## (\S+)",
    "RELEASE_NOTES.md": r"^## (\S+)",
    "release/appstore.md": r"^\| release \| (\S+) \|$",
}


def text(name: str) -> str:
    return (ROOT / name).read_text()


@pytest.mark.parametrize("name", STATED)
def test_a_file_states_the_version(name):
    first = re.search(STATED[name], text(name), re.MULTILINE)  # of a history the newest, which is first
    assert first and first[1] == __version__ == catalog.version()


def test_what_states_none_reads_that_one():
    project = tomllib.loads(text("pyproject.toml"))
    assert "version" not in project["project"] and project["project"]["dynamic"] == ["version"]
    assert project["tool"]["scikit-build"]["metadata"]["version"]["input"] == "python/iwarp/version.py"
    assert "version = release = __version__" in text("doc/conf.py")
    assert "file(STRINGS python/iwarp/version.py version" in text("CMakeLists.txt")
    cache = Path(os.environ.get("IWARP_BUILD_DIR", ROOT / "build")) / "CMakeCache.txt"
    if cache.exists():
        assert f"CMAKE_PROJECT_VERSION:STATIC={__version__}\n" in cache.read_text()


def test_licenses_and_names_are_the_same():
    page, citation = text("release/appstore.md"), text("CITATION.cff")
    project = tomllib.loads(text("pyproject.toml"))["project"]
    assert f"| license | {project['license']} |" in page and f"\nlicense: {project['license']}\n" in citation
    (author,) = project["authors"]
    assert f"name: {author['name']}\n" in citation
    lowest, highest = (re.search(rf"^\| ns-3, {w} \| (\S+) \|$", page, re.MULTILINE)[1] for w in ("least", "most"))
    assert f"source trees {lowest} to {highest}" in text("RELEASE_NOTES.md")
    assert f"iwarp-{__version__}.tar.gz" in page


def test_the_icon_is_one_that_the_app_store_takes():
    octets = (ROOT / "release" / "icon.png").read_bytes()
    assert octets.startswith(b"\x89PNG") and struct.unpack(">II", octets[16:24]) == (100, 100)
    assert octets[25] == 6  # with transparency
