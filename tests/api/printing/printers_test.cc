#include "ksim/api/printing/printers.h"

#include "tests/api/fixture.h"

namespace ksim::api {
namespace {

Object Obj(std::string_view yaml) { return Object::FromTree(Yaml(yaml)); }

std::vector<std::string> Cells(std::string_view kind, std::string_view yaml,
                               VirtualTime now = At(90)) {
  return PrintTable(KindOf(kind), {Obj(yaml)}, now).rows.at(0);
}

std::string PodStatus(std::string_view yaml) { return Cells("pods", yaml).at(2); }

// API-151
TEST(Printers, PodStatusColumn) {
  const std::pair<const char*, const char*> kCases[] = {
      {"status: {phase: Pending}", "Pending"},
      {"status: {phase: Failed, reason: Evicted}", "Evicted"},
      {"status: {phase: Pending, conditions: [{type: PodScheduled, reason: SchedulingGated}]}",
       "SchedulingGated"},
      {"status: {phase: Pending, containerStatuses: [{state: {waiting: {reason: "
       "ContainerCreating}}}]}",
       "ContainerCreating"},
      {"status: {phase: Running, containerStatuses: [{ready: true, state: {running: {}}}]}",
       "Running"},
      {"status: {phase: Running, containerStatuses: [{state: {waiting: {reason: "
       "CrashLoopBackOff}}}]}",
       "CrashLoopBackOff"},
      {"status: {phase: Failed, containerStatuses: [{state: {terminated: {exitCode: 3}}}]}",
       "ExitCode:3"},
      {"status: {phase: Failed, containerStatuses: [{state: {terminated: {signal: 9}}}]}",
       "Signal:9"},
      {"status: {phase: Succeeded, containerStatuses: [{state: {terminated: {reason: "
       "Completed}}}]}",
       "Completed"},
      {"status: {phase: Running, containerStatuses: [{state: {terminated: {reason: Completed}}}, "
       "{ready: true, state: {running: {}}}]}",
       "NotReady"},
      {"status: {phase: Running, conditions: [{type: Ready, status: 'True'}], containerStatuses: "
       "[{state: {terminated: {reason: Completed}}}, {ready: true, state: {running: {}}}]}",
       "Running"},
      {"status: {phase: Failed, containerStatuses: [{state: {terminated: {reason: Completed}}}, "
       "{state: {terminated: {reason: Error, exitCode: 1}}}]}",
       "Error"},
      {"status: {phase: Running, containerStatuses: [{state: {terminated: {reason: Completed}}}, "
       "{state: {terminated: {reason: OOMKilled, exitCode: 137}}}, {ready: true, state: {running: "
       "{}}}]}",
       "OOMKilled"},
      {"status: {phase: Running, containerStatuses: [{state: {terminated: {reason: Error, "
       "exitCode: 1}}}, {state: {terminated: {reason: Completed}}}]}",
       "Error"},
      {"{spec: {initContainers: [{name: a}, {name: b}]}, status: {phase: Pending, "
       "initContainerStatuses: [{name: a, state: {terminated: {exitCode: 0}}}, {name: b, state: "
       "{running: {}}}]}}",
       "Init:1/2"},
      {"{spec: {initContainers: [{name: a}]}, status: {phase: Pending, initContainerStatuses: "
       "[{name: a, state: {waiting: {reason: ErrImagePull}}}]}}",
       "Init:ErrImagePull"},
      {"{spec: {initContainers: [{name: a}]}, status: {phase: Pending, initContainerStatuses: "
       "[{name: a, state: {waiting: {reason: PodInitializing}}}]}}",
       "Init:0/1"},
      {"{spec: {initContainers: [{name: a}]}, status: {phase: Pending, initContainerStatuses: "
       "[{name: a, state: {terminated: {exitCode: 2}}}]}}",
       "Init:ExitCode:2"},
      {"{spec: {initContainers: [{name: a}]}, status: {phase: Failed, initContainerStatuses: "
       "[{name: a, state: {terminated: {exitCode: 2, reason: Error}}}]}}",
       "Init:Error"},
      {"{metadata: {deletionTimestamp: '2025-01-01T00:00:00Z'}, status: {phase: Running}}",
       "Terminating"},
      {"{metadata: {deletionTimestamp: '2025-01-01T00:00:00Z'}, status: {phase: Running, reason: "
       "NodeLost}}",
       "Unknown"},
      {"{metadata: {deletionTimestamp: '2025-01-01T00:00:00Z'}, status: {phase: Succeeded}}",
       "Succeeded"},
  };
  for (const auto& [yaml, status] : kCases) EXPECT_EQ(PodStatus(yaml), status) << yaml;
}

// API-150, API-151
TEST(Printers, PodRow) {
  const char* const kPod = R"(
metadata: {name: web, creationTimestamp: "2025-01-01T00:00:00Z"}
spec:
  nodeName: node-1
  containers: [{name: a}, {name: b}]
  initContainers: [{name: side, restartPolicy: Always}]
  readinessGates: [{conditionType: g}, {conditionType: h}]
status:
  phase: Running
  podIPs: [{ip: 10.0.0.7}]
  conditions: [{type: g, status: "True"}]
  initContainerStatuses: [{name: side, started: true, ready: true, restartCount: 1}]
  containerStatuses:
  - name: a
    ready: true
    restartCount: 2
    state: {running: {}}
    lastState: {terminated: {finishedAt: "2025-01-01T00:00:30Z"}}
  - {name: b, ready: false, restartCount: 0, state: {running: {}}}
)";
  EXPECT_EQ(Cells("pods", kPod),
            (std::vector<std::string>{"web", "2/3", "Running", "3 (60s ago)", "90s", "10.0.0.7",
                                      "node-1", "<none>", "1/2"}));
  EXPECT_EQ(Cells("pods", "{metadata: {name: p}, status: {phase: Pending}}"),
            (std::vector<std::string>{"p", "0/0", "Pending", "0", "<unknown>", "<none>", "<none>",
                                      "<none>", "<none>"}));
}

// API-150, API-152
TEST(Printers, OtherKinds) {
  const std::string meta = "metadata: {name: x, creationTimestamp: '2025-01-01T00:00:00Z'}";
  const std::string tmpl =
      "template: {spec: {containers: [{name: a, image: i}, {name: b, image: j}]}}";
  const struct {
    const char* kind;
    std::string yaml;
    std::vector<std::string> cells;
  } kCases[] = {
      {"rs",
       "{" + meta + ", spec: {replicas: 3, selector: {matchLabels: {a: b}}, " + tmpl +
           "}, status: {replicas: 2, readyReplicas: 1}}",
       {"x", "3", "2", "1", "90s", "a,b", "i,j", "a=b"}},
      {"deploy",
       "{" + meta + ", spec: {replicas: 3, selector: {matchLabels: {a: b}}, " + tmpl +
           "}, status: {readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1}}",
       {"x", "1/3", "2", "1", "90s", "a,b", "i,j", "a=b"}},
      {"sts",
       "{" + meta + ", spec: {replicas: 3, " + tmpl + "}, status: {readyReplicas: 1}}",
       {"x", "1/3", "90s", "a,b", "i,j"}},
      {"ds",
       "{" + meta + ", spec: {selector: {}, " + tmpl +
           "}, status: {desiredNumberScheduled: 3, currentNumberScheduled: 2, numberReady: 1}}",
       {"x", "3", "2", "1", "0", "0", "<none>", "90s", "a,b", "i,j", "<none>"}},
      {"jobs",
       "{" + meta + ", spec: {completions: 3, selector: {matchLabels: {a: b}}, " + tmpl +
           "}, status: {succeeded: 1, startTime: '2025-01-01T00:00:30Z'}}",
       {"x", "Running", "1/3", "60s", "90s", "a,b", "i,j", "a=b"}},
      {"jobs",
       "{" + meta + ", spec: {parallelism: 4, " + tmpl +
           "}, status: {succeeded: 1, conditions: [{type: Complete, status: 'True'}]}}",
       {"x", "Complete", "1/1 of 4", "", "90s", "a,b", "i,j", "<none>"}},
      {"jobs",
       "{" + meta + ", status: {conditions: [{type: SuccessCriteriaMet, status: 'True'}]}}",
       {"x", "SuccessCriteriaMet", "0/1", "", "90s", "", "", "<none>"}},
      {"nodes",
       "{" + meta +
           ", spec: {unschedulable: true}, status: {conditions: [{type: Ready, status: 'False'}], "
           "nodeInfo: {kubeletVersion: v1, osImage: os, kernelVersion: '6.1', architecture: "
           "amd64}}}",
       {"x", "NotReady,SchedulingDisabled", "<none>", "90s", "v1", "<none>", "<none>", "os",
        "6.1 (amd64)", "<unknown>"}},
      {"nodes",
       "{" + meta + "}",
       {"x", "Unknown", "<none>", "90s", "", "<none>", "<none>", "<unknown>", "<unknown>",
        "<unknown>"}},
      {"ns", "{" + meta + ", status: {phase: Active}}", {"x", "Active", "90s"}},
      {"leases", "{" + meta + ", spec: {holderIdentity: me}}", {"x", "me", "90s"}},
      {"cm", "{" + meta + ", data: {a: b}, binaryData: {c: d}}", {"x", "2", "90s"}},
      {"secrets", "{" + meta + ", type: Opaque, data: {a: b}}", {"x", "Opaque", "1", "90s"}},
      {"sa", "{" + meta + "}", {"x", "90s"}},
      {"crd", "{" + meta + "}", {"x", "2025-01-01T00:00:00Z"}},
      {"limits", "{" + meta + "}", {"x", "2025-01-01T00:00:00Z"}},
      {"roles", "{metadata: {name: x}}", {"x", "0001-01-01T00:00:00Z"}},
      {"pc",
       "{" + meta + ", value: 5, preemptionPolicy: Never}",
       {"x", "5", "false", "90s", "Never"}},
      {"svc",
       "{" + meta +
           ", spec: {type: NodePort, clusterIPs: [10.0.0.1], ports: [{port: 80, nodePort: 30000, "
           "protocol: TCP}], selector: {a: b}}}",
       {"x", "NodePort", "10.0.0.1", "<none>", "80:30000/TCP", "90s", "a=b"}},
      {"svc",
       "{" + meta + ", spec: {type: LoadBalancer}}",
       {"x", "LoadBalancer", "<none>", "<pending>", "<none>", "90s", "<none>"}},
      {"pdb",
       "{" + meta + ", spec: {minAvailable: 50%}, status: {disruptionsAllowed: 1}}",
       {"x", "50%", "N/A", "1", "90s"}},
      {"cj",
       "{" + meta + ", spec: {schedule: '* * * * *', suspend: false}, status: {active: [{}]}}",
       {"x", "* * * * *", "<none>", "False", "1", "<none>", "90s", "", "", "<none>"}},
      {"rc",
       "{" + meta + ", spec: {replicas: 1, selector: {a: b}}}",
       {"x", "1", "0", "0", "90s", "", "", "a=b"}},
      {"hpa", "{" + meta + "}", {"x", "/", "<none>", "<unset>", "0", "0", "90s"}},
      {"hpa",
       "{" + meta +
           ", spec: {scaleTargetRef: {kind: K, name: n}, minReplicas: 1, maxReplicas: 5, metrics: "
           "[{type: Resource, resource: {name: cpu, target: {averageUtilization: 80}}}, {type: "
           "Pods, "
           "pods: {target: {averageValue: '5'}}}, {type: External, external: {target: {value: "
           "'7'}}}]}, "
           "status: {currentReplicas: 2, currentMetrics: [{resource: {current: "
           "{averageUtilization: "
           "20}}}]}}",
       {"x", "K/n", "cpu: 20%/80%, <unknown>/5 + 1 more...", "1", "5", "2", "90s"}},
      {"hpa",
       "{" + meta +
           ", spec: {scaleTargetRef: {kind: K, name: n}, metrics: [{type: Object, object: {target: "
           "{averageValue: '5'}}}, {type: ContainerResource, containerResource: {name: cpu, "
           "target: "
           "{averageValue: 1m}}}]}, status: {currentMetrics: [{object: {current: {averageValue: "
           "'3'}}}, "
           "{containerResource: {current: {averageValue: 2m}}}]}}",
       {"x", "K/n", "3/5 (avg), cpu: 2m/1m", "<unset>", "0", "0", "90s"}},
      {"flowschemas",
       "{" + meta +
           ", spec: {priorityLevelConfiguration: {name: p}, matchingPrecedence: 5, "
           "distinguisherMethod: {type: ByUser}}, status: {conditions: [{type: Dangling, status: "
           "'False'}]}}",
       {"x", "p", "5", "ByUser", "90s", "False"}},
      {"prioritylevelconfigurations",
       "{" + meta +
           ", spec: {type: Limited, limited: {nominalConcurrencyShares: 3, limitResponse: "
           "{queuing: "
           "{queues: 4, handSize: 5, queueLengthLimit: 6}}}}}",
       {"x", "Limited", "3", "4", "5", "6", "90s"}},
      {"prioritylevelconfigurations",
       "{" + meta + ", spec: {type: Exempt}}",
       {"x", "Exempt", "<none>", "<none>", "<none>", "<none>", "90s"}},
      {"apiservices", "{" + meta + ", spec: {}}", {"x", "Local", "Unknown", "90s"}},
      {"apiservices",
       "{" + meta +
           ", spec: {service: {namespace: n, name: s}}, status: {conditions: [{type: Available, "
           "status: 'False', reason: R}]}}",
       {"x", "n/s", "False (R)", "90s"}},
      {"csr",
       "{" + meta +
           ", spec: {signerName: s, username: u, expirationSeconds: 3600}, status: {conditions: "
           "[{type: Approved}], certificate: x}}",
       {"x", "90s", "s", "u", "60m", "Approved,Issued"}},
      {"csistoragecapacities",
       "{" + meta + ", storageClassName: s, capacity: 1Gi}",
       {"x", "s", "1Gi"}},
      {"validatingadmissionpolicies",
       "{" + meta + ", spec: {validations: [{}], paramKind: {apiVersion: a/v1, kind: K}}}",
       {"x", "1", "a/v1/K", "90s"}},
      {"validatingadmissionpolicybindings",
       "{" + meta + ", spec: {policyName: p, paramRef: {name: n}}}",
       {"x", "p", "*/n", "90s"}},
      {"mutatingadmissionpolicies",
       "{" + meta + ", spec: {mutations: [{}, {}]}}",
       {"x", "2", "<unset>", "90s"}},
      {"mutatingadmissionpolicybindings",
       "{" + meta + ", spec: {policyName: p}}",
       {"x", "p", "<unset>", "90s"}},
      {"ip",
       "{" + meta + ", spec: {parentRef: {resource: services, namespace: n, name: s}}}",
       {"x", "services/n/s"}},
      {"servicecidrs", "{" + meta + ", spec: {cidrs: [a, b]}}", {"x", "a,b", "90s"}},
      {"vac", "{" + meta + ", driverName: d}", {"x", "d", "90s"}},
      {"deviceclasses", "{" + meta + "}", {"x", "90s"}},
      {"resourceclaims", "{" + meta + "}", {"x", "pending", "90s"}},
      {"resourceclaims",
       "{" + meta + ", status: {allocation: {}, reservedFor: [{}]}}",
       {"x", "allocated,reserved", "90s"}},
      {"resourceslices",
       "{" + meta + ", spec: {nodeName: n, driver: d, pool: {name: p}}}",
       {"x", "n", "d", "p", "90s"}},
      {"rolebindings",
       "{" + meta +
           ", roleRef: {kind: Role, name: r}, subjects: [{kind: User, name: u}, {kind: User, name: "
           "v}, {kind: ServiceAccount, namespace: n, name: a}, {kind: Group, name: g}]}",
       {"x", "Role/r", "90s", "u, v", "g", "n/a"}},
      {"podtemplates",
       "{metadata: {name: x}, template: {metadata: {labels: {b: c}}, spec: {containers: [{name: a, "
       "image: i}, {name: b, image: j}]}}}",
       {"x", "a,b", "i,j", "b=c"}},
      {"controllerrevisions",
       "{metadata: {name: x, ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: s, "
       "uid: u, controller: true}]}, revision: 3}",
       {"x", "statefulset.apps/s", "3", "<unknown>"}},
      {"netpol", "{" + meta + ", spec: {podSelector: {matchLabels: {a: b}}}}", {"x", "a=b", "90s"}},
      {"runtimeclasses", "{" + meta + ", handler: h}", {"x", "h", "90s"}},
      {"mutatingwebhookconfigurations", "{" + meta + ", webhooks: [{}]}", {"x", "1", "90s"}},
      {"quota",
       "{" + meta +
           ", status: {hard: {limits.cpu: '4', pods: '9', requests.cpu: '2'}, used: {pods: '3'}}}",
       {"x", "pods: 3/9, requests.cpu: 0/2", "limits.cpu: 0/4", "90s"}},
      {"sc",
       "{metadata: {name: x, annotations: {storageclass.kubernetes.io/is-default-class: 'true'}}, "
       "provisioner: p}",
       {"x (default)", "p", "Delete", "Immediate", "false", "<unknown>"}},
      {"pvc",
       "{" + meta +
           ", spec: {storageClassName: s, resources: {requests: {storage: 1Gi}}}, status: "
           "{phase: Pending}}",
       {"x", "Pending", "", "", "", "s", "<unset>", "90s", "<unset>"}},
      {"pvc",
       "{" + meta +
           ", spec: {volumeName: v, volumeMode: Block}, status: {phase: Bound, capacity: {storage: "
           "2Gi}, accessModes: [ReadWriteMany, ReadWriteOnce]}}",
       {"x", "Bound", "v", "2Gi", "RWO,RWX", "", "<unset>", "90s", "Block"}},
      {"pv",
       "{" + meta +
           ", spec: {capacity: {storage: 5Gi}, accessModes: [ReadWriteOncePod], claimRef: "
           "{namespace: n, name: c}, persistentVolumeReclaimPolicy: Retain}, status: {phase: "
           "Bound}}",
       {"x", "5Gi", "RWOP", "Retain", "Bound", "n/c", "", "<unset>", "", "90s", "<unset>"}},
  };
  for (const auto& c : kCases) EXPECT_EQ(Cells(c.kind, c.yaml), c.cells) << c.yaml;
}

// API-150
TEST(Printers, Events) {
  EXPECT_EQ(Cells("events", R"(
metadata: {name: e}
involvedObject: {kind: Pod, name: p, fieldPath: "spec.containers{c}"}
type: Normal
reason: Scheduled
message: "done\n"
source: {component: default-scheduler}
firstTimestamp: "2025-01-01T00:00:30Z"
lastTimestamp: "2025-01-01T00:01:20Z"
count: 3
)"),
            (std::vector<std::string>{"10s", "Normal", "Scheduled", "pod/p", "spec.containers{c}",
                                      "default-scheduler", "done", "60s", "3", "e"}));
  EXPECT_EQ(
      Cells("events", R"(
metadata: {name: e}
involvedObject: {kind: Node}
eventTime: "2025-01-01T00:00:30.000000Z"
reportingComponent: kubelet
reportingInstance: n1
series: {count: 7, lastObservedTime: "2025-01-01T00:01:00.000000Z"}
)"),
      (std::vector<std::string>{"30s", "", "", "node", "", "kubelet, n1", "", "60s", "7", "e"}));
}

}  // namespace
}  // namespace ksim::api
