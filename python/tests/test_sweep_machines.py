# SPDX-License-Identifier: GPL-2.0-only
"""A sweep on two machines: network namespaces that see nothing but a link each to the scheduler's.

The test runs this file again, in user and network namespaces of its own, which end with it: nobody has to be root.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PORT = 8786
SPACES = ["unshare", "--map-root-user", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]


def locate(number: int) -> dict:
    """Say in which network a run is made."""
    addresses = json.loads(subprocess.run(["ip", "-json", "address"], capture_output=True, check=True).stdout)
    names = [a["local"] for link in addresses for a in link["addr_info"] if a["local"].startswith("10.")]
    return {"square": number * number, "address": ",".join(names)}


def ip(*words: object, where: int | None = None) -> None:
    inside = ["nsenter", "--target", str(where), "--net"] if where else []
    subprocess.run([*inside, "ip", *map(str, words)], check=True)


def machine(number: int, processes: contextlib.ExitStack) -> int:
    """Make a network with a cable to this one, and return a process in it."""
    held = subprocess.Popen(["unshare", "--net", "sh", "-c", "echo; exec sleep 1000"], stdout=subprocess.PIPE)
    processes.callback(held.kill)
    held.stdout.readline()  # by now it has left our network
    ip("link", "add", f"up{number}", "type", "veth", "peer", "name", "eth0", "netns", held.pid)
    ip("address", "add", f"10.77.{number}.1/30", "dev", f"up{number}")
    ip("link", "set", f"up{number}", "up")
    ip("address", "add", f"10.77.{number}.2/30", "dev", "eth0", where=held.pid)
    for name in ("lo", "eth0"):
        ip("link", "set", name, "up", where=held.pid)
    return held.pid


def dask(kind: str, *arguments: str, where: int | None, place: Path, processes: contextlib.ExitStack) -> None:
    """Start a scheduler or a worker in a directory of its own."""
    place.mkdir()
    inside = ["nsenter", "--target", str(where), "--net"] if where else []
    command = [*inside, sys.executable, "-m", "dask", kind, *arguments, "--no-dashboard"]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}  # without the file of locate()
    process = subprocess.Popen(command, cwd=place, env=environment, stderr=(place / "log").open("w"))
    processes.callback(process.kill)


def sweep(place: Path) -> None:
    """Sweep on the workers of two machines, and print what came of it."""
    sys.path.insert(0, str(HERE.parent))
    import iwarp

    with contextlib.ExitStack() as processes:
        ip("link", "set", "lo", "up")
        dask("scheduler", "--host", "0.0.0.0", "--port", str(PORT), where=None, place=place / "s", processes=processes)
        for number in (1, 2):
            pid = machine(number, processes)
            dask("worker", f"tcp://10.77.{number}.1:{PORT}", "--host", f"10.77.{number}.2", "--nthreads", "1",
                 "--no-nanny", where=pid, place=place / f"w{number}", processes=processes)  # fmt: skip
        from distributed import Client

        with Client(f"tcp://127.0.0.1:{PORT}", timeout=400) as client:
            client.wait_for_workers(2, timeout=400)
            frame = iwarp.sweep(locate, {"number": list(range(8))}, cluster=client)
        print(json.dumps({name: frame[name].tolist() for name in ("status", "square", "address")}))


def test_a_sweep_runs_on_two_machines(tmp_path):
    if not shutil.which("ip") or subprocess.run([*SPACES, "true"], capture_output=True).returncode != 0:
        pytest.skip("ip is not installed, or this kernel gives users no namespaces")
    done = subprocess.run([*SPACES, sys.executable, __file__, tmp_path], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:] + "".join(p.read_text()[-1000:] for p in tmp_path.glob("*/log"))
    found = json.loads(done.stdout)
    assert found["status"] == ["ok"] * 8 and found["square"] == [number * number for number in range(8)]
    assert set(found["address"]) == {"10.77.1.2", "10.77.2.2"}


if __name__ == "__main__":
    sweep(Path(sys.argv[1]))
