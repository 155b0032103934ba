"""A real cluster on the loopback for tools/upstream-real: etcd, kube-apiserver, and as many
kube-controller-managers and kube-schedulers as a batch of cases names.

Only the standard library. Everything lies in one temporary directory and is stopped by its pid.
The API server stores JSON, so that etcd's own history says what each write made of an object, and
writes an audit log, which says who asked for it.
"""
import http.client
import itertools
import json
import pathlib
import shutil
import ssl
import subprocess
import tempfile
import threading
import time

from api_servers import FLAGS, Client, ServerError
from real_etcd import Etcd, WatchSocket, from_base64, free_port, to_base64

KUBECTL, KUBELET = "kubectl", "kubelet"
# The two sides of a case: who is recorded, and who runs beside.
RECORDED, BESIDE = "recorded", "beside"
USERS = {KUBECTL: "system:admin", KUBELET: "system:kubelet", RECORDED: "system:recorded",
         BESIDE: "system:beside"}
TAINTS = "TaintNodesByCondition,"
AUDIT = """apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
- {level: None, verbs: [get, list, watch]}
- {level: None, resources: [{group: coordination.k8s.io, resources: [leases]}]}
- {level: RequestResponse}
"""
# The client's own limits would tell cases that run side by side apart by their luck.
LIMITS = ["--kube-api-qps=1000", "--kube-api-burst=2000"]


class Api:
    """Requests of one user, with JSON both ways."""

    def __init__(self, port, user):
        tls = ssl._create_unverified_context()  # its own certificate, on the loopback
        self.client = Client(
            lambda: http.client.HTTPSConnection("127.0.0.1", port, context=tls, timeout=90))
        self.token = user

    def ask(self, method, path, body=None, kind="application/json"):
        """(code, object) of the answer."""
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = kind
            body = json.dumps(body).encode()
        answer = self.client.send(method, path, headers, body)
        return answer.code, answer.tree()

    def close(self):
        self.client.close()


class Cluster:
    """etcd and a kube-apiserver for as long as the `with` lasts."""

    def __init__(self, programs, etcd, taints):
        self.programs, self.etcd_program, self.taints = pathlib.Path(programs), etcd, taints
        self.numbers = itertools.count(1)  # each case has one
        self.lock = threading.Lock()  # etcd is asked on one connection

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ksim-real-"))
        self.server, self.log = None, open(self.folder / "log", "w+b")
        self.etcd = Etcd(self.etcd_program)
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.server is not None:
            end(self.server)
        self.etcd.stop()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        key, self.port = self.folder / "sa.key", free_port()
        tokens, policy = self.folder / "tokens", self.folder / "policy"
        subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True,
                       stderr=subprocess.DEVNULL)
        tokens.write_text("".join(f'{token},{name},{token},"system:masters"\n'
                                  for token, name in USERS.items()))
        policy.write_text(AUDIT)
        self.audit = self.folder / "audit"
        flags = [f.replace(TAINTS, "") if self.taints else f for f in FLAGS]
        self.server = self.spawn(
            [self.programs / "kube-apiserver", *flags, f"--cert-dir={self.folder / 'certs'}",
             f"--etcd-servers=http://127.0.0.1:{self.etcd.port}", f"--secure-port={self.port}",
             "--bind-address=127.0.0.1", f"--service-account-key-file={key}",
             f"--service-account-signing-key-file={key}", f"--token-auth-file={tokens}",
             "--storage-media-type=application/json", "--etcd-compaction-interval=0",
             f"--audit-policy-file={policy}", f"--audit-log-path={self.audit}",
             "--audit-log-maxsize=4000"], self.log)
        self.api = Api(self.port, KUBECTL)
        for _ in range(480):
            if self.api.ask("GET", "/readyz")[0] == 200:
                return
            if self.server.poll() is not None:
                break
            time.sleep(0.25)
        self.log.seek(0)
        raise ServerError("no kube-apiserver:\n" + self.log.read().decode(errors="replace")[-2000:])

    def spawn(self, command, log):
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def write_config(self, folder, user):
        """The kubeconfig of a program that runs as that user."""
        config = {"apiVersion": "v1", "kind": "Config", "current-context": "c",
                  "clusters": [{"name": "c", "cluster": {
                      "server": f"https://127.0.0.1:{self.port}",
                      "insecure-skip-tls-verify": True}}],
                  "users": [{"name": "u", "user": {"token": user}}],
                  "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}
        file = folder / "kubeconfig"
        file.write_text(json.dumps(config))
        return file

    def history(self, first):
        """etcd's events from a revision on: (revision, object, what it was), either None."""
        socket = WatchSocket(self.etcd.port)
        socket.send({"create_request": {
            "key": to_base64("/registry/"), "range_end": to_base64("/registry0"),
            "start_revision": str(first), "prev_kv": True}})
        # The last event is that of a key made for this.
        last, out = self.ask_etcd("kv/put", {
            "key": to_base64("/registry/~end"), "value": to_base64("{}")}), []
        while True:
            for message in socket.messages(30):
                for event in message.get("result", {}).get("events", []):
                    revision = int(event["kv"]["mod_revision"])
                    if revision >= last:
                        socket.close()
                        return out
                    out.append((revision, read(event["kv"]), read(event.get("prev_kv", {}))))

    def revision(self):
        return self.ask_etcd("kv/range", {"key": to_base64("/registry/none")})

    def ask_etcd(self, path, message):
        """The revision of the answer."""
        with self.lock:
            answer, error = self.etcd.call(path, message)
        if error:
            raise ServerError(f"etcd: {error}")
        return int(answer["header"]["revision"])

    def audited(self, offset):
        """The audit log's entries from an offset in bytes on, and the next offset."""
        with self.audit.open("rb") as file:
            file.seek(offset)
            data = file.read()
        whole = data[:data.rfind(b"\n") + 1]
        return [json.loads(line) for line in whole.splitlines()], offset + len(whole)


class Programs:
    """kube-controller-managers and kube-schedulers of a cluster, until the `with` ends."""

    def __init__(self, cluster):
        self.cluster, self.running = cluster, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def run(self, program, user, flags):
        cluster = self.cluster
        folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{program}-{user}-", dir=cluster.folder))
        log = open(folder / "log", "w+b")
        process = cluster.spawn(
            [cluster.programs / program, f"--kubeconfig={cluster.write_config(folder, user)}",
             "--leader-elect=false", "--secure-port=0", *LIMITS, *flags], log)
        self.running.append((program, process, log))

    def check(self):
        for program, process, log in self.running:
            if process.poll() is not None:
                log.seek(0)
                raise ServerError(f"{program} ended:\n" +
                                  log.read().decode(errors="replace")[-3000:])

    def stop(self):
        for _, process, log in self.running:
            end(process)
            log.close()
        self.running = []


def read(key_value):
    """The JSON of a key, None where it has none (a lease of the API server, a range of ports)."""
    text = key_value.get("value")
    if not text:
        return None
    try:
        value = json.loads(from_base64(text))
    except ValueError:
        return None
    return value if isinstance(value, dict) and "kind" in value else None


def end(process):
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
