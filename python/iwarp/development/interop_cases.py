# SPDX-License-Identifier: GPL-2.0-only
"""The cases of ``iwarp interop``: what the machine does, what the simulation does, and what is to come of it."""

from __future__ import annotations

from dataclasses import dataclass

from .interop_capture import NOTHING, Shows
from .interop_machine import ADDRESSES

HOST, HOST6 = "10.8.0.1", "fd08::1"  #: the simulated host
BEHIND = "10.9.0.2"  #: the simulated host behind a router
MACHINE, MACHINE6 = ADDRESSES
#: ms that a client waits after the connection is there: siw loses an FPDU that comes at once, see doc/interop.rst
GRACE = 200


@dataclass(frozen=True)
class Case:
    """One connection, or two with perftest."""

    name: str
    group: str
    what: str
    machine: str  #: its part: "client" or "server"
    script: str  #: what it runs, PORT stands for the port
    live: tuple[str, ...]  #: arguments of iwarp-live
    good: bool | None = True  #: iwarp-live finds all done and right; None: it does not tell
    status: int | None = 0  #: exit status of the script; None: it does not tell
    says: tuple[str, ...] = ()  #: regular expressions that the simulation's output matches
    machine_says: tuple[str, ...] = ()  #: and the machine's
    shows: Shows = NOTHING  #: what the captures show
    seconds: float = 20  #: of simulated time, at most


# fmt: off


def _crc(on: bool) -> str:
    return f"--ns3::MpaStream::Crc={'true' if on else 'false'}"


def _ping(name: str, group: str, what: str, machine: str, size: int, *live: str, before: str = "", host: str = "",
          count: int = 3, **rest: object) -> Case:
    """Return a case of rping, whose client compares what comes back, and whose simulated server what it reads."""
    if machine == "client":
        arguments = ("--role=ping-server",)
        command = f"ping_client -a {host or HOST} -p PORT -V -C {count} -S {size}"
    else:
        arguments = ("--role=ping-client", f"--firstDelay={GRACE}", f"--peer={host or MACHINE}")
        command = f"rping -s -a {host or MACHINE} -p PORT -C {count} -S {size}"
    arguments += (f"--size={size}", f"--count={count}", *live)
    return Case(name, group, what, machine, f"{before}{command}", arguments, **rest)


def _work(name: str, group: str, what: str, machine: str, work: str, *live: str, before: str = "", host: str = "",
          options: str = "", **rest: object) -> Case:
    """Return a case of rdma-peer: ``work`` is the client's, wherever that is, ``options`` are the machine's."""
    if machine == "client":
        arguments = ("--role=work-server", *live)
        command = f"$PEER client {host or HOST} PORT {options} {work}"
    else:
        operations = work.replace(" ", ",")
        arguments = ("--role=work-client", f"--firstDelay={GRACE}", f"--peer={host or MACHINE}",
                     f"--operations={operations}", *live)
        command = f"$PEER server PORT {options}"
    return Case(name, group, what, machine, f"{before}{command}", arguments, **rest)


def _perftest(test: str, size: int, count: int, machine: str) -> Case:
    part = "server" if machine == "client" else "client"
    live = (f"--role=perftest-{part}", f"--operations={test}", f"--size={size}", f"--count={count}")
    if machine == "server":
        live += (f"--firstDelay={GRACE}", f"--peer={MACHINE}")
    kind = "latency" if test.endswith("lat") else "bandwidth"
    verb = {"send": "Sends", "write": "RDMA Writes", "read": "RDMA Reads"}[test.split("_")[0]]
    command = f"timeout 25 ib_{test} -R -F -d siw0 -s {size} -n {count} -p PORT"
    return Case(f"{test.replace('_', '-')}-{size}-{machine}", "perftest", f"{verb} of {size} octets, {kind}", machine,
                command if machine == "server" else f"{command} {HOST}", live,
                machine_says=(rf"(?m)^ *{size} +{count} ",) if machine == "client" else (), seconds=30)


PINGS = tuple(
    _ping(f"ping-{machine}-{size}", "rping", f"{size} octets read and written back", machine, size, _crc(False))
    for machine in ("client", "server")
    for size in (64, 1000, 65535)
)

SIZES = tuple(
    _work(f"sizes-{machine}", "work", "Sends, Reads, Writes of 2 octets to 1 MiB", machine,
          "send:2 pread:2 pread:65536 pread:1048576 echo:2 send:65536 echo:65536 send:1048576 echo:1048576",
          _crc(True), *(("--receiveSize=1048576", "--receives=4") if machine == "client" else ()),
          options="" if machine == "client" else "nrecv=4 rsize=1048576 length=2097152",
          shows=Shows(request={"revision": 2}, reply={"revision": 2}, crc=True, largest=(1400, 1500)))
    for machine in ("client", "server")
) + tuple(
    _work(f"mix-{machine}", "work", "Writes, Reads and Sends at a time", machine, "mix:6:20000", _crc(True),
          options="" if machine == "client" else "nrecv=60")
    for machine in ("client", "server")
)

REQUIRED = "set_driver mpa_crc_required 1; "  # by a Request; a Reply has C if the Request had it
STRICT = "set_driver mpa_crc_required 1 mpa_crc_strict 1; "


def _with_crc(name: str, what: str, machine: str, ours: bool, asks: bool, used: bool, before: str = "") -> Case:
    """Return a case of CRC: whether the Request asks for it, and whether the Reply does and FPDUs have it."""
    shows = Shows(request={"crc_flag": asks}, reply={"crc_flag": used}, crc=used)
    return _ping(f"crc-{name}-{machine}", "CRC", what, machine, 5000, _crc(ours), before=before, count=2, shows=shows)


CRC = (
    _with_crc("ours", "the simulation wants it", "client", True, False, True),
    _with_crc("ours", "the simulation wants it", "server", True, True, True),
    _with_crc("theirs", "the machine wants it", "client", False, True, True, REQUIRED),
    _with_crc("theirs", "the machine is to want it: its Reply goes by the Request alone", "server", False, False, False,
              REQUIRED),
    _with_crc("both", "both want it", "client", True, True, True, REQUIRED),
    _with_crc("both", "both want it", "server", True, True, True, REQUIRED),
    _with_crc("strict", "both want it, the machine is strict", "client", True, True, True, STRICT),
    _with_crc("strict", "both want it, the machine is strict", "server", True, True, True, STRICT),
)

ONE = "--ns3::RdmaConnection::Revision=1"
P2P = "--ns3::RdmaConnection::PeerToPeer=true"
NO_WRITE = "--ns3::RdmaConnection::RtrWrite=false"


def _revisions(asked: int, answered: int) -> Shows:
    """Return what two revisions show, with a Send as the first message."""
    enhanced = {"a_flag": False} if asked == 2 else {}
    return Shows(request={"revision": asked, "enhanced_flag": asked == 2, **enhanced},
                 reply={"revision": answered, "enhanced_flag": answered == 2},
                 first={"event": "send", "length": 100})


def _rtr(offered: str, agreed: str) -> Shows:
    """Return what peer to peer shows: kinds offered and agreed on, W and R, the first of which the Initiator sends."""
    def flags(kinds: str) -> dict[str, object]:
        return {"a_flag": True, "b_flag": False, "c_flag": "W" in kinds, "d_flag": "R" in kinds}

    write, read = {"event": "write", "length": 0}, {"event": "read_request", "rdma_read_message_size": 0}
    return Shows(request=flags(offered), reply=flags(agreed), first=write if "W" in agreed else read)


PEERS = "set_driver peer_to_peer 1; "  # Requests ask for it; Replies agree in any case
WORK = "send:100 pread:5000 echo:5000"
REVISIONS = (
    _work("revision-1-theirs-client", "revision", "the machine asks for 1", "client", WORK, _crc(False),
          before="set_driver mpa_version 1; ", shows=_revisions(1, 1)),
    _work("revision-1-theirs-server", "revision", "the machine is to have 1: its Reply goes by the Request alone",
          "server", WORK, _crc(False), before="set_driver mpa_version 1; ", shows=_revisions(2, 2)),
    _work("revision-1-ours-server", "revision", "the simulation asks for 1", "server", WORK, _crc(False), ONE,
          shows=_revisions(1, 1)),
    _work("revision-1-ours-client", "revision", "the simulation knows 1", "client", "send:100 echo:5000", _crc(False),
          ONE, good=False, status=2, says=("the peer's MPA revision 2 is not usable",),
          shows=Shows(request={"revision": 2}, reply=None)),
    _ping("rtr-client", "RTR", "the machine asks for peer to peer", "client", 1000, _crc(False), before=PEERS, count=2,
          shows=_rtr("WR", "WR")),
    _ping("rtr-server", "RTR", "the simulation asks for peer to peer", "server", 1000, _crc(False), P2P, before=PEERS,
          count=2, shows=_rtr("WR", "W")),
    _work("rtr-write-client", "RTR", "the machine offers an RDMA Write", "client", "send:100 echo:5000", _crc(False),
          before="set_driver peer_to_peer 1 rtr_type 128; ", shows=_rtr("W", "WR")),
    _work("rtr-read-client", "RTR", "the machine offers an RDMA Read, the simulation takes no other", "client",
          "send:100 echo:5000", _crc(False), NO_WRITE, before="set_driver peer_to_peer 1 rtr_type 64; ",
          shows=_rtr("R", "R")),
    _work("rtr-other-client", "RTR", "the machine offers an RDMA Read, and sends the Write that the Reply has too",
          "client", "send:100 echo:5000", _crc(False), before="set_driver peer_to_peer 1 rtr_type 64; ",
          shows=_rtr("R", "WR")),
    _work("rtr-write-server", "RTR", "the simulation offers an RDMA Write", "server", WORK, _crc(False), P2P,
          "--ns3::RdmaConnection::RtrRead=false", before=PEERS, shows=_rtr("W", "W")),
    _work("rtr-read-server", "RTR", "the simulation offers an RDMA Read", "server", WORK, _crc(False), P2P, NO_WRITE,
          before=PEERS, shows=_rtr("R", "R")),
    _work("rtr-unasked-server", "RTR", "the machine is not to have peer to peer: its Reply agrees all the same",
          "server", WORK, _crc(False), P2P, shows=_rtr("WR", "W")),
)


def _reads(request: tuple[int, int], reply: tuple[int, int], least: int, most: int) -> Shows:
    """Return what Reads show: IRD and ORD of both frames, and how many RDMA Reads are under way at a time."""
    return Shows(request=dict(zip(("ird", "ord"), request, strict=True)),
                 reply=dict(zip(("ird", "ord"), reply, strict=True)), reads=(least, most))


OUR_ONE = ("--ns3::RdmaConnection::Ird=1", "--ns3::RdmaConnection::MaxIrd=1", "--ns3::RdmaConnection::Ord=1")
READS = (
    _work("ird-1-client", "IRD and ORD", "the machine has 1 of each, and as many Reads as the Reply's IRD", "client",
          "reads:6:3000 echo:5000", _crc(False), options="ird=1 ord=1", shows=_reads((1, 1), (16, 1), 2, 16)),
    _work("ird-0-client", "IRD and ORD", "the machine has none", "client", "send:100 write:100", _crc(False),
          options="ird=0 ord=0", shows=_reads((0, 0), (16, 0), 0, 0)),
    _work("ird-1-ours-client", "IRD and ORD", "the simulation has 1 of each", "client", "reads:8:3000 echo:5000",
          _crc(False), *OUR_ONE, options="ird=16 ord=16", shows=_reads((16, 16), (1, 1), 1, 1)),
    _work("ird-1-server", "IRD and ORD", "the machine has 1 of each: its IRD grows to the simulation's ORD", "server",
          "reads:6:3000 pread:5000", _crc(False), options="ird=1 ord=1", shows=_reads((16, 16), (16, 1), 2, 16)),
    _work("ird-1-ours-server", "IRD and ORD", "the simulation has 1 of each", "server", "reads:6:3000 pread:5000",
          _crc(False), *OUR_ONE, options="ird=16 ord=16", shows=_reads((1, 1), (16, 1), 1, 1)),
)


def _rejection(text: str) -> Shows:
    return Shows(reply={"reject_flag": True, "private_data": text.encode().hex()})


ENDS = (
    _work("reject-client", "end", "the simulation rejects, with private data", "client", "send:4", _crc(False),
          "--reject=true", status=2, machine_says=("EVENT RDMA_CM_EVENT_REJECTED",),
          shows=_rejection("the simulation says no")),
    _work("reject-server", "end", "the machine rejects, with private data", "server", "send:4", _crc(False),
          "--reject=true", options="reject=1", says=('REJECTED with "the machine says no"',),
          shows=_rejection("the machine says no")),
    _work("close-ours-client", "end", "the simulation disconnects first", "client", "send:4 waitclose", _crc(False),
          "--closeFirst=true", machine_says=("EVENT RDMA_CM_EVENT_DISCONNECTED",), shows=Shows(closes="simulation")),
    _work("close-ours-server", "end", "the simulation disconnects first", "server", "send:4", _crc(False),
          machine_says=("EVENT RDMA_CM_EVENT_DISCONNECTED",), shows=Shows(closes="simulation")),
    _work("close-theirs-client", "end", "the machine disconnects first", "client", "send:4", _crc(False),
          says=("EVENT DISCONNECTED",), machine_says=("CLIENT DONE, all done",), shows=Shows(closes="machine")),
    _work("close-theirs-server", "end", "the machine disconnects first", "server", "send:4", _crc(False),
          "--waitClose=true", options="closefirst=1", says=("EVENT DISCONNECTED",), shows=Shows(closes="machine")),
    _work("markers-client", "end", "the simulation wants Markers, which siw has not", "client", "send:4", _crc(False),
          "--ns3::MpaStream::Markers=true", status=2, machine_says=("EVENT RDMA_CM_EVENT_REJECTED status -111",),
          shows=Shows(reply={"markers_flag": True, "reject_flag": False})),
    _work("markers-server", "end", "the simulation wants Markers, which siw has not", "server", "send:4", _crc(False),
          "--ns3::MpaStream::Markers=true", before="timeout 10 ", good=False, status=None,
          says=("EVENT REJECTED",), seconds=10,
          shows=Shows(request={"markers_flag": True}, reply={"markers_flag": False, "reject_flag": True})),
)


MIRRORED = "--ns3::RdmaDevice::MirroredTerminate=true"  # the first word of a Terminate, as siw has it


def _refused(name: str, what: str, machine: str, work: str, code: str, *live: str, **rest: object) -> Case:
    """Return a case that a Terminate ends, which the side of the server sends: of layer, type and code."""
    layer, kind, number = code.split("/")
    if machine == "server":
        live += (MIRRORED,)
    way = "sent" if machine == "client" else "received"
    says = f"TERMINATE {way}: layer {layer} type {kind} code {number},"
    got = ("siw: got TERMINATE",) if machine == "client" else ()
    return _work(f"terminate-{name}-{machine}", "Terminate", what, machine, work, *live, good=None, status=None,
                 says=(says,), machine_says=got, **rest)


TERMINATES = (
    _refused("write-key", "an RDMA Write with an unknown key", "client", "send:4 wbadkey:100", "1/1/0", _crc(False)),
    _refused("read-key", "an RDMA Read with an unknown key", "client", "send:4 rbadkey:100", "0/1/0", _crc(False)),
    _refused("mirrored", "the same, the Terminate laid out as siw does", "client", "send:4 rbadkey:100", "0/1/0",
             _crc(False), MIRRORED),
    _refused("read-bounds", "an RDMA Read beyond the end", "client", "roob:100", "0/1/1", _crc(True)),
    _refused("send-long", "a Send too long for its receive", "client", "send:101", "1/2/5", _crc(False),
             "--receiveSize=100"),
    _refused("send-alone", "a Send without a receive", "client", "send:4 send:4 sleep:500", "1/2/2", _crc(False),
             "--receives=1"),
    _refused("read-access", "an RDMA Read where it may not", "client", "pread:100", "0/1/2", _crc(False),
             "--access=w"),
    _refused("write-key", "an RDMA Write with an unknown key", "server", "send:4 wbadkey:100 sleep:1000", "1/1/0",
             _crc(False)),
    _refused("read-key", "an RDMA Read with an unknown key", "server", "send:4 rbadkey:100", "0/1/0", _crc(False)),
    _refused("read-bounds", "an RDMA Read beyond the end", "server", "send:4 roob:100", "0/1/1", _crc(True)),
    _refused("send-long", "a Send too long: siw says that it has no buffer", "server", "send:101 sleep:1000", "1/2/2",
             _crc(True), options="rsize=100"),
    _work("atomic-client", "atomic", "siw has none: its library refuses", "client", "atomic", _crc(True), status=None,
          machine_says=("ibv_post_send gives",)),
    _refused("atomic", "siw has no atomics: an unknown opcode", "server", "send:4 atomic", "0/2/6", _crc(True)),
)

LOSS = ("--gateway=true", "--ns3::PathRandomImpairment::Loss=0.02")
REORDERING = ("--gateway=true", "--ns3::PathRandomImpairment::Reordering=0.05",
              "--ns3::PathRandomImpairment::HoldTime=ns3::UniformRandomVariable[Min=0|Max=0.01]")
DISTURBED = Shows(crc=True, disturbed=True)
JUMBO = Shows(largest=(1501, 9000))
PATHS = (
    _ping("loss-client", "path", "2 % loss each way", "client", 65535, _crc(True), *LOSS, host=BEHIND, count=6,
          seconds=60, shows=DISTURBED),
    _ping("loss-server", "path", "2 % loss each way", "server", 65535, _crc(True), *LOSS, count=6, seconds=60,
          shows=DISTURBED),
    _work("loss-work-client", "path", "2 % loss each way, 1 MiB", "client", "send:1048576 echo:1048576", _crc(True),
          *LOSS, "--receiveSize=1048576", "--receives=2", host=BEHIND, seconds=60, shows=DISTURBED),
    _ping("reordering-client", "path", "5 % held back up to 10 ms", "client", 65535, _crc(True), *REORDERING,
          host=BEHIND, seconds=60, shows=DISTURBED),
    _ping("reordering-server", "path", "5 % held back up to 10 ms", "server", 65535, _crc(True), *REORDERING,
          seconds=60, shows=DISTURBED),
    _ping("mtu-9000-client", "path", "MTU 9000", "client", 65535, _crc(True), "--mtu=9000",
          before="ip link set $card mtu 9000; ", shows=JUMBO),
    _ping("mtu-9000-server", "path", "MTU 9000", "server", 65535, _crc(True), "--mtu=9000",
          before="ip link set $card mtu 9000; ", shows=JUMBO),
    _ping("mtu-1500-client", "path", "MTU 9000 here and 1500 there", "client", 65535, _crc(True), "--mtu=9000",
          shows=Shows(largest=(1400, 1500))),
    _ping("ipv6-client", "path", "IPv6", "client", 65535, _crc(True), f"--peer={MACHINE6}", host=HOST6),
    _ping("ipv6-server", "path", "IPv6", "server", 65535, _crc(True), host=MACHINE6),
    _ping("rnic-client", "path", "the simulated host has the RNIC siw-like", "client", 65535, _crc(True),
          "--rnic=siw-like"),
)

PERFTEST = tuple(
    _perftest(test, size, count, machine)
    for machine in ("client", "server")
    for test, size, count in (
        ("send_bw", 64, 20), ("send_bw", 65536, 20), ("write_bw", 2, 20), ("write_bw", 65536, 20), ("read_bw", 2, 20),
        ("read_bw", 65536, 20), ("send_lat", 2, 20), ("send_lat", 65536, 10), ("read_lat", 2, 20),
        ("read_lat", 65536, 10), ("write_lat", 2, 20), ("write_lat", 65536, 10),
    )
)

KEY128 = "000102030405060708090a0b0c0d0e0f"
KEY256 = 2 * KEY128
SALT = "a0a1a2a3"
KEY160 = "101112131415161718191a1b1c1d1e1f20212223"
INTEGRITY256 = KEY160 + "2425262728292a2b2c2d2e2f"


def _esp(
    name: str, transform: str, mode: str, algorithms: str, key: str, integrity: str = "", ipv6: bool = False,
    role: str = "client"
) -> Case:
    host, machine = (HOST6, MACHINE6) if ipv6 else (HOST, MACHINE)
    live = (f"--peer={machine}", f"--esp={transform}", f"--espMode={mode}", f"--espKey={key}")
    if integrity:
        live += (f"--espIntegrityKey={integrity}",)
    case = _ping(f"esp-{name}-{mode}{'-server' if role == 'server' else ''}", "ESP",
                 f"{transform}, {mode} mode{', IPv6' if ipv6 else ''}", role, 20000, _crc(True), *live,
                 host=host if role == "client" else machine,
                 before=f"protect {mode} {machine} {host} {algorithms} || exit 9; ",
                 says=(r"ESP sealed \d\d+ opened \d\d+ dropped\n",), seconds=30, shows=Shows(sealed=True))  # fmt: skip
    return Case(**{**vars(case), "script": case.script + "; status=$?; xfrm_counters; exit $status"})


_GCM = f"aead 'rfc4106(gcm(aes))' 0x{KEY128}{SALT} 128"
ESP = (
    _esp("gcm", "aes-gcm-16-128", "transport", _GCM, KEY128 + SALT),
    _esp("gcm", "aes-gcm-16-128", "tunnel", _GCM, KEY128 + SALT),
    _esp("gcm-ipv6", "aes-gcm-16-128", "transport", _GCM, KEY128 + SALT, ipv6=True),
    _esp("gcm-ipv6", "aes-gcm-16-128", "tunnel", _GCM, KEY128 + SALT, ipv6=True),
    _esp("gcm", "aes-gcm-16-128", "transport", _GCM, KEY128 + SALT, role="server"),
    _esp("gcm-ipv6", "aes-gcm-16-128", "tunnel", _GCM, KEY128 + SALT, ipv6=True, role="server"),
    _esp("cbc-sha1", "aes-cbc-128/hmac-sha1-96", "transport",
         f"auth-trunc 'hmac(sha1)' 0x{KEY160} 96 enc 'cbc(aes)' 0x{KEY128}", KEY128, KEY160),
    _esp("cbc-sha2", "aes-cbc-256/hmac-sha2-256-128", "tunnel",
         f"auth-trunc 'hmac(sha256)' 0x{INTEGRITY256} 128 enc 'cbc(aes)' 0x{KEY256}", KEY256, INTEGRITY256),
    _esp("chacha", "chacha20-poly1305", "transport",
         f"aead 'rfc7539esp(chacha20,poly1305)' 0x{KEY256}{SALT} 128", KEY256 + SALT),
    _esp("ctr", "aes-ctr-128/hmac-sha1-96", "transport",
         f"auth-trunc 'hmac(sha1)' 0x{KEY160} 96 enc 'rfc3686(ctr(aes))' 0x{KEY128}{SALT}", KEY128 + SALT, KEY160),
)

NVME_FILE = 4 << 20  #: octets of the namespace that the machine serves
NO_DIGESTS = tuple(f"--ns3::NvmeQueue::{kind}Digest=false" for kind in ("Header", "Data"))


def _nvme_host(name: str, what: str, block: int, count: int, *live: str, options: str = "", host: str = HOST,
               **rest: object) -> Case:
    """Return a case in which Linux's host writes random octets to the simulated target, and reads them back."""
    script = f"nvme_connect {host} PORT '{options}' && nvme_copy 1048576 {block} {count} && nvme_disconnect"
    return Case(f"nvme-{name}-client", "NVMe/TCP", what, "client", script, ("--role=nvme-server", *live),
                machine_says=(f"{block * count} octets are as they were written",), **rest)


def _nvme_target(name: str, what: str, size: int, count: int, share: float, *live: str, host: str = MACHINE,
                 machine_says: tuple[str, ...] = (), **rest: object) -> Case:
    """Return a case in which the simulated host reads, and writes, the pattern at Linux's target."""
    prepare = f"/host/nvme-pattern make {NVME_FILE}" if share else f"truncate -s {NVME_FILE}"
    serve = f"nvme_serve {host} PORT /tmp/disk && /host/nvme-pattern check /tmp/disk"
    return Case(f"nvme-{name}-server", "NVMe/TCP", what, "server", f"rm -f /tmp/disk; {prepare} /tmp/disk; {serve}",
                ("--role=nvme-client", f"--peer={host}", f"--size={size}", f"--count={count}",
                 f"--ns3::NvmeHost::ReadShare={share}", *live), machine_says=machine_says, **rest)


NVME = (
    _nvme_host("small", "256 blocks of 4096 octets, in capsules", 4096, 256),
    _nvme_host("large", "8 blocks of 256 KiB, by R2T", 262144, 8),
    _nvme_host("digests", "digests of headers and data, 8 blocks of 256 KiB", 262144, 8,
               options="hdr_digest,data_digest", says=("header digest on, data digest on",)),
    _nvme_host("queues", "two I/O queues, 8 blocks of 256 KiB", 262144, 8, options="nr_io_queues=2",
               says=(r"(?s)(QUEUE ready.*){2}",)),
    _nvme_host("ipv6", "IPv6, 8 blocks of 256 KiB", 262144, 8, f"--peer={MACHINE6}", host=HOST6),
    _nvme_host("loss", "2 % loss each way, 8 blocks of 256 KiB", 262144, 8, *LOSS, host=BEHIND, seconds=60,
               shows=Shows(disturbed=True)),
    _nvme_target("reads", "100 reads of 4096 octets", 4096, 100, 1, *NO_DIGESTS,
                 says=("header digest off, data digest off",)),
    _nvme_target("large", "20 reads of 256 KiB", 262144, 20, 1),
    _nvme_target("writes", "100 writes of 4096 octets where there are zeros", 4096, 100, 0,
                 machine_says=(r"(?m)^[1-9]\d* blocks of the pattern, [1-9]\d* of zeros, 0 others",)),
    _nvme_target("r2t", "20 writes of 100000 octets, by R2T", 100000, 20, 0, *NO_DIGESTS,
                 machine_says=(r"(?m)^[1-9]\d* blocks of the pattern, \d* of zeros, 0 others",)),
    _nvme_target("digests", "digests, 50 reads and writes of 65536 octets", 65536, 50, 0.5,
                 says=("header digest on, data digest on",)),
    _nvme_target("queues", "4 I/O queues, 200 reads and writes of 16384 octets, in capsules", 16384, 200, 0.5,
                 "--ns3::NvmeHost::Queues=4", "--ns3::NvmeHostQueue::InCapsuleSize=16384",
                 says=(r"(?s)(QUEUE ready.*){4}",)),
    _nvme_target("ipv6", "IPv6, 50 reads and writes of 65536 octets", 65536, 50, 0.5, host=MACHINE6),
    _nvme_target("loss", "2 % loss each way, 50 reads and writes of 65536 octets", 65536, 50, 0.5, *LOSS, seconds=60,
                 shows=Shows(disturbed=True)),
)

CONFORMANCE = (
    Case("conformance-server", "conformance", "octets made by hand: what siw does about them", "server",
         "for i in $(seq 39); do timeout 8 $PEER server PORT; done",
         ("--role=conformance-client", f"--peer={MACHINE}", "--operations=all", f"--firstDelay={GRACE}",
          "--mirrored=true", "--linger=1"), good=None, status=None,
         says=("24 of 39 cases conform, 3 do not apply",), seconds=200),
    Case("conformance-client", "conformance", "Replies and octets made by hand: what siw does about them", "client",
         f"for i in $(seq 21); do timeout 8 $PEER client {HOST} PORT receiving=1 send:100 sleep:4000; done",
         ("--role=initiator-server", "--operations=all,-reply-length", f"--firstDelay={GRACE}", "--mirrored=true",
          "--linger=1"), good=None, status=None, says=("16 of 21 cases conform, 3 do not apply",), seconds=200),
)

CASES = PINGS + SIZES + CRC + REVISIONS + READS + ENDS + TERMINATES + PATHS + PERFTEST + ESP + NVME + CONFORMANCE
