#!/usr/bin/env python3
"""Records what upstream's evaluator of the Pod Security Standards says of pods that try each check.

usage: record_podsecurity.py VERSION    VERSION of k8s.io/pod-security-admission: 0.30.14, 0.36.3

Prints one pod a line: {"pod": {...}, "verdicts": {TEXT: [LEVEL:VERSION, ...]}}. Needs Go and its
module proxy.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

MAIN = r'''
// Prints what upstream's evaluator of the Pod Security Standards says of pods on standard input,
// one JSON object a line: {"pod":{...}} -> {"pod":{...},"verdicts":{"restricted:v1.25":"..."}}.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

func main() {
	evaluator, err := newEvaluator()
	if err != nil {
		panic(err)
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<20)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for in.Scan() {
		var raw json.RawMessage = append([]byte{}, in.Bytes()...)
		var pod corev1.Pod
		if err := json.Unmarshal(raw, &pod); err != nil {
			panic(err)
		}
		verdicts := map[string]string{}
		for _, level := range []api.Level{api.LevelBaseline, api.LevelRestricted} {
			for _, text := range []string{"latest", "v1.0", "v1.7", "v1.18", "v1.19", "v1.22",
				"v1.24", "v1.25", "v1.27", "v1.29", "v1.31", "v1.32", "v1.34", "v1.35", "v1.99"} {
				version, err := api.ParseVersion(text)
				if err != nil {
					panic(err)
				}
				lv := api.LevelVersion{Level: level, Version: version}
				result := policy.AggregateCheckResults(evaluator.EvaluatePod(lv, &pod.ObjectMeta, &pod.Spec))
				verdicts[lv.String()] = result.ForbiddenDetail()
			}
		}
		if err := out.Encode(map[string]any{"pod": raw, "verdicts": verdicts}); err != nil {
			panic(err)
		}
	}
}
'''
EVALUATOR = '''package main

import "k8s.io/pod-security-admission/policy"

func newEvaluator() (policy.Evaluator, error) {
	return policy.NewEvaluator(policy.DefaultChecks()%s)
}
'''
C = {"name": "c"}
PODS = []


def pod(spec=None, containers=None, annotations=None, **more):
    spec = dict(spec or {})
    spec["containers"] = containers or [dict(C)]
    meta = {"name": "p"}
    if annotations:
        meta["annotations"] = annotations
    PODS.append({"metadata": meta, "spec": {**spec, **more}})


def context(**fields):
    return [{"name": "c", "securityContext": fields}]


def make_pods():
    good = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]},
            "runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
    pod()
    pod(containers=context(**good))
    pod({"securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "Localhost"}}},
        context(allowPrivilegeEscalation=False, capabilities={"drop": ["ALL"]}))
    for field in good:
        pod(containers=context(**{k: v for k, v in good.items() if k != field}))
    pod(containers=context(**{**good, "allowPrivilegeEscalation": True}))
    pod(os={"name": "windows"})
    pod(os={"name": "linux"})
    for caps in ({"add": ["NET_ADMIN"]}, {"add": ["CHOWN", "SYS_TIME", "NET_RAW"]},
                 {"add": ["NET_BIND_SERVICE"], "drop": ["ALL"]}, {"add": ["KILL"],
                 "drop": ["KILL", "ALL"]},
                 {"drop": ["all"]}):
        pod(containers=context(**{**good, "capabilities": caps}))
    for field in ("hostNetwork", "hostPID", "hostIPC"):
        pod({field: True})
    pod({"hostNetwork": True, "hostPID": True, "hostIPC": True})
    pod({"hostUsers": False})
    pod({"hostUsers": False, "securityContext": {"runAsUser": 0, "runAsNonRoot": False}},
        context(procMount="Unmasked", **{k: v for k, v in good.items() if k != "runAsNonRoot"}))
    pod({"hostUsers": True, "securityContext": {"runAsUser": 0}}, context(procMount="Unmasked"))
    for kind in ("hostPath", "nfs", "gitRepo", "flexVolume", "storageos", "image", "emptyDir",
            "configMap",
                 "csi", "persistentVolumeClaim", "azureDisk"):
        pod({"volumes": [{"name": "v", kind: {}}]})
    pod({"volumes": [{"name": "v", "hostPath": {"path": "/"}}, {"name": "w",
        "hostPath": {"path": "/w"}},
                     {"name": "x", "nfs": {"server": "s", "path": "/"}}, {"name": "y"}]})
    pod(containers=[{"name": "c", "ports": [{"containerPort": 80, "hostPort": 80}]}])
    pod(containers=[{"name": "c", "ports": [{"containerPort": 80, "hostPort": 80},
                                            {"containerPort": 9, "hostPort": 9000}]},
                    {"name": "d", "ports": [{"containerPort": 1, "hostPort": 100}]},
                    {"name": "e", "ports": [{"containerPort": 1}]}])
    for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
        pod(containers=[{"name": "c", probe: {"httpGet": {"port": 80, "host": "10.0.0.1"}}}])
    pod(containers=[{"name": "c", "lifecycle": {"preStop": {"tcpSocket": {"port": 80, "host": "h"}},
                                                "postStart": {"httpGet": {"port": 80,
                                                "host": "g"}}}},
                    {"name": "b", "livenessProbe": {"tcpSocket": {"port": 1, "host": "h"}}}])
    pod(containers=context(privileged=True))
    pod(containers=context(privileged=False))
    pod(containers=[{"name": "c", "securityContext": {"privileged": True}},
                    {"name": "d", "securityContext": {"privileged": True}}],
        initContainers=[{"name": "i", "securityContext": {"privileged": True}}],
        ephemeralContainers=[{"name": "e", "securityContext": {"privileged": True}}])
    for mount in ("Default", "Unmasked"):
        pod(containers=context(procMount=mount))
    for options in ({"type": "container_t"}, {"type": "container_engine_t"}, {"type": "spc_t"},
            {"user": "u"},
                    {"role": "r"}, {"type": "spc_t", "user": "u", "role": "r"}, {"level": "s0"}):
        pod({"securityContext": {"seLinuxOptions": options}})
        pod(containers=context(seLinuxOptions=options))
    pod({"securityContext": {"seLinuxOptions": {"type": "a"}}},
        context(seLinuxOptions={"type": "b"}))
    for profile in ("Unconfined", "RuntimeDefault", "Localhost"):
        pod({"securityContext": {"seccompProfile": {"type": profile}}})
        pod(containers=context(seccompProfile={"type": profile}))
    pod({"securityContext": {"seccompProfile": {"type": "Unconfined"}}},
        context(seccompProfile={"type": "Unconfined"}))
    pod(annotations={"seccomp.security.alpha.kubernetes.io/pod": "unconfined"})
    pod(annotations={"seccomp.security.alpha.kubernetes.io/pod": "docker/default",
                     "container.seccomp.security.alpha.kubernetes.io/c": "unconfined",
                     "container.seccomp.security.alpha.kubernetes.io/x": "unconfined"})
    for sysctl in ("kernel.shm_rmid_forced", "net.ipv4.ip_local_reserved_ports",
                   "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_rmem", "kernel.msgmax"):
        pod({"securityContext": {"sysctls": [{"name": sysctl, "value": "1"},
                                             {"name": "net.ipv4.tcp_syncookies", "value": "1"}]}})
    pod({"securityContext": {"sysctls": [{"name": "b", "value": "1"}, {"name": "a",
        "value": "1"}]}})
    pod({"securityContext": {"windowsOptions": {"hostProcess": True}}})
    pod({"securityContext": {"windowsOptions": {"hostProcess": True}}},
        context(windowsOptions={"hostProcess": True}))
    for profile in ("RuntimeDefault", "Localhost", "Unconfined"):
        pod(containers=context(appArmorProfile={"type": profile}))
    pod({"securityContext": {"appArmorProfile": {"type": "Unconfined"}}},
        context(appArmorProfile={"type": "Unconfined"}))
    pod({"securityContext": {"appArmorProfile": {"type": "Unconfined"}}},
        annotations={"container.apparmor.security.beta.kubernetes.io/c": "unconfined"})
    pod(annotations={"container.apparmor.security.beta.kubernetes.io/c": "unconfined",
                     "container.apparmor.security.beta.kubernetes.io/b": "bad"})
    pod(annotations={"container.apparmor.security.beta.kubernetes.io/c": "localhost/x",
                     "container.apparmor.security.beta.kubernetes.io/b": "runtime/default"})
    for user in (0, 1):
        pod({"securityContext": {"runAsUser": user}})
        pod(containers=context(runAsUser=user))
    pod({"securityContext": {"runAsUser": 0}}, context(runAsUser=0))
    for non_root in (True, False):
        pod({"securityContext": {"runAsNonRoot": non_root}})
        pod(containers=context(runAsNonRoot=non_root))
        pod({"securityContext": {"runAsNonRoot": non_root}}, context(runAsNonRoot=not non_root))
    pod({"securityContext": {"runAsNonRoot": True}},
        [{"name": "c"}, {"name": "d", "securityContext": {"runAsNonRoot": False}}])


def evaluate(version):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "main.go").write_text(MAIN.lstrip("\n"), encoding="utf-8")
        more = "" if version.startswith("0.30.") else ", nil"
        (path / "evaluator.go").write_text(EVALUATOR % more, encoding="utf-8")
        (path / "go.mod").write_text(
            f"module evaluate\ngo 1.22\nrequire (\n k8s.io/api v{version}\n"
            f" k8s.io/pod-security-admission v{version}\n)\n", encoding="utf-8")
        subprocess.run(["go", "mod", "tidy"], cwd=folder, check=True)
        lines = "".join(json.dumps(p, sort_keys=True) + "\n" for p in PODS)
        return subprocess.run(["go", "run", "."], cwd=folder, check=True, input=lines,
                              stdout=subprocess.PIPE, text=True).stdout


def grouped(line):
    record = json.loads(line)
    texts = {}
    for level, text in sorted(record["verdicts"].items()):
        texts.setdefault(text, []).append(level)
    return json.dumps({"pod": record["pod"], "verdicts": texts}, sort_keys=True)


def main():
    make_pods()
    for line in evaluate(sys.argv[1]).splitlines():
        print(grouped(line))


if __name__ == "__main__":
    main()
