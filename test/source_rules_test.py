#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The rules of the house that a machine can check, over the source files of the repository.

Rooms of C++, and folders of the Python package, depend downwards only; no two headers share a name; no line of Python
has more than 120 columns, no function of the model, the helpers or the Python package more than 60 lines of logic (a
GetTypeId or an AddAttributes is a table); each class has one log component; no two files of the library, or of the
tests, define one name for themselves, since batches of files are compiled as one; a conditional given to a macro of
ns-3's tests stands in brackets, as those before 3.40 put none around it; no assertion of a test says how long anything
takes, since that is up to what else the machine does.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LONGEST_FUNCTION = 60
LONGEST_LINE = 120  # of Python: clang-format sees to C++

# a room, and those below it that it may know; those of helper/ are floors of one house
BELOW = {
    "util": set(),
    "crypto": set(),
    "tcp": {"util"},
    "record": {"tcp", "util"},
    "nvme": {"record", "tcp", "util"},
    "mpa": {"record", "tcp", "util"},
    "ddp": {"mpa", "record", "util"},
    "rdmap": {"ddp", "mpa", "record", "util"},
    "verbs": {"rdmap", "ddp", "mpa", "util"},
    "rnic": {"tcp", "record", "mpa", "rdmap", "verbs", "path", "ipsec", "util"},
    "path": {"mpa", "tcp", "util"},
    "ipsec": {"crypto", "tcp", "util"},
    "tls": {"crypto", "record", "tcp", "util"},
    "app": {"verbs", "rdmap", "ddp", "mpa", "nvme", "tls", "record", "tcp", "util"},
    "roce": {"app", "rnic", "path", "util"},
    "decode": {"rdmap", "ddp", "mpa", "nvme", "tls", "record", "ipsec", "util"},
}
FLOORS = ("install", "network", "topology", "metrics", "trace", "workload", "scenario")  # from the lowest
for number, floor in enumerate(FLOORS):
    below = {f"helper/{one}" for one in FLOORS[:number]}
    BELOW[f"helper/{floor}"] = {room for room in BELOW if "/" not in room} | below
COMPATIBILITY = "ns3-compat.h"  # for all rooms

# folders and modules of python/iwarp, the lowest first: each imports from itself and from the floors below it
PYTHON_FLOORS = (
    {"_setup", "errors", "version"},
    {"parameters"},
    {"network"},
    {"runs"},
    {"analysis"},
    {"report", "sweeps"},
    {"pictures", "watch"},
    {"scenario", "schema", "api"},
    {"studies", "development"},
    {"reproduction"},
    {"commands"},
    {"cli"},
    {"__init__", "__main__"},
)


def sources(*patterns: str) -> list[Path]:
    return sorted(path for pattern in patterns for path in ROOT.glob(pattern))


def room_of(path: Path) -> str:
    """Return the folder below model/, whatever folders it has, or the one below helper/ with that name before it."""
    layer, room = path.relative_to(ROOT).parts[:2]
    return room if layer == "model" else f"{layer}/{room}"


def headers() -> tuple[dict[str, str], list[str]]:
    """Return the room of each header, and what is wrong with the headers' names."""
    rooms: dict[str, str] = {}
    faults = []
    for path in sources("model/*/**/*.h", "helper/**/*.h"):
        if path.name in rooms:
            faults.append(f"{path.relative_to(ROOT)}: there is another {path.name}, and ns-3 flattens folders")
        rooms[path.name] = room_of(path)
    return rooms, faults


def upward_includes(rooms: dict[str, str]) -> list[str]:
    faults = []
    for path in sources("model/*/**/*.h", "model/*/**/*.cc", "helper/**/*.h", "helper/**/*.cc"):
        room = room_of(path)
        if room not in BELOW:
            faults.append(f"{path.relative_to(ROOT)}: the room {room} has no place in the house")
            continue
        for name in re.findall(r'^#include "(?:ns3/)?([\w.-]+)"', path.read_text(), re.MULTILINE):
            there = rooms.get(name, room)
            if there != room and there not in BELOW[room]:
                faults.append(f"{path.relative_to(ROOT)}: includes {name} of {there}, which is not below {room}")
    return faults


def upward_imports() -> list[str]:
    floors = {name: number for number, floor in enumerate(PYTHON_FLOORS) for name in floor}
    package = ROOT / "python" / "iwarp"
    faults = []
    for path in sources("python/iwarp/**/*.py"):
        here = path.relative_to(package).with_suffix("").parts
        if here[0] not in floors:
            faults.append(f"{path.relative_to(ROOT)}: {here[0]} has no place in the house")
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.ImportFrom) or not node.level:
                continue
            source = (*here[: len(here) - node.level], *(node.module or "").split("."))
            for there in {source[0]} if source[0] else {name.name for name in node.names}:
                if there != here[0] and floors.get(there, -1) >= floors[here[0]]:
                    faults.append(f"{path.relative_to(ROOT)}: imports from {there}, which is not below {here[0]}")
    return faults


def long_lines() -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{number}: {len(line)} columns"
        for path in sources("python/**/*.py", "doc/*.py", "doc/scripts/*.py", "test/*.py", "examples/*.py")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > LONGEST_LINE
    ]


def long_functions() -> list[str]:
    faults = []
    for path in sources("model/**/*.cc", "helper/**/*.cc"):
        name, begin = "", 0
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if line == "{":
                begin = number
            elif line == "}" and begin:
                if number - begin - 1 > LONGEST_FUNCTION and not name.endswith(("GetTypeId", "AddAttributes")):
                    faults.append(f"{path.relative_to(ROOT)}:{begin}: {number - begin - 1} lines in {name}")
                begin = 0
            elif re.match(r"[\w~:<>*&]", line) and "(" in line:
                name = line.split("(")[0].split()[-1]
    for path in sources("python/**/*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno > LONGEST_FUNCTION:
                faults.append(f"{path.relative_to(ROOT)}:{node.lineno}: {node.name} is too long")
    return faults


def log_components() -> list[str]:
    """Return where a class's log component has not the name of a class."""
    declared = set()
    for path in sources("model/**/*.h", "helper/**/*.h"):
        declared |= set(re.findall(r"^(?:class|struct) (\w+)", path.read_text(), re.MULTILINE))
    faults = []
    for path in sources("model/**/*.cc", "helper/**/*.cc"):
        for name in re.findall(r'NS_LOG_COMPONENT_DEFINE\("(\w+)"\)', path.read_text()):
            if name not in declared:
                faults.append(f"{path.relative_to(ROOT)}: log component {name} is no class")
    return faults


DEFINITION = re.compile(
    r"^(?:(?:class|struct|enum class) (?P<type>\w+)(?: : .*)?$"
    r"|(?:(?:static|constexpr|const) )+[\w:<>, *&]+?[ *&](?P<variable>\w+)(?:\[\w*\])?(?: = |\{| \{)"
    r"|IWARP_TEST_SUITE\((?P<suite>\w+),"
    r"|(?!IWARP_TEST)(?P<function>\w+)\((?P<parameters>[^()]*)\)$(?=\n\{))",
    re.MULTILINE,
)


def clashes() -> list[str]:
    """Return names that two files define: a type, a variable, or a function of the same parameters."""
    faults = []
    for patterns in (("model/**/*.cc", "helper/**/*.cc"), ("test/[!f]*/*.cc",)):
        known: dict[str, Path] = {}
        for path in sources(*patterns):
            for found in DEFINITION.finditer(path.read_text()):
                name = found["type"] or found["variable"] or found["suite"] or found["function"]
                if found["function"]:
                    parameters = re.sub(r"/\*.*?\*/| = [^,]*", "", found["parameters"]).split(",")
                    name += str([re.sub(r"[ &*]*\w*$", "", one.strip()) for one in parameters])
                if known.setdefault(name, path) != path:
                    faults.append(f"{path.relative_to(ROOT)}: {name} is defined in {known[name].relative_to(ROOT)} too")
    return faults


def has_bare_conditional(text: str, begin: int) -> bool:
    """Return whether the brackets that open before `begin` hold a `?` that no brackets of their own enclose."""
    depth = 1
    for found in re.finditer(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|//.*|[()\[\]{}?]', text[begin:]):
        if found[0] == "?" and depth == 1:
            return True
        depth += (found[0] in "([{") - (found[0] in ")]}")
        if not depth:
            break
    return False


def bare_conditionals() -> list[str]:
    faults = []
    for path in sources("test/**/*.cc", "test/**/*.h"):
        text = path.read_text()
        for found in re.finditer(r"\bNS_TEST_\w+\(", text):
            if has_bare_conditional(text, found.end()):
                line = text.count("\n", 0, found.start()) + 1
                faults.append(f"{path.relative_to(ROOT)}:{line}: a conditional without brackets in {found[0][:-1]}")
    return faults


CLOCKS = ("monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "time", "time_ns")  # of the module time
TIMES = ("seconds", "wall", "elapsed")  # attributes and keys that hold times of a clock


def words_of(node: ast.AST) -> set[str]:
    """Return the names of variables in an expression."""
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def asks_clock(node: ast.AST) -> bool:
    """Return whether an expression calls a clock, or takes a time of one."""
    return any(
        isinstance(one, ast.Attribute) and one.attr in CLOCKS and getattr(one.value, "id", "") == "time"
        or isinstance(one, ast.Attribute) and one.attr in TIMES
        or isinstance(one, ast.Subscript) and getattr(one.slice, "value", None) in TIMES
        for one in ast.walk(node)
    )


def timed_assertions(text: str) -> list[int]:
    """Return the lines of assertions that a time of a clock is more or less than something."""
    lines = []
    for function in (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)):
        nodes = list(ast.walk(function))
        timed = {name for node in nodes if isinstance(node, ast.Assign) and asks_clock(node.value)
                 for target in node.targets for name in words_of(target)}  # fmt: skip
        for node in (node for node in nodes if isinstance(node, ast.Assert)):
            for one in (one for one in ast.walk(node.test) if isinstance(one, ast.Compare)):
                ordered = any(isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for op in one.ops)
                if ordered and (asks_clock(one) or words_of(one) & timed):
                    lines.append(node.lineno)
    return lines


def timed_tests() -> list[str]:
    faults = []
    for text, lines in (
        ("def f():\n    a = time.time()\n    assert time.time() - a < 3", [3]),
        ("def f():\n    assert 1 < found.seconds < 3 and found['wall'] > 2", [2, 2]),
        ("def f():\n    took = time.monotonic() - begin\n    assert took < 3", [3]),
        ("def f():\n    assert found.seconds == 3 and found.events < 3", []),
    ):
        if timed_assertions(text) != lines:
            faults.append(f"the rule of times finds {timed_assertions(text)} in {text!r}")
    for path in sources("python/tests/test_*.py"):
        for line in timed_assertions(path.read_text()):
            faults.append(f"{path.relative_to(ROOT)}:{line}: an assertion of how long something takes: give it a clock")
    return faults


def main() -> int:
    rooms, faults = headers()
    faults += upward_includes(rooms) + upward_imports() + long_lines() + long_functions() + log_components() + clashes()
    faults += bare_conditionals() + timed_tests()
    print("\n".join(faults) or "the house is in order")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
