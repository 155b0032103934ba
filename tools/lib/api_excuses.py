"""What tools/apiserver-diff excuses: deviations of ksim that stand in docs/fidelity.md.

Each excuse names the words of docs/fidelity.md that give its reason; a test looks for them there.
"""
import re

from api_answers import NOTHING


class Excuse:
    """`holds(request, difference)` is true of a difference that the excuse explains."""

    def __init__(self, name, reason, holds):
        self.name, self.reason, self.holds = name, reason, holds


def is_text(*values):
    return all(isinstance(v, str) for v in values)


def same_but_for(pattern, d):
    """Two texts that are the same where what matches the pattern is left out."""
    return is_text(d.real, d.found) and re.sub(pattern, "", d.real, flags=re.DOTALL) == re.sub(
        pattern, "", d.found, flags=re.DOTALL)


def is_discovery(request):
    return re.fullmatch(r"/(api|apis)(/[^/]*){0,2}/?", request["path"]) is not None


def established(request, d):
    return (request["path"].endswith("customresourcedefinitions") and
            d.place[:2] == ("body", "status"))


def patched_object(_, d):
    return (is_text(d.real, d.found) and "Invalid value" in d.real and
            ("patch: " in d.real or "causes" in d.place) and
            same_but_for(r'Invalid value: ("(\\.|[^"\\])*"|`[^`]*`)', d))


def changed_pod_fields(_, d):
    return (is_text(d.real, d.found) and "updates may not change" in d.real and
            same_but_for(r"\n.*", d))


def column_description(_, d):
    return "columnDefinitions" in d.place and d.place[-1] in ("description", "type", "format")


def build(request, d):
    return request["path"].startswith("/version") and d.place[-1] in (
        "gitCommit", "gitTreeState", "buildDate", "goVersion", "platform", "compiler")


def not_there(request, d):
    return is_discovery(request) and d.found is NOTHING


def own_address(_, d):
    return "serverAddressByClientCIDRs" in d.place


def no_program_runs(request, d):
    return request["path"].endswith("/exec")


EXCUSES = [
    Excuse("crd-established", "A CustomResourceDefinition is established the moment it is created",
           established),
    Excuse("patched-object", 'The object in "patch: Invalid value" has its fields in order',
           patched_object),
    Excuse("changed-pod-fields", "A refused pod update lists its changed fields",
           changed_pod_fields),
    Excuse("column-description", "Columns of tables have no descriptions", column_description),
    Excuse("build", "`/version` tells the version of Kubernetes", build),
    Excuse("discovery", "Discovery names the kinds that ksim has", not_there),
    Excuse("own-address", "`/api` names no address of the server", own_address),
    Excuse("no-program-runs", "exec, attach, port-forward and proxy of a pod are 501",
           no_program_runs),
]


def excuse_for(request, difference):
    """The excuse of a difference, or None."""
    for excuse in EXCUSES:
        if excuse.holds(request, difference):
            return excuse
    return None
