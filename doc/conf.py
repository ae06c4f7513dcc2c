# SPDX-License-Identifier: GPL-2.0-only
"""Sphinx: pip install -r doc/requirements.txt, then sphinx-build doc build/doc."""

import re
import sys
from pathlib import Path

_version = Path(__file__).parent.parent / "python" / "iwarp" / "version.py"

project = "iwarp"
copyright = "the iwarp authors"
release = re.search(r'__version__ = "(.*)"', _version.read_text()).group(1)
version = release

extensions = ["sphinx.ext.mathjax"]
exclude_patterns = ["requirements.txt"]
html_theme = "alabaster"
html_theme_options = {"description": "RDMA over TCP for ns-3"}

# the conformance page is made from the requirements and what the last `./iwarp test` has recorded
sys.path.insert(0, str(_version.parent.parent))
from iwarp import conformance  # noqa: E402
from iwarp.errors import IwarpError  # noqa: E402

try:
    _page = conformance.to_rst(conformance.collect())
except IwarpError as error:
    _page = f"Conformance\n===========\n\n{error}\n"
(Path(__file__).parent / "conformance.rst").write_text(_page)
