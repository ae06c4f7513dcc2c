# SPDX-License-Identifier: GPL-2.0-only
"""Metrics of RNICs, of ESP and of pauses in closed form: times set by hand, and counts by hand."""

import statistics

import iwarp
import pytest

SIZE, COUNT = 1000, 100
EMSS = 1500 - 20 - 32  #: with timestamps
#: ULPDU_Length, headers of DDP and RDMAP, payload, no pad, CRC (RFC 5044 section 4.1, without Markers)
FPDU = 2 + 14 + SIZE + 4
BASE = {"workload": "mpa", "topology": "point-to-point", "flows": 1, "octets": SIZE * COUNT, "plain_tcp": False,
        "message_sizes": f"fixed:{SIZE}", "link_rate": "1Gbps", "access_rate": "1Gbps", "markers": False}  # fmt: skip
#: datagrams of 52 + FPDU octets cross a link that takes 1000 in two fragments
DIVIDED = {"topology": "dumbbell", "dont_fragment": False, "link_schedule": "0s:mtu=1000", "rnic": "ideal"}


def run(**given):
    """Run, and return the metrics."""
    return {name: float(value) for name, value in dict(iwarp.run(**BASE | given)).items()}


def test_operations_of_aligned_segments():
    """Two FPDUs do not fit a segment, so each has one: a frame, a check of the alignment, a CRC, a placement."""
    found = run(rnic="ideal")
    assert 2 * FPDU > EMSS and found["fpdus_passed"] == COUNT
    for name in ("rnic_op_link_crc", "rnic_op_ip", "rnic_op_tcp_checksum", "rnic_op_align_check", "rnic_op_crc_check",
                 "rnic_op_address_computation"):  # fmt: skip
        assert found[name] == COUNT, name
    assert found["rnic_op_slow_path"] == 0


def test_operations_of_a_stream_without_alignment():
    """No FPDU but the first begins where a segment does, so all segments take the slow path."""
    found = run(rnic="ideal", alignment=False)
    segments = -(-COUNT * FPDU // EMSS)
    cuts = sum(1 for i in range(1, segments) if i * EMSS % FPDU)
    assert cuts == segments - 1
    assert found["rnic_op_slow_path"] == found["rnic_op_align_check"] == segments
    assert found["rnic_op_partial_crc_store"] == cuts  # of the FPDU that each of them is in
    assert found["rnic_op_crc_check"] == COUNT
    assert found["rnic_op_address_computation"] == COUNT + cuts  # of each piece


def test_times_in_an_rnic_add_up():
    """Frames come 8.7 us or more apart, so that none waits for another, and each takes what it is set to take."""
    mac, classify, tcp, place = 200e-9, 100e-9, 300e-9, 50e-9
    found = run(rnic="ideal", **{"Rnic.RxMac.TimePerPacket": "200ns", "Rnic.RxClassify.TimePerPacket": "100ns",
                                 "Rnic.RxTcp.TimePerPacket": "300ns", "Rnic.RxPlace.TimePerUnit": "50ns"})  # fmt: skip
    frames = COUNT + 3  # the end of the handshake, MPA's Request, and the FIN
    assert found["rnic_busy_rx_mac"] == pytest.approx(frames * mac, rel=1e-9)
    assert found["rnic_busy_rx_classify"] == pytest.approx(frames * classify, rel=1e-9)
    assert found["rnic_busy_rx_tcp"] == pytest.approx(frames * tcp, rel=1e-9)
    for name in ("rnic_receive_delay_mean", "rnic_receive_delay_p99"):
        assert found[name] == pytest.approx(mac + classify + tcp, rel=1e-9), name
    for name in ("rnic_place_delay_mean", "rnic_place_delay_p99"):
        assert found[name] == pytest.approx(place, rel=1e-9), name


def test_the_packet_buffer_by_littles_law():
    """Octets times the time that they stay, over the time: a frame has 18 octets around a datagram."""
    found = run(rnic="ideal", intervals="fixed:50us", warm_up=10_000, **{"Rnic.RxMac.TimePerPacket": "2us"})
    octets = COUNT * (18 + 52 + FPDU)
    assert found["rnic_packet_buffer_mean"] * found["duration"] == pytest.approx(octets * 2e-6, rel=1e-6)


@pytest.mark.parametrize("flows", [1, 3])
def test_connections_that_hold_octets(flows):
    """No segment of a stream without alignment ends where an FPDU does, so that each connection holds a part."""
    found = run(rnic="ideal", alignment=False, flows=flows, topology="star", pattern="incast")
    assert found["rnic_memory_holders_peak"] == flows


def test_memory_that_a_connection_may_not_exceed():
    """What the RNIC drops for its connections is what MPA drops, in full segments."""
    found = run(rnic="ideal", alignment=False, loss=0.02, octets=1_000_000,
                **{"Rnic.ReassemblyMemory.PerConnection": 3000})  # fmt: skip
    drops = found["rnic_drops_memory_per_connection"]
    assert drops == found["segments_dropped"] > 0
    assert found["rnic_octets_dropped"] == drops * EMSS
    assert found["rnic_drops_memory_full"] == found["rnic_drops_memory_too_small"] == 0


@pytest.mark.parametrize("count", [20, 200])
def test_translation_entries_are_missed_once(count):
    """One region for all writes, and one of the handshake before them: a need each, of which two are the first."""
    found = run(rnic="ideal", workload="rdma-write", octets=SIZE * count, **{"Rnic.TranslationCache.Entries": 1})
    assert found["rnic_translation_misses"] == pytest.approx(2 / (count + 1), rel=1e-9)


def test_fragments_at_an_rnic():
    """Each datagram with an FPDU comes in two; what is left of one that lost the other is dropped."""
    whole = run(**DIVIDED)
    assert whole["rnic_ip_fragments"] == 2 * COUNT and whole["rnic_ip_fragments_dropped"] == 0
    assert whole["rnic_ip_reassembly_peak"] == 52 + FPDU  # of one at a time, before it is passed on
    lossy = run(**DIVIDED, octets=200_000, loss=0.05, **{"Rnic.IpReassembly.Timeout": "1ms"})
    assert lossy["rnic_ip_fragments_dropped"] == lossy["rnic_ip_fragments"] - 2 * lossy["rnic_op_ip"] > 0


def test_datagrams_that_an_rnic_has_no_room_for():
    """Of each in two fragments the sender is told once."""
    found = run(**DIVIDED, octets=20_000, time_limit="10s",
                **{"Rnic.IpReassembly.Policy": "Limited", "Rnic.IpReassembly.Octets": 900})  # fmt: skip
    assert found["rnic_ip_fragments_dropped"] == found["rnic_ip_fragments"] == 2 * found["rnic_icmp_sent"] > 0


def test_markers_find_what_is_behind_a_gap():
    """A search for each segment that is lost alone: those behind the one that it finds follow by their lengths."""
    given = {"rnic": "ideal", "octets": 3000 * SIZE, "topology": "dumbbell", "loss": 0.002}
    marked, bare = run(**given, markers=True), run(**given)
    assert marked["rnic_op_marker_search"] == marked["retransmitted_octets"] / (FPDU + 2 * 4) > 0  # two Markers in each
    assert marked["fpdus_passed_out_of_order"] > 0
    assert bare["rnic_op_marker_search"] == 0 < bare["retransmitted_octets"]


def test_buffers_of_the_literature():
    """The product of rate and round trip, and a segment: of 1 Gbit/s, 100 us there and back, and the EMSS."""
    found = run(rnic="ideal")
    assert found["round_trip"] == pytest.approx(100e-6)
    assert found["buffer_size_tcp"] == pytest.approx(1e9 * 100e-6 / 8)
    assert found["buffer_size_af"] == found["emss"] == EMSS


def test_an_engine_of_esp_with_one_packet_at_a_time():
    """A packet every 100 us: none waits, and two hosts have an engine each way."""
    found = run(ipsec="transport", esp_engine="inline", intervals="fixed:100us", octets=40_000, warm_up=10_000,
                **{"EspEngine.TxEsp.TimePerPacket": "1us", "EspEngine.RxEsp.TimePerPacket": "2us"})  # fmt: skip
    assert found["esp_delay_out"] == pytest.approx(1e-6, rel=1e-9)
    assert found["esp_delay_in"] == pytest.approx(2e-6, rel=1e-9)
    assert found["esp_busy_out"] == pytest.approx(found["esp_packets"] * 1e-6 / 2, rel=1e-9)
    assert found["esp_busy_in"] == pytest.approx(found["esp_packets"] * 2e-6 / 2, rel=1e-9)  # all have come
    assert found["esp_packets"] >= 40 + 40 / 2  # messages, and an ACK for two at the least
    # SPI, number, IV and ICV, two octets behind the payload and two of padding, as TCP has a multiple of four
    added = 4 + 4 + 8 + 16 + 2 + 2
    assert found["esp_octets"] == 40 * FPDU + found["esp_packets"] * (52 + added)
    assert found["esp_overhead"] == found["esp_packets"] * added


def test_contexts_of_esp_that_are_off_chip():
    """Two connections by turns and one context on chip: each miss waits for the memory, and no packet for another."""
    found = run(ipsec="transport", esp_engine="inline", intervals="fixed:200us", octets=40_000, warm_up=10_000,
                flows=2, start_spread="130us", ipsec_sharing="connection",
                **{"EspEngine.AssociationCache.Entries": 1,
                   "EspEngine.AssociationCache.MemoryLatency": "3us"})  # fmt: skip
    assert found["esp_context_misses"] > 0.5
    assert found["esp_context_wait"] == pytest.approx(3e-6 * found["esp_context_misses"], rel=1e-9)


def test_packets_of_esp_that_were_changed():
    """Each bit that somebody changes is found by the ICV, and nothing else is dropped."""
    found = run(ipsec="transport", ipsec_real=True, octets=300_000, topology="dumbbell", middlebox="adversary",
                time_limit="20s", **{"PathAdversaryMiddlebox.Change": 0.02})  # fmt: skip
    assert found["esp_drops_bad_icv"] == found["adversary_acts"] == found["esp_drops"] > 0


def test_packets_of_esp_that_come_twice():
    """A message every 100 us: of each packet with data the copy is dropped, and nothing else is."""
    found = run(ipsec="transport", topology="dumbbell", duplication=1, intervals="fixed:100us", warm_up=10_000)
    assert found["esp_drops_replayed"] == found["esp_drops"] == found["segments_sent"] == COUNT


def test_packets_in_clear_that_are_to_be_protected():
    """Ten RSTs of somebody who has no keys come in clear."""
    found = run(ipsec="transport", octets=300_000, topology="dumbbell", middlebox="adversary", time_limit="20s",
                **{"PathAdversaryMiddlebox.ResetExact": 0.05, "PathAdversaryMiddlebox.MaxActs": 10})  # fmt: skip
    assert found["esp_drops_policy"] == found["esp_drops"] == found["adversary_acts"] == 10


def test_packets_that_do_not_fit_with_esp():
    """A message at a time: the gateway drops the first one that is too big for its link, and its sender then knows."""
    found = run(ipsec="gateway", topology="dumbbell", link_schedule="1ms:mtu=1000", intervals="fixed:500us")
    assert found["esp_drops_too_big"] == found["esp_drops"] == 1
    assert found["retransmitted_octets"] == FPDU


def test_a_host_that_pauses():
    """It sends at 10 Gbit/s to a link of 1 Gbit/s, and so pauses for 9/10 of the time: the only one that does.

    No other host sends to where it sends, so that it counts as a victim.
    """
    found = run(topology="dumbbell", workload="go-back-n", message_sizes="fixed:1440000", octets=4_320_000,
                access_rate="10Gbps", access_delay="10us", delay="10us", queue_disc="threshold",
                marking_threshold="20000B", start_spread="0s", pfc_xoff=30_000, pfc_xon=15_000, queue_size="61152B",
                **{"IwarpRoceWorkload.Window": 4000, "IwarpRoceWorkload.Timeout": "1s"})  # fmt: skip
    assert found["host_pause_share_max"] == pytest.approx(found["pause_time"] / found["duration"], rel=1e-9)
    assert found["host_pause_share_max"] == pytest.approx(0.9, abs=0.02)
    assert found["victim_pause_share"] == pytest.approx(found["pause_time"] / found["duration"], rel=1e-9)


def test_times_of_perf_with_a_way_that_becomes_longer():
    """Half a round trip before and after, each so often as the mean tells: extremes and deviation of two values."""
    found = run(workload="perf", perf_test="write_lat", perf_iterations=100, link_schedule="5ms:delay=150us")
    low, high, mean = found["perf_t_min"], found["perf_t_max"], found["perf_t_avg"]
    assert high - low == pytest.approx(150e-6 - 50e-6, rel=1e-3)
    slow = round(100 * (mean - low) / (high - low))
    assert 0 < slow < 100
    assert found["perf_t_stdev"] == pytest.approx(statistics.pstdev([high] * slow + [low] * (100 - slow)), rel=5e-3)


def test_percentiles_of_perf_with_a_way_that_becomes_longer():
    """Ten of 1000 may take longer than the 99th percentile, and one than the 99.9th; the mean tells how many do."""
    for change, count in (("101700us", 11), ("101800us", 10), ("102600us", 2), ("102700us", 1)):
        found = run(workload="perf", perf_test="write_lat", perf_iterations=1000, link_schedule=f"{change}:delay=150us")
        low, high, mean = found["perf_t_min"], found["perf_t_max"], found["perf_t_avg"]
        assert 1000 * (mean - low) / (high - low) == pytest.approx(count, abs=0.02)
        assert found["perf_t_99"] == pytest.approx(high if count > 10 else low, rel=1e-4)
        assert found["perf_t_99_9"] == pytest.approx(high if count > 1 else low, rel=1e-4)


def test_rounds_of_a_way_that_becomes_longer():
    """Two rounds of 200 may be slower than the 99th percentile; how many are slow the mean tells."""
    rounds = {"workload": "rounds", "octets": 200_000, "pattern": "incast", "topology": "dumbbell"}
    quick, slow = (run(**rounds, delay=delay)["round_time_mean"] for delay in ("50us", "1ms"))
    assert slow - quick == pytest.approx(2 * (1e-3 - 50e-6), rel=1e-9)
    for change, count, expected in (("27500us", 3, slow), ("27600us", 2, quick)):
        found = run(**rounds, link_schedule=f"{change}:delay=1ms")
        assert found["rounds"] == 200
        assert 200 * (found["round_time_mean"] - quick) / (slow - quick) == pytest.approx(count, rel=1e-6)
        assert found["round_time_p99"] == pytest.approx(expected, rel=1e-9)
        assert found["round_time_max"] == pytest.approx(slow, rel=1e-9)
