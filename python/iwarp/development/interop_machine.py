# SPDX-License-Identifier: GPL-2.0-only
"""The emulated machine with Linux's soft-iWARP driver: built once from Debian's packages, kept outside the clone."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from .._setup import ROOT, machine, say
from ..errors import IwarpError

SOURCES = ROOT / "test" / "interop" / "machine"
BUILT_FROM = ("build.sh", "init", "nvme-pattern.c", "rdma-peer.c")  #: scripts whose change makes another machine
BUILT = ("vmlinuz", "initrd.cpio", "siw.ko", "rdma-peer", "nvme-pattern", "versions.txt")
ADDRESSES = ("10.8.0.2", "fd08::2")  #: of IPv4 and IPv6, as agent.sh sets them
BOOT_TIME = 300  #: seconds that it may take to start, where nothing else runs
OFFLOADS = ("csum", "gso", "guest_csum", "guest_tso4", "guest_tso6", "guest_ecn", "guest_ufo", "host_tso4", "host_tso6",
            "host_ecn", "host_ufo", "mrg_rxbuf")  # fmt: skip


def lacking() -> str:
    """Return why there can be no machine here, or nothing."""
    release = Path("/etc/os-release")
    codename = release.read_text() if release.exists() else ""
    if "VERSION_CODENAME=bookworm" not in codename or platform.machine() != "x86_64":
        return "the machine is built of the packages of Debian 12 (bookworm) for amd64, and this is another system"
    if not _place().exists() and os.geteuid() != 0:
        return "only root can build the machine (mmdebstrap, kernel modules): run this once as root"
    return ""


def versions() -> dict[str, str]:
    """Return the versions of what the machine runs."""
    lines = (_place() / "versions.txt").read_text().splitlines()
    return dict(line.split(maxsplit=1) for line in lines)


def provide() -> Path:
    """Return the folder of the machine, after building it if it is not there or its scripts have changed."""
    if reason := lacking():
        raise IwarpError(reason)
    place = _place()
    if all((place / name).exists() for name in BUILT):
        machine.provide({"qemu-system-x86": machine.FOR_INTEROP["qemu-system-x86"]})
        return place
    machine.provide(machine.FOR_INTEROP)
    say("building the machine, which takes some minutes")
    place.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="building-", dir=place.parent))
    try:
        done = subprocess.run(["bash", SOURCES / "build.sh", folder], capture_output=True, text=True)
        if done.returncode != 0:
            raise IwarpError(f"the machine could not be built: {(done.stderr.strip() or done.stdout).splitlines()[-1]}")
        shutil.rmtree(place, ignore_errors=True)
        folder.rename(place)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return place


def _place() -> Path:
    digest = hashlib.sha256()
    for name in BUILT_FROM:
        digest.update((SOURCES / name).read_bytes())
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "iwarp" / f"interop-{digest.hexdigest()[:12]}"


class Machine:
    """One that runs, emulated: scripts go in, and what they printed comes out, through a folder that it shares."""

    def __init__(self, patience: float):
        self._patience = patience
        self._share: Path | None = None
        self._qemu: subprocess.Popen[bytes] | None = None
        self.ports = (0, 0)  #: UDP ports of 127.0.0.1: the machine's, and that to which it sends frames

    def __enter__(self) -> Machine:
        self.boot()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def boot(self) -> None:
        """Start it, and wait until it takes scripts."""
        self.stop()
        place = provide()
        self._share = Path(tempfile.mkdtemp(prefix="iwarp-interop-"))
        for name in ("siw.ko", "rdma-peer", "nvme-pattern"):
            shutil.copy(place / name, self._share)
        shutil.copy(SOURCES / "agent.sh", self._share)
        (self._share / "queue").mkdir()
        (self._share / "out").mkdir()
        self.limit(60)
        self.ports = _free_ports()
        with open(self._share / "console", "wb") as console:
            self._qemu = subprocess.Popen(
                self._command(place), stdin=subprocess.DEVNULL, stdout=console, stderr=console
            )
        if not self._wait(self._share / "ready", BOOT_TIME):
            last = (self._share / "console").read_text(errors="replace").strip().splitlines()[-1:]
            self.stop()
            raise IwarpError(f"the machine does not start: {''.join(last) or 'its console says nothing'}")

    def stop(self) -> None:
        """End it, and remove the folder that it shared."""
        if self._qemu is not None:
            (self._share / "halt").touch()
            try:
                self._qemu.wait(5)
            except subprocess.TimeoutExpired:
                self._qemu.kill()
                self._qemu.wait()
            self._qemu = None
        if self._share is not None:
            shutil.rmtree(self._share, ignore_errors=True)
            self._share = None

    def limit(self, seconds: float) -> None:
        """Set how long scripts may run."""
        (self._share / "limit").write_text(f"{seconds * self._patience:.0f}")

    def begin(self, name: str, script: str) -> None:
        """Have the machine run a script of this name."""
        waiting = self._share / f"{name}.new"
        waiting.write_text(script + "\n")
        waiting.rename(self._share / "queue" / f"{name}.sh")

    def wait_listening(self, name: str, seconds: float) -> bool:
        """Wait until a server of a script listens; tell whether it does, or the script is over."""
        return self._wait(self._share / "out" / f"{name}.listening", seconds)

    def finish(self, name: str, seconds: float, to: Path) -> int | None:
        """Wait for a script's end, and take its files to a folder; return its exit status, or None if it has none."""
        out = self._share / "out"
        ended = self._wait(out / f"{name}.status", seconds)
        for kind, suffix in (("log", "machine.log"), ("siw.pcap", "machine.pcap")):
            if (out / f"{name}.{kind}").exists():
                shutil.move(out / f"{name}.{kind}", to / f"{name}.{suffix}")
        return int((out / f"{name}.status").read_text()) if ended else None

    def _wait(self, path: Path, seconds: float) -> bool:
        end = time.monotonic() + seconds * self._patience
        while not path.exists():
            if time.monotonic() > end or self._qemu.poll() is not None:
                return path.exists()
            time.sleep(0.02)
        return True

    def _command(self, place: Path) -> list[str]:
        here, there = self.ports
        wire = f"dgram,id=n0,local.type=inet,local.host=127.0.0.1,local.port={here}"
        wire += f",remote.type=inet,remote.host=127.0.0.1,remote.port={there}"
        # all octets are in the packets as they are sent, up to 9000 in each
        card = "virtio-net-pci,netdev=n0,mac=02:00:00:00:08:02,host_mtu=9000," + ",".join(f"{o}=off" for o in OFFLOADS)
        return [
            "qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "1536",
            "-nographic", "-no-reboot", "-nodefaults", "-serial", "stdio", "-monitor", "none",
            "-kernel", f"{place}/vmlinuz", "-initrd", f"{place}/initrd.cpio",
            "-append", "console=ttyS0 panic=-1 quiet loglevel=4 mitigations=off",
            "-virtfs", f"local,path={self._share},mount_tag=host,security_model=none,id=h",
            "-object", "rng-random,filename=/dev/urandom,id=r", "-device", "virtio-rng-pci,rng=r",
            "-netdev", wire, "-device", card,
        ]  # fmt: skip


def _free_ports() -> tuple[int, int]:
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        first, second = (one.getsockname()[1] for one in sockets)
        return first, second
    finally:
        for one in sockets:
            one.close()
