"""Cases that were recorded from the real kube-scheduler and kube-controller-manager, given to the
same programs as guests (tests/whole/actors/recorded/README.md).

A case is requests, and seconds in which nothing is asked; its outcome is a line for each pod,
ReplicaSet and Event at the end. `scenario_of` makes the requests steps of kubectl, `outcome_of`
reads the lines from the objects of a trace, as tests/whole/actors/recorded_world.cc does.
"""
import re

from upstream_world import MANAGER, SCHEDULER, START_NS

UID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
LETTERS = re.compile(r"-[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z0-9-])")
PATCHES = {"merge": "merge", "strategic": "strategic", "json": "json"}
# The real binaries were asked for their outcome after the seconds, and a little later still.
SLACK_NS = 10**8


class NoStep(Exception):
    """A request that kubectl has no words for."""


def step_of(request):
    verb, resource = request["verb"], request["resource"]
    where = {"namespace": request["ns"]} if request.get("ns") else {}
    target = f'{resource}/{request.get("name")}'
    if verb == "create" and not request.get("sub"):
        return {"create": {"object": request["body"]}}
    if verb == "patch":
        step = {"resource": target, "type": PATCHES[request.get("patch", "merge")],
                "patch": request["body"], **where}
        if request.get("sub"):
            step["subresource"] = request["sub"]
        return {"patch": step}
    if verb == "delete":
        body = request.get("body") or {}
        step = {"resource": target, "wait": False, **where}
        if "gracePeriodSeconds" in body:
            step["gracePeriodSeconds"] = body["gracePeriodSeconds"]
        if "propagationPolicy" in body:
            step["cascade"] = body["propagationPolicy"].lower()
        return {"delete": step}
    raise NoStep(f"{verb} {target}")


def scenario_of(case, version):
    """The case as a scenario; requests that follow one another have a tenth of a second each."""
    at, steps = START_NS, []
    for request in case["steps"]:
        if "settle" in request:
            at += request["settle"] * 10**9 + SLACK_NS
        else:
            steps.append({"at": f"{at}ns", **step_of(request)})
            at += 10**8
    cluster = {"nodes": 0, "network": {"latency": {"min": "200us", "max": "2ms"}},
               "components": [MANAGER, SCHEDULER], "controllers": ["replicaset"]}
    return {"apiVersion": "ksim.dev/v1", "kind": "Scenario", "metadata": {"name": case["case"]},
            "spec": {"compat": version, "until": f"{at}ns", "cluster": cluster, "steps": steps}}


def masked(text):
    return LETTERS.sub("-*", UID.sub("UID", text))


def if_any(what, text):
    return f" {what} {text}" if text else ""


def conditions(tree):
    out, i = "", 0
    while f"status.conditions[{i}].type" in tree:
        kind, status, reason, message = (tree.get(f"status.conditions[{i}].{field}", "")
                                         for field in ("type", "status", "reason", "message"))
        out += f"; {kind}={status} {reason}: {message}"
        i += 1
    return out


def owner_of(tree):
    i = 0
    while f"metadata.ownerReferences[{i}].name" in tree:
        if tree.get(f"metadata.ownerReferences[{i}].controller"):
            return tree[f"metadata.ownerReferences[{i}].name"]
        i += 1
    return ""


def deleting(tree):
    return " deleting" if "metadata.deletionTimestamp" in tree else ""


def pod_line(name, tree):
    return f'pod {name} {tree.get("status.phase", "")}' \
        f'{if_any("on", tree.get("spec.nodeName"))}' \
        f'{if_any("nominated", tree.get("status.nominatedNodeName"))}' \
        f'{if_any("of", owner_of(tree))}{deleting(tree)}{conditions(tree)}'


def replicaset_line(name, tree):
    counts = " ".join(str(tree.get("status." + field, 0)) for field in (
        "replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas",
        "terminatingReplicas", "observedGeneration"))
    return f"replicaset {name}{deleting(tree)} {counts}{conditions(tree)}"


def event_line(_, tree):
    count = max(tree.get("count", 0) or 0, tree.get("series.count", 0) or 0)
    source = tree.get("reportingComponent", "")
    return f'event {tree.get("type")} {tree.get("reason")} x{count} ' \
        f'{tree.get("involvedObject.kind")}/{tree.get("involvedObject.name")}' \
        f'{if_any("for", tree.get("related.name"))} by {source}' \
        f'{if_any("doing", tree.get("action"))}: {tree.get("message", "")}'


LINES = {"pods": pod_line, "replicasets": replicaset_line, "events": event_line}


def outcome_of(recorder):
    return sorted(masked(LINES[resource](name, tree))
                  for (resource, ns, name), tree in recorder.objects.trees.items()
                  if resource in LINES and ns == "default")


def drawn(cases, count):
    """`count` cases, spread evenly over all that kubectl can ask."""
    fit = []
    for case in cases:
        try:
            scenario_of(case, "1.30")
        except NoStep:
            continue
        fit.append(case)
    return [fit[i * len(fit) // count] for i in range(min(count, len(fit)))]
