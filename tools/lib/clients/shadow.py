"""docs/examples/shadow, a controller made with controller-runtime that ignores tombstones: a
scripted fault must show it, the verdict name the object, and a replay repeat it; repaired, it
passes."""
import re
import subprocess

from . import go_programs
from .served import ROOT, Served

EXAMPLE = ROOT / "docs/examples/shadow"
FOUND = r"violation: expect: finally 0 configmaps with shadow=true: there is 1\n" \
        r"  object: configmaps/default/web"


def missing(_):
    return go_programs.missing()


def run_one(options, program, flags, code, says):
    served = Served(options, "shadow", [str(EXAMPLE / "shadow.yaml"), "--speed", "10", "--until",
                                        "2m"])
    with open(served.home / "log", "wb") as log:
        shadow = subprocess.Popen([program, *flags], env=served.environment, stdout=log,
                                  stderr=log)
    out, err = served.process.communicate(timeout=120)
    shadow.terminate()
    shadow.wait(timeout=60)
    served.judge(f"{' '.join(['shadow', *flags])}: code {code}",
                 served.process.returncode == code and re.search(says, err + out, re.M), err + out)
    again = subprocess.run([options.ksim, "replay", served.trace], capture_output=True, text=True,
                           timeout=60)
    served.judge("ksim replay", "same as recorded" in again.stdout, again.stdout + again.stderr)
    check = subprocess.run([options.ksim, "check", served.trace], capture_output=True, text=True,
                           timeout=60)
    served.judge("ksim check", check.returncode == code, check.stdout + check.stderr)
    served.folder.cleanup()
    return served.failed


def run(options):
    program = options.build / "shadow"
    subprocess.run(["go", "build", "-o", program, "."], cwd=EXAMPLE, check=True)
    wrong = run_one(options, program, [], 1, FOUND)
    return wrong + run_one(options, program, ["--fixed"], 0, r"^ok: \d+ events")
