/* SPDX-License-Identifier: GPL-2.0-only */
/* Shows how far a sweep is and what it has found so far; asks again every few seconds while it runs. */
"use strict";
(() => {
  const PERIOD = 2000; // milliseconds
  const COLOURS = {
    light: ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"],
    dark: ["#56B4E9", "#FF8F4D", "#2CC99B", "#E6A8CB", "#F2BE4B", "#A8D8F7"],
  };
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const at = (id) => document.getElementById(id);
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const numeric = (values) => values.every((v) => v !== "" && Number.isFinite(Number(v)));
  const named = ({ name, unit }) => (unit ? `${name} [${unit}]` : name);
  let state = null;
  let drawn = ""; // what is on the page: drawn again only if it has changed

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

  /* Return what Vega-Lite draws: means over one factor, coloured by another, with their intervals. */
  function specification() {
    const along = at("along").value;
    const colour = at("colour").value;
    const metric = state.metrics.find((m) => m.name === state.metric);
    const factor = state.factors.find((f) => f.name === along);
    const points = state.points.filter((p) => p.mean !== null);
    const words = !numeric(points.map((p) => p.where[along] ?? ""));
    const values = points.map((p, index) => ({
      index, along: words ? (p.where[along] ?? "all") : Number(p.where[along]), colour: p.where[colour],
      mean: p.mean, low: p.ends[0] ?? p.mean, high: p.ends[1] ?? p.mean,
      text: Object.entries(p.where).map(([name, value]) => `${name}=${value}`).join(" "),
      runs: `${p.runs} ended well, ${p.failed} failed`,
    }));
    const x = { field: "along", type: words ? "nominal" : "quantitative", title: factor ? named(factor) : "",
                axis: words ? { labelAngle: 0 } : { values: [...new Set(values.map((v) => v.along))], format: "~s" },
                scale: words ? {} : { zero: false, padding: 24 } };
    const y = { field: "mean", type: "quantitative", title: metric ? named(metric) : "", axis: { format: "~s" } };
    const hue = colour ? { color: { field: "colour", type: "nominal", title: colour, sort: null,
                                    scale: { range: COLOURS[dark.matches ? "dark" : "light"] } } } : {};
    const tip = [{ field: "text", title: "where" }, { field: "mean", title: "mean", format: "~s" }, { field: "runs", title: "runs" }];
    const [ink, line] = [style("--ink"), style("--line")];
    return {
      data: { values }, width: at("plot").clientWidth - 90, height: 340, background: "transparent",
      layer: [
        { mark: "rule", encoding: { x, y: { ...y, field: "low" }, y2: { field: "high" }, ...hue } },
        { mark: { type: "point", filled: true, size: 80, cursor: "pointer" },
          encoding: { x, y, ...hue, tooltip: tip, ...(colour ? { shape: { field: "colour", type: "nominal", sort: null, legend: null } } : {}) } },
      ],
      config: {
        font: style("--font"), view: { stroke: null },
        axis: { labelColor: ink, titleColor: ink, titleFontWeight: "normal", gridColor: line, domainColor: line, tickColor: line },
        legend: { orient: "top", labelColor: ink, titleColor: ink, titleFontWeight: "normal" },
      },
    };
  }

  async function draw() {
    const points = state.points.filter((p) => p.mean !== null);
    const shown = await vegaEmbed(at("plot"), specification(), {
      ast: true, // so that the page's policy may forbid code made of texts
      renderer: "svg", tooltip: { theme: dark.matches ? "dark" : "light" }, actions: false,
    });
    shown.view.addEventListener("click", (event, item) => item?.datum?.index !== undefined && choose(points[item.datum.index].where));
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
    const seen = JSON.stringify([state.points, state.metric]);
    if (seen !== drawn) draw();
    drawn = seen;
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
      for (const text of [...(run.commands ?? []), ...run.files]) {
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
  follow();
})();
