# SPDX-License-Identifier: GPL-2.0-only
"""Metrics of requests by hand: one at a time over a link, so that each takes as long and Little's law is exact."""

import iwarp
import pytest

SIZE, COUNT = 4096, 10
RATE, DELAY = 1e9, 1e-3
#: octets that a request and its answer take at least: of NVMe/TCP a command of 72, a header and a completion of 24
#: each; of the storage protocol nothing but the data
LEAST = {"nvme": SIZE + 72 + 2 * 24, "storage": SIZE}
#: all that they report of requests, which is asserted here
METRICS = {
    "nvme": [
        "nvme_goodput", "nvme_read_inline", "nvme_read_latency_max", "nvme_read_latency_mean",
        "nvme_read_latency_p50", "nvme_read_latency_p99", "nvme_read_octets", "nvme_read_requests",
        "nvme_request_rate", "nvme_requests", "nvme_write_inline", "nvme_write_latency_max",
        "nvme_write_latency_mean", "nvme_write_latency_p50", "nvme_write_latency_p99", "nvme_write_octets",
        "nvme_write_requests",
    ],
    "storage": [
        "storage_goodput", "storage_read_inline", "storage_read_latency_max", "storage_read_latency_mean",
        "storage_read_latency_p50", "storage_read_latency_p99", "storage_read_octets",
        "storage_read_requests", "storage_request_rate", "storage_requests", "storage_write_inline",
        "storage_write_latency_max", "storage_write_latency_mean", "storage_write_latency_p50",
        "storage_write_latency_p99", "storage_write_octets", "storage_write_requests",
    ],
}  # fmt: skip
WORKLOADS = {"nvme": ("nvme-tcp", "IwarpNvmeTcpWorkload"), "storage": ("storage", "IwarpStorageWorkload")}


@pytest.mark.parametrize("kind", ["read", "write"])
@pytest.mark.parametrize("protocol", ["nvme", "storage"])
def test_requests_one_at_a_time(protocol, kind):
    workload, name = WORKLOADS[protocol]
    result = iwarp.run(workload=workload, topology="point-to-point", link_rate="1Gbps", delay="1ms", flows=1,
                       message_sizes=f"fixed:{SIZE}", octets=SIZE * COUNT, queue_depth=1, plain_tcp=False,
                       **{f"{name}.ReadShare": int(kind == "read")})  # fmt: skip
    seen = {metric.removeprefix(f"{protocol}_"): float(value) for metric, value in dict(result).items()
            if metric.startswith(f"{protocol}_")}  # fmt: skip
    other = "write" if kind == "read" else "read"
    told = [metric for metric in METRICS[protocol] if f"_{other}_latency_" not in metric]  # no request, no latency
    assert sorted(f"{protocol}_{metric}" for metric in seen) == sorted(told)
    assert seen["requests"] == seen[f"{kind}_requests"] == COUNT and seen[f"{kind}_octets"] == COUNT * SIZE
    assert seen[f"{other}_requests"] == seen[f"{other}_octets"] == seen[f"{other}_inline"] == 0
    # data that fit go with the command, or with the answer that ends a request, unless it is a read of NVMe/TCP
    assert seen[f"{kind}_inline"] == (0 if (protocol, kind) == ("nvme", "read") else COUNT)
    mean = seen[f"{kind}_latency_mean"]
    least = 2 * DELAY + 8 * LEAST[protocol] / RATE
    assert least < mean < least + 8 * 700 / RATE  # headers of five frames and an acknowledgement, of at most 106 octets
    for quantile in ("p50", "p99", "max"):
        assert seen[f"{kind}_latency_{quantile}"] == pytest.approx(mean, rel=5e-4)
    # one request is under way at any time
    assert seen["request_rate"] * mean == pytest.approx(1, rel=1e-6)
    assert seen["goodput"] == pytest.approx(8 * SIZE * seen["request_rate"], rel=1e-9)
