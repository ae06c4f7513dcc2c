// SPDX-License-Identifier: GPL-2.0-only
"use strict";
(() => {
const $ = (id) => document.getElementById(id);
const data = JSON.parse($("data").textContent);

// ---- data: columns become typed arrays when they are first used ----------------------------------

const ARRAYS = { f8: Float64Array, u4: Uint32Array, i4: Int32Array, u1: Uint8Array };
function unpack(text) {
  const colon = text.indexOf(":");
  const octets = atob(text.slice(colon + 1));
  const bytes = new Uint8Array(octets.length);
  for (let i = 0; i < octets.length; i++) bytes[i] = octets.charCodeAt(i);
  return new ARRAYS[text.slice(0, colon)](bytes.buffer);
}
function columns(table) {
  for (const key of Object.keys(table))
    if (typeof table[key] === "string" && /^(f8|u4|i4|u1):/.test(table[key])) table[key] = unpack(table[key]);
  return table;
}
function lowest(array, value, of = (x) => x) { // first index whose value is not below
  let a = 0, b = array.length;
  while (a < b) { const m = (a + b) >> 1; if (of(array[m]) < value) a = m + 1; else b = m; }
  return a;
}

const SEGMENT_FATES = Object.keys(data.segmentFates), FPDU_FATES = Object.keys(data.fpduFates);
const NONE = SEGMENT_FATES.indexOf("none"), LOST = SEGMENT_FATES.indexOf("lost");
// colours that people tell apart whatever colours they see (after Okabe and Ito), for light and dark ground
const COLOURS = {
  "at once": ["#0072b2", "#56b4e9"], "early": ["#00805d", "#2fd3a0"], "held": ["#7d8590", "#98a2ad"],
  "waited": ["#c77f00", "#f0b030"], "outside": ["#9aa3ad", "#6b7682"], "lost": ["#c84600", "#ff8a4d"],
  "refused": ["#8e1b1b", "#ff6f6f"], "in vain": ["#b0488a", "#e79bc9"], "checksum": ["#111111", "#ffffff"],
  "window": ["#6a51a3", "#b8a4e8"], "none": ["#9aa3ad", "#6b7682"],
  "in parts": ["#7d8590", "#98a2ad"], "early, by a Marker": ["#00805d", "#2fd3a0"],
  "early, by length": ["#5b8f00", "#a6d84a"], "bad": ["#111111", "#ffffff"], "incomplete": ["#6a51a3", "#b8a4e8"],
};
const SYMBOLS = {
  "early": "triangle", "early, by a Marker": "triangle", "early, by length": "diamond", "waited": "square", "held": "plus",
  "in parts": "plus", "lost": "cross", "refused": "cross", "in vain": "circle", "checksum": "cross", "window": "cross",
  "bad": "cross", "incomplete": "circle",
};
const MOVE_COLOURS = [null, ["#c84600", "#ff8a4d"], ["#b0488a", "#e79bc9"], ["#6a51a3", "#b8a4e8"]];
const THEMES = [
  { ink: "#1d2530", soft: "#5b6673", line: "#dfe3e8", paper: "#ffffff", tint: "#f5f7f9", ack: "#5f7d5f", edge: "#8a6d3b", sack: "#7b3fa0" },
  { ink: "#e4e8ed", soft: "#a7b1bd", line: "#38424e", paper: "#14191f", tint: "#1e252d", ack: "#8fbf8f", edge: "#d9b36c", sack: "#c79be8" },
];

// ---- what is shown -------------------------------------------------------------------------------

const media = matchMedia("(prefers-color-scheme: dark)");
const state = { connection: 0, direction: ">", t0: 0, t1: 1, y: {}, theme: "", hidden: new Set(), kind: "segments" };
let all = [0, 1], panels = [], drawn = {};

const isDark = () => (state.theme || (media.matches ? "dark" : "light")) === "dark";
const connection = () => data.connections[state.connection];
const places = () => connection()?.places ?? [];
const back = () => (state.direction === "<" ? 1 : 0);
function ends() { // places by the way of the data: where they are sent first
  const list = places().map((_, k) => k);
  return state.direction === "<" ? list.reverse() : list;
}

const caches = new Map();
function of(place) { // what is drawn of a place in this direction
  const key = `${state.connection}${state.direction}${place}`;
  if (caches.has(key)) return caches.get(key);
  const { segments, fpdus, messages } = places()[place];
  [segments, fpdus, messages].forEach(columns);
  const found = { segments, fpdus, messages, sent: [], acks: [], frames: [], byBegin: [], talk: [], sack: [] };
  for (let i = 0; i < segments.n; i++) {
    if (segments.back[i] === back()) { if (segments.length_octets[i] > 0) found.sent.push(i); }
    else if (segments.ack[i] > 0) found.acks.push(i);
  }
  found.every = Array.from({ length: segments.n }, (_, i) => i).sort((a, b) => segments.time_ns[a] - segments.time_ns[b]);
  found.sent.sort((a, b) => segments.time_ns[a] - segments.time_ns[b]);
  found.acks.sort((a, b) => segments.time_ns[a] - segments.time_ns[b]);
  for (let i = 0; i < fpdus.n; i++) if (fpdus.back[i] === back()) found.frames.push(i);
  found.byBegin = [...found.frames].sort((a, b) => fpdus.begin[a] - fpdus.begin[b]);
  found.frames.sort((a, b) => fpdus.first_ns[a] - fpdus.first_ns[b]);
  found.longest = found.frames.reduce((most, i) => Math.max(most, fpdus.placed_ns[i] - fpdus.first_ns[i]), 0);
  for (let i = 0; i < messages.n; i++) if (messages.back[i] === back()) found.talk.push(i);
  for (let k = 0; k < segments.sack.length; k += 3)
    if (segments.back[segments.sack[k]] !== back()) found.sack.push(k);
  found.sack.sort((a, b) => segments.time_ns[segments.sack[a]] - segments.time_ns[segments.sack[b]]);
  found.fate = place === ends()[ends().length - 1] ? segments.fate : fateBehind(place);
  caches.set(key, found);
  return found;
}
function fateBehind(place) { // what became of segments at the last place, seen from one before
  const order = ends(), k = order.indexOf(place), next = order[k + 1];
  const here = places()[place].segments, there = columns(places()[next].segments);
  const way = columns(connection().ways[Math.min(place, next)][state.direction]);
  const known = k + 2 < order.length ? fateBehind(next) : there.fate, fate = here.fate.slice(), arrived = new Uint8Array(here.n);
  for (let p = 0; p < way.before.length; p++) { arrived[way.before[p]] = 1; fate[way.before[p]] = known[way.after[p]]; }
  for (let i = 0; i < here.n; i++) if (!arrived[i] && here.back[i] === back() && here.length_octets[i]) fate[i] = LOST;
  return fate;
}
const isLast = (place) => place === ends()[ends().length - 1];

function extent() { // first and last time of the connection, and of traces
  let low = Infinity, high = -Infinity;
  for (const { segments } of places()) {
    columns(segments);
    for (const t of segments.time_ns) { if (t < low) low = t; if (t > high) high = t; }
  }
  if (low > high) for (const trace of data.traces) {
    columns(trace);
    for (const t of trace.begin) { if (t < low) low = t; if (t > high) high = t; }
  }
  if (low > high) return [0, 1];
  const margin = Math.max((high - low) * 0.02, 1);
  return [low - margin, high + margin];
}

// ---- text ----------------------------------------------------------------------------------------

const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"], [1, "ns"]];
function timeUnit(span) { return UNITS.find(([size]) => span >= 2 * size) ?? UNITS[3]; }
function timeText(t, span = Math.abs(t)) {
  const [size, unit] = timeUnit(span);
  return `${(t / size).toLocaleString("en", { maximumFractionDigits: 6 })} ${unit}`;
}
const octetsText = (n) => `${Math.round(n).toLocaleString("en")} octets`;
function numberText(v) {
  const a = Math.abs(v);
  if (a >= 1e9) return `${+(v / 1e9).toPrecision(4)}G`;
  if (a >= 1e6) return `${+(v / 1e6).toPrecision(4)}M`;
  if (a >= 1e4) return `${+(v / 1e3).toPrecision(4)}k`;
  return `${+v.toPrecision(4)}`;
}
function ticks(low, high, count) {
  const step = 10 ** Math.floor(Math.log10((high - low) / count || 1));
  const size = [1, 2, 5, 10].map((k) => k * step).find((s) => (high - low) / s <= count) ?? 10 * step;
  const found = [];
  for (let v = Math.ceil(low / size) * size; v <= high && found.length < 50; v += size) found.push(v);
  return found;
}

// ---- pens: the same strokes on a canvas, or as SVG ------------------------------------------------

function canvasPen(context) {
  return {
    lines(list, colour, width = 1, dash = []) { // x1 y1 x2 y2 ...
      context.strokeStyle = colour; context.lineWidth = width; context.setLineDash(dash); context.beginPath();
      for (let i = 0; i < list.length; i += 4) { context.moveTo(list[i], list[i + 1]); context.lineTo(list[i + 2], list[i + 3]); }
      context.stroke(); context.setLineDash([]);
    },
    chain(list, colour, width = 1, dash = []) {
      context.strokeStyle = colour; context.lineWidth = width; context.setLineDash(dash); context.beginPath();
      for (let i = 0; i < list.length; i += 2) context[i ? "lineTo" : "moveTo"](list[i], list[i + 1]);
      context.stroke(); context.setLineDash([]);
    },
    rects(list, colour, alpha = 1) { // x y w h ...
      context.fillStyle = colour; context.globalAlpha = alpha;
      for (let i = 0; i < list.length; i += 4) context.fillRect(list[i], list[i + 1], list[i + 2], list[i + 3]);
      context.globalAlpha = 1;
    },
    text(x, y, text, colour, { align = "left", size = 12, bold = false } = {}) {
      context.font = `${bold ? "600 " : ""}${size}px system-ui, "Liberation Sans", Arial, sans-serif`;
      context.fillStyle = colour; context.textAlign = align; context.fillText(text, x, y);
    },
    clip(x, y, w, h) { context.save(); context.beginPath(); context.rect(x, y, w, h); context.clip(); },
    unclip() { context.restore(); },
  };
}
function svgPen() {
  const out = [];
  let clips = 0;
  const n = (v) => (Math.round(v * 100) / 100).toString();
  const safe = (t) => t.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
  const stroke = (d, colour, width, dash) => d && out.push(
    `<path d="${d}" fill="none" stroke="${colour}" stroke-width="${width}"${dash.length ? ` stroke-dasharray="${dash}"` : ""}/>`);
  return {
    lines(list, colour, width = 1, dash = []) {
      let d = "";
      for (let i = 0; i < list.length; i += 4) d += `M${n(list[i])} ${n(list[i + 1])}L${n(list[i + 2])} ${n(list[i + 3])}`;
      stroke(d, colour, width, dash);
    },
    chain(list, colour, width = 1, dash = []) {
      let d = "";
      for (let i = 0; i < list.length; i += 2) d += `${i ? "L" : "M"}${n(list[i])} ${n(list[i + 1])}`;
      stroke(d, colour, width, dash);
    },
    rects(list, colour, alpha = 1) {
      let d = "";
      for (let i = 0; i < list.length; i += 4)
        d += `M${n(list[i])} ${n(list[i + 1])}h${n(list[i + 2])}v${n(list[i + 3])}h${n(-list[i + 2])}z`;
      if (d) out.push(`<path d="${d}" fill="${colour}" fill-opacity="${alpha}"/>`);
    },
    text(x, y, text, colour, { align = "left", size = 12, bold = false } = {}) {
      const anchor = { left: "start", center: "middle", right: "end" }[align];
      out.push(`<text x="${n(x)}" y="${n(y)}" font-size="${size}" text-anchor="${anchor}" fill="${colour}"` +
        `${bold ? ' font-weight="600"' : ""}>${safe(text)}</text>`);
    },
    clip(x, y, w, h) {
      out.push(`<clipPath id="c${++clips}"><rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}"/></clipPath><g clip-path="url(#c${clips})">`);
    },
    unclip() { out.push("</g>"); },
    finish(width, height, ground) {
      return `<svg xmlns="http://www.w3.org/2000/svg" width="${n(width)}" height="${n(height)}" viewBox="0 0 ${n(width)} ${n(height)}" ` +
        `font-family="system-ui, Liberation Sans, Arial, sans-serif"><rect width="100%" height="100%" fill="${ground}"/>${out.join("")}</svg>`;
    },
  };
}
function symbol(pen, kind, x, y, colour, r = 3.5) {
  if (kind === "cross") pen.lines([x - r, y - r, x + r, y + r, x - r, y + r, x + r, y - r], colour, 1.6);
  else if (kind === "plus") pen.lines([x - r, y, x + r, y, x, y - r, x, y + r], colour, 1.4);
  else if (kind === "triangle") pen.chain([x - r, y + r, x + r, y + r, x, y - r, x - r, y + r], colour, 1.4);
  else if (kind === "diamond") pen.chain([x, y - r, x + r, y, x, y + r, x - r, y, x, y - r], colour, 1.4);
  else if (kind === "square") pen.chain([x - r, y - r, x + r, y - r, x + r, y + r, x - r, y + r, x - r, y - r], colour, 1.4);
  else if (kind === "circle")
    pen.chain(Array.from({ length: 13 }, (_, k) => [x + r * Math.cos((k * Math.PI) / 6), y + r * Math.sin((k * Math.PI) / 6)]).flat(), colour, 1.3);
}

// ---- layout --------------------------------------------------------------------------------------

const sideOf = (place) => {
  const near = places()[place].near, sender = back();
  return near === sender ? "where it is sent" : "where it is received";
};
function layout(width, axes = false) { // axes: each panel has its own, as it may begin a sheet
  const narrow = width < 640;
  const left = narrow ? 48 : 76, right = narrow ? 8 : 16;
  panels = [];
  let y = 4;
  const add = (panel, height) => {
    panels.push({ ...panel, axis: panel.axis || axes, x: left, y: y + 20, w: Math.max(width - left - right, 50), h: height });
    y += height + (panel.axis || axes ? 46 : 30);
  };
  const order = ends();
  if (order.length) {
    for (const place of order.length > 1 ? [order[0], order[order.length - 1]] : order)
      add({ type: "sequence", place, title: `${narrow ? "" : "Sequence and time, "}${sideOf(place)}: ${places()[place].file}`, axis: true }, narrow ? 230 : 300);
    if (order.length > 1) add({ type: "space", title: "Space and time", axis: true }, 50 + 60 * (order.length - 1));
    add({ type: "lane", lane: flightLane(order[0]), title: places()[order[0]].near === back() ? "Octets in flight" : "Octets not acknowledged" }, 60);
    add({ type: "lane", lane: roundTripLane(order[0]), title: `${places()[order[0]].near === back() ? "Round-trip time" : "Time until the ACK"}, us` }, 60);
    add({ type: "lane", lane: heldLane(order[order.length - 1]), title: "Octets in reassembly memory" }, 60);
    if (of(order[order.length - 1]).talk.length) add({ type: "messages", place: order[order.length - 1], title: "Messages, from their first octet to their delivery" }, 66);
  }
  for (const lane of traceLanes()) add({ type: lane.type, lane, title: lane.title }, lane.height);
  if (panels.length) panels[panels.length - 1].axis = true;
  return y + 24;
}

function flightLane(place) {
  const view = of(place), { segments, sent, acks } = view;
  if (view.flight) return view.flight;
  const x = [], y = [];
  let end = 0, acknowledged = 1, a = 0;
  const put = (t) => { x.push(t); y.push(Math.max(end - acknowledged, 0)); };
  for (const i of sent) {
    for (; a < acks.length && segments.time_ns[acks[a]] < segments.time_ns[i]; a++) {
      acknowledged = Math.max(acknowledged, segments.ack[acks[a]]); put(segments.time_ns[acks[a]]);
    }
    end = Math.max(end, segments.begin[i] + segments.length_octets[i]); put(segments.time_ns[i]);
  }
  for (; a < acks.length; a++) { acknowledged = Math.max(acknowledged, segments.ack[acks[a]]); put(segments.time_ns[acks[a]]); }
  return (view.flight = { lines: [{ x, y, name: "" }], unit: "octets" });
}
function roundTripLane(place) { // of segments that went once (Karn): until the first ACK of all of one
  const view = of(place), { segments, sent, acks } = view;
  if (view.roundTrips) return view.roundTrips;
  const again = new Set(sent.filter((i) => segments.again[i]).map((i) => segments.begin[i]));
  const waiting = sent.filter((i) => segments.length_octets[i] > 0 && !segments.again[i] && !again.has(segments.begin[i]));
  const x = [], y = [];
  let w = 0;
  for (const a of acks) {
    let last = -1;
    while (w < waiting.length && segments.begin[waiting[w]] + segments.length_octets[waiting[w]] <= segments.ack[a]) last = waiting[w++];
    if (last < 0) continue;
    x.push(segments.time_ns[a]); y.push((segments.time_ns[a] - segments.time_ns[last]) / 1000);
  }
  return (view.roundTrips = { lines: [{ x, y, name: "" }], unit: "us" });
}
function heldLane(place) {
  const view = of(place), { segments, sent } = view;
  if (view.held) return view.held;
  const x = [], y = [];
  for (const i of sent) if (segments.held_octets[i] >= 0) { x.push(segments.time_ns[i]); y.push(segments.held_octets[i]); }
  return (view.held = { lines: [{ x, y, name: "" }], unit: "octets" });
}

function concerns(name) { // a trace's row belongs to what is chosen
  if (!name || !connection()) return true;
  const [a, b] = connection().name.replace(/ \(\d+\)$/, "").split("-");
  return name === `${a}-${b}` || name === `${b}-${a}`;
}
const laneCache = new Map();
function traceLanes() {
  const key = `${state.connection}`;
  if (laneCache.has(key)) return laneCache.get(key);
  const lanes = [];
  for (const trace of data.traces) {
    columns(trace);
    trace.columns.forEach(columns);
    const rows = [];
    for (let i = 0; i < trace.n; i++) if (concerns(trace.connectionNames[trace.connection[i]])) rows.push(i);
    if (!rows.length) continue;
    lanes.push(...(trace.kind === "value" ? valueLanes(trace, rows) : [eventLane(trace, rows)]));
  }
  laneCache.set(key, lanes);
  return lanes;
}
function valueLanes(trace, rows) {
  const numbers = trace.columns.filter((c) => c.values), texts = trace.columns.filter((c) => c.texts);
  return numbers.map((column) => {
    const lines = new Map();
    for (const i of rows) { // a line for each link, stage, or whatever else texts tell apart
      const name = [trace.hostNames[trace.host[i]], trace.connectionNames[trace.connection[i]], ...texts.map((c) => c.texts[c.codes[i]])].filter(Boolean).join(" ");
      if (!lines.has(name)) lines.set(name, { x: [], y: [], name });
      const line = lines.get(name);
      line.x.push(trace.begin[i]); line.y.push(column.values[i]);
    }
    const many = numbers.length > 1 ? ` (${column.name.replaceAll("_", " ")})` : "";
    return { type: "lane", trace, lines: [...lines.values()], unit: column.unit, height: 60, help: column.help,
      title: `${trace.name}${many}${column.unit ? `, ${column.unit}` : ""}` };
  });
}
function eventLane(trace, rows) {
  const texts = trace.columns.filter((c) => c.texts);
  const rowOf = (i) => (texts[0] ? texts[0].texts[texts[0].codes[i]] : trace.hostNames[trace.host[i]]);
  const names = [...new Set(rows.map(rowOf))].slice(0, 12);
  const items = rows.map((i) => ({ i, row: names.indexOf(rowOf(i)) })).filter((item) => item.row >= 0);
  items.sort((a, b) => trace.begin[a.i] - trace.begin[b.i]);
  const longest = items.reduce((most, { i }) => Math.max(most, trace.end[i] - trace.begin[i]), 0);
  return { type: "events", trace, names, items, longest, colourBy: texts[1] ?? texts[0], title: trace.name, height: 14 * names.length + 8 };
}

// ---- drawing -------------------------------------------------------------------------------------

const X = (panel, t) => panel.x + ((t - state.t0) / (state.t1 - state.t0)) * panel.w;
const T = (panel, x) => state.t0 + ((x - panel.x) / panel.w) * (state.t1 - state.t0);
const Y = (panel, v) => panel.y + panel.h - ((v - panel.low) / (panel.high - panel.low || 1)) * panel.h;
const colour = (name) => COLOURS[name][drawn.dark ? 1 : 0];
const isHidden = (kind, name) => state.hidden.has(`${kind}:${name}`);
function inView(list, times, before = 0) { return [lowest(list, state.t0 - before, (i) => times[i]), lowest(list, state.t1 + 1e-9, (i) => times[i])]; }

function frame(pen, panel) {
  const theme = drawn.theme;
  pen.text(panel.x, panel.y - 6, panel.title, theme.ink, { bold: true, size: drawn.narrow ? 11 : 12.5 });
  for (const t of ticks(state.t0, state.t1, drawn.narrow ? 4 : 9)) {
    const x = X(panel, t);
    pen.lines([x, panel.y, x, panel.y + panel.h], theme.line);
    const align = x > panel.x + panel.w - 24 ? "right" : "center";
    if (panel.axis) pen.text(align === "right" ? panel.x + panel.w : x, panel.y + panel.h + 14, axisTime(t), theme.soft, { align, size: 11 });
  }
  if (panel.type === "sequence" || panel.type === "lane") {
    for (const v of ticks(panel.low, panel.high, panel.type === "lane" ? 3 : 6)) {
      const y = Y(panel, v);
      pen.lines([panel.x, y, panel.x + panel.w, y], theme.line);
      pen.text(panel.x - 5, y + 4, numberText(v), theme.soft, { align: "right", size: 11 });
    }
  }
  pen.chain([panel.x, panel.y, panel.x + panel.w, panel.y, panel.x + panel.w, panel.y + panel.h, panel.x, panel.y + panel.h, panel.x, panel.y], theme.line);
}
function axisTime(t) {
  const span = state.t1 - state.t0, [size, unit] = timeUnit(Math.max(Math.abs(state.t0), Math.abs(state.t1)));
  const digits = Math.max(0, Math.ceil(-Math.log10(span / size / 10)));
  return `${(Math.round(t) / size + 0).toLocaleString("en", { maximumFractionDigits: Math.min(digits, 9) })} ${unit}`;
}

function fitSequence(panel, view) {
  if (state.y[panel.place]) { [panel.low, panel.high] = state.y[panel.place]; return; }
  let low = Infinity, high = -Infinity;
  const { segments, sent, frames, fpdus, longest } = view;
  const [a, b] = inView(sent, segments.time_ns);
  for (let k = a; k < b; k++) {
    const i = sent[k];
    if (segments.begin[i] < low) low = segments.begin[i];
    if (segments.begin[i] + segments.length_octets[i] > high) high = segments.begin[i] + segments.length_octets[i];
  }
  const [c, d] = isLast(panel.place) ? inView(frames, fpdus.first_ns, longest) : [0, 0];
  for (let k = c; k < d; k++) {
    const i = frames[k];
    if (fpdus.placed_ns[i] < state.t0) continue;
    if (fpdus.begin[i] < low) low = fpdus.begin[i];
    if (fpdus.begin[i] + fpdus.size_octets[i] > high) high = fpdus.begin[i] + fpdus.size_octets[i];
  }
  if (low > high) { low = 0; high = sent.length ? segments.begin[sent[sent.length - 1]] : 1; }
  const margin = (high - low) * 0.05 || 1;
  [panel.low, panel.high] = [low - margin, high + margin];
}

function drawSequence(pen, panel) {
  const view = of(panel.place), theme = drawn.theme;
  const { segments, acks, sack } = view;
  fitSequence(panel, view);
  frame(pen, panel);
  pen.clip(panel.x, panel.y, panel.w, panel.h);
  // acknowledgments and the window's edge, as steps
  const known = [], edge = [];
  const [a0, a1] = inView(acks, segments.time_ns);
  let lastX = NaN;
  for (let k = Math.max(a0 - 1, 0); k < Math.min(a1 + 1, acks.length); k++) {
    const i = acks[k], x = X(panel, segments.time_ns[i]), y = Y(panel, segments.ack[i]);
    if (a1 - a0 > 4000 && Math.abs(x - lastX) < 0.5) continue;
    lastX = x;
    if (known.length) known.push(x, known[known.length - 1]);
    known.push(x, y);
    if (segments.window_octets[i] >= 0) {
      const w = Y(panel, segments.ack[i] + segments.window_octets[i]);
      if (edge.length) edge.push(x, edge[edge.length - 1]);
      edge.push(x, w);
    }
  }
  if (!isHidden("line", "ACK")) pen.chain(known, theme.ack, 1.4);
  if (!isHidden("line", "window")) pen.chain(edge, theme.edge, 1.2, [5, 3]);
  if (!isHidden("line", "SACK")) {
    const blocks = [], limit = lowest(sack, state.t1, (k) => segments.time_ns[segments.sack[k]]);
    for (let s = lowest(sack, state.t0, (k) => segments.time_ns[segments.sack[k]]); s < limit; s++) {
      const k = sack[s], x = X(panel, segments.time_ns[segments.sack[k]]);
      blocks.push(x, Y(panel, segments.sack[k + 1]), x, Y(panel, segments.sack[k + 2]));
    }
    pen.lines(blocks, theme.sack, 1, [2, 2]);
  }
  if (isLast(panel.place)) drawWaits(pen, panel, view);
  drawSegments(pen, panel, view);
  pen.unclip();
}

function drawWaits(pen, panel, { fpdus, frames, longest }) {
  const [a, b] = inView(frames, fpdus.first_ns, longest);
  const boxes = FPDU_FATES.map(() => []), marks = [];
  for (let k = a; k < b; k++) {
    const i = frames[k], fate = fpdus.fate[i];
    if (fpdus.placed_ns[i] < state.t0 || isHidden("fpdu", FPDU_FATES[fate])) continue;
    drawn.fpdus[panel.place] = (drawn.fpdus[panel.place] ?? 0) + 1;
    const x = X(panel, fpdus.first_ns[i]), end = X(panel, fpdus.placed_ns[i]);
    if (end - x < 0.5 && !SYMBOLS[FPDU_FATES[fate]]) continue;
    const y = Y(panel, fpdus.begin[i] + fpdus.size_octets[i]), h = Math.max(Y(panel, fpdus.begin[i]) - y, 1);
    if (end - x >= 0.5) boxes[fate].push(x, y, end - x, h);
    if (h > 7) marks.push([fate, end, y + h / 2]);
  }
  boxes.forEach((list, fate) => list.length && pen.rects(list, colour(FPDU_FATES[fate]), 0.32));
  if (marks.length < 600)
    for (const [fate, x, y] of marks) if (SYMBOLS[FPDU_FATES[fate]]) symbol(pen, SYMBOLS[FPDU_FATES[fate]], x, y, colour(FPDU_FATES[fate]));
}

function drawSegments(pen, panel, view) {
  const { segments, sent, fpdus, byBegin } = view, theme = drawn.theme;
  const [a, b] = inView(sent, segments.time_ns);
  const bars = SEGMENT_FATES.map(() => []), symbols = [], cuts = [], dots = [];
  const scale = panel.h / (panel.high - panel.low);
  const detail = b - a < 3000 && scale * 400 > 3;
  const last = new Map();
  for (let k = a; k < b; k++) {
    const i = sent[k], fate = view.fate[i], name = SEGMENT_FATES[fate];
    if (isHidden("segment", name)) continue;
    drawn.segments[panel.place] = (drawn.segments[panel.place] ?? 0) + 1;
    const x = X(panel, segments.time_ns[i]), begin = segments.begin[i], end = begin + segments.length_octets[i];
    let y0 = Y(panel, begin), y1 = Y(panel, end);
    if (y0 - y1 < 1.5) y1 = y0 - 1.5;
    if (y0 < panel.y || y1 > panel.y + panel.h) continue;
    if (b - a > 5000) { // what falls on the same dots is drawn once
      const dot = `${fate} ${Math.round(x)} ${Math.round(y0)}`;
      if (last.get(fate) === dot) continue;
      last.set(fate, dot);
    }
    bars[fate].push(x, y0, x, y1);
    if (SYMBOLS[name] && (y0 - y1 > 5 || SYMBOLS[name] === "cross" || SYMBOLS[name] === "circle")) symbols.push([name, x, (y0 + y1) / 2]);
    if (detail) {
      for (let f = lowest(byBegin, begin, (j) => fpdus.begin[j]); f < byBegin.length && fpdus.begin[byBegin[f]] < end; f++)
        cuts.push(x - 4, Y(panel, fpdus.begin[byBegin[f]]), x + 4, Y(panel, fpdus.begin[byBegin[f]]));
      if (scale * 512 > 6) markerDots(dots, panel, view, x, begin, end);
    }
  }
  const width = b - a < 400 ? 3 : b - a < 5000 ? 2 : 1;
  bars.forEach((list, fate) => list.length && pen.lines(list, colour(SEGMENT_FATES[fate]), width));
  if (symbols.length < 1200) for (const [name, x, y] of symbols) symbol(pen, SYMBOLS[name], x, y, colour(name));
  pen.lines(cuts, theme.ink, 1);
  if (!isHidden("line", "Markers")) pen.rects(dots, theme.ink);
}
function markerDots(dots, panel, { fpdus, byBegin }, x, begin, end) {
  let f = Math.max(lowest(byBegin, begin, (j) => fpdus.begin[j]) - 1, 0);
  for (; f < byBegin.length && fpdus.begin[byBegin[f]] < end; f++) {
    const j = byBegin[f];
    if (fpdus.position[j] < 0) continue;
    const first = fpdus.begin[j] + ((512 - (fpdus.position[j] % 512)) % 512);
    for (let m = first; m < fpdus.begin[j] + fpdus.size_octets[j]; m += 512)
      if (m >= begin && m < end) { dots.push(x + 2, Y(panel, m) - 1, 5, 2); drawn.markers++; }
  }
}

// places from the top in the order in which data pass them
const rowY = (panel, k) => panel.y + 22 + k * 60;
function drawSpace(pen, panel) {
  const order = ends(), theme = drawn.theme;
  frame(pen, panel);
  pen.clip(panel.x, panel.y, panel.w, panel.h);
  order.forEach((place, k) => {
    pen.lines([panel.x, rowY(panel, k), panel.x + panel.w, rowY(panel, k)], theme.soft, 1);
    pen.text(panel.x + 4, rowY(panel, k) + (k ? 14 : -7), places()[place].file, theme.soft, { size: 11 });
  });
  for (let k = 0; k + 1 < order.length; k++) {
    drawWay(pen, panel, order[k + 1], order[k], state.direction === ">" ? "<" : ">", k + 1, k, true);
    drawWay(pen, panel, order[k], order[k + 1], state.direction, k, k + 1, false);
  }
  pen.unclip();
}
function drawWay(pen, panel, from, to, direction, rowFrom, rowTo, isBack) {
  const way = columns(connection().ways[Math.min(from, to)][direction]);
  const here = columns(places()[from].segments), there = columns(places()[to].segments);
  const lines = data.moves.map(() => []), fates = SEGMENT_FATES.map(() => []), marks = [], arrived = new Uint8Array(here.n);
  const y0 = rowY(panel, rowFrom), y1 = rowY(panel, rowTo);
  let slowest = 0;
  for (let p = 0; p < way.before.length; p++) {
    const i = way.before[p], j = way.after[p], t = here.time_ns[i], u = there.time_ns[j];
    arrived[i] = 1;
    if (u - t > slowest && p < 50) slowest = u - t;
    if (u < state.t0 || t > state.t1) continue;
    if (!isBack && (!here.length_octets[i] || isHidden("segment", SEGMENT_FATES[there.fate[j]]))) continue;
    const line = [X(panel, t), y0, X(panel, u), y1];
    drawn.ways[way.move[p]]++;
    if (way.move[p]) { lines[way.move[p]].push(...line); marks.push([way.move[p], (line[0] + line[2]) / 2, (y0 + y1) / 2]); }
    else fates[isBack ? NONE : there.fate[j]].push(...line);
  }
  fates.forEach((list, fate) => list.length && pen.lines(list, colour(SEGMENT_FATES[fate]), isBack ? 0.6 : 1));
  lines.forEach((list, move) => move && list.length && pen.lines(list, MOVE_COLOURS[move][drawn.dark ? 1 : 0], 2, move === 1 ? [] : [6, 2]));
  if (marks.length < 300) for (const [move, x, y] of marks) symbol(pen, ["", "triangle", "diamond", "square"][move], x, y, MOVE_COLOURS[move][drawn.dark ? 1 : 0], 3);
  if (isBack || isHidden("segment", "lost")) return;
  for (let i = 0; i < here.n; i++) {
    if (arrived[i] || here.back[i] !== back() || !here.length_octets[i] || here.time_ns[i] < state.t0 || here.time_ns[i] > state.t1) continue;
    const x = X(panel, here.time_ns[i]), x1 = X(panel, here.time_ns[i] + slowest * 0.4);
    drawn.lostOnWay++;
    pen.lines([x, y0, x1, y0 + (y1 - y0) * 0.4], colour("lost"), 1.2);
    symbol(pen, "cross", x1, y0 + (y1 - y0) * 0.4, colour("lost"));
  }
}

const LANE_COLOURS = ["at once", "waited", "early", "in vain", "window", "lost"];
function drawLane(pen, panel) {
  const { lines } = panel.lane, theme = drawn.theme;
  let low = 0, high = 0;
  const parts = lines.map((line) => [Math.max(lowest(line.x, state.t0) - 1, 0), Math.min(lowest(line.x, state.t1) + 1, line.x.length)]);
  lines.forEach((line, k) => { for (let i = parts[k][0]; i < parts[k][1]; i++) { if (line.y[i] > high) high = line.y[i]; if (line.y[i] < low) low = line.y[i]; } });
  [panel.low, panel.high] = [low, high > low ? high * 1.1 : low + 1];
  frame(pen, panel);
  pen.clip(panel.x, panel.y, panel.w, panel.h);
  lines.forEach((line, k) => {
    const chain = [], [a, b] = parts[k], dense = b - a > 3 * panel.w;
    let from = NaN, least = 0, most = 0;
    for (let i = a; i < b; i++) {
      const x = X(panel, line.x[i]), y = Y(panel, line.y[i]);
      if (dense && Math.abs(x - from) < 0.5) { least = Math.min(least, y); most = Math.max(most, y); continue; }
      if (dense && chain.length) chain.push(from, least, from, most);
      if (chain.length) chain.push(x, chain[chain.length - 1]);
      chain.push(x, y);
      [from, least, most] = [x, y, y];
    }
    pen.chain(chain, colour(LANE_COLOURS[k % LANE_COLOURS.length]), 1.4);
    if (lines.length > 1 && k < 4) pen.text(panel.x + panel.w - 4, panel.y + 12 + 12 * k, line.name, colour(LANE_COLOURS[k % LANE_COLOURS.length]), { align: "right", size: 10.5 });
  });
  pen.unclip();
}
function drawEvents(pen, panel) {
  const { trace, names, items, longest, colourBy } = panel.lane, theme = drawn.theme;
  frame(pen, panel);
  pen.clip(panel.x, panel.y, panel.w, panel.h);
  const groups = new Map();
  for (let k = lowest(items, state.t0 - longest, ({ i }) => trace.begin[i]); k < items.length && trace.begin[items[k].i] <= state.t1; k++) {
    const { i, row } = items[k];
    if (trace.end[i] < state.t0) continue;
    const group = colourBy ? colourBy.codes[i] % LANE_COLOURS.length : 0;
    if (!groups.has(group)) groups.set(group, []);
    const x = X(panel, trace.begin[i]);
    groups.get(group).push(x, panel.y + 5 + 14 * row, Math.max(X(panel, trace.end[i]) - x, 1.5), 11);
  }
  for (const [group, list] of groups) pen.rects(list, colour(LANE_COLOURS[group]), 0.8);
  pen.unclip();
  names.forEach((name, row) => pen.text(panel.x - 5, panel.y + 14 + 14 * row, name.slice(0, drawn.narrow ? 7 : 11), theme.soft, { align: "right", size: 10.5 }));
}
function drawMessages(pen, panel) {
  const { messages, talk } = of(panel.place), theme = drawn.theme;
  frame(pen, panel);
  pen.clip(panel.x, panel.y, panel.w, panel.h);
  const free = [0, 0, 0, 0].fill(-Infinity), boxes = LANE_COLOURS.map(() => []), labels = [];
  for (const i of talk) {
    let row = free.findIndex((t) => t <= messages.first_ns[i]);
    row = row < 0 ? 3 : row;
    free[row] = messages.delivered_ns[i];
    if (messages.delivered_ns[i] < state.t0 || messages.first_ns[i] > state.t1) continue;
    const x = X(panel, messages.first_ns[i]), w = Math.max(X(panel, messages.delivered_ns[i]) - x, 1.5), y = panel.y + 3 + 16 * row;
    boxes[messages.name[i] % LANE_COLOURS.length].push(x, y, Math.max(w - 0.5, 1.5), 13);
    if (w > 110 && labels.length < 200) labels.push([Math.max(x, panel.x) + 3, y + 10.5, `${messages.names[messages.name[i]]} ${numberText(messages.message_octets[i])}`]);
  }
  boxes.forEach((list, k) => list.length && pen.rects(list, colour(LANE_COLOURS[k]), 0.55));
  for (const [x, y, text] of labels) pen.text(x, y, text, theme.ink, { size: 10.5 });
  pen.unclip();
}

const DRAW = { sequence: drawSequence, space: drawSpace, lane: drawLane, events: drawEvents, messages: drawMessages };
function paint(pen, width, dark) {
  drawn = { dark, theme: THEMES[dark ? 1 : 0], narrow: width < 640, segments: {}, fpdus: {}, ways: [0, 0, 0, 0], lostOnWay: 0, markers: 0 };
  for (const panel of panels) DRAW[panel.type](pen, panel);
}
let height = 100, width = 100, pending = false, listing = 0;
function draw(listed = false) {
  pending = false;
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  width = $("stage").clientWidth;
  height = layout(width);
  const ratio = Math.min(devicePixelRatio || 1, 2);
  for (const canvas of [$("picture"), $("overlay")]) {
    canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
    canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
  }
  const context = $("picture").getContext("2d");
  context.fillStyle = THEMES[isDark() ? 1 : 0].paper;
  context.fillRect(0, 0, width, height);
  paint(canvasPen(context), width, isDark());
  clearTimeout(listing);
  if (listed) listing = setTimeout(() => { fillTable(); remember(); }, 120);
  else { fillTable(); remember(); }
}
function soon() { if (!pending) { pending = true; requestAnimationFrame(() => pending && draw(true)); } } // the table follows
function svg(dark = isDark()) {
  const pen = svgPen();
  paint(pen, width, dark);
  return pen.finish(width, height, THEMES[dark ? 1 : 0].paper);
}

// ---- what is in view, as a table -----------------------------------------------------------------

const MOST = 300;
const cell = (text, number = false) => ({ text, number });
function segmentRows() {
  const rows = [];
  let count = 0;
  ends().forEach((place) => {
    let here = 0;
    const { segments, every, fate } = of(place), file = places()[place].file;
    const [a, b] = inView(every, segments.time_ns);
    for (let k = a; k < b; k++) {
      const i = every[k], name = segments.length_octets[i] ? SEGMENT_FATES[fate[i]] : "";
      if (name && segments.back[i] === back() && isHidden("segment", name)) continue;
      count++;
      if (++here > MOST) continue;
      rows.push({ t: segments.time_ns[i], make: () => [cell(file), cell(segments.back[i] ? "<" : ">"), cell(segments.frame[i], true),
        cell(segments.begin[i], true), cell(segments.length_octets[i], true), cell(segments.ack[i], true),
        cell(segments.window_octets[i] < 0 ? "" : segments.window_octets[i], true), cell(segments.flagNames[segments.flags[i]]),
        { text: name, colour: name && colour(name) }] });
    }
  });
  return [["time", "place", "", "frame", "first octet", "octets", "ACK", "window", "flags", "fate"], rows, count];
}
function fpduRows() {
  const rows = [];
  let count = 0;
  for (const place of ends().slice(-1)) { // where they are received
    const { fpdus, frames, longest } = of(place), file = places()[place].file;
    const [a, b] = inView(frames, fpdus.first_ns, longest);
    for (let k = a; k < b; k++) {
      const i = frames[k], name = FPDU_FATES[fpdus.fate[i]];
      if (fpdus.placed_ns[i] < state.t0 || isHidden("fpdu", name)) continue;
      if (++count > MOST) continue;
      rows.push({ t: fpdus.first_ns[i], make: () => [cell(file), cell(fpdus.names[fpdus.name[i]]), cell(fpdus.begin[i], true),
        cell(fpdus.size_octets[i], true), cell(fpdus.ulpdu_octets[i], true), cell(fpdus.crcNames[fpdus.crc[i]]),
        { text: name, colour: colour(name) }, cell(timeText(fpdus.placed_ns[i] - fpdus.first_ns[i]), true)] });
    }
  }
  return [["came", "place", "carries", "first octet", "octets", "ULPDU", "CRC", "fate", "waited"], rows, count];
}
function messageRows() {
  const rows = [];
  for (const place of ends().slice(-1)) {
    const { messages, talk } = of(place), file = places()[place].file;
    for (const i of talk) {
      if (messages.delivered_ns[i] < state.t0 || messages.first_ns[i] > state.t1) continue;
      rows.push({ t: messages.first_ns[i], make: () => [cell(file), cell(messages.names[messages.name[i]]), cell(messages.message_octets[i], true),
        cell(messages.fpdus[i], true), cell(timeText(messages.delivered_ns[i] - messages.first_ns[i]), true)] });
    }
  }
  return [["first octet came", "place", "message", "octets", "FPDUs", "until delivery"], rows];
}
function traceRows() {
  const rows = [];
  for (const { trace, items } of traceLanes().filter((lane) => lane.items))
    for (const { i } of items) {
      if (trace.end[i] < state.t0 || trace.begin[i] > state.t1) continue;
      rows.push({ t: trace.begin[i], make: () => [cell(trace.hostNames[trace.host[i]]), cell(trace.name), cell(timeText(trace.end[i] - trace.begin[i]), true), cell(traceText(trace, i).replaceAll("\n", "; "))] });
    }
  return [["time", "host", "trace", "for", "what"], rows];
}
function noteRows() {
  const rows = [];
  for (const place of ends())
    for (const note of places()[place].notes)
      if (note.time_ns >= state.t0 && note.time_ns <= state.t1)
        rows.push({ t: note.time_ns, make: () => [cell(places()[place].file), cell(note.direction), cell(note.malformed ? "malformed" : ""), cell(note.text)] });
  return [["time", "place", "", "", "note"], rows];
}
const traceText = (trace, i) => trace.columns.map((c) => `${c.name}: ${c.values ? numberText(c.values[i]) : c.texts[c.codes[i]]} ${c.unit}`.trim()).join("\n");
const ROWS = { segments: segmentRows, fpdus: fpduRows, messages: messageRows, traces: traceRows, notes: noteRows };
function fillTable() {
  const [headings, rows, count = rows.length] = ROWS[state.kind]();
  rows.sort((a, b) => a.t - b.t);
  $("count").textContent = `${count.toLocaleString("en")}${count > MOST ? `, of which the first ${MOST} are listed` : ""}`;
  drawn.rows = count;
  const head = document.createElement("tr"), body = document.createDocumentFragment();
  for (const text of headings) { const th = document.createElement("th"); th.scope = "col"; th.textContent = text; head.append(th); }
  for (const row of rows.slice(0, MOST)) {
    const tr = document.createElement("tr");
    for (const { text, number, colour: dot } of [cell(timeText(row.t, state.t1), true), ...row.make()]) {
      const td = document.createElement("td");
      if (number) td.className = "n";
      if (dot) { const i = document.createElement("i"); i.style.background = dot; td.append(i); }
      td.append(text);
      tr.append(td);
    }
    tr.addEventListener("click", () => { const half = (state.t1 - state.t0) / 8; zoom(row.t - half, row.t + half); });
    body.append(tr);
  }
  $("table").tHead.replaceChildren(head);
  $("table").tBodies[0].replaceChildren(body);
}

// ---- looking closer ------------------------------------------------------------------------------

function zoom(t0, t1) {
  const least = 10;
  if (t1 - t0 < least) { const middle = (t0 + t1) / 2; [t0, t1] = [middle - least / 2, middle + least / 2]; }
  [state.t0, state.t1] = t1 - t0 > 4 * (all[1] - all[0]) ? all : [t0, t1];
  state.y = {};
  soon();
}
function scaleAt(t, factor) { zoom(t - (t - state.t0) * factor, t + (state.t1 - t) * factor); }
function move(share) { const d = (state.t1 - state.t0) * share; zoom(state.t0 + d, state.t1 + d); }
function showAll() { zoom(...all); }
const panelAt = (y) => panels.find((p) => y >= p.y - 16 && y <= p.y + p.h + 4);

function hit(panel, x, y) { // what is nearest to the pointer
  const reach = 14, t = T(panel, x), around = ((state.t1 - state.t0) / panel.w) * reach;
  let best = null, nearest = reach;
  const offer = (distance, item) => { if (distance < nearest) { nearest = distance; best = item; } };
  if (panel.type === "sequence") {
    const { segments, sent, acks, fpdus, frames, longest, fate } = of(panel.place);
    for (const [kind, list] of [["segment", sent], ["ack", acks]])
      for (let k = lowest(list, t - around, (i) => segments.time_ns[i]), n = 0; k < list.length && segments.time_ns[list[k]] <= t + around && n < 3000; k++, n++) {
        const i = list[k], begin = kind === "ack" ? segments.ack[i] : segments.begin[i];
        if (kind === "segment" && isHidden("segment", SEGMENT_FATES[fate[i]])) continue;
        const y0 = Y(panel, begin), y1 = kind === "ack" ? y0 : Y(panel, begin + segments.length_octets[i]);
        offer(Math.hypot(x - X(panel, segments.time_ns[i]), y > y0 ? y - y0 : y < y1 ? y1 - y : 0) + (kind === "ack" ? 4 : 0), { kind, place: panel.place, i });
      }
    if (isLast(panel.place) && (!best || nearest > 4))
      for (let k = lowest(frames, t - longest, (i) => fpdus.first_ns[i]), n = 0; k < frames.length && fpdus.first_ns[frames[k]] <= t && n < 20000; k++, n++) {
        const i = frames[k];
        if (fpdus.placed_ns[i] >= t && y <= Y(panel, fpdus.begin[i]) && y >= Y(panel, fpdus.begin[i] + fpdus.size_octets[i])) offer(3, { kind: "fpdu", place: panel.place, i });
      }
  } else if (panel.type === "space") {
    const order = ends();
    order.forEach((place, k) => {
      const { segments, sent } = of(place);
      for (let s = lowest(sent, t - around, (i) => segments.time_ns[i]); s < sent.length && segments.time_ns[sent[s]] <= t + around; s++)
        offer(Math.hypot(x - X(panel, segments.time_ns[sent[s]]), (y - rowY(panel, k)) / 2), { kind: "segment", place, i: sent[s] });
    });
  } else if (panel.type === "lane") {
    panel.lane.lines.forEach((line) => {
      const k = Math.max(lowest(line.x, t + 1e-9) - 1, 0);
      if (line.x.length) offer(Math.abs(y - Y(panel, line.y[k])) / 8, { kind: "value", name: line.name, value: line.y[k], t: line.x[k], unit: panel.lane.unit, help: panel.lane.help, title: panel.title });
    });
  } else if (panel.type === "events") {
    const row = Math.floor((y - panel.y - 4) / 14);
    for (const { i, row: at } of panel.lane.items) if (at === row && panel.lane.trace.begin[i] <= t + around / 4 && panel.lane.trace.end[i] >= t - around / 4) offer(1, { kind: "event", trace: panel.lane.trace, i });
  } else if (panel.type === "messages") {
    const { messages, talk } = of(panel.place);
    for (const i of talk) if (messages.first_ns[i] <= t && messages.delivered_ns[i] >= t) offer(1, { kind: "message", place: panel.place, i });
  }
  return best;
}
function describe(item) {
  if (item.kind === "value") return `${item.title}${item.name ? ` (${item.name})` : ""}\n${item.value.toLocaleString("en")} ${item.unit} from ${timeText(item.t, state.t1)}${item.help ? `\n${item.help}` : ""}`;
  if (item.kind === "event") return `${item.trace.name} at ${timeText(item.trace.begin[item.i], state.t1)}${item.trace.end[item.i] > item.trace.begin[item.i] ? `, for ${timeText(item.trace.end[item.i] - item.trace.begin[item.i])}` : ""}\n${traceText(item.trace, item.i)}`;
  const { segments: s, fpdus: f, messages: m } = of(item.place), i = item.i, file = places()[item.place].file;
  if (item.kind === "ack") return `ACK ${s.ack[i]} at ${timeText(s.time_ns[i], state.t1)}, ${file} frame ${s.frame[i]}${s.window_octets[i] < 0 ? "" : `\nwindow ${octetsText(s.window_octets[i])}`}\n${s.flagNames[s.flags[i]]}, ${s.ecnNames[s.ecn[i]]}`;
  if (item.kind === "message") return `${m.names[m.name[i]]} of ${octetsText(m.message_octets[i])} in ${m.fpdus[i]} FPDUs\nfirst octet at ${timeText(m.first_ns[i], state.t1)}, delivered ${timeText(m.delivered_ns[i] - m.first_ns[i])} later`;
  if (item.kind === "fpdu") {
    const name = FPDU_FATES[f.fate[i]];
    return `FPDU with ${f.names[f.name[i]]}: ${name}\n${data.fpduFates[name]}\noctets ${f.begin[i]} to ${f.begin[i] + f.size_octets[i] - 1}, ULPDU of ${f.ulpdu_octets[i]}, CRC ${f.crcNames[f.crc[i]]}\ncame from ${timeText(f.first_ns[i], state.t1)} on, whole ${timeText(f.complete_ns[i] - f.first_ns[i])} later, placed ${timeText(f.placed_ns[i] - f.first_ns[i])} later, delivered ${timeText(f.delivered_ns[i] - f.first_ns[i])} later`;
  }
  const name = SEGMENT_FATES[of(item.place).fate[i]];
  return `Segment: ${name}${s.again[i] ? ", sent again" : ""}\n${data.segmentFates[name]}\noctets ${s.begin[i]} to ${s.begin[i] + s.length_octets[i] - 1} (${s.length_octets[i]})\n${timeText(s.time_ns[i], state.t1)}, ${file} frame ${s.frame[i]}, ${s.flagNames[s.flags[i]]}\n${s.fpdus_placed[i]} FPDUs placed, ${s.fpdus_placed_early[i]} of them early; ${s.stored_octets[i]} octets stored`;
}

let press = null, hovered = null;
function overlay(x, y) {
  const context = $("overlay").getContext("2d");
  context.clearRect(0, 0, width, height);
  const theme = THEMES[isDark() ? 1 : 0];
  if (press && !press.move && Math.abs(x - press.x) > 3) {
    context.fillStyle = "#0080ff33";
    for (const panel of panels) {
      const both = panel === press.panel && panel.type === "sequence" && Math.abs(y - press.y) > 12;
      context.fillRect(Math.min(x, press.x), both ? Math.min(y, press.y) : panel.y, Math.abs(x - press.x), both ? Math.abs(y - press.y) : panel.h);
    }
    return;
  }
  const panel = panelAt(y);
  hovered = panel && x >= panel.x && x <= panel.x + panel.w ? hit(panel, x, y) : null;
  if (panel && x >= panel.x) {
    context.strokeStyle = theme.soft; context.setLineDash([3, 3]); context.beginPath();
    for (const p of panels) { context.moveTo(x, p.y); context.lineTo(x, p.y + p.h); }
    context.stroke(); context.setLineDash([]);
  }
  highlight(context, theme);
  const tip = $("tip");
  tip.style.display = hovered ? "block" : "none";
  if (hovered) {
    tip.textContent = describe(hovered);
    tip.style.left = `${Math.max(0, x + 16 + tip.offsetWidth > width ? x - tip.offsetWidth - 12 : x + 16)}px`;
    tip.style.top = `${y + 14}px`;
  }
}
function highlight(context, theme) { // the same octets wherever they are
  if (!hovered || !["segment", "fpdu", "message"].includes(hovered.kind)) return;
  const { segments: s, fpdus: f, messages: m } = of(hovered.place), i = hovered.i;
  const begin = { segment: s, fpdu: f, message: m }[hovered.kind].begin[i];
  const end = begin + (hovered.kind === "segment" ? s.length_octets[i] : hovered.kind === "fpdu" ? f.size_octets[i] : m.message_octets[i]);
  context.strokeStyle = theme.ink; context.lineWidth = 1.5;
  for (const panel of panels.filter((p) => p.type === "sequence")) {
    const { segments, sent } = of(panel.place), [a, b] = inView(sent, segments.time_ns);
    for (let k = a, n = 0; k < b && n < 60; k++) {
      const j = sent[k];
      if (segments.begin[j] >= end || segments.begin[j] + segments.length_octets[j] <= begin) continue;
      n++;
      const y1 = Y(panel, Math.min(segments.begin[j] + segments.length_octets[j], end)), y0 = Y(panel, Math.max(segments.begin[j], begin));
      context.strokeRect(X(panel, segments.time_ns[j]) - 5, y1 - 2, 10, y0 - y1 + 4);
    }
  }
}

const canvas = $("overlay");
const at = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
canvas.addEventListener("pointerdown", (event) => {
  const [x, y] = at(event), panel = panelAt(y);
  if (!panel || event.button) return;
  press = { x, y, panel, move: event.shiftKey || event.pointerType === "touch", t0: state.t0, t1: state.t1 };
  try { canvas.setPointerCapture(event.pointerId); } catch { /* a pointer that is gone */ }
});
canvas.addEventListener("pointermove", (event) => {
  const [x, y] = at(event);
  if (press?.move && Math.abs(x - press.x) > 3) {
    const d = ((x - press.x) / press.panel.w) * (press.t1 - press.t0);
    zoom(press.t0 - d, press.t1 - d);
  }
  overlay(x, y);
});
canvas.addEventListener("pointerup", (event) => {
  const [x, y] = at(event), from = press;
  press = null;
  if (from && !from.move && Math.abs(x - from.x) > 3) {
    const panel = from.panel, both = panel.type === "sequence" && Math.abs(y - from.y) > 12;
    const range = [T(panel, Math.min(x, from.x)), T(panel, Math.max(x, from.x))];
    const V = (v) => panel.low + ((panel.y + panel.h - v) / panel.h) * (panel.high - panel.low);
    const rows = both ? [V(Math.max(y, from.y)), V(Math.min(y, from.y))] : null;
    zoom(...range);
    if (rows) for (const p of panels) if (p.type === "sequence") state.y[p.place] = rows;
  }
  overlay(x, y);
});
canvas.addEventListener("pointerleave", () => { if (!press) { hovered = null; $("tip").style.display = "none"; canvas.getContext("2d").clearRect(0, 0, width, height); } });
canvas.addEventListener("wheel", (event) => {
  const [x, y] = at(event), panel = panelAt(y);
  if (!panel || x < panel.x) return;
  event.preventDefault();
  if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) move(event.deltaX / 600);
  else scaleAt(T(panel, x), 1.0015 ** event.deltaY);
}, { passive: false });
canvas.addEventListener("dblclick", showAll);
canvas.addEventListener("keydown", (event) => {
  const does = { ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2), "+": () => scaleAt((state.t0 + state.t1) / 2, 0.6), "=": () => scaleAt((state.t0 + state.t1) / 2, 0.6),
    "-": () => scaleAt((state.t0 + state.t1) / 2, 1.6), 0: showAll }[event.key];
  if (does) { event.preventDefault(); does(); }
});

// ---- controls ------------------------------------------------------------------------------------

function choose(index, direction) {
  state.connection = index;
  state.direction = direction ?? busier();
  state.y = {};
  all = extent();
  [state.t0, state.t1] = all;
  $("connection").value = String(index);
  $("direction").replaceChildren(...[">", "<"].map((d) => {
    const [a, b] = (connection()?.name ?? "-").replace(/ \(\d+\)$/, "").split("-");
    return new Option(d === ">" ? `${a} sends to ${b}` : `${b} sends to ${a}`, d, false, d === state.direction);
  }));
  soon();
}
function busier() {
  let sum = 0;
  for (const { segments } of places()) { columns(segments); for (let i = 0; i < segments.n; i++) sum += (segments.back[i] ? -1 : 1) * segments.length_octets[i]; }
  return sum < 0 ? "<" : ">";
}
function legend() {
  const entry = (kind, name, help) => {
    const button = document.createElement("button");
    const stroke = kind === "line" ? { ACK: "ack", window: "edge", SACK: "sack", Markers: "ink" }[name] : "";
    const ink = stroke ? THEMES[isDark() ? 1 : 0][stroke] : COLOURS[name][isDark() ? 1 : 0];
    const pen = svgPen();
    if (kind === "fpdu") pen.rects([2, 3, 14, 8], ink, 0.4);
    else if (kind === "segment") pen.lines([9, 1, 9, 13], ink, 3);
    else pen.lines([1, 7, 17, 7], ink, 2, name === "window" ? [5, 3] : name === "SACK" ? [2, 2] : []);
    if (kind !== "line" && SYMBOLS[name]) symbol(pen, SYMBOLS[name], 9, 7, ink);
    button.innerHTML = pen.finish(18, 14, "none");
    button.append(name);
    button.title = help;
    button.setAttribute("aria-pressed", String(!isHidden(kind, name)));
    button.addEventListener("click", () => {
      const key = `${kind}:${name}`;
      if (!state.hidden.delete(key)) state.hidden.add(key);
      legend(); soon();
    });
    return button;
  };
  const title = (text) => { const b = document.createElement("b"); b.textContent = text; return b; };
  const used = (fates, table) => fates.filter((_, k) => data.connections.some((c) => c.places.some((p) => columns(p[table]).fate.includes(k))));
  if (!data.connections.length) return;
  $("legend").replaceChildren(title("Segments"), ...used(SEGMENT_FATES, "segments").filter((n) => n !== "none").map((n) => entry("segment", n, data.segmentFates[n])),
    title("FPDUs"), ...used(FPDU_FATES, "fpdus").map((n) => entry("fpdu", n, data.fpduFates[n])), title("Lines"),
    entry("line", "ACK", "what the receiver has in order"), entry("line", "window", "right edge of the receive window"),
    entry("line", "SACK", "octets that the receiver has out of order"), entry("line", "Markers", "Markers of MPA, each 512 octets"));
}
function download(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
const SHEET = 1.2, FIRST = 0.95; // most of a sheet's height to its width; the first one is below the title
function beforePrint() { // as wide as the paper, on as many sheets as that takes; a panel stays whole
  height = layout(width, true);
  const whole = svg(false), inner = whole.slice(whole.indexOf(">") + 1, -"</svg>".length), sheets = [];
  panels.forEach((panel, k) => {
    const top = k ? panel.y - 20 : 0, end = panels[k + 1] ? panels[k + 1].y - 20 : height, last = sheets.at(-1);
    if (last && end - last.top <= (sheets.length > 1 ? SHEET : FIRST) * width) last.end = end;
    else sheets.push({ top, end });
  });
  $("printed").innerHTML = sheets.map(({ top, end }, k) =>
    `<svg viewBox="0 ${top} ${width} ${end - top}" font-family="system-ui, Liberation Sans, Arial, sans-serif">` +
    `${k ? '<use href="#drawing"/>' : `<g id="drawing">${inner}</g>`}</svg>`).join("");
  draw();
}

function remember() {
  const parts = { c: state.connection, d: state.direction, t0: Math.round(state.t0), t1: Math.round(state.t1), k: state.kind };
  if (state.theme) parts.theme = state.theme;
  try { history.replaceState(null, "", `#${new URLSearchParams(parts)}`); } catch { /* a page inside of another */ }
}
function recall() {
  const given = new URLSearchParams(location.hash.slice(1));
  state.theme = given.get("theme") ?? "";
  state.kind = given.get("k") in ROWS ? given.get("k") : data.connections.length ? "segments" : "traces";
  const index = Number(given.get("c") ?? 0);
  choose(index < data.connections.length ? index : 0, [">", "<"].includes(given.get("d")) ? given.get("d") : undefined);
  if (given.has("t0") && given.has("t1")) [state.t0, state.t1] = [Number(given.get("t0")), Number(given.get("t1"))];
  $("kind").value = state.kind;
}

$("connection").replaceChildren(...data.connections.map((c, k) => new Option(c.name.replace("-", " \u2013 "), String(k))));
if (!data.connections.length) for (const id of ["connection", "direction"]) $(id).parentElement.style.display = "none";
$("connection").addEventListener("change", () => choose(Number($("connection").value)));
$("direction").addEventListener("change", () => { state.direction = $("direction").value; state.y = {}; soon(); });
$("kind").addEventListener("change", () => { state.kind = $("kind").value; soon(); });
$("in").onclick = () => scaleAt((state.t0 + state.t1) / 2, 0.5);
$("out").onclick = () => scaleAt((state.t0 + state.t1) / 2, 2);
$("left").onclick = () => move(-0.25);
$("right").onclick = () => move(0.25);
$("all").onclick = showAll;
$("theme").onclick = () => { state.theme = isDark() ? "light" : "dark"; legend(); soon(); };
$("svg").onclick = () => download("iwarp.svg", svg(), "image/svg+xml");
$("print").onclick = () => { beforePrint(); setTimeout(() => print(), 50); };
addEventListener("beforeprint", beforePrint);
media.addEventListener("change", () => { legend(); soon(); });
new ResizeObserver(() => { if ($("stage").clientWidth !== width) soon(); }).observe($("stage"));
$("about").textContent = Object.entries(data.about).map(([k, v]) => `${k}: ${v}`).join(" \u00b7 ");
$("cautions").replaceChildren(...data.cautions.map((text) => { const li = document.createElement("li"); li.textContent = text; return li; }));
recall();
draw();
legend();
window.iwarpShow = { data, state, zoom, choose, showAll, svg, draw, of, hit: (k, x, y) => hit(panels[k], x, y), describe, x: (k, t) => X(panels[k], t), y: (k, v) => Y(panels[k], v),
  get panels() { return panels; }, get drawn() { return drawn; } };
})();
