/* SPDX-License-Identifier: GPL-2.0-only */
/* Shows how far a sweep is and what it has found so far; asks again every few seconds while it runs. */
"use strict";
(() => {
  const PERIOD = 2000; // milliseconds
  const COLOURS = {
    light: ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"],
    dark: ["#56B4E9", "#FF8F4D", "#2CC99B", "#E6A8CB", "#F2BE4B", "#A8D8F7"],
  };
  const SYMBOLS = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross"];
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const at = (id) => document.getElementById(id);
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const unique = (values) => [...new Set(values)];
  const numeric = (values) => values.every((v) => v !== "" && Number.isFinite(Number(v)));
  const named = ({ name, unit }) => (unit ? `${name} [${unit}]` : name);
  let state = null;

  function offer(select, options, preferred) {
    const chosen = select.value || preferred;
    const known = [...select.options].map((o) => o.value).join();
    if (known === options.map((o) => o.name).join()) return;
    select.replaceChildren(...options.map((o) => new Option(named(o), o.name)));
    select.value = options.some((o) => o.name === chosen) ? chosen : (options[0]?.name ?? "");
  }

  function row(body, cells) {
    const line = body.insertRow();
    for (const cell of cells) line.insertCell().append(cell);
  }

  function draw() {
    const along = at("along").value;
    const colour = at("colour").value;
    const metric = state.metrics.find((m) => m.name === state.metric);
    const points = state.points.filter((p) => p.mean !== null);
    const groups = colour ? unique(points.map((p) => p.where[colour])) : [""];
    const words = !numeric(points.map((p) => p.where[along] ?? ""));
    const colours = COLOURS[dark.matches ? "dark" : "light"];
    const traces = groups.map((group, i) => {
      const own = points.filter((p) => !colour || p.where[colour] === group);
      return {
        type: "scatter", mode: "markers", name: group,
        x: own.map((p) => (along ? (words ? p.where[along] : Number(p.where[along])) : "all")),
        y: own.map((p) => p.mean),
        error_y: {
          symmetric: false,
          array: own.map((p) => (p.ends[1] === null ? 0 : p.ends[1] - p.mean)),
          arrayminus: own.map((p) => (p.ends[0] === null ? 0 : p.mean - p.ends[0])),
        },
        customdata: own.map((p) => p.where),
        text: own.map((p) =>
          [...Object.entries(p.where).map(([k, v]) => `${k}: ${v}`), `${p.runs} runs, ${p.failed} failed`].join("<br>")),
        hovertemplate: "%{text}<br>%{y}<extra></extra>",
        marker: { color: colours[i % colours.length], symbol: SYMBOLS[i % SYMBOLS.length], size: 9 },
      };
    });
    const grid = { gridcolor: style("--line"), zeroline: false, automargin: true };
    const factor = state.factors.find((f) => f.name === along);
    Plotly.react(at("plot"), traces, {
      xaxis: { ...grid, title: { text: factor ? named(factor) : "" }, type: words ? "category" : "-" },
      yaxis: { ...grid, title: { text: metric ? named(metric) : "" }, rangemode: "tozero", tickformat: "~s" },
      font: { color: style("--ink"), family: style("--font") },
      paper_bgcolor: "transparent", plot_bgcolor: "transparent", showlegend: Boolean(colour),
      legend: { title: { text: colour }, orientation: "h", y: 1.12 }, margin: { t: 20, r: 10 }, uirevision: `${state.metric} ${along}`,
      modebar: { bgcolor: "transparent", color: style("--soft"), activecolor: style("--blue") },
    }, { responsive: true, displaylogo: false });
  }

  function show() {
    document.title = `${state.done + state.failed}/${state.total} ${state.title}`;
    at("title").textContent = state.title;
    at("standing").textContent = state.standing;
    at("bar").max = state.total;
    at("bar").value = state.done + state.failed;
    offer(at("metric"), state.metrics, state.metric);
    const names = state.factors.map((f) => f.name);
    const along = names.find((n) => numeric(state.points.map((p) => p.where[n]))) ?? names.at(-1);
    offer(at("along"), state.factors, along);
    offer(at("colour"), [{ name: "", unit: "" }, ...state.factors], names.find((n) => n !== along) ?? "");
    at("failed").hidden = !state.failures.length;
    const body = at("failures").tBodies[0];
    body.replaceChildren();
    for (const f of state.failures) row(body, [f.key, f.status, f.message]);
    draw();
  }

  async function ask(path, parameters) {
    const answer = await fetch(`${path}?${new URLSearchParams(parameters)}`);
    const found = await answer.json();
    if (found.error) throw new Error(found.error);
    return found;
  }

  async function choose(where) {
    const found = await ask("configuration.json", where);
    at("configuration").hidden = false;
    at("parameters").replaceChildren(
      ...Object.entries(found.parameters).flatMap(([name, value]) => {
        const pair = [document.createElement("dt"), document.createElement("dd")];
        pair[0].textContent = name;
        pair[1].textContent = value;
        return pair;
      }),
    );
    const body = at("runs").tBodies[0];
    body.replaceChildren();
    for (const run of found.runs) {
      const last = document.createElement("div");
      for (const text of [run.command, ...run.files].filter(Boolean)) {
        const code = document.createElement("code");
        code.textContent = text;
        last.append(code, document.createElement("br"));
      }
      row(body, [run.number, run.message ? `${run.status}: ${run.message}` : run.status, run.seconds.toFixed(2), last]);
    }
    at("configuration").scrollIntoView({ behavior: "smooth", block: "nearest" });
  }

  async function refresh() {
    try {
      const metric = at("metric").value;
      state = await ask("state.json", metric ? { metric } : {});
      show();
    } catch (error) {
      at("standing").textContent = error instanceof TypeError ? "iwarp view has ended: start it again" : error.message;
    }
  }

  async function follow() {
    await refresh();
    if (!state || state.running) setTimeout(follow, PERIOD);
  }

  at("metric").addEventListener("change", refresh);
  for (const id of ["along", "colour"]) at(id).addEventListener("change", draw);
  dark.addEventListener("change", draw);
  follow().then(() => at("plot").on("plotly_click", (event) => choose(event.points[0].customdata)));
})();
