# SPDX-License-Identifier: GPL-2.0-only
"""``iwarp view``, without a browser of ours."""

import os
import webbrowser

import pytest


class Browser:
    def __init__(self):
        self.opened = []

    def open(self, address):
        self.opened.append(address)
        return True


@pytest.fixture
def browser(monkeypatch):
    found = Browser()
    monkeypatch.setattr(webbrowser, "get", lambda: found)
    return found


def test_a_report_is_opened_and_its_path_printed(cli, browser, tmp_path):
    report = tmp_path / "report.html"
    report.write_text("<p>")
    assert cli("view", tmp_path) == (0, f"{report}\n", "")
    assert cli("view", report) == (0, f"{report}\n", "")
    assert browser.opened == [report.as_uri()] * 2


def test_without_a_browser_the_path_is_printed(cli, monkeypatch, tmp_path):
    def get():
        raise webbrowser.Error("could not locate runnable browser")

    monkeypatch.setattr(webbrowser, "get", get)
    (tmp_path / "report.html").write_text("<p>")
    code, out, err = cli("view", tmp_path)
    assert (code, out) == (0, f"{tmp_path / 'report.html'}\n") and "no browser" in err


def test_the_newest_report_is_meant_without_a_directory(cli, browser, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    code, _, err = cli("view")
    assert code == 2 and "no report below out/" in err
    for age, name in enumerate(("b", "a", "c")):
        (tmp_path / "out" / name).mkdir(parents=True)
        (tmp_path / "out" / name / "report.html").write_text("<p>")
        os.utime(tmp_path / "out" / name / "report.html", (1000 - age, 1000 - age))
    assert cli("view")[1] == "out/b/report.html\n"


def test_what_is_no_report_is_said_in_a_line(cli, browser, tmp_path):
    for path, text in ((tmp_path, "holds no report.html"), (tmp_path / "absent", "there is no directory")):
        code, out, err = cli("view", path)
        assert code == 2 and out == "" and text in err and err.count("\n") == 1
    (tmp_path / "study.json").write_text("{}")
    assert "iwarp study --resume" in cli("view", tmp_path)[2]
    assert browser.opened == []
