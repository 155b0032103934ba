"""A cluster served to a client."""
import base64
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
WEB = """apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: nginx}]}
"""


def judge(options, client, what, good, output):
    """Says how it went; the number of failures."""
    print(f"{client:11} {'ok    ' if good else 'FAILED'} {what}", flush=True)
    if options.verbose or not good:
        print("".join(f"    {line}\n" for line in output.splitlines()), end="")
    return 0 if good else 1


class Served:
    """A cluster that is served, and what a client's commands gave. Its folder has web.yaml and the
    files of `files`; the clients' HOME is there."""

    def __init__(self, options, name, arguments=("--speed", "10"), files=()):
        self.options, self.name, self.failed = options, name, 0
        self.folder = tempfile.TemporaryDirectory()
        self.home = home = pathlib.Path(self.folder.name)
        for file, text in (("web.yaml", WEB), *files):
            (home / file).write_text(text)
        self.trace = str(home / "served.jsonl")
        tls = ["--tls"] if options.tls else []
        self.process = subprocess.Popen(
            [options.ksim, "serve", *arguments, *tls, "--kubeconfig", str(home / "kubeconfig"),
             "--trace", self.trace], cwd=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)
        said = self.process.stderr.readline()
        while said.startswith(str(ROOT)):  # a warning about the scenario
            said = self.process.stderr.readline()
        server = re.search(r"https?://\S+?:\d+", said)
        if server is None:
            sys.exit(f"tools/clients: {said}{self.process.stderr.read()}")
        self.environment = {**os.environ, "SERVER": server.group(), "HOME": str(home),
                            "KUBECONFIG": str(home / "kubeconfig")}
        if options.tls:
            self.tell_curl()

    def tell_curl(self):
        """The kubeconfig's credentials, for every curl of this HOME."""
        text = (self.home / "kubeconfig").read_text()
        authority = re.search("certificate-authority-data: (.*)", text).group(1)
        (self.home / "ca.crt").write_bytes(base64.b64decode(authority))
        token = re.search('token: "(.*)"', text).group(1)
        (self.home / ".curlrc").write_text(
            f'cacert = "{self.home}/ca.crt"\nheader = "Authorization: Bearer {token}"\n')

    def add_to_path(self, folder):
        self.environment["PATH"] = f"{folder}:{self.environment['PATH']}"

    def shell(self, command, wanted, timeout=120):
        run = subprocess.run(command, shell=True, cwd=self.home, env=self.environment,
                             capture_output=True, text=True, timeout=timeout)
        self.judge(command, run.returncode == 0 and re.search(wanted, run.stdout, re.M),
                   run.stdout + run.stderr)
        return run.stdout

    def judge(self, what, good, output):
        self.failed += judge(self.options, self.name, what, good, output)

    def stop(self):
        """The run must be without a violation; its trace is whole then."""
        if self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        out, err = self.process.communicate(timeout=60)
        self.judge("ksim serve ends without a violation", self.process.returncode == 0, out + err)

    def end(self):
        """The number of failures; the trace must replay and stand up to `ksim check`."""
        self.stop()
        for verb in ("replay", "check"):
            run = subprocess.run([self.options.ksim, verb, self.trace], capture_output=True,
                                 text=True, timeout=600)
            self.judge(f"ksim {verb}", run.returncode == 0, run.stdout + run.stderr)
        self.folder.cleanup()
        return self.failed


def run_commands(options, name, commands, path=None):
    """`commands`: a command line and what its output must hold; `path`: folders before PATH."""
    served = Served(options, name)
    if path:
        served.add_to_path(path)
    for command, wanted in commands:
        served.shell(command, wanted)
    return served.end()
