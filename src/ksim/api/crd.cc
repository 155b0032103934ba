#include "ksim/api/crd.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace ksim::api {

using value::Path;
using value::Value;

namespace {

const Path kName{"metadata", "name"};
const Path kCreated{"metadata", "creationTimestamp"};

void RequireText(const Value& text, const FieldPath& field, FieldErrorList* errors) {
  if (text.AsString().empty()) errors->Required(field);
}

Value Condition(std::string_view type, std::string_view reason, std::string_view message,
                const Value& since) {
  return value::Obj({{"type", Value::Of(type)},
                     {"status", Value::Of("True")},
                     {"lastTransitionTime", since},
                     {"reason", Value::Of(reason)},
                     {"message", Value::Of(message)}});
}

}  // namespace

bool IsDefinition(const ResourceInfo& kind) {
  return !kind.custom && kind.group == "apiextensions.k8s.io" &&
         kind.kind == "CustomResourceDefinition";
}

void ValidateDefinition(const Value& tree, FieldErrorList* errors) {
  const FieldPath spec("spec");
  const Value& s = tree.Get("spec");
  const Value& names = s.Get("names");
  RequireText(s.Get("group"), spec.Child("group"), errors);
  const FieldPath names_path = spec.Child("names");
  RequireText(names.Get("plural"), names_path.Child("plural"), errors);
  RequireText(names.Get("kind"), names_path.Child("kind"), errors);
  const std::string_view scope = s.Get("scope").AsString();
  if (scope.empty()) {
    errors->Required(spec.Child("scope"));
  } else if (scope != "Cluster" && scope != "Namespaced") {
    errors->NotSupported(spec.Child("scope"), scope, {"Cluster", "Namespaced"});
  }
  int stored = 0;
  for (const Value& version : s.Get("versions").items()) stored += version.Get("storage").AsBool();
  if (stored != 1)
    errors->Invalid(spec.Child("versions"), s.Get("versions"), GoShape::kOther,
                    "must have exactly one version marked as storage version");
  const std::string expected =
      fmt::format("{}.{}", names.Get("plural").AsString(), s.Get("group").AsString());
  const std::string_view name = tree.Get(kName).AsString();
  if (name != expected)
    errors->Invalid(FieldPath("metadata").Child("name"), name,
                    "must be spec.names.plural+\".\"+spec.group");
}

void DefinitionStays(const Value& updated, const Value& old, FieldErrorList* errors) {
  const FieldPath spec("spec");
  const Value& now = updated.Get("spec");
  const Value& before = old.Get("spec");
  for (const char* field : {"group", "scope"}) {
    if (now.Get(field) != before.Get(field))
      errors->Invalid(spec.Child(field), now.Get(field).AsString(), "field is immutable");
  }
  const FieldPath names = spec.Child("names");
  for (const char* field : {"plural", "kind"}) {
    if (now.Get("names").Get(field) != before.Get("names").Get(field))
      errors->Invalid(names.Child(field), now.Get("names").Get(field).AsString(),
                      "field is immutable");
  }
}

Value EstablishedStatus(const Value& tree) {
  const Value& spec = tree.Get("spec");
  const Value& since = tree.Get(kCreated);
  std::vector<Value> stored;
  for (const Value& version : spec.Get("versions").items())
    if (version.Get("storage").AsBool()) stored.push_back(version.Get("name"));
  return value::Obj(
      {{"acceptedNames", spec.Get("names")},
       {"conditions",
        value::Arr({Condition("NamesAccepted", "NoConflicts", "no conflicts found", since),
                    Condition("Established", "InitialNamesAccepted",
                              "the initial names have been accepted", since)})},
       {"storedVersions", Value::Array(std::move(stored))}});
}

}  // namespace ksim::api
