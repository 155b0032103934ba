#!/usr/bin/env python3
"""Writes autoscaler_*.jsonl: the values of upstream's tables for the autoscaler.

usage: autoscaler_tables.py

Reads pkg/controller/podautoscaler/{replica_calculator,horizontal}_test.go of the module cache at
1.25.16, 1.30.14 and 1.36.3, and writes beside itself

    autoscaler_replicas.jsonl   metrics and pods -> a count
    autoscaler_rates.jsonl      counts, scalings and policies -> a count and why
    autoscaler_windows.jsonl    recommendations and windows -> a count
    autoscaler_syncs.jsonl      whole syncs -> a count and conditions

A row holds what goes in and what comes out, and the versions whose tests have it; the tests whose
values are worked out by code are left out.
"""
import json
import pathlib
import re

MODULES = pathlib.Path.home() / "go/pkg/mod/k8s.io"
VERSIONS = {"1.25": "v1.25.16", "1.30": "v1.30.14", "1.36": "v1.36.3"}
HERE = pathlib.Path(__file__).resolve().parent
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[A-Za-z_][\w.]*|-?\d*\.\d+|-?\d+|[{}()\[\],:&*+-]')
COMMENT = re.compile(r"//[^\n]*")
CONSTANTS = {
    "v1.ResourceCPU": "cpu", "v1.ResourceMemory": "memory", "v1.ConditionTrue": "True",
    "v1.ConditionFalse": "False", "v1.PodRunning": "Running", "v1.PodPending": "Pending",
    "v1.PodFailed": "Failed", "true": True, "false": False, "nil": None,
    "math.MaxInt32": 2**31 - 1, "math.MaxInt64": 2**63 - 1, "numContainersPerPod": 2,
    "objectMetric": "object", "objectPerPodMetric": "objectPerPod", "externalMetric": "external",
    "externalPerPodMetric": "externalPerPod", "podMetric": "pod",
    "defaultTestingTolerance": 0.1, "time.Second": 1, "time.Minute": 60, "now": 0,
    "v1.PodSucceeded": "Succeeded", "policy": "Max",
    "autoscalingv2.AbleToScale": "AbleToScale", "autoscalingv2.ScalingActive": "ScalingActive",
    "autoscalingv2.ScalingLimited": "ScalingLimited",
    "autoscalingv2.ObjectMetricSourceType": "Object",
    "autoscalingv2.PodsMetricSourceType": "Pods",
    "autoscalingv2.ResourceMetricSourceType": "Resource",
    "autoscalingv2.ContainerResourceMetricSourceType": "ContainerResource",
    "autoscalingv2.ExternalMetricSourceType": "External",
    "autoscalingv2.ValueMetricType": "Value",
    "autoscalingv2.AverageValueMetricType": "AverageValue",
    "autoscalingv2.UtilizationMetricType": "Utilization",
    "disabledPolicy": "Disabled", "minPolicy": "Min",
}
NAMES = {"AbleToScale": 0, "ScalingActive": 1, "ScalingLimited": 2}


def rules(pods, pods_period, percent, percent_period, window):
    policies = []
    if pods:
        policies.append({"type": "Pods", "value": pods, "periodSeconds": pods_period})
    if percent:
        policies.append({"type": "Percent", "value": percent, "periodSeconds": percent_period})
    return {"stabilizationWindowSeconds": window, "selectPolicy": "Max", "policies": policies}


def spread(changes, period):
    """generateEventsUniformDistribution: changes with their ages in seconds."""
    segment = period / len(changes) if changes else 0
    return [[change, int(period - segment * (i + 1) + segment / 2)]
            for i, change in enumerate(changes)]


def conditions(*overrides):
    """statusOkWithOverrides: the type, status and reason of each."""
    all_of = [["AbleToScale", "True", "SucceededRescale"],
              ["ScalingActive", "True", "ValidMetricFound"],
              ["ScalingLimited", "False", "DesiredWithinRange"]]
    for o in overrides:
        all_of[NAMES[o["Type"]]] = [o["Type"], o["Status"], o["Reason"]]
    return all_of



class Unreadable(Exception):
    pass


class Reader:
    """Reads one Go value of literals."""

    def __init__(self, text, known=None):
        self.tokens, self.at = TOKEN.findall(COMMENT.sub("", text)), 0
        self.known = {**CONSTANTS, **(known or {})}

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, expected=None):
        token = self.peek()
        if expected is not None and token != expected:
            raise Unreadable(f"{token} is not {expected}")
        self.at += 1
        return token

    def value(self):
        left = self.factor()
        while self.peek() == "*":
            self.take()
            left *= self.factor()
        return left

    def factor(self):
        token = self.take()
        if token in ("&", "-"):
            return self.factor() if token == "&" else -self.factor()
        if token.startswith('"'):
            return json.loads(token)
        if re.fullmatch(r"-?\d+", token):
            return int(token)
        if re.fullmatch(r"-?\d*\.\d+", token):
            return float(token)
        if token == "[" or token == "map":  # []T{...}, map[K]V{...}
            self.type_rest(token)
            return self.braces()
        if token == "{":
            self.at -= 1
            return self.braces()
        if self.peek() == "(":
            return self.call(token)
        if self.peek() == "{":
            return self.braces()
        if token in self.known:
            return self.known[token]
        raise Unreadable(token)

    def type_rest(self, token):
        if token == "map":
            self.take("[")
        while self.peek() != "{":
            self.take()

    def call(self, name):
        self.take("(")
        args = []
        while self.peek() != ")":
            args.append(self.value())
            if self.peek() == ",":
                self.take()
        self.take(")")
        if name in ("resource.MustParse", "fmt.Errorf", "errors.New", "int64"):
            return args[0]
        if name in ("int32", "ptr.To", "pointer.Int32", "utilpointer.Int32", "now.Add"):
            return args[0]
        if name == "time.Now":
            if self.peek() == ".":
                self.take()
            return 0
        if name == "generateScalingRules":
            return rules(*args)
        if name == "generateEventsUniformDistribution":
            return spread(*args)
        if name == "statusOkWithOverrides":
            return conditions(*args)
        if name == "makePodMetricLevels":
            return [[level, level] for level in args]
        if name in ("hotCPUCreationTime", "coolCPUCreationTime"):
            return name.removesuffix("CPUCreationTime")
        raise Unreadable(name)

    def braces(self):
        """A struct or map as a dict, a list as a list."""
        self.take("{")
        fields, items = {}, []
        while self.peek() != "}":
            if self.at + 1 < len(self.tokens) and self.tokens[self.at + 1] == ":":
                key = self.take().strip('"')
                self.take(":")
                fields[key] = self.value()
            else:
                items.append(self.value())
            if self.peek() == ",":
                self.take()
        self.take("}")
        return fields if fields else items


def source(version, name):
    return (MODULES / f"kubernetes@{version}/pkg/controller/podautoscaler/{name}").read_text()


def readable(bodies):
    for body, known in bodies:
        try:
            yield Reader(body, known).value()
        except (Unreadable, TypeError, KeyError, IndexError):
            continue


def replicas(version):
    text = source(version, "replica_calculator_test.go")
    bodies = re.findall(r"tc := replicaCalcTestCase(\{.*?\n\t\}\n)\ttc\.runTest", text, re.S)
    for row in readable((body, None) for body in bodies):
        metric = row.get("metric", {})
        for old, new in (("targetUtilization", "targetUsage"),
                         ("perPodTargetUtilization", "perPodTargetUsage"),
                         ("expectedUtilization", "expectedUsage")):
            if old in metric:
                metric[new] = metric.pop(old)
        row.pop("timestamp", None)
        yield row


def cases(text, function):
    """The literals of a table: `{ ... },` at one depth."""
    body = re.search(rf"^func {function}\(.*?^}}\n", text, re.S | re.M)
    if not body:
        return []
    table = body.group(0)
    table = table[table.index(":= []"):]
    table = table[table.index("{\n") + 1:]
    out, depth, start = [], 0, 0
    for at, c in enumerate(table):
        if c == "{":
            if depth == 0:
                start = at
            depth += 1
        elif c == "}":
            depth -= 1
            if depth < 0:
                break
            if depth == 0:
                out.append(table[start:at + 1])
    return out


def rates(version):
    text = source(version, "horizontal_test.go")
    for row in readable((body, None) for body in cases(text, "TestScalingWithRules")):
        for name in ("name", "key", "testThis"):
            row.pop(name, None)
        yield row


def windows(version):
    text = source(version, "horizontal_test.go")
    text = text.replace("time.Now().Add", "now.Add")
    bodies = cases(text, "TestNormalizeDesiredReplicasWithBehavior")
    for row in readable((body, None) for body in bodies):
        for name in ("name", "key", "expectedRecommendations"):
            row.pop(name, None)
        yield row
    for row in readable((body, None) for body in cases(text, "TestNormalizeDesiredReplicas")):
        yield {"recommendations": row[2], "prenormalizedDesiredReplicas": row[3],
               "expectedStabilizedReplicas": row[4], "behavior": False}


def with_small_letters(value):
    """A Go struct of the API as JSON: its fields begin with a small letter."""
    if isinstance(value, list):
        return [with_small_letters(v) for v in value]
    if not isinstance(value, dict):
        return value
    return {(k[0].lower() + k[1:] if k != "APIVersion" else "apiVersion"): with_small_letters(v)
            for k, v in value.items()}


SYNC_FIELDS = (
    "minReplicas", "maxReplicas", "specReplicas", "statusReplicas", "scaleUpRules",
    "scaleDownRules", "CPUTarget", "CPUCurrent", "verifyCPUCurrent", "reportedLevels",
    "reportedCPURequests", "reportedPodReadiness", "reportedPodStartTime", "reportedPodPhase",
    "reportedPodDeletionTimestamp", "metricsTarget", "expectedDesiredReplicas",
    "expectedConditions", "recommendations")
OTHERS = re.compile(r"^\t+(?:expectedReported\w+|checkDesired\w+|useMetricsAPI|verifyEvents):"
                    r"(?:[^\n]*\{\n.*?\n\t\t\},|[^\n]*)\n", re.S | re.M)


def syncs(version):
    text = source(version, "horizontal_test.go").replace("time.Now().Add", "now.Add")
    text = text.replace("time.Now()", "now")
    found = []
    for function in re.findall(r"^func Test\w+\(t \*testing\.T\) \{\n.*?^\}\n", text, re.S | re.M):
        body = re.search(r"\ttc := testCase(\{.*?\n\t\}\n)\ttc\.runTest\(t\)\n\}", function, re.S)
        if not body or "SetFeatureGate" in function or body.group(1).count("tc := ") > 0:
            continue
        known = dict(re.findall(r"\t(\w+) := resource\.MustParse\(\"([^\"]*)\"\)", function))
        found.append((OTHERS.sub("", body.group(1)), known))
    for row in readable(found):
        out = {k: row[k] for k in SYNC_FIELDS if k in row}
        if "metricsTarget" in out:
            out["metricsTarget"] = with_small_letters(out["metricsTarget"])
        for name in ("scaleUpRules", "scaleDownRules"):
            if name in out:
                out[name] = with_small_letters(out[name])
        yield out


def main():
    for name, rows in (("replicas", replicas), ("rates", rates), ("windows", windows),
                       ("syncs", syncs)):
        versions_of = {}
        for label, version in VERSIONS.items():
            for row in rows(version):
                labels = versions_of.setdefault(json.dumps(row, sort_keys=True), [])
                if label not in labels:
                    labels.append(label)
        with open(HERE / f"autoscaler_{name}.jsonl", "w", encoding="utf-8") as file:
            for row, labels in versions_of.items():
                line = {"versions": labels, **json.loads(row)}
                print(json.dumps(line, sort_keys=True), file=file)


if __name__ == "__main__":
    main()
