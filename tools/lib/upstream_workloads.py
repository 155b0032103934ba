"""Drawn workloads for tools/upstream-diff: a register of generators, one a controller.

A generator draws a case (upstream_world.py CASE_FIELDS) from a random.Random. A new controller is a
function and a row in WORKLOADS. The same seed gives the same case.
"""
import random

from upstream_world import MANAGER, SCHEDULER


class Workload:
    """`draw(random)` gives given, steps and, if need be, other fields of a case.

    `settle` is how long a run goes on after its last step or fault; `resources` are those whose
    watches and writes the drawn faults strike."""

    def __init__(self, controllers, draw, resources, settle="60s", process=MANAGER, lots=1):
        self.controllers, self.draw, self.resources = controllers, draw, resources
        self.settle, self.process = settle, process
        # How often ksim's own may draw until it answers as upstream: more than once where upstream
        # draws lots among equals.
        self.lots = lots


def container(requests=None):
    out = {"name": "c", "image": "i:1"}
    if requests:
        out["resources"] = {"requests": requests}
    return out


def pod(name, labels, spec=None, **metadata):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "labels": labels, **metadata},
            "spec": {"containers": [container()], **(spec or {})}}


def node(name, cpu="4", memory="8Gi", pods="20", labels=None, taints=None, **spec):
    size = {"cpu": cpu, "memory": memory, "pods": pods}
    if taints:
        spec["taints"] = taints
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name,
                         "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
            "spec": spec,
            "status": {"capacity": size, "allocatable": size,
                       "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady",
                                       "message": "x"}]}}


def patch(resource, fields, **more):
    return {"patch": {"resource": resource, "type": "merge", "patch": fields, **more}}


class Steps:
    """Steps one after another, in drawn distances."""

    def __init__(self, draw, distances):
        self.draw, self.distances, self.at, self.steps = draw, distances, 0, []

    def add(self, step, after=None):
        self.steps.append({"at": f"{self.at}ms", **step})
        self.at += after if after is not None else self.draw.choice(self.distances)


# --- replicaset -----------------------------------------------------------------------------------

def replicaset(draw, name, app, replicas, **spec):
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name},
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": app}},
                     "template": {"metadata": {"labels": {"app": app, **extra_label(draw)}},
                                  "spec": {"containers": [container()]}}, **spec}}


def extra_label(draw):
    return draw.choice([{}, {}, {"tier": "web"}])


def draw_replicaset(draw):
    names = [f"rs-{i}" for i in range(draw.randint(1, 3))]
    # No two select the same pods: which of them takes one then depends on goroutines.
    apps = {name: f"app-{name}" for name in names}
    # Neither so many pods nor so fast that requests wait for the client's rate limit: then it is
    # goroutines that decide which goes first.
    given, steps = [], Steps(draw, [300, 1000, 3000, 11000])
    for _ in range(draw.choice([0, 0, 1, 2, 4])):
        given.append(nameless_pod("p", draw.choice(list(apps.values()) + ["z"])))
    for name in names:
        more = {"minReadySeconds": draw.choice([3, 10])} if draw.random() < 0.3 else {}
        steps.add({"create": {"object": replicaset(
            draw, name, apps[name], draw.choice([0, 1, 2, 3, 5]), **more)}})
    for i in range(draw.randint(1, 6)):
        step = draw_replicaset_step(draw, names, apps, i)
        if "create" in step:
            # Pods that were made in one second may rank equal, and then the one goes or the other.
            steps.at += 1300
            steps.add(step, after=1300)
        else:
            steps.add(step)
    return {"given": given, "steps": steps.steps}


def draw_replicaset_step(draw, names, apps, i):
    name = draw.choice(names)
    app = apps[name]
    kind = draw.choice(["scale", "scale", "scale", "ready", "ready", "unlabel", "adopt", "delete",
                        "failed", "remove", "relabel", "annotate", "grace"])
    if kind == "scale":
        return patch(f"rs/{name}", {"spec": {"replicas": draw.choice([0, 1, 2, 4, 6])}})
    if kind == "ready":
        return {"create": {"object": nameless_pod("r", app, phase="Running", conditions=[
            {"type": "Ready", "status": "True"}])}}
    if kind == "failed":
        return {"create": {"object": nameless_pod("f", app, phase="Failed")}}
    if kind == "unlabel":
        return {"label": {"resource": "pods", "selector": f"app={app}", "set": {"app": "z"},
                          "overwrite": True}}
    if kind == "relabel":
        return {"label": {"resource": "pods", "selector": "app=z", "set": {"app": app},
                          "overwrite": True}}
    if kind == "adopt":
        return {"create": {"object": nameless_pod("n", app)}}
    if kind == "annotate":
        return {"annotate": {"resource": f"rs/{name}", "set": {"seen": str(i)}, "overwrite": True}}
    if kind == "grace":
        return {"delete": {"resource": "pods", "selector": f"app={app}", "wait": False}}
    if kind == "delete":
        return {"delete": {"resource": f"rs/{name}", "wait": False,
                           "cascade": draw.choice(["background", "orphan", "foreground"])}}
    return {"delete": {"resource": "pods", "selector": f"app={app}", "wait": False,
                       "gracePeriodSeconds": 0}}


def nameless_pod(prefix, app, **status):
    """A pod with a generated name: of pods that rank equal the one goes or the other."""
    out = pod("", {"app": app})
    out["metadata"] = {"generateName": f"{prefix}-", "labels": {"app": app}}
    if status:
        out["status"] = status
    return out


# --- daemonset ------------------------------------------------------------------------------------

def daemonset(draw, name, app):
    template = {"metadata": {"labels": {"app": app}}, "spec": {"containers": [container()]}}
    if draw.random() < 0.3:
        template["spec"]["nodeSelector"] = {"disk": "ssd"}
    if draw.random() < 0.2:
        template["spec"]["tolerations"] = [{"key": "dedicated", "operator": "Exists"}]
    spec = {"selector": {"matchLabels": {"app": app}}, "template": template,
            "updateStrategy": draw.choice([
                {}, {}, {"type": "OnDelete"}, {"rollingUpdate": {"maxUnavailable": 2}},
                {"rollingUpdate": {"maxUnavailable": "40%"}},
                {"rollingUpdate": {"maxUnavailable": 0, "maxSurge": 1}}])}
    if draw.random() < 0.3:
        spec["minReadySeconds"] = draw.choice([3, 10])
    if draw.random() < 0.3:
        spec["revisionHistoryLimit"] = draw.choice([0, 1])
    return {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": name}, "spec": spec}


def draw_daemonset(draw):
    names = [f"ds-{i}" for i in range(draw.randint(1, 2))]
    nodes = [f"n{i}" for i in range(draw.randint(1, 4))]
    given, steps = [], Steps(draw, [300, 1000, 3000, 11000])
    for name in nodes:
        taints = [{"key": "dedicated", "effect": "NoSchedule"}] if draw.random() < 0.2 else None
        given.append(node(name, labels={"disk": draw.choice(["ssd", "ssd", "hdd"])}, taints=taints))
    for name in names:
        steps.add({"create": {"object": daemonset(draw, name, f"app-{name}")}}, after=3000)
    for i in range(draw.randint(1, 6)):
        steps.add(draw_daemonset_step(draw, draw.choice(names), nodes, i))
    return {"given": given, "steps": steps.steps}


def draw_daemonset_step(draw, name, nodes, i):
    kind = draw.choice(["image", "image", "node", "taint", "untaint", "label", "unlabel", "gone",
                        "annotate", "strategy", "ready", "ready", "delete"])
    app, where = f"app-{name}", draw.choice(nodes)
    if kind == "image":
        image = draw.choice(["i:1", "i:2", "i:3"])
        return {"patch": {"resource": f"ds/{name}", "type": "strategic", "patch": {"spec": {
            "template": {"spec": {"containers": [{"name": "c", "image": image}]}}}}}}
    if kind == "node":
        return {"create": {"object": node(f"new{i}", labels={"disk": draw.choice(["ssd", "hdd"])})}}
    if kind in ("taint", "untaint"):
        effect = draw.choice(["NoSchedule", "NoExecute"])
        taints = [{"key": "dedicated", "effect": effect}] if kind == "taint" else None
        return patch(f"nodes/{where}", {"spec": {"taints": taints}})
    if kind == "label":
        disk = draw.choice(["ssd", "hdd"])
        return {"label": {"resource": f"nodes/{where}", "set": {"disk": disk}, "overwrite": True}}
    if kind == "unlabel":
        return {"label": {"resource": "pods", "selector": f"app={app}", "set": {"app": "z"},
                          "overwrite": True}}
    if kind == "annotate":
        return {"annotate": {"resource": f"ds/{name}", "set": {"seen": str(i)}, "overwrite": True}}
    if kind == "strategy":
        return patch(f"ds/{name}", {"spec": {"updateStrategy": {
            "type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": draw.choice([1, 3]),
                                                       "maxSurge": 0}}}})
    if kind == "ready":
        out = nameless_pod("r", app, phase="Running", conditions=[
            {"type": "Ready", "status": "True"}])
        out["spec"]["nodeName"] = where
        return {"create": {"object": out}}
    if kind == "delete":
        return {"delete": {"resource": f"ds/{name}", "wait": False,
                           "cascade": draw.choice(["background", "orphan", "foreground"])}}
    return {"delete": {"resource": "pods", "selector": f"app={app}", "wait": False,
                       "gracePeriodSeconds": 0}}


# --- scheduler ------------------------------------------------------------------------------------

ZONES = ["z1", "z2", "z3"]


def draw_scheduler(draw):
    given, steps = [], Steps(draw, [0, 100, 1000, 3000, 11000])
    # Sizes in primes: few nodes come out equal, so lots are seldom drawn among them.
    cpus = draw.sample([1300, 1700, 2300, 2900, 3700, 4300, 5300, 6100], 8)
    nodes = [f"n{i}" for i in range(draw.randint(1, 6))]
    for name, cpu in zip(nodes, cpus):
        labels = {"topology.kubernetes.io/zone": draw.choice(ZONES),
                  "disk": draw.choice(["ssd", "hdd"])}
        given.append(node(name, f"{cpu}m", f"{draw.choice([1531, 3067, 5119, 8191])}Mi",
                          str(draw.choice([2, 4, 10])), labels, draw_taints(draw),
                          **({"unschedulable": True} if draw.random() < 0.1 else {})))
    for name, value in (("low", -5), ("high", 1000)):
        given.append({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                      "metadata": {"name": name}, "value": value,
                      "preemptionPolicy": draw.choice(["PreemptLowerPriority", "Never"])
                      if name == "high" and draw.random() < 0.2 else "PreemptLowerPriority"})
    for i in range(draw.randint(2, 9)):
        steps.add({"create": {"object": draw_pod(draw, f"p{i}", nodes)}})
        if draw.random() < 0.3:
            steps.add(draw_scheduler_step(draw, nodes, i))
    return {"given": given, "steps": steps.steps}


def draw_taints(draw):
    if draw.random() < 0.7:
        return None
    return [{"key": "dedicated", "value": draw.choice(["x", "y"]),
             "effect": draw.choice(["NoSchedule", "PreferNoSchedule", "NoExecute"])}]


def draw_pod(draw, name, nodes):
    app = draw.choice(["a", "b", "c"])
    spec = {"containers": [container({"cpu": f"{draw.choice([110, 370, 730, 1310])}m",
                                      "memory": f"{draw.choice([67, 251, 1021])}Mi"})]}
    if draw.random() < 0.3:
        spec["priorityClassName"] = draw.choice(["low", "high", "high"])
    if draw.random() < 0.3:
        spec["tolerations"] = [{"key": "dedicated", "operator": "Exists"}]
    if draw.random() < 0.2:
        spec["nodeSelector"] = {"disk": draw.choice(["ssd", "hdd"])}
    if draw.random() < 0.15:
        spec["topologySpreadConstraints"] = [
            {"maxSkew": draw.choice([1, 2]), "topologyKey": "topology.kubernetes.io/zone",
             "whenUnsatisfiable": draw.choice(["DoNotSchedule", "ScheduleAnyway"]),
             "labelSelector": {"matchLabels": {"app": app}}}]
    if draw.random() < 0.1:
        spec["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 8080}]
    affinity = draw_affinity(draw, app, nodes)
    if affinity:
        spec["affinity"] = affinity
    return pod(name, {"app": app}, spec)


def draw_affinity(draw, app, nodes):
    kind = draw.choice(["none"] * 6 + ["node", "prefer", "pod", "anti", "softAnti"])
    term = {"labelSelector": {"matchLabels": {"app": draw.choice([app, "a", "b"])}},
            "topologyKey": draw.choice(["kubernetes.io/hostname", "topology.kubernetes.io/zone"])}
    if kind == "node":
        return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [
                {"key": "kubernetes.io/hostname", "operator": draw.choice(["In", "NotIn"]),
                 "values": [draw.choice(nodes)]}]}]}}}
    if kind == "prefer":
        return {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": draw.choice([1, 10, 100]), "preference": {"matchExpressions": [
                {"key": "disk", "operator": "In", "values": ["ssd"]}]}}]}}
    if kind == "pod":
        return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    if kind == "anti":
        return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    if kind == "softAnti":
        return {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 50, "podAffinityTerm": term}]}}
    return None


def draw_scheduler_step(draw, nodes, i):
    name = draw.choice(nodes)
    kind = draw.choice(["cordon", "uncordon", "deletePod", "addNode", "grow", "label", "running"])
    if kind in ("cordon", "uncordon"):
        return patch(f"nodes/{name}", {"spec": {"unschedulable": kind == "cordon" or None}})
    if kind == "deletePod":
        return {"delete": {"resource": "pods", "selector": f'app={draw.choice("abc")}',
                           "wait": False, "gracePeriodSeconds": 0}}
    if kind == "addNode":
        return {"create": {"object": node(
            f"m{i}", f"{draw.choice([7100, 7900])}m", "9973Mi", "10",
            {"topology.kubernetes.io/zone": draw.choice(ZONES), "disk": "ssd"})}}
    if kind == "grow":
        return patch(f"nodes/{name}", {"status": {"allocatable": {"cpu": "8900m"}}},
                     subresource="status")
    if kind == "label":
        return {"label": {"resource": f"nodes/{name}", "set": {"disk": draw.choice(["ssd", "hdd"])},
                          "overwrite": True}}
    return {"label": {"resource": "pods", "selector": f'app={draw.choice("abc")}',
                      "set": {"app": draw.choice("abc")}, "overwrite": True}}


# The register.
WORKLOADS = {
    "replicaset": Workload(["replicaset"], draw_replicaset, ["pods", "replicasets"]),
    "daemonset": Workload(["daemonset"], draw_daemonset, ["pods", "daemonsets", "nodes"]),
    "scheduler": Workload([SCHEDULER], draw_scheduler, ["pods", "nodes"], process=SCHEDULER,
                          settle="40s", lots=8),
}


# --- faults ---------------------------------------------------------------------------------------

def draw_faults(draw, workload, end_ms):
    """Faults at drawn times, each over after at most 30 s, none of which only ksim's own feel."""
    out = []
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(0, max(end_ms, 1000) + 1000, 137)
        out.append({"at": f"{at}ms", **draw_fault(draw, workload)})
    return out


def draw_fault(draw, workload):
    process, resource = workload.process, draw.choice(workload.resources)
    span = f"{draw.choice([2, 7, 29])}s"
    server = "kube-apiserver-0"
    kind = draw.choice(["dropWatch", "dropWatch", "delayStream", "holdStream", "freezeCache",
                        "reinitCache", "restart", "pause", "rejectWrite", "timeoutWrite",
                        "partition", "serverDown", "expire"])
    return {kind: {
        "dropWatch": {"client": process, "resource": resource},
        "delayStream": {"client": process, "resource": resource, "by": "1500ms", "for": span},
        "holdStream": {"client": process, "resource": resource, "for": span},
        "freezeCache": {"server": server, "resource": resource, "for": span},
        "reinitCache": {"server": server, "resource": resource},
        "restart": {"process": process, "down": span},
        "pause": {"actor": process, "for": span},
        "rejectWrite": {"client": process, "code": draw.choice([409, 429, 500])},
        "timeoutWrite": {"client": process, "applied": draw.random() < 0.5, "code": 504},
        "partition": {"between": [process, server], "for": span},
        "serverDown": {"server": server, "for": span},
        "expire": {"client": process, "resource": resource},
    }[kind]}


def case_of(name, seed, faults):
    """The drawn case, as one in a file of cases."""
    workload = WORKLOADS[name]
    draw = random.Random(f"{name}/{seed}")
    case = workload.draw(draw)
    end = max([int(s["at"][:-2]) for s in case["steps"]], default=0)
    until = end + 1000 * int(workload.settle[:-1])
    case = {"name": f"{name}-{seed}", "controllers": workload.controllers, "cluster": {}, **case}
    if faults:
        case["faults"] = draw_faults(random.Random(f"{name}/{seed}/faults"), workload, end)
        until += 15 * 60 * 1000
    return {"until": f"{until}ms", **case}
