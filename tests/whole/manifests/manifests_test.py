#!/usr/bin/env python3
"""Runs each manifest as a user does, `ksim run FILE`, and compares its end with what ends.out says.

usage: manifests_test.py KSIM FOLDER [--show] [NAME...]

ends.out has a block a manifest: its name, then a line for each thing that there is at the end, in
the words of `kubectl get`: how many pods of a workload are ready, how a Job ended, why a pod does
not run. Letters of generated names are *. --show prints the blocks as they are, to be read and
put there.
"""
import collections
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

KINDS = "deployments,statefulsets,daemonsets,replicasets,replicationcontrollers,jobs,cronjobs," \
        "horizontalpodautoscalers,poddisruptionbudgets,persistentvolumeclaims,pods"
def condition(item, kind):
    for c in item.get("status", {}).get("conditions", []):
        if c["type"] == kind and c["status"] == "True":
            return c
    return None


def masked(item):
    """The name, with * for what is drawn or comes of the clock."""
    metadata = item["metadata"]
    name = metadata["name"]
    owner = (metadata.get("ownerReferences") or [{"kind": ""}])[0]
    if owner["kind"] == "Deployment":
        return name.rsplit("-", 1)[0] + "-*"
    if owner["kind"] == "CronJob":
        return re.sub(r"-\d{8}$", "-*", name)
    if item["kind"] == "Pod" and "generateName" in metadata:
        stem = metadata["generateName"]
        if "pod-template-hash" in metadata.get("labels", {}):
            stem = stem.removesuffix(metadata["labels"]["pod-template-hash"] + "-")
        return re.sub(r"-\d{8}-$", "-*-", stem) + "*"
    if owner["kind"] == "Pod":
        return re.sub(r"-[a-z0-9]{8,10}-[a-z0-9]{5}-", "-*-", name)
    return name


def of_workload(item):
    status, spec = item.get("status", {}), item["spec"]
    ready = status.get("readyReplicas", status.get("numberReady", 0))
    wanted = status.get("desiredNumberScheduled", spec.get("replicas"))
    text = f"{ready}/{wanted} ready"
    for c in status.get("conditions", []):
        stuck = c["type"] == "Progressing" and c["status"] == "False"
        if stuck or (c["type"] == "ReplicaFailure" and c["status"] == "True"):
            text += f", {c['reason']}"
    return text


def of_job(item):
    for kind in ("Complete", "Failed", "Suspended"):
        c = condition(item, kind)
        if c:
            return kind if kind == "Complete" else f"{kind}: {c['reason']}"
    return f"{item.get('status', {}).get('active', 0)} active"


def of_pod(item):
    status = item["status"]
    for c in status.get("containerStatuses", []) + status.get("initContainerStatuses", []):
        waiting, ended = c["state"].get("waiting"), c["state"].get("terminated")
        if waiting and waiting["reason"] not in ("PodInitializing", "ContainerCreating"):
            return f"{status['phase']}, {waiting['reason']}"
        if ended and ended["exitCode"] != 0 and status["phase"] == "Running":
            return f"{status['phase']}, {ended['reason']}"
    c = next((c for c in status.get("conditions", []) if c["type"] == "PodScheduled"), None)
    if c and c["status"] == "False":
        return f"{status['phase']}: {c['message'].split(' preemption:')[0]}"
    ready = ", ready" if condition(item, "Ready") else ""
    return status["phase"] + (f": {status['reason']}" if "reason" in status else ready)


def of_budget(item):
    status = item.get("status", {})
    healthy, allowed = status.get("currentHealthy", 0), status.get("disruptionsAllowed", 0)
    return f"{healthy} healthy, {allowed} allowed"


def of_autoscaler(item):
    status = item.get("status", {})
    active = next((c["reason"] for c in status.get("conditions", [])
                   if c["type"] == "ScalingActive"), "unknown")
    return f"{status.get('currentReplicas', 0)} replicas, {active}"


TELL = {"Deployment": of_workload, "StatefulSet": of_workload, "DaemonSet": of_workload,
        "ReplicaSet": of_workload, "ReplicationController": of_workload, "Job": of_job,
        "CronJob": lambda item: "suspended" if item["spec"].get("suspend") else
        ("started" if "lastScheduleTime" in item.get("status", {}) else "waits"),
        "HorizontalPodAutoscaler": of_autoscaler, "PodDisruptionBudget": of_budget,
        "PersistentVolumeClaim": lambda item: item.get("status", {}).get("phase", ""),
        "Pod": of_pod}


def ending(ksim, path):
    """The lines of a manifest's end; the first has the code, and the error if there is one."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "run.ktrace"
        run = subprocess.run([ksim, "run", path.name, "-q", "--trace", str(trace)], cwd=path.parent,
                             capture_output=True, text=True)
        told = (run.stdout + run.stderr).splitlines()
        errors = [line for line in told if ": error: " in line or
                  (line.startswith("violation: ") and "events," not in line)]
        lines = [f"code {run.returncode}"] + errors
        if not trace.exists():
            return lines
        got = subprocess.run([ksim, "get", str(trace), KINDS, "-A", "-o", "json"],
                             capture_output=True, text=True)
        items = json.loads(got.stdout)["items"] if got.stdout.strip() else []
    counts = collections.Counter(
        f"{item['kind']} {masked(item)}: {TELL[item['kind']](item)}" for item in items)
    return lines + [line + (f" (x{n})" if n > 1 else "") for line, n in sorted(counts.items())]


def expected(path):
    blocks, name = {}, None
    for line in path.read_text().splitlines():
        if line.startswith("#") or not line:
            continue
        if line.startswith("  "):
            blocks[name].append(line.strip())
        else:
            name = line.strip()
            blocks[name] = []
    return blocks


def main():
    show = "--show" in sys.argv
    ksim, folder, *names = [a for a in sys.argv[1:] if a != "--show"]
    folder = pathlib.Path(folder)
    files = sorted(p for p in folder.glob("*.yaml") if not names or p.stem in names)
    blocks = expected(folder / "ends.out") if not show else {}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        ends = list(pool.map(lambda p: ending(ksim, p), files))
    bad = 0
    for path, lines in zip(files, ends):
        if show:
            print("\n".join([path.stem] + ["  " + line for line in lines]))
        elif blocks.get(path.stem) != lines:
            bad += 1
            print("\n".join([f"{path.name} ends so:"] + ["  " + line for line in lines] +
                            ["and not so:"] + ["  " + line for line in blocks.get(path.stem, [])]))
    stale = set(blocks) - {p.stem for p in files} if not names else set()
    for name in sorted(stale):
        print(f"ends.out: there is no {name}.yaml")
    if not files:
        print(f"{folder}: no manifest")
    return 1 if bad or stale or not files else 0


if __name__ == "__main__":
    sys.exit(main())
