# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp interop`` without the machine: its cases, its table, what it takes for expected."""

import csv
import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from iwarp.development import conformance as catalogue
from iwarp.development import interop, interop_cases, interop_machine

CASES = {case.name: case for case in interop_cases.CASES}
BUILD = Path(os.environ.get("IWARP_BUILD_DIR", interop.ROOT / "build"))
PROGRAM = BUILD / "examples" / "iwarp-live"


def test_each_case_has_a_name_of_its_own_and_both_roles_are_there():
    assert len(CASES) == len(interop_cases.CASES) >= 60
    assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in CASES)
    for group in ("rping", "CRC", "revision", "RTR", "IRD and ORD", "end", "Terminate", "path", "NVMe/TCP"):
        assert {c.machine for c in CASES.values() if c.group == group} == {"client", "server"}, group


def test_the_documentation_has_all_cases():
    with open(interop.ROOT / "doc" / "tables" / "interop.csv") as file:
        rows = list(csv.DictReader(file))
    assert [(row["case"], row["machine"], row["what"]) for row in rows] == [
        (case.name, case.machine, case.what) for case in interop_cases.CASES
    ]


def test_list(real_cli):
    code, out, _ = real_cli("interop", "--list")
    assert code == 0 and len(out.splitlines()) == len(CASES) + 1
    code, out, _ = real_cli("interop", "--list", "--json", "--case", "ping-client-64", "--case", "esp-.*-tunnel")
    names = [row["case"] for row in json.loads(out)]
    assert code == 0 and names == ["ping-client-64", "esp-gcm-tunnel", "esp-gcm-ipv6-tunnel", "esp-cbc-sha2-tunnel"]


@pytest.mark.parametrize(
    "pattern, message",
    [
        ("ping-clent-64", 'no case matches "ping-clent-64" (did you mean "ping-client-64"?)'),
        ("ping(", '"ping(" is no regular expression'),
    ],
)
def test_what_no_case_matches(real_cli, pattern, message):
    code, _, err = real_cli("interop", "--list", "--case", pattern)
    assert code == 2 and message in err


def test_table_and_exit_code(real_cli, monkeypatch, tmp_path):
    good, bad = (CASES[name] for name in ("ping-client-64", "ping-server-64"))

    def run(cases, directory, patience):
        assert cases == [good, bad] and directory == tmp_path and patience == 3
        yield interop.Outcome(good, (), 2.5, 1000)
        yield interop.Outcome(bad, ("the machine got other octets than were sent",), 3, 1000)

    monkeypatch.setattr(interop, "run", run)
    arguments = ("interop", "--case", "ping-.*-64", "--dir", tmp_path, "--patience", 3)
    code, out, _ = real_cli(*arguments)
    lines = out.splitlines()
    assert code == 1 and " ".join(lines[1].split()) == f"ping-client-64 client as expected 2.5 s {good.what}"
    assert "NOT as expected" in lines[2] and lines[3] == "    the machine got other octets than were sent"
    assert lines[4].startswith("1 as expected, 1 not; ")
    code, out, _ = real_cli(*arguments, "--json")
    assert code == 1 and [row["as_expected"] for row in json.loads(out)] == [True, False]


@pytest.mark.parametrize("name, live, machine, live_log, machine_log, why", [
    ("ping-client-64", 0, 0, "LIVE GOOD", "", []),
    ("ping-client-64", 1, 0, "x\nLIVE NOT GOOD: 3\n", "", ["the simulation: LIVE NOT GOOD: 3"]),
    ("ping-client-64", -6, 0, "", "", ["the simulation: it ended early"]),
    ("ping-client-64", None, 0, "", "", ["the simulation did not end"]),
    ("ping-client-64", 0, None, "", "", ["the machine's script did not end"]),
    ("ping-client-64", 0, 255, "", "", ["the machine's script ended with 255 rather than 0"]),
    ("sizes-client", 0, 0, "", "CONTENT BAD of 9", ["the machine got other octets than were sent"]),
    ("reject-server", 0, 0, 'REJECTED with "the machine says no"', "", []),
    ("reject-server", 0, 0, "", "", ['the simulation does not say "REJECTED with "the machine says no""']),
    ("terminate-read-key-client", 0, 1, "TERMINATE sent: layer 0 type 1 code 0, RDMAP", "siw: got TERMINATE", []),
    ("terminate-read-key-client", 0, 1, "TERMINATE sent: layer 0 type 1 code 1, RDMAP", "siw: got TERMINATE",
     ['the simulation does not say "TERMINATE sent: layer 0 type 1 code 0,"']),
])  # fmt: skip
def test_what_is_as_expected(name, live, machine, live_log, machine_log, why):
    found = list(interop.judge(CASES[name], live, machine, live_log, machine_log))
    assert found[: len(why)] == why and bool(found) == bool(why)


def test_what_is_missing_is_said(real_cli, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(interop_machine.platform, "machine", lambda: "riscv64")
    code, _, err = real_cli("interop", "--case", "ping-client-64", "--dir", tmp_path)
    assert code == 1 and "Debian 12 (bookworm) for amd64" in err


def test_a_machine_is_built_anew_if_its_scripts_change(monkeypatch, tmp_path):
    place = interop_machine._place()
    for name in interop_machine.BUILT_FROM:
        (tmp_path / name).write_bytes((interop_machine.SOURCES / name).read_bytes())
    monkeypatch.setattr(interop_machine, "SOURCES", tmp_path)
    assert interop_machine._place() == place
    (tmp_path / "init").write_text("another\n")
    assert interop_machine._place() != place


@pytest.mark.skipif(not PROGRAM.exists(), reason="no iwarp-live in the build")
@pytest.mark.parametrize("arguments", [
    ("--role=ping-server", "--size=65535"),
    ("--role=work-client", "--operations=send:100,pread:5000,echo:70000,mix:4:3000,reads:3:100"),
    *(("--role=perftest-client", f"--operations={test}", "--size=3000", "--count=20")
      for test in ("send_bw", "write_bw", "read_bw", "send_lat", "write_lat", "read_lat")),
    ("--role=nvme-client", "--size=100000", "--count=20"),
    ("--role=nvme-client", "--size=4096", "--count=50", "--ns3::NvmeHost::Queues=3",
     "--ns3::NvmeQueue::DataDigest=false"),
])  # fmt: skip
def test_both_ends_of_the_program_understand_each_other(arguments):
    done = subprocess.run([PROGRAM, *arguments, "--simulated=true"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-1].startswith("LIVE GOOD")


APART = "does not apply: no Markers asked for"
MARKERS = ["marker-reserved", "marker-low-bits", "marker-pointer"]  #: cases about the kit's own Markers


def conformance(*arguments, role="conformance-client"):
    """Return the exit status of the conformance kit against the simulated endpoint, and its rows by name."""
    done = subprocess.run([PROGRAM, f"--role={role}", "--simulated=true", *arguments],
                          capture_output=True, text=True)  # fmt: skip
    rows = re.findall(r"ROW (\S+): (.*?) \(([A-Z0-9. -]+)\)$", done.stdout, re.MULTILINE)
    return done.returncode, {name: (outcome, ids.split()) for name, outcome, ids in rows}


@pytest.mark.skipif(not PROGRAM.exists(), reason="no iwarp-live in the build")
def test_the_endpoint_does_what_the_conformance_kit_asks_for():
    status, rows = conformance("--operations=all")
    assert status == 0 and len(rows) == 42
    _, requirements = catalogue.catalogues(interop.ROOT)
    assert {i for _, ids in rows.values() for i in ids} <= set(requirements)
    assert rows["write-wrap"][0] == "Terminate 1/1/3" and rows["request-key"][0] == "closed"
    assert [name for name, (outcome, _) in rows.items() if outcome == APART] == MARKERS


@pytest.mark.skipif(not PROGRAM.exists(), reason="no iwarp-live in the build")
@pytest.mark.parametrize("role", ["conformance-client", "initiator-server"])
def test_an_endpoint_that_asks_for_markers_gets_them_of_the_conformance_kit(role):
    status, rows = conformance("--operations=all", "--ns3::MpaStream::Markers=true", role=role)
    assert status == 0 and not [name for name, (outcome, _) in rows.items() if outcome == APART]
    assert [rows[name][0] for name in MARKERS] == ["accepted", "accepted", "Terminate 2/0/3"]
    options = ("--ns3::MpaStream::Markers=true", "--ns3::MpaStream::CheckMarkers=None")
    status, rows = conformance("--operations=marker-pointer", *options, role=role)
    assert status == 1 and rows["marker-pointer"][0] == "accepted, where the RFC asks for Terminate 2/0/3"


@pytest.mark.skipif(not PROGRAM.exists(), reason="no iwarp-live in the build")
@pytest.mark.parametrize("revision", [1, 2])
def test_an_endpoint_that_connects_does_what_the_conformance_kit_asks_for(revision):
    status, rows = conformance("--operations=all", f"--ns3::RdmaConnection::Revision={revision}",
                               role="initiator-server")  # fmt: skip
    assert status == 0 and len(rows) == 25
    _, requirements = catalogue.catalogues(interop.ROOT)
    assert {i for _, ids in rows.values() for i in ids} <= set(requirements)
    assert rows["reply-of-initiator"][0] == "closed" and rows["reply-markers"][0] == "FPDU"


CABLE = """\
set -e
ip link add here type veth peer name there
for end in here there; do ip link set $end up; done
"$0" --role=conformance-server --interface=there --address=10.77.0.9 > /dev/null &
exec "$0" --role=conformance-client --interface=here --address=10.77.0.8 --peer=10.77.0.9 --operations=$1
"""


@pytest.mark.skipif(not PROGRAM.exists(), reason="no iwarp-live in the build")
def test_the_conformance_kit_reaches_an_endpoint_by_a_network_interface():
    # two programs in real time, with a cable of Linux's between them, in a network of their own
    spaces = ["unshare", "--map-root-user", "--net", "--pid", "--fork", "--kill-child"]
    cases = ["crc", "read-bounds", "read-wrap", "request-key", "atomic"]
    done = subprocess.run([*spaces, "sh", "-c", CABLE, PROGRAM, ",".join(cases)], capture_output=True, text=True)
    rows = re.findall(r"ROW (\S+): (.*?) \(", done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert dict(rows) == {name: conformance(f"--operations={name}")[1][name][0] for name in cases}


@pytest.mark.skipif(not PROGRAM.exists(), reason="no iwarp-live in the build")
def test_the_conformance_kit_notices_a_client_that_does_not_conform():
    for case, attribute, outcome in (
        ("crc", "MpaStream::SilentDrop=true", "no answer, where the RFC asks for Terminate 2/0/2"),
        ("immediate", "RdmaDevice::Extensions=false", "Terminate 0/2/6, where the RFC asks for accepted"),
        ("queue", "RdmaDevice::MirroredTerminate=true", "Terminate 2/1/1, where the RFC asks for Terminate 1/2/1"),
    ):
        status, rows = conformance(f"--operations={case}", f"--ns3::{attribute}", role="initiator-server")
        assert status == 1 and rows[case][0] == outcome


@pytest.mark.skipif(not PROGRAM.exists(), reason="no iwarp-live in the build")
def test_the_conformance_kit_notices_an_endpoint_that_does_not_conform():
    status, rows = conformance("--operations=crc", "--ns3::MpaStream::SilentDrop=true")
    assert status == 1 and rows["crc"][0] == "no answer, where the RFC asks for Terminate 2/0/2"
    status, rows = conformance("--operations=atomic", "--ns3::RdmaDevice::Extensions=false")
    assert status == 1 and rows["atomic"][0] == "Terminate 0/2/6, where the RFC asks for Atomic Response"
    status, rows = conformance("--operations=enhanced", "--ns3::RdmaConnection::Revision=1")
    assert status == 1 and rows["enhanced"][0].endswith(", where the RFC asks for accepted")
    status, rows = conformance("--operations=read-bounds", "--ns3::RdmaDevice::MirroredTerminate=true")
    assert status == 1 and rows["read-bounds"][0] == "Terminate 1/0/1, where the RFC asks for Terminate 0/1/1"


@pytest.mark.skipif(not PROGRAM.exists(), reason="no iwarp-live in the build")
@pytest.mark.parametrize("role, cases", [
    ("conformance-client", ["good", "enhanced", "write-nothing", "immediate", "read"]),
    ("initiator-server", ["write-nothing", "immediate", "queue"]),
])  # fmt: skip
def test_silence_of_an_endpoint_that_hangs_is_no_acceptance(role, cases):
    for options in ((), ("--ns3::RdmaConnection::Revision=1",)):
        used = [case for case in cases if not options or case != "enhanced"]  # which revision 1 has not
        status, rows = conformance(f"--operations={','.join(used)}", "--hangs=true", *options, role=role)
        outcomes = {name: outcome.split(", where")[0] for name, (outcome, _) in rows.items()}
        assert status == 1 and outcomes == dict.fromkeys(used, "no answer")


@pytest.mark.skipif(not PROGRAM.exists(), reason="no iwarp-live in the build")
def test_an_endpoint_without_reads_proves_by_a_terminate_that_it_lives():
    for options in (("--ns3::RdmaConnection::Ird=0",), ("--ns3::RdmaConnection::Revision=1",)):
        status, rows = conformance("--operations=write-nothing,immediate", *options, role="initiator-server")
        assert status == 0 and {outcome for outcome, _ in rows.values()} == {"accepted"}
