#include "ksim/kubectl/describe/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "ksim/kubectl/describe/describers.h"
#include "ksim/kubectl/describe/sections.h"
#include "ksim/value/go_format.h"

namespace ksim::kubectl {
namespace {

using value::Value;

struct Describer {
  std::string_view api_version, kind;
  std::string (*describe)(const Described& d);
};

constexpr Describer kDescribers[] = {
    {"v1", "Pod", DescribePod},
    {"v1", "Node", DescribeNode},
    {"v1", "ReplicationController", DescribeReplicaSet},
    {"apps/v1", "ReplicaSet", DescribeReplicaSet},
    {"apps/v1", "Deployment", DescribeDeployment},
    {"apps/v1", "StatefulSet", DescribeStatefulSet},
    {"apps/v1", "DaemonSet", DescribeDaemonSet},
    {"batch/v1", "Job", DescribeJob},
    {"batch/v1", "CronJob", DescribeCronJob},
    {"autoscaling/v2", "HorizontalPodAutoscaler", DescribeAutoscaler},
    {"v1", "Service", DescribeService},
    {"discovery.k8s.io/v1", "EndpointSlice", DescribeEndpointSlice},
    {"v1", "PersistentVolume", DescribeVolume},
    {"v1", "PersistentVolumeClaim", DescribeVolumeClaim},
    {"storage.k8s.io/v1", "StorageClass", DescribeStorageClass},
    {"v1", "Namespace", DescribeNamespace},
    {"v1", "ResourceQuota", DescribeQuota},
    {"v1", "LimitRange", DescribeLimitRange},
    {"v1", "ConfigMap", DescribeConfigMap},
    {"v1", "Secret", DescribeSecret},
    {"v1", "ServiceAccount", DescribeServiceAccount},
    {"scheduling.k8s.io/v1", "PriorityClass", DescribePriorityClass},
    {"policy/v1", "PodDisruptionBudget", DescribeDisruptionBudget},
};

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }

// camelcase.Split: runs of one class of letters, the last of several capitals goes with the small
// ones behind it.
std::vector<std::string> Parts(std::string_view field) {
  const auto klass = [](char c) { return IsLower(c) ? 1 : IsUpper(c) ? 2 : 3; };
  std::vector<std::string> out;
  for (const char c : field) {
    if (out.empty() || klass(out.back().back()) != klass(c)) out.emplace_back();
    out.back() += c;
  }
  for (std::size_t i = 0; i + 1 < out.size(); ++i) {
    if (!IsUpper(out[i].back()) || !IsLower(out[i + 1].front())) continue;
    out[i + 1].insert(0, 1, out[i].back());
    out[i].pop_back();
  }
  std::erase(out, "");
  return out;
}

std::string UpperCased(std::string text) {
  for (char& c : text) c = IsLower(c) ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

// "podIP" -> "Pod IP", "uid" -> "UID", "podCIDRs" -> "Pod CIDRs" (smartLabelFor).
std::string Title(std::string_view field) {
  const bool plain = std::all_of(field.begin(), field.end(),
                                 [](char c) { return IsLower(c) || IsUpper(c) || c == '-'; });
  if (!plain) return std::string(field);
  static constexpr std::string_view kAcronyms[] = {"API", "URL", "UID", "GUID"};
  const std::vector<std::string> parts = Parts(field);
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::string part = parts[i];
    const bool capitals = part.size() >= 2 && std::all_of(part.begin(), part.end(), IsUpper);
    if (capitals && i + 1 < parts.size() && IsUpper(parts[i + 1].front())) part += parts[++i];
    const auto acronym = std::find(std::begin(kAcronyms), std::end(kAcronyms), UpperCased(part));
    if (acronym != std::end(kAcronyms))
      part = *acronym;
    else if (std::none_of(part.begin(), part.end(), IsUpper))
      part[0] = IsLower(part[0]) ? static_cast<char>(part[0] - 'a' + 'A') : part[0];
    out += (out.empty() ? "" : " ") + part;
  }
  return out;
}

// printUnstructuredContent.
void WriteTree(TabWriter& w, int level, const Value& tree) {
  for (const Value::Member& m : tree.members()) {
    const std::string title = Title(m.name.text());
    if (!m.value.is_object() && !m.value.is_array()) {
      w.Write(level, "{}:\t{}\n", title, value::GoFormat(m.value));
      continue;
    }
    w.Write(level, "{}:\n", title);
    WriteTree(w, level + 1, m.value);
    for (const Value& item : m.value.items()) {
      if (item.is_object())
        WriteTree(w, level + 1, item);
      else
        w.Write(level + 1, "{}\n", value::GoFormat(item));
    }
  }
}

}  // namespace

std::string DescribeObject(const api::Object& object, const ClusterView& cluster,
                           bool show_events) {
  const auto* known =
      std::find_if(std::begin(kDescribers), std::end(kDescribers), [&](const Describer& d) {
        return d.kind == object.kind() && d.api_version == object.api_version();
      });
  const Described d(object, cluster, show_events);
  return known == std::end(kDescribers) ? DescribeGenerically(d) : known->describe(d);
}

std::string DescribeGenerically(const Described& d) {
  TabWriter w;
  WriteHead(w, d.object);
  WriteLabels(w, "Labels", d.object.labels());
  WriteAnnotations(w, "Annotations", d.object.annotations());
  Value metadata = d.tree.Get("metadata");
  for (std::string_view told : {"name", "namespace", "labels", "annotations", "managedFields"})
    metadata = metadata.Erase(told);
  WriteTree(w, 0, d.tree.Set("metadata", metadata));
  WriteEvents(w, d);
  return w.Take();
}

}  // namespace ksim::kubectl
