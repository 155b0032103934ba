"""The Kubernetes client of PyPI: typed, dynamic, watching, applying."""
import re
import subprocess
import sys

from .served import Served

SCRIPT = '''
from kubernetes import client, config, dynamic, watch
config.load_kube_config()
core, apps = client.CoreV1Api(), client.AppsV1Api()
print("version", client.VersionApi().get_code().git_version)
print("nodes", [n.metadata.name for n in core.list_node().items])
core.create_namespaced_config_map("default", {"metadata": {"name": "a"}, "data": {"x": "1"}})
print("patched", core.patch_namespaced_config_map("a", "default", {"data": {"y": "2"}}).data)
pod = {"containers": [{"name": "c", "image": "i"}]}
template = {"metadata": {"labels": {"a": "b"}}, "spec": pod}
apps.create_namespaced_replica_set("default", {
    "metadata": {"name": "web"},
    "spec": {"replicas": 2, "selector": {"matchLabels": {"a": "b"}}, "template": template}})
ready, watcher = set(), watch.Watch()
for event in watcher.stream(core.list_namespaced_pod, "default", timeout_seconds=60):
    if event["object"].status.phase == "Running":
        ready.add(event["object"].metadata.name)
    if len(ready) == 2:
        watcher.stop()
print("running", len(ready))
print("log", repr(core.read_namespaced_pod_log(min(ready), "default")))
try:
    core.read_namespaced_pod("nope", "default")
except client.ApiException as e:
    print("missing", e.status, e.reason)
dynamic_client = dynamic.DynamicClient(client.ApiClient())
maps = dynamic_client.resources.get(api_version="v1", kind="ConfigMap")
body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"z": "3"}}
print("applied", dynamic_client.server_side_apply(
    maps, body=body, name="a", namespace="default", field_manager="me",
    force_conflicts=True).data.to_dict())
page = core.list_node(limit=2)
print("pages", len(page.items), len(core.list_node(_continue=page.metadata._continue).items))
core.delete_namespaced_config_map("a", "default")
print("left", [m.metadata.name for m in core.list_namespaced_config_map("default").items
               if m.metadata.name == "a"])
'''
SAYS = [r"version v1\.", r"nodes \['node-1', 'node-2', 'node-3'\]",
        r"patched \{'x': '1', 'y': '2'\}", r"running 2", r"log ''|log None",
        r"missing 404 Not Found", r"applied \{'x': '1', 'y': '2', 'z': '3'\}", r"pages 2 1",
        r"left \[\]"]


def missing(_):
    return ""


def run(options):
    home = options.build / "python"
    if not (home / "bin/python").exists():
        subprocess.run([sys.executable, "-m", "venv", home], check=True)
    subprocess.run([home / "bin/pip", "install", "-q", "kubernetes"], check=True)
    served = Served(options, "python")
    script = served.home / "client.py"
    script.write_text(SCRIPT)
    done = subprocess.run([home / "bin/python", script], env=served.environment,
                          capture_output=True, text=True, timeout=300)
    for wanted in SAYS:
        served.judge(wanted, re.search(wanted, done.stdout), done.stdout + done.stderr)
    return served.end()
