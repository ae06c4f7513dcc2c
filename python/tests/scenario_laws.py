# SPDX-License-Identifier: GPL-2.0-only
"""Laws that hold for every scenario, asked of random ones.

Completion: all that is sent arrives, or the run says which parameters do not go together. Content: it is as it was
sent. Figures: counts, shares, rates, means and extremes are possible, and agree with each other. Clear: no link shows
octets that IPsec protects. Equality: the same run gives the same figures once more in its process, in another process
behind another run, with pcap files or without, with content or without, with real ciphers or modelled ones, and in
sweeps of one process or several.

Each trial depends on its seed alone, and is repeated by the command that its fault is printed with:

    python/tests/scenario_laws.py --first 1 --trials 10000 --jobs 8
    python/tests/scenario_laws.py --first 17 --trials 1 --show

Scenarios come from ``calm_scenarios``, or with ``--wild`` from ``scenario_fuzz``: those may fail, in one way.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import json
import math
import random
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent)]

from calm_scenarios import MESSAGES, ROCE, draw_calm  # noqa: E402
from iwarp.errors import UsageError  # noqa: E402
from iwarp.parameters.schema import resolve  # noqa: E402
from iwarp.runs import runner, scenario  # noqa: E402
from iwarp.sweeps import progress  # noqa: E402

SECONDS = 10  #: of processor time for the runs of a process; those here take one at the most
MEMORY = 2 << 30
CLOSE = 1e-9  #: relative, of figures that are computed in two ways
MINIMISE = 300  #: seconds that leaving out parameters takes at most; a run that never ends takes its limit each time
JOBS_EVERY = 20  #: one trial in so many asks the law of sweeps, which takes processes of its own
FAR = {"wan": 0.1, "abilene": 0.1}  #: seconds of the longest round trip between hosts that are not close
LINKS = 8  #: on the longest path
SYNS = 9  #: seconds after which plain TCP sends its second SYN again
OTHER = {"workload": "send", "octets": 5000, "loss": 0.05, "plain_tcp": False, "flows": 2}  #: what ran before

NEEDED = ("workload", "octets", "flows", "seed", "time_limit")  #: what laws look at, and what ends a run

End = dict[str, Any]  #: how a run ended: status, message, metrics, cautions
Given = dict[str, Any]  #: parameters by name


# ---- runs


def run_here(given: Given) -> End:
    """Run in this process."""
    backend = scenario.backend()
    try:
        params = resolve(given, backend.params)
        backend.check(params)
        metrics, _, cautions = backend.execute(params)
    except UsageError as error:
        return {"status": "usage", "message": str(error)}
    except Exception as error:
        return {"status": "error", "message": str(error)}
    return {"status": "ok", "message": "", "metrics": {n: float(v) for n, v in metrics.items()}, "cautions": cautions}


def run_apart(several: list[Given], pcap: bool = False) -> list[End]:
    """Run one after the other in a process of their own; with ``pcap`` the files go where they are removed."""

    def work() -> runner.Measured:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))  # SIGXCPU, however busy the machine is
        return {"ends": [run_here(given) for given in several]}, "", []

    with tempfile.TemporaryDirectory() as folder:
        if pcap:
            several = [given | {"pcap": f"{folder}/x"} for given in several]
        outcome = _wait(work)
    if outcome.status != "ok":
        return [{"status": outcome.status, "message": outcome.message}] * len(several)
    return outcome.metrics["ends"]


def _wait(work: Any) -> runner.Outcome:
    limits = runner.Limits(20 * SECONDS, MEMORY)
    child = runner.Child(work, limits)
    try:
        runner.multiprocessing.connection.wait([child.sentinel], limits.seconds)
    except BaseException:
        child.kill()
        raise
    return child.outcome()


class Elsewhere:
    """Runs of an interpreter that was started anew, whose addresses are others."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(HERE), "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, several: list[Given]) -> list[End]:
        """Run one after the other in a process of their own."""
        self._process.stdin.write(json.dumps(several) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        """End it."""
        self._process.stdin.close()
        self._process.wait()


def serve() -> None:
    """Answer lines of scenarios by lines of how they ended."""
    scenario.backend()
    for line in sys.stdin:
        print(json.dumps(run_apart(json.loads(line))), flush=True)


# ---- laws of one run


def faults_of_end(given: Given, end: End, calm: bool = True) -> Iterator[str]:
    """Yield what is wrong with how a run ended."""
    if end["status"] in runner.CUT_SHORT:
        yield f"completion: {end['status']}: {end['message']}"
    elif end["status"] == "ok":
        yield from faults_of_metrics(given, end["metrics"])
    elif calm and not names_parameters(end["message"]):
        yield f"completion: {end['message']}"
    if end["status"] == "error" and "octets in clear" in end["message"]:
        yield f"clear: {end['message']}"


def names_parameters(message: str) -> bool:
    """Tell whether an error says which parameters do not go together: it begins with their names."""
    before, colon, _ = message.partition(": ")
    names = [re.split(r"[ =]", name)[0] for name in before.split(", ")]
    known = scenario.backend().params
    return bool(colon) and all(name in known or re.fullmatch(r"\w+(\.\w+)+", name) for name in names)


def faults_of_metrics(given: Given, metrics: Mapping[str, float]) -> Iterator[str]:
    """Yield what cannot be, or does not agree, among the figures of a run."""
    for name, value in metrics.items():
        if not math.isfinite(value):
            yield f"figures: {name} is {value}"
        elif value < 0:
            yield f"figures: {name} is less than 0: {value!r}"
        elif _is_share(name) and value > 1 + CLOSE:
            yield f"figures: {name} is a share above 1: {value!r}"
    yield from faults_of_order(metrics)
    yield from faults_of_conservation(given, metrics)


def _is_share(name: str) -> bool:
    metric = scenario.backend().metrics.get(name)
    return bool(metric) and metric.unit == "share"


# one of each of these is no more than each that stands behind it, whatever the distribution; means stand apart
ORDER = ["min", "p50", "typical", "p99", "99", "99_9", "p999", "max", "peak"]
MEANS = ("mean", "avg", "average")


def faults_of_order(metrics: Mapping[str, float]) -> Iterator[str]:
    """Yield where a mean is beyond an extreme, or a percentile beyond a higher one."""
    stems: dict[str, dict[str, float]] = collections.defaultdict(dict)
    for name, value in metrics.items():
        for part in (*ORDER, *MEANS):
            if name.endswith("_" + part):
                stems[name[: -len(part) - 1]][part] = value
    for stem, values in stems.items():
        ordered = [part for part in ORDER if part in values]
        pairs = [(a, b) for a, b in itertools.pairwise(ordered)]
        for mean in MEANS:
            if mean in values:
                pairs += [("min", mean)] * ("min" in values)
                pairs += [(mean, most) for most in ("max", "peak") if most in values]
        for low, high in pairs:
            if values[low] > values[high] * (1 + CLOSE):
                yield f"figures: {stem}_{low} {values[low]!r} is above {stem}_{high} {values[high]!r}"


def faults_of_conservation(given: Given, metrics: Mapping[str, float]) -> Iterator[str]:
    """Yield where what was sent and what has come do not agree."""

    def get(name: str) -> float:
        return metrics.get(name, 0.0)

    def at_most(low: str, a: float, high: str, b: float) -> Iterator[str]:
        if a > b * (1 + CLOSE):
            yield f"conservation: {low} {a!r} is above {high} {b!r}"

    if get("content_errors"):
        yield f"content: {metrics['content_errors']:.0f} octets are not as they were sent"
    if get("esp_clear"):
        yield f"clear: {metrics['esp_clear']:.0f} packets showed protected octets"
    yield from at_most(
        "goodput", get("goodput"), "goodput_bound", math.inf if _is_warm(given) else get("goodput_bound")
    )
    yield from at_most(
        "fpdus_passed_out_of_order", get("fpdus_passed_out_of_order"), "fpdus_passed", get("fpdus_passed")
    )
    yield from at_most("fpdu_aligned_share", get("fpdu_aligned_share"), "header_aligned_share",
                       get("header_aligned_share"))  # fmt: skip
    yield from at_most("retransmitted_octets", get("retransmitted_octets"), "octets_on_wire", get("octets_on_wire"))
    yield from at_most("esp_overhead", get("esp_overhead"), "esp_octets", get("esp_octets"))
    drops = sum(value for name, value in metrics.items() if name.startswith("esp_drops_"))
    yield from at_most("esp_drops by reason", drops, "esp_drops", get("esp_drops"))
    yield from faults_of_cross_traffic(given, metrics)
    if _is_warm(given):
        return  # what was on its way when counting began has come, and was not sent
    yield from at_most("fpdus_passed", get("fpdus_passed"), "fpdus_sent", get("fpdus_sent"))
    yield from at_most("payload_octets", get("payload_octets"), "octets_on_wire", get("octets_on_wire"))
    if given.get("workload", "mpa") not in MESSAGES:
        return
    if get("duration") > 0:
        rate = 8 * get("payload_octets") / metrics["duration"]
        if abs(rate - get("goodput")) > CLOSE * rate:
            yield f"conservation: payload over duration is {rate!r}, goodput {metrics['goodput']!r}"
    if "duration" not in given and given.get("pattern", "pairs") == "pairs":
        wanted = float(given["octets"]) * float(given["flows"])
        if given.get("load"):  # flows go on, and the run ends with the first message at which enough has come
            if not given.get("arrival_window"):  # or when the messages of the window have
                yield from at_most("octets of all flows", wanted, "payload_octets", get("payload_octets"))
            return
        if get("connections_lost"):  # which the run tolerates
            yield from at_most("payload_octets", get("payload_octets"), "octets of all flows", wanted)
            return
        if get("payload_octets") != wanted:
            yield f"conservation: payload_octets {metrics['payload_octets']!r} of {wanted}"
        if get("fpdus_passed") != get("fpdus_sent"):
            yield f"conservation: fpdus_passed {metrics['fpdus_passed']!r} of {metrics['fpdus_sent']!r} sent"


def faults_of_cross_traffic(given: Given, metrics: Mapping[str, float]) -> Iterator[str]:
    """Yield where traffic beside the flows carries more than it is given to send, or nothing in a long time."""
    kind, duration = given.get("cross_traffic"), metrics.get("duration", 0)
    if kind not in ("udp", "tcp") or not duration or "cross_goodput" not in metrics:
        return
    params = resolve(given, scenario.backend().params)
    tcp = kind == "tcp"
    flows = params["cross_flows"] * (2 if params["cross_direction"] == "both" else 1)
    datagram = 8 * params["mtu"]
    # at the edges a datagram, or what a receiver has held behind a hole; duplicates of datagrams count
    edge = 8 * params["receive_buffer"] if tcp else datagram
    if _is_warm(given):  # and what was in queues when counting began
        edge += metrics.get("queue_peak", 0) * datagram / flows
    copies = 1 if tcp or not params["duplication"] else 2
    rate = flows * (params["access_rate"] if tcp else params["cross_rate"])
    if metrics["cross_goodput"] > copies * (rate + flows * edge / duration) * (1 + CLOSE):
        yield f"conservation: cross_goodput {metrics['cross_goodput']!r} is above {rate!r}"
    slowest = min(math.inf if tcp else params["cross_rate"], params["link_rate"])
    far = max(metrics["round_trip"], FAR.get(params["topology"], 0))  # not the flows' own where they have a pattern
    trip = far * (5 if params["key_exchange"] else 1)  # two exchanges of IKE in front of each
    trip += LINKS * (flows + metrics.get("queue_peak", 0)) * datagram / slowest
    losses = metrics.get("queue_drops", 0) > 0 or params["loss"] > 0
    first = 3 * trip + (SYNS if losses else 0) if tcp else trip
    if metrics["cross_goodput"] == 0 and duration > first:
        yield f"conservation: cross_goodput is 0 in {duration!r} s"


def _is_warm(given: Given) -> bool:
    return bool(given.get("warm_up"))


# ---- laws of several runs


def difference(one: End, other: End, apart: tuple[str, ...] = ()) -> str:
    """Return how the figures of two runs differ, or nothing; ``apart`` may."""
    if one["status"] != other["status"] or one["message"] != other["message"]:
        return " and ".join(f"{end['status']} {end['message']}".strip() for end in (one, other))
    a, b = one.get("metrics", {}), other.get("metrics", {})
    odd = [n for n in sorted({*a, *b}) if n not in apart and a.get(n) != b.get(n) and a.get(n, 0) == a.get(n, 0)]
    text = ", ".join(f"{n} {a.get(n)!r} and {b.get(n)!r}" for n in odd[:3])
    return text + (f", and {len(odd) - 3} more" if len(odd) > 3 else "")


def equalities(seed: int, given: Given) -> list[str]:
    """Return the laws of equality that can be asked of a scenario."""
    laws = ["repeat", "process", "pcap"]
    if given.get("workload", "mpa") not in ROCE and not any(name.endswith(".Backed") for name in given):
        laws.append("backed")
    if given.get("ipsec", "none") != "none":
        laws.append("real")
    if seed % JOBS_EVERY == 0:
        laws.append("jobs")
    return laws


def faults_of_trial(
    seed: int, given: Given, elsewhere: Elsewhere, calm: bool = True, asked: Sequence[str] | None = None
) -> tuple[str, list[str]]:
    """Run a scenario in all ways, or for some laws of equality only; return how it ended, and what is wrong."""
    laws = [law for law in equalities(seed, given) if asked is None or law in asked]
    first, *again = run_apart([given, given] if "repeat" in laws else [given])
    faults = list(faults_of_end(given, first, calm))
    if first["status"] in (*runner.CUT_SHORT, "usage"):
        return first["status"], faults
    for law in laws:
        for other in again if law == "repeat" else run_in_way(law, given, elsewhere):
            if other["status"] == "usage" and law not in ("repeat", "process"):
                continue  # this way does not go with the rest
            if text := difference(first, other, ("content_errors",) if law == "backed" else ()):
                faults.append(f"{law}: {text}")
            faults += [fault for fault in faults_of_end(given, other, calm) if fault.startswith(("content", "clear"))]
    return first["status"], list(dict.fromkeys(faults))


def run_in_way(law: str, given: Given, elsewhere: Elsewhere) -> list[End]:
    """Return how a scenario ends in the ways that a law of equality asks for."""
    if law == "process":
        return elsewhere.run([OTHER, given])[1:]
    if law == "jobs":
        return sweep_in_two_ways(given)
    turned = {"backed": "backed", "real": "ipsec_real"}.get(law)
    return run_apart([given | {turned: not given.get(turned)} if turned else given], pcap=law == "pcap")


def sweep_in_two_ways(given: Given) -> list[End]:
    """Return how the scenario ended in sweeps of three seeds, with one process and with three."""
    import iwarp

    seeds = list(dict.fromkeys([given["seed"], 6, 7]))
    ends = []
    for jobs in (1, 3):
        row = iwarp.sweep(given | {"seed": seeds}, jobs=jobs).iloc[0].to_dict()
        others = {*scenario.backend().params, *given, "key", "code", "status", "message", "wall"}
        metrics = {column.removeprefix("measured_"): v for column, v in row.items() if column not in others}
        good = row["status"] == "ok"
        ends.append({"status": row["status"], "message": "" if good else row["message"],
                     "metrics": {n: v for n, v in metrics.items() if v == v} if good else {},
                     "cautions": []})  # fmt: skip
    return ends


def _kind(fault: str) -> str:
    """Return the law that a fault breaks; one that takes too long is of another kind than one that ends wrongly."""
    law, _, rest = fault.partition(": ")
    end = rest.partition(":")[0]
    return f"{law}: {end}" if end in runner.CUT_SHORT else law


def minimise(seed: int, given: Given, faults: list[str], elsewhere: Elsewhere, calm: bool = True) -> Given:
    """Return as few of the parameters as still break one of the same laws, as far as the time goes."""
    end = time.monotonic() + MINIMISE
    laws = {fault.partition(":")[0] for fault in faults}
    kinds = {_kind(fault) for fault in faults}
    asked = [law for law in equalities(seed, given) if law in laws] or None
    kept = dict(given)
    for name in list(given):
        if time.monotonic() > end:
            break
        fewer = {n: v for n, v in kept.items() if n != name}
        if name not in NEEDED and kinds & {
            _kind(f) for f in faults_of_trial(seed, fewer, elsewhere, calm, asked)[1]
        }:
            kept = fewer
    return kept


# ---- trials


def command(given: Given) -> str:
    """Return what repeats a run."""

    def text(value: Any) -> str:
        return str(value).lower() if isinstance(value, bool) else str(value)

    return "./iwarp run " + " ".join(shlex.quote(f"{name}={text(value)}") for name, value in given.items())


def trials(first: int, count: int, wild: bool = False) -> Iterator[tuple[int, Given]]:
    """Yield the scenarios of seeds."""
    if wild:
        from scenario_fuzz import scenarios

        yield from scenarios(first, count)
    else:
        yield from ((seed, draw_calm(seed)) for seed in range(first, first + count))


def run_trials(
    first: int,
    count: int,
    seconds: float = math.inf,
    part: tuple[int, int] = (0, 1),
    wild: bool = False,
    less: bool = False,
    one: bool = False,
) -> dict[int, list[str]]:
    """Ask the laws of seeds, or of every so many of them, until the time is over; print and return the faults.

    With ``less`` the commands are those of the fewest parameters that break a law, with ``one`` a seed is asked one
    law of equality, which it draws.
    """
    end = time.monotonic() + seconds
    ends: collections.Counter[str] = collections.Counter()
    found = {}
    progress.set_quiet()
    elsewhere = Elsewhere()
    try:
        for seed, given in trials(first, count, wild):
            if time.monotonic() > end:
                break
            if seed % part[1] != part[0]:
                continue
            asked = [random.Random(seed).choice(equalities(seed, given))] if one else None
            status, faults = faults_of_trial(seed, given, elsewhere, not wild, asked)
            ends[status] += 1
            if faults:
                found[seed] = faults
                if less:
                    given = minimise(seed, given, faults, elsewhere, not wild)
                print(f"seed {seed}\n    " + "\n    ".join([*faults, command(given)]), flush=True)
    finally:
        elsewhere.close()
    laws = collections.Counter(fault.partition(":")[0] for faults in found.values() for fault in faults)
    print(f"{ends.total()} trials {dict(ends)}, {len(found)} with faults {dict(laws)}", flush=True)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--jobs", type=int, default=1, help="processes that share the seeds")
    parser.add_argument("--part", default="0/1", help="of those processes, which one and how many: K/JOBS")
    parser.add_argument("--wild", action="store_true", help="scenarios of scenario_fuzz, which may fail")
    parser.add_argument("--minimise", action="store_true", help="leave out what a fault does not need")
    parser.add_argument("--one", action="store_true", help="of the laws of equality, ask each seed one that it draws")
    parser.add_argument("--show", action="store_true", help="print the commands only")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve:
        serve()
        return 0
    if args.show:
        for seed, given in trials(args.first, args.trials, args.wild):
            print(seed, command(given))
        return 0
    if args.jobs > 1:
        own = [a for a in sys.argv[1:] if a]
        parts = [
            subprocess.Popen([sys.executable, str(HERE), *own, "--jobs", "1", "--part", f"{k}/{args.jobs}"])
            for k in range(args.jobs)
        ]
        return max([process.wait() for process in parts])
    k, n = map(int, args.part.split("/"))
    return bool(run_trials(args.first, args.trials, args.seconds, (k, n), args.wild, args.minimise, args.one))


if __name__ == "__main__":
    sys.exit(main())
