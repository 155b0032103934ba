// Nodes and namespaces.
//
// Source: pkg/apis/core/validation/validation.go.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ksim/api/core/go_text.h"
#include "ksim/api/kinds/kind_validation.h"
#include "ksim/api/rules/ip_text.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/pod/pod_validation.h"

namespace ksim::api {

using value::Value;

namespace {

// A core.Taint as %#v, from 1.36 on as JSON.
std::string TaintText(const Value& taint, Compat compat) {
  const std::string key = GoQuote(taint.Get("key").AsString());
  const std::string value = GoQuote(taint.Get("value").AsString());
  const std::string effect = GoQuote(taint.Get("effect").AsString());
  const std::string_view added = taint.Get("timeAdded").AsString();
  if (compat != Compat::k1_36) {
    return fmt::format("core.Taint{{Key:{}, Value:{}, Effect:{}, TimeAdded:{}}}", key, value,
                       effect, added.empty() ? "<nil>" : added);
  }
  return fmt::format("{{\"Key\":{},\"Value\":{},\"Effect\":{},\"TimeAdded\":{}}}", key, value,
                     effect, added.empty() ? "null" : GoQuote(added));
}

void CheckTaints(const Value& taints, FieldErrorList* errors) {
  const FieldPath metadata("metadata");  // where they once were
  const FieldPath path = metadata.Child("taints");
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < taints.size(); ++i) {
    const FieldPath at = path.Index(i);
    const std::string_view key = taints.at(i).Get("key").AsString();
    const std::string_view value = taints.at(i).Get("value").AsString();
    const std::string_view effect = taints.at(i).Get("effect").AsString();
    errors->InvalidAll(at.Child("key"), key, QualifiedName(key, errors->compat()));
    const NameProblems problems = LabelValue(value, errors->compat());
    if (!problems.empty()) {
      errors->Invalid(at.Child("value"), value, fmt::format("{}", fmt::join(problems, ";")));
    }
    if (effect.empty()) {
      errors->Required(at.Child("effect"));
    } else {
      ValidateTaintEffect(effect, at.Child("effect"), errors);
    }
    std::string pair = fmt::format("{}:{}", key, effect);
    if (std::find(seen.begin(), seen.end(), pair) != seen.end()) {
      errors->Add("FieldValueDuplicate",
                  fmt::format("Duplicate value: {}: taints must be unique by key and effect pair",
                              TaintText(taints.at(i), errors->compat())),
                  at.ToString());
    }
    seen.push_back(std::move(pair));
  }
}

void CheckResourceList(const Value& list, const FieldPath& path, FieldErrorList* errors) {
  for (const Value::Member& m : list.members()) {
    ValidateQuantity(m.name.text(), m.value, path.Child(m.name.text()), errors);
  }
}

// ValidateNodeResources.
void CheckResources(const Value& node, FieldErrorList* errors) {
  const FieldPath status("status");
  CheckResourceList(node.Get("status").Get("capacity"), status.Child("capacity"), errors);
  CheckResourceList(node.Get("status").Get("allocatable"), status.Child("allocatable"), errors);
}

// The item is one of those before it.
bool Repeats(const Value& list, std::size_t i) {
  const auto end = list.items().begin() + static_cast<std::ptrdiff_t>(i);
  return std::find(list.items().begin(), end, list.at(i)) != end;
}

// netutils.IsDualStackCIDRStrings: both families are there.
bool IsDualStack(const Value& cidrs) {
  bool four = false, six = false;
  for (const Value& cidr : cidrs.items()) {
    const bool colons = cidr.AsString().find(':') != std::string_view::npos;
    six = six || colons;
    four = four || !colons;
  }
  return four && six;
}

void CheckPodCidrs(const Value& cidrs, FieldErrorList* errors) {
  const FieldPath spec("spec");
  const FieldPath path = spec.Child("podCIDRs");
  for (std::size_t i = 0; i < cidrs.size(); ++i) {
    if (IsCidr(cidrs.at(i).AsString())) continue;
    errors->Invalid(path.Index(i), cidrs.at(i).AsString(),
                    "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
  }
  if (cidrs.size() < 2) return;
  if (!IsDualStack(cidrs) || cidrs.size() > 2) {
    errors->Invalid(path, cidrs, GoShape::kStringSlice,
                    "may specify no more than one CIDR for each IP family");
  }
  if (errors->compat() == Compat::k1_36) return;
  for (std::size_t i = 0; i < cidrs.size(); ++i) {
    if (!Repeats(cidrs, i)) continue;
    errors->Duplicate(path.Index(i), cidrs.at(i).AsString());
  }
}

void CheckAddresses(const Value& addresses, FieldErrorList* errors) {
  const FieldPath status("status");
  const FieldPath path = status.Child("addresses");
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (!Repeats(addresses, i)) continue;
    const std::string type = GoQuote(addresses.at(i).Get("type").AsString());
    const std::string address = GoQuote(addresses.at(i).Get("address").AsString());
    const bool json = errors->compat() == Compat::k1_36;
    const std::string text =
        json ? fmt::format("{{\"Type\":{},\"Address\":{}}}", type, address)
             : fmt::format("core.NodeAddress{{Type:{}, Address:{}}}", type, address);
    errors->Add("FieldValueDuplicate", "Duplicate value: " + text, path.Index(i).ToString());
  }
}

void CidrsStay(const Value& now, const Value& before, FieldErrorList* errors) {
  const FieldPath spec("spec");
  const std::size_t compared = before.size() == now.size() ? before.size() : 1;
  for (std::size_t i = 0; i < compared && !before.empty(); ++i) {
    if (before.size() == now.size() && now.at(i) == before.at(i)) continue;
    errors->Forbidden(spec.Child("podCIDRs"),
                      "node updates may not change podCIDR except from \"\" to valid");
  }
}

}  // namespace

void ValidateNode(const Value& tree, FieldErrorList* errors) {
  CheckTaints(tree.Get("spec").Get("taints"), errors);
  CheckResources(tree, errors);
  CheckPodCidrs(tree.Get("spec").Get("podCIDRs"), errors);
}

void ValidateNodeUpdate(const Value& tree, const Value& old, FieldErrorList* errors) {
  const FieldPath spec("spec");
  CheckResources(tree, errors);
  CheckAddresses(tree.Get("status").Get("addresses"), errors);
  CidrsStay(tree.Get("spec").Get("podCIDRs"), old.Get("spec").Get("podCIDRs"), errors);
  const std::string_view id = old.Get("spec").Get("providerID").AsString();
  if (!id.empty() && tree.Get("spec").Get("providerID").AsString() != id) {
    errors->Forbidden(spec.Child("providerID"),
                      "node updates may not change providerID except from \"\" to valid");
  }
  CheckTaints(tree.Get("spec").Get("taints"), errors);
  if (tree.Get("spec").Get("externalID").AsString() !=
      old.Get("spec").Get("externalID").AsString()) {
    errors->Forbidden(spec.Child("externalID"), "may not be updated");
  }
}

void ValidateNamespace(const Value& tree, FieldErrorList* errors) {
  const FieldPath spec("spec");
  const FieldPath path = spec.Child("finalizers");
  for (const Value& f : tree.Get("spec").Get("finalizers").items()) {
    errors->InvalidAll(path, f.AsString(), QualifiedName(f.AsString(), errors->compat()));
    ValidateKubeFinalizer(f.AsString(), path, errors);
  }
}

void ValidateFinalizedNamespace(const Value& tree, FieldErrorList* errors) {
  const FieldPath spec("spec");
  const FieldPath path = spec.Child("finalizers");
  const Value& finalizers = tree.Get("spec").Get("finalizers");
  for (std::size_t i = 0; i < finalizers.size(); ++i) {
    const std::string_view name = finalizers.at(i).AsString();
    errors->InvalidAll(path.Index(i), name, QualifiedName(name, errors->compat()));
    ValidateKubeFinalizer(name, path.Index(i), errors);
  }
}

void ValidateNamespaceStatus(const Value& tree, FieldErrorList* errors) {
  const FieldPath status("status");
  const std::string_view phase = tree.Get("status").Get("phase").AsString();
  const bool deleting = !tree.Get("metadata").Get("deletionTimestamp").is_null();
  if (!deleting && phase != "Active") {
    errors->Invalid(status.Child("Phase"), phase,
                    "may only be 'Active' if `deletionTimestamp` is empty");
  } else if (deleting && phase != "Terminating") {
    errors->Invalid(status.Child("Phase"), phase,
                    "may only be 'Terminating' if `deletionTimestamp` is not empty");
  }
}

}  // namespace ksim::api
