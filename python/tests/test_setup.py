# SPDX-License-Identifier: GPL-2.0-only
"""Setting up a clone: what is installed when, and when something is built."""

import fcntl
import json
import subprocess
import sys
from pathlib import Path

import pytest
from iwarp import _setup
from iwarp._setup import SetupError, builder, catalog, environment, machine
from iwarp.runs import loader

REQUIREMENTS = {group: f"{group}-package==1\n" for group in environment.GROUPS}


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A clone with a file of each kind, whose compiler and pip are counted and do nothing."""
    for name in ("CMakeLists.txt", "python/iwarp/version.py", "cmake/a.cmake", "model/util/a.cc", "helper/install/a.h",
                 "test/util/a.cc", "examples/a.cc", "bench/a.cc", "python/tests/test_a.py"):  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1")
    (tmp_path / "requirements").mkdir()
    for group, text in REQUIREMENTS.items():
        (tmp_path / "requirements" / f"{group}.txt").write_text(text)
    for module in (_setup, builder, environment):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    venv = tmp_path / ".venv"
    monkeypatch.setattr(environment, "VENV", venv)
    monkeypatch.setattr(environment, "PYTHON", venv / "bin" / "python")
    monkeypatch.setattr(environment, "STAMP", venv / "iwarp-stamp")
    monkeypatch.setattr(environment, "UNFINISHED", venv / "iwarp-unfinished")
    monkeypatch.setattr(environment, "REQUIREMENTS", tmp_path / "requirements")
    monkeypatch.setattr(machine, "provide", lambda *_: None)
    monkeypatch.delenv("IWARP_CMAKE_OPTIONS", raising=False)
    return tmp_path


@pytest.fixture
def runs(clone, monkeypatch):
    """The targets that Ninja has been run for."""
    targets = []

    def ninja(place, target):
        targets.append(target)
        (place / "lib").mkdir(exist_ok=True)
        for made in ("build.ninja", "lib/libiwarp.so"):
            (place / made).touch()

    monkeypatch.setattr(builder, "_configure", lambda *_: None)
    monkeypatch.setattr(builder, "_ninja", ninja)
    return targets


def test_nothing_is_run_while_nothing_changes(clone, runs):
    for _ in range(3):
        assert builder.build(target="iwarp") == clone / "build"
    assert runs == ["iwarp"]
    builder.build(target="all")
    builder.build(target="iwarp")
    builder.build(target="all")
    assert runs == ["iwarp", "all"]
    builder.build(target="iwarp", always=True)
    assert runs == ["iwarp", "all", "iwarp"]


def test_all_is_every_target(clone, runs):
    builder.build(target="all")
    builder.build(target="iwarp-benches")
    assert runs == ["all"]


def test_a_built_clone_runs_where_nothing_can_be_written(clone, runs, monkeypatch):
    """On a read-only mount at another place, where each fingerprint is another one."""
    builder.build(target="iwarp")
    (clone / ".venv" / "bin").mkdir(parents=True)
    environment.PYTHON.touch()
    environment.STAMP.write_text(json.dumps({"core": "of another place", "sweeps": "of another place"}))
    (clone / "model/util/a.cc").write_text("edited")
    for module in (builder, environment):
        monkeypatch.setattr(module, "is_writable", lambda: False)
    monkeypatch.setattr(environment, "_make", lambda: pytest.fail("something would be written"))
    assert environment.provide("sweeps", beside=lambda: builder.build(target="iwarp")) == clone / "build"
    assert runs == ["iwarp"]


@pytest.mark.parametrize("missing", ["cmake", "ninja"])
def test_a_build_without_its_tools_says_which(clone, monkeypatch, missing):
    monkeypatch.setattr(builder.shutil, "which", lambda name: None if name == missing else f"/bin/{name}")
    monkeypatch.setattr(builder, "call", lambda *_, **__: subprocess.CompletedProcess([], 0, ""))
    with pytest.raises(SetupError, match=f"{missing} is missing: .* brings it"):
        builder.build()


@pytest.mark.parametrize(
    "name",
    ["CMakeLists.txt", "python/iwarp/version.py", "cmake/a.cmake", "model/util/a.cc", "helper/install/a.h",
     "test/util/a.cc", "examples/a.cc", "bench/a.cc", "requirements/core.txt"],
)  # fmt: skip
def test_an_edited_file_is_noticed(clone, runs, name):
    builder.build()
    (clone / name).write_text("2")  # of the same size
    builder.build()
    assert runs == ["all", "all"]


@pytest.mark.parametrize(
    "name", ["model/util/b.cc", "model/new/room/b.cc", "helper/install/b.h", "python/tests/test_b.py"]
)
def test_files_that_come_and_go_are_noticed(clone, runs, name):
    builder.build()
    (clone / name).parent.mkdir(parents=True, exist_ok=True)
    (clone / name).write_text("")
    builder.build()
    (clone / name).unlink()
    builder.build()
    assert len(runs) == 3
    (clone / "model/util/a.cc").rename(clone / "model/util/c.cc")
    builder.build()
    assert len(runs) == 4


def test_what_was_built_being_gone_is_noticed(clone, runs, monkeypatch):
    builder.build()
    (clone / "build/lib/libiwarp.so").unlink()
    builder.build()
    assert len(runs) == 2
    monkeypatch.setenv("IWARP_CMAKE_OPTIONS", "-DIWARP_PCH=OFF")
    builder.build()
    assert len(runs) == 3
    (clone / "build/iwarp-built").write_text("{")
    builder.build()
    assert len(runs) == 4


def test_an_edit_during_a_build_is_built_by_the_next(clone, runs, monkeypatch):
    ninja = builder._ninja

    def edited(place, target):
        ninja(place, target)
        (clone / "model/util/a.cc").write_text(f"edit {len(runs)}")

    monkeypatch.setattr(builder, "_ninja", edited)
    builder.build()
    builder.build()
    assert len(runs) == 2


def test_a_build_that_fails_is_tried_again(clone, runs, monkeypatch):
    builder.build()
    (clone / "model/util/a.cc").write_text("wrong")

    def fails(*_):
        raise SetupError("the build failed: see above")

    with monkeypatch.context() as patch:
        patch.setattr(builder, "_ninja", fails)
        with pytest.raises(SetupError):
            builder.build()
    builder.build()
    assert len(runs) == 2


def test_who_has_nothing_to_build_waits_for_nobody(clone, runs, capsys):
    builder.build()
    with (clone / "build/.lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert builder.build() == clone / "build"
    assert runs == ["all"] and capsys.readouterr().err == ""


@pytest.fixture
def pip(clone, monkeypatch):
    """The groups that pip has been asked for; instead of that, ``code`` is run."""
    asked = []

    class Pip(list):
        code = "pass"

    def command(*groups):
        asked.append(list(groups))
        return [sys.executable, "-c", asked.code]

    def call(command, doing):
        if doing == "making .venv":
            (clone / ".venv/bin").mkdir()
            (clone / ".venv/bin/python").symlink_to(sys.executable)

    asked = Pip()
    monkeypatch.setattr(environment, "_pip", command)
    monkeypatch.setattr(environment, "_call", call)
    monkeypatch.setattr(environment, "_add_package", lambda: None)
    return asked


def test_groups_come_when_something_needs_them(clone, pip):
    environment.provide("sweeps")
    environment.provide("sweeps")
    assert pip == [["core"], ["sweeps"]]
    environment.provide("docs")
    assert pip[2:] == [["bindings", "docs"]]
    environment.provide("test")
    assert pip[3:] == [["cluster", "test"]] and environment.lacking(environment.GROUPS) == []
    (clone / "requirements/docs.txt").write_text("docs-package==2\n")
    environment.provide("test")
    assert pip[4:] == [["docs"]]
    (clone / "requirements/core.txt").write_text("core-package==2\n")
    environment.provide("sweeps")
    assert pip[5:] == [["core"], ["sweeps"]]  # in a new .venv
    assert set(json.loads((clone / ".venv/iwarp-stamp").read_text())) == {"core", "sweeps"}


def test_the_build_does_not_wait_for_groups(clone, pip):
    """pip waits for what is made beside it."""
    pip.code = f"import pathlib, time\nwhile not pathlib.Path({str(clone / 'built')!r}).exists(): time.sleep(0.01)"
    environment.provide()
    assert environment.provide("sweeps", beside=lambda: (clone / "built").write_text("built")) == 5
    assert environment.lacking(["sweeps"]) == []


def test_a_build_beside_groups_takes_no_second_lock(clone, pip, runs):
    assert environment.provide("sweeps", beside=builder.build) == clone / "build"
    assert runs == ["all"]


def test_what_fails_is_told_and_tried_again(clone, pip):
    environment.provide("sweeps")
    pip.code = "raise SystemExit(1)"
    for _ in range(2):
        with pytest.raises(SetupError, match=r"installing what is needed for bindings failed"):
            environment.provide("bindings")
    assert pip[2:] == [["bindings"], ["bindings"]]
    environment.provide("sweeps")  # goes on as it is
    assert len(pip) == 4


def test_a_build_that_fails_beside_keeps_what_was_installed(clone, pip):
    def fails():
        raise SetupError("the build failed")

    with pytest.raises(SetupError, match="the build failed"):
        environment.provide("sweeps", beside=fails)
    assert environment.lacking(["sweeps"]) == []


def test_cut_short_it_begins_again(clone, pip):
    def cut():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        environment.provide("sweeps", beside=cut)
    assert environment.lacking(["sweeps"]) == ["core", "sweeps"]
    environment.provide("sweeps")
    assert pip == [["core"], ["sweeps"]] * 2


def test_commands_ask_for_what_they_need():
    assert catalog.groups("run", ["run", "loss=0.1"]) == ["sweeps"]
    assert catalog.groups("run", ["run", "--netanim", "a.xml"]) == ["sweeps", "bindings"]
    assert catalog.groups("sweep", ["sweep", "--cluster=slurm:2"]) == ["sweeps", "cluster"]
    assert catalog.groups("study", ["study", "--slurm", "2"]) == ["sweeps", "cluster"]
    assert catalog.groups("test", ["test"]) == []  # beside the build
    assert not set(catalog.OPTIONS.values()) - set(environment.GROUPS)


def test_without_bindings_the_message_says_how_to_get_them(tmp_path):
    try:
        loader.find()
    except loader.IwarpError:
        pytest.skip("the library is not built")
    (tmp_path / "cppyy.py").write_text("raise ImportError('No module named cppyy')")
    code = (
        f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(Path(loader.__file__).parents[2])!r}]; import iwarp\n"
        "assert iwarp.run(octets=1000, plain_tcp=False)['payload_octets'] == 1000\n"
        "try: iwarp.load().MpaStream\nexcept iwarp.IwarpError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "iwarp setup bindings`" in done.stdout
