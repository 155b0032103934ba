"""The real kube-controller-manager and kube-scheduler with ksim's own switched off: the
walk-through must have the same writes as ksim's own, by object and in each object's order. Then all
of upstream's controllers: what ksim has no controller for is done, too."""
import json
import re
import signal
import subprocess
import time

from .served import ROOT, Served

VERSIONS = {"1.30": "1.30.14", "1.36": "1.36.3"}
PROGRAMS = ("kube-controller-manager", "kube-scheduler", "kubectl")
SCENARIO = """apiVersion: ksim.dev/v1
kind: Scenario
metadata: {name: outside-components}
spec:
  compat: "%s"
  cluster: {components: ["*", -kube-controller-manager, -kube-scheduler]}
"""
MANAGER, SCHEDULER = "kube-controller-manager", "kube-scheduler"
FLAGS = {
    MANAGER: ["--leader-elect=false", "--use-service-account-credentials=false"],
    SCHEDULER: ["--leader-elect=false", "--authentication-skip-lookup=true"],
}
# With all of upstream's controllers.
COMMANDS = [
    ("kubectl create deployment web --image=nginx --replicas=3", r"created"),
    ("kubectl rollout status deployment web --timeout=60s", r"successfully rolled out"),
    ("kubectl set image deployment/web nginx=nginx:2", r"image updated"),
    ("kubectl rollout status deployment web --timeout=60s", r"successfully rolled out"),
    ("kubectl rollout undo deployment web", r"rolled back"),
    ("kubectl rollout status deployment web --timeout=60s", r"successfully rolled out"),
    ("kubectl create namespace n", r"created"),
    ("kubectl -n n create deployment x --image=nginx", r"created"),
    ("kubectl -n n rollout status deployment x --timeout=60s", r"successfully rolled out"),
    ("kubectl get serviceaccounts,configmaps -n n", r"serviceaccount/default[^$]*kube-root-ca.crt"),
    ("kubectl delete namespace n --timeout=60s", r"deleted"),
    ("kubectl create job j --image=i", r"created"),
    ("kubectl delete deployment web --cascade=foreground --timeout=60s", r"deleted"),
    ("kubectl delete job j --timeout=60s; sleep 5", r"deleted"),
    ("kubectl get pods,replicasets,deployments,jobs -A", r"^$"),
]
# Times, places, and whatever is drawn: they differ from run to run.
VARIES = re.compile(r"metadata\.(creationTimestamp|managedFields|uid|resourceVersion|name$"
                    r"|generateName|ownerReferences.*uid)|[tT]ime(stamp)?$|At$|nodeName$"
                    r"|IPs?(\[\d+\]\.ip)?$|(container|image)ID$|^spec\.volumes\[\d+\]\.name$"
                    r"|volumeMounts\[\d+\]\.name$|^(involvedObject|regarding)\.(uid|name|resourceV)"
                    r"|^source|^reporting|^message$|^note$|^action$|related")


def missing(_):
    return ""


def programs(version):
    """The folder with the programs of a version, built if need be."""
    folder = ROOT / "build/kubernetes" / version
    if not all((folder / program).exists() for program in PROGRAMS):
        print(f"components: building {' and '.join(PROGRAMS)} {version}", flush=True)
        subprocess.run([ROOT / "tools/lib/kubernetes-programs", version, folder, *PROGRAMS],
                       check=True, stdout=subprocess.DEVNULL)
    return folder


def walk_through():
    """The manifest of scenarios/replicaset.yaml."""
    return (ROOT / "scenarios/replicaset.yaml").read_text().split("---\n", 1)[1]


def writes(trace):
    """{object: [write]}: objects are called by their kind and the order of their creation."""
    names, found = {}, {}
    for line in open(trace, encoding="utf-8"):
        event = json.loads(line)
        if event.get("kind") != "commit" or event["resource"] not in ("pods", "replicasets"):
            continue
        kind = event["resource"]
        number = names.setdefault((kind, event["name"]), 1 + sum(k == kind for k, _ in names))
        role = event["by"].removeprefix("outside-").split("/")[0]
        changed = [(c["path"], c.get("old"), c.get("new")) for c in event["changed"]
                   if not VARIES.search(c["path"])]
        found.setdefault(f"{kind} {number}", []).append(
            f"{role} {event['op']} {json.dumps(changed, sort_keys=True)}")
    return found


def difference(theirs, ours):
    """The first writes that differ."""
    for number in range(max(len(theirs), len(ours))):
        a, b = ([*found, "nothing"][min(number, len(found))] for found in (theirs, ours))
        if a != b:
            return f"write {number + 1}\ntheirs: {a}\nours:   {b}"
    return ""


def events(trace):
    """The reasons of the Events about each object, by who reported them, sorted."""
    found = []
    for line in open(trace, encoding="utf-8"):
        event = json.loads(line)
        if event.get("kind") == "commit" and event["resource"] == "events":
            by = event["by"].removeprefix("outside-").split("/")[0]
            new = {c["path"]: c.get("new") for c in event["changed"]}
            found.append(f"{by} {event['op']} {new.get('reason')}")
    return sorted(found)


def start(served, folder, controllers):
    """Each component, in the name that a real cluster gives it."""
    started = []
    for program in (MANAGER, SCHEDULER):
        config = served.home / f"kubeconfig-{program}"
        text = (served.home / "kubeconfig").read_text()
        config.write_text(text.replace("user: {}", f"user: {{as: 'system:{program}'}}"))
        log = open(served.home / f"{program}.log", "wb")
        started.append(subprocess.Popen(
            [folder / program, f"--kubeconfig={config}", "--secure-port=0", *FLAGS[program],
             *([f"--controllers={controllers}"] if program == MANAGER else [])],
            stdout=log, stderr=log))
    return started


def await_running(served, count, seconds):
    """Asks as kubectl would."""
    for _ in range(seconds * 5):
        answer = subprocess.run(
            ["curl", "-s", served.environment["SERVER"] + "/api/v1/namespaces/default/pods"],
            capture_output=True, text=True, check=False).stdout
        if len(re.findall(r'"phase": ?"Running"', answer)) == count:
            return True
        time.sleep(0.2)
    return False


def stop(started):
    for process in started:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)


def run_all(options, compat, version):
    """All controllers: a rollout, a namespace, what owners leave behind."""
    folder = programs(version)
    served = Served(options, "components", ["scenario.yaml", "--speed", "real"],
                    [("scenario.yaml", SCENARIO % compat)])
    served.add_to_path(folder)
    started = start(served, folder, "*")
    time.sleep(6)  # until their caches are filled
    for command, wanted in COMMANDS:
        served.shell(command, wanted)
    stop(started)
    return served.end()


def run_walk_through(options, compat, version):
    folder = programs(version)
    served = Served(options, "components", ["scenario.yaml", "--speed", "real"],
                    [("scenario.yaml", SCENARIO % compat), ("rs.yaml", walk_through())])
    started = start(served, folder, "replicaset")
    time.sleep(4)  # until their caches are filled
    served.shell("curl -sf -X POST -A kubectl -H 'Content-Type: application/yaml' --data-binary "
                 "@rs.yaml $SERVER/apis/apps/v1/namespaces/default/replicasets", '"uid"')
    served.judge(f"{version}: two pods run", await_running(served, 2, 60), "")
    time.sleep(1)
    stop(started)
    own = served.home / "own.jsonl"
    subprocess.run([options.ksim, "run", ROOT / "scenarios/replicaset.yaml", "--set",
                    f'compat="{compat}"', "--trace", own, "-q"], check=True,
                   stdout=subprocess.DEVNULL)
    served.stop()
    theirs, ours = writes(served.trace), writes(own)
    for name in sorted(set(theirs) | set(ours)):
        a, b = theirs.get(name, []), ours.get(name, [])
        served.judge(f"{version}: {name}: {len(b)} writes, as ksim's own", a == b,
                     difference(a, b))
    a, b = events(served.trace), events(own)
    served.judge(f"{version}: {len(b)} Events, as ksim's own", a == b, f"theirs {a}\nours {b}")
    return served.end()


def run(options):
    return sum(run_walk_through(options, *pair) + run_all(options, *pair)
               for pair in VERSIONS.items())
