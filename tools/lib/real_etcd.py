"""A real etcd on loopback: its process, its JSON gateway, and watch streams by WebSocket.

Only the standard library. The process has a temporary directory of its own and is stopped by its
pid; nothing of it stays behind.
"""
import base64
import http.client
import json
import os
import select
import shutil
import socket
import struct
import subprocess
import tempfile
import time


class EtcdError(Exception):
    """etcd itself, or the way to it, does not work."""


def to_base64(text):
    return base64.b64encode(text.encode()).decode()


def from_base64(text):
    return base64.b64decode(text or "").decode()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Etcd:
    """One member with an empty store. Use it with `with`."""

    def __init__(self, program):
        memory = "/dev/shm"
        self.folder = tempfile.mkdtemp(
            prefix="ksim-etcd-", dir=memory if os.access(memory, os.W_OK) else None)
        self.connection = None
        self.port, peer_port = free_port(), free_port()
        client, peer = (f"http://127.0.0.1:{p}" for p in (self.port, peer_port))
        environment = {k: v for k, v in os.environ.items() if not k.startswith("ETCD_")}
        self.log = open(os.path.join(self.folder, "log"), "w+b")
        self.process = subprocess.Popen(
            [program, "--name", "ksim", "--data-dir", os.path.join(self.folder, "data"),
             "--listen-client-urls", client, "--advertise-client-urls", client,
             "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
             "--initial-cluster", f"ksim={peer}", "--logger", "zap", "--log-level", "error"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env=environment)
        try:
            self.await_health()
        except BaseException:
            self.stop()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def await_health(self):
        for _ in range(600):
            try:
                status, body = self.request("GET", "/health")
                if status == 200 and b'"true"' in body:
                    return
            except OSError:
                self.disconnect()
            if self.process.poll() is not None:
                self.log.seek(0)
                raise EtcdError("etcd ended:\n" + self.log.read().decode(errors="replace")[-2000:])
            time.sleep(0.05)
        raise EtcdError("etcd did not come up within 30 s")

    def disconnect(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None

    def stop(self):
        self.disconnect()
        if self.process.poll() is None:
            self.process.kill()  # nothing of it is kept
            self.process.wait()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def request(self, method, path, body=None):
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
            self.connection.connect()
            self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connection.request(method, path, body=body)
        answer = self.connection.getresponse()
        return answer.status, answer.read()

    def call(self, path, message):
        """(response, None) or (None, {"code", "message"})."""
        status, body = self.request("POST", "/v3/" + path, json.dumps(message).encode())
        answer = json.loads(body.split(b"\n")[0])
        answer = answer.get("result", answer)
        if status == 200 and "code" not in answer:
            return answer, None
        return None, {"code": int(answer.get("code", 2)),
                      "message": answer.get("message") or answer.get("error", "")}

    def version(self):
        return json.loads(self.request("GET", "/version")[1])["etcdserver"]

    def slow_watchers(self):
        """How many watchers have not caught up."""
        name = b"etcd_debugging_mvcc_slow_watcher_total "
        for line in self.request("GET", "/metrics")[1].splitlines():
            if line.startswith(name):
                return float(line[len(name):])
        raise EtcdError("this etcd does not tell of slow watchers")


class WatchSocket:
    """A watch stream: JSON messages both ways over a WebSocket (RFC 6455, the client's side)."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        nonce = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((
            f"GET /v3/watch?method=POST HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: {nonce}\r\n\r\n").encode())
        self.received = bytearray()
        self.message = bytearray()
        while b"\r\n\r\n" not in self.received:
            self.fill()
        head, _, rest = bytes(self.received).partition(b"\r\n\r\n")
        self.received = bytearray(rest)
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise EtcdError(f"etcd refused the watch stream: {head!r}")

    def fill(self):
        data = self.socket.recv(1 << 16)
        if not data:
            raise EtcdError("etcd closed a watch stream")
        self.received += data

    def send(self, message):
        data = json.dumps(message).encode()
        size = len(data)
        head = bytes([0x81, 0x80 | size]) if size < 126 else struct.pack(">BBH", 0x81, 0xfe, size)
        mask = os.urandom(4)
        self.socket.sendall(head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def frame(self):
        """The next whole frame that was received, as (first byte, payload), or None."""
        got = self.received
        if len(got) < 2:
            return None
        size, at = got[1] & 127, 2
        if size > 125:
            width = 2 if size == 126 else 8
            if len(got) < 2 + width:
                return None
            size, at = int.from_bytes(got[2:2 + width], "big"), 2 + width
        if len(got) < at + size:
            return None
        first, payload = got[0], bytes(got[at:at + size])
        del got[:at + size]
        return first, payload

    def messages(self, timeout):
        """The messages that are there; waits for bytes at most `timeout` seconds."""
        if select.select([self.socket], [], [], timeout)[0]:
            self.fill()
        while (frame := self.frame()) is not None:
            first, payload = frame
            if first & 15 > 7:  # ping, pong, close
                continue
            self.message += payload
            if first & 0x80:
                yield json.loads(self.message)
                self.message.clear()

    def close(self):
        self.socket.close()
