# SPDX-License-Identifier: GPL-2.0-only
"""Sphinx: .venv/bin/sphinx-build -n -W doc build/doc."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

_here = Path(__file__).resolve().parent
_root = _here.parent
sys.path[:0] = [str(_root / "python"), str(_here / "scripts")]

import reference  # noqa: E402
from iwarp.development import conformance  # noqa: E402
from iwarp.errors import IwarpError  # noqa: E402
from iwarp.version import __version__  # noqa: E402

project = "iwarp"
copyright = "the iwarp authors"
version = release = __version__

extensions = ["sphinx.ext.autodoc", "sphinx_copybutton", "myst_nb"]
exclude_patterns = ["requirements", "scripts", "upstream"]
html_theme = "furo"
html_title = f"iwarp {release}"
html_static_path = ["static"]
html_css_files = ["tables.css"]
html_extra_path = []
highlight_language = "none"
copybutton_prompt_text = r"\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

nb_execution_mode = "off"  # a test runs the notebooks and compares what they show

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
python_use_unqualified_type_names = True
# types of other packages, and those that only annotations name
nitpick_ignore_regex = [
    (
        "py:.*",
        r"(pd|pandas|pathlib|os|collections|types|click|numpy)\..*|Path|Any|Unpack|"
        r"(iwarp\.parameters\.(types\.)?)?Parameters|"
        r"Grid|ModuleType|Callable|Mapping|Sequence",
    )
]


if _doxygen := shutil.which("doxygen"):
    tags.add("doxygen")  # noqa: F821 - Sphinx defines it


def _fields_of_doxygen(app, what, name, thing, options, lines):
    """Have Sphinx read ``@param name text`` of docstrings."""
    lines[:] = [re.sub(r"^@returns?\b", ":return:", re.sub(r"^@param (\w+)", r":param \1:", line)) for line in lines]


def _build_doxygen(html):
    """Write the C++ reference with Doxygen, where it is installed, and its warnings beside it."""
    if _doxygen:
        html.parent.mkdir(parents=True, exist_ok=True)
        settings = (_here / "doxygen.conf").read_text() + f"\nOUTPUT_DIRECTORY = {html.parent}\n"
        settings += f"WARN_LOGFILE = {html.parent / 'warnings.txt'}\n"
        subprocess.run([_doxygen, "-"], input=settings, text=True, cwd=_root, check=True, stdout=subprocess.DEVNULL)


def setup(app):
    app.connect("autodoc-process-docstring", _fields_of_doxygen)
    app.connect("build-finished", lambda app, error: error or _build_doxygen(Path(app.outdir) / "doxygen" / "html"))
    # pages made of the built library, and of the requirements and what the last `./iwarp test` has recorded
    reference.write(_here / "reference")
    try:
        page = conformance.to_rst(conformance.collect())
    except IwarpError as error:
        page = f"Conformance\n===========\n\n{error}\n"
    (_here / "conformance.rst").write_text(page)
