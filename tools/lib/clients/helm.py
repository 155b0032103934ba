"""Helm: a chart with a ReplicaSet is installed, upgraded, rolled back and uninstalled, each time
until its pods are ready."""
from . import go_programs
from .served import Served

VERSION = "v3.16.4"
CHART = """apiVersion: v2
name: web
version: 0.1.0
"""
TEMPLATE = """apiVersion: v1
kind: ServiceAccount
metadata: {name: "{{ .Release.Name }}"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}"}
data: {replicas: "{{ .Values.replicas }}"}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: "{{ .Release.Name }}"}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      serviceAccountName: "{{ .Release.Name }}"
      containers: [{name: c, image: nginx}]
"""
SERVED_REPLICAS = "curl -s $SERVER/apis/apps/v1/namespaces/default/replicasets/web"
COMMANDS = [
    ("helm install web chart --wait --timeout 60s", r"STATUS: deployed"),
    ("helm list", r"web.*deployed.*web-0.1.0"),
    ("helm status web", r"REVISION: 1"),
    ("helm get manifest web", r"replicas: 2"),
    (SERVED_REPLICAS, r'"readyReplicas": ?2'),
    ("helm upgrade web chart --set replicas=3 --wait --timeout 60s", r"has been upgraded"),
    (SERVED_REPLICAS, r'"readyReplicas": ?3'),
    ("helm upgrade web chart --set replicas=4 --dry-run=server", r"replicas: 4"),
    ("helm history web", r"2 .*deployed.*Upgrade complete"),
    ("helm rollback web 1 --wait --timeout 60s", r"Rollback was a success"),
    (SERVED_REPLICAS, r'"readyReplicas": ?2'),
    ("helm uninstall web --wait --timeout 60s", r'release "web" uninstalled'),
    (SERVED_REPLICAS, r'"reason": ?"NotFound"'),
    ("helm list --all --short", r"^$"),
]


def missing(_):
    return go_programs.missing()


def run(options):
    program = go_programs.install(options, "helm.sh/helm/v3/cmd/helm", VERSION)
    served = Served(options, "helm")
    (served.home / "chart/templates").mkdir(parents=True)
    (served.home / "chart/Chart.yaml").write_text(CHART)
    (served.home / "chart/values.yaml").write_text("replicas: 2\n")
    (served.home / "chart/templates/all.yaml").write_text(TEMPLATE)
    served.add_to_path(program.parent)
    for command, wanted in COMMANDS:
        served.shell(command, wanted)
    return served.end()
