// Kinds that are not built in: custom resources, and the bodies of subresources. They have
// metadata, and nothing else is known of them.
//
// Source: apiextensions-apiserver pkg/registry/customresource/{strategy,validator}.go.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/go_text.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/value/value.h"

namespace ksim::api {

namespace {

using value::Value;

bool IsStandardFinalizer(std::string_view name) {
  return name == "orphan" || name == "foregroundDeletion" || name == "kubernetes";
}

// validateKubeFinalizerName
void WarnOfFinalizer(std::string_view name, Compat compat, std::vector<std::string>* warnings) {
  for (const std::string& problem : QualifiedName(name, compat))
    warnings->push_back(fmt::format("metadata.finalizers: {}: {}", GoQuote(name), problem));
  if (name.find('/') != name.npos || IsStandardFinalizer(name)) return;
  const bool path = ProfileOf(compat).finalizers_want_path && name.find('.') != name.npos;
  warnings->push_back(fmt::format(
      "metadata.finalizers: {}: prefer a domain-qualified finalizer name {}to avoid accidental "
      "conflicts with other finalizer writers",
      GoQuote(name), path ? "including a path (/) " : ""));
}

// generateWarningsFromObj: of the finalizers that are new, by name.
std::vector<std::string> FinalizerWarnings(const Value& updated, const Value& old, Compat compat) {
  std::vector<std::string> warnings;
  const Value& now = updated.Get(Fields().metadata).Get(Fields().finalizers);
  if (now.empty() || !ProfileOf(compat).warns_of_finalizers) return warnings;
  const Value& before = old.Get(Fields().metadata).Get(Fields().finalizers);
  std::set<std::string_view> added;
  for (const Value& name : now.items()) {
    if (std::find(before.items().begin(), before.items().end(), name) == before.items().end())
      added.insert(name.AsString());
  }
  for (const std::string_view name : added) WarnOfFinalizer(name, compat, &warnings);
  return warnings;
}

std::vector<std::string> NewFinalizerWarnings(const Value& tree, Compat compat) {
  return FinalizerWarnings(tree, Value(), compat);
}

}  // namespace

extern const KindSpec kGenericKind = {
    .validation = {.standard_finalizers = false},
    .warnings_on_create = NewFinalizerWarnings,
    .warnings_on_update = FinalizerWarnings,
};

}  // namespace ksim::api
