"""curl: both versions of HTTP, bodies in YAML, a watch, a method that there is not."""
import shutil

from .served import run_commands

COMMANDS = [
    ("curl -s $SERVER/version", r'"gitVersion": ?"v1\.'),
    ("curl -s $SERVER/api/v1/nodes?limit=1", r'"remainingItemCount": ?2'),
    ("curl -s --http2-prior-knowledge -o /dev/null -w %{http_version} $SERVER/api/v1/nodes",
     r"^2$"),
    ("curl -s -X POST -H 'Content-Type: application/yaml' --data-binary @web.yaml "
     "$SERVER/apis/apps/v1/namespaces/default/replicasets", r'"uid"'),
    ("curl -s -N -m 2 $SERVER/apis/apps/v1/replicasets?watch=1 || true", r'"type": ?"ADDED"'),
    ("curl -s -H 'Accept: application/yaml' $SERVER/apis/apps/v1/replicasets",
     r"kind: ReplicaSetList"),
    ("curl -s -X DELETE $SERVER/apis/apps/v1/namespaces/default/replicasets/web",
     r'"status": ?"Success"'),
    ("curl -s -X BREW $SERVER/api/v1/nodes", r"405|does not allow this method"),
]


def missing(_):
    return "" if shutil.which("curl") else "there is no curl"


def run(options):
    return run_commands(options, "curl", COMMANDS)
