// The studio: gestures become events, the server answers with the new state, and only what changed is drawn again.

import { bytes, download, get, listen, post, Refused, save } from "./api.js";
import { Overlay } from "./overlay.js";
import { make, number, panels } from "./panels.js";
import { PointMap } from "./points.js";

const $ = (id) => document.getElementById(id);
const map = new PointMap($("points"));
const overlay = new Overlay($("overlay"), map);

const studio = {
  state: null, labels: null, confidence: null, selected: new Set(), focus: -1, asked: null, suggested: null,
  drag: null, lasso: [], follow: [], lookingAt: null, panel: "clusters", busy: false,

  // -- the state of the server --

  async load() {
    map.setPositions(new Float32Array(await bytes("/api/positions")));
    this.home = map.positions.slice();
    const pairs = new Int32Array(await bytes("/api/links"));
    this.links = Array.from({ length: pairs.length / 2 }, (_, at) => [pairs[2 * at], pairs[2 * at + 1]]);
    await this.adopt(await get("/api/state"));
    resize();
  },

  async adopt(state) {
    const before = this.labels;
    this.state = state;
    const buffer = await bytes("/api/labels");
    this.labels = new Int32Array(buffer, 0, state.n);
    this.confidence = new Float32Array(buffer, 4 * state.n, state.n);
    const pinned = JSON.stringify(state.pins);
    if (pinned !== this.pinned) { this.putPins(); this.pinned = pinned; } // all places are sent to the graphics card
    this.paint();
    if (before) {
      const moved = [];
      for (let i = 0; i < state.n; i++) if (before[i] !== this.labels[i]) moved.push(i);
      if (moved.length) { overlay.flash(moved); say(moved.length === 1 ? "1 object changed its cluster." : `${moved.length.toLocaleString("en")} objects changed their cluster.`); }
    }
    document.title = `${state.title || "clusters"} – pluribus studio`;
    $("title").textContent = `${state.title}: ${state.clusters.length} clusters of ${state.n.toLocaleString("en")} objects`;
    $("undo").disabled = !state.undo;
    $("redo").disabled = !state.redo;
    $("k").value = state.k;
    $("k").disabled = !state.levels || state.levels[0] === state.levels[1];
    if (state.levels) { $("k").min = state.levels[0]; $("k").max = state.levels[1]; }
    $("reach").value = state.reach;
    $("engine").replaceChildren(...state.engines.map((name) => make("option", { selected: name === state.engine }, name)));
    this.working(state.working, state.problem);
    this.drawPanel();
    draw();
  },

  working(what, problem) {
    $("work").hidden = !what;
    $("work").firstElementChild.textContent = what ? `Computing ${what} …` : "";
    if (problem) say(problem, true);
  },

  paint() { map.setLabels(this.labels, this.confidence, this.selected.size ? this.selected : null); },

  async act(type, args) {
    if (this.busy) {
      say("The step before is not finished yet: try again.", true);
      this.adoptAgain();
      return false;
    }
    this.busy = true;
    const started = performance.now();
    try {
      const state = await post("/api/event", { seq: this.state.seq, type, args });
      await this.adopt(state);
      document.body.dataset.seq = state.seq;
      document.body.dataset.milliseconds = Math.round(performance.now() - started);
      return true;
    } catch (error) {
      if (error instanceof Refused && error.status === 409) {
        await this.adopt(error.body.state);
        this.adoptAgain(); // what was dropped here goes back, also if no pin has changed
        say("Another tab changed something in between; look again.", true);
      } else { say(error.message, true); this.adoptAgain(); }
      return false;
    } finally { this.busy = false; }
  },

  adoptAgain() { this.putPins(); draw(); },

  putPins() {
    map.positions.set(this.home);
    for (const [item, x, y] of this.state.pins) { map.positions[2 * item] = x; map.positions[2 * item + 1] = y; }
    map.place([], 0, 0);
  },

  // -- what panels and gestures ask for --

  select(items) {
    this.selected = new Set(items);
    this.paint();
    if (items.length && this.panel !== "selection") this.show_panel("selection"); else this.drawPanel();
    draw();
  },
  selectCluster(key) { const items = []; this.labels.forEach((label, i) => { if (label === key) items.push(i); }); this.select(items); },
  async rename(cluster) {
    const name = await ask(`A name for ${cluster.name}`, cluster.name);
    if (name) this.act("rename", { cluster: cluster.key, name });
  },
  async newCluster() {
    const name = await ask("A name for the new cluster (may be empty)", "");
    if (name === null) return;
    const items = [...this.selected];
    if (await this.act("group", name ? { items, name } : { items })) this.select([]);
  },
  async recluster() {
    const into = Number(await ask("Into how many clusters?", "2"));
    if (Number.isInteger(into) && into > 0) this.act("recluster", { items: [...this.selected], into });
  },
  async chooseCluster(title, except, done) {
    const rest = this.state.clusters.filter((cluster) => cluster.key !== except);
    const key = await choose(title, rest.map((cluster) => [cluster.key, cluster.name]));
    if (key !== null) done(Number(key));
  },
  link(kind) {
    if (this.selected.size !== 2) return say("Select two objects first.", true);
    const [one, other] = this.selected;
    return this.act("link", { one, other, kind });
  },
  release(key) { return this.act("unpin", { items: this.state.pins.map(([item]) => item).filter((item) => this.labels[item] === key) }); },
  async reply(answer) {
    if (!this.asked?.pair) return;
    const asked = this.asked, [one, other] = asked.pair;
    this.asked = null; // an answer that comes before the next question is shown is not one to this question
    if (await this.act("answer", { one, other, answer })) this.nextQuestion();
    else this.asked = asked;
  },
  async nextQuestion() {
    [this.asked, this.suggested] = await Promise.all([get("/api/question"), get("/api/suggest")]);
    if (this.panel === "questions") { this.drawPanel(); this.follow = this.asked.pair ?? []; draw(); }
  },
  traitsOf(what) { return post("/api/traits", what); },
  describe(items) { return post("/api/objects", { items }); },
  async drawTraits(place, items) {
    const { traits } = await this.traitsOf({ items });
    if (!traits.length) { place.textContent = "No column differs much."; return; }
    const plotly = await charts();
    const style = getComputedStyle(document.documentElement);
    const short = traits.map((t) => t.column.length > 22 ? `${t.column.slice(0, 21)}…` : t.column);
    const names = short.map((name) => name.replaceAll("&", "&amp;").replaceAll("<", "&lt;")); // plotly takes tags for tags
    const rows = traits.map((_, at) => at); // not the names: two may be equal, or look like numbers
    plotly.newPlot(place, [{
      type: "bar", orientation: "h", x: traits.map((t) => t.by), y: rows, marker: { color: style.getPropertyValue("--accent") },
      text: traits.map((t) => `${number(t.inside)} / ${number(t.outside)}`), hoverinfo: "text",
    }], {
      margin: { l: 130, r: 10, t: 6, b: 34 }, height: 40 + 26 * traits.length, yaxis: { autorange: "reversed", tickvals: rows, ticktext: names },
      xaxis: { title: { text: "standard deviations from the rest" } }, paper_bgcolor: "transparent", plot_bgcolor: "transparent",
      font: { color: style.getPropertyValue("--front") },
    }, { displayModeBar: false, responsive: true });
  },
  show(items) { this.follow = items; draw(); },
  goTo(item) {
    this.focus = item;
    map.view.x = map.positions[2 * item];
    map.view.y = map.positions[2 * item + 1];
    this.select([item]);
  },
  async lookAt(step) {
    this.lookingAt = step;
    if (step === null) map.compareWith(null);
    else {
      const buffer = await bytes(`/api/labels?step=${step}`);
      map.compareWith(new Int32Array(buffer, 0, this.state.n), new Float32Array(buffer, 4 * this.state.n, this.state.n));
    }
    draw();
  },
  async backTo(step) {
    await this.lookAt(null);
    while (this.state.undo > step) if (!await this.act("undo", {})) return;
  },
  show_panel(name) {
    this.panel = name;
    for (const tab of $("tabs").children) tab.setAttribute("aria-selected", String(tab.dataset.panel === name));
    if (name === "questions") this.nextQuestion();
    this.drawPanel();
  },
  drawPanel() { if (this.state) $("panel").replaceChildren(...panels[this.panel](this)); },
};

// -- drawing: once for each frame in which something changed --

let wanted = false;
function draw() {
  if (wanted) return;
  wanted = true;
  requestAnimationFrame(() => {
    wanted = false;
    map.draw();
    if (studio.state) overlay.draw({ ...studio, clusters: studio.state.clusters, pins: studio.state.pins.map(([item]) => item) });
    if (overlay.moving) draw();
  });
}
function resize() { map.resize(); overlay.resize(); draw(); }
new ResizeObserver(resize).observe($("stage"));

function say(text, problem = false) {
  $("status").textContent = text;
  $("status").classList.toggle("problem", problem);
}

let plotting = null;
function charts() {
  plotting ??= new Promise((done) => {
    document.head.append(make("script", { src: "/static/plotly.js", onload: () => done(window.Plotly) }));
  });
  return plotting;
}

// -- small dialogs: one that asks for a text, one that lets choose --

function dialog(title, field) {
  return new Promise((done) => {
    const box = make("dialog", {}, make("form", { method: "dialog" }, make("label", {}, `${title} `, field),
      make("div", { class: "row" }, make("button", { value: "ok" }, "OK"), make("button", { value: "" , formnovalidate: true }, "Cancel"))));
    box.addEventListener("close", () => { done(box.returnValue === "ok" ? field.value.trim() : null); box.remove(); });
    document.body.append(box);
    box.showModal();
    field.focus();
  });
}
const ask = (title, value) => dialog(title, make("input", { value, maxlength: 80, id: "answer" }));
const choose = (title, options) => dialog(title, make("select", { id: "answer" }, ...options.map(([value, text]) => make("option", { value }, text))));

// -- the pointer --

const surface = $("overlay");
const placeOf = (event) => { const box = surface.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
let hand = null; // what the pointer is doing
let drawLasso = false;

surface.addEventListener("pointerdown", (event) => {
  if (!studio.state || event.button) return;
  surface.setPointerCapture(event.pointerId);
  const [px, py] = placeOf(event);
  const item = map.pick(px, py);
  if (drawLasso || event.shiftKey) hand = { kind: "lasso" };
  else if (item >= 0) hand = { kind: "item", items: studio.selected.has(item) && studio.selected.size > 1 ? [...studio.selected] : [item], item, px, py, moved: false };
  else hand = { kind: "pan", px, py, moved: false };
  if (hand.kind === "lasso") studio.lasso = [map.toMap(px, py)];
});

surface.addEventListener("pointermove", (event) => {
  const [px, py] = placeOf(event);
  if (!hand) return hover(px, py);
  if (hand.kind === "lasso") studio.lasso.push(map.toMap(px, py));
  if (hand.kind === "pan") {
    map.view.x -= (px - hand.px) / map.scale;
    map.view.y -= (py - hand.py) / map.scale;
    Object.assign(hand, { px, py, moved: true });
  }
  if (hand.kind === "item" && (hand.moved || Math.hypot(px - hand.px, py - hand.py) > 4)) {
    hand.moved = true;
    const [x, y] = map.toMap(px, py);
    studio.drag = { items: hand.items, x, y, reach: studio.state.reach, joins: studio.drag?.joins };
    foresee();
  }
  draw();
});

surface.addEventListener("pointerup", async (event) => {
  const was = hand;
  hand = null;
  if (!was) return;
  if (was.kind === "lasso") {
    const items = studio.lasso.length > 2 ? map.within(studio.lasso) : [];
    studio.lasso = [];
    toggleLasso(false);
    studio.select(items);
    say(`${items.length.toLocaleString("en")} objects selected.`);
  } else if (was.kind === "item" && was.moved) {
    const { items, x, y } = studio.drag;
    studio.drag = null;
    studio.follow = [];
    $("hint").textContent = "";
    map.place(items, x, y);
    await studio.act("move", { items, x, y });
  } else if (was.kind === "item") {
    const items = new Set(event.ctrlKey || event.metaKey ? studio.selected : []);
    if (items.has(was.item)) items.delete(was.item); else items.add(was.item);
    studio.focus = was.item;
    studio.select([...items]);
  } else if (!was.moved && studio.selected.size) studio.select([]);
  draw();
});

surface.addEventListener("dblclick", (event) => {
  const item = map.pick(...placeOf(event));
  if (item >= 0) studio.act("unpin", { items: [item] });
});

surface.addEventListener("wheel", (event) => {
  event.preventDefault();
  zoom(Math.exp(-event.deltaY / 500), ...placeOf(event));
}, { passive: false });

function zoom(factor, px = map.width / 2, py = surface.clientHeight / 2) {
  const [x, y] = map.toMap(px, py);
  map.view.zoom = Math.min(200, Math.max(0.3, map.view.zoom * factor));
  const [nx, ny] = map.toMap(px, py);
  map.view.x += x - nx;
  map.view.y += y - ny;
  draw();
}

let hovered = -1;
async function hover(px, py) {
  const item = studio.state ? map.pick(px, py) : -1;
  if (item === hovered) return;
  hovered = item;
  surface.classList.toggle("pointing", item >= 0);
  if (item < 0) { $("hint").textContent = ""; return; }
  const [object] = await studio.describe([item]);
  if (hovered !== item || !object) return;
  const values = Object.entries(object.values).slice(0, 4).map(([name, value]) => `${name} ${value}`).join(", ");
  const name = studio.state.clusters.find((c) => c.key === object.cluster)?.name;
  $("hint").textContent = `${object.id}: ${name}, ${Math.round(100 * object.confidence)} % sure${values ? ` (${values})` : ""}`;
}

// While dragging: who would be joined, and who would come along. One request at a time.
let foreseeing = false;
async function foresee() {
  if (foreseeing || !studio.drag) return;
  foreseeing = true;
  const { items, x, y } = studio.drag;
  try {
    const seen = await post("/api/preview", { items, x, y });
    if (studio.drag) {
      studio.drag.joins = seen.joins;
      studio.follow = seen.follow;
      const names = seen.joins.map((key) => studio.state.clusters.find((c) => c.key === key)?.name ?? key);
      const what = names.length > 1 ? `joins ${names.join(" and ")}: merges them` : names.length ? `joins ${names[0]}` : "starts a new cluster";
      $("hint").textContent = `${what}; ${seen.n_follow.toLocaleString("en")} ${seen.n_follow === 1 ? "object moves" : "objects move"}`;
    }
  } catch { /* the drop says what is wrong */ }
  foreseeing = false;
  if (studio.drag && (studio.drag.x !== x || studio.drag.y !== y)) setTimeout(foresee, 60);
  draw();
}

// -- keys and buttons --

function toggleLasso(on) {
  drawLasso = on;
  $("lasso").setAttribute("aria-pressed", String(on));
  surface.classList.toggle("drawing", on);
}
$("lasso").onclick = () => toggleLasso(!drawLasso);
$("undo").onclick = () => studio.act("undo", {});
$("redo").onclick = () => studio.act("redo", {});
$("fit").onclick = () => { Object.assign(map.view, { zoom: 1, x: 500, y: 400 }); draw(); };
$("k").onchange = (event) => studio.act("k", { k: Number(event.target.value) });
$("reach").onchange = (event) => studio.act("reach", { reach: Number(event.target.value) });
$("engine").onchange = (event) => studio.act("engine", { engine: event.target.value });
$("cancel").onclick = () => post("/api/cancel", {});
$("help").onclick = () => $("help-box").showModal();
$("export").onchange = async (event) => {
  const name = event.target.value;
  event.target.value = "";
  try {
    if (name === "map.png") picture();
    else if (name) { await download(name); say(`${name} was saved.`); }
  } catch (error) { say(error.message, true); }
};
for (const tab of $("tabs").children) tab.onclick = () => studio.show_panel(tab.dataset.panel);
$("tabs").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const tabs = [...$("tabs").children];
  const next = tabs[(tabs.findIndex((tab) => tab.dataset.panel === studio.panel) + step + tabs.length) % tabs.length];
  next.focus();
  next.click();
});

function picture() {
  const whole = document.createElement("canvas");
  whole.width = $("points").width;
  whole.height = $("points").height;
  const c = whole.getContext("2d");
  c.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--back");
  c.fillRect(0, 0, whole.width, whole.height);
  map.draw();
  c.drawImage($("points"), 0, 0);
  c.drawImage(surface, 0, 0, whole.width, whole.height);
  whole.toBlob((blob) => save(blob, "map.png"));
}

addEventListener("keydown", (event) => {
  if (!studio.state || event.target.closest("input, select, dialog")) return;
  const key = event.key.toLowerCase();
  if ((event.ctrlKey || event.metaKey) && key === "z") { event.preventDefault(); studio.act(event.shiftKey ? "redo" : "undo", {}); return; }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const arrows = { arrowleft: [-1, 0], arrowright: [1, 0], arrowup: [0, -1], arrowdown: [0, 1] }[key];
  if (arrows && document.activeElement === surface) {
    event.preventDefault();
    if (event.shiftKey && studio.focus >= 0) {
      const i = studio.focus;
      map.place([i], map.positions[2 * i] + 10 * arrows[0], map.positions[2 * i + 1] + 10 * arrows[1]);
    } else { map.view.x += 40 * arrows[0] / map.view.zoom; map.view.y += 40 * arrows[1] / map.view.zoom; }
    draw();
  } else if (key === "enter" && document.activeElement === surface && studio.focus >= 0) {
    const i = studio.focus;
    studio.act("move", { items: [i], x: map.positions[2 * i], y: map.positions[2 * i + 1] });
  } else if (key === "+" || key === "=") zoom(1.3);
  else if (key === "-") zoom(1 / 1.3);
  else if (key === "0") $("fit").click();
  else if (key === "n") nextUncertain();
  else if (key === "m") studio.link("must");
  else if (key === "c") studio.link("cannot");
  else if (key === "?") $("help").click();
  else if (key === "escape") { toggleLasso(false); studio.select([]); }
  else if (studio.panel === "questions" && ["1", "2", "3"].includes(key)) studio.reply({ 1: "together", 2: "apart", 3: "unsure" }[key]);
});

async function nextUncertain() {
  const found = await get("/api/suggest");
  if (!found.length) return say("All objects are certain.");
  const at = found.findIndex((object) => object.item === studio.focus);
  const object = found[(at + 1) % found.length];
  studio.goTo(object.item);
  say(`${object.id}, ${Math.round(100 * object.confidence)} % sure.`);
}

function theme(name) { document.documentElement.dataset.theme = name; draw(); }
$("theme").onclick = () => theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
const night = matchMedia("(prefers-color-scheme: dark)");
night.onchange = () => theme(night.matches ? "dark" : "light");
night.onchange();

// Another map: objects move to their new places, so that the eye can follow them.
function glide(to) {
  const from = studio.home, started = performance.now();
  studio.home = to;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches || map.n > 200_000;
  const step = (now) => {
    const t = still ? 1 : Math.min(1, (now - started) / 700), ease = t * t * (3 - 2 * t);
    for (let i = 0; i < to.length; i++) map.positions[i] = from[i] + ease * (to[i] - from[i]);
    for (const [item, x, y] of studio.state.pins) { map.positions[2 * item] = x; map.positions[2 * item + 1] = y; }
    map.place([], 0, 0);
    draw();
    if (t < 1) requestAnimationFrame(step);
    else get("/api/state").then((state) => studio.adopt(state));
  };
  requestAnimationFrame(step);
}

// -- start --

studio.load().then(() => {
  document.body.dataset.ready = "true";
  let shown = 0; // the map that is shown
  listen(async (news) => {
    if (news.map !== shown) { shown = news.map; glide(new Float32Array(await bytes("/api/positions"))); }
    if (news.seq !== studio.state.seq && !studio.busy) await studio.adopt(await get("/api/state"));
    else studio.working(news.working, news.problem);
  }, () => say("The server does not answer. It may have been stopped; the session is kept.", true));
}).catch((error) => say(error.message, true));

window.studio = studio; // for tests, and for the curious
window.studioMap = map;
