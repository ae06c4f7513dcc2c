# SPDX-License-Identifier: GPL-2.0-only
"""Random scenarios: a run ends with metrics or with one line that says why, whatever its parameters are.

Values come from what the parameters say of themselves: some that are usual, the borders of their ranges, and some that
are not allowed. Each trial is a child process and depends on its seed alone:

    python/tests/scenario_fuzz.py --first 1 --trials 1000
    python/tests/scenario_fuzz.py --first 17 --trials 1 --show
"""

from __future__ import annotations

import argparse
import collections
import math
import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from iwarp.errors import UsageError
from iwarp.parameters.schema import Param, resolve
from iwarp.runs import runner, scenario

SECONDS = 60  #: of processor time; a trial that is bounded as below takes a few at the most
MEMORY = 2 << 30

# What a run costs grows with these, so they are drawn here
BOUNDED: dict[str, Callable[[random.Random], Any]] = {
    "octets": lambda rng: rng.choice([1, 2, 1000, 1460, 20_000, 60_000]),
    "flows": lambda rng: rng.choice([1, 1, 2, 3, 7]),
    "host_pairs": lambda rng: rng.choice([0, 0, 1, 2]),
    "incast_senders": lambda rng: rng.choice([0, 1, 5, 12]),
    "time_limit": lambda rng: rng.choice(["1ms", "1.5ms", "20ms", "300ms", "2s"]),
    "start_spread": lambda rng: rng.choice(["0s", "1ns", "100us", "3ms", "1s"]),
    "cross_flows": lambda rng: rng.choice([1, 2, 4]),
    "cross_rate": lambda rng: rng.choice(["0bps", "1bps", "1kbps", "1Mbps", "50Mbps"]),
    "leaves": lambda rng: rng.choice([1, 2, 3]),
    "spines": lambda rng: rng.choice([1, 2, 3]),
    "hosts_per_leaf": lambda rng: rng.choice([1, 2, 3]),
    "fat_tree_k": lambda rng: rng.choice([2, 3, 4]),
    "bottlenecks": lambda rng: rng.choice([1, 2, 5]),
    "receivers": lambda rng: rng.choice([0, 1, 2, 1000]),
    "perf_iterations": lambda rng: rng.choice([1, 2, 5, 50]),
    "perf_qp": lambda rng: rng.choice([1, 2, 8]),
    "perf_size": lambda rng: rng.choice([0, 1, 2, 8, 1460, 65536, 1 << 31]),
    "perf_warm_up": lambda rng: rng.choice([0, 1, 4, 50]),
    "queue_depth": lambda rng: rng.choice([1, 2, 16, 1000]),
    "warm_up": lambda rng: rng.choice([0, 0, 1, 3000, 50_000]),
    "distance": lambda rng: rng.choice([0, 1e-9, 10, 20_000]),
    "plain_tcp": lambda rng: rng.choice([False, False, True]),
    "backed": lambda rng: rng.choice([False, True]),
    "pcap": lambda rng: rng.choice([""] * 20 + ["/no/such/folder/x", "/dev/null/x"]),
    "perf_all": lambda rng: False,
}

DISTRIBUTIONS = [
    "0", "1", "fixed:0", "fixed:1", "fixed:1460", "fixed:65536", "fixed:-5", "fixed:4294967296", "fixed:1e18", "fixed:",
    "cdf:", "cdf:alistorage2019", "cdf:/no/such/file", "cdf:/dev/null", "nonsense", "ns3::ConstantRandomVariable",
    "ns3::ConstantRandomVariable[Constant=0]", "ns3::ConstantRandomVariable[Constant=-1]", "ns3::Node",
    "ns3::ConstantRandomVariable[Constant=1e-9]", "ns3::ConstantRandomVariable[Constant=1e30]",
    "ns3::ConstantRandomVariable[Constant=nan]", "ns3::UniformRandomVariable[Min=-5|Max=5]",
    "ns3::UniformRandomVariable[Min=0|Max=0.0001]", "ns3::ExponentialRandomVariable[Mean=0.00001]",
    "ns3::ExponentialRandomVariable[Mean=8000]", "ns3::NormalRandomVariable[Mean=0|Variance=1]",
    "ns3::ParetoRandomVariable", "ns3::ConstantRandomVariable[Constant=", "ns3::UniformRandomVariable[Min=5|Max=1]",
    "ns3::EmpiricalRandomVariable", "ns3::DeterministicRandomVariable", "ns3::SequentialRandomVariable",
    "ns3::ExponentialRandomVariable[Mean=-1]", "ns3::RandomVariableStream",
]  # fmt: skip

CONTROLS = ["TcpNewReno", "TcpCubic", "TcpDctcp", "TcpBbr", "TcpVegas", "TcpLedbat", "TcpHybla", "TcpScalable",
            "TcpVeno",
            "TcpBic", "TcpYeah", "TcpIllinois", "TcpHtcp", "TcpLp", "TcpWestwoodPlus",
            "TcpLinuxReno", "TcpHighSpeed"]  # fmt: skip

# what is allowed, beside a parameter's choices, and what is not, or not always
TEXTS = {
    "topology": (["file:abilene"],
                 ["file:", "file:/no/such", "file:/dev/null", "IwarpStarTopology", "function", "ns3::Node"]),
    "impairment": (["random", "random+random", "jitter+outage", "bit-error", "gilbert-elliott+random", "outage"],
                   ["+", "", "none", "random+", "PathImpairment"]),
    "middlebox": (["none"], ["PathMiddlebox", ""]),
    "link_schedule": (["", "2ms:rate=1Gbps", "2ms:delay=1ms", "2ms:mtu=1280", "2ms:mtu=576", "1ms:down,5ms:up",
                      "1ms:down",
                       "0s:rate=1bps", "5ms:up,2ms:down", "2ms:mtu=68,3ms:mtu=65535", "1ms:mtu=1000,2ms:delay=0s"],
                      ["2ms:mtu=100", "2ms:rate=0bps", "2ms", ":", "2ms:mtu=-1", "2ms:delay=-1ms", "1e99s:down"]),
    "queue_size": (["1p", "2p", "100p", "3000B", "4294967295p", "100kB"],
                   ["0p", "1B", "0B", "p", "-1p", "1e9p", "5000000000p"]),
    "marking_threshold": (["1p", "65p", "3000B"], ["0p", "1B", "p", "4294967295p"]),
    "congestion_control": (CONTROLS, ["ns3::TcpCubic", "Node", "TcpCongestionOps", ""]),
    "cross_congestion_control": (CONTROLS, ["Node", ""]),
    "abilene_pairs": (["STTL-WASH", "STTL-WASH,WASH-STTL"], ["", "STTL-STTL", "STTL", "-", "A-B", "STTL-WASH,"]),
}  # fmt: skip

JUNK = ["", " ", "x", "nan", "inf", "-inf", "-1", "1e400", "1e-400", "0x10", "1s", "-1s", "1Gbps", "true", "a,b",
        "=", "%s%n",
        "ns3::", "[", "]", "|", ":", "é", "9" * 400, "x" * 5000, "1\n2", "None", None, True, -1, 2**64,
        -(2**63), 1e308]  # fmt: skip

# a trial has its own
LEFT_OUT = {"seed", "run"}


def draw_number(param: Param, rng: random.Random) -> Any:
    """Draw from a range: its borders, what is next to them, or between them by magnitude."""
    low = param.minimum if param.minimum is not None else 0
    highest = {"int": 2**32 - 1, "rate": 10**12, "time": 1000.0}.get(param.type, 1e9)
    high = param.maximum if param.maximum is not None else highest
    step = 1 if param.type in ("int", "rate") else 1e-9
    kind = rng.random()
    if kind < 0.2:
        value = rng.choice([low, high, low + step, high - step] * 5 + [low - step, high + step])
    elif kind < 0.35 and isinstance(param.default, (int, float)):
        value = param.default * rng.choice([0.1, 0.5, 1, 2, 10])
    elif kind < 0.45:
        value = min(max(rng.choice([0, 1, 2, 3, 64, 1000, 1 << 16, 1 << 20]), low), high)
    else:
        value = low + (math.exp(rng.uniform(0, math.log(max(high - low, step) / step + 1))) - 1) * step
    if param.type in ("int", "rate"):
        value = int(value)
    if param.type == "time":
        return f"{value:.12g}s"
    return f"{value}bps" if param.type == "rate" else value


def draw(param: Param, rng: random.Random) -> Any:
    """Draw a value of a parameter, most times one that is allowed."""
    if rng.random() < 0.004:
        return rng.choice(JUNK)
    if param.name in BOUNDED:
        return BOUNDED[param.name](rng)
    choices = [choice for choice in param.choices if ":" not in choice]
    if param.name in TEXTS:
        good, bad = TEXTS[param.name]
        return rng.choice(bad if rng.random() < 0.05 else choices + good)
    if param.choices:
        return rng.choice(choices)
    if param.type == "bool":
        return rng.random() < 0.5
    if param.type in ("int", "float", "time", "rate"):
        return draw_number(param, rng)
    return rng.choice(DISTRIBUTIONS)


def scenarios(first: int, trials: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the parameters of trials by their seeds."""
    backend = scenario.backend()
    named = [param for name, param in backend.params.items() if name not in LEFT_OUT]
    targets = {param.target for param in named}
    others = [param for param in backend.list_qualified("") if param.name not in targets]
    for seed in range(first, first + trials):
        rng = random.Random(seed)
        given = {name: BOUNDED[name](rng) for name in ("octets", "time_limit", "flows", "plain_tcp")}
        for name in ("leaves", "spines", "hosts_per_leaf", "perf_iterations"):
            given[name] = 2
        given |= {name: rng.choice(backend.params[name].choices) for name in ("workload", "rnic") if rng.random() < 0.7}
        if rng.random() < 0.8:
            given["topology"] = draw(backend.params["topology"], rng)
        for param in rng.sample(named, rng.choice([0, 1, 2, 4, 8, 16])):
            given[param.name] = draw(param, rng)
        for param in rng.sample(others, rng.choice([0, 0, 1, 2, 5, 10])):
            if given.get("rnic", "none") != "none" or not param.name.startswith("Rnic."):
                given[param.name] = draw(param, rng)
        # as fast as links are: plain TCP, messages of gigabytes, and flows that go on until all are warm
        if given.get("cross_traffic") == "tcp" or given.get("perf_size") == 1 << 31:
            given["time_limit"] = "3ms"
        elif given.get("warm_up") or "message_sizes" in given:
            given["time_limit"] = "20ms"
        given["seed"] = rng.randint(1, 5)
        yield seed, given


def fault(given: dict[str, Any]) -> tuple[str, str]:
    """Run a scenario and return how it ends, and what is wrong with that, or nothing."""
    try:
        params = resolve(given, scenario.backend().params)
    except UsageError as error:
        return "usage", fault_of_text(str(error))
    except Exception as error:
        return "usage", f"{type(error).__name__} of Python: {error}"

    def work() -> runner.Measured:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))  # SIGXCPU, however busy the machine is
        return scenario.backend().execute(params)

    limits = runner.Limits(20 * SECONDS, MEMORY)
    child = runner.Child(work, limits)
    try:
        runner.multiprocessing.connection.wait([child.sentinel], limits.seconds)
    except BaseException:
        child.kill()
        raise
    outcome = child.outcome()
    wrong = ""
    if outcome.status in runner.CUT_SHORT:
        wrong = f"{outcome.status}: {outcome.message}"
    elif outcome.status in ("error", "usage"):
        wrong = fault_of_text(outcome.message)
    else:
        odd = [name for name, value in outcome.metrics.items() if not math.isfinite(float(value))]
        wrong = f"metrics that are no numbers: {', '.join(odd)}" if odd or not outcome.metrics else ""
    return outcome.status, wrong


def fault_of_text(text: str) -> str:
    """Return what is wrong with an error that people are to read, or nothing."""
    if not text.strip():
        return "an error without a word"
    return f"an error of several lines: {text!r}" if "\n" in text.strip() else ""


def run_trials(first: int, trials: int, seconds: float = math.inf) -> tuple[int, dict[int, str]]:
    """Run trials, until the time is over; return how many and the faults by seed."""
    end = time.monotonic() + seconds
    faults = {}
    count = 0
    ends: collections.Counter[str] = collections.Counter()
    for seed, given in scenarios(first, trials):
        if time.monotonic() > end:
            break
        count += 1
        status, wrong = fault(given)
        ends[status] += 1
        if wrong:
            faults[seed] = wrong
            print(f"{seed}: {wrong}\n    {given}", flush=True)
    print(f"{count} trials, {len(faults)} faults; {dict(ends)}")
    return count, faults


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--show", action="store_true", help="print the parameters only")
    args = parser.parse_args()
    if args.show:
        for seed, given in scenarios(args.first, args.trials):
            print(seed, given)
        return 0
    _, faults = run_trials(args.first, args.trials, args.seconds)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
