"""The cases of tests/whole/actors/recorded/guests that are recorded from real binaries, and how.

Cases run side by side, in namespaces of their own, with as much real time as they have in virtual
time, unless a kind's row says otherwise.
"""
import dataclasses

from upstream_world import SCHEDULER, nanoseconds


@dataclasses.dataclass
class Plan:
    """How the cases of a file are recorded."""
    # One after the other: they look at all nodes or volumes of the cluster. Each then ends `tail`
    # seconds after its last step.
    solo: bool = False
    tail: float = 8.0
    # As many as `count` of those for which the same programs run, and at most `together` at once:
    # where steps follow one another closely, a busy machine would change what comes of them.
    count: int = 90
    together: int = 90
    # Seconds between the given objects and the start; in virtual time there are 20.
    lead: float = 5.0
    # A case takes no longer, in seconds of its file.
    limit: int = 60
    # The start is the 30th second of an even minute, as in virtual time.
    aligned: bool = False
    zones: bool = False
    # More flags of the kube-controller-manager: none changes what comes of a case.
    flags: tuple = ()
    # Cases that cannot be recorded so, and why.
    skip: dict = dataclasses.field(default_factory=dict)


CALENDAR = "what comes of it depends on the hour, and a recording is made at any"
CLUSTER = "that all zones are down is a matter of all nodes, and other cases have some"
OTHERS = "with other controllers it would have a cluster for itself: see their own cases"
PLANS = {
    "garbagecollector": Plan(),
    "namespace": Plan(limit=60),
    "nodelifecycle": Plan(limit=80, lead=20.0, zones=True, skip={
        "all-are-down": CLUSTER, "all-zones-are-down-one-after-the-other": CLUSTER,
        "evicted": OTHERS, "evicted-because-not-ready": OTHERS, "removed-with-pods": OTHERS}),
    "podgc": Plan(limit=110),
    "tainteviction": Plan(limit=40),
    "disruption": Plan(),
    "resourcequota": Plan(skip={
        "kinds-by-count": "it counts the account that the recording makes"}),
    "endpointslice": Plan(skip={"hints-by-topology": "hints weigh all nodes of the cluster"}),
    "deployment": Plan(count=24, together=12),
    "statefulset": Plan(count=24, together=12),
    "daemonset": Plan(solo=True, count=10, limit=40, lead=3.0, skip={
        "node-name": "the hash of its template is that of a node's name, which gets a suffix"}),
    "job": Plan(limit=90),
    "cronjob": Plan(limit=200, aligned=True, skip={
        "time-zone": CALENDAR, "another-time-zone": CALENDAR, "hourly": CALENDAR,
        "another-schedule": CALENDAR,
        # To be recorded: they are written for 1.30 since its API server refused the first ones.
        **{f"{name}-in-1.30": "it is not recorded yet" for name in (
            "a-job-finishes", "history", "forbid-until-it-finishes", "forbid-with-a-deadline",
            "two-finished-and-one-kept", "suspended-while-a-job-runs")}}),
    "replicaset": Plan(),
    # The binder looks at everything every 15 s.
    "persistentvolume": Plan(solo=True, count=7, limit=40, tail=16.0, lead=3.0),
    "volumescheduling": Plan(solo=True, count=10, limit=40, tail=10.0, lead=3.0),
}
# The horizontal pod autoscaler is not here: nobody serves metrics beside a bare kube-apiserver.

STEPS = {"create", "patch", "delete", "label", "annotate", "scale", "setImage", "cordon",
         "uncordon", "evict"}
# Their controllers publish what a namespace of the recording has already, or are told of files.
CONTROLLERS = {"root-ca-cert-publisher", "serviceaccount"}
# They choose among the objects of all cases.
EVERYWHERE = {"clusterrole-aggregation"}


def unfit(case, plan, version):
    """Why a case cannot be recorded from real binaries; "": it can."""
    if case["name"] in plan.skip:
        return plan.skip[case["name"]]
    if case.get("faults") or case.get("overrides") or "apiServers" in case["cluster"]:
        return "faults are ksim's"
    if version not in map(str, case.get("versions", [version])):
        return "of another version"
    if case.get("args"):
        return "its flags are for it alone"
    if CONTROLLERS & set(case["controllers"]):
        return "its controllers meet with what the recording itself makes"
    if EVERYWHERE & set(case["controllers"]):
        return "its controllers look at the objects of all cases"
    if "CustomResourceDefinition" in str(case.get("given")) + str(case.get("steps")):
        return "a CustomResourceDefinition is of all cases"
    if nanoseconds(case["until"]) > plan.limit * 10**9:
        return "it takes too long"
    for step in case.get("steps", []):
        verb = next(k for k in step if k != "at")
        rollout = verb == "rollout" and step[verb]["command"] in ("pause", "resume")
        if verb not in STEPS and not rollout:
            return f"a step {verb} is ksim's kubectl"
    return ""


def until_of(case, plan):
    """How long a case is recorded, in seconds after its start."""
    until = nanoseconds(case["until"]) / 1e9
    if not plan.solo:
        return until
    last = max([nanoseconds(s["at"]) / 1e9 for s in case.get("steps", [])], default=0.0)
    return min(until, last + plan.tail)


def kubelets_of(case):
    """The nodes that have kubelets: name to labels."""
    nodes = case["cluster"].get("nodes", 0)
    if isinstance(nodes, int):
        return {f"node-{i + 1}": {} for i in range(nodes)}
    return {n["name"]: n.get("labels", {}) for n in nodes}


def shares_nodes(case):
    """Whether who is recorded, or who runs beside, chooses among all nodes that there are."""
    return SCHEDULER in [*case["controllers"], *case.get("beside", [])] or \
        "daemonset" in case["controllers"]


def batches(cases, plan):
    """Lists of cases that run at once: what runs is the same for all."""
    groups = {}
    for case in cases:
        groups.setdefault(runs(case), []).append(case)
    size = 1 if plan.solo else plan.together
    return [group[i:i + size] for group in groups.values() for i in range(0, len(group), size)]


def runs(case):
    """What runs for a case, as a key."""
    nodes = kubelets_of(case) if shares_nodes(case) else {}
    return str((case["controllers"], case.get("beside", []), case.get("args", []), nodes))
