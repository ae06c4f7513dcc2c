# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp interop`` without the machine: its cases, its table, what it takes for expected."""

import csv
import dataclasses
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import iwarp
import pytest
from iwarp.development import conformance as catalogue
from iwarp.development import interop, interop_capture, interop_cases, interop_machine
from iwarp.development.interop_capture import Shows

CASES = {case.name: case for case in interop_cases.CASES}
BUILD = Path(os.environ.get("IWARP_BUILD_DIR", interop.ROOT / "build"))
PROGRAM = BUILD / "examples" / "iwarp-live"
CAPTURES = interop.ROOT / "test" / "data" / "captures"


def test_each_case_has_a_name_of_its_own_and_both_roles_are_there():
    assert len(CASES) == len(interop_cases.CASES) >= 60
    assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in CASES)
    for group in ("rping", "CRC", "revision", "RTR", "IRD and ORD", "end", "Terminate", "path", "ESP", "NVMe/TCP"):
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
def test_what_is_as_expected(name, live, machine, live_log, machine_log, why, tmp_path):
    case = dataclasses.replace(CASES[name], shows=interop_capture.NOTHING)
    found = list(interop.judge(case, live, machine, live_log, machine_log, tmp_path))
    assert found[: len(why)] == why and bool(found) == bool(why)


def test_a_case_is_judged_by_its_captures_too(tmp_path):
    def judge(name, capture):
        shutil.copy(CAPTURES / f"{capture}.pcap", tmp_path / f"{name}.machine.pcap")
        return list(interop.judge(CASES[name], 0, 0, "", "", tmp_path))

    assert judge("revision-1-theirs-client", "tune_v1_rping_S4096_mtu1500") == [
        "the first message of the Initiator has length 16 rather than 100"
    ]
    assert judge("rtr-read-client", "tune_p2p_read_mtu1500") == []
    assert judge("rtr-write-server", "tune_p2p_read_mtu1500")[-2:] == [
        "the first message of the Initiator has event read_request rather than write",
        "the first message of the Initiator has length 28 rather than 0",
    ]
    assert judge("crc-both-client", "tune_crc_rping_S4096_mtu1500") == []
    assert len(judge("crc-both-client", "stock_rping_S4096_mtu1500")) == 4
    (tmp_path / "crc-both-client.machine.pcap").unlink()
    (why,) = interop.judge(CASES["crc-both-client"], 0, 0, "", "", tmp_path)
    assert why.startswith("a capture cannot be read: ")


V1, V2 = "tune_v1_rping_S4096_mtu1500", "stock_rping_S4096_mtu1500"
WITH_CRC, LOSSY = "tune_crc_rping_S4096_mtu1500", "loss2_crc_rping_S65000_mtu1500"
CLOSED = "stock_server_closes_first_mtu1500"


@pytest.mark.parametrize("capture, shows, why", [
    (V1, Shows(request={"revision": 1}, reply={"revision": 1}), []),
    (V2, Shows(request={"revision": 2}, reply={"revision": 2}, crc=False), []),
    (V2, Shows(request={"revision": 1}), ["the Request has revision 2 rather than 1"]),
    (V2, Shows(reply={"revision": 1}), ["the Reply has revision 2 rather than 1"]),
    (V2, Shows(reply=None), ["there is a Reply"]),
    ("rawsrv_close", Shows(reply={"revision": 1}), ["there is no Reply"]),
    (WITH_CRC, Shows(request={"crc_flag": True}, reply={"crc_flag": True}, crc=True), []),
    (V2, Shows(crc=True), [r"0 of \d+ FPDUs from 10.7.0.1:\d+ have a CRC", r"0 of \d+ FPDUs from .* have a CRC"]),
    (WITH_CRC, Shows(crc=False), [r"0 of \d+ FPDUs from .* are without a CRC"] * 2),
    ("stock_reject_pd0_mtu1500", Shows(crc=False), ["there are not FPDUs of both sides"]),
    ("stock_reject_pd0_mtu1500", Shows(first={"event": "send"}), ["there is no first message of the Initiator"]),
    ("raw_p2p_read", Shows(first={"event": "read_request", "rdma_read_message_size": 0}), []),
    (V2, Shows(first={"event": "send", "length": 16}, reads=(0, 0)), []),
    ("stock_sizes_mtu1400", Shows(reads=(2, 4)), ["the most RDMA Reads of the Initiator .* are 1 rather than 2 to 4"]),
    (LOSSY, Shows(crc=True, disturbed=True), []),
    (WITH_CRC, Shows(disturbed=True), ["nothing came again or out of order"]),
    ("tune_crc_sizes_mtu9000", Shows(largest=(1501, 9000)), []),
    ("tune_crc_sizes_mtu1500", Shows(largest=(1501, 9000)),
     ["the machine's largest IP packet has 1500 octets rather than 1501 to 9000", "the simulation's largest .*"]),
    ("tune_crc_sizes_mtu9000", Shows(largest=(1400, 1500)),
     [r"the machine's largest IP packet has \d{4} octets rather than 1400 to 1500", "the simulation's largest .*"]),
    (CLOSED, Shows(closes="simulation"), []),
    (CLOSED, Shows(closes="machine"), ["the first FIN is the simulation's"]),
    ("raw_fin_half_fpdu", Shows(closes="machine"), []),
    ("../esp/linux-gcm-transport", Shows(sealed=True), []),
    ("../esp/linux-gcm-transport6", Shows(sealed=True), []),
    (V2, Shows(sealed=True), ["the machine sends TCP in the clear", "the machine sends no ESP",
                              "the simulation sends TCP in the clear", "the simulation sends no ESP"]),
])  # fmt: skip
def test_what_captures_show(capture, shows, why, monkeypatch):
    monkeypatch.setattr(interop_capture, "ADDRESSES", ("10.7.0.1", "192.0.2.1", "2001:db8::1"))
    file = CAPTURES / f"{capture}.pcap"
    found = list(interop_capture.lacks(shows, file, file))
    assert len(found) == len(why) and all(map(re.fullmatch, why, found)), found


def test_what_a_case_shows_has_a_name_of_the_decoders():
    known = {"request": set(), "reply": set(), "first": {"rdma_read_message_size"}}
    for name in ("tune_p2p_read_mtu1500", V1):
        for event in iwarp.decode(CAPTURES / f"{name}.pcap"):
            for kind in ("request", "reply"):
                known[kind] |= set(event) if event["event"] == kind else set()
            known["first"] |= set(event) if event.get("layer") == "rdmap" else set()
    for case in CASES.values():
        assert set(case.shows.request) <= known["request"] and set(case.shows.reply or ()) <= known["reply"], case.name
        assert set(case.shows.first) <= known["first"], case.name
    for group in ("CRC", "revision", "RTR", "IRD and ORD", "ESP"):
        assert all(c.shows != interop_capture.NOTHING for c in CASES.values() if c.group == group), group


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
