#include "ksim/api/kinds/crd.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ksim/api/core/tree_edit.h"
#include "ksim/api/rules/name_rules.h"

namespace ksim::api {

using value::Path;
using value::Value;

namespace {

const Path kCreated{"metadata", "creationTimestamp"};

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

void CheckLabel(std::string_view text, bool mixed, const FieldPath& path, FieldErrorList* errors) {
  const NameProblems problems = Dns1035Label(mixed ? Lower(text) : std::string(text));
  if (problems.empty()) return;
  errors->Invalid(
      path, text,
      fmt::format("{}{}", mixed ? "may have mixed case, but should otherwise match: " : "",
                  fmt::join(problems, ",")));
}

void CheckLabels(const Value& list, const FieldPath& path, FieldErrorList* errors) {
  for (std::size_t i = 0; i < list.size(); ++i)
    CheckLabel(list.at(i).AsString(), false, path.Index(i), errors);
}

// ValidateCustomResourceDefinitionNames, and that they are there.
void CheckDefinedNames(const Value& names, const FieldPath& path, FieldErrorList* errors) {
  for (const char* field : {"plural", "singular", "kind", "listKind"}) {
    if (names.Get(field).AsString().empty()) errors->Required(path.Child(field));
  }
  for (const char* field : {"plural", "singular", "kind", "listKind"}) {
    const bool mixed = std::string_view(field).ends_with("ind");
    const std::string_view text = names.Get(field).AsString();
    if (!text.empty()) CheckLabel(text, mixed, path.Child(field), errors);
  }
  CheckLabels(names.Get("shortNames"), path.Child("shortNames"), errors);
  const std::string_view kind = names.Get("kind").AsString();
  if (!kind.empty() && kind == names.Get("listKind").AsString())
    errors->Invalid(path.Child("listKind"), kind, "kind and listKind may not be the same");
  CheckLabels(names.Get("categories"), path.Child("categories"), errors);
}

void CheckGroup(std::string_view group, const FieldPath& path, FieldErrorList* errors) {
  if (group.empty()) return errors->Required(path);
  const NameProblems problems = Dns1123Subdomain(group);
  if (!problems.empty()) {
    errors->Invalid(path, group, fmt::format("{}", fmt::join(problems, ",")));
  } else if (group.find('.') == group.npos) {
    errors->Invalid(path, group, "should be a domain with at least one dot");
  }
}

void BadVersions(const Value& versions, std::string_view why, const FieldPath& path,
                 FieldErrorList* errors) {
  if (errors->compat() == Compat::k1_36 || !versions.empty())
    return errors->Invalid(path, versions, GoShape::kOther, why);
  errors->Add("FieldValueInvalid",
              fmt::format("Invalid value: []apiextensions.CustomResourceDefinitionVersion{}: {}",
                          versions.is_array() ? "{}" : "(nil)", why),
              path.ToString());
}

// Of the schemas only that they are there.
void CheckVersions(const Value& versions, const FieldPath& path, FieldErrorList* errors) {
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const FieldPath at = path.Index(i);
    const FieldPath schema = at.Child("schema");
    if (versions.at(i).Get("schema").Get("openAPIV3Schema").is_null())
      errors->Required(schema.Child("openAPIV3Schema"), "schemas are required");
  }
  int stored = 0;
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const FieldPath at = path.Index(i);
    const std::string_view name = versions.at(i).Get("name").AsString();
    stored += versions.at(i).Get("storage").AsBool();
    names.insert(name);
    CheckLabel(name, false, at.Child("name"), errors);
  }
  if (names.size() != versions.size())
    errors->Invalid(path, versions, GoShape::kOther, "must contain unique version names");
  if (stored != 1)
    BadVersions(versions, "must have exactly one version marked as storage version", path, errors);
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

void ValidateDefinitionName(const Value& tree, FieldErrorList* errors) {
  const FieldPath metadata("metadata");
  const Value& spec = tree.Get("spec");
  const std::string expected = fmt::format("{}.{}", spec.Get("names").Get("plural").AsString(),
                                           spec.Get("group").AsString());
  for (const char* field : {"generateName", "name"}) {
    const std::string_view name = tree.Get("metadata").Get(field).AsString();
    if (!name.empty() && name != expected)
      errors->Invalid(metadata.Child(field), name, "must be spec.names.plural+\".\"+spec.group");
  }
}

void ValidateDefinition(const Value& tree, FieldErrorList* errors) {
  const FieldPath spec("spec");
  const Value& s = tree.Get("spec");
  CheckGroup(s.Get("group").AsString(), spec.Child("group"), errors);
  const std::string_view scope = s.Get("scope").AsString();
  if (scope.empty()) {
    errors->Required(spec.Child("scope"));
  } else if (scope != "Cluster" && scope != "Namespaced") {
    errors->NotSupported(spec.Child("scope"), scope, {"Cluster", "Namespaced"});
  }
  CheckVersions(s.Get("versions"), spec.Child("versions"), errors);
  // Within the server the first version is also spec.version.
  const Value& versions = s.Get("versions");
  const std::string_view first = versions.empty() ? "" : versions.at(0).Get("name").AsString();
  if (!first.empty()) CheckLabel(first, false, spec.Child("version"), errors);
  CheckDefinedNames(s.Get("names"), spec.Child("names"), errors);
  const FieldPath status("status");
  const Value& stored = tree.Get("status").Get("storedVersions");
  if (stored.empty())
    errors->Invalid(status.Child("storedVersions"), Value(), GoShape::kStringSlice,
                    "must have at least one stored version");
}

void DefinitionStays(const Value& updated, const Value& old, FieldErrorList* errors) {
  const FieldPath spec("spec");
  const FieldPath names = spec.Child("names");
  const Value& now = updated.Get("spec");
  const Value& before = old.Get("spec");
  const auto stays = [&](const Value& a, const Value& b, const FieldPath& path) {
    if (a.AsString() != b.AsString()) errors->Invalid(path, a.AsString(), "field is immutable");
  };
  const Value& now_names = now.Get("names");
  const Value& old_names = before.Get("names");
  stays(now.Get("scope"), before.Get("scope"), spec.Child("scope"));
  stays(now_names.Get("kind"), old_names.Get("kind"), names.Child("kind"));
  stays(now.Get("group"), before.Get("group"), spec.Child("group"));
  stays(now_names.Get("plural"), old_names.Get("plural"), names.Child("plural"));
}

Value DefaultDefinition(const Value& tree, Compat) {
  static const value::Atom kSpec("spec"), kNames("names"), kConversion("conversion"),
      kSingular("singular"), kListKind("listKind");
  return EditField(tree, kSpec, [](const Value& given) {
    Value spec = EditField(given, kNames, [](const Value& names) {
      const std::string kind(names.Get("kind").AsString());
      if (kind.empty()) return names;
      return WithNonEmpty(WithNonEmpty(names, kSingular, Value::String(Lower(kind))), kListKind,
                          Value::String(kind + "List"));
    });
    return WithDefault(std::move(spec), kConversion, value::Obj({{"strategy", Value::Of("None")}}));
  });
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
