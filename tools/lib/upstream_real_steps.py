"""Steps of a case as kubectl asks them of a real API server."""
from upstream_real_kinds import path

PATCHES = {"merge": "application/merge-patch+json", "json": "application/json-patch+json",
           "strategic": "application/strategic-merge-patch+json"}
CASCADES = {"background": "Background", "foreground": "Foreground", "orphan": "Orphan"}


class NoStep(Exception):
    """A step that has no words here, or that the API server refused against the case's intent."""


class Hand:
    """kubectl's hand at one case: `do(step)` asks what the step says. Answers of the API server
    that refuse something are kept: some cases want them."""

    def __init__(self, api, kinds, place):
        self.api, self.kinds, self.place, self.refused = api, kinds, place, []

    def ask(self, *request):
        code, answer = self.api.ask(*request)
        if code >= 400 or code == 0:
            message = (answer or {}).get("message", "")
            self.refused.append(f"{request[0]} {request[1]}: {code} {message}")
        return code, answer

    def do(self, step):
        for verb, body in step.items():
            if verb != "at":
                getattr(self, "do_" + verb, self.unknown(verb))(body)

    def unknown(self, verb):
        def refuse(_):
            raise NoStep(f"no step {verb}")
        return refuse

    def create(self, tree):
        kind = self.kinds.of(tree)
        sent = self.place.object(tree)
        code, made = self.ask("POST", path(kind, sent["metadata"].get("namespace")), sent)
        if code != 201:
            return
        self.place.made(kind, made)
        if kind["kind"] == "Namespace":
            self.account(made["metadata"]["name"])
        if kind["kind"] == "CustomResourceDefinition":
            self.kinds.find(self.kinds.by_kind, (
                f'{tree["spec"]["group"]}/{tree["spec"]["versions"][0]["name"]}',
                tree["spec"]["names"]["kind"]))

    def account(self, namespace):
        """Pods are admitted where the account that they run as is there."""
        self.api.ask("POST", f"/api/v1/namespaces/{namespace}/serviceaccounts", {
            "apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}})

    def do_create(self, body):
        for tree in body.get("objects", [body["object"]] if "object" in body else []):
            self.create(tree)

    def targets(self, body):
        """(kind, namespace, name) of each object that a step is about."""
        resource, _, name = body["resource"].partition("/")
        kind = self.kinds.named(resource)
        namespace = self.place.namespace(body.get("namespace", "default"))
        if name:
            own = not kind["namespaced"] and kind["kind"] != "CustomResourceDefinition"
            if own or (kind["kind"] == "Lease" and namespace == "kube-node-lease"):
                name = self.place.name(name)
            return [(kind, namespace, self.place.text(name))]
        query = f'?labelSelector={body["selector"]}'.replace("=", "%3D").replace("%3D", "=", 1) \
            if "selector" in body else ""
        _, listed = self.ask("GET", path(kind, namespace) + query)
        names = sorted(item["metadata"]["name"] for item in listed.get("items", []))
        return [(kind, namespace, n) for n in names[:body.get("limit", len(names))]]

    def patch_each(self, body, patch, kind="application/merge-patch+json", subresource=""):
        for target in self.targets(body):
            self.ask("PATCH", path(*target, subresource), patch, kind)

    def do_patch(self, body):
        kind = PATCHES[body.get("type", "strategic")]
        self.patch_each(body, self.place.into(body["patch"]), kind, body.get("subresource", ""))

    def do_label(self, body, field="labels"):
        values = {**body.get("set", {}), **{k: None for k in body.get("remove", [])}}
        self.patch_each(body, {"metadata": {field: values}})

    def do_annotate(self, body):
        self.do_label(body, "annotations")

    def do_scale(self, body):
        self.patch_each(body, {"spec": {"replicas": body["replicas"]}}, subresource="scale")

    def do_setImage(self, body):  # pylint: disable=invalid-name
        containers = [{"name": n, "image": i} for n, i in body["images"].items()]
        self.patch_each(body, {"spec": {"template": {"spec": {"containers": containers}}}},
                        PATCHES["strategic"])

    def do_rollout(self, body):
        paused = {"pause": True, "resume": None}
        if body["command"] not in paused:
            raise NoStep(f'no rollout {body["command"]}')
        self.patch_each(body, {"spec": {"paused": paused[body["command"]]}})

    def do_cordon(self, body, value=True):
        self.patch_each({"resource": f'nodes/{body["node"]}'}, {"spec": {"unschedulable": value}})

    def do_uncordon(self, body):
        self.do_cordon(body, None)

    def do_evict(self, body):
        namespace = self.place.namespace(body.get("namespace", "default"))
        self.ask("POST", f'/api/v1/namespaces/{namespace}/pods/{body["pod"]}/eviction', {
            "apiVersion": "policy/v1", "kind": "Eviction",
            "metadata": {"name": body["pod"], "namespace": namespace}})

    def do_delete(self, body):
        options = {"apiVersion": "v1", "kind": "DeleteOptions",
                   "propagationPolicy": CASCADES[body.get("cascade", "background")]}
        if "gracePeriodSeconds" in body:
            options["gracePeriodSeconds"] = body["gracePeriodSeconds"]
        for target in self.targets(body):
            self.ask("DELETE", path(*target), options)
