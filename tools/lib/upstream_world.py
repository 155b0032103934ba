"""Scenarios in which upstream's controllers, as guests, do the work of ksim's own, and their runs.

A case says which controllers it is about. `native` is its scenario with ksim's own controllers,
`with_guests` the same with kube-controller-manager and kube-scheduler as tools/upstream-guests
builds them; a case's record (upstream_record.py) is read from the trace of either.
"""
import json
import pathlib
import re
import subprocess
import tempfile

from upstream_record import Recorder

SCHEDULER, MANAGER = "kube-scheduler", "kube-controller-manager"
# The guest beside ksim's own kube-controller-manager; alone it has that one's name.
GUEST = "kube-controller-manager-guest"
VERSIONS = ("1.30", "1.36")
# A case begins when everybody's caches have synced; given objects are made 20 s before. A quarter
# of a second keeps whole seconds of timestamps from hanging on a millisecond.
GIVEN_NS, READY_NS, START_NS = 10_250_000_000, 12_250_000_000, 30_250_000_000
# Drawn by what a message is about, so both see the same world. If each took as long as the other,
# an answer and the watch event of one write would come at the same moment, and the order in which
# they are read then would decide.
LATENCY = {"min": "1ms", "max": "3ms"}
UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
FLAGS = ["--kubeconfig=/etc/kubernetes/kubeconfig", "--leader-elect=false", "--secure-port=0",
         "--authentication-skip-lookup=true"]


class CaseError(Exception):
    """A case that is written wrongly, or a run that did not come to its end."""


def nanoseconds(text):
    parts = re.findall(r"([0-9]+(?:\.[0-9]+)?)(ns|us|ms|s|m|h)", str(text))
    if not parts or "".join(n + u for n, u in parts) != str(text):
        raise CaseError(f"no duration: {text}")
    return sum(round(float(n) * UNITS[u]) for n, u in parts)


CASE_FIELDS = {"name", "given", "ready", "steps", "until", "tolerance", "cluster", "controllers",
               "beside", "args", "faults", "overrides", "checks", "why", "versions", "seed",
               "together"}
# A manager of 1.36 that starts with its API server is told to come back in a second (429).
# Upstream's waits for a healthy server first, so it would look at things at other moments from
# then on.
# A guest is quiet, so that faults can strike, after 5 s.
RESTARTED = {"at": "7s", "restart": {"process": MANAGER, "down": "1s"}}
# The status that a kubelet writes of a pod that runs.
RUNNING = {"phase": "Running", "conditions": [
    {"type": "Ready", "status": "True", "lastTransitionTime": "2025-01-01T00:00:12Z"}]}
# A guest knows most controllers by ksim's names, too.
NO_ALIAS = {"tainteviction": "taint-eviction-controller",
            "horizontalpodautoscaler": "horizontalpodautoscaling"}
# ksim's own publisher has a root CA of its own; a guest is given the same.
ROOT_CA, ROOT_CA_FILE = "root-ca-cert-publisher", "/etc/kubernetes/ca.crt"
ROOT_CA_SOURCE = "src/ksim/controllers/root_ca/root_ca_publisher.cc"


def merged(file, case):
    """A case with what its file says for all."""
    # A field x-... is there to be repeated in the file.
    out = {k: v for k, v in file.items() if k != "cases" and not k.startswith("x-")}
    out.update({k: v for k, v in case.items() if k != "cluster"})
    out["cluster"] = {**file.get("cluster", {}), **case.get("cluster", {})}
    unknown = set(out) - CASE_FIELDS
    if unknown:
        raise CaseError(f'case {out.get("name")}: no field {", ".join(sorted(unknown))}; '
                        f'there are {", ".join(sorted(CASE_FIELDS))}')
    for needed in ("name", "controllers", "until"):
        if needed not in out:
            raise CaseError(f'case {out.get("name")}: {needed} is missing')
    return out


def from_start(step):
    """A step or a fault with its time counted from the start of the run."""
    return {**step, "at": f'{START_NS + nanoseconds(step["at"])}ns'} if "at" in step else step


def made_ready(pod):
    return {"at": f"{READY_NS}ns", "patch": {
        "resource": f"pods/{pod}", "type": "merge", "subresource": "status",
        "patch": {"status": RUNNING}}}


def root_ca():
    source = (pathlib.Path(__file__).resolve().parents[2] / ROOT_CA_SOURCE).read_text("utf-8")
    text = re.search(r'"-----BEGIN.*?END CERTIFICATE-----\\n"', source, re.S).group(0)
    return "".join(line.strip().strip('"').replace("\\n", "\n") for line in text.splitlines())


def native(case, version):
    """The scenario with ksim's own controllers."""
    named = [c for c in [*case["controllers"], *case.get("beside", [])]]
    cluster = {"nodes": 0, "network": {"latency": LATENCY}, **case["cluster"]}
    managed = [c for c in named if c != SCHEDULER]
    cluster["components"] = sorted(
        ([MANAGER] if managed else [f"-{MANAGER}"]) +
        ([SCHEDULER] if SCHEDULER in named else [f"-{SCHEDULER}"]))
    if managed:
        cluster["controllers"] = managed
    given = [{"at": f"{GIVEN_NS}ns", "create": {"objects": case["given"]}}] \
        if case.get("given") else []
    steps = given + [made_ready(pod) for pod in case.get("ready", [])] + \
        [from_start(step) for step in case.get("steps", [])]
    spec = {"compat": version, "until": f'{START_NS + nanoseconds(case["until"])}ns',
            "cluster": cluster, "steps": steps}
    limit = START_NS + nanoseconds(case["until"]) + 600 * 10**9
    spec["limit"] = {"time": f"{limit}ns"}
    faults = [from_start(fault) for fault in case.get("faults", [])]
    if case.get("together") and version == "1.36":
        faults.insert(0, RESTARTED)
    if faults:
        spec["faults"] = faults
    for field in ("overrides", "checks", "seed"):
        if field in case:
            spec[field] = case[field]
    return {"apiVersion": "ksim.dev/v1", "kind": "Scenario",
            "metadata": {"name": str(case["name"])}, "spec": spec}


def with_guests(scenario, controllers, args, folder, version):
    """The scenario with upstream's programs as the controllers that it is about."""
    spec = scenario["spec"]
    cluster = dict(spec["cluster"])
    folder = pathlib.Path(folder).resolve()
    if SCHEDULER in controllers:
        cluster["components"] = [c for c in cluster["components"] if c != SCHEDULER]
        cluster["scheduler"] = {**cluster.get("scheduler", {}),
                                "guest": str(folder / f"{SCHEDULER}-{version}.wasm"),
                                "args": args if controllers == [SCHEDULER] else []}
    managed = [c for c in controllers if c != SCHEDULER]
    if managed:
        beside = [c for c in cluster["controllers"] if c not in managed]
        cluster.pop("controllers")
        if beside:
            cluster["controllers"] = beside
        else:
            cluster["components"] = [f"-{MANAGER}" if c == MANAGER else c
                                     for c in cluster["components"]]
        guest = {
            "name": GUEST if beside else MANAGER, "file": str(folder / f"{MANAGER}-{version}.wasm"),
            "user": f"system:{MANAGER}", "namespace": "kube-system", "standsFor": MANAGER,
            "args": [*FLAGS, "--controllers=" + ",".join(NO_ALIAS.get(c, c) for c in managed),
                     *args]}
        if cluster.get("nodes"):
            # Kubelets tell the guest of their nodes before the start, and the start waits until
            # it is quiet.
            guest["quietAfter"] = "1s"
        if ROOT_CA in managed:
            guest["files"] = {ROOT_CA_FILE: root_ca()}
            guest["args"].append(f"--root-ca-file={ROOT_CA_FILE}")
        cluster["guests"] = [*cluster.get("guests", []), guest]
    return {**scenario, "spec": {**spec, "cluster": cluster}}


def actors_of(controllers, beside=()):
    """Whether an actor is one of these controllers, ksim's own or a guest."""
    others = {f"{MANAGER}/{name}" for name in beside}
    managed = any(c != SCHEDULER for c in controllers)

    def recorded(actor):
        process = actor.split("/", 1)[0]
        if process == SCHEDULER:
            return SCHEDULER in controllers
        return managed and actor not in others and process in (MANAGER, GUEST)
    return recorded


def run(ksim, scenario, actors, timeout=900):
    """The Recorder of a run. A run that ksim could not begin or end raises CaseError."""
    with tempfile.TemporaryDirectory(prefix="ksim-upstream-") as folder:
        file, trace = pathlib.Path(folder, "scenario.yaml"), pathlib.Path(folder, "trace.jsonl")
        file.write_text(json.dumps(scenario), "utf-8")
        done = subprocess.run([ksim, "run", str(file), "-q", "--trace", str(trace)],
                              capture_output=True, text=True, check=False, timeout=timeout)
        if done.returncode not in (0, 1, 3) or not trace.exists():
            raise CaseError(f'{scenario["metadata"]["name"]}: ksim run ended with '
                            f"{done.returncode}:\n{done.stderr}")
        recorder = Recorder(actors, START_NS)
        with trace.open(encoding="utf-8") as lines:
            for line in lines:
                recorder.take(json.loads(line))
    broken = [v["message"] for v in recorder.end.get("violations", [])
              if v["oracle"] == "guest.runs"]
    if broken:
        raise CaseError(f'{scenario["metadata"]["name"]}: {broken[0]}')
    return recorder
