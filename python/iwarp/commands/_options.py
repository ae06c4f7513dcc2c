# SPDX-License-Identifier: GPL-2.0-only
"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Sequence

import click

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else on standard output.")


def split_settings(settings: Sequence[str]) -> dict[str, str]:
    """Read ``NAME=VALUE`` texts; a name given twice keeps its last value."""
    found = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise click.UsageError(f'--set takes NAME=VALUE, not "{setting}"')
        found[name.strip().replace("-", "_")] = value.strip()
    return found
