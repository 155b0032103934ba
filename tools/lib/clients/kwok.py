"""kwok in the place of the kubelets: a node of its own, whose pods it lets run and go."""
import subprocess
import time

from . import go_programs
from .served import Served

VERSION = "v0.8.0"
STAGES = ("node/fast/node-initialize.yaml", "pod/fast/pod-ready.yaml",
          "pod/fast/pod-complete.yaml", "pod/fast/pod-delete.yaml")
NODE = """apiVersion: v1
kind: Node
metadata: {name: kwok-node-0, annotations: {kwok.x-k8s.io/node: fake}}
status:
  allocatable: {cpu: "32", memory: 256Gi, pods: "110"}
  capacity: {cpu: "32", memory: 256Gi, pods: "110"}
"""
API = "$SERVER/api/v1"
YAML = "curl -sf -X POST -H 'Content-Type: application/yaml'"


def missing(_):
    return go_programs.missing()


def run(options):
    program = go_programs.install(options, "sigs.k8s.io/kwok/cmd/kwok", VERSION)
    stages = go_programs.source("sigs.k8s.io/kwok", VERSION) / "kustomize/stage"
    served = Served(options, "kwok", ["--set", "cluster.nodes=0", "--speed", "real"],
                    [("node.yaml", NODE)])
    kwok = subprocess.Popen(
        [program, "--kubeconfig", served.environment["KUBECONFIG"], "--manage-all-nodes",
         "--node-lease-duration-seconds=40", *(f"--config={stages / stage}" for stage in STAGES)],
        cwd=served.home, env=served.environment, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    time.sleep(1)
    served.shell(f"{YAML} --data-binary @node.yaml {API}/nodes", r'"uid"')
    served.shell(f"{YAML} --data-binary @web.yaml "
                 "$SERVER/apis/apps/v1/namespaces/default/replicasets", r'"uid"')
    time.sleep(5)
    served.shell(f"curl -s {API}/nodes/kwok-node-0", r'"kubeletVersion": ?"kwok-')
    served.shell("curl -s $SERVER/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/"
                 "kwok-node-0", r'"renewTime"')
    pods = f"{API}/namespaces/default/pods"
    running = served.shell(f'curl -s "{pods}?fieldSelector=status.phase=Running"',
                           r'"podIP": ?"10\.0\.0\.')
    served.judge("two pods run", running.count('"podIP"') == 2, running)
    served.shell(f"curl -s -X DELETE {pods}", r'"kind": ?"PodList"')
    time.sleep(4)
    again = served.shell(f'curl -s "{pods}?fieldSelector=status.phase=Running"', r'"podIP"')
    served.judge("two others run in their place", again.count('"podIP"') == 2, again)
    kwok.terminate()
    kwok.wait(timeout=30)
    return served.end()
