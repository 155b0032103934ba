#include "ksim/controllers/common/pod_control.h"

#include <fmt/format.h>

#include <cctype>

namespace ksim::controllers {

using value::Path;
using value::Value;

namespace {

const api::ResourceInfo* Pods(client::Client& client) {
  return client.connection().env().kinds.ByResource("", "pods");
}

Value ControllerReference(const api::Object& owner) {
  return value::Obj({{"apiVersion", Value::String(owner.api_version())},
                     {"kind", Value::String(owner.kind())},
                     {"name", Value::String(owner.name())},
                     {"uid", Value::String(owner.uid())},
                     {"controller", Value::Bool(true)},
                     {"blockOwnerDeletion", Value::Bool(true)}});
}

// apimachinery validation.NameIsDNSSubdomain with prefix=true: a trailing dash, and the character
// before it, stand for the suffix to come (maskTrailingDash).
bool ValidPodNamePrefix(std::string_view prefix) {
  std::string name(prefix);
  if (name.size() > 1 && name.ends_with('-')) name.replace(name.size() - 2, 2, "a");
  if (name.empty() || name.size() > 253) return false;
  bool label_start = true;
  char last = '.';
  for (const char c : name) {
    const bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (c == '.') {
      if (last == '.' || last == '-') return false;
      label_start = true;
    } else if (!alphanumeric && (c != '-' || label_start)) {
      return false;
    } else {
      label_start = false;
    }
    last = c;
  }
  return last != '.' && last != '-';
}

}  // namespace

std::string PodNamePrefix(std::string_view owner_name) {
  const std::string prefix = fmt::format("{}-", owner_name);
  return ValidPodNamePrefix(prefix) ? prefix : std::string(owner_name);
}

api::Result<Value> PodFromTemplate(const Value& template_tree, const api::Object& owner) {
  const Value& meta = template_tree.Get("metadata");
  if (meta.Get("labels").empty()) return api::Unmapped(500, "unable to create pods, no labels");
  value::ObjectBuilder metadata;
  metadata.Add("generateName", Value::String(PodNamePrefix(owner.name())));
  for (const char* field : {"labels", "annotations", "finalizers"}) {
    metadata.AddIf(!meta.Get(field).empty(), field, meta.Get(field));
  }
  metadata.Add("ownerReferences", value::Arr({ControllerReference(owner)}));
  return value::ObjectBuilder()
      .Add("apiVersion", Value::Of("v1"))
      .Add("kind", Value::Of("Pod"))
      .Add("metadata", metadata.Build())
      .Add("spec", template_tree.Get("spec"))
      .Build();
}

sim::Task<client::Client::ObjectResult> PodControl::Create(api::Object owner, std::string ns,
                                                           Value template_tree,
                                                           std::string generate_name) {
  api::Result<Value> built = PodFromTemplate(template_tree, owner);
  if (!built.ok()) co_return built.status();
  static const Path kNamespace{"metadata", "namespace"};
  static const Path kGenerateName{"metadata", "generateName"};
  Value tree = built->Set(kNamespace, Value::String(ns));
  if (!generate_name.empty())
    tree = std::move(tree).Set(kGenerateName, Value::String(generate_name));
  const api::Object pod = api::Object::FromTree(std::move(tree));
  client::Client::ObjectResult created = co_await client_.Create(Pods(client_), pod);
  if (created.ok()) {
    recorder_.Event(owner, "Normal", "SuccessfulCreate",
                    fmt::format("Created pod: {}", created->name()));
  } else if (!api::HasCause(created.status(), "NamespaceTerminating")) {
    recorder_.Event(owner, "Warning", "FailedCreate",
                    fmt::format("Error creating: {}", created.status().message));
  }
  co_return created;
}

sim::Task<client::Client::ObjectResult> PodControl::Delete(api::Object owner, api::Object pod) {
  const std::string ns(pod.ns());
  const std::string name(pod.name());
  const api::DeleteOptions options;
  client::Client::ObjectResult deleted = co_await client_.Delete(Pods(client_), ns, name, options);
  if (deleted.ok()) {
    recorder_.Event(owner, "Normal", "SuccessfulDelete", fmt::format("Deleted pod: {}", name));
  } else if (!api::IsNotFound(deleted.status())) {
    recorder_.Event(owner, "Warning", "FailedDelete",
                    fmt::format("Error deleting: {}", deleted.status().message));
  }
  co_return deleted;
}

sim::Task<client::Client::ObjectResult> PodControl::Patch(std::string ns, std::string name,
                                                          Value patch) {
  const client::PatchOptions options(api::PatchType::kStrategic);
  co_return co_await client_.Patch(Pods(client_), ns, name, patch, options);
}

}  // namespace ksim::controllers
