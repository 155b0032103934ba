#include "ksim/api/schema/custom_body.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "ksim/api/core/go_text.h"
#include "ksim/api/structural/custom_resource.h"
#include "ksim/api/structural/findings.h"
#include "ksim/api/structural/prune.h"

namespace ksim::api {

using value::Value;

namespace {

// objectmeta.Coerce: the metadata of objects within the resource, as Go reads them.
class MetaCoercer {
 public:
  MetaCoercer(Compat compat, SchemaReport* report) : compat_(compat), report_(*report) {}

  Value Walk(const SchemaNode& s, const Value& v, const std::string& path) {
    if (!s.any_embedded) return v;
    Value out = v;
    for (const Value::Member& m : v.members()) {
      const std::string at =
          path.empty() ? std::string(m.name.text()) : fmt::format("{}.{}", path, m.name.text());
      Value below = m.value;
      if (s.embedded && !path.empty()) below = CoerceMeta(m.name.text(), below, at);
      if (const SchemaNode* const node = s.FieldNode(m.name)) below = Walk(*node, below, at);
      if (!below.SameTree(m.value)) out = std::move(out).Set(m.name, std::move(below));
    }
    if (s.items == nullptr || !v.is_array()) return out;
    std::vector<Value> items;
    for (std::size_t i = 0; i < v.size(); ++i)
      items.push_back(Walk(*s.items, v.at(i), fmt::format("{}[{}]", path, i)));
    return Value::Array(std::move(items));
  }

 private:
  Value CoerceMeta(std::string_view name, const Value& v, const std::string& at) {
    if (name == "metadata") return CoerceMetadata(v, at);
    if ((name == "apiVersion" || name == "kind") && !v.is_string()) Fail(v, at, "must be a string");
    return v;
  }

  Value CoerceMetadata(const Value& v, const std::string& at) {
    SchemaReport own;
    Value read = ReadStruct("ObjectMeta", v, &own);
    if (!own.type_error.empty()) {
      Fail(v, at, own.type_error);
      return v;
    }
    for (std::string& unknown : own.unknown_fields) {
      // unknown field "x" -> unknown field "spec.template.metadata.x"
      constexpr std::size_t kBefore = std::string_view("unknown field \"").size();
      report_.unknown_fields.push_back(unknown.insert(kBefore, at + "."));
      report_.nearest_fields.emplace_back();
    }
    return read;
  }

  void Fail(const Value& v, const std::string& at, std::string_view why) {
    if (!report_.type_error.empty()) return;
    report_.type_error = fmt::format("{}: Invalid value: {}: {}", at, ShownValue(v, compat_), why);
    report_.type_error_path = at;
  }

  Compat compat_;
  SchemaReport& report_;
};

}  // namespace

Value ReadByDefinition(const ResourceInfo& kind, const Value& tree, Compat compat,
                       SchemaReport* report) {
  const SchemaNode* const schema = SchemaOf(kind);
  std::vector<std::string> dropped;
  Value out = PruneNulls(schema, PruneUnknown(schema, tree, &dropped));
  for (const std::string& path : dropped) {
    report->unknown_fields.push_back(fmt::format("unknown field {}", GoQuote(path)));
    report->nearest_fields.emplace_back();
  }
  if (schema == nullptr) return out;
  out = MetaCoercer(compat, report).Walk(*schema, out, "");
  return FillDefaults(schema, out);
}

}  // namespace ksim::api
