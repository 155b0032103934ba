"""A project as kubebuilder scaffolds one, with its envtest suite unchanged: the suite of
tools/lib/clients/envtest_project against the programs of `ksim envtest path`, with faults and
without."""
import os
import shutil
import subprocess

from .served import ROOT, judge

# controller-runtime, and the version of Kubernetes that belongs to it.
VERSIONS = {"0.18.7": "1.30", "0.24.1": "1.36"}
BREAK = "{{at: {}ms, dropWatch: {{client: outside-controller.test, resource: {}}}}}"
# The suite stands these all the same.
FAULTS = [
    ("without faults", ""),
    ("watches break", "[" + ", ".join(
        BREAK.format(at, resource) for at in range(500, 3000, 500)
        for resource in ("configmaps", "guestbooks.webapp.example.com")) + "]"),
    ("a watch is held, and its place is compacted away",
     "[{at: 1s, holdStream: {client: outside-controller.test, resource: configmaps, for: 2s}}, "
     "{at: 2s, compact: {}}, " + BREAK.format(2500, "configmaps") + "]"),
]


def missing(options):
    return None if shutil.which("go") else "there is no go"


def build(options, version):
    """The suite as a program, with controller-runtime at that version."""
    home = options.build / "envtest" / version
    home.mkdir(parents=True, exist_ok=True)
    shutil.copytree(ROOT / "tools/lib/clients/envtest_project", home, dirs_exist_ok=True)
    if not (home / "go.sum").exists():
        (home / "go.mod").write_text(
            f"module project\n\ngo 1.22.0\n\nrequire sigs.k8s.io/controller-runtime v{version}\n")
        subprocess.run(["go", "mod", "tidy"], cwd=home, check=True, capture_output=True)
    subprocess.run(["go", "test", "-c", "-o", "controller/controller.test", "./controller"],
                   cwd=home, check=True)
    return home / "controller"


def run(options):
    failed = 0
    assets = subprocess.run([options.ksim, "envtest", "path"], capture_output=True, text=True,
                            check=True).stdout.strip()
    for version, kubernetes in VERSIONS.items():
        folder = build(options, version)
        for what, faults in FAULTS:
            trace = folder / "trace.jsonl"
            suite = subprocess.run(
                ["./controller.test", "-ginkgo.v"], cwd=folder, capture_output=True, text=True,
                timeout=300, env={**os.environ, "KUBEBUILDER_ASSETS": assets,
                                  "KUBEBUILDER_ATTACH_CONTROL_PLANE_OUTPUT": "true",
                                  "KSIM_COMPAT": kubernetes, "KSIM_FAULTS": faults,
                                  "KSIM_TRACE": str(trace)})
            output = suite.stdout + suite.stderr
            failed += judge(options, "envtest", f"controller-runtime {version}, {what}",
                            suite.returncode == 0 and "\nok: " in output, output)
            for verb in ("replay", "check"):
                told = subprocess.run([options.ksim, verb, trace], capture_output=True, text=True,
                                      timeout=600)
                failed += judge(options, "envtest", f"ksim {verb}", told.returncode == 0,
                                told.stdout + told.stderr)
    return failed
