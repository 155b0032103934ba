// A node of spec.cluster.nodes and of addNode. What its kubelet could not register with an API
// server is refused here: the run would wait for that node without end.
#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/pod/container_resources.h"
#include "ksim/base/status.h"
#include "ksim/scenario/parse.h"
#include "ksim/scenario/size_bounds.h"
#include "ksim/value/quantity.h"

namespace ksim::scenario {
namespace {

using api::FieldErrorList;
using api::FieldPath;
using value::Value;
using value::YamlNode;

// Reports the problems of one field, in Kubernetes' words.
void Report(Problems& problems, const Span& span, const std::string& path, FieldErrorList errors) {
  for (const api::StatusCause& cause : errors.Take())
    problems.Error(span, fmt::format("{}: {}", path, cause.message));
}

void CheckAll(ParseContext& context, const Span& span, const std::string& path,
              std::string_view bad, const std::vector<std::string>& details) {
  FieldErrorList errors(context.compat);
  errors.InvalidAll(FieldPath(""), bad, details);
  Report(context.problems, span, path, std::move(errors));
}

// The name of the object, and the value of its label kubernetes.io/hostname.
void CheckName(ParseContext& context, MappingReader& reader, const NodeSpec& spec) {
  const YamlNode* given = reader.Find("name");
  if (given == nullptr || given->kind != YamlNode::Kind::kScalar || spec.Names().empty()) return;
  const std::string name = spec.Names().back();
  std::vector<std::string> problems = api::Dns1123Subdomain(name);
  if (problems.empty()) problems = api::LabelValue(name, context.compat);
  CheckAll(context, given->span, reader.PathTo("name"), name, problems);
}

void CheckCapacity(ParseContext& context, MappingReader& reader) {
  const YamlNode* capacity = reader.Find("capacity");
  if (capacity == nullptr) return;
  for (const YamlNode::Entry& e : capacity->entries) {
    if (e.value.kind != YamlNode::Kind::kScalar) continue;
    const std::string path = fmt::format("{}[{}]", reader.PathTo("capacity"), e.key);
    CheckAll(context, e.key_span, path, e.key, api::QualifiedName(e.key, context.compat));
    const Value quantity = Value::Of(e.value.text);
    const auto parsed = value::Quantity::FromTree(quantity);
    if (!parsed.ok())
      context.problems.Error(e.value.span, fmt::format("{}: {}", path, Message(parsed.status())));
    FieldErrorList errors(context.compat);
    api::ValidateQuantity(e.key, quantity, FieldPath(""), &errors);
    Report(context.problems, e.value.span, path, std::move(errors));
  }
}

void CheckLabels(ParseContext& context, MappingReader& reader) {
  const YamlNode* labels = reader.Find("labels");
  if (labels == nullptr) return;
  const std::string path = reader.PathTo("labels");
  for (const YamlNode::Entry& e : labels->entries) {
    CheckAll(context, e.key_span, path, e.key, api::QualifiedName(e.key, context.compat));
    CheckAll(context, e.value.span, path, e.value.text,
             api::LabelValue(e.value.text, context.compat));
  }
}

NodeSpec::Taint ParseTaint(ParseContext& context, MappingReader& reader) {
  NodeSpec::Taint t;
  t.key = reader.RequiredString("key");
  t.value = reader.String("value");
  t.effect = reader.RequiredString("effect");
  if (reader.Has("key"))
    CheckAll(context, reader.Find("key")->span, reader.PathTo("key"), t.key,
             api::QualifiedName(t.key, context.compat));
  if (reader.Has("value"))
    CheckAll(context, reader.Find("value")->span, reader.PathTo("value"), t.value,
             api::LabelValue(t.value, context.compat));
  static const std::vector<std::string_view> effects{"NoSchedule", "PreferNoSchedule", "NoExecute"};
  const bool known = std::find(effects.begin(), effects.end(), t.effect) != effects.end();
  if (reader.Has("effect") && !known)
    context.problems.Error(reader.Find("effect")->span,
                           fmt::format("unknown taint effect \"{}\"", t.effect),
                           Suggest(t.effect, effects));
  return t;
}

std::vector<NodeSpec::Taint> ParseTaints(ParseContext& context, MappingReader& reader) {
  std::vector<NodeSpec::Taint> taints;
  int i = 0;
  for (const YamlNode* item : reader.List("taints")) {
    const std::string where = fmt::format("{}[{}]", reader.PathTo("taints"), i++);
    MappingReader one(context.problems, *item, TaintType(), where);
    NodeSpec::Taint taint = ParseTaint(context, one);
    const bool twice = std::any_of(taints.begin(), taints.end(), [&](const auto& t) {
      return t.key == taint.key && t.effect == taint.effect;
    });
    if (twice)
      context.problems.Error(item->span, where + ": taints must be unique by key and effect pair");
    taints.push_back(std::move(taint));
  }
  return taints;
}

}  // namespace

NodeSpec ParseNode(ParseContext& context, const YamlNode& node, const std::string& where,
                   std::int64_t fewest) {
  MappingReader reader(context.problems, node, NodeType(), where);
  NodeSpec spec;
  spec.name = reader.String("name", spec.name);
  spec.count = reader.Integer("count", 1, fewest);
  if (reader.Has("count") &&
      !CheckNodes(context.problems, reader.Find("count")->span, reader.PathTo("count"), spec.count))
    spec.count = 1;
  spec.capacity = reader.Map("capacity", true);
  spec.labels = reader.Map("labels", false);
  spec.taints = ParseTaints(context, reader);
  CheckName(context, reader, spec);
  CheckCapacity(context, reader);
  CheckLabels(context, reader);
  return spec;
}

}  // namespace ksim::scenario
