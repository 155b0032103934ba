"""Draws op scripts (docs/op-scripts.md), one operation after another.

The next operation depends on the seed and on what the store answered so far: that is how
revisions, leases and watches are drawn from those that there are. What etcd leaves open, or what
its versions do differently, is not drawn:
 - a watch from the compaction revision if that may have deleted something (3.4 before 3.4.34 and
   3.5 before 3.5.16 lose that delete);
 - in one transaction, a put with an unknown lease and, its key missing, ignore_value or
   ignore_lease (which error comes first changed with 3.7);
 - in one transaction, puts that may be refused beside ranges that may be refused (3.4 before 3.4.25
   checks all puts first);
 - negative start revisions, and progress requests of watches that have not begun or are canceled;
 - sorts of more than twelve keys, whose ties Go's sort leaves open: there are only twelve keys;
 - in one transaction, a put beside a delete of every key from one on.
"""
import random

PREFIX = "/registry/pods/default/"
KEYS = [PREFIX + name for name in ("p0", "p1", "p10", "p2", "p3", "p\u00e9")] + [
    "/registry/nodes/n1", "a", "b", "b\0", "\u00fc", "zz"]
ENDS = [PREFIX + "q", PREFIX[:-1] + "0", "/registry0", "/registry/pods0", "b\0\0", "c", "\u00fd"]
BIG_LEASE = 7587854210000000001


class TxnRules:
    """What one transaction, nested ones included, may hold."""

    def __init__(self, draw):
        kind = draw.random()
        self.puts = kind >= 0.15
        self.refusable_puts = kind >= 0.6  # else ranges may be


class Generator:
    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.revision, self.compacted = 1, -1
        self.may_have_deleted = set()  # revisions
        self.leases = []
        self.watches = {}  # open ones: label to first revision, or None if canceled
        self.number = self.labels = 0
        self.short_leases = self.draw.random() < 0.2
        self.queue = []

    # --- what there is to draw from ---

    def chance(self, p):
        return self.draw.random() < p

    def some(self, *sizes):
        return range(self.draw.choice(sizes))

    def key(self):
        return "" if self.chance(0.004) else self.draw.choice(KEYS)

    def span(self, op, single=0.5, from_key=True):
        """Adds key and range_end."""
        op["key"] = self.key()
        kind = self.draw.random()
        if kind < single:
            return op
        if kind < single + 0.08 and from_key:
            op["range_end"] = "\0"
        elif kind < single + 0.12 and from_key:
            op["key"] = op["range_end"] = "\0"
        elif kind < single + 0.3:
            op["key"], op["range_end"] = PREFIX, PREFIX[:-1] + "0"
        else:
            op["range_end"] = self.draw.choice(KEYS + ENDS)
        return op

    def past(self):
        return self.draw.randint(max(1, self.compacted - 1), max(1, self.revision))

    def lease(self, unknown):
        if self.leases and not (unknown and self.chance(0.1)):
            return self.draw.choice(self.leases)
        return self.draw.randint(1, 9) if unknown else 0

    # --- operations ---

    def put(self, rules=None):
        op = {"op": "put", "key": self.key()}
        refusable = rules is None or rules.refusable_puts
        kind = self.draw.random()
        if kind < 0.1:
            op["value_len"] = self.draw.choice([0, 1, 100, 4096])
        elif kind < 0.101 and rules is None:
            op["value_len"] = self.draw.choice([1572700, 1572864, 1580000, 2097000, 2097152])
        elif kind < 0.2 and refusable:
            op["ignore_value"] = True
            if self.chance(0.1):
                op["value"] = "x"
        else:
            op["value"] = self.draw.choice(["", "1", "10", "9", "\u00e9", f"v{self.number}"])
        if self.chance(0.2):
            op["lease"] = self.lease(refusable and (rules is None or "ignore_value" not in op))
        if refusable and self.chance(0.08) and (rules is None or "lease" not in op):
            op["ignore_lease"] = True
            if self.chance(0.9):
                op.pop("lease", None)
        if self.chance(0.35):
            op["prev_kv"] = True
        return op

    def range(self, rules=None):
        op = self.span({"op": "range"}, single=0.25)
        if (rules is None or not rules.refusable_puts) and self.chance(0.45):
            future = self.revision + self.draw.randint(0, 3)
            op["revision"] = self.past() if self.chance(0.9) else future
            if self.chance(0.04):
                op["revision"] = -1
        if self.chance(0.3):
            op["limit"] = self.draw.choice([1, 1, 2, 3, 5, 12, 0, -1])
        if self.chance(0.4):
            op["sort_order"] = self.draw.choice(["ascend", "descend", "none"])
        if self.chance(0.4):
            op["sort_target"] = self.draw.choice(["key", "version", "create", "mod", "value"])
        for flag in ("keys_only", "count_only"):
            if self.chance(0.1):
                op[flag] = True
        for name in ("min_mod", "max_mod", "min_create", "max_create"):
            if self.chance(0.08):
                op[name + "_revision"] = self.past()
        return op

    def delete_range(self, rules=None):
        from_key = rules is None or not rules.puts
        op = self.span({"op": "delete_range"}, single=0.75, from_key=from_key)
        if self.chance(0.4):
            op["prev_kv"] = True
        return op

    def compare(self):
        target = self.draw.choice(["version", "create", "mod", "mod", "value", "lease"])
        c = self.span({"target": target, "result": self.draw.choice(
            ["equal", "equal", "not_equal", "greater", "less"])}, single=0.8)
        if target == "value":
            c["operand"] = self.draw.choice(["", "1", "10", "v3", "\u00e9"])
        elif target == "version":
            c["operand"] = self.draw.randint(0, 4)
        elif target == "lease":
            c["operand"] = self.lease(True)
        else:
            c["operand"] = 0 if self.chance(0.3) else self.past()
        return c

    def txn(self, rules=None, depth=0):
        rules = rules or TxnRules(self.draw)
        op = {"op": "txn", "compare": [self.compare() for _ in self.some(0, 1, 1, 2)]}
        for branch in ("success", "failure"):
            op[branch] = [self.in_txn(rules, depth) for _ in self.some(0, 1, 1, 2, 3)]
        if depth == 0 and self.chance(0.005):
            size = self.draw.choice([127, 128, 129])
            op["success"] = [{"op": "range", "key": "a"} for _ in range(size)]
        return op

    def in_txn(self, rules, depth):
        kind = self.draw.random()
        if kind < 0.1 and depth < 3:
            return self.txn(rules, depth + 1)
        if kind < 0.55 and rules.puts:
            return self.put(rules)
        return self.delete_range(rules) if kind < 0.75 else self.range(rules)

    def compact(self):
        kind = self.draw.random()
        if kind < 0.08:
            return {"op": "compact", "revision": self.revision + self.draw.randint(1, 2)}
        if kind < 0.16:
            return {"op": "compact", "revision": self.draw.randint(0, max(self.compacted, 0))}
        return {"op": "compact", "revision": self.past()}

    def watch_open(self):
        if len(self.watches) >= 8:
            return self.of_watch("watch_close")
        self.labels += 1
        op = self.span({"op": "watch_open", "w": f"w{self.labels}"}, single=0.3)
        kind = self.draw.random()
        if kind < 0.4:
            start = self.past()
            if start != self.compacted or start not in self.may_have_deleted:
                op["start_revision"] = start
        elif kind < 0.5:
            op["start_revision"] = self.revision + self.draw.randint(1, 4)
        if self.chance(0.5):
            op["prev_kv"] = True
        if self.chance(0.2):
            op["filters"] = self.draw.choice([["noput"], ["nodelete"], ["noput", "nodelete"]])
        return op

    def of_watch(self, name):
        """watch_collect, watch_progress or watch_close of a watch that it suits."""
        labels = [w for w, first in self.watches.items()
                  if name != "watch_progress" or (first is not None and first <= self.revision)]
        return {"op": name, "w": self.draw.choice(labels)} if labels else self.put()

    def lease_grant(self):
        if self.short_leases and self.chance(0.3):
            return self.short_lease()
        ttl = 9000000001 if self.chance(0.03) else self.draw.randint(600, 100000)
        return {"op": "lease_grant", "id": self.some_lease_id(), "ttl": ttl}

    def short_lease(self):
        """One that runs out: keys are put under it, then time passes."""
        self.short_leases = False
        lease, ttl = 100 + self.number, self.draw.randint(-1, 3)
        puts = [dict(self.put(), lease=lease) for _ in range(self.draw.randint(1, 4))]
        for put in puts:
            put.pop("ignore_lease", None)
        self.queue = puts + [{"op": "lease_ttl", "id": lease},
                             {"op": "sleep", "ms": 1000 * (max(ttl, 2) + 3)},
                             {"op": "lease_ttl", "id": lease}]
        return {"op": "lease_grant", "id": lease, "ttl": ttl}

    def some_lease_id(self):
        return self.draw.choice([1, 2, 3, 4, 5, BIG_LEASE, BIG_LEASE + 2])

    def of_lease(self, name):
        known = self.leases and self.chance(0.8)
        return {"op": name, "id": self.draw.choice(self.leases) if known else self.some_lease_id()}

    def next(self):
        """The next operation. Tell its result to observe() before the next."""
        if self.queue:
            op = self.queue.pop(0)
        else:
            kinds = {"put": 28, "range": 16, "delete_range": 8, "txn": 14, "compact": 3,
                     "watch_open": 5, "watch_collect": 8, "watch_progress": 3, "watch_close": 3,
                     "lease_grant": 4, "lease_revoke": 1.5, "lease_ttl": 2, "lease_keepalive": 1,
                     "lease_list": 1}
            name = self.draw.choices(list(kinds), kinds.values())[0]
            if hasattr(self, name):
                op = getattr(self, name)()
            elif name == "lease_list":
                op = {"op": name}
            else:
                op = self.of_lease(name) if name.startswith("lease") else self.of_watch(name)
        op["i"] = self.number
        self.number += 1
        return op

    def observe(self, op, result):
        name = op["op"]
        if "error" in result:
            return
        self.revision = max(self.revision, result.get("revision", 0))
        if name in ("delete_range", "txn", "lease_revoke", "sleep"):
            self.may_have_deleted.add(self.revision)
        if name == "compact":
            self.compacted = op["revision"]
        elif name == "lease_grant" and op["ttl"] > 100:
            self.leases.append(op["id"])
        elif name == "lease_revoke":
            self.leases.remove(op["id"])
        elif name == "watch_open":
            first = op.get("start_revision") or self.revision + 1
            self.watches[op["w"]] = None if result["canceled"] else first
        elif name == "watch_close":
            del self.watches[op["w"]]
