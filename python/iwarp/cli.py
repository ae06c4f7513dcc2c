# SPDX-License-Identifier: GPL-2.0-only
"""The command line: finds the commands, and turns every error into one line and an exit code."""

from __future__ import annotations

import contextlib
import importlib
import signal
import sys
from collections.abc import Sequence

import click

from . import commands
from ._setup.catalog import COMMANDS
from .errors import IwarpError, UsageError, did_you_mean
from .version import __version__, clone

#: commands that work on the repository's files
OF_A_CLONE = {"bench", "build", "conformance", "interop", "matrix", "mutants", "reproduce", "setup", "soak", "test"}


class Commands(click.Group):
    """The modules of iwarp.commands, each of which has a click command named ``command``, as the catalog has them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for name in COMMANDS if clone() or name not in OF_A_CLONE]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.list_commands(ctx):
            return None
        command = importlib.import_module(f"{commands.__name__}.{name}").command
        command.short_help = COMMANDS[name]
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple:
        if args and not args[0].startswith("-") and args[0] not in self.list_commands(ctx):
            if args[0] in OF_A_CLONE:
                raise click.UsageError(f'"{args[0]}" works in a clone of the repository only: ./iwarp {args[0]}')
            hint = did_you_mean(args[0], self.list_commands(ctx))
            raise click.UsageError(f'there is no command "{args[0]}"{hint or "; --help lists them"}')
        return super().resolve_command(ctx, args)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="iwarp")
@click.option("-q", "--quiet", is_flag=True, help="Show no progress on standard error.")
def cli(quiet: bool) -> None:
    """RDMA over TCP (iWARP: MPA, DDP, RDMAP) in ns-3: studies, runs, tests and benchmarks.

    Results go to standard output, everything else to standard error. With --json, standard output is
    JSON and nothing else. The exit code is 0 on success, 1 on failure and 2 on bad usage.
    """
    from .sweeps.progress import set_quiet

    set_quiet(quiet)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; SIGTERM ends it as Ctrl-C does."""
    with contextlib.suppress(ValueError):  # a thread other than the main one takes no signals
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        code = cli.main(args=arguments, prog_name="iwarp", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 2
    except click.ClickException as error:
        return _complain(error.format_message(), error.exit_code)
    except UsageError as error:
        return _complain(str(error), 2)
    except IwarpError as error:
        return _complain(str(error), 1)
    except (KeyboardInterrupt, click.Abort):
        return _complain("interrupted", 1)
    except BrokenPipeError:
        sys.stdout = None  # whoever read our output has gone
        return 1
    except OSError as error:  # a disk that is full, a file that may not be written
        where = f"{error.filename}: " if error.filename else ""
        return _complain(where + (error.strerror or str(error)), 1)


def _complain(message: str, code: int) -> int:
    click.echo("iwarp: " + " ".join(message.split()), err=True)
    return code
