# SPDX-License-Identifier: GPL-2.0-only
"""Types of the scenario's parameters, as development/parameter_types.py writes them. Texts have units: "10Gbps",
"5us", "1MB", "1%"."""

from __future__ import annotations

from typing import Literal, TypedDict

from .quantity import Quantity

Count = int | str
Number = float | str
Time = float | str | Quantity  # a number is in seconds
Rate = float | str | Quantity  # a number is in bit/s


class Parameters(TypedDict, total=False):
    """What iwarp.run() takes besides its own arguments; `iwarp params` lists it with defaults and ranges."""

    ecmp: Literal["flow", "flow-spi", "flow-label", "random", "round-robin"]
    ipv6: bool
    flow_labels: bool
    pattern: Literal["pairs", "all-to-all", "incast", "permutation"]
    incast_senders: Count
    flows: Count
    host_pairs: Count
    cable_spread: Time
    impairment: str
    impairment_place: Literal["sender", "core", "receiver"]
    impairment_direction: Literal["data", "acks", "both"]
    reordering_delay: Time
    middlebox: Literal["none", "adversary", "icmp-filter", "resegmenting"]
    middlebox_place: Literal["sender", "core", "receiver"]
    split_proxy: bool
    link_schedule: str
    link_schedule_place: Literal["sender", "core", "receiver"]
    cross_traffic: Literal["none", "udp", "tcp"]
    cross_flows: Count
    cross_rate: Rate
    cross_direction: Literal["data", "acks", "both"]
    cross_congestion_control: str
    cross_dscp: Count
    tcp_profile: Literal["none", "t3-like", "t5-like", "e810-like", "e810-dctcp-like"]
    congestion_control: str
    window_rate: Rate
    window_rtt: Time
    ipsec: Literal["none", "transport", "tunnel", "gateway", "nested"]
    cipher: Literal[
        "null/hmac-sha1-96", "null/hmac-sha2-256-128", "null/hmac-sha2-384-192", "null/hmac-sha2-512-256",
        "aes-cbc-128/none", "aes-cbc-128/hmac-sha1-96", "aes-cbc-128/hmac-sha2-256-128",
        "aes-cbc-128/hmac-sha2-384-192", "aes-cbc-128/hmac-sha2-512-256", "aes-cbc-192/none",
        "aes-cbc-192/hmac-sha1-96", "aes-cbc-192/hmac-sha2-256-128", "aes-cbc-192/hmac-sha2-384-192",
        "aes-cbc-192/hmac-sha2-512-256", "aes-cbc-256/none", "aes-cbc-256/hmac-sha1-96",
        "aes-cbc-256/hmac-sha2-256-128", "aes-cbc-256/hmac-sha2-384-192", "aes-cbc-256/hmac-sha2-512-256",
        "aes-ctr-128/hmac-sha1-96", "aes-ctr-128/hmac-sha2-256-128", "aes-ctr-128/hmac-sha2-384-192",
        "aes-ctr-128/hmac-sha2-512-256", "aes-ctr-192/hmac-sha1-96", "aes-ctr-192/hmac-sha2-256-128",
        "aes-ctr-192/hmac-sha2-384-192", "aes-ctr-192/hmac-sha2-512-256", "aes-ctr-256/hmac-sha1-96",
        "aes-ctr-256/hmac-sha2-256-128", "aes-ctr-256/hmac-sha2-384-192", "aes-ctr-256/hmac-sha2-512-256",
        "aes-gcm-8-128", "aes-gcm-8-192", "aes-gcm-8-256", "aes-gcm-12-128", "aes-gcm-12-192", "aes-gcm-12-256",
        "aes-gcm-16-128", "aes-gcm-16-192", "aes-gcm-16-256", "chacha20-poly1305"
    ]
    ipsec_real: bool
    ipsec_sharing: Literal["policy", "hosts", "connection"]
    replay_window: Count
    extended_sequence: bool
    ipsec_udp: bool
    ipsec_udp_entropy: bool
    key_exchange: bool
    association_octets: Count
    association_packets: Count
    association_time: Time
    rnic: Literal["none", "ideal", "t5-like", "t6-like", "e810-like", "siw-like", "connectx7-like"]
    esp_engine: Literal[
        "none", "inline", "lookaside", "software", "t6-like", "connectx6dx-like", "qat-like", "aesni-like"
    ]
    duration: Time
    check_interval: Time
    start_spread: Time
    spread_starts: bool
    plain_tcp: bool
    seed: Count
    run: Count
    time_limit: Time
    pcap: str
    tolerate_lost: bool
    link_rate: Rate
    access_rate: Rate
    delay: Time
    receivers: Count
    access_delay: Time
    mtu: Count
    queue_size: str
    queue_disc: Literal["none", "red", "codel", "fq-codel", "pie", "threshold"]
    marking_threshold: str
    marking_ceiling: str
    marking_probability: Number
    mark_at_dequeue: bool
    ecn_marking: bool
    framing: Literal["ethernet", "ppp"]
    pfc_xoff: Count
    pfc_xon: Count
    priorities: Count
    dscp_priorities: str
    priority_weights: str
    pfc_priorities: str
    pfc_headroom: str
    pfc_response: Time
    pfc_xon_offset: Count
    buffer_size: Count
    buffer_alpha: str
    buffer_reserve: Count
    input_buffer: Count
    dscp: Count
    abilene_pairs: str
    bottlenecks: Count
    leaves: Count
    spines: Count
    hosts_per_leaf: Count
    fat_tree_k: Count
    distance: Number
    satellite_hops: Count
    loss: Number
    reordering: Number
    duplication: Number
    sack: bool
    rack: bool
    dsack: bool
    ecn: Literal["Off", "On", "AcceptOnly"]
    timestamps: bool
    send_buffer: Count
    receive_buffer: Count
    receive_window: Literal["Constant", "Retired"]
    min_rto: Time
    data_retries: Count
    delayed_ack: Time
    no_delay: bool
    dont_fragment: bool
    tunnel_dont_fragment: Literal["copy", "set", "clear"]
    tunnel_fragments: Literal["after", "before"]
    mtu_probing: Literal["Off", "BlackHole", "Always"]
    alignment: bool
    packing: bool
    markers: bool
    crc: bool
    out_of_order: bool
    reassembly_memory: Count
    dynamic_mulpdu: bool
    message_sizes: str
    intervals: str
    load: Number
    octets: Count
    warm_up: Count
    arrivals: str
    arrival_sigma: Number
    bursts: str
    pauses: str
    arrival_source: Literal["pair", "host", "network"]
    load_basis: Literal["edge", "core"]
    connections: Literal["multiplexed", "pool", "own"]
    pool_grows: bool
    connect_on_demand: bool
    message_limit: Count
    arrival_warm_up: Time
    arrival_window: Time
    drain_limit: Time
    ideal_time: Literal["homa", "hpcc"]
    size_bins: Count
    message_log: str
    backed: bool
    queue_depth: Count
    roce_congestion: Literal["none", "dcqcn", "timely"]
    storage_read_share: Number
    storage_inline_threshold: Count
    tls_real: bool
    tls_cipher_suites: str
    tls_record_sizing: Literal["Fixed", "Steps", "Growth"]
    tls_max_record: Count
    tls_padding: Literal["None", "Block", "Maximum"]
    tls_resume: bool
    tls_protocol: str
    tls_write_size: Count
    nvme_read_share: Number
    nvme_in_capsule_size: Count
    nvme_header_digest: bool
    nvme_data_digest: bool
    nvme_queues: Count
    nvme_admin_queue: bool
    nvme_protocol: str
    perf_test: Literal[
        "send_bw", "send_lat", "write_bw", "write_lat", "read_bw", "read_lat", "atomic_bw", "atomic_lat"
    ]
    perf_size: Count
    perf_all: bool
    perf_iterations: Count
    perf_warm_up: Count
    perf_tx_depth: Count
    perf_inline_size: Count
    perf_qp: Count
    perf_order: Literal["InTurn", "Random"]
