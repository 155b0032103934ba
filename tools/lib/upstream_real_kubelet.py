"""Kubelets beside a real API server: nodes that stay alive, and pods that run, end and go as
their annotations say (docs/scenarios.md, "What containers do").

What a kubelet writes is nobody's record; controllers are told by it of phases, readiness, exit
codes and ends. Pods start half a second after they are bound; each has one container.
"""
import datetime
import re
import threading
import time

PERIOD, STARTS, STOPS, BEATS = 0.2, 0.5, 0.6, 10.0
ANNOTATION = "exit.ksim.dev/"
ENDS = re.compile(r"(\d+) after (\d+(?:\.\d+)?)s")
BACK_OFF = 10.0
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"


def now_text(micro=False):
    form = "%Y-%m-%dT%H:%M:%S" + (".%fZ" if micro else "Z")
    return datetime.datetime.now(datetime.timezone.utc).strftime(form)


def plan_of(pod, number):
    """[(exit code, seconds)], or () where it runs for ever; the last goes for all that follow."""
    meta, name = pod["metadata"], pod["spec"]["containers"][0]["name"]
    text = meta.get("annotations", {}).get(ANNOTATION + name, "runs")
    of_pods = text.split(";")
    out = []
    for part in of_pods[min(number, len(of_pods) - 1)].split(","):
        found = ENDS.search(part)
        out.append((int(found[1]), float(found[2])) if found else None)
    return out


class Run:
    """What a kubelet knows of a pod."""

    def __init__(self, plan):
        self.plan, self.restarts, self.phase, self.code = plan, 0, "", None
        self.at = time.monotonic() + STARTS
        self.stops = None

    def end(self):
        return self.plan[min(self.restarts, len(self.plan) - 1)]


class Kubelets:
    """A thread that plays the kubelets of some nodes, as long as the `with` lasts."""

    def __init__(self, api, nodes):
        self.api, self.nodes, self.runs, self.owners = api, dict(nodes), {}, {}
        self.stopped, self.beat, self.error = threading.Event(), 0.0, None
        self.thread = threading.Thread(target=self.work)

    def __enter__(self):
        for name, labels in self.nodes.items():
            self.register(name, labels)
        self.beat_all()
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.thread.join()
        self.api.close()

    def conditions(self):
        said = {"Ready": ("True", "KubeletReady", "kubelet is posting ready status"),
                "MemoryPressure": ("False", "KubeletHasSufficientMemory", "enough"),
                "DiskPressure": ("False", "KubeletHasNoDiskPressure", "enough"),
                "PIDPressure": ("False", "KubeletHasSufficientPID", "enough")}
        return [{"type": kind, "status": status, "reason": reason, "message": message,
                 "lastHeartbeatTime": now_text(), "lastTransitionTime": now_text()}
                for kind, (status, reason, message) in said.items()]

    def register(self, name, labels):
        have = {"cpu": "64", "memory": "256Gi", "pods": "1000"}
        os = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux",
              "kubernetes.io/arch": "amd64", "beta.kubernetes.io/os": "linux",
              "beta.kubernetes.io/arch": "amd64"}
        self.api.ask("POST", "/api/v1/nodes", {
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {
                **os, **labels}},
            "status": {"capacity": have, "allocatable": have, "conditions": self.conditions()}})

    def beat_all(self):
        self.beat = time.monotonic()
        for name in self.nodes:
            spec = {"holderIdentity": name, "leaseDurationSeconds": 40,
                    "renewTime": now_text(micro=True)}
            code, _ = self.api.ask("PATCH", f"{LEASES}/{name}", {"spec": spec},
                                   "application/merge-patch+json")
            if code == 404:
                self.api.ask("POST", LEASES, {
                    "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
                    "metadata": {"name": name, "namespace": "kube-node-lease"}, "spec": spec})

    def work(self):
        try:
            while not self.stopped.wait(PERIOD):
                if time.monotonic() - self.beat > BEATS:
                    self.beat_all()
                code, pods = self.api.ask("GET", "/api/v1/pods")
                if code != 200:
                    continue
                items = sorted(pods["items"], key=lambda p: int(p["metadata"]["resourceVersion"]))
                for pod in items:
                    if pod["spec"].get("nodeName") in self.nodes:
                        self.look(pod)
        except Exception as error:  # pylint: disable=broad-except
            self.error = error

    def look(self, pod):
        meta = pod["metadata"]
        run = self.runs.get(meta["uid"])
        if run is None:
            run = self.runs[meta["uid"]] = Run(plan_of(pod, self.number(meta)))
            run.phase = pod.get("status", {}).get("phase", "")
        if meta.get("deletionTimestamp"):
            self.stop(pod, run)
        elif time.monotonic() >= run.at and run.phase not in ("Succeeded", "Failed"):
            self.go_on(pod, run)

    def number(self, meta):
        """How many pods its owner had made before it."""
        owner = next((o["uid"] for o in meta.get("ownerReferences", [])), meta["uid"])
        known = self.owners.setdefault(owner, [])
        known.append(meta["uid"])
        return len(known) - 1

    def go_on(self, pod, run):
        never = pod["spec"].get("restartPolicy", "Always")
        if run.phase == "" or run.code is not None or run.phase == "Pending":
            run.phase, run.code = "Running", None
            end = run.end()
            run.at = time.monotonic() + (end[1] if end else 1e9)
            self.write(pod, run, {"running": {"startedAt": now_text()}}, True)
            return
        code = run.end()[0]
        if never == "Never" or (never == "OnFailure" and code == 0):
            run.phase = "Succeeded" if code == 0 else "Failed"
            run.at = 1e12
            self.write(pod, run, ended(code), False)
            return
        run.restarts += 1
        run.code = code
        run.at = time.monotonic() + BACK_OFF * 2 ** (run.restarts - 1)
        self.write(pod, run, ended(code), False)

    def stop(self, pod, run):
        if run.stops is None:
            run.stops = time.monotonic() + STOPS
        if time.monotonic() < run.stops or run.at > 1e13:
            return
        if run.phase not in ("Succeeded", "Failed"):
            code = 143
            run.phase = "Failed"
            self.write(pod, run, ended(code), False)
        run.at = 1e14
        meta = pod["metadata"]
        self.api.ask("DELETE", f'/api/v1/namespaces/{meta["namespace"]}/pods/{meta["name"]}', {
            "apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0,
            "preconditions": {"uid": meta["uid"]}})

    def write(self, pod, run, state, ready):
        meta, container = pod["metadata"], pod["spec"]["containers"][0]
        said, reason = ("True", None) if ready else (
            "False", {"Succeeded": "PodCompleted", "Failed": "PodFailed"}.get(
                run.phase, "ContainersNotReady"))
        conditions = [{"type": kind, "status": status, "reason": why,
                       "lastTransitionTime": now_text()}
                      for kind, status, why in (
                          ("PodReadyToStartContainers", "True" if state.get("running") else
                           "False", None), ("Initialized", "True", None), ("Ready", said, reason),
                          ("ContainersReady", said, reason), ("PodScheduled", "True", None))]
        status = {"phase": run.phase, "conditions": conditions,
                  "podIP": "10.1.0.1", "podIPs": [{"ip": "10.1.0.1"}], "hostIP": "10.2.0.1",
                  "startTime": pod.get("status", {}).get("startTime", now_text()),
                  "containerStatuses": [{
                      "name": container["name"], "image": container["image"], "imageID": "i",
                      "ready": ready, "started": ready, "restartCount": run.restarts,
                      "state": state}]}
        self.api.ask("PATCH", f'/api/v1/namespaces/{meta["namespace"]}/pods/{meta["name"]}/status',
                     {"metadata": {"uid": meta["uid"]}, "status": status},
                     "application/merge-patch+json")


def ended(code):
    return {"terminated": {"exitCode": code, "reason": "Error" if code else "Completed",
                           "startedAt": now_text(), "finishedAt": now_text()}}
