"""What a real API server serves, from its discovery: kinds and the names of resources."""
import threading
import time


class NoKind(Exception):
    """A kind or a resource that the API server does not serve."""


class Kinds:
    """Looks things up in discovery, which is read again where something is missing: the kinds of
    a new CustomResourceDefinition come a moment after it."""

    def __init__(self, api):
        self.api, self.by_kind, self.by_name = api, {}, {}
        self.lock = threading.Lock()
        self.refresh()

    def refresh(self):
        groups = self.api.ask("GET", "/apis")[1]["groups"]
        versions = ["v1"] + [v["groupVersion"] for g in groups for v in g["versions"]]
        for version in versions:
            root = f"/api/{version}" if version == "v1" else f"/apis/{version}"
            code, listed = self.api.ask("GET", root)
            if code != 200:
                continue
            for entry in listed["resources"]:
                if "/" in entry["name"]:
                    continue
                kind = {"root": root, "name": entry["name"], "kind": entry["kind"],
                        "namespaced": entry["namespaced"], "version": version}
                self.by_kind[(version, entry["kind"])] = kind
                for name in (entry["name"], entry["kind"].lower(), entry.get("singularName"),
                             *entry.get("shortNames", [])):
                    if name:
                        self.by_name.setdefault(name, kind)

    def find(self, table, key):
        for _ in range(40):
            if key in table:
                return table[key]
            time.sleep(0.25)
            with self.lock:
                self.refresh()
        raise NoKind(f"no kind {key}")

    def of(self, an_object):
        return self.find(self.by_kind, (an_object["apiVersion"], an_object["kind"]))

    def named(self, resource):
        return self.find(self.by_name, resource.lower())


def path(kind, namespace, name="", subresource=""):
    out = kind["root"]
    if kind["namespaced"]:
        out += f"/namespaces/{namespace}"
    return out + f'/{kind["name"]}' + (f"/{name}" if name else "") + \
        (f"/{subresource}" if subresource else "")
