# SPDX-License-Identifier: GPL-2.0-only
"""The page of ``iwarp show`` as a browser sees it: zoomed, chosen, hovered, and read back."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import iwarp
import pandas as pd
import pytest
from iwarp._setup import machine
from iwarp.pictures import page
from iwarp.pictures.show import show_directory
from test_show import LOSSY, TRACED, write_traces

BROWSER = next(filter(None, map(shutil.which, machine.BROWSERS)), None)
pytestmark = pytest.mark.skipif(not BROWSER, reason="no Chromium to look at pages with")


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """A run of two flows with a loss, and traces: its picture and the page of that."""
    place = tmp_path_factory.mktemp("shown")
    iwarp.run(LOSSY | {"flows": 2, "markers": False}, pcap=str(place / "iwarp"))
    write_traces(place)
    picture = show_directory(place)
    return picture, picture.save(place / "page.html")


def browse(path, script, width=1280, fragment=""):
    """Open a page in a frame of a width, run a script there; return its result, and what the console says."""
    frame = path.with_name(f"frame-{width}.html")
    frame.write_text(
        f'<iframe width="{width}" height="3000" src="{path.name}{fragment}"></iframe><script>'
        "onload = () => setTimeout(async () => { const found = await (async function (window, document) {"
        "const show = window.iwarpShow, stage = document.getElementById('overlay');"
        "const later = async () => show.draw();"  # there are no animation frames where nobody looks
        "const at = (type, x, y, more) => { const box = stage.getBoundingClientRect(); stage.dispatchEvent("
        "new window[type === 'wheel' ? 'WheelEvent' : 'PointerEvent'](type, { bubbles: true, cancelable: true,"
        "clientX: box.left + x, clientY: box.top + y, button: 0, ...more })); };"
        f"{script} }})(frames[0], frames[0].document); document.body.append(JSON.stringify(found), '<<<end') }}, 500)"
        "</script>"
    )
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
               f"--user-data-dir={path.parent / 'profile'}", "--enable-logging=stderr", "--virtual-time-budget=20000",
               "--window-size=1400,3200", "--dump-dom", frame.as_uri()]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    result = re.search(r"</iframe><script>.*</script>(.*)&lt;&lt;&lt;end", done.stdout, re.DOTALL)
    assert result, done.stdout[-500:] + done.stderr[-2000:]
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return json.loads(result[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")), console


READ = """
const cells = (tr) => [...tr.cells].map((td) => td.textContent);
const rows = () => [...document.querySelectorAll("#table tbody tr")].map(cells);
const table = () => ({ rows: rows(), count: document.getElementById("count").textContent });
const pick = async (id, value) => {
  const box = document.getElementById(id);
  box.value = value;
  box.dispatchEvent(new window.Event("change"));
  await later();
};
const panels = () => show.panels.map((p) => p.title);
"""


def counted(text):
    return int(text.split(", of")[0].replace(",", ""))


def test_all_is_drawn_and_listed(shown):
    picture, path = shown
    found, console = browse(path, READ + """
        const names = show.data.connections.map((c) => c.name);
        const found = { panels: panels(), drawn: show.drawn.segments, names, segments: table() };
        found.view = [show.state.t0, show.state.t1];
        found.trips = [...show.panels.find((p) => p.title === "Round-trip time, us").lane.lines[0].y];
        for (const kind of ["fpdus", "messages", "traces", "notes"]) {
          await pick("kind", kind);
          found[kind] = table();
        }
        return found;""")  # fmt: skip
    assert console == []
    files = [place["file"] for place in picture.data()["connections"][0]["places"]]
    assert found["panels"][2] == "Space and time"
    assert found["panels"][:2] == [f"Sequence and time, where it is {what}: {file}"
                                   for what, file in zip(("sent", "received"), files, strict=True)]  # fmt: skip
    assert found["panels"][-1] == "stages"
    # there and back over the bottleneck and two links of hosts, 52 us each way, and to be sent; pcap counts us
    assert len(found["trips"]) > 50 and 103 <= min(found["trips"]) < 115
    assert ("cwnd, octets" in found["panels"]) == (found["names"][0] == TRACED)
    name = found["names"][0]
    tables = picture.tables
    here = tables.segments[tables.segments["connection"] == name]
    assert counted(found["segments"]["count"]) == len(here)
    sent = here[here["direction"].eq(">") & here["length_octets"].gt(0)]
    assert sorted(found["drawn"].values()) == sorted(sent.groupby("file").size())
    there = tables.fpdus[tables.fpdus["connection"].eq(name) & tables.fpdus["direction"].eq(">")]
    last = there[there["place"].eq(1)]
    assert counted(found["fpdus"]["count"]) == len(last)
    assert counted(found["messages"]["count"]) == len(tables.messages[tables.messages["connection"].eq(name)]) / 2
    begins = range(0, 2_000_000, 50_000)  # of 20 us each, as write_traces() has them
    seen = [begin for begin in begins if begin + 20_000 >= found["view"][0] and begin <= found["view"][1]]
    assert counted(found["traces"]["count"]) == len(seen) > 10 and found["notes"]["rows"] == []


def in_view(tables, connection, t0, t1):
    """Return the rows of the receiver's table that came in between, octets in the direction of the data."""
    rows = tables.segments[tables.segments["connection"].eq(connection) & tables.segments["time_ns"].between(t0, t1)]
    return rows[rows["direction"].eq(">") & rows["length_octets"].gt(0)]


def test_wheel_drag_and_buttons_zoom_all_panels(shown):
    picture, path = shown
    found, console = browse(path, READ + """
        const view = () => [show.state.t0, show.state.t1], found = { all: view() };
        const p = show.panels[1], middle = p.x + p.w / 2;
        const before = (show.state.t0 + show.state.t1) / 2;
        at("wheel", middle, p.y + 50, { deltaY: -400 }); await later();
        found.wheel = view(); found.still = (show.x(1, before) - middle);
        document.getElementById("all").click(); await later();
        found.again = view();
        const drag = [["down", 200], ["move", 300], ["up", 300]];
        for (const [type, x] of drag) at(`pointer${type}`, p.x + x, p.y + 40);
        await later();
        found.brush = view();
        found.expected = [200, 300].map((x) => found.all[0] + (found.all[1] - found.all[0]) * x / p.w);
        found.table = table(); found.drawn = show.drawn.segments; found.hash = window.location.hash;
        stage.dispatchEvent(new window.KeyboardEvent("keydown", { key: "ArrowRight" })); await later();
        found.right = view();
        return found;""")  # fmt: skip
    assert console == [] and found["again"] == found["all"]
    assert found["wheel"][1] - found["wheel"][0] == pytest.approx((found["all"][1] - found["all"][0]) * 1.0015**-400)
    assert abs(found["still"]) < 1  # what is at the pointer stays there
    assert found["brush"] == pytest.approx(found["expected"])
    assert found["right"][0] > found["brush"][0] and f"t0={round(found['brush'][0])}" in found["hash"]
    name = picture.data()["connections"][0]["name"]
    rows = in_view(picture.tables, name, *found["brush"])
    assert sum(found["drawn"].values()) == len(rows) > 5
    listed = {(row[1], int(row[3])) for row in found["table"]["rows"] if row[9] and row[2] == ">"}
    assert listed == set(zip(rows["file"], rows["frame"], strict=True))


def test_what_is_under_the_pointer_is_told(shown):
    picture, path = shown
    tables = picture.tables
    name = picture.data()["connections"][0]["name"]
    there = tables.fpdus[tables.fpdus["connection"].eq(name) & tables.fpdus["place"].eq(1)]
    waited = there[there["fate"] == "waited"].iloc[0]
    rows = tables.segments[tables.segments["connection"].eq(name) & tables.segments["place"].eq(1)]
    segment = rows[rows["begin"].eq(waited["begin"]) & rows["direction"].eq(">")].iloc[0]
    wait = waited["placed_ns"] - waited["first_ns"]
    found, console = browse(path, READ + f"""
        show.zoom({waited["first_ns"] - wait / 4}, {waited["placed_ns"] + wait / 4}); await later();
        const tip = document.getElementById("tip"), found = {{}};
        const y = show.y(1, {waited["begin"] + waited["size_octets"] / 2});
        at("pointermove", show.x(1, {segment["time_ns"]}), y); found.segment = tip.textContent;
        at("pointermove", show.x(1, {waited["first_ns"] + wait / 2}), y); found.fpdu = tip.textContent;
        found.width = tip.offsetWidth;
        const lane = show.panels.findIndex((p) => p.title === "Octets in reassembly memory");
        at("pointermove", show.x(lane, {waited["placed_ns"] - 1}), show.panels[lane].y + 30);
        found.lane = tip.textContent;
        at("pointerleave", 0, 0); found.hidden = tip.style.display;
        return found;""")  # fmt: skip
    assert console == [] and found["hidden"] == "none" and found["width"] > 50
    assert found["segment"].startswith("Segment: waited")
    assert f"octets {segment['begin']} to {segment['begin'] + segment['length_octets'] - 1} " in found["segment"]
    assert f"frame {segment['frame']}," in found["segment"]
    assert found["fpdu"].startswith("FPDU with RDMA Write: waited") and "CRC good" in found["fpdu"]
    assert f"octets {waited['begin']} to {waited['begin'] + waited['size_octets'] - 1}," in found["fpdu"]
    held = rows[rows["held_octets"].ge(0) & rows["time_ns"].lt(waited["placed_ns"])]["held_octets"].iloc[-1]
    assert f"\n{held:,} octets from" in found["lane"]


def test_connections_directions_and_fates_are_chosen(shown):
    picture, path = shown
    found, console = browse(path, READ + """
        const found = {};
        await pick("connection", "1");
        found.second = [show.state.connection, panels(), show.drawn.segments];
        await pick("direction", "<");
        found.back = [panels()[0], show.drawn.segments, table().rows.length];
        await pick("connection", "0"); found.first = panels()[0];
        const button = [...document.querySelectorAll("#legend button")].find((b) => b.textContent === "waited");
        const before = show.drawn.segments;
        button.click(); await later();
        const off = document.querySelector('#legend button[aria-pressed="false"]').textContent;
        found.hidden = [before, show.drawn.segments, off];
        return found;""")  # fmt: skip
    assert console == []
    names = [c["name"] for c in picture.data()["connections"]]
    segments = picture.tables.segments
    sent = segments["direction"].eq(">") & segments["length_octets"].gt(0)
    assert found["second"][0] == 1
    assert sum(found["second"][2].values()) == (sent & segments["connection"].eq(names[1])).sum()
    assert {"cwnd, octets", "stages"} & set(found["second"][1]) and "sent" in found["back"][0]
    assert sum(found["back"][1].values()) == 2 and found["back"][2] >= 4  # the Reply Frame, and what acknowledges it
    first = segments[segments["connection"].eq(names[0]) & segments["place"].eq(1) & segments["fate"].eq("waited")]
    before, after, name = found["hidden"]
    assert name == "waited" and before["1"] - after["1"] == len(first)


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_themes_fit_a_phone(shown, width, theme):
    _, path = shown
    found, console = browse(path, READ + """
        const canvas = document.getElementById("picture");
        const pixel = [...canvas.getContext("2d").getImageData(3, 3, 1, 1).data];
        const root = document.documentElement;
        const found = { pixel, wide: root.scrollWidth, svg: show.svg(), theme: root.dataset.theme };
        document.getElementById("theme").click(); await later();
        found.other = root.dataset.theme;
        return found;""", width, f"#theme={theme}")  # fmt: skip
    assert console == [] and found["wide"] <= width
    assert found["theme"] == theme != found["other"]
    assert found["pixel"][:3] == ([255, 255, 255] if theme == "light" else [0x14, 0x19, 0x1F])
    assert found["svg"].startswith("<svg ") and found["svg"].count("<clipPath") > 4
    assert "where it is received: " in found["svg"]


def test_nothing_leaves_the_page(shown):
    text = re.sub(r'"data">.*?</script>', "", Path(shown[1]).read_text(), flags=re.DOTALL)
    assert not re.search(r'(?:src|href)="(?!data:|#)[^"]', text) and "default-src 'none'" in text
    assert set(re.findall(r"https?://[^\s\"]+", text)) == {"http://www.w3.org/2000/svg"}  # the name of a language


def test_a_hundred_thousand_segments_are_drawn(shown, tmp_path):
    picture, _ = shown
    tables = picture.tables
    name = tables.connections["connection"].iloc[0]
    one = tables.segments[tables.segments["connection"].eq(name) & tables.segments["place"].eq(1)]
    span, octets = int(one["time_ns"].max()) + 1000, int(one["begin"].max()) + 2000
    copies = 100_000 // len(one) + 1
    parts = [one.assign(time_ns=one["time_ns"] + k * span, begin=one["begin"] + k * octets, ack=one["ack"] + k * octets)
             for k in range(copies)]  # fmt: skip
    many = type(tables)(pd.concat(parts, ignore_index=True), tables.fpdus.iloc[:0], tables.messages.iloc[:0],
                        tables.notes, tables.connections[tables.connections["place"].eq(1)].iloc[:1])  # fmt: skip
    path = tmp_path / "many.html"
    page.write(path, page.page_data(many), "many")
    found, console = browse(path, """
        return { drawn: Object.values(show.drawn.segments)[0], rows: show.drawn.rows };""")  # fmt: skip
    assert console == [] and found["rows"] > 90_000 and found["drawn"] > 50_000


def test_paper_has_as_many_sheets_as_it_takes(shown):
    found, console = browse(shown[1], """
        window.dispatchEvent(new window.Event("beforeprint"));
        const sheets = [...document.querySelectorAll("#printed svg")];
        return sheets.map((sheet) => sheet.getAttribute("viewBox").split(" ").map(Number));
    """, width=700)  # fmt: skip
    assert console == [] and len(found) > 1
    ends = [top + high for _, top, _, high in found]
    assert found[0][1] == 0 and [top for _, top, _, _ in found[1:]] == ends[:-1]  # nothing is missing, nothing twice
    assert all(high <= 1.2 * wide for _, _, wide, high in found)
