"""Runs the operations of an op script (docs/op-scripts.md) against a real etcd, one by one."""
import time

from real_etcd import EtcdError, WatchSocket, from_base64, to_base64

PATIENCE = 10.0  # seconds for what etcd owes a watcher


def key_value(message, keys_only=False):
    return {
        "key": from_base64(message.get("key")), "value": from_base64(message.get("value")),
        "create": int(message.get("create_revision", 0)),
        "mod": int(message.get("mod_revision", 0)),
        "version": int(message.get("version", 0)),
        # 3.4 tells the lease of keys_only results, later versions do not.
        "lease": 0 if keys_only else int(message.get("lease", 0))}


def revision(message):
    return int(message.get("header", {}).get("revision", 0))


def contains(op, key):
    """Whether the range of a watch holds a key."""
    first, end = (op.get("key", "") or "\0").encode(), op.get("range_end", "").encode()
    key = key.encode()
    if not end:
        return key == first
    return key >= first and (end == b"\0" or key < end)


# --- requests and responses of the KV service ----------------------------------------------------

def put_request(op):
    value = "x" * op["value_len"] if "value_len" in op else op.get("value", "")
    message = {"key": to_base64(op.get("key", "")), "value": to_base64(value),
               "lease": str(op.get("lease", 0))}
    message.update({f: op.get(f, False) for f in ("prev_kv", "ignore_value", "ignore_lease")})
    return message


def range_request(op):
    message = {"key": to_base64(op.get("key", "")), "range_end": to_base64(op.get("range_end", "")),
               "sort_order": op.get("sort_order", "none").upper(),
               "sort_target": op.get("sort_target", "key").upper()}
    message.update({f: str(op.get(f, 0)) for f in (
        "limit", "revision", "min_mod_revision", "max_mod_revision", "min_create_revision",
        "max_create_revision")})
    message.update({f: op.get(f, False) for f in ("keys_only", "count_only")})
    return message


def delete_request(op):
    return {"key": to_base64(op.get("key", "")), "range_end": to_base64(op.get("range_end", "")),
            "prev_kv": op.get("prev_kv", False)}


def compare_request(c):
    target = c["target"]
    field = {"create": "create_revision", "mod": "mod_revision"}.get(target, target)
    operand = to_base64(c.get("operand", "")) if target == "value" else str(c.get("operand", 0))
    return {"key": to_base64(c.get("key", "")), "range_end": to_base64(c.get("range_end", "")),
            "target": target.upper(), "result": c["result"].upper(), field: operand}


def txn_request(op):
    return {"compare": [compare_request(c) for c in op.get("compare", [])],
            "success": [in_txn_request(o) for o in op.get("success", [])],
            "failure": [in_txn_request(o) for o in op.get("failure", [])]}


def put_result(message, _):
    before = message.get("prev_kv")
    return {"revision": revision(message), "prev_kv": None if before is None else key_value(before)}


def range_result(message, op):
    keys_only = op.get("keys_only", False)
    return {"revision": revision(message), "count": int(message.get("count", 0)),
            "more": message.get("more", False),
            "kvs": [key_value(kv, keys_only) for kv in message.get("kvs", [])]}


def delete_result(message, _):
    return {"revision": revision(message), "deleted": int(message.get("deleted", 0)),
            "prev_kvs": [key_value(kv) for kv in message.get("prev_kvs", [])]}


def txn_result(message, op):
    succeeded = message.get("succeeded", False)
    ops = op.get("success" if succeeded else "failure", [])
    responses = []
    for child, response in zip(ops, message.get("responses", []), strict=True):
        name = child["op"]
        responses.append(dict(KV[name][2](response["response_" + name], child), op=name))
    return {"revision": revision(message), "succeeded": succeeded, "responses": responses}


# Operation: path, request, result.
KV = {"put": ("kv/put", put_request, put_result),
      "range": ("kv/range", range_request, range_result),
      "delete_range": ("kv/deleterange", delete_request, delete_result),
      "txn": ("kv/txn", txn_request, txn_result)}


def in_txn_request(op):
    return {"request_" + op["op"]: KV[op["op"]][1](op)}


# --- watches -------------------------------------------------------------------------------------

class Watch:
    """One label: a watch on a stream of its own, and what came of it."""

    def __init__(self, etcd, op):
        self.op = op
        self.socket = WatchSocket(etcd.port)
        self.created = self.canceled = False
        self.id = self.created_revision = self.compact_revision = 0
        self.reason = ""
        self.first = op.get("start_revision", 0)  # the first revision it is owed
        self.events, self.taken, self.last_revision = [], 0, 0
        self.progress = []
        message = {"key": to_base64(op.get("key", "")),
                   "range_end": to_base64(op.get("range_end", "")),
                   "start_revision": str(self.first), "prev_kv": op.get("prev_kv", False),
                   "filters": [f.upper() for f in op.get("filters", [])]}
        self.socket.send({"create_request": message})

    def owes(self, event):
        kv = event["kv"]
        return (kv["mod"] >= self.first and contains(self.op, kv["key"])
                and "no" + event["type"] not in self.op.get("filters", []))

    def wait(self, met, patience=PATIENCE):
        """Takes messages in until `met()`; whether it was."""
        end = time.monotonic() + patience
        self.absorb(0)
        while not met():
            left = end - time.monotonic()
            if left <= 0:
                return False
            self.absorb(left)
        return True

    def absorb(self, timeout):
        for message in self.socket.messages(timeout):
            if "result" not in message:
                raise EtcdError(f"watch stream: {message}")
            self.take(message["result"])

    def take(self, message):
        events = message.get("events", [])
        if message.get("created"):
            self.created, self.id = True, int(message.get("watch_id", 0))
            self.created_revision = revision(message)
            self.first = self.first or self.created_revision + 1
        elif not events and not message.get("canceled"):
            self.progress.append(revision(message))
        if message.get("canceled"):
            self.canceled = True
            self.compact_revision = int(message.get("compact_revision", 0))
            self.reason = message.get("cancel_reason", "")
        for event in events:
            self.events.append({
                "type": event.get("type", "PUT").lower(), "kv": key_value(event["kv"]),
                "prev_kv": key_value(event["prev_kv"]) if "prev_kv" in event else None})
        revisions = [e["kv"]["mod"] for e in self.events[len(self.events) - len(events):]]
        if revisions and (revisions != sorted(revisions) or revisions[0] <= self.last_revision):
            raise EtcdError(f"etcd split or disordered revisions: {revisions}")
        self.last_revision = revisions[-1] if revisions else self.last_revision

    def take_events(self):
        events, self.taken = self.events[self.taken:], len(self.events)
        return events


class Recorder:
    """A fresh etcd and the script's state. step(op) gives the result, with `i` and `op`."""

    def __init__(self, etcd):
        self.etcd = etcd
        self.watches = {}
        self.revision = 1
        self.compacted = -1
        # Sees everything, and so tells what the others are owed.
        self.history = Watch(etcd, {"key": "\0", "range_end": "\0", "start_revision": 1})
        if not self.history.wait(lambda: self.history.created):
            raise EtcdError("etcd does not create watches")
        self.await_synced()

    def close(self):
        for watch in [*self.watches.values(), self.history]:
            watch.socket.close()

    def step(self, op):
        name = op["op"]
        if name in KV:
            path, request, result = KV[name]
            answer = self.call(path, request(op), lambda message: result(message, op))
        else:
            answer = getattr(self, name)(op)
        return dict(answer, i=op["i"], op=name)

    def call(self, path, message, result):
        answer, error = self.etcd.call(path, message)
        return result(answer) if error is None else {"error": error}

    # --- leases, compaction, time ---

    def lease_grant(self, op):
        return self.call("lease/grant", {"ID": str(op["id"]), "TTL": str(op.get("ttl", 0))},
                         lambda m: {"revision": revision(m), "id": int(m["ID"]),
                                    "ttl": int(m["TTL"])})

    def lease_revoke(self, op):
        return self.call("lease/revoke", {"ID": str(op.get("id", 0))},
                         lambda m: {"revision": revision(m)})

    def lease_ttl(self, op):
        def result(m):
            keys = sorted((from_base64(k) for k in m.get("keys", [])), key=str.encode)
            return {"revision": revision(m), "id": int(m["ID"]), "keys": keys,
                    "granted_ttl": int(m.get("grantedTTL", 0)), "expired": m.get("TTL") == "-1"}
        return self.call("lease/timetolive", {"ID": str(op.get("id", 0)), "keys": True}, result)

    def lease_keepalive(self, op):
        return self.call("lease/keepalive", {"ID": str(op.get("id", 0))},
                         lambda m: {"id": int(m["ID"]), "ttl": int(m.get("TTL", 0))})

    def lease_list(self, _):
        return self.call("lease/leases", {}, lambda m: {
            "revision": revision(m),
            "ids": sorted(int(lease["ID"]) for lease in m.get("leases", []))})

    def sleep(self, op):
        time.sleep(op.get("ms", 0) / 1000)
        return {"revision": self.current_revision()}

    def compact(self, op):
        # etcd looks a prev_kv up when it sends: what is owed must be out before.
        self.catch_up()
        for watch in self.watches.values():
            self.drain(watch)
        to = op.get("revision", 0)
        result = self.call("kv/compaction", {"revision": str(to), "physical": True},
                           lambda m: {"revision": revision(m)})
        self.compacted = self.compacted if "error" in result else to
        return result

    # --- watches ---

    def current_revision(self):
        message = {"key": to_base64("\0"), "count_only": True}
        return self.call("kv/range", message, revision)

    def await_synced(self):
        for _ in range(1000):
            if self.etcd.slow_watchers() == 0:
                return
            time.sleep(0.01)
        raise EtcdError("watchers never catch up")

    def catch_up(self):
        """Brings the history up to the current revision."""
        self.revision = self.current_revision()
        if not self.history.wait(
                lambda: self.revision == 1 or self.history.last_revision >= self.revision):
            raise EtcdError(f"revision {self.revision} never came")

    def drain(self, watch):
        """Waits until the watch has got all it is owed."""
        if watch.canceled or not watch.created:
            return
        owed = sum(watch.owes(e) for e in self.history.events)
        watch.wait(lambda: len(watch.events) >= owed or watch.canceled)

    def watch_open(self, op):
        self.catch_up()
        watch = self.watches[op["w"]] = Watch(self.etcd, op)
        if not watch.wait(lambda: watch.created):
            raise EtcdError(f"watch was not created: {op}")
        start = op.get("start_revision", 0)
        if not watch.canceled and 0 < start <= self.revision:
            self.await_synced()
            if start < self.compacted:
                watch.wait(lambda: watch.canceled)
            self.drain(watch)
        return {"created": watch.created, "revision": watch.created_revision,
                "canceled": watch.canceled, "compact_revision": watch.compact_revision,
                "cancel_reason": watch.reason}

    def watch_collect(self, op):
        watch = self.watches[op["w"]]
        self.catch_up()
        self.drain(watch)
        return {"events": watch.take_events(), "canceled": watch.canceled,
                "compact_revision": watch.compact_revision}

    def watch_progress(self, op):
        watch = self.watches[op["w"]]
        self.catch_up()
        self.drain(watch)
        before = len(watch.progress)
        watch.socket.send({"progress_request": {}})
        answered = watch.wait(lambda: len(watch.progress) > before)
        return {"progress_revision": watch.progress[-1] if answered else 0}

    def watch_close(self, op):
        watch = self.watches.pop(op["w"])
        self.catch_up()
        self.drain(watch)
        canceled = watch.canceled
        if not canceled:
            watch.socket.send({"cancel_request": {"watch_id": str(watch.id)}})
            if not watch.wait(lambda: watch.canceled):
                raise EtcdError("etcd did not cancel a watch")
        watch.socket.close()
        return {"canceled": canceled, "events": watch.take_events()}
