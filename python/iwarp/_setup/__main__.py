# SPDX-License-Identifier: GPL-2.0-only
"""What ./iwarp runs: set the clone up, build it, and go on to the command."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])

from _setup import ROOT, SetupError, builder, catalog, environment, machine  # noqa: E402


def main(arguments: list[str]) -> int:
    """Return the exit code, unless the command takes over this process."""
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(catalog.HELP, end="")
        return 0
    if arguments[0] == "--version":
        print(f"iwarp, version {catalog.version()}")
        return 0
    command = next((word for word in arguments if word not in ("-q", "--quiet")), "")
    if command not in catalog.COMMANDS:
        known = ", ".join(catalog.COMMANDS)
        print(f'iwarp: there is no command "{command}": choose from {known}', file=sys.stderr)
        return 2
    target = None if {"-h", "--help"} & set(arguments) else catalog.TARGETS.get(command)
    groups = catalog.groups(command, arguments)
    environment.provide(*groups, beside=lambda: builder.build(target=target) if target else None)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT / "python"), os.environ.get("PYTHONPATH"))))
    if target == "iwarp":
        # huge pages: of a network's many small objects most are not near what was used last, and glibc asks for none
        os.environ.setdefault("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1")
        os.environ.setdefault("IWARP_DATA", str(ROOT / "data"))  # of a clone that is mounted at another place, too
    python = str(environment.PYTHON)
    os.execv(python, [python, "-m", "iwarp", *arguments])


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except SetupError as error:
        print(f"iwarp: {error}", file=sys.stderr)
        sys.exit(1)
    except FileNotFoundError as error:  # a command that was there when the clone was set up
        print(f"iwarp: {error.filename} is missing: {machine.advise(str(error.filename))}", file=sys.stderr)
        sys.exit(1)
    except OSError as error:  # another user's clone, a disk that is full
        print(
            f"iwarp: {error.filename or ROOT}: {error.strerror}; {ROOT} has to be writable for setting up and building",
            file=sys.stderr,
        )
        sys.exit(1)
    except KeyboardInterrupt:
        print("\niwarp: interrupted; the next call goes on from here", file=sys.stderr)
        sys.exit(130)
