// `kubectl describe` of volumes, claims and classes of storage.
//
// Source: kubectl pkg/describe/describe.go describePersistentVolume, describePersistentVolumeClaim,
// printPodsMultiline, describeStorageClass; pkg/util/storage/storage.go.
#include "ksim/api/core/timestamps.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/kubectl/describe/describers.h"
#include "ksim/kubectl/describe/sections.h"
#include "ksim/value/go_format.h"

namespace ksim::kubectl {
namespace {

using value::Value;

// GetAccessModesAsString.
std::string AccessModes(const Value& modes) {
  std::string out;
  for (const auto& [mode, shown] : {std::pair("ReadWriteOnce", "RWO"),
                                    {"ReadOnlyMany", "ROX"},
                                    {"ReadWriteMany", "RWX"},
                                    {"ReadWriteOncePod", "RWOP"}}) {
    bool has = false;
    for (const Value& m : modes.items()) has = has || m.AsString() == mode;
    if (has) out += fmt::format("{}{}", out.empty() ? "" : ",", shown);
  }
  return out;
}

// GetPersistentVolumeClass, GetPersistentVolumeClaimClass.
std::string_view ClassOf(const Described& d) {
  const std::string_view beta = d.object.Annotation("volume.beta.kubernetes.io/storage-class");
  return beta.empty() ? d.spec().Get("storageClassName").AsString() : beta;
}

void WritePhase(TabWriter& w, const Described& d) {
  const Value& deleted = d.object.metadata().Get("deletionTimestamp");
  if (deleted.is_null())
    w.Write(0, "Status:\t{}\n", d.status().Get("phase").AsString());
  else
    w.Write(0, "Status:\tTerminating (lasts {})\n", api::AgeSince(api::TimeOf(deleted), d.now()));
}

// printVolumeNodeAffinity.
void WriteNodeAffinity(TabWriter& w, const Value& affinity) {
  const Value& required = affinity.Get("required");
  w.Write(0, "Node Affinity:\t{}\n", required.is_object() ? "" : "<none>");
  if (!required.is_object()) return;
  const Value& terms = required.Get("nodeSelectorTerms");
  w.Write(1, "Required Terms:\t{}\n", terms.empty() ? "<none>" : "");
  std::size_t number = 0;
  for (const Value& term : terms.items()) {
    w.Write(2, "Term {}:\t", number++);
    if (term.Get("matchExpressions").empty()) w.Write(0, "<none>\n");
    bool first = true;
    for (const Value& e : term.Get("matchExpressions").items()) {
      if (!first) w.Write(2, "\t");
      first = false;
      std::string op(e.Get("operator").AsString());
      for (char& c : op) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      const std::string values =
          e.Get("values").empty() ? "" : fmt::format(" [{}]", JoinTexts(e.Get("values"), ", "));
      w.Write(0, "{} {}{}\n", e.Get("key").AsString(), op, values);
    }
  }
}

// printCSIPersistentVolumeSource.
void WriteCsiVolume(TabWriter& w, const Value& csi) {
  w.Write(2, "Type:\tCSI (a Container Storage Interface (CSI) volume source)\n");
  w.Write(2, "Driver:\t{}\n", csi.Get("driver").AsString());
  w.Write(2, "FSType:\t{}\n", csi.Get("fsType").AsString());
  w.Write(2, "VolumeHandle:\t{}\n", csi.Get("volumeHandle").AsString());
  w.Write(2, "ReadOnly:\t{}\n", csi.Get("readOnly").AsBool());
  WriteVolumeAttributes(w, csi.Get("volumeAttributes"));
}

void WriteSource(TabWriter& w, const Value& spec) {
  w.Write(0, "Source:\n");
  if (const Value& csi = spec.Get("csi"); csi.is_object()) return WriteCsiVolume(w, csi);
  const Value& local = spec.Get("local");
  if (!local.is_object()) return WriteVolumeSource(w, spec);
  w.Write(2, "Type:\tLocalVolume (a persistent volume backed by local storage on a node)\n");
  w.Write(2, "Path:\t{}\n", local.Get("path").AsString());
}

bool Uses(const api::Object& pod, std::string_view claim) {
  for (const Value& v : pod.spec().Get("volumes").items())
    if (v.Get("persistentVolumeClaim").Get("claimName").AsString() == claim) return true;
  return false;
}

void WriteUsers(TabWriter& w, const Described& d) {
  w.Write(0, "Used By:\t");
  bool first = true;
  for (const api::Object& pod : d.cluster.List("pods", d.object.ns())) {
    if (!Uses(pod, d.object.name())) continue;
    w.Write(0, "{}{}\n", first ? "" : "\t", pod.name());
    first = false;
  }
  if (first) w.Write(0, "<none>\n");
}

void WriteClaimConditions(TabWriter& w, const Value& conditions) {
  if (conditions.empty()) return;
  w.Write(0, "Conditions:\n  Type\tStatus\tLastProbeTime\tLastTransitionTime\tReason\tMessage\n");
  w.Write(1, "----\t------\t-----------------\t------------------\t------\t-------\n");
  for (const Value& c : conditions.items())
    w.Write(1, "{} \t{} \t{} \t{} \t{} \t{}\n", c.Get("type").AsString(),
            c.Get("status").AsString(), LongTime(c.Get("lastProbeTime")),
            LongTime(c.Get("lastTransitionTime")), c.Get("reason").AsString(),
            c.Get("message").AsString());
}

}  // namespace

std::string DescribeVolume(const Described& d) {
  const Value& spec = d.spec();
  const Value& claim = spec.Get("claimRef");
  TabWriter w;
  w.Write(0, "Name:\t{}\n", d.object.name());
  WriteLabels(w, "Labels", d.object.labels());
  WriteAnnotations(w, "Annotations", d.object.annotations());
  w.Write(0, "Finalizers:\t[{}]\n", JoinTexts(d.object.metadata().Get("finalizers"), " "));
  w.Write(0, "StorageClass:\t{}\n", ClassOf(d));
  WritePhase(w, d);
  w.Write(0, "Claim:\t{}\n",
          claim.is_null() ? ""
                          : fmt::format("{}/{}", claim.Get("namespace").AsString(),
                                        claim.Get("name").AsString()));
  w.Write(0, "Reclaim Policy:\t{}\n", spec.Get("persistentVolumeReclaimPolicy").AsString());
  w.Write(0, "Access Modes:\t{}\n", AccessModes(spec.Get("accessModes")));
  WriteIf(w, 0, "VolumeMode", spec.Get("volumeMode"));
  const Value& storage = spec.Get("capacity").Get("storage");
  w.Write(0, "Capacity:\t{}\n", storage.is_null() ? "0" : AmountText(storage));
  WriteNodeAffinity(w, spec.Get("nodeAffinity"));
  w.Write(0, "Message:\t{}\n", d.status().Get("message").AsString());
  WriteSource(w, spec);
  WriteEvents(w, d);
  return w.Take();
}

std::string DescribeVolumeClaim(const Described& d) {
  const Value& metadata = d.tree.Get("metadata");
  const std::string_view volume = d.spec().Get("volumeName").AsString();
  TabWriter w;
  WriteHead(w, d.object);
  w.Write(0, "StorageClass:\t{}\n", ClassOf(d));
  WritePhase(w, d);
  w.Write(0, "Volume:\t{}\n", volume);
  WriteLabels(w, "Labels", d.object.labels());
  WriteAnnotations(w, "Annotations", d.object.annotations());
  w.Write(0, "Finalizers:\t[{}]\n", JoinTexts(metadata.Get("finalizers"), " "));
  const Value& storage = d.status().Get("capacity").Get("storage");
  const std::string unknown = volume.empty() ? "" : "0";
  w.Write(0, "Capacity:\t{}\n",
          volume.empty() || storage.is_null() ? unknown : AmountText(storage));
  w.Write(0, "Access Modes:\t{}\n",
          volume.empty() ? "" : AccessModes(d.status().Get("accessModes")));
  WriteIf(w, 0, "VolumeMode", d.spec().Get("volumeMode"));
  if (const Value& source = d.spec().Get("dataSource"); source.is_object()) {
    w.Write(0, "DataSource:\n");
    WriteIf(w, 1, "APIGroup", source.Get("apiGroup"));
    w.Write(1, "Kind:\t{}\n", source.Get("kind").AsString());
    w.Write(1, "Name:\t{}\n", source.Get("name").AsString());
  }
  WriteUsers(w, d);
  WriteClaimConditions(w, d.status().Get("conditions"));
  WriteEvents(w, d);
  return w.Take();
}

std::string DescribeStorageClass(const Described& d) {
  const auto is_default = [&d](std::string_view annotation) {
    return d.object.Annotation(annotation) == "true";
  };
  const Value& expansion = d.tree.Get("allowVolumeExpansion");
  const Value& options = d.tree.Get("mountOptions");
  TabWriter w;
  w.Write(0, "Name:\t{}\n", d.object.name());
  w.Write(0, "IsDefaultClass:\t{}\n",
          is_default("storageclass.kubernetes.io/is-default-class") ||
                  is_default("storageclass.beta.kubernetes.io/is-default-class")
              ? "Yes"
              : "No");
  w.Write(0, "Annotations:\t{}\n", LabelsText(d.object.annotations()));
  w.Write(0, "Provisioner:\t{}\n", d.tree.Get("provisioner").AsString());
  w.Write(0, "Parameters:\t{}\n", LabelsText(d.tree.Get("parameters")));
  w.Write(0, "AllowVolumeExpansion:\t{}\n",
          expansion.is_null()  ? "<unset>"
          : expansion.AsBool() ? "True"
                               : "False");
  w.Write(0, "MountOptions:{}\n", options.empty() ? "\t<none>" : "");
  for (const Value& o : options.items()) w.Write(1, "{}\n", o.AsString());
  WriteIf(w, 0, "ReclaimPolicy", d.tree.Get("reclaimPolicy"));
  WriteIf(w, 0, "VolumeBindingMode", d.tree.Get("volumeBindingMode"));
  WriteEvents(w, d);
  return w.Take();
}

}  // namespace ksim::kubectl
