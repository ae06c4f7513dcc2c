# SPDX-License-Identifier: GPL-2.0-only
"""A workload that a function of Python's makes."""

import iwarp
import pytest

SHORT = {"flows": 2, "delay": "1ms", "access_delay": "0s", "start_spread": "0s", "topology": "dumbbell"}


def test_a_function_posts_the_messages():
    def trace(flow, install, post):
        install("write")
        for size in (1000, 20_000, 300_000):
            post(size)

    result = iwarp.run(workload=trace, **SHORT)
    assert result.params["workload"] == "function:trace"
    assert result["messages"] == 2 * 3
    assert result["payload_octets"] == 2 * 321_000


@pytest.mark.parametrize("operation", ["write", "read", "send"])
def test_messages_answer_messages(operation):
    """Each message is posted when the one before has come: a round trip each, or more."""

    def one_by_one(flow, install, post):
        left = 9

        def arrived(size):
            nonlocal left
            assert size == 1000
            if left > 0:
                left -= 1
                post(1000)

        install(operation)
        post(1000)
        return arrived

    result = iwarp.run(workload=one_by_one, **SHORT)
    assert result["messages"] == 2 * 10
    # nothing but the function links the ends, so that a message is posted as soon as the other end has the one before:
    # it takes half a round trip of 2 ms, a Read a whole one; connecting takes two or three
    trips = 1 if operation == "read" else 0.5
    assert 10 * trips * 2e-3 <= result["duration"] <= (10 * trips + 3.5) * 2e-3


def test_messages_have_times():
    """The last message is posted 50 ms after the flow's start, and is half a round trip of 2 ms on its way."""

    def paced(flow, install, post):
        for i in range(6):
            post(1000, after=i * 0.01)

    result = iwarp.run(workload=paced, **SHORT)
    assert result["messages"] == 2 * 6
    assert 0.051 <= result["duration"] <= 0.0515
    text = iwarp.run(workload=lambda flow, install, post: post(1000, "50ms"), **SHORT)
    assert 0.051 <= text["duration"] <= 0.0515


def test_it_is_as_the_workload_of_that_kind():
    def bulk(flow, install, post):
        client, _ = install("write")
        client.SetAttribute("QueueDepth", iwarp.load().UintegerValue(16))
        for _ in range(20):
            post(65536)

    same = {**SHORT, "loss": 0.01, "octets": 20 * 65536, "message_sizes": "fixed:65536", "plain_tcp": False}
    own = iwarp.run(workload=bulk, **same)
    plain = iwarp.run(workload="rdma-write", **same)
    for name in ("payload_octets", "messages", "duration", "message_time_mean", "fpdus_passed_out_of_order"):
        assert own[name] == plain[name], name


def test_parameters_of_all_workloads_hold():
    def one(flow, install, post):
        client, server = install("send")
        post(5000)
        depth = iwarp.load().UintegerValue()
        client.GetAttribute("QueueDepth", depth)
        assert depth.Get() == 3

    assert iwarp.run(workload=one, queue_depth=3, backed=True, **SHORT)["content_errors"] == 0


def test_errors_of_the_function_are_told():
    def broken(flow, install, post):
        raise ValueError("there is no such trace")

    with pytest.raises(iwarp.RunError, match="there is no such trace"):
        iwarp.run(workload=broken, **SHORT)

    def late(flow, install, post):
        post(1000)

        def arrived(size):
            raise ValueError("nobody asked for that")

        return arrived

    with pytest.raises(iwarp.RunError, match="nobody asked for that"):
        iwarp.run(workload=late, **SHORT)
    with pytest.raises(iwarp.RunError, match="no message was posted"):
        iwarp.run(workload=lambda flow, install, post: None, **SHORT)
    with pytest.raises(iwarp.RunError, match="there is write, read, send"):
        iwarp.run(workload=lambda flow, install, post: install("wire"), **SHORT)
    with pytest.raises(iwarp.RunError, match="installs a flow twice"):
        iwarp.run(workload=lambda flow, install, post: (install(), install()), **SHORT)
    with pytest.raises(iwarp.RunError, match="1 to 4294967295 octets, not 0"):
        iwarp.run(workload=lambda flow, install, post: post(0), **SHORT)
    with pytest.raises(iwarp.UsageError, match="plain_tcp"):
        iwarp.run(workload=late, plain_tcp=True, **SHORT)


def test_a_class_of_cpp_has_no_subclass_in_python():
    ns3 = iwarp.load()
    with pytest.raises(TypeError, match=r"Mine: .* cannot be derived from C\+\+'s IwarpWorkload.*define"):

        class Mine(ns3.IwarpWorkload):
            pass

    with pytest.raises(TypeError, match=r"cannot be derived from C\+\+'s Application"):

        class Ours(ns3.Application):
            pass

    with pytest.raises(TypeError, match="cannot be derived"):
        type("Theirs", (ns3.IwarpTopology,), {})
    # that classes of C++ are derived from each other is no matter
    assert issubclass(ns3.IwarpRdmaWriteWorkload, ns3.IwarpWorkload)
    assert issubclass(ns3.IwarpStarTopology, ns3.IwarpTopology)
