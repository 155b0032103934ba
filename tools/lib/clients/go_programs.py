"""Programs of the Go module proxy, built once into build/clients."""
import os
import pathlib
import re
import shutil
import subprocess


def missing():
    return "" if shutil.which("go") else "there is no go, which builds it"


def install(options, package, version):
    """The program of a package at a version; what it is called is the package's last part, or the
    one before that if it is a version."""
    folder = options.build / f"{package}@{version}"
    parts = package.split("/")
    name = parts[-2] if re.fullmatch(r"v\d+", parts[-1]) else parts[-1]
    if not (folder / name).exists():
        print(f"tools/clients: building {package} {version}", flush=True)
        subprocess.run(["go", "install", f"{package}@{version}"], check=True,
                       env={**os.environ, "GOBIN": str(folder)}, capture_output=True)
    return folder / name


def source(module, version):
    """The folder of a module's files."""
    found = subprocess.run(["go", "env", "GOMODCACHE"], check=True, capture_output=True, text=True)
    return pathlib.Path(found.stdout.strip()) / f"{module}@{version}"
