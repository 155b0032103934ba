"""The servers that tools/apiserver-diff asks: a kube-apiserver beside an etcd, and `ksim serve`.

Only the standard library, and openssl for the key of service accounts. Each server has a temporary
directory of its own and is stopped by its pid; nothing of it stays behind.
"""
import http.client
import json
import pathlib
import re
import shutil
import ssl
import subprocess
import tempfile
import time

from real_etcd import Etcd, free_port

# These make a kube-apiserver the one that ksim simulates. TaintNodesByCondition is off in ksim; the
# others are of what ksim does not have (docs/fidelity.md), and would answer before anything else.
FLAGS = ["--authorization-mode=AlwaysAllow", "--allow-privileged=true",
         "--disable-admission-plugins=TaintNodesByCondition,RuntimeClass,"
         "StorageObjectInUseProtection",
         "--enable-priority-and-fairness=false", "--max-requests-inflight=0",
         "--max-mutating-requests-inflight=0", "--service-cluster-ip-range=10.0.0.0/24",
         "--service-account-issuer=https://kubernetes.default.svc.cluster.local"]
# A cluster with nobody in it but an API server.
SCENARIO = """apiVersion: ksim.dev/v1
kind: Scenario
metadata: {{name: apiserver-diff}}
spec:
  compat: "{version}"
  cluster: {{nodes: 0, controllers: []}}
  faults: [{{at: 0s, crash: {{process: kube-scheduler}}}}]
"""


class ServerError(Exception):
    """A server itself, or the way to it, does not work."""


class Answer:
    """An answer: its code, headers by small name (lists of values), and body. Code 0: none came."""

    def __init__(self, code, headers=(), body=b""):
        self.code, self.body, self.headers = code, body, {}
        for name, value in headers:
            self.headers.setdefault(name.lower(), []).append(value)

    def header(self, name):
        return ", ".join(self.headers.get(name, []))

    def tree(self):
        try:
            return json.loads(self.body)
        except ValueError:
            return None


class Client:
    """A connection that is kept, and made anew when the server has closed it."""

    def __init__(self, connect):
        self.connect, self.connection = connect, None

    def send(self, method, path, headers, body):
        for fresh in (False, True):
            try:
                if self.connection is None:
                    self.connection = self.connect()
                return self.exchange(method, path, headers, body)
            except (OSError, http.client.HTTPException):
                self.close()
                if fresh:
                    return Answer(0)
        return Answer(0)

    def exchange(self, method, path, headers, body):
        self.connection.putrequest(method, path, skip_accept_encoding=True)
        for name, value in headers.items():
            self.connection.putheader(name, value)
        if body is not None:
            self.connection.putheader("Content-Length", str(len(body)))
        self.connection.endheaders()
        try:
            if body:
                self.connection.send(body)
        except OSError:
            pass  # a body that is too large is answered before it is read
        answer = self.connection.getresponse()
        got = Answer(answer.status, answer.getheaders(), answer.read())
        if answer.will_close:
            self.close()
        return got

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None


class RealApiServer:
    """kube-apiserver and its etcd, for as long as the `with` lasts."""

    name = "kube-apiserver"

    def __init__(self, program, etcd):
        self.program, self.etcd_program = program, etcd
        self.client = Client(None)

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ksim-apiserver-"))
        self.log = open(self.folder / "log", "w+b")
        self.process = None
        self.etcd = Etcd(self.etcd_program)
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.client.close()
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.etcd.stop()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        key, tokens, port = self.folder / "sa.key", self.folder / "tokens", free_port()
        subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True,
                       stderr=subprocess.DEVNULL)
        tokens.write_text('admin,system:admin,1,"system:masters"\n')
        self.process = subprocess.Popen(
            [self.program, *FLAGS, f"--etcd-servers=http://127.0.0.1:{self.etcd.port}",
             f"--secure-port={port}", "--bind-address=127.0.0.1",
             f"--cert-dir={self.folder / 'certs'}", f"--service-account-key-file={key}",
             f"--service-account-signing-key-file={key}", f"--token-auth-file={tokens}"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        tls = ssl._create_unverified_context()  # its own certificate, on the loopback
        self.client = Client(
            lambda: http.client.HTTPSConnection("127.0.0.1", port, context=tls, timeout=90))
        for _ in range(240):
            if self.send("GET", "/readyz", {}, None).code == 200:
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.5)
        self.log.seek(0)
        raise ServerError("no kube-apiserver:\n" + self.log.read().decode(errors="replace")[-2000:])

    def send(self, method, path, headers, body):
        return self.client.send(method, path, {**headers, "Authorization": "Bearer admin"}, body)

    def version(self):
        return self.send("GET", "/version", {}, None).tree()["gitVersion"].removeprefix("v")


class Ksim:
    """`ksim serve`, for as long as the `with` lasts."""

    name = "ksim"

    def __init__(self, program, compat):
        self.program, self.compat = pathlib.Path(program).resolve(), compat

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ksim-diff-"))
        (self.folder / "scenario.yaml").write_text(SCENARIO.format(version=self.compat))
        self.process = subprocess.Popen(
            [self.program, "serve", "scenario.yaml", "--color", "never"], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=self.folder)
        lines = []
        for line in self.process.stderr:
            lines.append(line)
            if found := re.match(r"serving .* at http://([^ ]+):(\d+) ", line):
                host, port = found.groups()
                self.client = Client(
                    lambda: http.client.HTTPConnection(host, int(port), timeout=90))
                self.send = self.client.send
                return self
        self.process.wait()
        raise ServerError("no ksim serve:\n" + "".join(lines))

    def __exit__(self, *_):
        self.client.close()
        self.process.stderr.close()
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


