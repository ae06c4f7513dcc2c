# SPDX-License-Identifier: GPL-2.0-only
import iwarp
import pytest
from iwarp.errors import RunError, UsageError
from iwarp.parameters.quantity import Quantity, human
from iwarp.parameters.schema import param_from_attribute, resolve, snake


@pytest.mark.parametrize(
    ("name", "expected"),
    [("ReassemblyMemory", "reassembly_memory"), ("Mtu", "mtu"), ("UseSACKOption", "use_sack_option"), ("Ipv6", "ipv6")],
)
def test_snake(name, expected):
    assert snake(name) == expected


def test_schema_of_attributes(fake):
    p = fake.params
    assert (p["delay"].type, p["delay"].unit, p["delay"].default, p["delay"].range) == ("time", "s", 0.01, None)
    assert (p["link_rate"].type, p["link_rate"].unit, p["link_rate"].default) == ("rate", "bit/s", 10**10)
    assert (p["mtu"].type, p["mtu"].unit, p["mtu"].range) == ("int", "octets", [576, 65535])
    assert p["mtu"].help == "Size of an IP datagram"
    assert p["loss"].range == [0, 1] and p["loss"].unit == "probability"
    assert p["topology"].range[:2] == ["dumbbell", "abilene"] and "file:PATH" in p["topology"].range
    assert p["octets"].range == [0, None]
    assert p["markers"].default is True


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("delay", "10ms", 0.01),
        ("delay", "1.5us", 1.5e-6),
        ("delay", 0.25, 0.25),
        ("link_rate", "10Gbps", 10**10),
        ("link_rate", "2.5 Mbit/s", 2_500_000),
        ("link_rate", "1MBps", 8_000_000),
        ("link_rate", "1Kib/s", 1024),
        ("markers", "off", False),
        ("markers", True, True),
        ("mtu", "9000", 9000),
        ("octets", "1e6", 1_000_000),
        ("octets", str(2**63 + 1), 2**63 + 1),
        ("topology", "Abilene", "abilene"),
        ("topology", "file:maps/My Net.txt", "file:maps/My Net.txt"),
        ("loss", "0.001", 0.001),
        ("loss", "1%", 0.01),
        ("loss", "0.1 %", 0.001),
        ("octets", "1MB", 1_000_000),
        ("octets", "1.5 kB", 1500),
        ("octets", "64KiB", 65536),
        ("octets", "3 MiB", 3 << 20),
        ("octets", "1500 octets", 1500),
        ("octets", "2k", 2000),
        ("mtu", "9000B", 9000),
        ("delay", "5us", 5e-6),
        ("delay", "50 µs", 5e-5),
        ("delay", "0", 0),
        ("delay", Quantity(0.00012345678, "s"), 0.00012345678),
        ("link_rate", Quantity(12_345_678_901, "bit/s"), 12_345_678_901),
        ("link_rate", "2.5 Gbit/s", 2_500_000_000),
        ("distance", "10km", 10),
        ("distance", "500 m", 0.5),
        ("distance", 7, 7),
    ],
)
def test_values(fake, name, value, expected):
    assert fake.params[name].parse(value) == expected


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("mtu", 100, "576 to 65535"),
        ("mtu", "12abc", "whole number"),
        ("mtu", 1500.5, "whole number"),
        ("mtu", True, "whole number"),
        ("mtu", "9" * 400, "whole number"),
        ("mtu", "1\n2", "whole number"),
        ("mtu", "x" * 5000, "x… is no value"),
        ("delay", "1e400s", "10ms"),
        ("link_rate", "1e400bps", "10Gbps"),
        ("octets", -1, "at least 0"),
        ("loss", 1.5, "0 to 1"),
        ("loss", "nan", "number"),
        ("delay", "10 parsecs", "10ms"),
        ("link_rate", "fast", "10Gbps"),
        ("markers", "maybe", "true or false"),
        ("topology", "dumbell", 'did you mean "dumbbell"'),
        ("link_rate", "10", "has no unit: write 10Gbps, 10Mbps or 10bps"),
        ("delay", "10", "has no unit: write 10s, 10ms, 10us or 10ns"),
        ("delay", Quantity(1, "bit/s"), "in s, not in bit/s"),
        ("mtu", "100", "576 to 65535 octets"),
        ("reordering_delay", "101s", "0 s to 100 s"),
        ("octets", "1.5B", "as 1000000 or 1MB"),
        ("octets", "1e999999999MB", "as 1000000 or 1MB"),
        ("loss", "%", "as 0.01 or 1%"),
        ("topology", "files:x", "none of dumbbell, abilene, fat-tree, file:PATH"),
    ],
)
def test_bad_values_say_what_to_give(fake, name, value, says):
    with pytest.raises(UsageError, match=name) as error:
        fake.params[name].parse(value)
    assert says in str(error.value) and "\n" not in str(error.value)


def test_qualified_names(fake):
    p = fake.params
    assert p["MpaStream.SilentDrop"].type == "bool" and "MpaStream.SilentDrop" not in list(p)
    assert p["TcpSocketBase.ReTxThreshold"].unit == "octets"  # ns-3 writes (bytes)
    values = resolve({"MpaStream.SilentDrop": "yes", "MpaStream.Markers": False}, p)
    assert values["MpaStream.SilentDrop"] is True and values["markers"] is False
    assert "TcpSocketBase.ReTxThreshold" not in values and len(values) == len(p) + 1
    with pytest.raises(UsageError, match=r"MpaStream\.SilentDorp"):
        resolve({"MpaStream.SilentDorp": True}, p)
    with pytest.raises(UsageError, match="markers and MpaStream.Markers are one parameter"):
        resolve({"markers": True, "MpaStream.Markers": True}, p)


@pytest.mark.parametrize(
    ("help", "unit"),
    [("Octets of reassembly memory, at least 140; 0 for no limit.", "octets"),
     ("Upper limit of the EMSS in octets.", "octets"),
     ("Most octets of inline data.", "octets"), ("Most buffers.", ""), ("Times that octets are sent.", ""),
     ("Longest queue [packets]", "packets"), ("Pipelines; the octets they take are others'.", "")],
)  # fmt: skip
def test_units_that_the_help_tells(help, unit):
    param = param_from_attribute("Some.Name", "ns3::UintegerValue", "uint32_t 0:4294967295", "0", help)
    assert param.unit == unit
    if unit == "octets":
        assert param.parse("1MB") == 1_000_000


def test_resolve_suggests_a_name(fake):
    with pytest.raises(UsageError, match=r'"marker" \(did you mean "markers"'):
        resolve({"marker": True}, fake.params)
    assert resolve({"mtu": "9000"}, fake.params)["mtu"] == 9000
    with pytest.raises(UsageError, match=r"are like Rnic.ReassemblyMemory.Capacity; `iwarp params --all Rnic.` lists"):
        resolve({"rnic_memory": 36000}, fake.params)


def test_text_for_ns3_is_read_back(fake):
    for name, value in [("delay", 0.01), ("delay", 3e-7), ("link_rate", 10**10), ("loss", 1e-5), ("markers", False)]:
        param = fake.params[name]
        assert param.parse(param.to_attribute(value)) == value


def test_quantities_read_well():
    assert human(9.1234e9, "bit/s") == "9.12 Gbit/s"
    assert human(0.0123, "share") == "1.23 %"
    assert human(3 * 2**20, "octets") == "3 MiB"
    assert human(0.00042, "s") == "420 µs" and human(3600, "s") == "3,600 s"
    assert human(float("nan"), "s") == "n/a"
    assert human(0, "octets") == "0 octets"
    assert human(123456, "segments") == "123,456 segments"
    assert [human(999.6e6, "bit/s"), human(0.996, "share", 2)] == ["1,000 Mbit/s", "100 %"]  # rounded up by a digit
    value = Quantity(9.1e9, "bit/s")
    assert value / 2 == 4.55e9 and value.unit == "bit/s"
    assert Quantity(float("inf"), "s").to_json() == {"value": None, "unit": "s"}


def test_a_run_that_fails_says_how_bare_numbers_were_taken(fake):
    with pytest.raises(RunError, match=r"the peer went away \(link_rate=10 was taken for 10 bit/s\)"):
        iwarp.run(link_rate=10, behaviour="exception")
    with pytest.raises(RunError, match="away$"):
        iwarp.run(link_rate="10bps", mtu=1500, behaviour="exception")
