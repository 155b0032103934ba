#include "ksim/apiserver/doors/http/bodies.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "ksim/api/core/response_body.h"
#include "ksim/api/printing/printers.h"
#include "ksim/api/schema/go_form.h"
#include "ksim/api/schema/protobuf.h"
#include "ksim/apiserver/handlers/body_kind.h"
#include "ksim/base/status.h"
#include "ksim/value/go_json_problem.h"
#include "ksim/value/json.h"
#include "ksim/value/yaml.h"

namespace ksim::apiserver::http {
namespace {

using value::Value;

api::Status NotAcceptable(std::string message) {
  api::Status status;
  status.code = 406;
  status.reason = "NotAcceptable";
  status.message = std::move(message);
  return status;
}

// The package of the Go type that the server has of an object.
std::string GoPackage(const api::ResourceInfo& resource) {
  return resource.custom ? "unstructured" : std::string(InternalPackage(resource.api_version()));
}

std::string MetaVersion(const OutputType& type) {
  return fmt::format("{}/{}", type.as_group, type.as_version);
}

// meta.AsPartialObjectMetadata
Value PartialMetadata(const api::Object& object, const OutputType& type) {
  return value::Obj({{"kind", Value::Of("PartialObjectMetadata")},
                     {"apiVersion", Value::Of(MetaVersion(type))},
                     {"metadata", object.ToTree().Get("metadata")}});
}

Value ListMetadata(const api::Response& list) {
  value::ObjectBuilder metadata;
  metadata.Add("resourceVersion", Value::Of(std::to_string(list.list_rv)));
  metadata.AddIf(!list.continue_token.empty(), "continue", Value::Of(list.continue_token));
  if (list.remaining_item_count) {
    metadata.Add("remainingItemCount", Value::Of(*list.remaining_item_count));
  }
  return metadata.Build();
}

// asTable
Value AsTable(const api::ResourceInfo& resource, const std::vector<api::Object>& objects,
              Value metadata, const OutputType& type, const TableOptions& options,
              VirtualTime now) {
  const api::Table table = api::PrintTable(resource, objects, now);
  std::vector<Value> columns, rows;
  for (const api::TableColumn& c : table.columns) {
    columns.push_back(value::Obj({{"name", Value::Of(c.name)},
                                  {"type", Value::Of(c.type)},
                                  {"format", Value::Of(c.name == "Name" ? "name" : c.format)},
                                  {"description", Value::Of(c.description)},
                                  {"priority", Value::Of(c.priority)}}));
  }
  for (std::size_t i = 0; i < objects.size(); ++i) {
    std::vector<Value> cells;
    for (const std::string& cell : table.rows[i]) cells.push_back(Value::Of(cell));
    if (!table.values.empty()) cells = table.values[i];
    Value object;
    if (options.include_object == "Object") {
      object = objects[i].ToTree();
    } else if (options.include_object != "None") {
      object = PartialMetadata(objects[i], type);
    }
    rows.push_back(
        value::Obj({{"cells", Value::Array(std::move(cells))}, {"object", std::move(object)}}));
  }
  value::ObjectBuilder tree;
  tree.Add("kind", Value::Of("Table"));
  tree.Add("apiVersion", Value::Of(MetaVersion(type)));
  tree.Add("metadata", std::move(metadata));
  tree.Add("columnDefinitions", options.no_headers ? Value() : Value::Array(std::move(columns)));
  tree.Add("rows", Value::Array(std::move(rows)));
  return tree.Build();
}

// The body of an answer, an object or a list, as Go writes it. A Scale is none of the resource's.
Value InGoForm(const api::ResourceInfo& resource, const Value& body, api::Compat compat,
               api::Stored stored) {
  const std::string_view kind = body.Get("kind").AsString();
  if (kind == resource.kind) return api::GoForm(resource, body, compat, stored);
  const Value& list = body.Get("items");
  if (!list.is_array()) return body;
  if (resource.custom) {
    // An UnstructuredList sets its token in any case.
    const Value& metadata = body.Get("metadata");
    return metadata.Has("continue") ? body
                                    : body.Set("metadata", metadata.Set("continue", Value::Of("")));
  }
  std::vector<Value> items;
  for (const Value& item : list.items())
    items.push_back(api::GoForm(resource, item, compat, stored));
  return body.Set("items", Value::Array(std::move(items)));
}

Value ObjectMetadata(const api::Object& object) {
  return value::Obj({{"resourceVersion", Value::Of(std::to_string(object.resource_version()))}});
}

}  // namespace

api::Status ReadTableOptions(const QueryValues& query, TableOptions* out) {
  out->include_object = query.Get("includeObject");
  for (const std::string_view known : {"", "None", "Metadata", "Object"}) {
    if (out->include_object == known) return {};
  }
  return api::BadRequest(fmt::format(
      "Unable to convert to Table as requested: includeObject: Invalid value: \"{}\": must be "
      "'Metadata', 'Object', 'None', or empty",
      out->include_object));
}

api::Result<Value> TransformedBody(const api::ResourceInfo& resource, api::Verb verb,
                                   const api::Response& response, const OutputType& type,
                                   const TableOptions& options, api::Compat compat,
                                   VirtualTime now) {
  if (api::IsStatusBody(response)) return api::ResponseBody(resource, verb, response);
  if (type.as.empty())
    return InGoForm(
        resource, api::ResponseBody(resource, verb, response), compat,
        options.dry_run && verb == api::Verb::kCreate ? api::Stored::kNo : api::Stored::kYes);
  const bool is_list = verb == api::Verb::kList || verb == api::Verb::kDeleteCollection;
  if (type.as == "Table") {
    if (is_list) {
      return AsTable(resource, response.items, ListMetadata(response), type, options, now);
    }
    return AsTable(resource, {response.object}, ObjectMetadata(response.object), type, options,
                   now);
  }
  if (type.as == "PartialObjectMetadata") {
    if (is_list) {
      return NotAcceptable(fmt::format(
          "you requested PartialObjectMetadata, but the requested object is a list (*{}.{}List)",
          GoPackage(resource), resource.kind));
    }
    return PartialMetadata(response.object, type);
  }
  if (!is_list) {
    return NotAcceptable(
        fmt::format("you requested PartialObjectMetadataList, but the requested object is not a "
                    "list (*{}.{})",
                    GoPackage(resource), resource.kind));
  }
  std::vector<Value> items;
  for (const api::Object& object : response.items) items.push_back(PartialMetadata(object, type));
  return value::Obj({{"kind", Value::Of("PartialObjectMetadataList")},
                     {"apiVersion", Value::Of(MetaVersion(type))},
                     {"metadata", ListMetadata(response)},
                     {"items", items.empty() ? Value() : Value::Array(std::move(items))}});
}

api::Result<Value> TransformedEvent(const api::ResourceInfo& resource, const api::WatchEvent& event,
                                    const OutputType& type, const TableOptions& options,
                                    api::Compat compat, VirtualTime now) {
  Value object;
  if (event.type == api::WatchEventType::kError) {
    object = event.status().ToTree();
  } else if (type.as == "Table") {
    object = AsTable(resource, {event.object}, ObjectMetadata(event.object), type, options, now);
  } else if (type.as == "PartialObjectMetadata") {
    object = PartialMetadata(event.object, type);
  } else {
    object = InGoForm(resource, event.object.ToTree(), compat, api::Stored::kYes);
  }
  return value::Obj({{"type", Value::Of(api::ToString(event.type))}, {"object", object}});
}

std::string EncodeEvent(const Value& event, Encoding encoding) {
  if (encoding != Encoding::kProtobuf) return Encode(event, encoding, false);
  const auto bytes = api::ToProtobufEvent(event.Get("type").AsString(), event.Get("object"));
  if (!bytes.ok()) return {};
  // framer.NewLengthDelimitedFrameWriter: four bytes of length, the highest first.
  const auto size = static_cast<std::uint32_t>(bytes->size());
  std::string frame;
  for (const int shift : {24, 16, 8, 0}) frame += static_cast<char>(size >> shift & 0xffU);
  return frame + *bytes;
}

std::string Encode(const Value& tree, Encoding encoding, bool pretty) {
  switch (encoding) {
    case Encoding::kYaml:
      return value::ToYaml(tree);
    case Encoding::kProtobuf:
      // Whoever asks for protobuf of something that has none gets it as JSON in a text that cannot
      // be mistaken for it; negotiation does not let it come to that.
      if (const auto bytes = api::ToProtobuf(tree); bytes.ok()) return *bytes;
      break;
    case Encoding::kJson:
      break;
  }
  return pretty ? value::ToPrettyJson(tree, 2) : value::ToJson(tree) + "\n";
}

api::Result<Value> Decode(std::string_view body, Encoding encoding) {
  if (encoding == Encoding::kProtobuf) {
    auto tree = api::FromProtobuf(body);
    if (!tree.ok()) return api::BadRequest(Message(tree.status()));
    return *std::move(tree);
  }
  if (encoding == Encoding::kYaml) {
    value::YamlFile file = value::ParseYaml(body, "body");
    if (!file.errors.empty()) return api::BadRequest(file.errors.front().message);
    return file.documents.empty() ? Value() : file.documents.front().ToKubectlValue();
  }
  return DecodeJson(body, nullptr);
}

api::Result<Value> DecodeJson(std::string_view body, std::vector<std::string>* duplicates) {
  std::vector<std::string> ignored;
  auto tree = value::ParseJsonAsGo(body, duplicates != nullptr ? duplicates : &ignored);
  if (tree.ok()) return *std::move(tree);
  const std::string problem = value::GoJsonProblem(body);
  return api::BadRequest(problem.empty() ? std::string(Message(tree.status())) : problem);
}

}  // namespace ksim::apiserver::http
