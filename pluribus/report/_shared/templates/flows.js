// Draws how the clusters of a member flow into those of the result. All text is set as text, never as HTML.
(() => {
  "use strict";
  const members = JSON.parse(document.getElementById("flow-data").textContent);
  const SVG = "http://www.w3.org/2000/svg";
  const SLOT = 17, GAP = 6, FULL = 260, BOX = 12, LETTER = 7; // pixels

  function element(parent, tag, attributes = {}, text = null) {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== null) made.textContent = text;
    parent.append(made);
    return made;
  }

  const share = (part, whole) => {
    const percent = (100 * part) / whole;
    return percent > 0 && percent < 1 ? "<1%" : `${Math.round(percent)}%`;
  };

  // Boxes from top to bottom, none nearer to the next than a line of text is high.
  function stack(boxes, total) {
    let y = 0;
    return boxes.map(([, size]) => {
      const height = Math.max(2, (FULL * size) / total);
      const slot = Math.max(height, SLOT);
      const box = { y: y + (slot - height) / 2, height, used: 0 };
      y += slot + GAP;
      box.end = y - GAP;
      return box;
    });
  }

  function shorten(name, suffix, width) {
    const room = Math.max(4, Math.floor(width / LETTER) - suffix.length);
    const end = Math.floor((room - 1) / 2); // names may differ at either end
    return (name.length > room ? `${name.slice(0, room - 1 - end)}…${name.slice(-end)}` : name) + suffix;
  }

  function draw(plot) {
    const member = members[Number(plot.dataset.flow)];
    const width = plot.clientWidth;
    plot.replaceChildren();
    if (!width || !member.streams.length) return;
    const total = member.sources.reduce((sum, box) => sum + box[1], 0);
    const left = stack(member.sources, total), right = stack(member.targets, total);
    const height = Math.max(left.at(-1).end, right.at(-1).end);
    for (const side of [left, right]) {
      const shift = (height - side.at(-1).end) / 2; // the shorter side stands in the middle
      side.forEach((box) => { box.y += shift; });
    }
    const named = width < 560 ? (box) => box[0] : (box) => (/^\d+$/.test(box[0]) ? `cluster ${box[0]}` : box[0]);
    const room = (names) => Math.min(width * 0.34, LETTER * (7 + Math.max(...names.map((name) => name.length))));
    const margin = { left: room(member.sources.map((box) => box[0])), right: room(member.targets.map(named)) };
    const x0 = margin.left + BOX, x1 = width - margin.right - BOX, xm = (x0 + x1) / 2;
    const svg = element(plot, "svg", { width, height: height + 2, viewBox: `0 -1 ${width} ${height + 2}`, "aria-hidden": "true" });

    // Streams leave a box in the order of their targets, and arrive in the order of their sources.
    const streams = member.streams.map(([from, to, size]) => ({ from, to, size, thick: Math.max(1, (FULL * size) / total) }));
    for (const s of streams) { s.y0 = left[s.from].y + left[s.from].used; left[s.from].used += (FULL * s.size) / total; }
    for (const s of [...streams].sort((a, b) => a.to - b.to || a.from - b.from)) {
      s.y1 = right[s.to].y + right[s.to].used;
      right[s.to].used += (FULL * s.size) / total;
    }
    for (const s of streams) {
      const [source, target] = [member.sources[s.from], member.targets[s.to]];
      const path = element(svg, "path", {
        class: "stream", fill: target[2],
        d: `M${x0},${s.y0} C${xm},${s.y0} ${xm},${s.y1} ${x1},${s.y1} v${s.thick} C${xm},${s.y1 + s.thick} ${xm},${s.y0 + s.thick} ${x0},${s.y0 + s.thick} Z`,
      });
      element(path, "title", {}, `${source[0]} → ${target[0]}: ${s.size.toLocaleString("en")} objects, ${share(s.size, source[1])} of the left, ${share(s.size, target[1])} of the right`);
    }
    const sides = [[member.sources, left, margin.left, "end", -6, margin.left], [member.targets, right, x1, "start", BOX + 6, margin.right]];
    for (const [boxes, places, x, anchor, offset, space] of sides) {
      boxes.forEach(([, size, color], i) => {
        const name = color ? named(boxes[i]) : boxes[i][0];
        const { y, height: tall } = places[i];
        const box = element(svg, "rect", { class: color ? "target" : "source", x, y, width: BOX, height: tall, rx: 2 });
        if (color) box.setAttribute("fill", color);
        const words = shorten(name, ` · ${share(size, total)}`, space - 6);
        const label = element(svg, "text", { x: x + offset, y: y + tall / 2, "text-anchor": anchor, "dominant-baseline": "central" }, words);
        for (const part of [box, label]) element(part, "title", {}, `${name}: ${size.toLocaleString("en")} objects`);
      });
    }
  }

  const plots = [...document.querySelectorAll("[data-flow]")];
  const sizes = new ResizeObserver((entries) => entries.forEach((entry) => {
    const width = Math.round(entry.contentRect.width);
    if (entry.target.drawnWidth !== width) { entry.target.drawnWidth = width; draw(entry.target); }
  }));
  plots.forEach((plot) => { plot.drawnWidth = Math.round(plot.clientWidth); draw(plot); sizes.observe(plot); });

  const menu = document.getElementById("flow-member");
  function choose() {
    const plot = document.getElementById("flow-chosen");
    const member = members[Number(menu.value)];
    plot.dataset.flow = menu.value;
    plot.setAttribute("aria-label", `Flows from the clusters of ${member.name} to those of the result: ${member.words}`);
    const figure = plot.closest("figure");
    figure.querySelector(".flow-facts").textContent = member.facts;
    figure.querySelector(".flow-words").textContent = member.words;
    figure.querySelector("figcaption").textContent = member.note;
    draw(plot);
  }
  if (menu) { menu.addEventListener("change", choose); choose(); } // a browser may remember the last choice
})();
