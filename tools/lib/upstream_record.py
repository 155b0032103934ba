"""A run's record: who wrote what to which object, and the Events that came of it, without the
names, uids and versions that differ from run to run. Read from a trace, so that ksim's own
controllers and upstream's, as guests, are recorded by the same code.

An object's writes are lists [SECONDS, "VERB SUBRESOURCE", CODE, CHANGES]: when, counted from the
case's start, what was asked, how it was answered, and what of the object changed ("gone": it is
deleted). Objects with generated names are told apart by nothing: "pods/default/web-*" has the
writes of each, a list for each pod.
"""
import datetime
import hashlib
import json
import math
import re

WRITES = {"create", "update", "patch", "delete", "deletecollection"}
# Nobody's state: an Event is recorded as what it says, a Lease is a heartbeat.
UNRECORDED = {"events", "leases"}
EPOCH = datetime.datetime(2025, 1, 1, tzinfo=datetime.timezone.utc)
UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)")
PEM = re.compile(r"-----BEGIN ([A-Z ]+)-----.*?-----END \1-----\n?", re.S)
TOKEN_VOLUME = re.compile(r"kube-api-access-[a-z0-9]{5}")
# Fields that say what a run was, and not what became of the object.
DROPPED = ("metadata.resourceVersion", "metadata.uid", "metadata.managedFields",
           "metadata.generation")
# API servers give these to every pod, and to a pod's template, where it says nothing.
SERVED = {"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
          "dnsPolicy": "ClusterFirst", "enableServiceLinks": True, "resources": {},
          "preemptionPolicy": "PreemptLowerPriority", "schedulerName": "default-scheduler",
          "securityContext": {}, "restartPolicy": "Always", "imagePullPolicy": "IfNotPresent",
          "terminationGracePeriodSeconds": 30}
# Nothing is given so early in a case, in seconds since its start.
BEFORE_GIVEN = -21.0
BOOT_NAMESPACES = {"default", "kube-node-lease", "kube-public", "kube-system"}


def served(tree):
    """Paths, or beginnings of paths, of what the API server added by itself."""
    out = [p for p, v in tree.items()
           if ".containers[" in p or p.startswith(("spec.", "template.spec."))
           if SERVED.get(p.rsplit(".", 1)[-1]) == v and p.rsplit(".", 1)[-1] in SERVED]
    for path, leaf in tree.items():
        if path.endswith("].name") and isinstance(leaf, str) and TOKEN_VOLUME.fullmatch(leaf):
            out.append(path.removesuffix("name"))
    return tuple(out)


def flat(path, value):
    """(path, leaf) of a value; an empty object or list is a leaf."""
    if isinstance(value, dict) and value:
        for name, child in value.items():
            quoted = name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else f"['{name}']"
            dot = "" if quoted.startswith("[") or not path else "."
            yield from flat(f"{path}{dot}{quoted}", child)
    elif isinstance(value, list) and value:
        for i, child in enumerate(value):
            yield from flat(f"{path}[{i}]", child)
    else:
        yield path, value


class Objects:
    """The objects of a run by key, as leaves by path."""

    def __init__(self):
        self.trees, self.uids, self.generated = {}, {}, {}

    def take(self, commit):
        key = (commit["resource"], commit["namespace"], commit["name"])
        if commit["op"] == "delete":
            self.trees.pop(key, None)
            return key
        tree = self.trees.setdefault(key, {})
        for change in commit["changed"]:
            path = change["path"]
            for old in [p for p in tree if p == path or p.startswith((path + ".", path + "["))]:
                del tree[old]
            if "new" in change:
                # An empty object or list ends where it gets its first entry.
                for cut in re.finditer(r"[.\[]", path):
                    tree.pop(path[:cut.start()], None)
                tree.update(flat(path, change["new"]))
        self.uids[commit["uid"]] = key
        generated = tree.get("metadata.generateName")
        if generated and key[2].startswith(generated):
            self.generated[key[2]] = generated + "*"
        return key


class Names:
    """What is written instead of names, uids and times."""

    def __init__(self, objects, start_ns):
        self.objects = objects
        # Whole seconds count from the whole second in which the case begins.
        self.start = EPOCH + datetime.timedelta(microseconds=start_ns // 1000)
        names = sorted(objects.generated, key=len, reverse=True)
        # A name may stand within that of an Event, or in a text.
        self.pattern = names and re.compile("|".join(map(re.escape, names)))

    def masked(self, text):
        if self.pattern:
            text = self.pattern.sub(lambda m: self.objects.generated[m.group(0)], text)
        return TOKEN_VOLUME.sub("kube-api-access-*", text)

    def key(self, key):
        resource, ns, name = key
        return self.masked("/".join([resource, ns, name] if ns else [resource, name]))

    def uid(self, match):
        key = self.objects.uids.get(match.group(0))
        return f"uid of {self.key(key)}" if key else "uid"

    def time(self, match):
        text = match.group(0).replace("Z", "+00:00")
        when = datetime.datetime.fromisoformat(text)
        if match.group(1):
            return f"{(when - self.start).total_seconds():+.3f}s"
        return f"{(when - self.start.replace(microsecond=0)).total_seconds():+.0f}s"

    def value(self, value):
        if isinstance(value, str):
            value = PEM.sub(
                lambda m: f"{m[1]} {hashlib.sha256(m[0].encode()).hexdigest()[:8]}", value)
            return TIME.sub(self.time, UID.sub(self.uid, self.masked(value)))
        if isinstance(value, list):
            return [self.value(v) for v in value]
        if isinstance(value, dict):
            return {self.masked(k): self.value(v) for k, v in value.items()}
        return value

    def tree(self, tree):
        dropped = DROPPED + served(tree)
        return {self.masked(path): self.value(leaf) for path, leaf in sorted(tree.items())
                if not path.startswith(dropped) and not path.endswith("].resourceVersion")}


class Recorder:
    """Takes the lines of a trace; `record` is then what `actors` did. `actors(NAME)` says whether
    an actor is one of those that are recorded."""

    def __init__(self, actors, start_ns):
        self.actors, self.start_ns = actors, start_ns
        self.objects, self.requests, self.written, self.end = Objects(), {}, [], {}
        self.events = {}  # by key: first and last time and the tree

    def take(self, line):
        kind = line.get("kind")
        if kind == "request" and line["verb"] in WRITES and self.actors(line["actor"]):
            self.requests[line["id"]] = {"at": line, "code": 0, "commits": 0}
        elif kind == "response" and line["id"] in self.requests:
            self._answered(self.requests[line["id"]], line)
        elif kind == "commit":
            self._committed(line)
        elif "end" in line:
            self.end = line["end"]

    def _answered(self, request, line):
        request["code"] = line["code"]
        asked = request["at"]
        if asked["verb"] == "deletecollection" and line["code"] < 400:
            return  # what it deleted is written down with each object
        if not request["commits"] and asked["resource"] not in UNRECORDED:
            # A real POST has the name in its body alone.
            made = asked["verb"] == "create" and not asked["subresource"]
            key = (asked["resource"], asked["namespace"], "?" if made else asked["name"] or "?")
            self.written.append((line["t"], key, request, None))

    def _committed(self, line):
        if not line["resource"]:  # a key that is no object: where etcd was compacted
            return
        key = (line["resource"], line["namespace"], line["name"])
        before = dict(self.objects.trees.get(key, {}))
        self.objects.take(line)
        if key[0] == "events":
            if self.actors(line["by"]):
                first = self.events.get(key, (line["t"],))[0]
                self.events[key] = (first, line["t"], dict(self.objects.trees.get(key, before)))
            return
        request = self.requests.get(line["request"])
        if request is None or key[0] in UNRECORDED:
            return
        request["commits"] += 1
        after = self.objects.trees.get(key)
        after = None if after is None else dict(after)
        self.written.append((line["t"], key, request, (before, after)))

    def record(self):
        """{"writes": ..., "events": ..., "final": ..., "verdict": ...}"""
        names = Names(self.objects, self.start_ns)
        by_object = {}
        for t, key, request, change in sorted(self.written, key=lambda w: w[0]):
            by_object.setdefault(key, []).append(self._entry(names, t, request, change))
        writes = {}
        for key, entries in by_object.items():
            writes.setdefault(names.key(key), []).append(entries)
        return {"writes": {k: sorted(v, key=without_times) for k, v in sorted(writes.items())},
                "events": sorted((self._event(names, e) for e in self.events.values()),
                                 key=without_times),
                "final": self._final(names),
                "verdict": sorted({v["oracle"] for v in self.end.get("violations", [])})}

    def _seconds(self, t):
        return round((t - self.start_ns) / 1e9, 3)

    def _entry(self, names, t, request, change):
        asked = request["at"]
        what = " ".join(filter(None, [asked["verb"], asked["subresource"]]))
        if asked["params"].get("propagationPolicy"):
            what += " " + asked["params"]["propagationPolicy"]
        if change is None:
            return [self._seconds(t), what, request["code"], {}]
        before, after = change
        if after is None:
            return [self._seconds(t), what, request["code"], "gone"]
        # Only what was normalised can be compared: an address that stays is no change.
        old, new = names.tree(before), names.tree(after)
        changed = {p: v for p, v in new.items() if p not in old or old[p] != v}
        changed.update({p: None for p in old if p not in new})
        return [self._seconds(t), what, request["code"], dict(sorted(changed.items()))]

    def _event(self, names, event):
        first, last, tree = event
        count = max(tree.get("count", 0) or 0, tree.get("series.count", 0) or 0)
        source = tree.get("reportingComponent") or tree.get("source.component", "")
        involved = names.masked(f'{tree.get("involvedObject.kind")}/'
                                f'{tree.get("involvedObject.name")}')
        text = f'{tree.get("type")} {tree.get("reason")} {involved} by {source}: ' \
               f'{names.value(tree.get("message", tree.get("note", "")))}'
        return [self._seconds(first), self._seconds(last), max(count, 1), text]

    def _final(self, names):
        lines = []
        for key, tree in self.objects.trees.items():
            if key[0] in UNRECORDED:
                continue
            if key[0] == "namespaces" and key[2] in BOOT_NAMESPACES:
                if "metadata.deletionTimestamp" not in tree:
                    continue
            finalizers = [v for p, v in tree.items() if p.startswith("metadata.finalizers[")]
            line = names.key(key)
            if "metadata.deletionTimestamp" in tree:
                line += " deleting"
            if finalizers:
                line += " held by " + ", ".join(sorted(finalizers))
            lines.append(line)
        return sorted(lines)

    def states(self):
        """All objects at the end, by masked key: a sorted list of their trees for each."""
        names, out = Names(self.objects, self.start_ns), {}
        for key, tree in self.objects.trees.items():
            if key[0] not in UNRECORDED:
                out.setdefault(names.key(key), []).append(names.tree(tree))
        return {k: sorted(v, key=to_line) for k, v in sorted(out.items())}


def to_line(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


SECONDS = re.compile(r"[+-]\d+(\.\d+)?s")


def without_times(value):
    """A text by which what differs in its times alone comes in one place."""
    if isinstance(value, float):
        return ""
    if isinstance(value, str):
        return SECONDS.sub("", value)
    if isinstance(value, list):
        return "[" + ",".join(map(without_times, value)) + "]"
    if isinstance(value, dict):
        return to_line({k: without_times(v) for k, v in value.items()})
    return to_line(value)


def made_in(history):
    """The second in which the object of a history was made by who is recorded; "": by another."""
    made = history[0][3] if history and history[0][1] == "create" else {}
    return made.get("metadata.creationTimestamp", "") if isinstance(made, dict) else ""


def sorted_pairs(ours, theirs):
    """What differs in its times alone side by side, in the order of the times."""
    def key(history):
        return without_times(history), [write[0] for write in history]
    return list(zip(sorted(ours, key=key), sorted(theirs, key=key)))


def settled(seconds):
    """When, if it was not before the objects were given: how long a program takes to start is its
    own affair."""
    return max(seconds, BEFORE_GIVEN)


class Comparison:
    """Lists where two records differ, times by no more than `tolerance` seconds being equal."""

    def __init__(self, tolerance):
        self.tolerance, self.differences = tolerance, []

    def of_records(self, expected, found, parts=("writes", "events", "final", "verdict")):
        for part in parts:
            if part == "writes":
                for key in sorted(set(expected[part]) | set(found[part])):
                    self._histories(key, expected[part].get(key, []), found[part].get(key, []))
            else:
                self._lists(part, expected[part], found[part])
        return self.differences

    def same(self, a, b):
        if isinstance(a, float) and isinstance(b, float):
            return abs(settled(a) - settled(b)) <= self.tolerance + 1e-9
        if isinstance(a, str) and isinstance(b, str):
            return a == b or self._same_texts(a, b)
        if isinstance(a, list) and isinstance(b, list):
            return len(a) == len(b) and all(map(self.same, a, b))
        if isinstance(a, dict) and isinstance(b, dict):
            return a.keys() == b.keys() and all(self.same(a[k], b[k]) for k in a)
        return a == b and isinstance(a, bool) == isinstance(b, bool)

    def _same_texts(self, a, b):
        if SECONDS.sub("", a) != SECONDS.sub("", b):
            return False
        for x, y in zip(SECONDS.finditer(a), SECONDS.finditer(b)):
            slack = self.tolerance if x.group(1) else math.floor(self.tolerance + 0.5)
            times = [settled(float(match.group(0)[:-1])) for match in (x, y)]
            if abs(times[0] - times[1]) > slack + 1e-9:
                return False
        return True

    def _histories(self, key, expected, found):
        """The histories of one object, or of all objects with one generated name."""
        left, rest = self._unpaired(expected, found)
        if left or rest:
            left, rest = self._unpaired(*self._not_alike(expected, found))
        for i in range(max(len(left), len(rest))):
            self._history(key, left[i] if i < len(left) else [], rest[i] if i < len(rest) else [])

    def _unpaired(self, expected, found):
        """What of two lists has no counterpart, whatever the order."""
        left, rest = [], list(found)
        for item in expected:
            twin = next((x for x in rest if self.same(item, x)), None)
            if twin is None:
                left.append(item)
            else:
                rest.remove(twin)
        return left, rest

    def _not_alike(self, expected, found):
        """Objects made in one second rank equal for whoever has to choose among them, and any of
        them may have met with what befell one."""
        out = ([], [])
        for second in sorted({made_in(h) for h in expected + found}):
            ours, theirs = ([h for h in side if made_in(h) == second] for side in (expected, found))
            made, fates = (sorted_pairs([cut(h) for h in ours], [cut(h) for h in theirs])
                           for cut in (lambda h: h[:1], lambda h: h[1:]))
            if not (second and len(ours) == len(theirs) and
                    all(self.same(a, b) for a, b in made + fates)):
                out[0].extend(ours)
                out[1].extend(theirs)
        return out

    def _history(self, key, expected, found):
        at = next((i for i, (a, b) in enumerate(zip(expected, found)) if not self.same(a, b)),
                  min(len(expected), len(found)))
        self.differences.append({
            "what": key, "write": at + 1,
            "expected": expected[at] if at < len(expected) else None,
            "found": found[at] if at < len(found) else None})

    def _lists(self, part, expected, found):
        left, rest = self._unpaired(expected, found)
        for item in left:
            self.differences.append({"what": part, "expected": item, "found": None})
        for item in rest:
            self.differences.append({"what": part, "expected": None, "found": item})


def told(difference):
    """A difference as text of some lines."""
    lines = [difference["what"] + (f', write {difference["write"]}' if "write" in difference
                                   else "")]
    expected, found = difference["expected"], difference["found"]
    for name, side, other in (("expected", expected, found), ("found", found, expected)):
        lines.append(f"    {name:8} {_short(side, other)}")
    return "\n".join(lines)


def _short(side, other):
    """Of two writes of many fields those that differ, and of a creation that has no counterpart
    no field."""
    if side is None:
        return "nothing"
    if isinstance(side, list) and len(side) == 4 and isinstance(side[3], dict):
        fields = side[3]
        if isinstance(other, list) and len(other) == 4 and isinstance(other[3], dict):
            fields = {k: v for k, v in fields.items() if k not in other[3] or other[3][k] != v}
            return f"{side[0]}s {side[1]} {side[2]} {to_line(fields)}"
        if len(fields) > 8:
            return f"{side[0]}s {side[1]} {side[2]} ({len(fields)} fields)"
    return to_line(side) if not isinstance(side, str) else side
