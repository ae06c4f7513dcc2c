/* SPDX-License-Identifier: GPL-2.0-only */
/* Draws the charts that the page holds, in place of their still pictures, and lets tables be sorted. */
"use strict";
(() => {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const COLOURS = {
    light: ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"],
    dark: ["#56B4E9", "#FF8F4D", "#2CC99B", "#E6A8CB", "#F2BE4B", "#A8D8F7"],
  };
  const SHAPES = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross"];
  const DASHES = { "--": "dash", ":": "dot", "-": "solid" };
  const LINEAR_PART = 0.5; // decades that a symlog axis has below its threshold

  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const unique = (values) => [...new Set(values)];

  /* Return where a value stands on an axis that is linear up to a threshold and logarithmic beyond it. */
  function place(axis, value) {
    if (axis.kind !== "symlog") return value;
    const t = axis.threshold;
    return value <= t ? (LINEAR_PART * value) / t : LINEAR_PART + Math.log10(value / t);
  }

  /* Break a text into lines of so many characters. */
  function wrap(text, width) {
    const lines = [""];
    for (const word of text.split(" ")) {
      const last = lines.at(-1);
      if (last && last.length + 1 + word.length > width) lines.push(word);
      else lines[lines.length - 1] = last ? `${last} ${word}` : word;
    }
    return lines.join("<br>");
  }

  function axisLayout(axis) {
    const log = axis.kind === "log";
    const range = axis.range.map((v) => (log ? Math.log10(v) : place(axis, v)));
    const found = { range, type: log ? "log" : "linear", zeroline: false, automargin: true, fixedrange: false };
    if (axis.kind === "words" || axis.kind === "symlog" || axis.own) {
      found.tickvals = axis.ticks.map(([at]) => place(axis, at));
      found.ticktext = axis.ticks.map(([, text]) => text);
    } else if (log) {
      found.tickformat = axis.percent ? "~%" : "~s";
      found.ticksuffix = axis.unit;
      found.dtick = range[1] - range[0] < 2 ? "D2" : undefined;
    }
    return found;
  }

  class Plot {
    constructor(figure) {
      this.figure = figure;
      this.charts = [...figure.querySelectorAll("script.chart")].map((s) => JSON.parse(s.textContent));
      this.chosen = {};
      this.place = document.createElement("div");
      this.place.className = "live";
      this.place.setAttribute("role", "group");
      this.place.setAttribute("aria-label", figure.querySelector("figcaption").textContent.trim());
      figure.prepend(this.place);
      this.controls = document.createElement("div");
      this.controls.className = "controls";
      figure.prepend(this.controls);
      this.choose(0);
      figure.classList.add("drawn");
      new ResizeObserver(() => figure.clientWidth !== this.width && this.draw()).observe(figure);
      dark.addEventListener("change", () => this.draw());
    }

    /* Take one of the charts, and ask for what tells its facets apart. */
    choose(index) {
      this.chart = this.charts[index];
      this.controls.replaceChildren();
      if (this.charts.length > 1) {
        const titles = this.charts.map((c) => c.title);
        this.ask("Figure", titles, titles[index], (title) => this.choose(titles.indexOf(title)));
      }
      const first = "first" in this.figure.dataset;
      for (const factor of unique(this.chart.facets.flatMap((f) => Object.keys(f.where)))) {
        const levels = unique(this.chart.facets.map((f) => f.where[factor]));
        if (levels.length < 2) continue;
        if (!levels.includes(this.chosen[factor])) this.chosen[factor] = first ? levels[0] : "all";
        this.ask(factor, ["all", ...levels], this.chosen[factor], (level) => {
          this.chosen[factor] = level;
          this.draw();
        });
      }
      this.draw();
    }

    ask(title, values, value, then) {
      const label = document.createElement("label");
      const select = document.createElement("select");
      for (const text of values) select.add(new Option(text, text, text === value, text === value));
      select.addEventListener("change", () => then(select.value));
      label.append(`${title} `, select);
      this.controls.append(label);
    }

    facets() {
      const wanted = ([factor, level]) => !(factor in this.chosen) || ["all", level].includes(this.chosen[factor]);
      return this.chart.facets.filter((f) => Object.entries(f.where).every(wanted));
    }

    columns() {
      const least = this.chart.x.kind === "words" ? 420 : 250;
      return Math.max(1, Math.min(this.facets().length, 4, Math.floor(this.width / least)));
    }

    /* Return the axis of the factor with the levels that these facets have: words stand in a row without gaps. */
    factor(facets) {
      const axis = this.chart.x;
      if (axis.kind !== "words") return axis;
      const used = new Set(facets.flatMap((f) => f.lines.flatMap((l) => l.x)));
      const width = Math.max(16, Math.floor((0.36 * this.width) / this.across / 6));
      const kept = axis.ticks.filter(([at]) => used.has(at));
      const rows = new Map(kept.map(([at], row) => [at, row]));
      const ticks = kept.map(([, text], row) => [row, wrap(text, width)]);
      const lines = Math.max(1, ...ticks.map(([, text]) => text.split("<br>").length));
      return { ...axis, ticks, rows, lines, range: [-0.5, kept.length - 0.5] };
    }

    draw() {
      const facets = this.facets();
      const worded = this.chart.x.kind === "words";
      this.width = this.figure.clientWidth;
      this.across = this.columns();
      const down = Math.ceil(facets.length / this.across);
      const series = unique(facets.flatMap((f) => f.lines.map((l) => `${l.colour} ${l.shape}`)));
      this.x = this.factor(facets);
      const inner = worded ? this.x.ticks.length * Math.max(24, 6 + 5.5 * series.length, 15 * this.x.lines) + 12 : 230;
      const legend = this.legend(facets);
      const pixels = down * (inner + 50) + legend + 40;
      const layout = this.base(pixels, legend);
      const gap = { x: worded ? 0.03 : 0.02, y: 50 / (pixels - legend - 40) };
      const data = [];
      const shown = new Set();
      facets.forEach((facet, k) => {
        const [column, row] = [k % this.across, Math.floor(k / this.across)];
        const id = k ? k + 1 : "";
        const wide = (1 - gap.x * (this.across - 1)) / this.across;
        const high = (1 - gap.y * (down - 1)) / down;
        const left = column * (wide + gap.x);
        const top = 1 - row * (high + gap.y);
        this.axes(layout, id, [left, left + wide], [Math.max(0, top - high), top], column, facets.length - k <= this.across);
        if (facet.title && facets.length > 1) {
          const at = { x: left + wide / 2, y: top, xref: "paper", yref: "paper", xanchor: "center", yanchor: "bottom" };
          layout.annotations.push({ ...at, text: facet.title, showarrow: false, font: { size: 12 } });
        }
        const where = facets.length > 1 || this.charts.length > 1 ? Object.values(facet.where) : [];
        facet.lines.forEach((line) => data.push(this.trace(line, where, id, shown, worded, series)));
        for (const guide of facet.guides) data.push(this.guide(guide, id, shown));
      });
      const config = {
        displaylogo: false, modeBarButtonsToRemove: ["lasso2d", "select2d"],
        showSendToCloud: false, plotlyServerURL: "", // the library would offer to upload what is shown
      };
      Plotly.react(this.place, data, layout, config);
    }

    /* Return the height of the legend, whose names stand in columns. */
    legend(facets) {
      const guides = unique(facets.flatMap((f) => f.guides.map((g) => g.title)));
      const names = unique([...facets.flatMap((f) => f.lines.map((l) => this.names(l).join(", "))), ...guides]);
      const wide = 7 * Math.max(...names.map((n) => n.length)) + 50;
      return 27 * Math.ceil(names.length / Math.max(1, Math.floor(this.width / wide))) + 34;
    }

    names(line) {
      return [this.chart.colours[line.colour], this.chart.shapes[line.shape]].filter(Boolean);
    }

    base(pixels, legend) {
      return {
        width: this.width,
        height: pixels,
        margin: { l: 10, r: 10, t: legend + 24, b: 10 },
        paper_bgcolor: "rgba(0,0,0,0)",
        plot_bgcolor: "rgba(0,0,0,0)",
        font: { family: style("--font"), size: 12, color: style("--ink") },
        hoverlabel: { bgcolor: style("--tint"), bordercolor: style("--line"), font: { color: style("--ink") }, align: "left" },
        legend: { orientation: "h", xref: "container", x: 0, yref: "container", y: 1 - 30 / pixels, yanchor: "top" },
        annotations: [],
        modebar: { bgcolor: "rgba(0,0,0,0)", color: style("--soft"), activecolor: style("--blue") },
        hovermode: "closest",
        dragmode: window.matchMedia("(pointer: coarse)").matches ? false : "zoom",
      };
    }

    axes(layout, id, across, down, column, lowest) {
      const worded = this.chart.x.kind === "words";
      const own = { ...axisLayout({ ...this.x, own: true }), showgrid: false };
      const value = { ...axisLayout(this.chart.y), gridcolor: style("--line") };
      const [x, y] = worded ? [value, own] : [own, value];
      if (worded) y.range = [...y.range].reverse();
      const room = ((across[1] - across[0]) * this.width * (worded ? 0.5 : 0.9)) / 7; // characters, about
      const titles = worded ? [this.chart.y.title, this.chart.x.title] : [this.chart.x.title, wrap(this.chart.y.title, 30)];
      titles[0] = wrap(titles[0], room);
      const common = { linecolor: style("--soft"), tickcolor: style("--line"), showline: true };
      layout[`xaxis${id}`] = {
        ...common, ...x, domain: across, anchor: `y${id}`, showticklabels: lowest,
        title: { text: lowest ? titles[0] : "", standoff: 6, font: { size: 12 } }, matches: id ? "x" : undefined,
      };
      layout[`yaxis${id}`] = {
        ...common, ...y, domain: down, anchor: `x${id}`, showticklabels: column === 0,
        title: { text: column === 0 ? titles[1] : "", standoff: 6, font: { size: 12 } }, matches: id ? "y" : undefined,
      };
    }

    along(value) {
      return this.x.rows ? this.x.rows.get(value) : place(this.x, value);
    }

    /* Return what is drawn of a line; what one points at names the path, and what else its facet is of. */
    trace(line, where, id, shown, worded, series) {
      const palette = COLOURS[dark.matches ? "dark" : "light"];
      const colour = palette[line.colour % palette.length];
      const names = this.names(line);
      const key = `${line.colour} ${line.shape}`;
      const aside = worded ? (0.7 * (series.indexOf(key) - (series.length - 1) / 2)) / Math.max(series.length, 2) : 0;
      const at = line.x.map((v) => this.along(v) + aside);
      const value = line.y.map((v) => place(this.chart.y, v));
      const ends = {
        type: "data", symmetric: false, thickness: 1.2, width: 3,
        array: line.high.map((v, k) => place(this.chart.y, v) - value[k]),
        arrayminus: line.low.map((v, k) => value[k] - place(this.chart.y, v)),
      };
      const solid = line.shape === 0;
      const shape = SHAPES[line.colour % SHAPES.length] + (solid ? "" : "-open");
      const first = !shown.has(key);
      shown.add(key);
      return {
        type: "scatter", mode: line.joined && !worded ? "lines+markers" : "markers", name: names.join(", "),
        x: worded ? value : at, y: worded ? at : value, [worded ? "error_x" : "error_y"]: ends,
        xaxis: `x${id}`, yaxis: `y${id}`, legendgroup: key, showlegend: first && names.length > 0,
        marker: { color: colour, symbol: shape, size: 7, line: { color: colour, width: 1.4 } },
        line: { color: colour, width: 1.2, dash: solid ? "solid" : "dot" },
        text: line.text, hovertemplate: `%{text}<extra>${[...names, ...where].join("<br>")}</extra>`,
      };
    }

    guide(guide, id, shown) {
      const first = !shown.has(guide.title) && guide.x.length > 0;
      shown.add(guide.title);
      const worded = this.chart.x.kind === "words";
      const at = guide.x.map((v) => this.along(v));
      const value = guide.y.map((v) => place(this.chart.y, v));
      return {
        type: "scatter", mode: "lines", name: guide.title, legendgroup: guide.title, showlegend: first,
        x: worded ? value : at, y: worded ? at : value, xaxis: `x${id}`, yaxis: `y${id}`, hoverinfo: "name",
        line: { color: style("--soft"), width: 1.4, dash: DASHES[guide.style] },
      };
    }
  }

  /* Return the number that a text begins with, in its unit without prefix; null where it begins with none. */
  function numberOf(text) {
    const found = /^[^\d+\u2212-]{0,2}([+\u2212-]?[\d,]*\.?\d+(?:e[+-]?\d+)?)\s*(?:(Ki|Mi|Gi|[nµmkMGT])(?=B|s\b|bit\/s|octets|$))?/
      .exec(text.replace(/\u00a0/g, " ").trim());
    if (!found) return null;
    const prefixes = { n: 1e-9, "µ": 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };
    return Number(found[1].replace(/,/g, "").replace("\u2212", "-")) * (prefixes[found[2]] ?? 1);
  }

  function sort(table, column, down) {
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => ({ row, text: row.cells[column].textContent.trim() }));
    for (const r of rows) {
      const value = r.row.cells[column].dataset.value;
      r.number = value === undefined ? numberOf(r.text) : Number.isNaN(Number(value)) ? null : Number(value);
    }
    const numeric = rows.filter((r) => r.number !== null).length * 2 > rows.filter((r) => r.text).length;
    const by = (a, b) => {
      if (!numeric) return a.text.localeCompare(b.text, "en", { numeric: true }) * (down ? -1 : 1);
      if (a.number === null || b.number === null) return (a.number === null) - (b.number === null); // always last
      return (a.number - b.number) * (down ? -1 : 1);
    };
    body.append(...rows.sort(by).map((r) => r.row));
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const down = heading.getAttribute("aria-sort") === "ascending";
        for (const other of headings) other.removeAttribute("aria-sort");
        heading.setAttribute("aria-sort", down ? "descending" : "ascending");
        sort(table, column, down);
      });
    });
  }

  /* A click chooses all of what is there to be copied: pages that are files may not write to the clipboard. */
  for (const text of document.querySelectorAll("pre.copied")) {
    text.addEventListener("click", () => getSelection().isCollapsed && getSelection().selectAllChildren(text));
  }

  if (window.Plotly) {
    const near = new IntersectionObserver((entries) => {
      for (const entry of entries.filter((e) => e.isIntersecting)) {
        near.unobserve(entry.target);
        new Plot(entry.target);
      }
    }, { rootMargin: "400px" });
    for (const script of document.querySelectorAll("figure script.chart:first-of-type")) near.observe(script.parentElement);
  }
})();
