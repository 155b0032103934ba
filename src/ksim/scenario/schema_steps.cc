// The kinds of step and the trigger that a step or a fault may wait for.
#include <iterator>

#include "ksim/scenario/schema.h"

namespace ksim::scenario {
namespace {

constexpr std::string_view kResource = "TYPE, or TYPE/NAME: pods, rs/my-replicaset.";

const Type& DeleteType() {
  static const Type type{
      "Delete",
      "Deletes what manifests name, one object, or what a selector picks.",
      {{"file", "path", "Objects named in a file, relative to the scenario."},
       {"document", "KIND/NAME", "A manifest after `---`."},
       {"documents", "all", "Every manifest after `---`."},
       {"object", "manifest", "An object written here."},
       {"objects", "list of manifests", "Several of them."},
       {"resource", "string", kResource},
       {"namespace", "string", "Namespace of the objects.", "default"},
       {"selector", "string", "Label selector."},
       {"all", "boolean", "All objects of the type in the namespace.", "false"},
       {"limit", "integer", "At most so many, in name order."},
       {"gracePeriodSeconds", "integer", "As kubectl --grace-period."},
       {"cascade", "string", "background, orphan or foreground.", "background"},
       {"wait", "boolean", "Whether the step lasts until the objects are gone.", "true"}}};
  return type;
}

const Type& ScaleType() {
  static const Type type{"Scale",
                         "Sets spec.replicas through the scale subresource.",
                         {{"resource", "string", "TYPE/NAME: replicasets/my-replicaset."},
                          {"namespace", "string", "Its namespace.", "default"},
                          {"replicas", "integer", "The new number."}}};
  return type;
}

const Type& PatchType() {
  static const Type type{"Patch",
                         "Changes some fields of one object.",
                         {{"resource", "string", "TYPE/NAME."},
                          {"namespace", "string", "Its namespace.", "default"},
                          {"type", "string", "strategic, merge or json.", "strategic"},
                          {"subresource", "string", "status or scale."},
                          {"patch", "mapping or list", "The patch itself."}}};
  return type;
}

std::vector<Field> MarkFields() {
  return {{"resource", "string", kResource},
          {"namespace", "string", "Namespace of the objects.", "default"},
          {"selector", "string", "Label selector instead of a name."},
          {"set", "map of strings", "What to set; null removes."},
          {"overwrite", "boolean", "Whether an existing value may change.", "false"}};
}

const Type& LabelType() {
  static const Type type{"Label", "Sets or removes labels.", MarkFields()};
  return type;
}

const Type& AnnotateType() {
  static const Type type{"Annotate", "Sets or removes annotations.", MarkFields()};
  return type;
}

const Type& NodeNameType() {
  static const Type type{"NodeStep",
                         "A node by name; a plain string does as well.",
                         {{"node", "string", "The node's name."}}};
  return type;
}

const Type& DrainType() {
  static const Type type{"Drain",
                         "Cordons a node and evicts its pods.",
                         {{"node", "string", "The node's name."},
                          {"gracePeriodSeconds", "integer", "Grace period of the evicted pods."},
                          {"force", "boolean", "Also pods that no controller owns.", "false"},
                          {"ignoreDaemonSets", "boolean", "Leave the pods of DaemonSets.", "false"},
                          {"timeout", "duration", "How long to try.", "0s"}}};
  return type;
}

const Type& EvictType() {
  static const Type type{"Evict",
                         "Asks for the eviction of one pod.",
                         {{"pod", "string", "The pod's name."},
                          {"namespace", "string", "Its namespace.", "default"},
                          {"gracePeriodSeconds", "integer", "Grace period."}}};
  return type;
}

const Type& WaitType() {
  static const Type type{
      "Wait",
      "Waits as `kubectl wait` does.",
      {{"resource", "string", kResource},
       {"namespace", "string", "Namespace of the objects.", "default"},
       {"selector", "string", "Label selector."},
       {"all", "boolean", "All objects of the type in the namespace.", "false"},
       {"for", "string or list",
        "create, delete, condition=NAME[=VALUE] or jsonpath={PATH}[=VALUE]; a "
        "list: one after the other."},
       {"where", "expression", "Instead of for: PATH OP VALUE [&& ...]."},
       {"timeout", "duration", "Fails the step when it passes; 0s looks once.", "30s"}}};
  return type;
}

const Type& RolloutType() {
  static const Type type{
      "Rollout",
      "Looks at a rollout, or changes it.",
      {{"command", "string", "status, history, undo, pause, resume or restart.", "status"},
       {"resource", "string", "TYPE/NAME: deployments/web."},
       {"namespace", "string", "Its namespace.", "default"},
       {"revision", "integer",
        "status: the one it has to be at; history: the one to show; undo: the one to go back to.",
        "0"},
       {"timeout", "duration", "status: how long to wait; 0s is for ever.", "0s"}}};
  return type;
}

const Type& SetImageType() {
  static const Type type{"SetImage",
                         "Changes the images of containers.",
                         {{"resource", "string", "TYPE/NAME: deployments/web."},
                          {"namespace", "string", "Its namespace.", "default"},
                          {"images", "map of strings", "Container and image; * is all."}}};
  return type;
}

const Type& ExposeType() {
  static const Type type{"Expose",
                         "Makes a Service for the pods of an object.",
                         {{"resource", "string", "TYPE/NAME: deployments/web."},
                          {"namespace", "string", "Its namespace.", "default"},
                          {"name", "string", "Of the Service; else the object's."},
                          {"port", "integer", "Else those of the containers."},
                          {"targetPort", "string", "A number or a name; else the port."},
                          {"type", "string", "ClusterIP, NodePort or LoadBalancer."}}};
  return type;
}

const Type& AutoscaleType() {
  static const Type type{"Autoscale",
                         "Makes a HorizontalPodAutoscaler for an object.",
                         {{"resource", "string", "TYPE/NAME: deployments/web."},
                          {"namespace", "string", "Its namespace.", "default"},
                          {"name", "string", "Of the autoscaler; else the object's."},
                          {"min", "integer", "The least pods; else the server's default."},
                          {"max", "integer", "The most pods."},
                          {"cpuPercent", "integer", "Target; else the server's default."}}};
  return type;
}

const Type& CreateJobType() {
  static const Type type{"CreateJob",
                         "Makes a Job of a CronJob's template, now.",
                         {{"resource", "string", "TYPE/NAME: cronjobs/report."},
                          {"namespace", "string", "Its namespace.", "default"},
                          {"name", "string", "Of the Job."}}};
  return type;
}

}  // namespace

const Type& ManifestRefType() {
  static const Type type{"ManifestRef",
                         "Which objects: one of these, or a plain string that is a path.",
                         {{"file", "path", "A file of manifests, relative to the scenario."},
                          {"document", "KIND/NAME", "A manifest after `---`."},
                          {"documents", "all", "Every manifest after `---`."},
                          {"object", "manifest", "An object written here."},
                          {"objects", "list of manifests", "Several of them."}}};
  return type;
}

const Type& ApplyType() {
  static const Type type = [] {
    Type t = ManifestRefType();
    t.name = "Apply";
    const Field more[] = {
        {"serverSide", "boolean", "kubectl --server-side.", "false"},
        {"forceConflicts", "boolean", "With serverSide: takes fields from owners.", "false"},
        {"fieldManager", "string", "With serverSide: who owns the fields then.", "kubectl"}};
    t.fields.insert(t.fields.end(), std::begin(more), std::end(more));
    return t;
  }();
  return type;
}

const Type& StepType() {
  static const Type type{
      "Step",
      "One thing that the user `kubectl` does. `at` or `when` says when it begins; without either "
      "it follows the step before it.",
      {{"at", "duration", "Virtual time from the start of the run."},
       {"when", "Trigger", "When the count-th such event is in the trace.", "", &TriggerType()},
       {"as", "string",
        "kubectl --as: in whose name it is asked, as system:serviceaccount:default:web; else in "
        "kubernetes-admin's."},
       {"create", "ManifestRef", "kubectl create -f", "", &ManifestRefType()},
       {"apply", "Apply", "kubectl apply -f", "", &ApplyType()},
       {"replace", "ManifestRef", "kubectl replace -f", "", &ManifestRefType()},
       {"patch", "Patch", "kubectl patch", "", &PatchType()},
       {"delete", "Delete", "kubectl delete", "", &DeleteType()},
       {"scale", "Scale", "kubectl scale", "", &ScaleType()},
       {"label", "Label", "kubectl label", "", &LabelType()},
       {"annotate", "Annotate", "kubectl annotate", "", &AnnotateType()},
       {"cordon", "NodeStep", "kubectl cordon", "", &NodeNameType()},
       {"uncordon", "NodeStep", "kubectl uncordon", "", &NodeNameType()},
       {"drain", "Drain", "kubectl drain", "", &DrainType()},
       {"evict", "Evict", "POST of an eviction", "", &EvictType()},
       {"wait", "Wait", "kubectl wait", "", &WaitType()},
       {"rollout", "Rollout", "kubectl rollout", "", &RolloutType()},
       {"setImage", "SetImage", "kubectl set image", "", &SetImageType()},
       {"expose", "Expose", "kubectl expose", "", &ExposeType()},
       {"autoscale", "Autoscale", "kubectl autoscale", "", &AutoscaleType()},
       {"createJob", "CreateJob", "kubectl create job --from", "", &CreateJobType()},
       {"addNode", "Node", "A machine with a kubelet joins.", "", &NodeType()},
       {"removeNode", "NodeStep", "The machine is gone and its Node is deleted.", "",
        &NodeNameType()}}};
  return type;
}

const Type& TriggerType() {
  static const Type type{
      "Trigger",
      "An event of the trace. Every field that this kind of event has in the trace may be asked "
      "for; all must be equal.",
      {{"event", "event kind", "request, response, commit, handler, deliver, reconcile, ..."},
       {"count", "integer", "The count-th event that matches.", "1"},
       {"actor", "string", "Who did it."},
       {"id", "integer", "request, response: number of the request; fault: its name."},
       {"server", "string", "request, watch: kube-apiserver-0, etcd."},
       {"verb", "string", "request: get list watch create update patch delete deletecollection."},
       {"resource", "string", "pods, replicasets, nodes, ..."},
       {"subresource", "string", "request: status, scale, binding."},
       {"namespace", "string", "Of the object."},
       {"name", "string", "Of the object, or of a phase."},
       {"user", "string", "request: who asks."},
       {"code", "integer", "response: 200, 201, 404, 409, ..."},
       {"reason", "string", "response, watch, relist: why."},
       {"from", "string", "response: store or cache."},
       {"stage", "string", "stage: authenticate authorize default admit validate store."},
       {"result", "string", "stage, reconcile, runtime: how it ended."},
       {"op", "string", "commit: create, update or delete."},
       {"by", "string", "commit, compact: the actor that asked."},
       {"revision", "integer", "commit, compact."},
       {"client", "string", "watch: the process that watches."},
       {"stream", "integer", "watch, event, deliver: number of the stream."},
       {"state", "string",
        "watch: open close; reconcile, fault, step: begin end; actor: start ..."},
       {"type", "string", "event, deliver: ADDED ...; handler: add, update, delete."},
       {"informer", "string", "handler, relist, cache: PROCESS RESOURCE."},
       {"listener", "string", "handler: PROCESS/PART."},
       {"initial", "boolean", "handler: from the first list."},
       {"tombstone", "boolean", "handler: a deletion that was not seen."},
       {"controller", "string", "reconcile: PROCESS/PART."},
       {"key", "string", "reconcile: namespace/name; commit: the key in etcd."},
       {"pod", "string", "runtime: namespace/name."},
       {"node", "string", "runtime: the node."},
       {"container", "string", "runtime: the container."},
       {"action", "string", "runtime: pull create start kill ..."},
       {"process", "string", "actor: the process."},
       {"target", "string", "fault, step: what it is about."}}};
  return type;
}

}  // namespace ksim::scenario
