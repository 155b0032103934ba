// Mouse and keys.
function place(event) {
  const r = $("chart").querySelector("svg").getBoundingClientRect();
  return [event.clientX - r.left, event.clientY - r.top];
}
let drag = null;
$("chart").onmousedown = event => {
  if (event.button === 0) drag = place(event)[0];
};
window.addEventListener("mousemove", event => {
  const tip = $("tip"), [px, py] = place(event);
  if (drag !== null) {
    tip.style.display = "none";
    const root = $("chart").querySelector("svg"), old = root.querySelector(".drag");
    if (old) old.remove();
    svg("rect", {class: "drag", x: Math.min(px, drag), y: 0, width: Math.abs(px - drag),
      height: "100%"}, root);
    return;
  }
  const over = event.target.closest && event.target.closest("#chart"), e = over && hit(px, py);
  tip.style.display = e ? "block" : "none";
  if (!e) return;
  tip.textContent = `#${e.seq} ${time(e.t)} ${actor(e)} ${e.kind}: ${say(e)}`;
  tip.style.left = Math.min(px + 12, width - 360) + "px";
  tip.style.top = (py + 14) + "px";
});
window.addEventListener("mouseup", event => {
  if (drag === null) return;
  const from = drag, [px, py] = place(event);
  drag = null;
  if (Math.abs(px - from) < 5) {
    draw();
    return pick(hit(px, py));
  }
  const a = at(Math.max(Math.min(px, from), LEFT)), b = at(Math.max(px, from));
  const least = axis() === "order" ? 8 : 1e-4;
  move(a, Math.max(b, a + least));
});
$("chart").ondblclick = () => { view = whole(); draw(); };
$("chart").addEventListener("wheel", event => {
  const span = view[1] - view[0];
  if (event.ctrlKey || event.metaKey) {
    zoom(event.deltaY > 0 ? 1.25 : .8, at(place(event)[0]));
  } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    const by = span * .1 * Math.sign(event.deltaX || event.deltaY);
    move(view[0] + by, view[1] + by);
  } else {
    return;
  }
  event.preventDefault();
}, {passive: false});
$("in").onclick = () => zoom(.5, picked && inView(unit(picked)) ? unit(picked) : undefined);
$("out").onclick = () => zoom(2);
$("all").onclick = () => { view = whole(); draw(); };
$("prev").onclick = () => go(-1);
$("next").onclick = () => go(1);
$("wrong").onclick = nextWrong;
if (!wrong.length) $("wrong").remove();
function again() {
  choose();
  view = whole();
  draw();
}
$("axis").onchange = again;
$("filter").oninput = () => { needle = $("filter").value; again(); };
$("object-filter").oninput = listObjects;
$("all-objects").onchange = listObjects;
for (const kind of kinds) {
  const label = add($("kinds"), "label"), box = add(label, "input");
  box.type = "checkbox";
  box.checked = !hidden.has(kind);
  box.onchange = () => { if (box.checked) hidden.delete(kind); else hidden.add(kind); again(); };
  label.append(" " + kind);
}
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  const keys = {j: () => go(1), k: () => go(-1), n: nextWrong, "+": () => zoom(.5),
    "-": () => zoom(2), "0": () => $("all").onclick(), "/": () => $("filter").focus()};
  if (!keys[event.key]) return;
  keys[event.key]();
  event.preventDefault();
});
window.addEventListener("hashchange", () => {
  if (fromHash()) $("timeline").scrollIntoView({block: "nearest"});
});
window.addEventListener("resize", draw);
for (const pre of document.querySelectorAll(".command")) {
  const text = pre.textContent, button = add(pre, "button", "copy");
  button.onclick = () => {
    if (navigator.clipboard) navigator.clipboard.writeText(text);
    button.textContent = "copied";
  };
}
for (const [kind, text] of [["request", "request"], ["commit", "commit"], ["event", "sent"],
    ["deliver", "delivered"], ["handler", "handler called"], ["reconcile", "reconcile"],
    ["relist", "list"], ["fault", "fault, failed request"], ["violation", "violation"],
    ["step", "step"], ["actor", "process"], ["webhook", "webhook"]]) {
  if (!kinds.includes(kind)) continue;
  const root = svg("svg", {width: 14, height: 16, viewBox: "-7 -8 14 16"}, $("legend"));
  svg("path", {d: shapes[kind], class: "k-" + kind}, root);
  $("legend").append(text);
}
$("legend").append(" \u00b7 drag: zoom to a window; ctrl and wheel: zoom; shift and wheel: move;" +
  " click: fields and causes");

choose();
view = whole();
draw();
listObjects();
const first = bySeq.get(Number(location.hash.slice(2))) || wrong[0];
if (first) {
  if (shown.length > 240) move(unit(first) - 90, unit(first) + 30);
  pick(first, true);
} else {
  fromHash();
}
