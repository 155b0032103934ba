"""kubectl, that of the PATH or of --kubectl."""
import pathlib
import shutil

from .served import run_commands

COMMANDS = [
    ("kubectl version", r"Server Version: v1\."),
    ("kubectl cluster-info", r"is running at"),
    ("kubectl get nodes -o wide", r"node-3"),
    ("kubectl api-resources", r"replicasets +rs"),
    ("kubectl api-versions", r"authorization.k8s.io/v1"),
    ("kubectl explain pod.spec.nodeName", r"FIELD: nodeName"),
    ("kubectl auth can-i create pods", r"yes"),
    ("kubectl auth whoami", r"system:admin|kubernetes-admin"),
    ("kubectl create -f web.yaml --dry-run=server", r"created \(server dry run\)"),
    ("kubectl apply -f web.yaml", r"replicaset.apps/web created"),
    ("kubectl wait pod -l app=web --for=condition=Ready --timeout=60s", r"condition met"),
    ("kubectl get pods -o wide", r"web-\w+ +1/1 +Running"),
    ("kubectl get pods -o jsonpath={.items[*].status.phase}", r"Running Running"),
    ("timeout 3 kubectl get pods -w || true", r"web-\w+"),
    ("kubectl describe rs web", r"SuccessfulCreate"),
    ("kubectl diff -f web.yaml", r"^$"),
    ("kubectl apply --server-side --force-conflicts -f web.yaml", r"serverside-applied"),
    ("kubectl scale rs web --replicas=3", r"scaled"),
    ("kubectl autoscale rs web --max=5", r"autoscaled"),
    ("kubectl delete hpa web", r"deleted"),
    ("kubectl label rs web a=b", r"labeled"),
    ("kubectl annotate rs web a=b", r"annotated"),
    ("kubectl patch rs web -p '{\"spec\":{\"replicas\":2}}'", r"patched"),
    ("kubectl patch rs web --type=json -p "
     "'[{\"op\":\"replace\",\"path\":\"/spec/replicas\",\"value\":1}]'", r"patched"),
    ("kubectl get rs web -o yaml --show-managed-fields", r"manager: kubectl"),
    ("kubectl get events", r"Scheduled"),
    ("kubectl create configmap m --from-literal=a=b", r"created"),
    ("kubectl get configmap m -o json", r'"a": "b"'),
    ("kubectl create token default 2>&1 || true", r"ksim\.|not found"),
    ("kubectl run p --image=busybox --restart=Never", r"pod/p created"),
    ("kubectl wait pod/p --for=jsonpath={.status.phase}=Running --timeout=60s", r"condition met"),
    ("kubectl logs p", r"^$"),
    ("kubectl exec p -- ls 2>&1 || true", r"nothing to connect to"),
    ("kubectl delete pod p --wait", r'pod "p"'),
    ("kubectl cordon node-1", r"cordoned"),
    ("kubectl drain node-1 --ignore-daemonsets --force", r"drained"),
    ("kubectl uncordon node-1", r"uncordoned"),
    ("kubectl taint node node-2 a=b:NoSchedule", r"tainted"),
    ("kubectl create namespace n", r"created"),
    ("kubectl get all -A", r"replicaset.apps/web"),
    ("kubectl get pods nope 2>&1 || true", r"NotFound"),
    ("kubectl get --raw /readyz?verbose", r"readyz check passed"),
    ("kubectl delete rs web", r"deleted"),
]


def missing(options):
    return "" if options.kubectl or shutil.which("kubectl") else "there is no kubectl"


def run(options):
    path = options.kubectl and pathlib.Path(options.kubectl).resolve().parent
    return run_commands(options, "kubectl", COMMANDS, path)
