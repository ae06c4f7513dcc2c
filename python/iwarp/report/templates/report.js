/* SPDX-License-Identifier: GPL-2.0-only */
/* Draws the charts that the page holds, in place of their still pictures, and lets tables be sorted. */
"use strict";
(() => {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const coarse = window.matchMedia("(pointer: coarse)");
  const ON_DARK = { // the colours of the specification, as a dark ground wants them
    "#0072B2": "#56B4E9", "#D55E00": "#FF8F4D", "#009E73": "#2CC99B",
    "#CC79A7": "#E6A8CB", "#E69F00": "#F2BE4B", "#56B4E9": "#A8D8F7",
  };

  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const unique = (values) => [...new Set(values)];

  /* Return the looks of the page for Vega-Lite, in a figure so wide. */
  function looks(width) {
    const [ink, soft, line] = [style("--ink"), style("--soft"), style("--line")];
    return {
      background: "transparent",
      font: style("--font"),
      view: { stroke: null },
      axis: { labelColor: ink, titleColor: ink, titleFontWeight: "normal", labelFontSize: 12, titleFontSize: 12,
              gridColor: line, domainColor: soft, tickColor: line },
      legend: { orient: "top", direction: "horizontal", labelColor: ink, labelFontSize: 12, labelLimit: 360, symbolSize: 60,
                columns: Math.max(1, Math.floor(width / 230)), offset: 4, // beside what the words of an axis take
                layout: { top: { direction: width < 640 ? "vertical" : "horizontal", anchor: "start" } } },
      header: { labelColor: ink, labelFontSize: 12 },
      facet: { spacing: 18 },
      point: { size: 60 },
    };
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
      new ResizeObserver(() => figure.clientWidth !== this.width && this.draw()).observe(figure);
      dark.addEventListener("change", () => this.draw());
    }

    /* Take one of the charts, and ask for what tells its facets apart. */
    choose(index) {
      this.chart = this.charts[index];
      this.controls.replaceChildren();
      if (this.charts.length > 1) {
        const titles = this.charts.map((c) => c.usermeta.title);
        this.ask("Figure", titles, titles[index], (title) => this.choose(titles.indexOf(title)));
      }
      const first = "first" in this.figure.dataset;
      for (const { title, field } of this.chart.usermeta.factors) {
        const levels = unique(this.chart.data.values.map((row) => row[field]));
        if (levels.length < 2) continue;
        if (!levels.includes(this.chosen[title])) this.chosen[title] = first ? levels[0] : "all";
        this.ask(title, ["all", ...levels], this.chosen[title], (level) => {
          this.chosen[title] = level;
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

    /* Return the rows that are of the levels chosen. */
    rows() {
      const wanted = this.chart.usermeta.factors.filter(({ title }) => ![undefined, "all"].includes(this.chosen[title]));
      return this.chart.data.values.filter((row) => wanted.every(({ title, field }) => row[field] === this.chosen[title]));
    }

    /* Draw the rows chosen: labels take what room they need, which is known when they are drawn. */
    async draw() {
      this.width = this.figure.clientWidth;
      const turn = (this.turn = (this.turn ?? 0) + 1);
      const rows = this.rows();
      const { worded, series } = this.chart.usermeta;
      const facets = unique(rows.map((row) => row.facet)).length;
      const across = Math.max(1, Math.min(facets, 4, Math.floor(this.width / (worded ? 420 : 250))));
      const levels = unique(rows.map((row) => row.word)).length;
      const size = { width: this.width / across - 60, height: worded ? levels * Math.max(34, 9 * series + 6) : 230 };
      for (let more = 3; more; more--) {
        const shown = await vegaEmbed(this.place, this.specification(rows, across, size), {
          ast: true, // so that the page's policy may forbid code made of texts
          renderer: "svg", tooltip: { theme: dark.matches ? "dark" : "light" },
          actions: false, // files are beside the page
        });
        if (turn !== this.turn) return;
        const over = this.place.querySelector("svg").width.baseVal.value - this.width;
        if (Math.abs(over) < 1 || size.width <= 40) break;
        shown.finalize();
        size.width = Math.max(40, size.width - over / across);
      }
      this.figure.classList.add("drawn");
    }

    specification(rows, across, size) {
      let text = JSON.stringify({ ...this.chart, data: { values: rows } });
      if (dark.matches) text = text.replace(/#[0-9A-F]{6}/g, (colour) => ON_DARK[colour] ?? colour);
      const found = JSON.parse(text.replaceAll('"white"', JSON.stringify(style("--paper"))));
      const part = found.spec ?? found;
      Object.assign(part, size);
      if (found.spec) found.columns = across;
      if (!coarse.matches) { // a finger moves the page
        const zoom = { type: "interval", zoom: "wheel![event.shiftKey]", ...(this.chart.usermeta.worded ? { encodings: ["x"] } : {}) };
        part.layer[1].params = [{ name: "zoomed", select: zoom, bind: "scales" }];
      }
      return { ...found, padding: 4, config: looks(this.width) };
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

  if (window.vegaEmbed) {
    const near = new IntersectionObserver((entries) => {
      for (const entry of entries.filter((e) => e.isIntersecting)) {
        near.unobserve(entry.target);
        new Plot(entry.target);
      }
    }, { rootMargin: "400px" });
    for (const script of document.querySelectorAll("figure script.chart:first-of-type")) near.observe(script.parentElement);
  }
})();
