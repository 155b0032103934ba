#include "ksim/api/printing/rare_printers.h"

#include <fmt/format.h>

#include "ksim/api/printing/network_printers.h"
#include "ksim/api/printing/printers.h"
#include "ksim/value/quantity.h"

namespace ksim::api {
namespace {

using value::Value;
using Cells = std::vector<std::string>;

using cells::Age;
using cells::Name;
using cells::Text;

std::string TextOr(const Value& v, std::string_view otherwise) {
  return v.is_null() ? std::string(otherwise) : Text(v);
}
std::string YesNo(const Value& v) { return v.AsBool() ? "true" : "false"; }

std::string AmountText(const Value& v) {
  return value::Quantity::FromTree(v).value_or(value::Quantity()).ToString();
}

std::string Joined(const std::vector<std::string>& texts, std::string_view separator) {
  return fmt::format("{}", fmt::join(texts, separator));
}

Cells CreatedAtCells(const Object& o, VirtualTime) {
  static const value::Path kCreated{"metadata", "creationTimestamp"};
  const std::string created = Text(o.Get(kCreated));
  return {Name(o), created.empty() ? "0001-01-01T00:00:00Z" : created};
}

Cells PodTemplateCells(const Object& o, VirtualTime) {
  static const value::Path kContainers{"template", "spec", "containers"};
  static const value::Path kLabels{"template", "metadata", "labels"};
  return {Name(o), cells::Join(o.Get(kContainers), "name"),
          cells::Join(o.Get(kContainers), "image"), cells::Labels(o.Get(kLabels))};
}

Cells RevisionCells(const Object& o, VirtualTime now) {
  std::string owner = "<none>";
  if (const auto controller = o.controller()) {
    const std::string_view version = controller->api_version;
    const std::size_t slash = version.find('/');
    std::string kind(controller->kind);
    if (slash != version.npos) kind += fmt::format(".{}", version.substr(0, slash));
    kind = cells::Lower(kind);
    owner = fmt::format("{}/{}", kind, controller->name);
  }
  return {Name(o), owner, std::to_string(o.tree().Get("revision").AsInt()), Age(o, now)};
}

Cells PolicyCells(const Object& o, VirtualTime now) {
  return {Name(o), SelectorText(o.spec().Get("podSelector")), Age(o, now)};
}

Cells HandlerCells(const Object& o, VirtualTime now) {
  return {Name(o), Text(o.tree().Get("handler")), Age(o, now)};
}

Cells WebhookCells(const Object& o, VirtualTime now) {
  return {Name(o), std::to_string(o.tree().Get("webhooks").size()), Age(o, now)};
}

// rbac.SubjectsStrings.
Cells BindingCells(const Object& o, VirtualTime now) {
  const Value& role = o.tree().Get("roleRef");
  std::vector<std::string> users, groups, accounts;
  for (const Value& s : o.tree().Get("subjects").items()) {
    const std::string_view kind = s.Get("kind").AsString();
    const std::string name = Text(s.Get("name"));
    if (kind == "ServiceAccount") accounts.push_back(Text(s.Get("namespace")) + "/" + name);
    if (kind == "User") users.push_back(name);
    if (kind == "Group") groups.push_back(name);
  }
  return {Name(o),
          fmt::format("{}/{}", role.Get("kind").AsString(), role.Get("name").AsString()),
          Age(o, now),
          Joined(users, ", "),
          Joined(groups, ", "),
          Joined(accounts, ", ")};
}

Cells QuotaCells(const Object& o, VirtualTime now) {
  std::vector<std::string> requests, limits;
  for (const Value::Member& m : o.status().Get("hard").members()) {
    const bool limit = m.name.text().starts_with("limits.");
    (limit ? limits : requests)
        .push_back(fmt::format("{}: {}/{}", m.name.text(),
                               AmountText(o.status().Get("used").Get(m.name)),
                               AmountText(m.value)));
  }
  return {Name(o), Joined(requests, ", "), Joined(limits, ", "), Age(o, now)};
}

Cells StorageClassCells(const Object& o, VirtualTime now) {
  const Value& tree = o.tree();
  bool is_default = false;
  for (const char* key : {"storageclass.kubernetes.io/is-default-class",
                          "storageclass.beta.kubernetes.io/is-default-class"})
    is_default = is_default || o.annotations().Get(key).AsString() == "true";
  return {Name(o) + (is_default ? " (default)" : ""),
          Text(tree.Get("provisioner")),
          TextOr(tree.Get("reclaimPolicy"), "Delete"),
          TextOr(tree.Get("volumeBindingMode"), "Immediate"),
          YesNo(tree.Get("allowVolumeExpansion")),
          Age(o, now)};
}

// GetAccessModesAsString.
std::string AccessModes(const Value& modes) {
  static constexpr std::pair<std::string_view, std::string_view> kShort[] = {
      {"ReadWriteOnce", "RWO"},
      {"ReadOnlyMany", "ROX"},
      {"ReadWriteMany", "RWX"},
      {"ReadWriteOncePod", "RWOP"}};
  std::vector<std::string> out;
  for (const auto& [mode, text] : kShort)
    for (const Value& m : modes.items())
      if (m.AsString() == mode && (out.empty() || out.back() != text)) out.emplace_back(text);
  return Joined(out, ",");
}

std::string ClassOf(const Object& o) {
  const Value& beta = o.annotations().Get("volume.beta.kubernetes.io/storage-class");
  return Text(beta.is_null() ? o.spec().Get("storageClassName") : beta);
}

std::string Phase(const Object& o) {
  return o.deleting() ? "Terminating" : Text(o.status().Get("phase"));
}

Cells ClaimCells(const Object& o, VirtualTime now) {
  const Value& volume = o.spec().Get("volumeName");
  const bool bound = !volume.AsString().empty();
  return {Name(o),
          Phase(o),
          Text(volume),
          bound ? AmountText(o.status().Get("capacity").Get("storage")) : "",
          bound ? AccessModes(o.status().Get("accessModes")) : "",
          ClassOf(o),
          TextOr(o.spec().Get("volumeAttributesClassName"), "<unset>"),
          Age(o, now),
          TextOr(o.spec().Get("volumeMode"), "<unset>")};
}

Cells VolumeCells(const Object& o, VirtualTime now) {
  const Value& spec = o.spec();
  const Value& claim = spec.Get("claimRef");
  return {Name(o),
          AmountText(spec.Get("capacity").Get("storage")),
          AccessModes(spec.Get("accessModes")),
          Text(spec.Get("persistentVolumeReclaimPolicy")),
          Phase(o),
          claim.is_object() ? Text(claim.Get("namespace")) + "/" + Text(claim.Get("name")) : "",
          ClassOf(o),
          TextOr(spec.Get("volumeAttributesClassName"), "<unset>"),
          Text(o.status().Get("reason")),
          Age(o, now),
          TextOr(spec.Get("volumeMode"), "<unset>")};
}

constexpr Printer kPrinters[] = {
    {"", "LimitRange", "Name|Created At", CreatedAtCells},
    {"apiextensions.k8s.io", "CustomResourceDefinition", "Name|Created At", CreatedAtCells},
    {"rbac.authorization.k8s.io", "ClusterRole", "Name|Created At", CreatedAtCells},
    {"rbac.authorization.k8s.io", "Role", "Name|Created At", CreatedAtCells},
    {"rbac.authorization.k8s.io", "ClusterRoleBinding",
     "Name|Role|Age|~Users|~Groups|~ServiceAccounts", BindingCells},
    {"rbac.authorization.k8s.io", "RoleBinding", "Name|Role|Age|~Users|~Groups|~ServiceAccounts",
     BindingCells},
    {"", "PodTemplate", "Name|Containers|Images|Pod Labels", PodTemplateCells},
    {"apps", "ControllerRevision", "Name|Controller|Revision|Age", RevisionCells},
    {"networking.k8s.io", "NetworkPolicy", "Name|Pod-Selector|Age", PolicyCells},
    {"node.k8s.io", "RuntimeClass", "Name|Handler|Age", HandlerCells},
    {"admissionregistration.k8s.io", "MutatingWebhookConfiguration", "Name|Webhooks|Age",
     WebhookCells},
    {"admissionregistration.k8s.io", "ValidatingWebhookConfiguration", "Name|Webhooks|Age",
     WebhookCells},
    {"", "ResourceQuota", "Name|Request|Limit|Age", QuotaCells},
    {"storage.k8s.io", "StorageClass",
     "Name|Provisioner|ReclaimPolicy|VolumeBindingMode|AllowVolumeExpansion|Age",
     StorageClassCells},
    {"", "PersistentVolumeClaim",
     "Name|Status|Volume|Capacity|Access Modes|StorageClass|VolumeAttributesClass|Age|~VolumeMode",
     ClaimCells},
    {"", "PersistentVolume",
     "Name|Capacity|Access Modes|Reclaim Policy|Status|Claim|StorageClass|VolumeAttributesClass|"
     "Reason|Age|~VolumeMode",
     VolumeCells},
};

}  // namespace

const Printer* RarePrinterOf(const ResourceInfo& kind) {
  for (const Printer& p : kPrinters)
    if (kind.kind == p.kind && kind.group == p.group) return &p;
  return NetworkPrinterOf(kind);
}

}  // namespace ksim::api
