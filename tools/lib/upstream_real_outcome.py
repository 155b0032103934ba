"""What came of a case, without times, and how far two such outcomes agree.

An outcome has for each object the writes of the recorded controllers in their order, each as
[VERB SUBRESOURCE, CODE, CHANGES], the Events by count and text, and the objects that there are at
the end. Two outcomes agree where a difference is of a class that real time may make (CLASSES), or
stands in the register (upstream_real_explained.py).
"""
import re

from upstream_record import BEFORE_GIVEN, to_line

TIMES = re.compile(r"(?<![\w.])[+-]\d+(\.\d+)?s(?!\w)")
SOME_TIME = "some time"
QUOTED = re.compile(r"\['([^']*)'\]")
# Each class with why it is legal. The first under which two histories are equal names them.
CLASSES = {
    "conflicts": "A write that was refused with 409 is tried again: whose write comes first is a "
                 "matter of milliseconds.",
    "no-change": "A write that changes nothing comes more or less often: a controller asks once "
                 "more for what it has not yet heard of.",
    "times": "A time is written again or not: whether it is the second that stands there already "
             "is chance.",
    "status-batched": "A controller that is told of several things at once writes one status for "
                      "all, and one that is told of them one by one writes several: the writes to "
                      "other fields are the same in the same order, and so is the status in the "
                      "end.",
    "event-counts": "The same Events, some of them more or less often: a controller that tries "
                    "again says so again, and how often it does is a matter of time.",
}


def timeless(value):
    if isinstance(value, str):
        return TIMES.sub(SOME_TIME, value)
    if isinstance(value, list):
        return [timeless(v) for v in value]
    if isinstance(value, dict):
        return {k: timeless(v) for k, v in value.items()}
    return value


def change_of(write):
    """A write without its time, and without what is empty, or null in an object that is made: the
    trace of ksim and etcd's JSON say that in different ways. Names are quoted in no path."""
    what, code, change = timeless(write[1:])
    if isinstance(change, dict):
        change = {QUOTED.sub(r".\1", p): v for p, v in change.items()
                  if not p.endswith(".resourceVersion") and v not in ({}, []) and
                  not (v is None and (what == "create" or is_parent(p, change)))}
    return [what, code, change]


def is_parent(path, change):
    """Whether a path that went had nothing, and has something now."""
    return path in ("spec", "status") or \
        any(p.startswith((path + ".", path + "[")) for p in change)


def outcome_of(record, until, nodes=(), since=BEFORE_GIVEN):
    """The outcome of a record. What came before the given objects is left out, what came after
    `until` seconds too, and of the end the nodes that have kubelets."""
    writes = {}
    for key, histories in record["writes"].items():
        cut = [[change_of(w) for w in h if since <= w[0] <= until] for h in histories]
        cut = sorted((h for h in cut if h), key=to_line)
        if cut:
            writes[key] = cut
    left_out = {f"nodes/{name}" for name in nodes}
    events = sorted(timeless([e[2], e[3]]) for e in record["events"] if since <= e[0] <= until)
    return {"writes": writes, "events": events,
            "final": [timeless(line) for line in record["final"]
                      if line.split(" ")[0] not in left_out]}


def without_conflicts(history):
    return [w for w in history if w[1] != 409]


def without_no_changes(history):
    return [w for w in without_conflicts(history) if w[2] != {} or w[1] >= 300]


def without_times(history):
    """Also without what is no more than a time, and without writes that were no more."""
    out = [[what, code, {p: v for p, v in change.items() if v != SOME_TIME}
            if isinstance(change, dict) else change]
           for what, code, change in without_no_changes(history)]
    return without_no_changes(out)


def is_status(write):
    return write[0].split(" ")[1:2] == ["status"] and write[1] < 300


def settled(history):
    """The writes to other fields than the status, in order, and what all writes to the status
    made of it. What a status says of times is left out, but for that it says it."""
    status, others = {}, []
    for write in without_times(history):
        if is_status(write) and isinstance(write[2], dict):
            status.update(write[2])
        else:
            others.append(write)
    return [others, {k: v for k, v in sorted(status.items()) if v not in (None, 0)}]


FORMS = [("", lambda h: h), ("conflicts", without_conflicts), ("no-change", without_no_changes),
         ("times", without_times), ("status-batched", settled)]


def unpaired(left, right):
    rest, out = list(right), []
    for item in left:
        if item in rest:
            rest.remove(item)
        else:
            out.append(item)
    return out, rest


def histories_differ(key, expected, found):
    """The differences between the histories of one name."""
    used = set()
    for name, form in FORMS:
        alike = [], []
        for side, into in ((expected, alike[0]), (found, alike[1])):
            into.extend(form(h) for h in side)
        if sorted(map(to_line, alike[0])) == sorted(map(to_line, alike[1])):
            if name:
                used.add(name)
            break
        if not [h for h in expected if form(h)] and not [h for h in found if form(h)]:
            break
    else:
        left, rest = unpaired([settled(h) for h in expected], [settled(h) for h in found])
        return [{"what": key, "class": None, "expected": left[i] if i < len(left) else None,
                 "found": rest[i] if i < len(rest) else None}
                for i in range(max(len(left), len(rest)))]
    return [{"what": key, "class": c, "expected": expected, "found": found} for c in used]


def empty(history):
    """A history of refused writes alone is nothing under a class."""
    return not without_conflicts(history)


def compared(expected, found):
    """The differences between two outcomes: {"what", "class" (None: of none), "expected",
    "found"}."""
    out = []
    for key in sorted(set(expected["writes"]) | set(found["writes"])):
        sides = [o["writes"].get(key, []) for o in (expected, found)]
        if len(sides[0]) != len(sides[1]) and any(map(empty, sides[0] + sides[1])):
            sides = [[h for h in side if not empty(h)] for side in sides]
            out.append({"what": key, "class": "conflicts", "expected": None, "found": None})
        out.extend(histories_differ(key, *sides))
    out.extend(events_differ(expected["events"], found["events"]))
    left, rest = unpaired(expected["final"], found["final"])
    out.extend({"what": "final", "class": None, "expected": x, "found": None} for x in left)
    out.extend({"what": "final", "class": None, "expected": None, "found": x} for x in rest)
    return out


def events_differ(expected, found):
    if expected == found:
        return []
    texts = [{text for _, text in side} for side in (expected, found)]
    if texts[0] == texts[1]:
        return [{"what": "events", "class": "event-counts", "expected": None, "found": None}]
    return [{"what": "events", "class": None, "expected": x, "found": None}
            for x in sorted(texts[0] - texts[1])] + \
        [{"what": "events", "class": None, "expected": None, "found": x}
         for x in sorted(texts[1] - texts[0])]


def told(difference):
    """A difference as text of some lines; of two settled histories what differs alone."""
    lines = [f'{difference["what"]} ({difference["class"] or "unexplained"})']
    expected, found = difference["expected"], difference["found"]
    if difference["class"]:
        return lines[0]
    if isinstance(expected, list) and isinstance(found, list):
        expected, found = ([unpaired(a[0], b[0])[0], {k: v for k, v in a[1].items()
                                                      if b[1].get(k) != v}]
                           for a, b in ((expected, found), (found, expected)))
    return "\n".join([lines[0], f"    real  {short(expected)}", f"    found {short(found)}"])


def short(value, width=600):
    text = to_line(value)
    return text if len(text) <= width else text[:width] + "..."
