// Draws the levels of the ladder as a tree, and shows a level on the map. All text is set as text, never as HTML.
(() => {
  "use strict";
  const ladder = JSON.parse(document.getElementById("ladder-data").textContent);
  if (!ladder) return;
  const SVG = "http://www.w3.org/2000/svg";
  const FULL = 240, GAP = 5, BOX = 12, HEAD = 26, LABELED = 20, ANNOTATED = 40; // pixels, and clusters with a name

  function element(parent, tag, attributes = {}, text = null) {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== null) made.textContent = text;
    parent.append(made);
    return made;
  }

  function stack(level, total) {
    const least = level.boxes.length > LABELED ? 4 : 15;
    let y = HEAD;
    return level.boxes.map(([, size]) => {
      const height = Math.max(2, (FULL * size) / total), slot = Math.max(height, least);
      const box = { y: y + (slot - height) / 2, height, used: 0 };
      y += slot + GAP;
      box.end = y;
      return box;
    });
  }

  function draw(plot) {
    const width = plot.clientWidth;
    plot.replaceChildren();
    if (!width) return;
    const total = Math.max(...ladder.levels.map((level) => level.boxes.reduce((sum, box) => sum + box[1], 0)));
    const columns = ladder.levels.map((level) => stack(level, total));
    const height = Math.max(...columns.map((boxes) => boxes.at(-1).end));
    for (const boxes of columns) boxes.forEach((box) => { box.y += (height - boxes.at(-1).end) / 2; });
    const step = (width - 2 * BOX - 70) / Math.max(1, columns.length - 1);
    const at = (column) => 16 + column * step;
    const svg = element(plot, "svg", { width, height: height + 2, viewBox: `0 0 ${width} ${height + 2}` });
    ladder.levels.forEach((level, column) => {
      if (!column) return;
      const x0 = at(column - 1) + BOX, x1 = at(column), xm = (x0 + x1) / 2;
      level.boxes.forEach(([number, size, color, parent, held], i) => {
        const from = columns[column - 1][parent], thick = Math.max(1, (FULL * held) / total);
        const y0 = from.y + Math.min(from.used, Math.max(0, from.height - thick)), y1 = columns[column][i].y;
        from.used += (FULL * held) / total;
        const path = element(svg, "path", {
          class: "stream", fill: color,
          d: `M${x0},${y0} C${xm},${y0} ${xm},${y1} ${x1},${y1} v${thick} C${xm},${y1 + thick} ${xm},${y0 + thick} ${x0},${y0 + thick} Z`,
        });
        const above = ladder.levels[column - 1].boxes[parent][0];
        element(path, "title", {}, `${held.toLocaleString("en")} of the ${size.toLocaleString("en")} objects of cluster ${number} lie in cluster ${above}`);
      });
    });
    ladder.levels.forEach((level, column) => {
      const group = element(svg, "g", { class: "level", "data-level": column });
      element(group, "rect", { class: "touch", x: at(column) - 14, y: 0, width: 46, height: height });
      element(group, "text", { class: level.result ? "heading result" : "heading", x: at(column) - 8, y: 14 }, level.result ? `${level.k} ✓` : `${level.k}`);
      level.boxes.forEach(([number, size, color], i) => {
        const { y, height: tall } = columns[column][i];
        const box = element(group, "rect", { x: at(column), y, width: BOX, height: tall, rx: 2, fill: color });
        element(box, "title", {}, `cluster ${number}: ${size.toLocaleString("en")} objects`);
        if (level.boxes.length <= LABELED) {
          element(group, "text", { x: at(column) + BOX + 4, y: y + tall / 2, "dominant-baseline": "central" }, `${number}`);
        }
      });
    });
    mark();
  }

  const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

  // The map with the colors of a level: the same objects at the same places.
  function recolored(figure, level) {
    const marks = figure.data.filter((trace) => trace.customdata);
    const points = marks.flatMap((trace) => trace.x.map((x, i) => ({ x, y: trace.y[i], size: trace.marker.size[i], id: trace.customdata[i][0], name: trace.name })));
    const clusters = [...new Set(level.labels)].sort((a, b) => (a < 0) - (b < 0) || a - b);
    const traces = clusters.map((cluster) => {
      const here = points.filter((_, i) => level.labels[i] === cluster);
      const name = cluster < 0 ? "not clustered" : `cluster ${cluster}`;
      return {
        type: "scatter", mode: "markers", name, x: here.map((p) => p.x), y: here.map((p) => p.y),
        customdata: here.map((p) => [p.id, p.name]),
        marker: {
          ...marks[0].marker, size: here.map((p) => p.size),
          color: cluster < 0 ? ladder.muted : ladder.colors[cluster % ladder.colors.length],
          symbol: cluster < 0 ? "x" : ladder.symbols[Math.floor(cluster / ladder.colors.length) % ladder.symbols.length],
        },
        hovertemplate: `<b>%{customdata[0]}</b><br>${name} of ${level.k}<br>in the result: %{customdata[1]}<extra></extra>`,
      };
    });
    const annotations = level.k > ANNOTATED ? [] : traces.filter((trace) => trace.name !== "not clustered").map((trace) => (
      { x: median(trace.x), y: median(trace.y), text: `<b>${trace.name.slice(8)}</b>`, showarrow: false, borderpad: 2 }));
    const layout = { ...figure.layout, annotations, showlegend: traces.length > 1 && traces.length <= 2 * ladder.colors.length };
    return { ...figure, data: [...figure.data.filter((trace) => !trace.customdata), ...traces], layout };
  }

  let current = ladder.levels.findIndex((level) => level.result);
  function mark() {
    for (const part of document.querySelectorAll("[data-level]")) {
      const here = Number(part.dataset.level) === current;
      part.classList.toggle("shown", here);
      if (part.tagName === "BUTTON") part.setAttribute("aria-pressed", String(here));
    }
  }
  function choose(number) {
    current = number;
    const level = ladder.levels[number];
    const change = (figure) => (level.result ? figure : recolored(figure, level));
    document.dispatchEvent(new CustomEvent("change-figure", { detail: { name: "map", change } }));
    const line = document.getElementById("level-shown");
    line.textContent = level.result ? "" : `The map shows ${level.k === 1 ? "one group" : `${level.k} clusters`}, not the result.`;
    mark();
  }
  document.addEventListener("click", (event) => {
    const part = event.target.closest("[data-level]");
    if (part) choose(Number(part.dataset.level));
  });

  const plot = document.getElementById("ladder-plot");
  const sizes = new ResizeObserver(() => { if (plot.drawnWidth !== plot.clientWidth) { plot.drawnWidth = plot.clientWidth; draw(plot); } });
  if (plot) { plot.drawnWidth = plot.clientWidth; draw(plot); sizes.observe(plot); }
  mark();
})();
