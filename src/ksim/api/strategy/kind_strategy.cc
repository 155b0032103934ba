#include "ksim/api/strategy/kind_strategy.h"

#include <algorithm>
#include <charconv>

#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/crd.h"
#include "ksim/api/schema/schema_types.h"
#include "ksim/api/strategy/pod_features.h"
#include "ksim/api/strategy/strategy.h"

namespace ksim::api {

using value::Atom;
using value::Path;
using value::Value;

namespace {

constexpr std::string_view kTemplateGeneration = "deprecated.daemonset.template.generation";

// A status as Go writes its zero value: the counters that are always written.
Value ZeroStatus(const ResourceInfo& kind) {
  static const Atom kStatus("status");
  const TypeTable& table = TypeTable::Get();
  const GoType* type = table.FindStruct(kind.kind);
  if (type == nullptr) return Value::EmptyObject();
  const GoField* status = table.fields(type->fields).Find(kStatus);
  if (status == nullptr) return Value::EmptyObject();
  std::vector<Value::Member> members;
  for (const GoField& field : table.fields(table.type(status->type).fields).fields) {
    const GoType::Kind k = table.type(field.type).kind;
    const bool counter = k == GoType::Kind::kInt32 || k == GoType::Kind::kInt64;
    if (field.always && counter) members.emplace_back(field.name, Value::Of(0));
  }
  return Value::Object(std::move(members));
}

// pkg/registry/core/pod/strategy.go PrepareForCreate, applySchedulingGatedCondition.
Value InitialPodStatus(const Value& pod, Compat compat) {
  static const Atom kSpec("spec");
  static const Path kGates{"spec", "schedulingGates"};
  value::ObjectBuilder status;
  status.Add("phase", Value::Of("Pending"));
  status.Add("qosClass", Value::Of(ComputeQosClass(pod.Get(kSpec))));
  if (compat != Compat::k1_25 && !pod.Get(kGates).empty()) {
    value::ObjectBuilder condition;
    condition.Add("type", Value::Of("PodScheduled")).Add("status", Value::Of("False"));
    condition.Add("reason", Value::Of("SchedulingGated"));
    condition.Add("message", Value::Of("Scheduling is blocked due to non-empty scheduling gates"));
    // From 1.31 on it goes through UpdatePodCondition, which sets the time.
    static const Path kCreated{"metadata", "creationTimestamp"};
    if (compat == Compat::k1_36) condition.Add("lastTransitionTime", pod.Get(kCreated));
    status.Add("conditions", value::Arr({condition.Build()}));
  }
  return status.Build();
}

// pkg/registry/core/namespace/strategy.go PrepareForCreate, Canonicalize.
Value PrepareNamespace(Value tree) {
  static const Path kFinalizers{"spec", "finalizers"};
  static const Path kLabel{"metadata", "labels", "kubernetes.io/metadata.name"};
  static const Path kName{"metadata", "name"};
  const Value& finalizers = tree.Get(kFinalizers);
  const auto items = finalizers.items();
  const bool has = std::any_of(items.begin(), items.end(),
                               [](const Value& f) { return f.AsString() == "kubernetes"; });
  if (!has) {
    Value with = finalizers.Append(Value::Of("kubernetes"));
    tree = std::move(tree).Set(kFinalizers, std::move(with));
  }
  const Value name = tree.Get(kName);
  return std::move(tree).Set(kLabel, name);
}

// pkg/registry/batch/job/strategy.go generateSelector: the job's own uid selects its pods, unless
// the user wants to do it (manualSelector).
Value PrepareJob(Value tree, Compat compat) {
  static const Path kManual{"spec", "manualSelector"};
  static const Path kLabels{"spec", "template", "metadata", "labels"};
  static const Path kOwnLabels{"metadata", "labels"};
  static const Path kMatchLabels{"spec", "selector", "matchLabels"};
  static const Path kUid{"metadata", "uid"};
  static const Path kName{"metadata", "name"};
  if (tree.Get(kManual).AsBool()) return tree;
  const Value uid = tree.Get(kUid);
  const Value name = tree.Get(kName);
  Value labels = tree.Get(kLabels);
  if (!labels.is_object()) labels = Value::EmptyObject();
  labels = std::move(labels).Set("controller-uid", uid).Set("job-name", name);
  const bool prefixed = compat != Compat::k1_25;  // from 1.27 on
  if (prefixed) {
    labels = std::move(labels)
                 .Set("batch.kubernetes.io/controller-uid", uid)
                 .Set("batch.kubernetes.io/job-name", name);
  }
  Value matched = tree.Get(kMatchLabels);
  if (!matched.is_object()) matched = Value::EmptyObject();
  matched = std::move(matched).Set(
      prefixed ? "batch.kubernetes.io/controller-uid" : "controller-uid", uid);
  // A job without labels has its template's, also those made here: it is defaulted whenever it is
  // read (pkg/apis/batch/v1/defaults.go SetDefaults_Job).
  if (tree.Get(kOwnLabels).empty()) tree = std::move(tree).Set(kOwnLabels, labels);
  return std::move(tree).Set(kLabels, std::move(labels)).Set(kMatchLabels, std::move(matched));
}

struct ServiceNames {
  Atom ip{"clusterIP"}, ips{"clusterIPs"}, families{"ipFamilies"}, policy{"ipFamilyPolicy"},
      selector{"selector"}, type{"type"};
};
const ServiceNames& ServiceN() {
  static const ServiceNames names;
  return names;
}

// pkg/registry/core/service/strategy.go NormalizeClusterIPs, storage/alloc.go initIPFamilyFields in
// a cluster of IPv4. Addresses are not allocated.
Value WithAddresses(Value spec) {
  const ServiceNames& n = ServiceN();
  if (!spec.is_object() || spec.Get(n.type).AsString() == "ExternalName") return spec;
  const Value ip = spec.Get(n.ip);
  if (!ip.AsString().empty()) spec = WithDefault(std::move(spec), n.ips, value::Arr({ip}));
  const bool bare = ip.AsString() == "None" && spec.Get(n.selector).empty();
  const bool six = ip.AsString().find(':') != std::string_view::npos;
  const Value four = Value::Of("IPv4");
  Value families = value::Arr({six ? Value::Of("IPv6") : four});
  if (bare) families = value::Arr({four, Value::Of("IPv6")});
  spec = WithDefault(std::move(spec), n.families, families);
  return WithDefault(std::move(spec), n.policy,
                     Value::Of(bare ? "RequireDualStack" : "SingleStack"));
}

// patchAllocatedValues: what a PUT leaves out stays.
Value WithOldAddresses(Value spec, const Value& old) {
  const ServiceNames& n = ServiceN();
  if (!spec.is_object() || spec.Get(n.type).AsString() == "ExternalName") return spec;
  for (const Atom field : {n.ip, n.ips, n.families, n.policy}) {
    if (old.Get(field).is_null()) continue;
    if (field == n.ips && spec.Get(n.ip) != old.Get(n.ip)) continue;
    spec = WithDefault(std::move(spec), field, old.Get(field));
  }
  return WithAddresses(std::move(spec));
}

Path TemplateGenerationPath() {
  return Path{"metadata", "annotations", value::PathStep(kTemplateGeneration)};
}

bool Is(const ResourceInfo& kind, std::string_view group, std::string_view name) {
  return !kind.custom && kind.kind == name && kind.group == group;
}

constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string Base64(std::string_view bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (j < n ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      out += j <= n ? kBase64[(group >> (18 - 6 * j)) & 63] : '=';
    }
  }
  return out;
}

// stringData is for writing only: it lands in data. pkg/apis/core/v1/conversion.go
// Convert_v1_Secret_To_core_Secret.
Value MergeStringData(Value secret) {
  static const Atom kData("data"), kStringData("stringData");
  const Value plain = secret.Get(kStringData);
  if (plain.is_null()) return secret;
  Value data = secret.Get(kData);
  if (!data.is_object()) data = Value::EmptyObject();
  for (const Value::Member& m : plain.members()) {
    data = std::move(data).Set(m.name, Value::String(Base64(m.value.AsString())));
  }
  secret = secret.Erase("stringData");
  return data.empty() ? secret : std::move(secret).Set(kData, std::move(data));
}

}  // namespace

Value WithStatusCounters(const ResourceInfo& kind, Value tree) {
  static const Atom kStatus("status");
  const Value zero = ZeroStatus(kind);
  const Value& given = tree.Get(kStatus);
  Value status = given.is_object() ? given : Value::EmptyObject();
  for (const Value::Member& counter : zero.members())
    if (status.Get(counter.name).is_null())
      status = std::move(status).Set(counter.name, counter.value);
  return std::move(tree).Set(kStatus, std::move(status));
}

Value InitialStatus(const ResourceInfo& kind, const Value& tree, Compat compat) {
  static const Atom kStatus("status");
  if (kind.custom) return Value();
  if (Is(kind, "", "Pod")) return InitialPodStatus(tree, compat);
  if (Is(kind, "", "Node")) return tree.Get(kStatus);
  if (Is(kind, "", "Namespace")) return value::Obj({{"phase", Value::Of("Active")}});
  if (Is(kind, "", "PersistentVolume") || Is(kind, "", "PersistentVolumeClaim")) {
    return value::Obj({{"phase", Value::Of("Pending")}});
  }
  if (IsDefinition(kind)) return EstablishedStatus(tree);
  if (Is(kind, "", "Service")) return value::Obj({{"loadBalancer", Value::EmptyObject()}});
  return ZeroStatus(kind);
}

Value PrepareKindForCreate(const ResourceInfo& kind, Value tree, Compat compat) {
  if (Is(kind, "", "Pod")) {
    return MergeMatchLabelKeys(DropDisabledPodFields(std::move(tree), compat), compat);
  }
  if (Is(kind, "", "Namespace")) return PrepareNamespace(std::move(tree));
  if (Is(kind, "batch", "Job")) return PrepareJob(std::move(tree), compat);
  if (Is(kind, "", "Secret")) return MergeStringData(std::move(tree));
  if (Is(kind, "", "Service")) return EditField(std::move(tree), Atom("spec"), WithAddresses);
  if (Is(kind, "apps", "DaemonSet")) {
    return std::move(tree).Set(TemplateGenerationPath(), Value::Of("1"));
  }
  return tree;
}

Value PrepareKindForUpdate(const ResourceInfo& kind, const Value& old, Value updated) {
  if (Is(kind, "", "Secret")) return MergeStringData(std::move(updated));
  if (Is(kind, "", "Service")) {
    return EditField(std::move(updated), Atom("spec"),
                     [&](const Value& spec) { return WithOldAddresses(spec, old.Get("spec")); });
  }
  if (!Is(kind, "apps", "DaemonSet")) return updated;
  // pkg/registry/apps/daemonset/strategy.go: the template has a generation of its own.
  static const Path kTemplate{"spec", "template"};
  const std::string_view text = old.Get(TemplateGenerationPath()).AsString();
  std::int64_t generation = 0;
  std::from_chars(text.data(), text.data() + text.size(), generation);
  if (old.Get(kTemplate) != updated.Get(kTemplate)) ++generation;
  return std::move(updated).Set(TemplateGenerationPath(),
                                Value::String(std::to_string(generation)));
}

}  // namespace ksim::api
