// The map: all objects as points, drawn by WebGL2. Coordinates are those of the canvas of the session (1000 × 800).

import { rgbOf, shapeOf } from "./looks.js";

const VERTEX = `#version 300 es
in vec2 place; in vec4 tint; in float shape;
uniform vec2 scale, shift; uniform float size;
out vec4 color; flat out int kind;
void main() {
  gl_Position = vec4(place * scale + shift, 0.0, 1.0);
  gl_PointSize = size; color = tint; kind = int(shape + 0.5);
}`;

const FRAGMENT = `#version 300 es
precision mediump float;
in vec4 color; flat in int kind; out vec4 pixel;
void main() {
  vec2 p = 2.0 * gl_PointCoord - 1.0;
  float d;
  if (kind == 1) d = abs(p.x) + abs(p.y);
  else if (kind == 2) d = max(abs(p.x), abs(p.y)) * 1.25;
  else if (kind == 3) d = max(p.y * 1.1, abs(p.x) * 1.4 - p.y * 0.6 + 0.15);
  else if (kind == 4) d = max(abs(p.x), abs(p.y)) + 2.0 * max(min(abs(p.x), abs(p.y)) - 0.3, 0.0);
  else d = length(p);
  if (d > 1.0) discard;
  pixel = vec4(color.rgb, color.a) * smoothstep(1.0, 0.85, d);
}`;

export class PointMap {
  constructor(canvas) {
    this.canvas = canvas;
    this.gl = canvas.getContext("webgl2", { antialias: false, premultipliedAlpha: true, preserveDrawingBuffer: true });
    if (!this.gl) throw new Error("This browser has no WebGL2, which the map needs.");
    this.view = { zoom: 1, x: 500, y: 400 };
    this.n = 0;
    this.other = null; // colors of another state, to compare with
    this.start();
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => { this.start(); this.upload(); this.draw(); });
  }

  start() {
    const gl = this.gl;
    const program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    gl.useProgram(program);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.at = Object.fromEntries(["place", "tint", "shape"].map((name) => [name, gl.getAttribLocation(program, name)]));
    this.uniform = Object.fromEntries(["scale", "shift", "size"].map((name) => [name, gl.getUniformLocation(program, name)]));
    this.buffers = Object.fromEntries(["place", "tint", "shape", "other", "otherShape"].map((name) => [name, gl.createBuffer()]));
  }

  setPositions(positions) {
    this.positions = positions;
    this.n = positions.length / 2;
    this.tint = new Uint8Array(4 * this.n);
    this.shape = new Uint8Array(this.n);
    this.grid = null;
    this.upload();
  }

  upload() {
    this.fill("place", this.positions);
    this.fill("tint", this.tint);
    this.fill("shape", this.shape);
  }

  fill(name, values) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[name]);
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
  }

  // Pinned objects are where the user put them.
  place(items, x, y) {
    for (const item of items) { this.positions[2 * item] = x; this.positions[2 * item + 1] = y; }
    this.fill("place", this.positions);
    this.grid = null; // made when it is needed
  }

  // Color is the cluster, opacity the certainty; what is not selected turns gray if anything is.
  setLabels(labels, confidence, selected) {
    paint(this.tint, this.shape, labels, confidence, selected);
    this.fill("tint", this.tint);
    this.fill("shape", this.shape);
  }

  compareWith(labels, confidence) {
    this.other = labels && { tint: new Uint8Array(4 * this.n), shape: new Uint8Array(this.n) };
    if (this.other) {
      paint(this.other.tint, this.other.shape, labels, confidence, null);
      this.fill("other", this.other.tint);
      this.fill("otherShape", this.other.shape);
    }
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth, clientHeight } = this.canvas;
    this.canvas.width = Math.max(1, Math.round(clientWidth * ratio));
    this.canvas.height = Math.max(1, Math.round(clientHeight * ratio));
    this.ratio = ratio;
  }

  // Pixels for a unit of the map, and where a place of the map is on the screen.
  get scale() { return this.view.zoom * Math.min(this.width / 1000, this.canvas.clientHeight / 800); }
  get width() { return this.canvas.clientWidth / (this.other ? 2 : 1); }
  toScreen(x, y) {
    return [(x - this.view.x) * this.scale + this.width / 2, (y - this.view.y) * this.scale + this.canvas.clientHeight / 2];
  }
  toMap(px, py) {
    return [(px % this.width - this.width / 2) / this.scale + this.view.x, (py - this.canvas.clientHeight / 2) / this.scale + this.view.y];
  }

  pointSize() {
    const crowd = Math.max(2.5, Math.min(11, 240 / Math.sqrt(this.n)));
    return Math.min(24, crowd * Math.sqrt(this.view.zoom));
  }

  draw() {
    const gl = this.gl;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (!this.n) return;
    if (this.other) {
      const half = Math.floor(this.canvas.width / 2);
      this.drawIn(0, half, "other", "otherShape");
      this.drawIn(half, this.canvas.width - half, "tint", "shape");
    } else this.drawIn(0, this.canvas.width, "tint", "shape");
  }

  drawIn(left, width, tint, shape) {
    const gl = this.gl;
    gl.viewport(left, 0, width, this.canvas.height);
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(left, 0, width, this.canvas.height);
    this.attribute("place", "place", 2, gl.FLOAT, false);
    this.attribute("tint", tint, 4, gl.UNSIGNED_BYTE, true);
    this.attribute("shape", shape, 1, gl.UNSIGNED_BYTE, false);
    const sx = 2 * this.scale / this.width, sy = -2 * this.scale / this.canvas.clientHeight;
    gl.uniform2f(this.uniform.scale, sx, sy);
    gl.uniform2f(this.uniform.shift, -this.view.x * sx, -this.view.y * sy);
    gl.uniform1f(this.uniform.size, this.pointSize() * this.ratio);
    gl.drawArrays(gl.POINTS, 0, this.n);
    gl.disable(gl.SCISSOR_TEST);
  }

  attribute(name, buffer, parts, type, normalized) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[buffer]);
    gl.enableVertexAttribArray(this.at[name]);
    gl.vertexAttribPointer(this.at[name], parts, type, normalized, 0, 0);
  }

  // The object nearest to a place on the screen, within a few pixels; -1 if there is none.
  pick(px, py) {
    const [x, y] = this.toMap(px, py);
    const reach = Math.max(6, this.pointSize()) / this.scale;
    this.grid ??= gridOf(this.positions, this.n);
    return this.grid.nearest(x, y, reach);
  }

  // The objects within a polygon of places on the map.
  within(polygon) {
    const items = [];
    const xs = polygon.map((p) => p[0]), ys = polygon.map((p) => p[1]);
    const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    for (let i = 0; i < this.n; i++) {
      const x = this.positions[2 * i], y = this.positions[2 * i + 1];
      if (x >= x0 && x <= x1 && y >= y0 && y <= y1 && inside(x, y, polygon)) items.push(i);
    }
    return items;
  }
}

function paint(tint, shape, labels, confidence, selected) {
  for (let i = 0; i < labels.length; i++) {
    let [r, g, b] = rgbOf(labels[i]);
    let alpha = 0.3 + 0.7 * confidence[i];
    if (selected && !selected.has(i)) { r = g = b = 150; alpha = 0.3; }
    tint[4 * i] = r * alpha; tint[4 * i + 1] = g * alpha; tint[4 * i + 2] = b * alpha; tint[4 * i + 3] = 255 * alpha;
    shape[i] = shapeOf(labels[i]);
  }
}

function inside(x, y, polygon) {
  let odd = false;
  for (let a = 0, b = polygon.length - 1; a < polygon.length; b = a++) {
    const [ax, ay] = polygon[a], [bx, by] = polygon[b];
    if ((ay > y) !== (by > y) && x < (bx - ax) * (y - ay) / (by - ay) + ax) odd = !odd;
  }
  return odd;
}

// A grid over the map that finds the nearest object without looking at all of them.
function gridOf(positions, n) {
  const side = Math.max(1, Math.min(512, Math.ceil(Math.sqrt(n / 2))));
  const cellOf = (x, y) => Math.min(side - 1, Math.max(0, Math.floor(x / 1000 * side))) * side
    + Math.min(side - 1, Math.max(0, Math.floor(y / 800 * side)));
  const starts = new Uint32Array(side * side + 1), cells = new Uint32Array(n), items = new Uint32Array(n);
  for (let i = 0; i < n; i++) { cells[i] = cellOf(positions[2 * i], positions[2 * i + 1]); starts[cells[i] + 1]++; }
  for (let c = 0; c < side * side; c++) starts[c + 1] += starts[c];
  const next = starts.slice();
  for (let i = 0; i < n; i++) items[next[cells[i]]++] = i;
  return {
    nearest(x, y, reach) {
      let best = -1, closest = reach * reach;
      const steps = Math.ceil(reach / Math.min(1000, 800) * side) + 1;
      const cx = Math.floor(x / 1000 * side), cy = Math.floor(y / 800 * side);
      for (let gx = Math.max(0, cx - steps); gx <= Math.min(side - 1, cx + steps); gx++) {
        for (let gy = Math.max(0, cy - steps); gy <= Math.min(side - 1, cy + steps); gy++) {
          for (let at = starts[gx * side + gy]; at < starts[gx * side + gy + 1]; at++) {
            const i = items[at], dx = positions[2 * i] - x, dy = positions[2 * i + 1] - y;
            if (dx * dx + dy * dy <= closest) { closest = dx * dx + dy * dy; best = i; }
          }
        }
      }
      return best;
    },
  };
}
