const D = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const read = v => typeof v === "number" && v < 0 ? D.strings[-1 - v] : v;
function changes([shape, ...values]) {
  const out = [], places = D.changes[shape];
  for (let i = 0, v = 0; i < places.length; i += 2) {
    const old = places[i + 1] & 1 ? read(values[v++]) : undefined;
    const now = places[i + 1] & 2 ? read(values[v++]) : undefined;
    out.push({path: read(places[i]), old, now});
  }
  return out;
}

// Events, and who led to whom.
const events = [], bySeq = new Map(), effects = new Map();
let lastSeq = 0, lastT = 0;
for (const row of D.events) {
  const shape = D.shapes[row[0]], f = Object.create(null);
  lastSeq += row[1];
  lastT += row[2];
  shape.fields.forEach((name, i) => {
    f[name] = name === "changed" ? changes(row[5 + i]) : read(row[5 + i]);
  });
  const e = {i: events.length, seq: lastSeq, t: lastT, lane: row[3], cause: row[4],
             kind: shape.kind, f};
  events.push(e);
  bySeq.set(e.seq, e);
  if (!effects.has(e.cause)) effects.set(e.cause, []);
  effects.get(e.cause).push(e);
}
const actor = e => D.actors[e.lane];
const time = (ns, digits = 9) => "+" + Math.floor(ns / 1e9) + "." +
  String(Math.floor(ns % 1e9)).padStart(9, "0").slice(0, digits).replace(/(...)0{1,6}$/, "$1") +
  "s";
const words = (...w) => w.filter(x => x !== undefined && x !== "" && x !== null).join(" ");
const rv = n => n ? "rv " + n : "";

function say(e) {
  const f = e.f;
  const what = words((f.resource || f.key || "") + (f.subresource ? "/" + f.subresource : ""),
                     f.name);
  switch (e.kind) {
    case "request": return words(f.verb, what);
    case "response":
      return f.lost ? "reply lost" : words(f.code || "", f.reason, rv(f.rv));
    case "stage": return words(f.stage, f.result);
    case "commit": return words(f.op, what, rv(f.revision));
    case "compact": return "compact to " + f.revision;
    case "watch": return words(f.state, "watch", f.resource, f.reason ? "(" + f.reason + ")" : "");
    case "event": case "deliver": case "handler":
      return words(f.type, what, rv(f.rv), lost(e) ? "(lost)" : "");
    case "relist": return words("list", f.resource, f.reason, rv(f.gotRv));
    case "cache": return words("cache", f.informer, f.items + " items", rv(f.rv));
    case "reconcile": return words("reconcile", f.key, f.state === "end" ? f.result : "");
    case "runtime": return words(f.action, f.pod, f.container, f.result === "ok" ? "" : f.result);
    case "fault": return words(f.verb, f.target, f.state === "begin" ? "" : f.state);
    case "phase": return "phase " + f.name;
    case "actor": return words(f.process, f.state);
    case "step": return f.state === "end" ? String(f.result) : words(f.verb, f.target);
    case "violation": return f.oracle + ": " + f.message;
    case "log": return words(f.pod, f.container, f.level, f.place, f.text);
    case "webhook":
      return words(f.state === "call" ? "call" : f.result, f.type, "webhook", f.webhook, f.message);
  }
  return e.kind;
}

// Bars: what has a beginning and an end.
const bars = [], closed = new Set(), clients = new Map();
const wire = e => e.lane + " " + (e.f.server === "etcd") + " " + e.f.stream;
{
  const open = new Map();
  const key = e => e.kind === "request" || e.kind === "response" ? "request " + e.f.id :
    e.kind === "reconcile" ? "reconcile " + e.lane + " " + e.f.key :
    e.kind === "step" ? "step " + e.f.n : e.kind === "fault" ? "fault " + e.f.id : "";
  for (const e of events) {
    const k = key(e);
    if (e.kind === "watch") clients.set(wire(e), e.f.client);
    if (e.kind === "watch" && e.f.state === "close") closed.add(wire(e));
    if (!k || e.f.state === "skipped") continue;
    if (e.kind === "response" || e.f.state === "end") {
      const begin = open.get(k);
      if (begin) begin.end = e;
      open.delete(k);
    } else {
      bars.push(e);
      open.set(k, e);
    }
  }
}
const delivered = new Set(events.filter(e => e.kind === "deliver").map(e => e.cause));
const lost = e => e.kind === "event" && !delivered.has(e.seq) && closed.has(wire(e));
const wrong = [];
for (const a of document.querySelectorAll(".violations a.first")) {
  const e = bySeq.get(Number(a.hash.slice(2)));
  if (e && !wrong.includes(e)) wrong.push(e);
}

// The choice of what the chart shows.
const kinds = [...new Set(events.map(e => e.kind))].sort();
const hidden = new Set(["stage", "cache"]);
let shown = [], rank = [], lanes = [], needle = "", view = null, picked = null, chain = [];
const axis = () => $("axis").value;
const unit = e => axis() === "time" ? e.t / 1e6 : rank[e.i];

function choose() {
  const parts = needle.toLowerCase().split(/\s+/).filter(Boolean);
  const match = e => {
    if (hidden.has(e.kind) && e !== picked) return false;
    if (!parts.length || e.kind === "fault") return true;
    const text = (actor(e) + " " + e.kind + " " + say(e)).toLowerCase();
    return parts.every(p => text.includes(p));
  };
  shown = [];
  rank = events.map(e => match(e) ? shown.push(e) - 1 : shown.length);
  const used = new Set(shown.map(e => e.lane));
  lanes = D.actors.map((_, i) => i).filter(i => used.has(i));
}

function whole() {
  if (axis() === "order") return [-1, Math.max(shown.length, 10)];
  const a = shown.length ? shown[0].t / 1e6 : 0, b = Math.max(D.end / 1e6, a + 1);
  return [a - (b - a) * .01, b + (b - a) * .01];
}

// The chart.
const NS = "http://www.w3.org/2000/svg";
const LEFT = 216, ROW = 24, TOP = 40;
let width = 1000;
function svg(name, attributes, parent, text) {
  const n = document.createElementNS(NS, name);
  for (const k in attributes) n.setAttribute(k, attributes[k]);
  if (text !== undefined) n.textContent = text;
  if (parent) parent.appendChild(n);
  return n;
}
const x = u => LEFT + (u - view[0]) / (view[1] - view[0]) * (width - LEFT - 8);
const at = px => view[0] + (px - LEFT) / (width - LEFT - 8) * (view[1] - view[0]);
const inView = u => u >= view[0] && u <= view[1];
const rowOf = new Map();
const y = lane => TOP + ROW * rowOf.get(lane) + ROW / 2;

const shapes = {
  commit: "M0,-6L6,0L0,6L-6,0Z", compact: "M-6,-2H6V2H-6Z",
  deliver: "M-3.5,0A3.5,3.5 0 1 0 3.5,0A3.5,3.5 0 1 0 -3.5,0Z", event: "M-1.2,-5H1.2V5H-1.2Z",
  handler: "M-4,-4L5,0L-4,4Z", request: "M-1.5,-6H1.5V6H-1.5Z", response: "M-1,-6H1V6H-1Z",
  reconcile: "M-1.5,-7H1.5V7H-1.5Z", relist: "M-4,-4H4V4H-4Z", cache: "M-2,-2H2V2H-2Z",
  watch: "M-4,-1.5H4V1.5H-4Z", runtime: "M-4,3H4L0,-5Z", stage: "M-1,-1H1V1H-1Z",
  fault: "M-5,-3L-3,-5L0,-2L3,-5L5,-3L2,0L5,3L3,5L0,2L-3,5L-5,3L-2,0Z",
  violation: "M-3,-7H3L7,-3V3L3,7H-3L-7,3V-3Z", phase: "M-1,-8H1V8H-1Z",
  webhook: "M-4,-4H0V-1H4V4H-4Z", actor: "M-5,4H5L0,-6Z", step: "M-5,-5H2L6,0L2,5H-5Z"};
const size = {violation: 3, fault: 3, commit: 2, step: 2};

function draw() {
  width = $("chart").clientWidth || 1000;
  rowOf.clear();
  lanes.forEach((lane, i) => rowOf.set(lane, i));
  const height = TOP + ROW * lanes.length + 6;
  const root = svg("svg", {width, height, role: "img", "aria-label": "events by actor and time"});
  const defs = svg("defs", {}, root);
  const head = svg("marker", {id: "head", viewBox: "0 0 6 6", refX: 5, refY: 3, markerWidth: 5,
    markerHeight: 5, orient: "auto"}, defs);
  svg("path", {d: "M0,0L6,3L0,6Z", class: "k-deliver"}, head);
  const clip = svg("clipPath", {id: "plot"}, defs);
  svg("rect", {x: LEFT, y: 0, width: width - LEFT, height}, clip);
  drawLanes(root, height);
  const plot = svg("g", {"clip-path": "url(#plot)"}, root);
  drawBands(plot, height);
  drawAxis(plot);
  const visible = shown.filter(e => inView(unit(e)) || (e.end && unit(e) < view[0] &&
                                                       unit(e.end) > view[0]));
  drawArrows(plot, visible);
  drawBars(plot);
  drawMarks(plot, visible);
  drawChain(plot);
  const old = $("chart").querySelector("svg");
  if (old) old.replaceWith(root);
  else $("chart").appendChild(root);
}

function drawLanes(root, height) {
  let before = "";
  lanes.forEach((lane, i) => {
    const name = D.actors[lane], kubelet = name.startsWith("kubelet/");
    const process = kubelet ? name : name.split("/")[0];
    const part = name.slice(process.length + 1), mid = TOP + ROW * i + ROW / 2;
    svg("line", {x1: LEFT, x2: width, y1: mid, y2: mid, class: "lane"}, root);
    const label = part && process === before ? "\u2514 " + part : name;
    const t = svg("text", {x: part && process === before ? 20 : 8, y: mid + 4}, root,
                  label.length > 32 ? label.slice(0, 31) + "\u2026" : label);
    if (!part) t.setAttribute("font-weight", "600");
    svg("title", {}, t, name);
    before = process;
  });
  svg("line", {x1: LEFT, x2: LEFT, y1: 0, y2: height, class: "lane"}, root);
}

function drawBands(plot, height) {
  let row = 0, right = -1;
  for (const e of bars) {
    if (e.kind !== "fault") continue;
    const a = x(unit(e)), b = Math.max(e.end ? x(unit(e.end)) : width, a + 2);
    if (b < LEFT || a > width) continue;
    svg("rect", {x: a, y: 0, width: b - a, height, class: "band"}, plot);
    const text = say(e), from = Math.max(a, LEFT) + 3;
    row = from < right ? row + 1 : 0;
    if (row < 2) svg("text", {x: from, y: 11 + 11 * row, class: "bandtext"}, plot, text);
    right = Math.max(right, from + text.length * 6);
  }
  for (const e of wrong) {
    if (!inView(unit(e))) continue;
    svg("line", {x1: x(unit(e)), x2: x(unit(e)), y1: 0, y2: height, class: "violated"}, plot);
  }
  for (const e of shown) {
    if (e.kind !== "phase" || !inView(unit(e))) continue;
    svg("line", {x1: x(unit(e)), x2: x(unit(e)), y1: 26, y2: height, class: "phase"}, plot);
  }
}

function drawAxis(plot) {
  const n = Math.max(2, Math.floor((width - LEFT) / 150));
  if (axis() === "order") {
    let last = "";
    for (let i = 0; i <= n; i++) {
      const e = shown[Math.round(view[0] + (view[1] - view[0]) * i / n)];
      if (!e) continue;
      const short = [3, 6, 9].map(d => time(e.t, d)).find(t => t !== last);
      if (!short) continue;
      last = short;
      svg("text", {x: x(unit(e)) + 2, y: 36, class: "small"}, plot, short);
      svg("line", {x1: x(unit(e)), x2: x(unit(e)), y1: 30, y2: 38, class: "lane"}, plot);
    }
    return;
  }
  const span = view[1] - view[0];
  let step = Math.pow(10, Math.floor(Math.log10(span / n)));
  for (const k of [1, 2, 5, 10]) if (span / (step * k) <= n) { step *= k; break; }
  for (let u = Math.ceil(view[0] / step) * step; u <= view[1]; u += step)
    if (u >= 0) {
      svg("text", {x: x(u) + 2, y: 36, class: "small"}, plot, time(Math.round(u * 1e6)));
      svg("line", {x1: x(u), x2: x(u), y1: 30, y2: 38, class: "lane"}, plot);
    }
}

function line(plot, from, to, kind, marker) {
  if (!rowOf.has(from.lane) || !rowOf.has(to.lane)) return;
  svg("line", {x1: x(unit(from)), y1: y(from.lane), x2: x(unit(to)), y2: y(to.lane), class: kind,
    ...(marker ? {"marker-end": "url(#head)"} : {})}, plot);
}

function drawArrows(plot, visible) {
  const few = visible.length < 900;
  for (const e of visible) {
    const from = bySeq.get(e.cause);
    if (few && e.kind === "deliver" && from && from.kind === "event" && !hidden.has("deliver"))
      line(plot, from, e, "arrow", true);
    if (few && e.kind === "commit" && from && from.kind === "request") line(plot, from, e, "call");
    if (lost(e)) {  // half the way, and a cross
      const to = D.actors.indexOf(clients.get(wire(e))), px = x(unit(e)), py = y(e.lane);
      const down = rowOf.has(to) ? (y(to) - py) * .6 : 14;
      svg("path", {class: "lost", d: `M${px},${py}l10,${down}m-4,-4l8,8m0,-8l-8,8`}, plot);
    }
  }
}

function drawBars(plot) {
  const free = new Map(), texts = [];  // per lane: where no text stands yet
  const crowded = axis() === "order" && view[1] - view[0] > 250;
  for (const e of bars) {
    if (e.kind === "fault" || hidden.has(e.kind) || !rowOf.has(e.lane)) continue;
    if (shown[rank[e.i]] !== e) continue;
    const a = Math.max(x(unit(e)), LEFT - 5), b = e.end ? Math.min(x(unit(e.end)), width) : width;
    if (b < LEFT || a > width || b - a < 2) continue;
    const thin = e.kind === "reconcile" || e.kind === "step";
    svg("rect", {x: a, y: y(e.lane) - (thin ? 9 : 5), width: b - a, height: thin ? 18 : 10, rx: 2,
      class: "bar k-" + e.kind}, plot);
    const room = Math.floor((b - a - 8) / 5.6), text = say(e);
    if (thin || crowded || room < 8 || a < (free.get(e.lane) || 0)) continue;
    const short = text.length > room ? text.slice(0, room - 1) + "\u2026" : text;
    texts.push([a + 5, y(e.lane) + 3.5, short]);
    free.set(e.lane, a + 14 + 5.6 * short.length);
  }
  for (const [px, py, text] of texts)
    svg("text", {x: px, y: py, class: "inbar"}, plot, text);
}

function drawMarks(plot, visible) {
  const taken = new Set();
  const order = visible.slice().sort((p, q) => (size[p.kind] || 1) - (size[q.kind] || 1));
  for (const e of order) {
    const u = unit(e), px = x(u);
    if (!inView(u) || (e.kind === "response" && e.f.code < 400 && !e.f.lost)) continue;
    const spot = e.lane + " " + e.kind + " " + Math.round(px / 3);
    if (taken.has(spot) && e !== picked) continue;
    taken.add(spot);
    svg("path", {d: shapes[e.kind] || shapes.relist, class: "k-" + e.kind +
      (e.kind === "response" ? " k-fault" : ""), transform: `translate(${px},${y(e.lane)})`}, plot);
  }
  for (const e of wrong)
    if (inView(unit(e)) && rowOf.has(e.lane))
      svg("path", {d: shapes.violation, fill: "none", class: "violated",
        transform: `translate(${x(unit(e))},${y(e.lane)}) scale(1.4)`}, plot);
}

function drawChain(plot) {
  const known = chain.filter(e => rowOf.has(e.lane));
  if (known.length > 1)
    svg("path", {class: "chain", d: known.map((e, i) =>
      (i ? "L" : "M") + x(unit(e)) + "," + y(e.lane)).join("")}, plot);
  if (picked && rowOf.has(picked.lane))
    svg("circle", {cx: x(unit(picked)), cy: y(picked.lane), r: 9, class: "chosen"}, plot);
}

// The event at a place of the chart: the nearest mark, else the bar.
function hit(px, py) {
  const lane = lanes[Math.floor((py - TOP) / ROW)];
  if (lane === undefined || px < LEFT) return null;
  let best = null, near = 9;
  for (const e of shown) {
    if (e.lane !== lane || !inView(unit(e))) continue;
    const d = Math.abs(x(unit(e)) - px);
    if (d < near || (d === near && (size[e.kind] || 1) > (size[best.kind] || 1))) {
      best = e;
      near = d;
    }
  }
  if (best) return best;
  return bars.find(e => e.lane === lane && e.kind !== "fault" && shown[rank[e.i]] === e && e.end &&
    x(unit(e)) <= px && x(unit(e.end)) >= px) || null;
}

function zoom(factor, middle) {
  const [a, b] = view, m = middle === undefined ? (a + b) / 2 : middle, [wa, wb] = whole();
  const least = axis() === "order" ? 8 : 1e-4;
  const span = Math.min(Math.max((b - a) * factor, least), wb - wa), part = (m - a) / (b - a);
  move(m - span * part, m + span * (1 - part));
}
function move(a, b) {
  const [wa, wb] = whole(), span = Math.min(b - a, wb - wa);
  a = Math.min(Math.max(a, wa), wb - span);
  view = [a, a + span];
  draw();
}
function reveal(e) {
  const u = unit(e), half = (view[1] - view[0]) / 2;
  if (inView(u)) draw();
  else move(u - half, u + half);
  const box = $("chart"), py = rowOf.has(e.lane) ? y(e.lane) : 0;
  if (py < box.scrollTop + TOP || py > box.scrollTop + box.clientHeight - ROW)
    box.scrollTop = py - box.clientHeight / 2;
}

// The panel below the chart.
function add(parent, name, text, kind) {
  const n = document.createElement(name);
  if (text !== undefined) n.textContent = text;
  if (kind) n.className = kind;
  parent.appendChild(n);
  return n;
}
function link(parent, e, full) {
  const a = add(parent, "a", "#" + e.seq);
  a.href = "#e" + e.seq;
  add(parent, "span", " " + time(e.t) + " ", "dim");
  if (full) add(parent, "span", actor(e) + " " + e.kind + ": " + say(e));
}
const json = v => typeof v === "string" ? v : JSON.stringify(v);

function changeTable(parent, list, most, look = "") {
  const table = add(parent, "table", undefined, "mono " + look), body = add(table, "tbody");
  const row = c => {
    const tr = add(body, "tr");
    add(tr, "td", c.path || "(the object)", "value");
    const td = add(tr, "td", undefined, "value");
    if (c.old !== undefined) add(td, "span", json(c.old) + (c.now === undefined ? " \u2192 gone" :
      " \u2192 "), "old");
    if (c.now !== undefined) add(td, "span", json(c.now), "new");
  };
  list.slice(0, most).forEach(row);
  if (list.length <= most) return;
  const more = add(parent, "button", (list.length - most) + " more");
  more.onclick = () => { list.slice(most).forEach(row); more.remove(); };
}

function causes(e) {
  const list = [e];
  while (e.cause && e.cause < e.seq && bySeq.has(e.cause)) list.unshift(e = bySeq.get(e.cause));
  return list;
}

function show() {
  const box = $("detail");
  box.textContent = "";
  if (!picked) return;
  const e = picked, left = add(box, "div"), right = add(box, "div");
  add(left, "h3", `#${e.seq} ${actor(e)} ${e.kind}`);
  add(left, "p", say(e));
  const body = add(add(left, "table", undefined, "mono"), "tbody");
  const field = (name, v) => {
    const tr = add(body, "tr");
    add(tr, "td", name);
    add(tr, "td", v, "value");
  };
  field("time", time(e.t));
  for (const name in e.f)
    if (name !== "changed" && e.f[name] !== "") field(name, json(e.f[name]));
  if (e.f.changed) {
    add(left, "h3", "changed");
    changeTable(left, e.f.changed, 12);
  }
  add(right, "h3", "Why");
  const list = add(right, "ol"), first = chain[0];
  if (first.cause) add(list, "li", `#${first.cause} is not in this page`, "dim");
  for (const c of chain) link(add(list, "li", undefined, c === e ? "here" : ""), c, true);
  const after = effects.get(e.seq) || [];
  if (e.end) link(add(add(right, "ol"), "li", "ends: "), e.end, true);
  if (!after.length) return;
  add(right, "h3", "What it led to");
  const next = add(right, "ol");
  for (const c of after.slice(0, 25)) link(add(next, "li"), c, true);
  if (after.length > 25) add(next, "li", (after.length - 25) + " more", "dim");
}

function pick(e, quiet) {
  if (!e) return;
  picked = e;
  chain = causes(e);
  if (hidden.has(e.kind) || shown[rank[e.i]] !== e) choose();
  reveal(e);
  show();
  if (!quiet && location.hash !== "#e" + e.seq) history.replaceState(null, "", "#e" + e.seq);
}
function go(step) {
  const i = picked ? rank[picked.i] + step : 0;
  if (shown[i]) pick(shown[i]);
}
function nextWrong() {
  if (wrong.length) pick(wrong[(wrong.indexOf(picked) + 1) % wrong.length]);
}
function fromHash() {
  const m = /^#e(\d+)$/.exec(location.hash), e = m && bySeq.get(Number(m[1]));
  if (m && !e) {
    $("detail").textContent = "";
    add($("detail"), "p", `Event #${m[1]} is not in this page.`, "dim");
  }
  if (!e) return false;
  pick(e, true);
  return true;
}
