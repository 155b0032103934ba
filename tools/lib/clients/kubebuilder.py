"""A project that kubebuilder's CLI scaffolds, with a resource and a controller; its envtest suite
runs as it is against the programs of `ksim envtest path`."""
import os
import shutil
import subprocess

from . import go_programs
from .served import judge

VERSION, KUBERNETES = "v4.16.0", "1.36"
API = ["--group", "webapp", "--version", "v1", "--kind", "Guestbook", "--resource", "--controller"]


def missing(options):
    return go_programs.missing()


def scaffold(options):
    """The project's folder, made once."""
    project = options.build / "kubebuilder"
    if (project / "config/crd/bases").exists():
        return project
    shutil.rmtree(project, ignore_errors=True)
    project.mkdir(parents=True)
    program = go_programs.install(options, "sigs.k8s.io/kubebuilder/v4", VERSION)
    for command in (["git", "init", "-q", "."],
                    [program, "init", "--domain", "example.com", "--repo", "example.com/project",
                     "--skip-go-version-check"],
                    [program, "create", "api", *API], ["make", "manifests"]):
        subprocess.run(command, cwd=project, check=True, capture_output=True)
    return project


def run(options):
    project = scaffold(options)
    assets = subprocess.run([options.ksim, "envtest", "path"], capture_output=True, text=True,
                            check=True).stdout.strip()
    suite = subprocess.run(
        ["go", "test", "-count=1", "./internal/..."], cwd=project, capture_output=True, text=True,
        timeout=900, env={**os.environ, "KUBEBUILDER_ASSETS": assets, "KSIM_COMPAT": KUBERNETES})
    output = suite.stdout + suite.stderr
    return judge(options, "kubebuilder", f"{VERSION}: its project's suite",
                 suite.returncode == 0 and "ok " in output, output)
