#!/usr/bin/env python3
"""Records what a real kubectl logs with `-v 10` of `create -f`, its first command on a machine.

usage: record.py KUBECTL KUBE-APISERVER ETCD >kubectl-create-1.30.log

The kubeconfig has a client certificate, as kubeadm's and kind's have, and names the server. Bodies
and what each run has of its own (times, process, port, ids) are in the record as they were; the
test compares lines by their place, their fields and the names of headers. The bodies of documents
and discovery are cut to 100 characters.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "tools/lib"))
sys.dont_write_bytecode = True
import api_servers  # noqa: E402

MANIFEST = """apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: my-replicaset
spec:
  replicas: 2
  selector:
    matchLabels: {app: my-app}
  template:
    metadata: {labels: {app: my-app}}
    spec:
      containers:
      - name: my-container
        image: nginx
"""
CONFIG = """apiVersion: v1
kind: Config
clusters: [{{name: k, cluster: {{server: "https://localhost:{port}", \
insecure-skip-tls-verify: true}}}}]
users: [{{name: u, user: {{client-certificate: {home}/u.crt, client-key: {home}/u.key}}}}]
contexts: [{{name: c, context: {{cluster: k, user: u}}}}]
current-context: c
"""


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, stderr=subprocess.DEVNULL)


def make_certificates(home):
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=ca", "-days", "2",
            "-keyout", f"{home}/ca.key", "-out", f"{home}/ca.crt")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/O=system:masters/CN=admin",
            "-keyout", f"{home}/u.key", "-out", f"{home}/u.csr")
    openssl("x509", "-req", "-in", f"{home}/u.csr", "-CA", f"{home}/ca.crt", "-CAkey",
            f"{home}/ca.key", "-CAcreateserial", "-days", "2", "-out", f"{home}/u.crt")


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    kubectl, program, etcd = sys.argv[1:]
    with tempfile.TemporaryDirectory() as home:
        make_certificates(home)
        # With priority and fairness, as clusters have it.
        api_servers.FLAGS = [f for f in api_servers.FLAGS if "inflight" not in f
                             and "priority-and-fairness" not in f]
        api_servers.FLAGS.append(f"--client-ca-file={home}/ca.crt")
        with api_servers.RealApiServer(program, etcd) as server:
            flag = next(str(a) for a in server.process.args if str(a).startswith("--secure-port="))
            config = pathlib.Path(home, ".kube/config")
            config.parent.mkdir()
            config.write_text(CONFIG.format(port=flag.partition("=")[2], home=home))
            pathlib.Path(home, "rs.yaml").write_text(MANIFEST)
            environment = dict(os.environ, HOME=home)
            environment.pop("KUBECONFIG", None)
            done = subprocess.run([kubectl, "-v", "10", "create", "-f", f"{home}/rs.yaml"],
                                  env=environment, capture_output=True, text=True)
    for line in done.stderr.splitlines():
        document = "openapi" in line or "APIGroupDiscoveryList" in line
        if document and ("Response Body" in line or line.startswith("\t{")):
            line = re.sub(r"(: .{100}|\t.{100}).*", r"\1...", line, count=1)
        print(line)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
