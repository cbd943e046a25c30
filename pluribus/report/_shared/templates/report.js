// Draws the figures in the colors of the page, light or dark, and prepares the page for print.
(() => {
  "use strict";
  const figures = JSON.parse(document.getElementById("figure-data").textContent);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const touch = window.matchMedia("(pointer: coarse)").matches;
  const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function themed(figure) {
    const narrow = window.innerWidth < 640;
    const ink = token("--ink-soft");
    const layout = structuredClone(figure.layout);
    Object.assign(layout, {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: token("--sans"), size: narrow ? 11 : 12.5, color: ink },
      hoverlabel: { bgcolor: token("--card"), bordercolor: token("--line-strong"), font: { color: token("--ink") }, align: "left" },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: token("--line-strong"), activecolor: ink },
      autosize: true,
      dragmode: touch ? false : "zoom",
    });
    for (const name of Object.keys(layout).filter((key) => /^[xy]axis/.test(key))) {
      layout[name].gridcolor = token("--line");
      if (touch) layout[name].fixedrange = true; // a finger on a figure scrolls the page
    }
    for (const note of layout.annotations || []) {
      Object.assign(note, { bgcolor: token("--card"), bordercolor: token("--line-strong"), font: { color: token("--ink"), size: 12 }, opacity: 0.9 });
    }
    return layout;
  }

  function prepared(figure) {
    if (figure.pairs && !figure.data[0].text) {
      figure.data[0].text = figure.pairs.map((row) => figure.pairs.map((column) => `${row}<br>${column}`));
    }
    return figure.data;
  }

  const plots = [...document.querySelectorAll("[data-figure]")];

  const changed = {};

  async function drawOne(plot) {
    const figure = changed[plot.dataset.figure] || figures[plot.dataset.figure];
    const buttons = plot.dataset.figure === "map" ? ["zoom2d", "pan2d", "resetScale2d", "toImage"] : ["toImage"];
    await Plotly.react(plot, prepared(figure), themed(figure), {
      responsive: true, displaylogo: false, displayModeBar: !touch, modeBarButtons: [buttons],
      toImageButtonOptions: { filename: plot.dataset.figure, scale: 2 },
    });
    plot.classList.add("drawn");
  }

  async function draw() {
    for (const plot of plots) await drawOne(plot);
    document.documentElement.classList.add("all-drawn");
  }

  // Another script may show a figure in another way.
  document.addEventListener("change-figure", ({ detail: { name, change } }) => {
    changed[name] = change(figures[name]);
    plots.filter((plot) => plot.dataset.figure === name).forEach(drawOne);
  });

  draw();
  dark.addEventListener("change", draw);

  // Print is always light, and shows what is folded.
  window.addEventListener("beforeprint", () => {
    document.documentElement.classList.add("print");
    for (const fold of document.querySelectorAll("details:not([open])")) { fold.open = true; fold.dataset.folded = "yes"; }
    draw();
  });
  window.addEventListener("afterprint", () => {
    document.documentElement.classList.remove("print");
    for (const fold of document.querySelectorAll("details[data-folded]")) { fold.open = false; delete fold.dataset.folded; }
    draw();
  });

  // The table of contents shows where the reader is.
  const links = new Map([...document.querySelectorAll(".contents a")].map((a) => [a.hash.slice(1), a]));
  const spy = new IntersectionObserver((entries) => {
    for (const entry of entries.filter((e) => e.isIntersecting)) {
      links.forEach((link, id) => link.toggleAttribute("aria-current", id === entry.target.id));
    }
  }, { rootMargin: "-20% 0px -70% 0px" });
  document.querySelectorAll("main > section[id]").forEach((section) => spy.observe(section));
})();
