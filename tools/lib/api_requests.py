"""Draws scripts of requests to a kube-apiserver for tools/apiserver-diff.

A request is a JSON object:

    {"i": 3, "method": "POST", "path": "/api/v1/namespaces/{ns}/pods", "query": {"dryRun": "All"},
     "headers": {"Accept": "..."}, "body": {...}}

`text` instead of `body` is sent as it is. `from: N` takes the body that request N was answered
with, and `edits: [[[place...], value]...]` changes it. In all of it {ns} stands for the script's
namespace, and {rv:N}, {uid:N}, {continue:N} for what request N was answered with. `settle` waits so
many seconds first, for a watch cache that follows the store a little later.

What Kubernetes leaves open is not drawn: which object a cache has that was not given time; lists
over namespaces without the label that all objects of a script have (`run: {ns}`), for the servers
have objects of their own; mistakes in the specs of kinds whose metadata alone ksim validates;
custom resources in protobuf, over which a kube-apiserver breaks the connection.
"""
import copy
import json
import random

import api_bodies
from api_bodies import KINDS, SCALE, STATUS
from api_values import (ACCEPTS, CONTENT_TYPES, FIELD_SELECTORS, LABEL_SELECTORS, NON_RESOURCES,
                        PATCHES, PROTOBUF)


class Known:
    """An object that the script has asked to make."""

    def __init__(self, kind, name, request):
        self.kind, self.name, self.request = kind, name, request


def version_of(known):
    return "{rv:%d}" % (known.request or 0)


class Generator:
    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.requests, self.known = [], []
        self.kinds = list(KINDS)
        self.group = None
        self.lists = []  # numbers of requests that may have a continue token

    def script(self, size):
        self.prepare()
        verbs = {"create": 20, "read": 9, "list": 11, "watch": 2.5, "update": 10, "patch": 16,
                 "delete": 7, "delete_collection": 2, "subresource": 8, "non_resource": 5, "odd": 6,
                 "create_again": 3, "missing": 3, "protobuf": 1.5, "review": 1.5}
        while len(self.requests) < size:
            getattr(self, self.draw.choices(list(verbs), verbs.values())[0])()
        return self.requests[:size]

    def prepare(self):
        """What every script begins with: its namespace, and what pods need in it."""
        self.add("POST", "/api/v1/namespaces", settle=0.1, body={
            "apiVersion": "v1", "kind": "Namespace",
            "metadata": {"name": "{ns}", "labels": {"run": "{ns}"}}})
        self.requests[-1]["settle_after"] = 0.15
        self.add("POST", "/api/v1/namespaces/{ns}/serviceaccounts", body={
            "apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}})
        if self.chance(0.25):
            self.group = "{ns}.example.com"
            self.add("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                     body=api_bodies.definition(self.group))
            self.requests[-1]["settle_after"] = 2
            self.kinds.append(api_bodies.custom_kind(self.group))

    # --- what there is to draw from ---

    def chance(self, p):
        return self.draw.random() < p

    def add(self, method, path, **more):
        request = {"i": len(self.requests), "method": method, "path": path}
        request.update({k: v for k, v in more.items() if v not in (None, {})})
        headers = request.get("headers", {})
        if "gadgets" in path and headers.get("Content-Type") == PROTOBUF:
            headers["Content-Type"] = "junk"
        self.requests.append(request)
        return request["i"]

    def kind(self):
        return self.draw.choices(self.kinds, [k.weight for k in self.kinds])[0]

    def name(self, kind):
        name = self.draw.choice("abcde")
        return name if kind.namespaced else "{ns}-" + name

    def some(self):
        """An object that may be there."""
        if self.known and self.chance(0.93):
            return self.draw.choice(self.known)
        kind = self.kind()
        return Known(kind, self.name(kind), None)

    def path(self, known, sub=""):
        return known.kind.collection() + "/" + known.name + ("/" + sub if sub else "")

    def headers(self, *, body=False):
        headers = {}
        if self.chance(0.14):
            headers["Accept"] = self.draw.choice(ACCEPTS)
        if body and self.chance(0.05):
            headers["Content-Type"] = self.draw.choice(CONTENT_TYPES)
        return headers

    def write_query(self, *, patch=False):
        query = {}
        for p, name, values in (
                (0.08, "dryRun", ["All", "All", "None", "all", ""]),
                (0.25, "fieldValidation", ["Strict", "Warn", "Ignore", "Strict", "bad"]),
                (0.12, "fieldManager", ["m", "other", "x" * 129, "a\tb", ""]),
                (0.02, "pretty", ["true", "1", "x"]),
                (0.02, "timeout", ["10s", "x", "-1s"]),
                (0.01, "force", ["true"]) if not patch else (0, "", [""]),
                (0.01, "unknown", ["x"])):
            if self.chance(p):
                query[name] = self.draw.choice(values)
        return query

    def object(self, kind, name, *, mutated=None):
        body = {"apiVersion": kind.api_version, "kind": kind.kind,
                "metadata": {"name": name, "labels": {"run": "{ns}"}}}
        if self.chance(0.3):
            body["metadata"]["labels"]["app"] = self.draw.choice("ab")
        if self.chance(0.1):
            body["metadata"]["annotations"] = {"example.com/a": "b"}
        if self.chance(0.06):
            body["metadata"]["finalizers"] = ["example.com/f"]
        if self.chance(0.05):
            body["metadata"]["ownerReferences"] = [
                {"apiVersion": "v1", "kind": "Pod", "name": "o", "uid": "1-2-3"}]
        # Where ksim does not validate the spec, it is the same each time: it may not change.
        draw = self.draw if kind.validated else random.Random(1)
        body.update(copy.deepcopy(kind.body(draw)))
        if self.chance(0.25) if mutated is None else mutated:
            api_bodies.mutate(self.draw, body, below=() if kind.validated else ("metadata",))
        return body

    # --- requests ---

    def create(self):
        kind = self.kind()
        name = self.name(kind)
        body = self.object(kind, name)
        metadata = body.get("metadata")
        if isinstance(metadata, dict) and self.chance(0.06):
            metadata.pop("name", None)
            metadata["generateName"] = ("" if kind.namespaced else "{ns}-") + "g-"
            name = None
        at = self.add("POST", kind.collection(), query=self.write_query(),
                      headers=self.headers(body=True), body=body,
                      settle_after=None if kind.namespaced else 0.05)
        if name and "dryRun" not in self.requests[at].get("query", {}):
            self.known.append(Known(kind, name, at))

    def create_again(self):
        known = self.some()
        self.add("POST", known.kind.collection(), query=self.write_query(),
                 body=self.object(known.kind, known.name, mutated=False))

    def read(self):
        known = self.some()
        query = {}
        settle = None
        if self.chance(0.3):
            query["resourceVersion"] = self.draw.choice(["0", version_of(known), "x", "-1"])
            settle = 0.06
        if self.chance(0.04):
            query["pretty"] = self.draw.choice(["true", "false"])
        self.add("GET", self.path(known), query=query, headers=self.headers(), settle=settle)

    def list(self):
        kind = self.kind()
        path = kind.collection()
        query = {"labelSelector": "run={ns}"} if not kind.namespaced or self.chance(0.4) else {}
        if kind.namespaced and self.chance(0.1):
            path = kind.root() + "/" + kind.resource
            query["labelSelector"] = "run={ns}"
        if kind.namespaced and self.chance(0.15):
            query["labelSelector"] = self.draw.choice(LABEL_SELECTORS)
        if self.chance(0.2):
            query["fieldSelector"] = self.draw.choice(FIELD_SELECTORS).replace(
                "{name}", self.name(kind))
        settle = self.versions(query)
        if self.chance(0.25):
            query["limit"] = self.draw.choice(["1", "2", "500", "0", "-1", "x"])
        if self.chance(0.08) and self.lists:
            before = self.draw.choice(self.lists)
            path, query = self.requests[before]["path"], dict(self.requests[before]["query"])
            query["continue"] = self.draw.choice([f"{{continue:{before}}}"] * 3 + ["x", "e30"])
            for name in ("resourceVersion", "resourceVersionMatch"):
                if self.chance(0.9):
                    query.pop(name, None)
        if self.chance(0.02):
            query["sendInitialEvents"] = "true"
        at = self.add("GET", path, query=query, headers=self.headers(), settle=settle)
        if query.get("limit") in ("1", "2"):
            self.lists.append(at)

    def versions(self, query):
        """Adds a resource version; gives the time that a cache needs to have it."""
        if not self.chance(0.35):
            return None
        query["resourceVersion"] = self.draw.choice(
            ["0", f"{{rv:{self.draw.randrange(len(self.requests))}}}", "0", "x"])
        if self.chance(0.5):
            query["resourceVersionMatch"] = self.draw.choice(["Exact", "NotOlderThan", "bad"])
        return 0.06

    def watch(self):
        kind = self.kind()
        query = {"watch": self.draw.choice(["1", "true"]), "timeoutSeconds": "1",
                 "labelSelector": "run={ns}"}
        if self.chance(0.7):
            query["resourceVersion"] = self.draw.choice(
                ["0", f"{{rv:{self.draw.randrange(len(self.requests))}}}", "{rv:0}", "x"])
        for p, name, values in ((0.2, "allowWatchBookmarks", ["true"]),
                                (0.15, "sendInitialEvents", ["true", "false"]),
                                (0.15, "resourceVersionMatch", ["NotOlderThan", "Exact"]),
                                (0.15, "fieldSelector", FIELD_SELECTORS[:4])):
            if self.chance(p):
                query[name] = self.draw.choice(values).replace("{name}", self.name(kind))
        headers = {"Accept": self.draw.choice(ACCEPTS)} if self.chance(0.25) else {}
        path = kind.collection()
        if self.chance(0.1):
            path = kind.root() + "/watch" + path.removeprefix(kind.root())
        self.add("GET", path, query=query, headers=headers, settle=0.06)

    def update(self):
        known = self.some()
        if self.chance(0.75) and known.request is not None:
            source = {"from": known.request, "edits": self.edits(known)}
        else:
            source = {"body": self.object(known.kind, known.name)}
        self.add("PUT", self.path(known), query=self.write_query(), headers=self.headers(body=True),
                 **source)

    def edits(self, known):
        metadata = [
            (["metadata", "labels", "app"], self.draw.choice(["a", "b", "-", 1])),
            (["metadata", "annotations"], self.draw.choice([{"x": "y"}, {}, None, {"x": 1}])),
            (["metadata", "resourceVersion"], self.draw.choice(
                ["", "1", None, "x", version_of(known)])),
            (["metadata", "uid"], self.draw.choice(["", None, "other"])),
            (["metadata", "name"], self.draw.choice(["z", "", None])),
            (["metadata", "namespace"], self.draw.choice(["default", "", None])),
            (["metadata", "finalizers"], self.draw.choice([[], ["example.com/g"], ["bad"], None])),
            (["metadata", "managedFields"], self.draw.choice([[], None, [{}]])),
            (["metadata", "generation"], 7), (["metadata", "creationTimestamp"], None),
            (["kind"], self.draw.choice(["Pod", "ConfigMap", "", None])),
            (["apiVersion"], self.draw.choice(["v1", "apps/v1", "", None, "v9"])),
            (["unknown"], 1)]
        drawn = self.kind_edits(known) if self.chance(0.6) and known.kind.validated else metadata
        edits = [list(self.draw.choice(drawn))]
        if self.chance(0.5):  # without a version it depends on no other request
            edits.append([["metadata", "resourceVersion"], None])
        return edits

    def kind_edits(self, known):
        """Changes of what is particular to the kind: parts of another object of it."""
        other = known.kind.body(self.draw)
        if not other:
            return [(["metadata", "labels", "app"], "c")]
        edits = []
        for field, value in other.items():
            edits.append(([field], value))
            if isinstance(value, dict):
                edits += [([field, inner], v) for inner, v in value.items()]
        bad = [([*place], self.draw.choice(api_bodies.BAD_VALUES)) for place, _ in edits[:2]]
        return edits + bad

    def patch(self):
        known = self.some()
        how = self.draw.choice(list(PATCHES))
        query = self.write_query(patch=True)
        headers = self.headers()
        headers["Content-Type"] = PATCHES[how]
        body = self.apply(known, query) if how == "apply" else self.patch_body(known, how)
        self.add("PATCH", self.path(known), query=query, headers=headers, body=body)

    def apply(self, known, query):
        if self.chance(0.9):
            query["fieldManager"] = self.draw.choice(["m", "other", "m", "n"])
        if self.chance(0.4):
            query["force"] = self.draw.choice(["true", "true", "false", "x"])
        return self.object(known.kind, known.name, mutated=self.chance(0.15))

    def patch_body(self, known, how):
        edits = [self.edits(known)[0] for _ in range(self.draw.choice([1, 1, 2]))]
        if how == "json":
            operations = []
            for place, value in edits:
                steps = (str(s).replace("~", "~0").replace("/", "~1") for s in place)
                pointer = "/" + "/".join(steps)
                name = self.draw.choice(["add", "replace", "remove", "test", "add", "copy", "bad"])
                operation = {"op": name, "path": pointer}
                if name in ("add", "replace", "test"):
                    operation["value"] = value
                elif name == "copy":
                    operation["from"] = "/metadata/name"
                operations.append(operation)
            return operations if self.chance(0.95) else self.draw.choice([{}, "x", [1], None])
        body = {}
        for place, value in edits:
            inner = body
            for step in place[:-1]:
                if not isinstance(inner.setdefault(step, {}), dict):
                    break
                inner = inner[step]
            else:
                inner[place[-1]] = value
        if self.chance(0.05):
            body["metadata"] = {"$patch": self.draw.choice(["replace", "delete", "bad"])}
        return body if self.chance(0.96) else self.draw.choice([[], "x", 1])

    def delete_options(self, known):
        body, query = {}, {}
        if self.chance(0.3):
            query["gracePeriodSeconds"] = self.draw.choice(["0", "1", "-1", "x"])
        if self.chance(0.3):
            query["propagationPolicy"] = self.draw.choice(
                ["Orphan", "Foreground", "Background", "bad", ""])
        if self.chance(0.06):
            query["orphanDependents"] = self.draw.choice(["true", "false", "x"])
        if self.chance(0.12):
            query["dryRun"] = self.draw.choice(["All", "bad"])
        if self.chance(0.35):
            body = {"apiVersion": "v1", "kind": "DeleteOptions"}
            if self.chance(0.5):
                body["preconditions"] = self.draw.choice([
                    {"uid": "{uid:%d}" % (known.request or 0)}, {"uid": "other"},
                    {"resourceVersion": version_of(known)}, {"resourceVersion": "1"}])
            for p, name, values in ((0.4, "gracePeriodSeconds", [0, 5, -1, "x"]),
                                    (0.4, "propagationPolicy", ["Orphan", "Foreground", "bad"]),
                                    (0.1, "dryRun", [["All"], ["bad"], "All"]),
                                    (0.1, "unknown", [1]),
                                    (0.05, "kind", ["Pod", ""])):
                if self.chance(p):
                    body[name] = self.draw.choice(values)
            if self.chance(0.5):
                query = {}
        return body, query

    def delete(self):
        known = self.some()
        body, query = self.delete_options(known)
        self.add("DELETE", self.path(known), query=query, headers=self.headers(), body=body,
                 settle_after=0.05)

    def delete_collection(self):
        kind = self.kind()
        body, query = self.delete_options(Known(kind, "a", None))
        query["labelSelector"] = self.draw.choice(["run={ns},app=b", "app=b,run={ns}"])
        if self.chance(0.1):
            query["fieldSelector"] = "metadata.name=" + self.name(kind)
        self.add("DELETE", kind.collection(), query=query, headers=self.headers(), body=body,
                 settle=0.06, settle_after=0.05)

    def missing(self):
        kind = self.kind()
        path = kind.collection() + "/missing"
        method = self.draw.choice(["GET", "PUT", "PATCH", "DELETE"])
        if method == "PATCH":
            self.add(method, path, body={"metadata": {"labels": {"a": "b"}}},
                     headers={"Content-Type": PATCHES[self.draw.choice(["merge", "strategic"])]})
        else:
            self.add(method, path, headers=self.headers(),
                     body=self.object(kind, "missing", mutated=False) if method == "PUT" else None)

    def subresource(self):
        known = self.some()
        candidates = [k for k in self.known if k.kind.subs]
        if candidates and self.chance(0.95):
            known = self.draw.choice(candidates)
        sub = self.draw.choice(known.kind.subs or (STATUS, SCALE))
        if sub == STATUS:
            self.of_status(known)
        elif sub == SCALE:
            self.of_scale(known)
        else:
            getattr(self, "of_" + sub)(known)

    def of_status(self, known):
        method = self.draw.choice(["GET", "PUT", "PATCH", "PATCH", "POST", "DELETE"])
        status = self.draw.choice([
            {"phase": "Running"}, {"replicas": 1}, {"conditions": [
                {"type": "Ready", "status": "True", "lastTransitionTime": "2001-02-03T04:05:06Z"}]},
            {"readyReplicas": 3}, {"active": 1}, {}, {"phase": 1}, {"conditions": "x"}])
        more = {}
        if method == "PUT" and known.request is not None:
            more = {"from": known.request, "edits": [
                [["status"], status], [["metadata", "resourceVersion"], None]]}
        elif method == "PATCH":
            how = self.draw.choice(["merge", "strategic", "json"])
            more["headers"] = {"Content-Type": PATCHES[how]}
            more["body"] = {"status": status} if how != "json" else [
                {"op": "add", "path": "/status", "value": status}]
        elif method == "POST":
            more["body"] = {}
        self.add(method, self.path(known, STATUS), query=self.write_query() if more else {}, **more)

    def of_scale(self, known):
        method = self.draw.choice(["GET", "PUT", "PATCH", "PATCH"])
        more = {}
        if method == "PUT":
            more["body"] = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {
                "name": known.name, "namespace": "{ns}"},
                "spec": {"replicas": self.draw.choice([0, 2, -1, "x"])}}
            if self.chance(0.2):
                api_bodies.mutate(self.draw, more["body"])
        elif method == "PATCH":
            more = {"headers": {"Content-Type": PATCHES["merge"]},
                    "body": {"spec": {"replicas": self.draw.choice([0, 2, -1, "x", None])}}}
        self.add(method, self.path(known, SCALE), **more)

    def of_eviction(self, known):
        body = {"apiVersion": "policy/v1", "kind": "Eviction",
                "metadata": {"name": self.draw.choice([known.name] * 4 + ["z"]),
                             "namespace": "{ns}"}}
        if self.chance(0.3):
            body["deleteOptions"] = self.draw.choice([
                {"gracePeriodSeconds": 0}, {"dryRun": ["All"]}, {"preconditions": {"uid": "x"}}])
        if self.chance(0.15):
            api_bodies.mutate(self.draw, body)
        self.add("POST", self.path(known, "eviction"), body=body, settle_after=0.05)

    def of_binding(self, known):
        body = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": known.name},
                "target": {"kind": "Node", "name": "node-y"}}
        if self.chance(0.25):
            api_bodies.mutate(self.draw, body)
        self.add("POST", self.path(known, "binding"), body=body)

    def of_log(self, known):
        query = {"container": self.draw.choice(["c", "missing"])} if self.chance(0.4) else {}
        if self.chance(0.2):
            query["tailLines"] = self.draw.choice(["1", "-1", "x"])
        self.add("GET", self.path(known, "log"), query=query)

    def of_exec(self, known):
        self.add(self.draw.choice(["GET", "POST"]), self.path(known, "exec"),
                 query={"command": "true"})

    def of_ephemeralcontainers(self, known):
        if self.chance(0.5):
            self.add("GET", self.path(known, "ephemeralcontainers"))
        else:
            self.add("PATCH", self.path(known, "ephemeralcontainers"), query={"dryRun": "All"},
                     headers={"Content-Type": PATCHES["strategic"]},
                     body={"spec": {"ephemeralContainers": [{"name": "e", "image": "busybox"}]}})

    def of_resize(self, known):
        self.add("PATCH", self.path(known, "resize"), query={"dryRun": "All"},
                 headers={"Content-Type": PATCHES["strategic"]},
                 body={"spec": {"containers": [{"name": "c", "resources": {
                     "requests": {"cpu": "200m"}}}]}})

    def of_token(self, known):
        body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
                "spec": {"expirationSeconds": self.draw.choice([600, 3600, 1, 2**33])}}
        if self.chance(0.3):
            api_bodies.mutate(self.draw, body)
        self.add("POST", self.path(known, "token"), body=body)

    def of_finalize(self, known):
        if known.request is None:
            return
        self.add("PUT", self.path(known, "finalize"), **{"from": known.request, "edits": [
            [["spec", "finalizers"], self.draw.choice([["kubernetes"], [], ["example.com/x"]])],
            [["metadata", "resourceVersion"], None]]})

    def non_resource(self):
        path = self.draw.choice(NON_RESOURCES)
        headers = {"Accept": self.draw.choice(ACCEPTS)} if self.chance(0.2) else {}
        query = {"verbose": "1"} if "z" in path and self.chance(0.2) else {}
        method = self.draw.choice(["GET"] * 12 + ["POST", "HEAD"])
        self.add(method, path, query=query, headers=headers)

    def review(self):
        bodies = {
            "selfsubjectaccessreviews": {"resourceAttributes": {"verb": "get", "resource": "pods"}},
            "selfsubjectrulesreviews": {"namespace": "{ns}"},
            "subjectaccessreviews": {
                "user": "u", "nonResourceAttributes": {"path": "/", "verb": "get"}}}
        resource = self.draw.choice(list(bodies))
        kind = {"selfsubjectaccessreviews": "SelfSubjectAccessReview",
                "selfsubjectrulesreviews": "SelfSubjectRulesReview",
                "subjectaccessreviews": "SubjectAccessReview"}[resource]
        body = {"apiVersion": "authorization.k8s.io/v1", "kind": kind, "spec": bodies[resource]}
        if self.chance(0.3):
            api_bodies.mutate(self.draw, body)
        self.add("POST", "/apis/authorization.k8s.io/v1/" + resource, body=body)

    def protobuf(self):
        """Has an object answered in protobuf, and sends that back."""
        kind = self.draw.choice([k for k in KINDS if k.namespaced])
        name = self.name(kind)
        at = self.add("POST", kind.collection(), query={"dryRun": "All"},
                      headers={"Accept": PROTOBUF}, body=self.object(kind, name, mutated=False))
        self.add("POST", kind.collection(), **{"from": at}, headers={
            "Content-Type": PROTOBUF, "Accept": self.draw.choice([PROTOBUF, "application/json"])})
        self.known.append(Known(kind, name, at + 1))

    def odd(self):
        """Requests that nobody should send."""
        kind = self.kind()
        known = self.some()
        drawn = self.draw.randrange(10)
        if drawn == 0:
            self.add(self.draw.choice(["BREW", "TRACE", "OPTIONS", "HEAD", "CONNECT"][:4]),
                     self.draw.choice([kind.collection(), self.path(known)]))
        elif drawn == 1:
            self.add(self.draw.choice(["PUT", "PATCH"]), kind.collection(), body={},
                     headers={"Content-Type": PATCHES["merge"]})
        elif drawn == 2:
            self.add("POST", self.path(known), body=self.object(kind, "a", mutated=False))
        elif drawn == 3:
            self.add("POST", kind.collection(), text=self.draw.choice([
                "", "{", '{"kind": "Pod"', "null", "[]", '"x"', "1", "\u0000", "a: b", "{}", "{}{}",
                '{"metadata": {"name": "a", "name": "b"}}', "- 1", '{"kind":1}', "nul"]))
        elif drawn == 4:
            other = self.kind()
            self.add("POST", kind.collection(), body=self.object(other, "a", mutated=False))
        elif drawn == 5:
            body = self.object(kind, self.name(kind), mutated=False)
            text = json.dumps(body)
            text = text.replace('"metadata":', '"metadata": {}, "metadata":', 1)
            self.add("POST", kind.collection(), text=text, query={
                "fieldValidation": self.draw.choice(["Strict", "Warn", "Ignore"])})
        elif drawn == 6:
            self.add("PUT", self.path(known), text=self.draw.choice(["{", "", "null", "{}", "[]"]))
        elif drawn == 7:
            body = self.object(kind, self.name(kind), mutated=False)
            body["metadata"]["namespace"] = "default"
            self.add("POST", kind.collection(), body=body)
        elif drawn == 8:
            name = self.draw.choice(["A", "a_b", "a%20b", "..", "a%2Fb", "x" * 260, "%C3%BC"])
            self.add("GET", kind.collection() + "/" + name)
        else:
            size = self.draw.choice([300_000, 1_100_000, 3_200_000])
            self.add("POST", "/api/v1/namespaces/{ns}/configmaps", pad=size, body={
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "big"},
                "data": {"a": "{pad}"}})
