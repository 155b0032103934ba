"""The kinds that tools/apiserver-diff asks for, and small valid bodies of them."""
POD_SPEC = {"containers": [{"name": "c", "image": "nginx"}]}
TEMPLATE = {"metadata": {"labels": {"app": "a"}}, "spec": POD_SPEC}
SELECTOR = {"matchLabels": {"app": "a"}}
LIMITS = [{"type": "Pod", "max": {"cpu": "2"}}]


class Kind:
    """One resource: where it is, and how a valid object of it is drawn."""

    def __init__(self, resource, api_version, kind, body, *, namespaced=True, subs=(), weight=2,
                 validated=True):
        self.resource, self.api_version, self.kind = resource, api_version, kind
        self.validated = validated  # else ksim validates its metadata alone
        self.body, self.namespaced = body, namespaced
        self.subs = subs  # of status, scale, and those with a path and a body of their own
        self.weight = weight

    def root(self):
        return ("/api/" if "/" not in self.api_version else "/apis/") + self.api_version

    def collection(self):
        return self.root() + ("/namespaces/{ns}/" if self.namespaced else "/") + self.resource


def chance(draw, p):
    return draw.random() < p


def pod(draw):
    spec = {"containers": [container(draw)]}
    if chance(draw, 0.1):
        spec["containers"].append({"name": "d", "image": "redis:7"})
    optional = {
        "initContainers": [{"name": "i", "image": "busybox", "command": ["true"]}],
        "restartPolicy": draw.choice(["Always", "Never", "OnFailure"]),
        "nodeSelector": {"disk": "ssd"},
        "tolerations": [{"key": "k", "operator": "Exists", "effect": "NoExecute"}],
        "volumes": [{"name": "v", "emptyDir": {}}],
        "priorityClassName": draw.choice(["system-node-critical", "missing"]),
        "terminationGracePeriodSeconds": draw.choice([0, 1, 30]),
        "hostNetwork": True, "dnsPolicy": draw.choice(["Default", "None", "ClusterFirst"]),
        "nodeName": "node-x", "securityContext": {"runAsUser": 1000},
        "schedulingGates": [{"name": "example.com/gate"}],
        "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone",
                                       "labelSelector": SELECTOR,
                                       "whenUnsatisfiable": "DoNotSchedule"}],
        "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"labelSelector": SELECTOR, "topologyKey": "kubernetes.io/hostname"}]}},
    }
    for name in draw.sample(sorted(optional), draw.choice([0, 0, 1, 2])):
        spec[name] = optional[name]
    return {"spec": spec}


def container(draw):
    c = {"name": "c", "image": draw.choice(["nginx", "nginx:1.25", "nginx@sha256:" + "0" * 64])}
    optional = {
        "resources": {"requests": {"cpu": draw.choice(["100m", "0.1", "1"]), "memory": "64Mi"},
                      "limits": {"cpu": "2", "memory": "1Gi"}},
        "ports": [{"containerPort": 80, "name": "http"}],
        "env": [{"name": "A", "value": "b"},
                {"name": "P", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
        "readinessProbe": {"httpGet": {"path": "/", "port": draw.choice([80, "http"])}},
        "livenessProbe": {"exec": {"command": ["true"]}, "periodSeconds": 5},
        "imagePullPolicy": "IfNotPresent", "args": ["x"],
        "securityContext": {"privileged": True},
        "lifecycle": {"preStop": {"exec": {"command": ["sleep", "1"]}}},
    }
    for name in draw.sample(sorted(optional), draw.choice([0, 0, 1, 2])):
        c[name] = optional[name]
    return c


def replicaset(draw):
    spec = {"selector": SELECTOR, "template": {"metadata": {"labels": {"app": "a"}}, **pod(draw)}}
    spec["template"]["spec"].pop("restartPolicy", None)
    if chance(draw, 0.7):
        spec["replicas"] = draw.choice([0, 1, 3])
    if chance(draw, 0.2):
        spec["minReadySeconds"] = 5
    return {"spec": spec}


def deployment(draw):
    body = replicaset(draw)
    if chance(draw, 0.4):
        body["spec"]["strategy"] = draw.choice([
            {"type": "Recreate"},
            {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "50%", "maxUnavailable": 0}}])
    return body


def statefulset(draw):
    body = replicaset(draw)
    body["spec"].pop("minReadySeconds", None)
    body["spec"]["serviceName"] = "s"
    return body


def daemonset(draw):
    body = replicaset(draw)
    body["spec"].pop("replicas", None)
    return body


def job(draw):
    spec = {"template": {"spec": dict(POD_SPEC, restartPolicy=draw.choice(["Never", "OnFailure"]))}}
    optional = {"parallelism": 2, "completions": 3, "backoffLimit": 1, "suspend": True,
                "ttlSecondsAfterFinished": 10, "activeDeadlineSeconds": 100}
    for name in draw.sample(sorted(optional), draw.choice([0, 1, 2])):
        spec[name] = optional[name]
    return {"spec": spec}


def cronjob(draw):
    spec = {"schedule": draw.choice(["*/5 * * * *", "@hourly", "0 0 * * 1"]),
            "jobTemplate": job(draw)}
    if chance(draw, 0.3):
        spec["concurrencyPolicy"] = draw.choice(["Allow", "Forbid", "Replace"])
    return {"spec": spec}


def service(draw):
    spec = {"clusterIP": "None", "ports": [{"port": 80}]}
    if chance(draw, 0.5):
        spec["selector"] = {"app": "a"}
    if chance(draw, 0.3):
        spec["ports"] = [{"name": "a", "port": 80, "targetPort": "http"},
                         {"name": "b", "port": 53, "protocol": "UDP"}]
    if chance(draw, 0.2):
        spec = {"type": "ExternalName", "externalName": "example.com"}
    return {"spec": spec}


def configmap(draw):
    body = {"data": {"a": draw.choice(["b", "", "\u00e9"])}}
    if chance(draw, 0.2):
        body["binaryData"] = {"x": "AAEC"}
    if chance(draw, 0.1):
        body["immutable"] = draw.choice([True, False])
    return body


def secret(draw):
    return draw.choice([{"data": {"a": "Yg=="}}, {"stringData": {"a": "b"}},
                        {"type": "Opaque", "data": {}}, {"type": "example.com/x"},
                        {"type": "kubernetes.io/basic-auth", "stringData": {"username": "u"}}])


def lease(draw):
    spec = {"holderIdentity": "h", "leaseDurationSeconds": draw.choice([15, 40])}
    if chance(draw, 0.5):
        spec["renewTime"] = "2001-02-03T04:05:06.000007Z"
    return {"spec": spec}


def core_event(draw):
    return {"involvedObject": {"kind": "Pod", "name": "p", "namespace": "{ns}"}, "reason": "R",
            "message": "m", "type": draw.choice(["Normal", "Warning"]),
            "firstTimestamp": "2001-02-03T04:05:06Z", "lastTimestamp": "2001-02-03T04:05:06Z",
            "source": {"component": "c"}, "count": draw.choice([1, 2])}


def new_event(draw):
    return {"eventTime": "2001-02-03T04:05:06.000000Z", "reportingController": "example.com/c",
            "reportingInstance": "i", "action": "A", "reason": "R", "note": "n",
            "type": draw.choice(["Normal", "Warning"]),
            "regarding": {"kind": "Pod", "name": "p", "namespace": "{ns}"}}


def pdb(draw):
    return {"spec": {"selector": SELECTOR, draw.choice(["minAvailable", "maxUnavailable"]):
                     draw.choice([1, "50%"])}}


def persistent_volume(draw):
    spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
            "hostPath": {"path": "/x"}}
    if chance(draw, 0.3):
        spec["persistentVolumeReclaimPolicy"] = draw.choice(["Retain", "Delete"])
    return {"spec": spec}


def claim(draw):
    spec = {"accessModes": [draw.choice(["ReadWriteOnce", "ReadOnlyMany"])],
            "resources": {"requests": {"storage": draw.choice(["1Gi", "500M"])}}}
    if chance(draw, 0.4):
        spec["storageClassName"] = draw.choice(["", "fast"])
    return {"spec": spec}


def storage_class(draw):
    body = {"provisioner": "example.com/p"}
    if chance(draw, 0.4):
        body["volumeBindingMode"] = draw.choice(["Immediate", "WaitForFirstConsumer"])
    if chance(draw, 0.3):
        body["parameters"] = {"a": "b"}
    return body


def priority_class(draw):
    body = {"value": draw.choice([0, 10, -5, 1000000])}
    if chance(draw, 0.3):
        body["preemptionPolicy"] = draw.choice(["Never", "PreemptLowerPriority"])
    return body


def role(draw):
    rules = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}]
    return {"rules": draw.choice([rules, rules, [], rules + [dict(rules[0], resourceNames=["a"])]])}


def role_binding(_):
    return {"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                        "name": "x"},
            "subjects": [{"kind": "ServiceAccount", "name": "default", "namespace": "{ns}"}]}


def network_policy(draw):
    spec = {"podSelector": draw.choice([{}, SELECTOR])}
    if chance(draw, 0.5):
        spec["ingress"] = [{"from": [{"podSelector": SELECTOR}], "ports": [{"port": 80}]}]
    if chance(draw, 0.3):
        spec["policyTypes"] = ["Ingress", "Egress"]
    return {"spec": spec}


def ingress(draw):
    backend = {"service": {"name": "s", "port": {"number": 80}}}
    return {"spec": draw.choice([
        {"defaultBackend": backend},
        {"rules": [{"host": "a.example.com", "http": {"paths": [
            {"path": "/", "pathType": "Prefix", "backend": backend}]}}]}])}


def autoscaler(draw):
    spec = {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"},
            "maxReplicas": draw.choice([1, 5])}
    if chance(draw, 0.4):
        spec["metrics"] = [{"type": "Resource", "resource": {
            "name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}}]
    return {"spec": spec}


def node(draw):
    body = {}
    if chance(draw, 0.4):
        body["spec"] = {"unschedulable": True}
    if chance(draw, 0.3):
        body.setdefault("spec", {})["taints"] = [{"key": "k", "effect": "NoSchedule"}]
    return body


def endpoint_slice(_):
    return {"addressType": "IPv4", "endpoints": [{"addresses": ["10.1.2.3"]}],
            "ports": [{"name": "", "port": 80}]}


def quota(_):
    return {"spec": {"hard": {"services": "100"}}}


def nothing(_):
    return {}


def gadget(draw):
    return {"spec": {"size": draw.choice([1, "s", {"a": 1}])}, "extra": [1, 2]}


STATUS, SCALE = "status", "scale"
KINDS = [
    Kind("pods", "v1", "Pod", pod, weight=12,
         subs=(STATUS, "eviction", "binding", "log", "ephemeralcontainers", "exec", "resize")),
    Kind("services", "v1", "Service", service, subs=(STATUS,), weight=3),
    Kind("configmaps", "v1", "ConfigMap", configmap, weight=8),
    Kind("secrets", "v1", "Secret", secret, weight=4),
    Kind("serviceaccounts", "v1", "ServiceAccount", nothing, subs=("token",)),
    Kind("namespaces", "v1", "Namespace", nothing, namespaced=False, subs=(STATUS, "finalize")),
    Kind("nodes", "v1", "Node", node, namespaced=False, subs=(STATUS,), weight=3),
    Kind("events", "v1", "Event", core_event),
    Kind("events", "events.k8s.io/v1", "Event", new_event),
    Kind("persistentvolumes", "v1", "PersistentVolume", persistent_volume, namespaced=False,
         subs=(STATUS,), validated=False),
    Kind("persistentvolumeclaims", "v1", "PersistentVolumeClaim", claim, subs=(STATUS,),
         validated=False),
    Kind("resourcequotas", "v1", "ResourceQuota", quota, subs=(STATUS,), weight=1),
    Kind("limitranges", "v1", "LimitRange", lambda _: {"spec": {"limits": LIMITS}}, weight=1),
    Kind("podtemplates", "v1", "PodTemplate", lambda _: {"template": TEMPLATE}, weight=1,
         validated=False),
    Kind("replicationcontrollers", "v1", "ReplicationController",
         lambda _: {"spec": {"selector": {"app": "a"}, "template": TEMPLATE}},
         subs=(STATUS, SCALE), weight=1),
    Kind("replicasets", "apps/v1", "ReplicaSet", replicaset, subs=(STATUS, SCALE), weight=5),
    Kind("deployments", "apps/v1", "Deployment", deployment, subs=(STATUS, SCALE), weight=5),
    Kind("statefulsets", "apps/v1", "StatefulSet", statefulset, subs=(STATUS, SCALE)),
    Kind("daemonsets", "apps/v1", "DaemonSet", daemonset, subs=(STATUS,)),
    Kind("jobs", "batch/v1", "Job", job, subs=(STATUS,), weight=3),
    Kind("cronjobs", "batch/v1", "CronJob", cronjob, subs=(STATUS,)),
    Kind("leases", "coordination.k8s.io/v1", "Lease", lease, weight=4),
    Kind("poddisruptionbudgets", "policy/v1", "PodDisruptionBudget", pdb, subs=(STATUS,)),
    Kind("storageclasses", "storage.k8s.io/v1", "StorageClass", storage_class, namespaced=False,
         validated=False),
    Kind("priorityclasses", "scheduling.k8s.io/v1", "PriorityClass", priority_class,
         namespaced=False),
    Kind("roles", "rbac.authorization.k8s.io/v1", "Role", role),
    Kind("clusterroles", "rbac.authorization.k8s.io/v1", "ClusterRole", role, namespaced=False),
    Kind("rolebindings", "rbac.authorization.k8s.io/v1", "RoleBinding", role_binding),
    Kind("networkpolicies", "networking.k8s.io/v1", "NetworkPolicy", network_policy,
         validated=False),
    Kind("ingresses", "networking.k8s.io/v1", "Ingress", ingress, subs=(STATUS,), validated=False),
    Kind("ingressclasses", "networking.k8s.io/v1", "IngressClass",
         lambda _: {"spec": {"controller": "example.com/c"}}, namespaced=False, weight=1,
         validated=False),
    Kind("horizontalpodautoscalers", "autoscaling/v2", "HorizontalPodAutoscaler", autoscaler,
         subs=(STATUS,)),
    Kind("horizontalpodautoscalers", "autoscaling/v1", "HorizontalPodAutoscaler",
         lambda draw: {"spec": {k: v for k, v in autoscaler(draw)["spec"].items()
                                if k != "metrics"}}, weight=1),
    Kind("endpointslices", "discovery.k8s.io/v1", "EndpointSlice", endpoint_slice),
    Kind("runtimeclasses", "node.k8s.io/v1", "RuntimeClass", lambda _: {"handler": "h"},
         namespaced=False, weight=1),
]


def custom_kind(group):
    return Kind("gadgets", f"{group}/v1", "Gadget", gadget, subs=(STATUS,), weight=14)


def definition(group):
    """A CustomResourceDefinition whose schema keeps every field."""
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"gadgets.{group}"},
            "spec": {"group": group, "scope": "Namespaced",
                     "names": {"plural": "gadgets", "kind": "Gadget"},
                     "versions": [{"name": "v1", "served": True, "storage": True,
                                   "subresources": {"status": {}},
                                   "schema": {"openAPIV3Schema": schema}}]}}


# --- mutations -----------------------------------------------------------------------------------

BAD_VALUES = ["", "A b", "x" * 70, -1, 0, 1.5, 10**12, True, None, [], {}, ["x"], {"x": "y"},
              "\u00fc", "1", "-a", "a/b", "*"]


def places(tree, at=()):
    """Where in the tree there is a value, the root left out."""
    inside = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, value in inside:
        yield (*at, key)
        if isinstance(value, (dict, list)):
            yield from places(value, (*at, key))


def parent_of(tree, place):
    for step in place[:-1]:
        tree = tree[step]
    return tree


def mutate(draw, body, *, below=()):
    """Changes one thing of a body, below a place in it; the body may become invalid by that."""
    place = draw.choice([p for p in places(body) if p[:len(below)] == below])
    parent = parent_of(body, place)
    kind = draw.random()
    if kind < 0.25:
        del parent[place[-1]]
    elif kind < 0.4:
        inside = parent[place[-1]]
        target = inside if isinstance(inside, dict) else body
        target[draw.choice(["unknownField", "x-y"])] = draw.choice(["v", 1, {"a": "b"}])
    else:
        parent[place[-1]] = draw.choice(BAD_VALUES)
