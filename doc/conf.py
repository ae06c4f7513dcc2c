# SPDX-License-Identifier: GPL-2.0-only
"""Sphinx: pip install -r doc/requirements.txt, then sphinx-build doc build/doc."""

import re
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
