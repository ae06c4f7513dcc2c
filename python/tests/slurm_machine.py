# SPDX-License-Identifier: GPL-2.0-only
"""A Slurm of this machine's own: munge with a key of its own, slurmctld, and two nodes, each a slurmd.

Debian's slurmd takes ``-N NAME``, so that several run on one host, each with a port and a spool of its own. Nothing of
/etc is read or written, and all ends with the object. Jobs are tracked by Linux's table of processes: no cgroups.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

from iwarp.runs.runner import die_with_parent
from sweep_subjects import free_port

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue")
NODES = ("node1", "node2")
PATIENCE = 60  #: seconds until the nodes are idle
CONFIGURATION = """
ClusterName=iwarp
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={place}/munge/socket
StateSaveLocation={place}/state
SlurmdSpoolDir={place}/spool/%n
SlurmctldPidFile={place}/slurmctld.pid
SlurmdPidFile={place}/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SwitchType=switch/none
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
ReturnToService=2
SlurmdTimeout=10
KillWait=2
{nodes}
PartitionName=short Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def lacking() -> list[str]:
    """Return which programs are not there; slurmd insists on being started by root."""
    missing = [name for name in PROGRAMS if not shutil.which(name)]
    return missing if os.geteuid() == 0 else [*missing, "root"]


class Slurm(contextlib.ExitStack):
    """Two nodes with one processor each; ``with`` waits until both are idle.

    @param place a directory of its own, whose path is short enough for a socket's.
    """

    def __init__(self, place: Path):
        super().__init__()
        self._place = place
        self.environment = {"SLURM_CONF": str(place / "slurm.conf")}
        self.nodes: dict[str, subprocess.Popen] = {}

    def __enter__(self) -> Slurm:
        super().__enter__()
        try:
            for name in ("munge", "state", "spool"):
                (self._place / name).mkdir(mode=0o700)
            self._configure()
            self._start_munge()
            self._start("slurmctld", "-D")
            for name in NODES:
                (self._place / "spool" / name).mkdir()
                self.nodes[name] = self._start("slurmd", "-D", "-N", name)
            self._await_nodes()
        except BaseException:
            self.close()
            raise
        return self

    def ask(self, *command: str) -> str:
        """Return what one of Slurm's commands prints."""
        environment = {**os.environ, **self.environment}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def running(self) -> dict[str, str]:
        """Return on which node each job runs."""
        return dict(line.split() for line in self.ask("squeue", "-h", "-t", "R", "-o", "%i %N").splitlines())

    def kill_node(self, name: str) -> None:
        """End a node as a cut of its power does: its daemon, and all that its jobs have started."""
        daemon = self.nodes[name]
        daemon.kill()
        daemon.wait()
        for pid in _processes_with(f"SLURMD_NODENAME={name}", f"SLURM_CONF={self.environment['SLURM_CONF']}"):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _configure(self) -> None:
        host, ports = socket.gethostname(), [free_port() for _ in NODES]
        nodes = "\n".join(
            f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=1 RealMemory=4000"
            for name, port in zip(NODES, ports, strict=True)
        )
        values = {"host": host, "port": free_port(), "user": "root", "place": self._place, "nodes": nodes}
        (self._place / "slurm.conf").write_text(CONFIGURATION.format(**values))

    def _start_munge(self) -> None:
        place = self._place / "munge"
        (place / "key").write_bytes(os.urandom(1024))
        (place / "key").chmod(0o400)
        files = [f"--{option}-file={place / option}" for option in ("key", "pid", "log", "seed")]
        self._start("munged", "--foreground", "--force", f"--socket={place / 'socket'}", *files)
        self._await(lambda: (place / "socket").exists(), "munge")

    def _start(self, *command: str) -> subprocess.Popen:
        log = (self._place / f"log-{len(self.nodes)}-{Path(command[0]).name}").open("w")
        process = subprocess.Popen(
            command, env={**os.environ, **self.environment}, stdout=log, stderr=log, preexec_fn=die_with_parent
        )
        log.close()
        self.callback(_end, process)
        return process

    def _await_nodes(self) -> None:
        def idle() -> bool:
            with contextlib.suppress(subprocess.CalledProcessError):  # slurmctld does not answer yet
                return self.ask("sinfo", "-h", "-N", "-o", "%T").split() == ["idle"] * len(NODES)
            return False

        self._await(idle, "Slurm")

    def _await(self, there, what: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not there():
            logs = "\n".join(path.read_text()[-2000:] for path in sorted(self._place.glob("log-*")))
            assert time.monotonic() < deadline, f"{what} does not start:\n{logs}"
            time.sleep(0.1)


def _end(process: subprocess.Popen) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _processes_with(*settings: str) -> list[int]:
    """Return the processes whose environment has all of these."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if set(settings) <= set((place / "environ").read_text(errors="replace").split("\0")):
                found.append(int(place.name))
    return found
