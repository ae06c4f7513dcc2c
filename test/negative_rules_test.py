#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A negative for each check: what model/ drops, refuses or ends a connection for, by its enumerators, a test asks for.

Each enumerator of ``ENUMS`` stands in the code of a test, as ``DdpError::TAGGED_TO_WRAP``, or, if Terminates tell of
it, in what a test compares, as layer, type and code: ``0/1/4``. ``EXCEPTIONS`` are few and have a reason; one that is
not needed any more is a fault.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from requirement_rules_test import blank

ROOT = Path(__file__).resolve().parent.parent
#: enumerations of errors and drops, and where they are; with a layer if a Terminate tells of it (RFC 5040 section 4.8)
ENUMS = {
    "DdpError": ("model/ddp/ddp-error.h", 1),
    "FpduFault": ("model/mpa/mpa-fpdu.h", None),
    "IpsecDrop": ("model/ipsec/stack/ipsec-association.h", None),
    "MpaDropReason": ("model/mpa/mpa-stream-traces.h", None),
    "MpaError": ("model/mpa/mpa-error.h", None),
    "NvmeFes": ("model/nvme/nvme-error.h", None),
    "NvmeStatus": ("model/nvme/nvme-command.h", None),
    "RdmapError": ("model/rdmap/rdmap-error.h", 0),
    "DropReason": ("model/rnic/rnic.h", None),
    "Refusal": ("model/rnic/resource/rnic-reassembly-memory.h", None),
    "RoceDropReason": ("model/roce/roce-host.h", None),
    "TlsAlert": ("model/tls/tls-alert.h", None),
}
NEITHER = ("NONE", "COUNT", "SUCCESS")  #: of these enumerations, what is no error
EXCEPTIONS = {
    ("DropReason", "MEMORY_PER_CONNECTION"): "Rnic's name for Refusal::PER_CONNECTION, which has a test",
    ("DropReason", "MEMORY_TOO_SMALL"): "Rnic's name for Refusal::TOO_SMALL, which has a test",
    ("RdmapError", "OPERATION_CANNOT_INVALIDATE"): "received from other implementations, never sent",
    ("RdmapError", "OPERATION_GLOBAL"): "received only: no failure here concerns all streams",
    ("RdmapError", "PROTECTION_UNSPECIFIED"): "received only: each protection error here has a code",
}


def enumerators(text: str, name: str) -> dict[str, int]:
    """Return the enumerators of an enumeration, and their values."""
    body = re.search(rf"enum class {name}\b[^{{;]*\{{(.*?)\}};", blank(text), re.DOTALL)
    found: dict[str, int] = {}
    inside = body.group(1).strip() if body else ""
    for one, value in re.findall(r"([A-Z][A-Z0-9_]*)\s*(?:=\s*(\w+)\s*)?(?:,|$)", inside):
        found[one] = int(value, 0) if value else max(found.values(), default=-1) + 1
    return found


def is_asked(name: str, told: str, code: str, text: str) -> bool:
    """Say whether tests have an enumerator in their code, or what a Terminate tells of it in what they compare."""
    return bool(re.search(rf"::{name}\b", code) or (told and re.search(rf"(?<![\d/]){told}(?![\d/])", text)))


def faults(sources: dict[str, str], code: str, text: str, exceptions: dict[tuple[str, str], str]) -> Iterator[str]:
    """Yield what is wrong: with headers by enumeration, and the tests' code, and all that stands in them."""
    for enum, header in sources.items():
        names = enumerators(header, enum)
        if not names:
            yield f"{enum}: no such enumeration"
        layer = ENUMS[enum][1]
        for name, value in names.items():
            told = f"{layer}/{value >> 8}/{value & 0xFF}" if layer is not None else ""
            asked = is_asked(name, told, code, text)
            if name in NEITHER:
                continue
            if (enum, name) in exceptions and asked:
                yield f"{enum}::{name} is an exception, but a test asks for it: take the exception away"
            if (enum, name) not in exceptions and not asked:
                yield f"{enum}::{name}{f' ({told})' if told else ''}: no test asks for it"
        for other, name in exceptions:
            if other == enum and name not in names:
                yield f"{enum} has no {name}, which is an exception"


def faults_of_the_rule() -> Iterator[str]:
    """Yield what the rule takes or refuses wrongly."""
    header = {"RdmapError": "enum class RdmapError : int { A = 0x104, //!< B\n C, NONE = 0xFFFF };"}
    for code, text, exceptions, count in (
        ("x = RdmapError::A; y = RdmapError::C;", "", {}, 0),
        ("x = RdmapError::A;", "(0/1/5)", {}, 0),
        ("x = RdmapError::A;", "10/1/5", {}, 1),
        ("x = RdmapError::AC;", "", {}, 2),
        ("x = RdmapError::A;", "", {("RdmapError", "C"): "why"}, 0),
        ("x = RdmapError::A; y = E::C;", "", {("RdmapError", "C"): "why"}, 1),
        ("x = RdmapError::A; y = E::C;", "", {("RdmapError", "D"): "why"}, 1),
    ):
        found = list(faults(header, code, text, exceptions))
        if len(found) != count:
            yield f"the rule finds {found} in {code!r} and {text!r}"


def main() -> int:
    texts = [
        path.read_text()
        for folder in (ROOT / "test", ROOT / "examples" / "live")
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".cc", ".h") and "fuzz" not in path.parts
    ]
    sources = {enum: (ROOT / path).read_text() for enum, (path, _) in ENUMS.items()}
    found = [*faults_of_the_rule(), *faults(sources, "\n".join(map(blank, texts)), "\n".join(texts), EXCEPTIONS)]
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
