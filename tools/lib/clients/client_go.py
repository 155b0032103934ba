"""The examples of client-go: typed and dynamic clients, an election, an informer with its queue."""
from . import go_programs
from .served import Served

VERSIONS = ("v0.30.14", "v0.36.0")
COMMANDS = [
    ("yes '' | timeout 30 create-update-delete-deployment -kubeconfig $KUBECONFIG",
     r"Created deployment[^$]*Updated deployment[^$]*demo-deployment \(1 replicas\)[^$]*Deleted"),
    # A foreground deletion waits for the garbage collector, which ksim does not have yet.
    ("yes '' | timeout 30 dynamic-create-update-delete-deployment -kubeconfig $KUBECONFIG 2>&1 "
     "|| true", r"object is being deleted: deployments.apps \"demo-deployment\" already exists"),
    ("timeout 3 out-of-cluster-client-configuration -kubeconfig $KUBECONFIG 2>&1 || true",
     r"There are 0 pods in the cluster[^$]*Pod example-xxxxx in namespace default not found"),
    ("timeout 4 leader-election -kubeconfig $KUBECONFIG -lease-lock-name=example "
     "-lease-lock-namespace=default -id=1 2>&1 || true",
     r"uccessfully acquired lease[^$]*leader lost: 1"),
    ("timeout 4 leader-election -kubeconfig $KUBECONFIG -lease-lock-name=example "
     "-lease-lock-namespace=default -id=2 2>&1 || true",
     r"uccessfully acquired lease[^$]*leader lost: 2"),
    ("curl -sf -X POST -H 'Content-Type: application/yaml' --data-binary @web.yaml "
     "$SERVER/apis/apps/v1/namespaces/default/replicasets", r'"uid"'),
    ("timeout 4 workqueue -kubeconfig $KUBECONFIG 2>&1 || true", r"Sync/Add/Update for Pod web-"),
]


def missing(_):
    return go_programs.missing()


def run(options):
    failed = 0
    for version in VERSIONS:
        served = Served(options, "client-go")
        for command, _ in COMMANDS:
            for word in command.split():
                if word.endswith(("-deployment", "-configuration", "-election", "workqueue")):
                    program = go_programs.install(options, f"k8s.io/client-go/examples/{word}",
                                                  version)
                    served.add_to_path(program.parent)
        for command, wanted in COMMANDS:
            served.shell(command, wanted)
        failed += served.end()
    return failed
