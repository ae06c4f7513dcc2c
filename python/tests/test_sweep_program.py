# SPDX-License-Identifier: GPL-2.0-only
"""Sweeps of programs with ``--name=value`` arguments."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import iwarp
import pytest
from iwarp.errors import UsageError
from iwarp.sweeps.program import read_json_lines
from sweep_subjects import write_program

HERE = Path(__file__).parent
ECHO = "print('a line'); print(json.dumps({**given, 'n': len(sys.argv), 'cwd': os.getcwd()}))\n"


def test_a_program_gets_its_arguments_and_says_what_it_measured(tmp_path):
    program = write_program(tmp_path / "model", ECHO)
    frame = iwarp.sweep(program, {"Rate": ["1Gbps", "2Gbps"], "Sack": [True, False]}, runs=2, out=tmp_path / "out")
    assert len(frame) == 8 and (frame["status"] == "ok").all()
    assert frame["measured_Rate"].tolist() == frame["Rate"].tolist()
    assert frame["measured_Sack"].tolist() == [str(v).lower() for v in frame["Sack"]]
    assert frame["RngRun"].tolist() == ["1", "2"] * 4 and frame["run"].tolist() == [1, 2] * 4
    assert frame["cwd"].nunique() == 8 and not any(map(os.path.exists, frame["cwd"]))
    again = iwarp.sweep(str(program), {"Rate": "1Gbps", "Sack": True}, runs=2, out=tmp_path / "out")
    assert again["cwd"].tolist() == frame["cwd"].tolist()[:2]
    write_program(program, ECHO + "# another model\n")
    assert iwarp.sweep(program, {"Rate": "1Gbps", "Sack": True}, out=tmp_path / "out")["cwd"][0] not in set(
        frame["cwd"]
    )


def test_a_function_reads_what_a_program_leaves(tmp_path):
    program = write_program(tmp_path / "model", "open('trace', 'w').write('7'); print('delay 0.25 s')\n")

    def read(output):
        word, value, unit = output.split()
        return {word: iwarp.Quantity(float(value), unit), "trace": int(Path("trace").read_text())}

    frame = iwarp.sweep(iwarp.Program(program, "fixed", read=read, run=None), {"x": [1, 2]})
    assert frame["delay"].tolist() == [0.25] * 2 and frame["trace"].tolist() == [7] * 2
    assert frame.attrs["units"]["delay"] == "s"
    failing = iwarp.Program(program, read=lambda output: {"x": float(output)})
    assert iwarp.sweep(failing, {})["message"][0].startswith("ValueError: could not convert string to float")


def test_json_lines_are_read_the_last_of_a_name():
    text = 'noise\n{"a": 1, "b": {"value": 2, "unit": "s"}}\n{"a": 3\n{"a": 4}\n'
    assert read_json_lines(text) == {"a": 4, "b": {"value": 2, "unit": "s"}}
    with pytest.raises(UsageError, match="printed no line of JSON"):
        read_json_lines("hello\n")


def test_failures_of_a_program_are_rows(tmp_path):
    body = (
        "how = given['how']\n"
        "if how == 'assert':\n"
        "    sys.stderr.write('msg=\"no such queue\", +1.0s -1 file=queue.cc, line=5\\nNS_FATAL, terminating\\n')\n"
        "    sys.stderr.flush()\n"
        "    os.abort()\n"
        "if how == 'exit': sys.exit(3)\n"
        "if how == 'hang': time.sleep(1000)\n"
        "if how == 'memory': bytearray(1 << 30)\n"
        "if how != 'silent': print('{\"x\": null}')\n"
    )
    program = write_program(tmp_path / "model", body)
    grid = {"how": ["", "assert", "exit", "memory", "silent"]}
    frame = iwarp.sweep(program, grid, jobs=4, memory=512 << 20).set_index("how")
    assert frame["status"].to_dict() == {
        "": "ok", "assert": "crash", "exit": "crash", "memory": "memory", "silent": "error",
    }  # fmt: skip
    assert frame.loc["assert", "message"] == "no such queue"
    assert frame.loc["exit", "message"] == "model ended with exit code 3"
    assert iwarp.sweep(program, {"how": "hang"}, timeout=0.5)["status"].tolist() == ["timeout"]


def test_what_is_no_program_is_refused(tmp_path):
    (tmp_path / "text").write_text("hello")
    for path in (tmp_path / "text", tmp_path, tmp_path / "none", "no-such-command"):
        with pytest.raises(UsageError, match="is no program that can be run"):
            iwarp.sweep(path, {"x": 1})
    with pytest.raises(UsageError, match='is called "run" in a grid'):
        iwarp.sweep("true", {"RngRun": 1})


def test_a_program_dies_with_the_sweep(tmp_path):
    """Killed outright, a sweep leaves no simulation behind."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    program = write_program(
        tmp_path / "model", f"f = open({str(fifo)!r}, 'w'); f.write('x'); f.flush(); time.sleep(1000)\n"
    )
    code = (
        f"import sys; sys.path[:0] = {[str(HERE), str(HERE.parent)]!r}; "
        f"import iwarp; iwarp.sweep({str(program)!r}, {{}})"
    )
    sweep = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    with fifo.open() as told:
        assert told.read(1) == "x"
        sweep.send_signal(signal.SIGKILL)
        sweep.wait()
        assert told.read() == ""  # the end of the last writer
