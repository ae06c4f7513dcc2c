# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp decode``: exit codes, JSON by its contract, and the same from Python."""

import array
import fcntl
import gzip
import json
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import iwarp
import pytest
from iwarp.errors import UsageError
from iwarp.runs import decoder

CAPTURES = Path(__file__).resolve().parents[2] / "test" / "data" / "captures"
GOOD = CAPTURES / "tune_crc_rping_S64_mtu1500.pcap"
BAD = CAPTURES / "raw_crc1_badcrc.pcap"


def events(out):
    return [json.loads(line) for line in out.splitlines()]


def test_json_is_an_object_a_line_and_the_summary_last(cli):
    code, out, err = cli("decode", GOOD, "--json")
    assert (code, err) == (0, "")
    found = events(out)
    assert all({"time", "from", "to", "seq", "layer", "event"} <= set(e) for e in found[:-1])
    request, reply = found[:2]
    assert (request["event"], reply["event"]) == ("request", "reply")
    assert (request["from"], request["to"]) == (reply["to"], reply["from"])
    assert request["seq"] == 1 and request["crc_flag"] and not request["markers_flag"] and request["enhanced_flag"]
    assert (request["revision"], request["pd_length"], request["ird"], request["ord"]) == (2, 4, 1, 1)

    fpdus = [e for e in found if e["event"] == "fpdu"]
    segments = [e for e in found if e["event"] == "segment"]
    assert len(fpdus) == len(segments) == 21
    assert fpdus[0]["seq"] == 25 and fpdus[0]["layer"] == "mpa" and segments[0]["layer"] == "ddp"
    assert (fpdus[0]["ulpdu_length"], fpdus[0]["markers"], fpdus[0]["crc"]) == (34, 0, "good")
    assert (segments[0]["qn"], segments[0]["msn"], segments[0]["mo"], segments[0]["last"]) == (0, 1, 0, True)
    messages = [e["event"] for e in found if e.get("layer") == "rdmap"]
    assert messages[:4] == ["send", "read_request", "read_response", "send"]
    assert [e["time"] for e in found[:-1]] == sorted(e["time"] for e in found[:-1])

    summary = found[-1]
    assert summary["event"] == "summary" and summary["streams"] == 1 and summary["fpdus"] == 21
    assert (summary["crc_errors"], summary["malformed"], summary["missing_octets"]) == (0, 0, 0)
    one, two = summary["connections"][0]["directions"]
    assert (one["from"], one["fpdus"] + two["fpdus"], one["fpdu_segments"]) == (
        request["from"],
        21,
        one["fpdu_aligned"],
    )
    assert one["messages"] == {"RDMA Read Response": 3, "Send": 6}


def test_python_gives_the_same(cli):
    assert list(iwarp.decode(GOOD)) == events(cli("decode", GOOD, "--json")[1])


@pytest.mark.parametrize("ports", [7474, "7474", [70000], [0], ["x"], [1.5], None])
def test_ports_that_are_none_are_refused(ports):
    with pytest.raises(UsageError, match="port"):
        list(iwarp.decode("x.pcap", ports=ports))


def test_malformed_is_exit_code_1(cli):
    code, out, _ = cli("decode", BAD)
    assert code == 1
    (line,) = [line for line in out.splitlines() if "MALFORMED" in line]
    assert line.split() == "8 0.542006 0 > MALFORMED, mpa, octet 34: the CRC is bad".split()
    found = events(cli("decode", BAD, "--json")[1])
    (error,) = [e for e in found if e["event"] == "error"]
    assert (error["layer"], error["seq"], error["frame"]) == ("mpa", 34, 8)
    (terminate,) = [e for e in found if e["event"] == "terminate"]
    assert [terminate[f"terminate_{name}"] for name in ("layer", "type", "code")] == [2, 0, 2]
    assert (found[-1]["crc_errors"], found[-1]["malformed"]) == (1, 1)


def test_what_is_no_capture_is_exit_code_2(cli, tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "noise").write_bytes(b"noise" * 100)
    for path, says in [
        (tmp_path / "none", "No such file"),
        (tmp_path, "not a file"),
        (tmp_path / "empty", "the file is empty"),
        (tmp_path / "noise", "neither a pcap nor a pcapng file"),
    ]:
        code, out, err = cli("decode", path)
        assert (code, out, err.count("\n")) == (2, "", 1) and says in err
        with pytest.raises(iwarp.UsageError, match=says):
            next(iwarp.decode(path))
    assert cli("decode")[0] == cli("decode", GOOD, "--port", "70000")[0] == 2


def test_a_file_cut_short_is_malformed(cli, tmp_path):
    cut = tmp_path / "cut.pcap"
    cut.write_bytes(GOOD.read_bytes()[:-10])
    code, out, _ = cli("decode", cut, "--json")
    assert code == 1
    error = events(out)[-2]
    assert (error["layer"], error["event"]) == ("capture", "error") and "the file ends within frame 34" in error["text"]


def test_options(cli):
    assert cli("decode", GOOD, "--summary")[1].startswith("connection 0: ")
    (summary,) = events(cli("decode", GOOD, "--summary", "--json")[1])
    assert summary["fpdus"] == 21
    found = events(cli("decode", GOOD, "--mpa", "--json")[1])
    assert {e.get("layer") for e in found[:-1]} == {"mpa"} and found[-1]["fpdus"] == 21
    code, out, err = cli("decode", GOOD, "--port", 1, "--json")
    assert code == 0 and events(out)[-1]["streams"] == 0 and "no connection" in err
    port = int(found[0]["to"].rpartition(":")[2])
    assert events(cli("decode", GOOD, "--port", port, "--json")[1])[-1]["fpdus"] == 21


def _decode(*arguments, **options):
    """Return a process that decodes, with its standard input a pipe."""
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parents[1])!r}); "
        "from iwarp.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    return subprocess.Popen([sys.executable, "-c", code, "decode", *map(str, arguments)], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)  # fmt: skip


@pytest.mark.parametrize("packed", [False, True])
def test_standard_input(cli, packed):
    octets = GOOD.read_bytes()
    process = _decode("-", "--json")
    out, err = process.communicate(gzip.compress(octets) if packed else octets, timeout=120)
    assert (process.returncode, err) == (0, b"")
    assert events(out.decode()) == events(cli("decode", GOOD, "--json")[1])


def test_ctrl_c_ends_the_input_not_the_decoding(cli):
    """Ctrl-C goes to tcpdump as well, which ends the capture."""
    process = _decode("-", "--summary", bufsize=0)
    process.stdin.write(GOOD.read_bytes())
    octets = array.array("i", [1])
    while octets[0]:  # until all has been read
        time.sleep(0.05)
        fcntl.ioctl(process.stdin, termios.FIONREAD, octets)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, b"")
    assert out.decode() == cli("decode", GOOD, "--summary")[1]


def test_standard_input_that_is_no_capture():
    for octets, says in [(b"", b"empty"), (b"noise" * 100, b"neither a pcap nor a pcapng"),
                         (gzip.compress(GOOD.read_bytes())[:-20], b"damaged")]:  # fmt: skip
        process = _decode("-")
        out, err = process.communicate(octets, timeout=120)
        assert (process.returncode, out, err.count(b"\n")) == (2, b"", 1) and says in err, err


def test_compressed_files(cli, tmp_path):
    (tmp_path / "good.pcap.gz").write_bytes(gzip.compress(GOOD.read_bytes()))
    assert cli("decode", tmp_path / "good.pcap.gz") == cli("decode", GOOD)
    assert list(iwarp.decode(tmp_path / "good.pcap.gz")) == list(iwarp.decode(GOOD))


def test_compressed_files_that_are_too_large(cli, tmp_path, monkeypatch):
    """A few octets may become any number of them: no more than a limit goes to the disk."""
    file = tmp_path / "good.pcap.gz"
    file.write_bytes(gzip.compress(GOOD.read_bytes()))
    octets = len(GOOD.read_bytes())
    monkeypatch.setattr(decoder, "_UNPACKED", octets)
    assert cli("decode", file) == cli("decode", GOOD)
    monkeypatch.setattr(decoder, "_UNPACKED", octets - 1)
    code, out, err = cli("decode", file)
    assert (code, out) == (2, "") and f"{file}: what gzip has compressed is of more than" in err
    assert cli("decode", GOOD)[0] == 0  # a file as it is has no limit


def test_a_small_file_that_unpacks_to_a_large_one(cli, tmp_path):
    file = tmp_path / "bomb.pcap.gz"
    with gzip.open(file, "wb", compresslevel=1) as packed:
        packed.write(GOOD.read_bytes()[:24])  # the header of a capture
        for _ in range(257):
            packed.write(bytes(1 << 20))
    assert file.stat().st_size < 3_000_000
    code, out, err = cli("decode", file)
    assert (code, out) == (2, "") and "256 MiB" in err


def test_several_files(cli, tmp_path):
    code, out, err = cli("decode", GOOD, BAD, "--json")
    assert (code, err) == (1, "")
    found = events(out)
    assert [e["file"] for e in found if e["event"] == "summary"] == [str(GOOD), str(BAD)]
    one = [{k: v for k, v in e.items() if k != "file"} for e in found if e["file"] == str(GOOD)]
    assert one == events(cli("decode", GOOD, "--json")[1])
    code, out, err = cli("decode", tmp_path / "none", GOOD, "--summary")
    assert code == 2 and f"{tmp_path}/none" in err and f"\n{GOOD}:\nconnection 0: " in out


def _run(folder, **params):
    """Run little with pcap files; return what the decoder finds in that of the sender, without times and frames."""
    iwarp.run(pcap=f"{folder}/run", octets="60kB", message_sizes="fixed:5000", warm_up=0, flows=1, plain_tcp=False,
              **params)
    sender = min(folder.glob("run-*.pcap"))
    left_out = ("frame", "time")
    return sender, [{k: v for k, v in e.items() if k not in left_out} for e in iwarp.decode(sender)]


@pytest.mark.parametrize("ipv6", [False, True])
@pytest.mark.parametrize("place", ["transport", "tunnel", "nested"])
@pytest.mark.parametrize("cipher", ["aes-gcm-16-128", "aes-cbc-256/hmac-sha2-256-128", "chacha20-poly1305"])
def test_a_run_leaves_its_keys(real_cli, tmp_path, place, ipv6, cipher):
    udp = place == "tunnel"
    sender, found = _run(tmp_path, ipsec=place, ipsec_real=True, cipher=cipher, ipv6=ipv6, ipsec_udp=udp, mtu=1500)
    summary = found[-1]
    assert summary["esp_opened"] > 10 and summary["esp_without_key"] == summary["esp_damaged"] == 0
    clear = summary["tcp_segments"] - summary["esp_opened"]  # what has come out of a tunnel shows a second time
    assert (clear > 0) == (place == "tunnel")
    assert sum(e["length"] for e in found if e["event"] == "write") == 60_000
    assert summary["malformed"] == summary["crc_errors"] == summary["missing_octets"] == 0

    ten = (tmp_path / "run-esp_sa").read_text().splitlines()
    eight = (tmp_path / "run-esp_sa-4.0").read_text().splitlines()
    assert len(ten) == (4 if place == "nested" else 2)
    if not cipher.startswith("chacha"):
        assert [f'{line},"32-bit","0"' for line in eight] == ten
    keys = (tmp_path / "run-esp_sa").rename(tmp_path / "keys")
    last = events(real_cli("decode", sender, "--json")[1])[-1]
    assert (last["tcp_segments"], last["esp_without_key"]) == (clear, summary["esp_opened"])
    code, out, err = real_cli("decode", sender, "--json", "--esp-keys", keys)
    assert (code, err) == (0, "") and events(out) == list(iwarp.decode(sender, esp_keys=keys))
    assert events(out)[-1] == summary


def test_esp_hides_nothing_from_the_decoder(tmp_path):
    """The messages are those of the same run without ESP."""
    messages = []
    for place in ("none", "transport"):
        folder = tmp_path / place
        folder.mkdir()
        found = _run(folder, ipsec=place, ipsec_real=place != "none")[1]
        messages.append([(e["event"], e["length"]) for e in found if e.get("layer") == "rdmap"])
    assert messages[0] == messages[1] and len(messages[0]) == 12
    assert not list((tmp_path / "none").glob("*esp_sa*"))


def test_keys_that_are_none(cli, tmp_path):
    (tmp_path / "keys").write_text('# two\n"IPv4","10.0.0.1","*","0x100"\n')
    for path, says in [(tmp_path / "none", "No such file"), (tmp_path / "keys", "line 2: not 8 or 10 columns")]:
        code, out, err = cli("decode", GOOD, "--esp-keys", path)
        assert (code, out, err.count("\n")) == (2, "", 1) and says in err and str(path) in err


def test_a_run_with_tls_leaves_its_secrets(real_cli, tmp_path):
    """Records of real TLS are opened with the key log beside the pcap files, or with one that is named."""
    iwarp.run(workload="tls", tls_real=True, octets=60_000, message_sizes="fixed:60000", pcap=tmp_path / "run",
              plain_tcp=False, start_spread=0)  # fmt: skip
    sender = sorted(tmp_path.glob("run-*.pcap"))[0]
    found = events(real_cli("decode", sender, "--json")[1])
    assert found[-1]["malformed"] == 0
    data = [e for e in found if e["event"] == "application_data"]
    assert sum(e["content"] for e in data) == 60_000 + 12  # and the application's header
    assert {e["digest"] for e in data} == {"good"}
    assert "alert" in {e["event"] for e in found}
    keys = (tmp_path / "run-keys").rename(tmp_path / "keys")
    closed = events(real_cli("decode", sender, "--json")[1])
    assert {e["digest"] for e in closed if e["event"] == "application_data"} == {"off"}
    assert list(iwarp.decode(sender, tls_keys=keys)) == found
