#include "ksim/apiserver/doors/http/openapi.h"

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "ksim/api/patch_schema.h"
#include "ksim/api/schema/go_types.h"
#include "ksim/api/structural/custom_resource.h"
#include "ksim/value/patch_schema.h"

namespace ksim::apiserver::http {
namespace {

using api::FindGoStruct;
using api::GoField;
using api::GoStruct;
using api::GoType;
using value::Value;

constexpr std::string_view kMetaPackage = "io.k8s.apimachinery.pkg.apis.meta.v1";

bool Defines(std::string_view table, std::string_view name) {
  return table.find(fmt::format("\n{}:", name)) != table.npos ||
         table.starts_with(fmt::format("{}:", name));
}

Value Type(std::string_view type, std::string_view format = {}) {
  value::ObjectBuilder tree;
  tree.AddIf(!format.empty(), "format", Value::Of(format));
  tree.Add("type", Value::Of(type));
  return tree.Build();
}

Value Reference(const std::string& name) {
  return value::Obj({{"$ref", Value::Of("#/components/schemas/" + name)}});
}

// Collects the schemas that the kinds of one group and version need.
class Schemas {
 public:
  explicit Schemas(const api::ResourceInfo& first) {
    const std::string group = first.group.substr(0, first.group.find('.'));
    package_ = fmt::format("io.k8s.api.{}.{}", group.empty() ? "core" : group, first.version);
  }

  // The name of the schema of a struct, which is made with all that it needs.
  std::string Add(const GoType& type, const value::PatchSchema* patch) {
    const GoStruct& fields = type.fields();
    std::string name = NameOf(fields);
    if (!made_.insert(name).second) return name;
    value::ObjectBuilder properties;
    std::vector<Value> required;
    for (const GoField& field : fields.fields) {
      const value::PatchField& how = value::PatchSchema::Field(patch, field.name.text());
      Value schema = SchemaOf(*field.type, how.type);
      if (how.merge) {
        schema = schema.Set("x-kubernetes-patch-strategy",
                            Value::Of(how.retain_keys ? "merge,retainKeys" : "merge"));
        if (!how.merge_key.empty()) {
          schema = schema.Set("x-kubernetes-patch-merge-key", Value::Of(how.merge_key));
        }
      }
      if (field.always) required.push_back(Value::Of(field.name.text()));
      properties.Add(field.name.text(), std::move(schema));
    }
    value::ObjectBuilder schema;
    schema.Add("type", Value::Of("object"));
    schema.Add("properties", properties.Build());
    if (!required.empty()) schema.Add("required", Value::Array(std::move(required)));
    schemas_.emplace_back(name, schema.Build());
    return name;
  }

  // The schema of a custom kind, with what every object has (apiextensions-apiserver
  // pkg/controller/openapi/builder/builder.go buildKubeNative).
  void AddCustom(const api::ResourceInfo& r) {
    const api::SchemaNode* const defined = api::SchemaOf(r);
    Value schema = defined == nullptr ? Type("object") : defined->source;
    const std::string metadata = Add(*FindGoStruct("ObjectMeta"), nullptr);
    Value properties = schema.Get("properties");
    if (!properties.is_object()) properties = Value::EmptyObject();
    properties = properties.Set("apiVersion", Type("string"))
                     .Set("kind", Type("string"))
                     .Set("metadata", value::Obj({{"allOf", Value::Array({Reference(metadata)})}}));
    schemas_.emplace_back(CustomName(r),
                          schema.Set("properties", properties)
                              .Set("x-kubernetes-group-version-kind", Value::Array({KindTree(r)})));
  }

  // Says which kind a schema is that of.
  void SetKind(const std::string& name, const api::ResourceInfo& r) {
    for (auto& [known, schema] : schemas_) {
      if (known == name) {
        schema = schema.Set("x-kubernetes-group-version-kind", Value::Array({KindTree(r)}));
      }
    }
  }
  static Value KindTree(const api::ResourceInfo& r) {
    return value::Obj({{"group", Value::Of(r.group)},
                       {"kind", Value::Of(r.kind)},
                       {"version", Value::Of(r.version)}});
  }

  Value Build() && {
    value::ObjectBuilder all;
    for (auto& [name, schema] : schemas_) all.Add(name, std::move(schema));
    return all.Build();
  }

 private:
  // com.example.v1.Widget
  static std::string CustomName(const api::ResourceInfo& r) {
    std::string name, rest = r.group;
    for (std::size_t dot = rest.rfind('.'); dot != rest.npos; dot = rest.rfind('.')) {
      name += rest.substr(dot + 1) + ".";
      rest.resize(dot);
    }
    return fmt::format("{}{}.{}.{}", name, rest, r.version, r.kind);
  }

  std::string NameOf(const GoStruct& type) const {
    const std::string& name = type.name;
    if (type.qualified) return fmt::format("{}.{}", package_, name);
    if (Defines(api::MetaTypes(), name)) return fmt::format("{}.{}", kMetaPackage, name);
    if (Defines(api::PodTypes(), name)) return fmt::format("io.k8s.api.core.v1.{}", name);
    return fmt::format("{}.{}", package_, name);
  }

  Value SchemaOf(const GoType& type, const value::PatchSchema* patch) {
    switch (type.kind) {
      case GoType::Kind::kString:
        return Type("string");
      case GoType::Kind::kBool:
        return Type("boolean");
      case GoType::Kind::kInt32:
        return Type("integer", "int32");
      case GoType::Kind::kInt64:
      case GoType::Kind::kDuration:
        return Type("integer", "int64");
      case GoType::Kind::kFloat64:
        return Type("number", "double");
      case GoType::Kind::kTime:
      case GoType::Kind::kMicroTime:
        return Type("string", "date-time");
      case GoType::Kind::kQuantity:
        return value::Obj({{"oneOf", Value::Array({Type("string"), Type("number")})}});
      case GoType::Kind::kIntOrString:
        return value::Obj({{"format", Value::Of("int-or-string")},
                           {"oneOf", Value::Array({Type("integer"), Type("string")})}});
      case GoType::Kind::kBytes:
        return Type("string", "byte");
      case GoType::Kind::kRaw:
        return Type("object");
      case GoType::Kind::kSlice:
        return value::Obj(
            {{"items", SchemaOf(*type.element, patch)}, {"type", Value::Of("array")}});
      case GoType::Kind::kMap:
        return value::Obj({{"additionalProperties", SchemaOf(*type.element, nullptr)},
                           {"type", Value::Of("object")}});
      case GoType::Kind::kStruct:
        return Reference(Add(type, patch));
    }
    return Type("object");
  }

  std::string package_;
  std::set<std::string> made_;
  std::vector<std::pair<std::string, Value>> schemas_;
};

Value Parameter(std::string_view name) {
  return value::Obj(
      {{"in", Value::Of("query")},
       {"name", Value::Of(name)},
       {"schema", value::Obj({{"type", Value::Of("string")}, {"uniqueItems", Value::Of(true)}})}});
}

Value Operation(const api::ResourceInfo& r, std::string_view action,
                std::initializer_list<std::string_view> parameters) {
  std::vector<Value> list;
  for (const std::string_view parameter : parameters) list.push_back(Parameter(parameter));
  return value::Obj(
      {{"parameters", Value::Array(std::move(list))},
       {"responses", value::Obj({{"200", value::Obj({{"description", Value::Of("OK")}})}})},
       {"x-kubernetes-action", Value::Of(action)},
       {"x-kubernetes-group-version-kind", Schemas::KindTree(r)}});
}

void AddPaths(const api::ResourceInfo& r, std::vector<std::pair<std::string, Value>>* paths) {
  std::string base = r.group.empty() ? fmt::format("/api/{}", r.version)
                                     : fmt::format("/apis/{}/{}", r.group, r.version);
  if (r.namespaced) base += "/namespaces/{namespace}";
  base += "/" + r.resource;
  paths->emplace_back(
      base,
      value::Obj({{"get", Operation(r, "list", {"labelSelector", "fieldSelector", "limit"})},
                  {"post", Operation(r, "post", {"dryRun", "fieldManager", "fieldValidation"})}}));
  paths->emplace_back(
      base + "/{name}",
      value::Obj(
          {{"delete", Operation(r, "delete", {"dryRun", "gracePeriodSeconds"})},
           {"get", Operation(r, "get", {})},
           {"patch", Operation(r, "patch", {"dryRun", "fieldManager", "fieldValidation", "force"})},
           {"put", Operation(r, "put", {"dryRun", "fieldManager", "fieldValidation"})}}));
}

std::string PathOf(std::string_view group, std::string_view version) {
  return group.empty() ? fmt::format("api/{}", version) : fmt::format("apis/{}/{}", group, version);
}

}  // namespace

Value OpenApiIndex(const ServedKinds& served) {
  value::ObjectBuilder paths;
  std::set<std::pair<std::string, std::string>> seen;
  for (const api::ResourceInfo* r : served) seen.emplace(r->group, r->version);
  for (const auto& [group, version] : seen) {
    const std::string path = PathOf(group, version);
    const std::string hash = OpenApiHash(OpenApiDocument(served, group, version));
    paths.Add(path, value::Obj({{"serverRelativeURL",
                                 Value::Of(fmt::format("/openapi/v3/{}?hash={}", path, hash))}}));
  }
  return value::Obj({{"paths", paths.Build()}});
}

Value OpenApiDocument(const ServedKinds& served, std::string_view group, std::string_view version) {
  std::vector<const api::ResourceInfo*> here;
  for (const api::ResourceInfo* r : served) {
    if (r->group == group && r->version == version) here.push_back(r);
  }
  if (here.empty()) return Value();
  Schemas schemas(*here.front());
  std::vector<std::pair<std::string, Value>> paths;
  for (const api::ResourceInfo* r : here) {
    AddPaths(*r, &paths);
    const GoType* const type = api::TypeOf(*r);
    if (type == nullptr) schemas.AddCustom(*r);
    if (type == nullptr) continue;
    const std::string name = schemas.Add(*type, api::FindPatchSchema(r->api_version(), r->kind));
    schemas.SetKind(name, *r);
  }
  value::ObjectBuilder all_paths;
  for (auto& [path, item] : paths) all_paths.Add(path, std::move(item));
  return value::Obj(
      {{"openapi", Value::Of("3.0.0")},
       {"info", value::Obj({{"title", Value::Of("Kubernetes")}, {"version", Value::Of("v1")}})},
       {"paths", all_paths.Build()},
       {"components", value::Obj({{"schemas", std::move(schemas).Build()}})}});
}

namespace {

// A schema of version 3 as one of version 2: references lead elsewhere, and there is no oneOf.
Value AsDefinition(const Value& schema) {
  if (schema.is_array()) {
    std::vector<Value> items;
    for (const Value& item : schema.items()) items.push_back(AsDefinition(item));
    return Value::Array(std::move(items));
  }
  if (!schema.is_object()) return schema;
  constexpr std::string_view kSchemas = "#/components/schemas/";
  value::ObjectBuilder out;
  for (const auto& [name, child] : schema.members()) {
    if (name.text() == "$ref" && child.is_string() && child.AsString().starts_with(kSchemas)) {
      std::string target(child.AsString().substr(kSchemas.size()));
      out.Add(name, Value::Of("#/definitions/" + target));
    } else if (name.text() == "oneOf") {
      out.Add("type", Value::Of("string"));
    } else {
      out.Add(name, AsDefinition(child));
    }
  }
  return out.Build();
}

}  // namespace

Value OpenApiV2(const ServedKinds& served) {
  std::set<std::pair<std::string, std::string>> versions;
  for (const api::ResourceInfo* r : served) versions.emplace(r->group, r->version);
  value::ObjectBuilder definitions;
  std::set<std::string> seen;
  for (const auto& [group, version] : versions) {
    const Value document = OpenApiDocument(served, group, version);
    for (const auto& [name, schema] : document.Get("components").Get("schemas").members()) {
      if (seen.emplace(name.text()).second) definitions.Add(name, AsDefinition(schema));
    }
  }
  return value::Obj(
      {{"swagger", Value::Of("2.0")},
       {"info", value::Obj({{"title", Value::Of("Kubernetes")}, {"version", Value::Of("v1")}})},
       {"paths", Value::EmptyObject()},
       {"definitions", definitions.Build()}});
}

std::string OpenApiHash(const Value& document) { return fmt::format("{:016X}", document.Hash()); }

}  // namespace ksim::apiserver::http
