"""A real cluster's history as lines of a trace, so that the Recorder of ksim's runs reads it.

etcd says what each revision made of which object, the audit log who asked for what and how it was
answered. A commit is of the request whose answer bears its revision; a deletion, whose answer may
be a mere Status, of the first deletion of that object that is left, or of its collection's.
"""
import bisect
import datetime
import json
from urllib.parse import parse_qs, urlsplit

from upstream_real_cluster import BESIDE, RECORDED, USERS
from upstream_record import EPOCH, Objects, Recorder, flat

VERBS = {"create", "update", "patch", "delete", "deletecollection"}
ACTORS = {USERS[RECORDED]: RECORDED, USERS[BESIDE]: BESIDE}
EMPTY = (("status", {}), ("spec", {}))


ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"


def as_served(tree):
    """An object as its API serves it. A claim is stored without a phase, which is Pending then
    (pkg/apis/core/v1/defaults.go), a Job without labels, which are those of its template then
    (pkg/apis/batch/v1/defaults.go). 1.30 stores an EndpointSlice as v1beta1 does, whose endpoints
    say in one map where they are (pkg/apis/discovery/v1beta1/conversion.go)."""
    if tree and tree["kind"] == "PersistentVolumeClaim":
        return {**tree, "status": {"phase": "Pending", **(tree.get("status") or {})}}
    if tree and tree["kind"] == "Job" and not tree["metadata"].get("labels"):
        labels = tree["spec"]["template"].get("metadata", {}).get("labels")
        return {**tree, "metadata": {**tree["metadata"], "labels": labels or {}}}
    if not tree or tree["apiVersion"] != "discovery.k8s.io/v1beta1":
        return tree
    endpoints = []
    for endpoint in tree.get("endpoints") or []:
        where = dict(endpoint.get("topology") or {})
        served = {k: v for k, v in endpoint.items() if k != "topology"}
        if ZONE in where:
            served["zone"] = where.pop(ZONE)
        if where.get(HOST, "") == served.get("nodeName"):
            where.pop(HOST)
        endpoints.append({**served, **({"deprecatedTopology": where} if where else {})})
    return {**tree, "apiVersion": "discovery.k8s.io/v1", "endpoints": endpoints}


class WholeObjects(Objects):
    """Objects of commits that bear the whole object. What is null, and an
    empty spec or status, is not there."""

    def take(self, commit):
        key = (commit["resource"], commit["namespace"], commit["name"])
        if commit["op"] != "delete":
            self.trees[key] = {}
            leaves = [(p, v) for p, v in flat("", commit["object"])
                      if v is not None and (p, v) not in EMPTY]
            commit = {**commit, "changed": [{"path": p, "new": v} for p, v in leaves]}
        return super().take(commit)


def nanoseconds(text):
    when = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    delta = when - EPOCH
    return (delta.days * 86400 + delta.seconds) * 10**9 + delta.microseconds * 1000


class Requests:
    """The writes of an audit log, and which commit is whose."""

    def __init__(self, entries):
        self.all = []
        for entry in entries:
            if entry.get("stage") == "ResponseComplete" and entry["verb"] in VERBS:
                self.all.append(request_of(entry, len(self.all) + 1))
        self.all.sort(key=lambda r: r["t"])
        self.by_revision, self.by_object = {}, {}
        for request in self.all:
            if request["code"] >= 300:
                continue
            key = (request["resource"], request["namespace"], request["name"])
            self.by_object.setdefault(key, []).append(request)
            if request["rv"]:
                self.by_revision.setdefault(request["rv"], []).append(request)
        # Each revision, from when on it may have come about, and until when.
        self.revisions, self.since, self.until, top, low = [], [], [], 1 << 62, 0
        for revision, request in sorted(((int(rv), requests[0]) for rv, requests in
                                         self.by_revision.items()), reverse=True):
            # An answer that was asked for when a later revision was known bears an old one.
            if request["received"] <= top:
                top = min(top, request["t"])
                self.revisions.insert(0, revision)
                self.since.insert(0, request["received"])
                self.until.insert(0, top)
        for i, received in enumerate(self.since):
            low = self.since[i] = max(low, received)

    def of(self, revision, key, before, after):
        """The request that made a commit, None: the API server by itself."""
        low, high = self.between(revision)
        for request in self.by_revision.get(str(revision), []):
            # To end a pod at once, one deletion writes that it is deleted, and deletes it.
            if same_object(request, key) and request["received"] <= high and \
                    (not request["commits"] or after is None):
                return request
        there = [r for k in (key, (key[0], key[1], "")) for r in self.by_object.get(k, [])
                 if r["received"] <= high and r["t"] >= low]
        deletions = [lambda r: r["verb"] == "delete" and r["ends"]]
        ranks = [lambda r: not r["rv"] and r["verb"] not in ("delete", "deletecollection")]
        if after is None:
            ranks = [*deletions, lambda r: r["ends"], *ranks]
        elif grace(after) != grace(before):
            ranks = [*deletions, *ranks]
        for fits in ranks:
            for request in there:
                if not request["commits"] and request["name"] and fits(request):
                    return request
        return next((r for r in there if not r["name"]), None)

    def between(self, revision):
        """When a revision came about, as far as those say whose answers bear their revision."""
        at = bisect.bisect_left(self.revisions, revision)
        low = self.since[at - 1] if at else 0
        high = self.until[at] if at < len(self.until) else 1 << 62
        return low, high


def grace(tree):
    return ((tree or {}).get("metadata") or {}).get("deletionGracePeriodSeconds")


def same_object(request, key):
    resource, namespace, name = key
    return request["resource"] == resource and request["namespace"] == namespace and \
        (not request["name"] or request["name"] == name)


def request_of(entry, number):
    of, uri = entry.get("objectRef", {}), urlsplit(entry["requestURI"])
    answer, asked = entry.get("responseObject") or {}, entry.get("requestObject") or {}
    meta = answer.get("metadata") or {}
    params = {k: v[0] for k, v in parse_qs(uri.query).items()}
    if entry["verb"] in ("delete", "deletecollection"):
        if asked.get("propagationPolicy"):
            params["propagationPolicy"] = asked["propagationPolicy"]
    name = of.get("name", "")
    if entry["verb"] == "create" and not of.get("subresource"):
        name = meta.get("name", name) if answer.get("kind") != "Status" else name
    return {"id": number, "t": nanoseconds(entry["stageTimestamp"]), "verb": entry["verb"],
            "received": nanoseconds(entry["requestReceivedTimestamp"]),
            "actor": ACTORS.get(entry["user"]["username"], "others"),
            "resource": of.get("resource", ""), "subresource": of.get("subresource", ""),
            # A namespace is of no namespace, though the API server says that it is of itself.
            "namespace": of.get("namespace", "") if of.get("resource") != "namespaces" else "",
            "name": name, "params": params,
            "code": entry["responseStatus"].get("code", 0), "commits": 0,
            # To take the last finalizer away from what is being deleted ends it.
            "ends": answer.get("kind") == "Status" or
            bool(meta.get("deletionTimestamp") and not meta.get("finalizers")),
            "rv": meta.get("resourceVersion", "") if answer.get("kind") != "Status" else ""}


def lines_of(history, entries, kinds):
    """Requests, answers and commits in their order, each with its time in ns since EPOCH."""
    requests, last, out = Requests(entries), 0, []
    for revision, *states in history:
        after, before = map(as_served, states)
        tree = after or before
        kind = tree and kinds.by_kind.get((tree["apiVersion"], tree["kind"]))
        meta = kind and tree["metadata"]
        if not kind or "name" not in meta:  # a lease of the API server's is Endpoints without one
            continue
        key = (kind["name"], meta.get("namespace", ""), meta["name"])
        request = requests.of(revision, key, before, after)
        if request:
            request["commits"] += 1
            request["t"] = last = max(last, request["t"])
        out.append({"kind": "commit", "t": last, "revision": revision, "resource": key[0],
                    "namespace": key[1], "name": key[2], "uid": meta["uid"],
                    "op": "delete" if after is None else "put", "object": after,
                    "by": request["actor"] if request else "", "request":
                    request["id"] if request else 0})
    for request in requests.all:
        out.append({"kind": "response", "t": request["t"], "revision": 1 << 62,
                    "id": request["id"], "code": request["code"], "asked": request})
    # A request stands before its commits, an answer behind them.
    out.sort(key=lambda line: (line["t"], line["revision"]))
    return [{**r, "kind": "request"} for r in requests.all] + out


def record(lines, place, start_ns, left_out):
    """What came of one case. `left_out(resource, namespace, name)`: objects of the recording
    itself."""
    recorder = Recorder(lambda actor: actor == RECORDED, start_ns)
    recorder.objects = WholeObjects()
    for line in lines:
        if line["kind"] == "response":
            asked = line["asked"]
            if place.owns(asked["resource"], asked["namespace"], asked["name"]) and \
                    not left_out(*names_of(asked, place)):
                recorder.take(line)
        elif (line["resource"], line.get("op")) == ("events", "delete"):
            continue  # who takes an Event away has not said it
        elif place.owns(line["resource"], line["namespace"], line["name"]):
            names = names_of(line, place)
            if not left_out(*names):
                recorder.take(moved(line, names, place))
    return recorder.record()


def names_of(line, place):
    return line["resource"], place.back(line["namespace"]), place.back(line["name"])


def moved(line, names, place):
    out = {**line, "namespace": names[1], "name": names[2]}
    if line.get("object"):
        out["object"] = json.loads(place.back(json.dumps(line["object"])))
    return out
