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

    def __init__(self, controllers, draw, resources, settle="60s", process=MANAGER, lots=1,
                 tolerance=0.05, conflicts=True):
        self.controllers, self.draw, self.resources = controllers, draw, resources
        self.settle, self.process = settle, process
        # How often ksim's own may draw until it answers as upstream: more than once where upstream
        # draws lots among equals.
        self.lots = lots
        self.tolerance = tolerance  # how far apart times may be, in seconds
        # Whether writes that met a conflict are compared. Where an answer and the event of the same
        # write race each other, the next look comes before the one or after it.
        self.conflicts = conflicts


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


# --- deployment -----------------------------------------------------------------------------------

def deployment(draw, name):
    spec = {"replicas": draw.choice([0, 1, 2, 3, 5]), "selector": {"matchLabels": {"app": name}},
            "template": pod_template(draw, name)}
    if draw.random() < 0.6:
        spec["strategy"] = draw.choice([
            {"type": "Recreate"},
            {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}},
            {"rollingUpdate": {"maxSurge": 2, "maxUnavailable": 0}},
            {"rollingUpdate": {"maxSurge": "50%", "maxUnavailable": "34%"}},
            {"rollingUpdate": {"maxSurge": "100%", "maxUnavailable": "100%"}}])
    if draw.random() < 0.3:
        spec["minReadySeconds"] = draw.choice([2, 7])
    if draw.random() < 0.3:
        spec["progressDeadlineSeconds"] = spec.get("minReadySeconds", 0) + draw.choice([3, 15])
    if draw.random() < 0.3:
        spec["revisionHistoryLimit"] = draw.choice([0, 1])
    if draw.random() < 0.1:
        spec["paused"] = True
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


def pod_template(draw, app):
    # A template in six asks for what no node has: its rollout hangs.
    size = {"cpu": "100"} if draw.random() < 0.17 else None
    image = draw.choice(["i:1", "i:2", "i:3"])
    return {"metadata": {"labels": {"app": app, **extra_label(draw)}},
            "spec": {"containers": [{**container(size), "image": image}]}}


def draw_deployment(draw):
    """One or two; ksim's own scheduler and kubelets run their pods."""
    names = [f"web-{i}" for i in range(draw.choice([1, 1, 2]))]
    steps = Steps(draw, [300, 1000, 3000, 11000, 25000])
    for name in names:
        steps.add({"create": {"object": deployment(draw, name)}})
    for i in range(draw.randint(2, 8)):
        steps.add(draw_deployment_step(draw, draw.choice(names), i))
    return {"beside": [SCHEDULER], "cluster": {"nodes": 2}, "steps": steps.steps}


def draw_deployment_step(draw, name, i):
    what = f"deploy/{name}"
    kind = draw.choice(["image", "image", "image", "template", "scale", "scale", "pause", "resume",
                        "undo", "restart", "strategy", "annotate", "label", "unlabel", "remove",
                        "delete"])
    if kind == "image":
        return {"setImage": {"resource": what, "images": {"c": draw.choice(["i:1", "i:2", "i:3"])}}}
    if kind == "template":
        return patch(what, {"spec": {"template": pod_template(draw, name)}})
    if kind == "scale":
        return patch(what, {"spec": {"replicas": draw.choice([0, 1, 2, 4, 7])}})
    if kind in ("pause", "resume"):
        return patch(what, {"spec": {"paused": kind == "pause"}})
    if kind == "undo":
        return {"rollout": {"command": "undo", "resource": what}}
    if kind == "restart":
        return {"rollout": {"command": "restart", "resource": what}}
    if kind == "strategy":
        return patch(what, {"spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {
            "maxSurge": draw.choice([1, 3]), "maxUnavailable": draw.choice([0, 2])}}}})
    if kind == "annotate":
        return {"annotate": {"resource": what, "set": {"seen": str(i)}, "overwrite": True}}
    if kind == "label":
        return {"label": {"resource": what, "set": {"team": str(i)}, "overwrite": True}}
    if kind == "unlabel":
        return {"label": {"resource": "rs", "selector": f"app={name}", "set": {"app": "z"},
                          "overwrite": True}}
    if kind == "remove":
        return {"delete": {"resource": "pods", "selector": f"app={name}", "wait": False}}
    return {"delete": {"resource": what, "wait": False,
                       "cascade": draw.choice(["background", "orphan"])}}


# --- statefulset ----------------------------------------------------------------------------------

def draw_statefulset(draw):
    """One set; its pods have names: steps write their statuses, also of those not there."""
    spec = {"replicas": draw.choice([0, 1, 2, 3, 4]), "serviceName": "web",
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web", **extra_label(draw)}},
                         "spec": {"containers": [container()]}}}
    if draw.random() < 0.3:
        spec["podManagementPolicy"] = "Parallel"
    if draw.random() < 0.3:
        spec["updateStrategy"] = draw.choice([
            {"type": "OnDelete"}, {"rollingUpdate": {"partition": draw.choice([1, 2])}},
            {"type": "RollingUpdate"}])
    if draw.random() < 0.3:
        spec["revisionHistoryLimit"] = draw.choice([0, 1])
    if draw.random() < 0.3:
        spec["volumeClaimTemplates"] = [{"metadata": {"name": "data"}, "spec": {
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}]
        spec["persistentVolumeClaimRetentionPolicy"] = {
            "whenDeleted": draw.choice(["Retain", "Delete"]),
            "whenScaled": draw.choice(["Retain", "Delete"])}
    if draw.random() < 0.2:
        spec["ordinals"] = {"start": 1}
    steps = Steps(draw, [1000, 3000, 3000, 11000])
    steps.add({"create": {"object": {"apiVersion": "apps/v1", "kind": "StatefulSet",
                                     "metadata": {"name": "web"}, "spec": spec}}})
    for i in range(draw.randint(4, 14)):
        steps.add(draw_statefulset_step(draw, i))
    return {"steps": steps.steps}


def draw_statefulset_step(draw, i):
    name = f"web-{draw.randint(0, 3)}"
    kind = draw.choice(["up", "up", "up", "up", "up", "down", "failed", "scale", "image", "image",
                        "partition", "delete", "unlabel", "annotate"])
    if kind in ("up", "down", "failed"):
        ready = {"type": "Ready", "status": "False" if kind == "down" else "True",
                 "lastTransitionTime": "2025-01-01T00:00:30Z"}
        return patch(f"pods/{name}", {"status": {
            "phase": "Failed" if kind == "failed" else "Running", "conditions": [ready]}},
            subresource="status")
    if kind == "scale":
        return patch("sts/web", {"spec": {"replicas": draw.choice([0, 1, 2, 3, 4])}})
    if kind == "image":
        return patch("sts/web", {"spec": {"template": {"spec": {"containers": [
            {"name": "c", "image": f"i:{draw.randint(1, 3)}"}]}}}})
    if kind == "partition":
        return patch("sts/web", {"spec": {"updateStrategy": {
            "type": "RollingUpdate", "rollingUpdate": {"partition": draw.randint(0, 2)}}}})
    if kind == "delete":
        return {"delete": {"resource": "pods", "wait": False, "gracePeriodSeconds": 0,
                           "selector": f"statefulset.kubernetes.io/pod-name={name}"}}
    if kind == "unlabel":
        return {"label": {"resource": "pods", "set": {"app": "z"}, "overwrite": True,
                          "selector": f"statefulset.kubernetes.io/pod-name={name}"}}
    return {"annotate": {"resource": "sts/web", "set": {"seen": str(i)}, "overwrite": True}}


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


# --- garbagecollector -----------------------------------------------------------------------------

NOBODY = "00000000-0000-0000-0000-00000000000"


def config_map(name, finalizers=(), owners=()):
    metadata = {"name": name}
    if finalizers:
        metadata["finalizers"] = list(finalizers)
    if owners:
        metadata["ownerReferences"] = [
            {"apiVersion": "v1", "kind": "ConfigMap", "name": f"o{i}", "uid": f"{NOBODY}{i}"}
            for i in owners]
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}


def draw_garbagecollector(draw):
    names = [f"rs-{i}" for i in range(draw.randint(1, 3))]
    given, steps = [], Steps(draw, [300, 1000, 3000, 7000])
    for name in names:
        rs = replicaset(draw, name, f"app-{name}", draw.choice([0, 1, 2, 4]))
        if draw.random() < 0.3:
            rs["metadata"]["finalizers"] = ["example.com/hold"]
        given.append(rs)
    for i in range(draw.randint(0, 3)):
        # Owners that are not there, by uids that nobody has.
        given.append(config_map(f"m{i}", draw.choice([[], [], ["example.com/hold"]]),
                                draw.choice([[], [1], [1, 2]])))
    for i in range(draw.randint(1, 6)):
        steps.add(draw_garbagecollector_step(draw, names, i))
    return {"given": given, "steps": steps.steps}


def draw_garbagecollector_step(draw, names, i):
    name = draw.choice(names)
    kind = draw.choice(["delete", "delete", "delete", "free", "scale", "orphaned", "pods", "again"])
    if kind == "delete":
        return {"delete": {"resource": f"rs/{name}", "wait": False,
                           "cascade": draw.choice(["background", "orphan", "foreground"])}}
    if kind == "free":
        return patch(f"rs/{name}", {"metadata": {"finalizers": None}})
    if kind == "scale":
        return patch(f"rs/{name}", {"spec": {"replicas": draw.choice([0, 1, 3])}})
    if kind == "orphaned":
        return {"create": {"object": config_map(f"late-{i}", (), draw.choice([[], [3], [3, 4]]))}}
    if kind == "pods":
        return {"delete": {"resource": "pods", "selector": f"app=app-{name}", "wait": False,
                           "gracePeriodSeconds": 0}}
    return {"create": {"object": replicaset(draw, name, f"app-{name}", draw.choice([0, 1, 2]))}}


# --- namespace ------------------------------------------------------------------------------------

def draw_namespace(draw):
    spaces = [f"ns-{i}" for i in range(draw.randint(1, 2))]
    given, steps, held = [], Steps(draw, [1000, 3000, 7000, 16000]), []
    for ns in spaces:
        space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": ns}}
        if draw.random() < 0.2:
            space["metadata"]["finalizers"] = ["example.com/ns"]
        given.append(space)
        for i in range(draw.randint(0, 4)):
            thing = draw_content(draw, ns, f"c{i}", held)
            given.append(thing)
    for i in range(draw.randint(1, 6)):
        steps.add(draw_namespace_step(draw, spaces, held, i))
    return {"given": given, "steps": steps.steps}


def draw_content(draw, ns, name, held):
    kind = draw.choice(["ConfigMap", "Secret", "ServiceAccount", "Pod", "Pod"])
    if kind == "Pod":
        grace = draw.choice([0, 2, 10, 30])
        out = pod(name, {"app": "a"}, {"nodeName": "nowhere",
                                       "terminationGracePeriodSeconds": grace}, namespace=ns)
        held.append((f"pods/{name}", ns))
        return out
    out = {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": ns}}
    if draw.random() < 0.4:
        out["metadata"]["finalizers"] = draw.sample(["example.com/a", "example.com/b"],
                                                    draw.randint(1, 2))
        held.append((f"{kind.lower()}s/{name}", ns))
    return out


def draw_namespace_step(draw, spaces, held, i):
    ns = draw.choice(spaces)
    kind = draw.choice(["delete", "delete", "delete", "free", "free", "free", "label", "create"])
    if kind == "free" and held:
        resource, where = draw.choice(held)
        if resource.startswith("pods/"):
            return {"delete": {"resource": resource, "namespace": where, "wait": False,
                               "gracePeriodSeconds": 0}}
        return patch(resource, {"metadata": {"finalizers": None}}, namespace=where)
    if kind == "label":
        return patch(f"namespaces/{ns}", {"metadata": {"labels": {"seen": str(i)}}})
    if kind == "create":
        return {"create": {"object": {"apiVersion": "v1", "kind": "ConfigMap",
                                      "metadata": {"name": f"late-{i}", "namespace": ns}}}}
    return {"delete": {"resource": f"namespaces/{ns}", "wait": False}}


# --- nodelifecycle and tainteviction --------------------------------------------------------------

def draw_nodelifecycle(draw):
    nodes = [f"n{i}" for i in range(draw.randint(1, 4))]
    given, steps = [], Steps(draw, [700, 2300, 5900, 13700])
    for name in nodes:
        zone = {}
        if draw.random() < 0.5:
            zone = {"topology.kubernetes.io/zone": draw.choice(ZONES[:2])}
        given.append(node(name, labels=zone, taints=draw_taints(draw)))
    for i in range(draw.randint(0, 5)):
        given.append(pod(f"p{i}", {"app": "a"}, {
            "nodeName": draw.choice(nodes), "tolerations": draw_tolerations(draw)}))
    for i in range(draw.randint(2, 9)):
        steps.add(draw_node_step(draw, draw.choice(nodes), i, steps.at))
    return {"given": given, "steps": steps.steps, "cluster": {"nodes": draw.choice([0, 1, 1, 3])},
            "together": True,  # the controller looks every 5 s
            "ready": [p["metadata"]["name"] for p in given if p["kind"] == "Pod"
                      and draw.random() < 0.7]}


def draw_tolerations(draw):
    out = []
    for key in ("node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready", "dedicated"):
        if draw.random() < 0.6:
            more = {"tolerationSeconds": draw.choice([0, 3, 11, 29])} if draw.random() < 0.7 else {}
            out.append({"key": key, "operator": "Exists", "effect": "NoExecute", **more})
    return out


def draw_node_step(draw, name, i, at_ms):
    kind = draw.choice(["ready", "ready", "ready", "notReady", "unknown", "pressure", "cordon",
                        "uncordon", "delete", "taint", "untaint", "bind", "deletePod"])
    # A case begins 30 s after the year.
    seconds = 30 + at_ms // 1000
    beat = f"2025-01-01T00:{seconds // 60:02}:{seconds % 60:02}Z"
    if kind in ("ready", "notReady", "unknown", "pressure"):
        status = {"ready": "True", "notReady": "False", "unknown": "Unknown"}.get(kind, "True")
        condition = {"type": draw.choice(["MemoryPressure", "DiskPressure"])
                     if kind == "pressure" else "Ready",
                     "status": draw.choice(["True", "False"]) if kind == "pressure" else status,
                     "reason": "Step", "message": kind, "lastHeartbeatTime": beat}
        return {"patch": {"resource": f"nodes/{name}", "type": "strategic",
                          "subresource": "status",
                          "patch": {"status": {"conditions": [condition]}}}}
    if kind in ("cordon", "uncordon"):
        return patch(f"nodes/{name}", {"spec": {"unschedulable": kind == "cordon" or None}})
    if kind == "delete":
        return {"delete": {"resource": f"nodes/{name}"}}
    if kind in ("taint", "untaint"):
        taints = [{"key": "dedicated", "value": "x", "effect": "NoExecute"}]
        return patch(f"nodes/{name}", {"spec": {"taints": taints if kind == "taint" else None}})
    if kind == "bind":
        return {"create": {"object": pod(f"late-{i}", {"app": "a"}, {
            "nodeName": name, "tolerations": draw_tolerations(draw)})}}
    return {"delete": {"resource": "pods/p0", "wait": False, "gracePeriodSeconds": 0}}


# --- disruption -----------------------------------------------------------------------------------

def budget(draw, name, app):
    amount = draw.choice([0, 1, 2, "0%", "34%", "50%", "100%"])
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
            "metadata": {"name": name, "labels": {"of": app}},
            "spec": {draw.choice(["minAvailable", "maxUnavailable"]): amount,
                     "selector": {"matchLabels": {"app": app}}}}


def draw_disruption(draw):
    names = [f"rs-{i}" for i in range(draw.randint(1, 2))]
    given, steps = [], Steps(draw, [1500, 3000, 7000])
    for name in names:
        given.append(replicaset(draw, name, f"app-{name}", draw.choice([1, 2, 3, 5])))
        # Not given with the rest: who counts pods as they come counts a millisecond's.
        steps.add({"create": {"object": budget(draw, f"pdb-{name}", f"app-{name}")}})
    for i in range(draw.randint(0, 2)):
        given.append(pod(f"bare-{i}", {"app": f"app-{draw.choice(names)}"}, {"nodeName": "node-1"}))
    for i in range(draw.randint(1, 6)):
        for step in draw_disruption_steps(draw, draw.choice(names), i):
            steps.add(step)
    return {"given": given, "steps": steps.steps, "cluster": {"nodes": 2},
            "beside": ["replicaset", SCHEDULER]}


def draw_disruption_steps(draw, name, i):
    kind = draw.choice(["scale", "budget", "select", "pods", "bare", "evict", "cordon", "replace"])
    if kind == "scale":
        return [patch(f"rs/{name}", {"spec": {"replicas": draw.choice([0, 1, 3, 6])}})]
    if kind == "budget":
        return [patch(f"pdb/pdb-{name}", {"spec": {
            "minAvailable": None, "maxUnavailable": draw.choice([0, 1, "40%"])}})]
    if kind == "select":
        return [patch(f"pdb/pdb-{name}", {"spec": {"selector": {
            "matchLabels": {"app": draw.choice(["z", f"app-{name}"])}}}})]
    if kind == "pods":
        return [{"delete": {"resource": "pods", "selector": f"app=app-{name}", "wait": False,
                            "limit": draw.choice([1, 2])}}]
    if kind == "bare":
        return [{"create": {"object": pod(f"late-{i}", {"app": f"app-{name}"},
                                          {"nodeName": "node-2"})}}]
    if kind == "evict":
        return [{"evict": {"pod": draw.choice(["bare-0", "bare-1"])}}]
    if kind == "cordon":
        return [{"drain": {"node": "node-1", "force": True, "timeout": "2s"}}]
    # No two of the same pods at a time: upstream takes the first of a list without order.
    gone = {"delete": {"resource": "pdb", "selector": f"of=app-{name}"}}
    if draw.random() < 0.3:
        return [gone]
    return [gone, {"create": {"object": budget(draw, f"more-{i}", f"app-{name}")}}]


# --- endpointslice and endpoint -------------------------------------------------------------------

def draw_endpoints(draw):
    given = [node(name, labels={"topology.kubernetes.io/zone": zone})
             for name, zone in zip(["n1", "n2", "n3"], ZONES)]
    steps, pods = Steps(draw, [300, 1000, 2000]), [f"p{i}" for i in range(draw.randint(1, 4))]
    for name in pods:
        given.append(pod(name, {"app": draw.choice("ab")}, {
            "nodeName": draw.choice(["n1", "n2", "n3"]),
            "containers": [{**container(), "ports": [{"name": "http", "containerPort": 8080}]}]}))
    services = [f"svc-{i}" for i in range(draw.randint(1, 2))]
    for name in services:
        steps.add({"create": {"object": service(draw, name)}})
    for i in range(draw.randint(2, 9)):
        steps.add(draw_endpoints_step(draw, services, pods))
    return {"given": given, "steps": steps.steps}


def service(draw, name):
    spec = {"selector": {"app": draw.choice("ab")}, "ports": [
        {"name": "p", "port": 80, "targetPort": draw.choice([8080, "http", "other"])}]}
    if draw.random() < 0.3:
        spec["clusterIP"] = "None"
    if draw.random() < 0.3:
        spec["publishNotReadyAddresses"] = True
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec}


def draw_endpoints_step(draw, services, pods):
    name, svc = draw.choice(pods), draw.choice(services)
    kind = draw.choice(["up", "up", "up", "down", "end", "label", "delete", "kill", "selector",
                        "port", "deleteService", "node"])
    if kind in ("up", "down", "end"):
        address = f"10.0.0.{pods.index(name) + 1}"
        return patch(f"pods/{name}", {"status": {
            "phase": "Succeeded" if kind == "end" else "Running", "podIP": address,
            "podIPs": [{"ip": address}],
            "conditions": [{"type": "Ready", "status": str(kind == "up"),
                            "lastTransitionTime": "2025-01-01T00:00:20Z"}]}}, subresource="status")
    if kind == "label":
        return patch(f"pods/{name}", {"metadata": {"labels": {"app": draw.choice("ab")}}})
    if kind in ("delete", "kill"):
        return {"delete": {"resource": f"pods/{name}", "wait": False,
                           **({"gracePeriodSeconds": 0} if kind == "kill" else {})}}
    if kind == "selector":
        return patch(f"services/{svc}", {"spec": {"selector": {"app": draw.choice("ab")}}})
    if kind == "port":
        return patch(f"services/{svc}", {"spec": {"ports": [
            {"name": "p", "port": draw.choice([80, 81]),
             "targetPort": draw.choice([8080, 9090])}]}})
    if kind == "deleteService":
        return {"delete": {"resource": f"services/{svc}"}}
    return {"delete": {"resource": f"nodes/{draw.choice(['n1', 'n2', 'n3'])}"}}


# --- jobs -----------------------------------------------------------------------------------------

def draw_endings(draw):
    """How the pods of a Job end, one after the other (docs/scenarios.md, exit.ksim.dev)."""
    return "; ".join(draw.choice(["0 after 3s", "0 after 7s", "1 after 3s", "1 after 5s",
                                  "2 after 5s", "42 after 3s", "runs"])
                     for _ in range(draw.randint(1, 6)))


def draw_job_spec(draw):
    spec = {"template": {"metadata": {"annotations": {"exit.ksim.dev/c": draw_endings(draw)}},
                         "spec": {"restartPolicy": draw.choice(["Never", "Never", "OnFailure"]),
                                  "terminationGracePeriodSeconds": 2,
                                  "containers": [container()]}},
            "backoffLimit": draw.choice([0, 1, 2, 6])}
    if draw.random() < 0.7:
        spec["completions"] = draw.randint(1, 4)
    spec["parallelism"] = draw.choice([0, 1, 1, 2, 3])
    if draw.random() < 0.3:
        spec["activeDeadlineSeconds"] = draw.choice([7, 20, 45])
    if draw.random() < 0.2:
        spec["suspend"] = True
    if "completions" in spec and draw.random() < 0.4:
        spec["completionMode"] = "Indexed"
        if draw.random() < 0.5:
            spec["backoffLimitPerIndex"] = draw.choice([0, 1, 2])
            if draw.random() < 0.5:
                spec["maxFailedIndexes"] = draw.randint(0, spec["completions"])
    if spec["template"]["spec"]["restartPolicy"] == "Never" and draw.random() < 0.4:
        spec["podFailurePolicy"] = {"rules": [
            {"action": draw.choice(["FailJob", "Ignore", "Count"]),
             "onExitCodes": {"operator": "In", "values": [draw.choice([1, 2, 42])]}}]}
    elif draw.random() < 0.2:
        spec["podReplacementPolicy"] = draw.choice(["Failed", "TerminatingOrFailed"])
    return spec


def draw_jobs(draw):
    names = [f"j-{i}" for i in range(draw.randint(1, 2))]
    steps = Steps(draw, [1000, 3000, 7000, 11000])
    for name in names:
        steps.add({"create": {"object": {"apiVersion": "batch/v1", "kind": "Job",
                                         "metadata": {"name": name},
                                         "spec": draw_job_spec(draw)}}})
    for _ in range(draw.randint(0, 4)):
        name = draw.choice(names)
        steps.add(draw.choice([
            patch(f"jobs/{name}", {"spec": {"suspend": draw.random() < 0.5}}),
            patch(f"jobs/{name}", {"spec": {"parallelism": draw.choice([0, 1, 2, 3])}}),
            patch(f"jobs/{name}", {"spec": {"activeDeadlineSeconds": draw.choice([5, 30])}}),
            {"delete": {"resource": "pods", "selector": f"job-name={name}", "wait": False,
                        "limit": 1}},
            {"delete": {"resource": f"jobs/{name}", "wait": False, "cascade": "background"}}]))
    return {"steps": steps.steps, "beside": [SCHEDULER], "cluster": {"nodes": 2}}


def draw_cronjobs(draw):
    """Nobody runs the Jobs; steps say that some have finished, or delete them."""
    spec = {"schedule": draw.choice(["* * * * *", "*/2 * * * *", "@every 45s", "1-4/3 * * * *"]),
            "concurrencyPolicy": draw.choice(["Allow", "Forbid", "Replace"]),
            "jobTemplate": {"spec": {"template": {"spec": {
                "restartPolicy": "Never", "containers": [container()]}}}}}
    if draw.random() < 0.3:
        spec["startingDeadlineSeconds"] = draw.choice([5, 20, 100])
    if draw.random() < 0.2:
        spec["timeZone"] = draw.choice(["Europe/Berlin", "Asia/Kolkata", "Etc/UTC"])
    for limit in ("successfulJobsHistoryLimit", "failedJobsHistoryLimit"):
        if draw.random() < 0.4:
            spec[limit] = draw.choice([0, 1])
    steps = Steps(draw, [7000, 23000, 41000])
    steps.add({"create": {"object": {"apiVersion": "batch/v1", "kind": "CronJob",
                                     "metadata": {"name": "c"}, "spec": spec}}})
    for _ in range(draw.randint(0, 5)):
        steps.add(draw.choice([
            patch("cronjobs/c", {"spec": {"suspend": draw.random() < 0.5}}),
            patch("cronjobs/c", {"spec": {"concurrencyPolicy": draw.choice(
                ["Allow", "Forbid", "Replace"])}}),
            patch("cronjobs/c", {"spec": {"schedule": draw.choice(["* * * * *", "*/3 * * * *"])}}),
            {"delete": {"resource": "jobs", "all": True, "wait": False, "limit": 1}}]))
    return {"steps": steps.steps}


# --- persistentvolume -----------------------------------------------------------------------------

def volume(draw, name, size):
    modes = draw.choice([["ReadWriteOnce"], ["ReadWriteOnce", "ReadWriteMany"]])
    spec = {"capacity": {"storage": f"{size}Gi"}, "accessModes": modes,
            "persistentVolumeReclaimPolicy": draw.choice(["Retain", "Delete"]),
            "hostPath": {"path": draw.choice(["/tmp/v", "/data"])}, **drawn_class(draw)}
    if draw.random() < 0.2:
        spec["claimRef"] = {"namespace": "default", "name": draw.choice(CLAIMS)}
    return {"apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": {"name": name, "labels": {"n": name}}, "spec": spec}


def claim(draw, name):
    spec = {"accessModes": [draw.choice(["ReadWriteOnce", "ReadWriteOnce", "ReadWriteMany"])],
            "resources": {"requests": {"storage": f"{draw.randint(1, 6)}Gi"}},
            **drawn_class(draw)}
    if draw.random() < 0.2:
        spec["volumeName"] = f"pv-{draw.randint(0, 5)}"
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name},
            "spec": spec}


CLAIMS = ["a", "b", "c"]


def drawn_class(draw):
    return draw.choice([{}, {}, {"storageClassName": "gold"}])


def draw_persistentvolume(draw):
    # No two volumes are of one size: which of them is taken then hangs on a Go map.
    sizes = draw.sample(range(1, 9), 6)
    steps, there, made = Steps(draw, [1500, 3000, 7000]), set(), 0
    for _ in range(draw.randint(4, 12)):
        kind = draw.choice(["volume", "volume", "claim", "claim", "unclaim", "unvolume"])
        if kind == "volume" and made < len(sizes):
            steps.add({"create": {"object": volume(draw, f"pv-{made}", sizes[made])}})
            made += 1
        elif kind == "claim" and len(there) < len(CLAIMS):
            name = draw.choice([c for c in CLAIMS if c not in there])
            there.add(name)
            steps.add({"create": {"object": claim(draw, name)}})
        elif kind == "unclaim" and there:
            name = draw.choice(sorted(there))
            there.remove(name)
            steps.add({"delete": {"resource": f"pvc/{name}", "wait": False}})
        elif kind == "unvolume" and made:
            # By its label: it may be gone.
            steps.add({"delete": {"resource": "pv", "selector": f"n=pv-{draw.randrange(made)}",
                                  "wait": False}})
    return {"given": [], "steps": steps.steps}


# --- autoscalers ----------------------------------------------------------------------------------

def draw_autoscalers(draw):
    """Kubelets run the pods of a ReplicaSet, whose load comes in levels."""
    target = replicaset(draw, "web", "web", draw.choice([0, 1, 2, 3, 5]))
    if draw.random() < 0.9:
        target["spec"]["template"]["spec"]["containers"] = [container({"cpu": "100m"})]
    load, at = [], 0
    for _ in range(draw.randint(1, 4)):
        total = draw.choice([20, 90, 150, 240, 330, 600, 1100])
        load.append({"at": f"{at}s", "total": f"{total}m"})
        at += draw.choice([47, 95, 190, 400])
    metrics = [{"resource": "cpu", "pods": "app=web", "load": load}]
    if draw.random() < 0.4:
        metrics.append({"metric": "q", "load": [{"at": f"{i * 100}s", "total": draw.choice(
            [0, 3, 10, 40])} for i in range(3)]})
    steps = Steps(draw, [7000, 23000, 61000])
    # One: the texts about several have them in the order of a Go map.
    steps.add({"create": {"object": {
        "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "h0"}, "spec": draw_autoscaler_spec(draw)}}})
    for _ in range(draw.randint(0, 4)):
        steps.add(draw.choice([
            patch("rs/web", {"spec": {"replicas": draw.choice([0, 1, 4, 12])}}),
            patch("hpa/h0", {"spec": {"maxReplicas": draw.choice([4, 12])}}),
            patch("hpa/h0", {"spec": {"minReplicas": draw.choice([1, 3])}}),
            {"delete": {"resource": "pods", "selector": "app=web", "limit": 2, "wait": False}},
            {"delete": {"resource": "hpa/h0"}}]))
    return {"given": [target], "steps": steps.steps, "beside": ["replicaset", SCHEDULER],
            "cluster": {"nodes": 2, "metrics": metrics if draw.random() < 0.9 else []}}


def draw_autoscaler_spec(draw):
    spec = {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "ReplicaSet",
                               "name": draw.choice(["web"] * 9 + ["other"])},
            "minReplicas": draw.choice([1, 2]), "maxReplicas": draw.choice([3, 7, 15]),
            "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": {
                "type": "Utilization", "averageUtilization": draw.choice([30, 50, 80, 110])}}}]}
    if draw.random() < 0.3:
        spec["metrics"].append({"type": "External", "external": {
            "metric": {"name": "q"}, "target": draw.choice([
                {"type": "Value", "value": "4"}, {"type": "AverageValue", "averageValue": "3"}])}})
    if draw.random() < 0.5:
        spec["behavior"] = {way: draw_scaling_rules(draw) for way in ("scaleUp", "scaleDown")
                            if draw.random() < 0.7}
    return spec


def draw_scaling_rules(draw):
    rules = {"stabilizationWindowSeconds": draw.choice([0, 30, 70])}
    if draw.random() < 0.6:
        rules["policies"] = [{"type": kind, "value": draw.choice([1, 2, 10, 50, 100]),
                              "periodSeconds": draw.choice([15, 30, 60, 100])}
                             for kind in draw.sample(["Pods", "Percent"], draw.choice([1, 2]))]
    if draw.random() < 0.4:
        rules["selectPolicy"] = draw.choice(["Max", "Min", "Disabled"])
    return rules


# The register.
WORKLOADS = {
    "replicaset": Workload(["replicaset"], draw_replicaset, ["pods", "replicasets"]),
    "daemonset": Workload(["daemonset"], draw_daemonset, ["pods", "daemonsets", "nodes"]),
    # Both are guests: a fault that strikes the next write of their process finds the same one.
    "deployment": Workload(["deployment", "replicaset"], draw_deployment,
                           ["pods", "replicasets", "deployments"], settle="60s", conflicts=False),
    "statefulset": Workload(["statefulset"], draw_statefulset,
                            ["pods", "statefulsets", "controllerrevisions"]),
    "scheduler": Workload([SCHEDULER], draw_scheduler, ["pods", "nodes"], process=SCHEDULER,
                          settle="40s", lots=8),
    "garbagecollector": Workload(["garbagecollector", "replicaset"], draw_garbagecollector,
                                 ["pods", "replicasets", "configmaps"], settle="40s"),
    # The kinds come in the order of a Go map: what goes when is a matter of half a second.
    "namespace": Workload(["namespace"], draw_namespace, ["namespaces"], settle="80s",
                          tolerance=1.0),
    "nodelifecycle": Workload(["nodelifecycle", "tainteviction"], draw_nodelifecycle,
                              ["pods", "nodes", "leases"], settle="80s"),
    "disruption": Workload(["disruption"], draw_disruption,
                           ["pods", "poddisruptionbudgets", "replicasets"], settle="40s"),
    "endpoints": Workload(["endpointslice", "endpoint"], draw_endpoints,
                          ["pods", "services", "endpointslices", "nodes"], settle="20s"),
    "job": Workload(["job"], draw_jobs, ["pods", "jobs"], settle="90s"),
    "cronjob": Workload(["cronjob"], draw_cronjobs, ["jobs", "cronjobs"], settle="150s"),
    # The resync counts from the start of the program.
    "persistentvolume": Workload(["persistentvolume-binder"], draw_persistentvolume,
                                 ["persistentvolumes", "persistentvolumeclaims"], settle="40s",
                                 tolerance=0.5),
    # ksim's own reads the metrics without a request: its looks come some milliseconds sooner.
    "horizontalpodautoscaler": Workload(
        ["horizontalpodautoscaler"], draw_autoscalers,
        ["pods", "replicasets", "horizontalpodautoscalers"], settle="400s", tolerance=1.0),
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
