# SPDX-License-Identifier: GPL-2.0-only
"""What README.md and doc/*.rst tell people to type works."""

import re
import shlex

import click
import pytest
from doc_blocks import ROOT, RUN, blocks, chosen
from iwarp.cli import cli
from iwarp.errors import IwarpError
from iwarp.runs import loader

PAGES = [ROOT / "README.md", *sorted((ROOT / "doc").glob("*.rst"))]


@pytest.mark.parametrize("block", chosen(""))
def test_a_block_runs(block, tmp_path):
    try:
        loader.find()
    except IwarpError:
        pytest.skip("the library is not built")
    RUN[block.language](block, tmp_path)


def test_blocks_are_found():
    found = list(blocks())
    assert len(found) > 15 and {block.language for block in found} == {"console", "python"}
    assert {block.page for block in found} >= {
        "README.md",
        "decode.rst",
        "examples.rst",
        "python.rst",
        "rdma-storage.rst",
    }


INLINE = re.compile(r"`+(?:\./)?iwarp ([a-z][^`]*)`+")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_commands_in_the_text_are_understood(page):
    """Names of commands and options; what they are given may be a word such as FILE."""
    for typed in INLINE.findall(page.read_text()):
        words = shlex.split(" ".join(typed.split()))
        command = cli.get_command(None, words[0])
        assert command is not None, f"{page.name}: there is no command {words[0]}"
        options = {
            option for parameter in command.params if isinstance(parameter, click.Option) for option in parameter.opts
        }
        options |= {"--help"} | set(command.context_settings.get("help_option_names", []))
        if command.context_settings.get("ignore_unknown_options"):
            continue
        unknown = [word for word in words[1:] if word.startswith("-") and word.partition("=")[0] not in options]
        assert not unknown, f"{page.name}: iwarp {typed}: no option {unknown}"
