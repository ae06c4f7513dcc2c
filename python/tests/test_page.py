# SPDX-License-Identifier: GPL-2.0-only
"""The structure of pages, as an HTML parser and a browser see it."""

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import iwarp
import pandas as pd
import pytest
from iwarp import studies
from iwarp._setup import machine
from iwarp.report.page import keep_units
from iwarp.studies.restriction import build_grids
from iwarp.studies.study import Request, conduct

BROWSER = next(filter(None, map(shutil.which, machine.BROWSERS)), None)
EMPTY = {"meta", "link", "img", "br", "input"}


class Page(HTMLParser):
    """The elements of a page in their order, with attributes and text; complains of one that is not closed."""

    def __init__(self, path):
        super().__init__()
        self.elements, self.open = [], []
        self.feed(path.read_text())
        assert not self.open, f"{self.open} are not closed"

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs), []))
        if tag not in EMPTY:
            self.open.append(len(self.elements) - 1)

    def handle_endtag(self, tag):
        assert self.elements[self.open.pop()][0] == tag

    def handle_data(self, data):
        for k in self.open:
            self.elements[k][2].append(data)

    def all(self, tag, **attributes):
        return [(a, "".join(text).strip()) for t, a, text in self.elements
                if t == tag and all(a.get(k.rstrip("_").replace("_", "-")) == v
                        for k, v in attributes.items())]  # fmt: skip

    def place(self, tag, **attributes):
        return next(k for k, (t, a, _) in enumerate(self.elements)
                    if t == tag and all(a.get(n.rstrip("_").replace("_", "-")) == v
                            for n, v in attributes.items()))  # fmt: skip


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The pages of a study of two topologies, whose runs are not ns-3's."""
    from fake import FakeBackend
    from iwarp.runs import scenario

    out = tmp_path_factory.mktemp("study")
    fake, before = FakeBackend(), scenario.backend
    scenario.backend = lambda: fake
    try:
        study = studies.get("alignment")
        grids = build_grids(study, "quick", {"topology": ["fat-tree", "file:x/y"]})
        conduct(Request(study, "quick", grids, 3, out, "./iwarp study alignment"), 2)
    finally:
        scenario.backend = before
    return out


PAGES = ("report.html", "report-fat-tree.html", "report-y.html")


@pytest.mark.parametrize("name", PAGES)
def test_nothing_leaves_the_page(written, name):
    page = Page(written / name)
    addresses = [a[k] for _, a, _ in page.elements for k in ("src", "href") if k in a]
    assert addresses and not re.search(r"url\(|@import", (written / name).read_text())
    for address in addresses:
        assert address.startswith("data:") or (written / address).is_file(), address
    assert {a["src"] for a, _ in page.all("script") if "src" in a} == {"vega.min.js"}


@pytest.mark.parametrize("name", PAGES)
def test_the_browser_is_told_to_let_nothing_out(written, name):
    """By a content security policy (W3C CSP Level 3): what it does not name falls back on default-src, but for
    forms."""
    ((policy, _),) = Page(written / name).all("meta", http_equiv="Content-Security-Policy")
    rules = dict(rule.split(maxsplit=1) for rule in policy["content"].split("; "))
    assert rules["default-src"] == rules["form-action"] == rules["base-uri"] == "'none'"
    assert set(" ".join(rules.values()).split()) <= {"'none'", "'self'", "'unsafe-inline'", "file:", "data:", "blob:"}


@pytest.mark.parametrize("name", PAGES)
def test_the_answer_and_a_figure_come_first(written, name):
    page = Page(written / name)
    order = [page.place("h1"), page.place("p", class_="answer"), page.place("figure", class_="key"), page.place("h2")]
    assert order == sorted(order) and len(page.all("h1")) == 1


@pytest.mark.parametrize("name", PAGES)
def test_pictures_say_what_they_show_and_are_there_for_a_paper(written, name):
    page = Page(written / name)
    assert all(len(a["alt"]) > 20 for a, _ in page.all("img"))
    linked = {a["href"] for a, _ in page.all("a")}
    figures = [f for f, _ in page.all("figure") if f["class"] != "explorer"]
    drawn = [n for n in linked if n.endswith(".svg")]
    assert len(drawn) == len(figures) > 0
    assert all((written / n).with_suffix(".pdf").read_bytes().startswith(b"%PDF") for n in drawn)


def test_tables_and_the_citation_can_be_copied(written):
    page = Page(written / "report.html")
    copied = [text for _, text in page.all("pre", class_="copied")]
    assert any(text.startswith("@misc{iwarp-") for text in copied)
    assert (written / "topologies.tex").read_text().strip() in copied


def test_data_is_linked(written):
    linked = {a["href"] for a, _ in Page(written / "report.html").all("a")}
    assert {"summary.csv", "summary.parquet", "runs.parquet", "comparisons.csv", "averages.csv", "topologies.csv",
            "study.json"} <= linked  # fmt: skip


def test_charts_have_the_numbers_of_the_summary(written):
    page = Page(written / "report-fat-tree.html")
    charts = [json.loads(text) for _, text in page.all("script", class_="chart")]
    (goodput,) = (c for c in charts if c["usermeta"]["title"] == "Goodput")
    summary = pd.read_csv(written / "summary.csv")
    summary = summary[summary["topology"] == "fat-tree"]
    values = sorted(row["y"] for row in goodput["data"]["values"] if row["kind"] == "point")
    assert values == pytest.approx(sorted(summary["goodput [bit/s]"] / 1e9), rel=1e-5)  # Gbit/s


def test_all_topologies_can_be_chosen_on_the_first_page(written):
    page = Page(written / "report.html")
    charts = [json.loads(text) for _, text in page.all("script", class_="chart")]
    chart = charts[-1]  # of the figures of all pages
    (field,) = {f["field"] for f in chart["usermeta"]["factors"] if f["title"] == "Topology"}
    assert {row[field] for row in chart["data"]["values"]} == {"fat tree", "file:x/y"}


@pytest.mark.parametrize("name", PAGES)
def test_tables_have_headings_that_sort(written, name):
    page = Page(written / name)
    assert all("sortable" in a["class"] for a, _ in page.all("table"))
    assert all(a["scope"] == "col" for a, _ in page.all("th"))


def browse(path, width, script):
    """Open a page in a frame of a width, run a script there, and return what it returns and what the console says."""
    frame = path.with_name(f"frame-{width}.html")
    frame.write_text(
        f'<iframe width="{width}" height="6000" src="{path.name}"></iframe><script>const run = () => {{'
        "if (frames[0].document.querySelector('figure:has(script.chart):not(.drawn)')) return setTimeout(run, 100);"
        f"document.body.append(JSON.stringify((function (window, document) {{ {script} }})"
        "(frames[0], frames[0].document)), '<<<end') }; onload = () => setTimeout(run, 100)</script>"
    )
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
               f"--user-data-dir={path.parent / 'profile'}", "--enable-logging=stderr",
               "--virtual-time-budget=10000000", "--window-size=1400,6500", "--dump-dom", frame.as_uri()]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    result = re.search(r"</iframe><script>.*</script>(.*)&lt;&lt;&lt;end", done.stdout, re.DOTALL)
    assert result, done.stdout[-500:]
    return json.loads(result[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")), [
        line for line in done.stderr.splitlines() if "CONSOLE" in line
    ]


SCRIPT = """
const button = document.querySelectorAll("table.overview th button")[0];
const column = () => [...document.querySelectorAll("table.overview tbody tr")].map((r) => r.cells[0].textContent);
const found = { before: column() };
button.focus();
found.focused = document.activeElement === button && button.tagName;
button.click();
found.up = [column(), button.closest("th").getAttribute("aria-sort")];
button.click();
found.down = [column(), button.closest("th").getAttribute("aria-sort")];
const key = document.querySelector("figure.key");
found.points = key.querySelectorAll('.live path[aria-roledescription="point"]').length;
found.bottom = key.querySelector("figcaption").getBoundingClientRect().top;
found.wide = document.documentElement.scrollWidth;
const points = 'figure.explorer .live path[aria-roledescription="point"]';
found.hover = document.querySelector(points).getAttribute("aria-label");
found.selects = [...document.querySelectorAll("figure.explorer label")].map((l) => l.firstChild.textContent.trim());
const [, topology] = document.querySelectorAll("figure.explorer select");
found.one = [topology.value, document.querySelectorAll(points).length];
return found;
"""


@pytest.mark.skipif(not BROWSER, reason="no Chromium to look at pages with")
@pytest.mark.parametrize("width", [390, 1280])
def test_scripts_draw_sort_and_choose(written, width):
    found, console = browse(written / "report.html", width, SCRIPT)
    assert console == []
    assert found["before"] == found["up"][0] == ["fat tree", "file:x/y"] and found["up"][1] == "ascending"
    assert found["down"] == [["file:x/y", "fat tree"], "descending"] and found["focused"] == "BUTTON"
    assert found["points"] == 4 * (7 + 5)
    assert found["wide"] <= width and found["bottom"] < 844  # a phone's screen, and half of a laptop's
    assert "fat tree" in found["hover"]  # what one points at names its path
    assert found["selects"] == ["Figure", "Topology"]
    assert found["one"][0] == "fat tree" and found["one"][1] > 0


def luminance(colour):
    """Return the relative luminance of #rgb or #rrggbb as WCAG 2 defines it."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * c for c in colour[1:])
    parts = [int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_text_is_readable_in_both_schemes():
    assert contrast("#000", "#fff") == pytest.approx(21) and 4.5 < contrast("#767676", "#ffffff") < 4.6
    style = (Path(iwarp.__file__).parent / "report" / "templates" / "style.css").read_text()
    light, dark = [
        dict(re.findall(r"--([\w-]+): (#\w+)", block)) for block in re.findall(r":root \{(.*?)\}", style, re.DOTALL)[:2]
    ]
    assert set(light) == set(dark)
    for scheme in (light, dark):
        for ink in ("ink", "soft", "blue", "red"):
            for ground in ("paper", "tint", "alarm"):
                assert contrast(scheme[ink], scheme[ground]) >= 4.5, (ink, ground)
        assert contrast(scheme["on-blue"], scheme["blue"]) >= 4.5


def test_numbers_do_not_part_from_their_units():
    text = keep_units("It takes 8.46 KiB, 3.02 % of 9 runs, in 12 µs at 9.1 Gbit/s; 6 percent of 5 steps.")
    assert text.replace("\N{NO-BREAK SPACE}", "~") == (
        "It takes 8.46~KiB, 3.02~% of 9 runs, in 12~µs at 9.1~Gbit/s; 6 percent of 5 steps."
    )
