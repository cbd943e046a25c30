// The panels at the side. All text of the user is set as text, never as HTML.

import { swatch } from "./looks.js";

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

const button = (text, act, more = {}) => make("button", { onclick: act, ...more }, text);
const share = (value) => `${Math.round(100 * value)} %`;

function bar(value) {
  const fill = make("i");
  fill.style.width = `${100 * value}%`;
  return make("div", { class: "bar", title: `certainty ${share(value)}` }, fill);
}

const nameOf = (state, key) => state.clusters.find((c) => c.key === key)?.name ?? `cluster ${key}`;

export const panels = {
  clusters(studio) {
    const { state } = studio;
    const notes = state.notes.map((note) => make("p", { class: "soft" }, note));
    return [...notes, ...state.clusters.map((cluster) => {
      const traits = make("p", { class: "soft" });
      const card = make("div", { class: "card", "data-key": cluster.key },
        make("div", { class: "row" }, swatch(cluster.key), make("span", { class: "name" }, cluster.name),
          make("span", { class: "soft" }, `${cluster.size.toLocaleString("en")} objects, ${share(cluster.confidence)} sure`)),
        bar(cluster.confidence),
        make("p", { class: "soft" }, `Typical: ${cluster.typical.join(", ")}`), traits,
        make("div", { class: "row" },
          button("Rename", () => studio.rename(cluster), { "aria-label": `Rename ${cluster.name}` }),
          button("Select", () => studio.selectCluster(cluster.key)),
          button("Split", () => studio.act("split", { cluster: cluster.key, into: 2 }), { disabled: cluster.size < 2 || !state.levels }),
          button("Merge into …", () => studio.chooseCluster("Merge with", cluster.key, (other) => studio.act("merge", { clusters: [other, cluster.key] }))),
          cluster.pinned ? button(cluster.pinned === 1 ? "Release 1 pin" : `Release ${cluster.pinned} pins`, () => studio.release(cluster.key)) : null));
      studio.traitsOf({ cluster: cluster.key }).then((found) => {
        traits.textContent = found.traits.slice(0, 3)
          .map((t) => `${t.column} ${t.by > 0 ? "high" : "low"} (${number(t.inside)}, others ${number(t.outside)})`).join("; ");
      }).catch(() => {});
      return card;
    })];
  },

  questions(studio) {
    const { state, asked } = studio;
    if (!state.can_ask) return [make("p", {}, "Questions need an ensemble. Pin objects, or link pairs.")];
    if (!asked) return [make("p", {}, "Looking for a question …")];
    if (!asked.pair) return [make("p", {}, "There is nothing left to ask: all that the clusterings are divided on is decided.")];
    const [one, other] = asked.objects;
    const names = [...new Set([...Object.keys(one.values), ...Object.keys(other.values)])];
    return [
      make("h2", {}, "Do these two belong together?"),
      make("table", {}, make("thead", {}, make("tr", {}, make("th"), make("th", {}, one.id), make("th", {}, other.id))),
        make("tbody", {},
          make("tr", {}, make("td", {}, "cluster"), make("td", {}, nameOf(state, one.cluster)), make("td", {}, nameOf(state, other.cluster))),
          ...names.map((name) => {
            const differs = one.values[name] !== other.values[name] ? { class: "differs" } : {};
            return make("tr", {}, make("td", {}, name), make("td", differs, one.values[name] ?? ""), make("td", differs, other.values[name] ?? ""));
          }))),
      make("div", { class: "row" },
        button("1 Same", () => studio.reply("together"), { id: "same" }),
        button("2 Different", () => studio.reply("apart"), { id: "different" }),
        button("3 Not sure", () => studio.reply("unsure"), { id: "unsure" })),
      make("h2", {}, "Least certain objects"),
      ...(studio.suggested ?? []).map((object) => make("div", { class: "row" }, swatch(object.cluster),
        button(object.id, () => studio.goTo(object.item)), make("span", { class: "soft" }, `${share(object.confidence)} sure`))),
    ];
  },

  selection(studio) {
    const { state, selected } = studio;
    const items = [...selected];
    if (!items.length) return [make("p", {}, "Nothing is selected. Click an object, or draw a lasso around some.")];
    const chart = make("div", { id: "chart" });
    studio.drawTraits(chart, items);
    const rows = make("div");
    studio.describe(items.slice(0, 30)).then((found) => rows.replaceChildren(objectTable(state, found)));
    const two = items.length === 2;
    return [
      make("h2", {}, `${items.length.toLocaleString("en")} of ${state.n.toLocaleString("en")} objects`),
      make("div", { class: "row" },
        two ? button("Together (M)", () => studio.link("must")) : null,
        two ? button("Apart (C)", () => studio.link("cannot")) : null,
        button("New cluster", () => studio.newCluster()),
        button("Put into …", () => studio.chooseCluster("Put into", null, (key) => studio.act("assign", { items, cluster: key }))),
        button("Cluster again", () => studio.recluster(), { disabled: items.length < 2 || !state.levels }),
        button("Unpin", () => studio.act("unpin", { items })),
        button("Select nothing", () => studio.select([]))),
      make("h2", {}, "What sets them apart"), chart, rows,
    ];
  },

  statements(studio) {
    const { state } = studio;
    const skipped = state.skipped ? [make("p", { class: "soft" }, `${state.skipped} later ${state.skipped === 1 ? "step makes" : "steps make"} no sense since a statement was deleted, and ${state.skipped === 1 ? "is" : "are"} skipped. Undo brings ${state.skipped === 1 ? "it" : "them"} back.`)] : [];
    if (!state.statements.length) return [...skipped, make("p", {}, "Nothing has been said yet.")];
    const conflicts = state.conflicts.map((conflict) => make("div", { class: "card warn" },
      make("strong", {}, "These contradict each other"),
      make("p", {}, conflict.chain.map((id) => sentence(state, state.statements.find((s) => s.id === id))).join(" — ")),
      button("Give up the least supported", () => studio.act("unlink", { statement: conflict.give_up }))));
    return [...skipped, ...conflicts, ...[...state.statements].reverse().map((statement) => make("div", {
      class: statement.state === "holds" ? "card" : "card warn", onmouseenter: () => studio.show(statement.items), onmouseleave: () => studio.show([]),
    },
    make("div", {}, sentence(state, statement)),
    make("div", { class: "row" }, make("span", { class: "soft" }, `${statement.origin}, ${statement.state}`),
      button("Delete", () => studio.act("unlink", { statement: statement.id }), { "aria-label": `Delete statement ${statement.id}` }))))];
  },

  history(studio) {
    const { state } = studio;
    const slider = make("input", { type: "range", min: 0, max: state.undo, value: studio.lookingAt ?? state.undo, "aria-label": "Step to look at",
      oninput: (event) => studio.lookAt(Number(event.target.value)) });
    return [
      make("p", {}, `${state.undo} steps${state.redo ? `, ${state.redo} undone` : ""}. Move the slider to see an earlier state next to the present one.`),
      slider,
      make("div", { class: "row" },
        button("Go back there", () => studio.backTo(Number(slider.value)), { disabled: !state.undo }),
        button("Close comparison", () => studio.lookAt(null), { disabled: studio.lookingAt == null })),
    ];
  },
};

export function sentence(state, statement) {
  if (!statement) return "a statement that was taken back";
  if (statement.kind !== "assign") return `${statement.ids[0]} and ${statement.ids[1]} belong ${statement.kind === "must" ? "together" : "apart"}`;
  const who = statement.n_items > 2 ? `${statement.ids[0]} and ${statement.n_items - 1} others` : statement.ids.join(" and ");
  return `${who} in ${nameOf(state, statement.cluster)}`;
}

function objectTable(state, objects) {
  const names = [...new Set(objects.flatMap((object) => Object.keys(object.values)))].slice(0, 6);
  return make("table", {}, make("thead", {}, make("tr", {}, ...["id", "cluster", "sure", ...names].map((name) => make("th", {}, name)))),
    make("tbody", {}, ...objects.map((object) => make("tr", {}, make("td", {}, object.id), make("td", {}, nameOf(state, object.cluster)),
      make("td", {}, share(object.confidence)), ...names.map((name) => make("td", {}, object.values[name] ?? ""))))));
}

export const number = (value) => Number(value.toPrecision(3)).toLocaleString("en");
