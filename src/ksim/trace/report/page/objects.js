// Objects: what each commit changed, and all there is after it.
const objects = new Map();
for (const e of events) {
  if (e.kind !== "commit") continue;
  const name = `${e.f.namespace ? e.f.namespace + "/" : ""}${e.f.name}`;
  const id = e.f.resource ? `${e.f.resource} ${name}` : `key ${e.f.key}`;  // compact_rev_key
  if (!objects.has(id)) objects.set(id, []);
  objects.get(id).push(e);
}
const base = e => D.bases[e.seq] ? changes(D.bases[e.seq]) : null;

function leavesAfter(commits, last) {
  let leaves = new Map();
  const put = list => {
    for (const c of list) {
      for (const p of [...leaves.keys()])
        if (p === c.path || p.startsWith(c.path + ".") || p.startsWith(c.path + "[") ||
            ((c.path.startsWith(p + ".") || c.path.startsWith(p + "[")) && c.now !== undefined))
          leaves.delete(p);
      if (c.now !== undefined) leaves.set(c.path, c.now);
    }
  };
  for (const e of commits) {
    if (base(e)) { leaves = new Map(); put(base(e)); }
    if (e.f.op === "create") leaves = new Map();
    if (e.f.changed) put(e.f.changed);
    if (e === last) break;
  }
  return [...leaves].map(([path, now]) => ({path, now}));
}

function revisions(box, commits) {
  const body = add(add(box, "table"), "tbody");
  for (const e of commits) {
    const tr = add(body, "tr"), first = add(tr, "td", undefined, "fit");
    link(first, e);
    add(tr, "td", e.f.op + " rv " + e.f.revision, "fit");
    add(tr, "td", e.f.by, "fit dim");
    const cell = add(tr, "td");
    if (e.f.op === "delete") { add(cell, "span", "gone", "old"); continue; }
    if (e.f.op === "create") add(cell, "span", (e.f.changed || []).length + " fields", "dim");
    else changeTable(cell, e.f.changed || [], 5);
    const all = add(cell, "details");
    add(all, "summary", "the whole object", "dim");
    all.ontoggle = () => {
      if (all.open && all.children.length === 1)
        changeTable(all, leavesAfter(commits, e), 1000, "plain");
    };
  }
}

function listObjects() {
  const box = $("objects"), parts = $("object-filter").value.toLowerCase().split(/\s+/);
  box.textContent = "";
  const about = new Set([...document.querySelectorAll(".violations code")].map(c => {
    const [resource, ...rest] = c.textContent.split("/");
    return resource + " " + rest.filter(Boolean).join("/");
  }));
  const ids = [...objects.keys()].filter(id => {
    const resource = id.split(" ")[0];
    if (!$("all-objects").checked && /^(leases|events)(\.|$)/.test(resource)) return false;
    return parts.every(p => id.toLowerCase().includes(p));
  }).sort((a, b) => about.has(b) - about.has(a) || (a < b ? -1 : 1));
  for (const id of ids) {
    const commits = objects.get(id), last = commits[commits.length - 1];
    const details = add(box, "details"), head = add(details, "summary");
    add(head, "b", id);
    const many = commits.length > 1 ? "s" : "";
    add(head, "span", `  ${commits.length} revision${many}` +
      (last.f.op === "delete" ? ", deleted" : "") + (about.has(id) ? ", of a violation" : ""),
      "dim");
    details.ontoggle = () => {
      if (details.open && details.children.length === 1) revisions(details, commits);
    };
  }
  if (!ids.length) add(box, "p", "none", "dim");
}

