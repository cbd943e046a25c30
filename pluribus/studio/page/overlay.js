// What lies above the map: names of clusters, pins, the object in hand and its reach, the lasso, and what has moved.

import { colorOf } from "./looks.js";

const FLASH = 900; // milliseconds
const MOST_FLASHES = 1500;

export class Overlay {
  constructor(canvas, map) {
    this.canvas = canvas;
    this.map = map;
    this.context = canvas.getContext("2d");
    this.flashes = { items: [], since: 0 };
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(this.canvas.clientWidth * ratio);
    this.canvas.height = Math.round(this.canvas.clientHeight * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  flash(items) {
    const step = Math.max(1, Math.ceil(items.length / MOST_FLASHES));
    this.flashes = { items: items.filter((_, at) => at % step === 0), since: performance.now() };
  }

  get moving() { return performance.now() - this.flashes.since < FLASH && this.flashes.items.length > 0; }

  // scene: { clusters, pins, selected, focus, drag, lasso, follow, links }
  draw(scene) {
    const c = this.context, style = getComputedStyle(document.documentElement);
    const [front, back] = ["--front", "--back"].map((name) => style.getPropertyValue(name));
    c.clearRect(0, 0, this.canvas.clientWidth, this.canvas.clientHeight);
    if (!this.map.n) return;
    c.save();
    if (this.map.other) { this.halves(c, front); c.translate(this.map.width, 0); }
    this.lines(c, scene.links, style.getPropertyValue("--line"));
    for (const item of scene.follow ?? []) this.ring(c, item, front, 1, 2);
    for (const item of scene.pins) this.ring(c, item, front, 2, 3);
    if (scene.selected.size <= 3000) for (const item of scene.selected) this.ring(c, item, front, 1.2, 1);
    if (scene.focus >= 0) this.ring(c, scene.focus, front, 3, 5);
    this.flashing(c, front);
    if (!scene.drag) this.names(c, scene.clusters, front, back);
    if (scene.lasso.length) this.polygon(c, scene.lasso, front);
    if (scene.drag) this.hand(c, scene.drag, front);
    c.restore();
  }

  at(item) { return this.map.toScreen(this.map.positions[2 * item], this.map.positions[2 * item + 1]); }

  ring(c, item, color, width, gap) {
    const [x, y] = this.at(item);
    c.beginPath();
    c.arc(x, y, this.map.pointSize() / 2 + gap, 0, 2 * Math.PI);
    c.strokeStyle = color;
    c.lineWidth = width;
    c.stroke();
  }

  lines(c, links, color) {
    if (!links?.length) return;
    c.beginPath();
    for (const [a, b] of links) { c.moveTo(...this.at(a)); c.lineTo(...this.at(b)); }
    c.strokeStyle = color;
    c.lineWidth = 1;
    c.stroke();
  }

  flashing(c, color) {
    const age = (performance.now() - this.flashes.since) / FLASH;
    if (age >= 1) return;
    c.globalAlpha = 1 - age;
    for (const item of this.flashes.items) this.ring(c, item, color, 2, 2 + 8 * age);
    c.globalAlpha = 1;
  }

  names(c, clusters, front, back) {
    c.font = "600 13px system-ui, sans-serif";
    c.textAlign = "center";
    c.lineJoin = "round";
    for (const cluster of clusters.slice(0, 40)) {
      const [x, y] = this.map.toScreen(...cluster.center);
      c.strokeStyle = back;
      c.lineWidth = 4;
      c.strokeText(cluster.name, x, y);
      c.fillStyle = front;
      c.fillText(cluster.name, x, y);
    }
  }

  polygon(c, places, color) {
    c.beginPath();
    for (const place of places) c.lineTo(...this.map.toScreen(...place));
    c.closePath();
    c.strokeStyle = color;
    c.setLineDash([5, 4]);
    c.stroke();
    c.setLineDash([]);
  }

  // The object in hand, the circle of its reach, and what would happen.
  hand(c, drag, front) {
    const [x, y] = this.map.toScreen(drag.x, drag.y);
    c.beginPath();
    c.arc(x, y, drag.reach * this.map.scale, 0, 2 * Math.PI);
    c.strokeStyle = front;
    c.setLineDash([4, 4]);
    c.stroke();
    c.setLineDash([]);
    c.beginPath();
    c.arc(x, y, this.map.pointSize() / 2 + 3, 0, 2 * Math.PI);
    c.fillStyle = drag.joins?.length ? colorOf(drag.joins[0]) : front;
    c.fill();
  }

  halves(c, color) {
    c.beginPath();
    c.moveTo(this.map.width, 0);
    c.lineTo(this.map.width, this.canvas.clientHeight);
    c.strokeStyle = color;
    c.stroke();
    c.font = "13px system-ui, sans-serif";
    c.fillStyle = color;
    c.textAlign = "left";
    c.fillText("then", 8, 18);
    c.fillText("now", this.map.width + 8, 18);
  }
}
