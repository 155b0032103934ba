// `when` of steps and faults.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "ksim/scenario/parse.h"
#include "ksim/scenario/trigger_fields.h"
#include "ksim/trace/schema.h"
#include "ksim/value/json.h"

namespace ksim::scenario {
namespace {

using value::YamlNode;

// The same in other letters is nearer than anything else.
std::string SuggestWord(const std::string& word, const std::vector<std::string_view>& known) {
  for (std::string_view k : known)
    if (!word.empty() && absl::EqualsIgnoreCase(word, std::string(k)))
      return fmt::format("did you mean \"{}\"?", k);
  return Suggest(word, known);
}

bool IsWholeNumber(const YamlNode& node) {
  if (node.plain) return node.ToValue().is_int();
  const std::string_view digits = std::string_view(node.text).substr(node.text.starts_with('-'));
  return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
}

bool IsFlag(const YamlNode& node) {
  return node.plain ? node.ToValue().is_bool() : node.text == "true" || node.text == "false";
}

// Reads the fields of one trigger as the trace writes them. Numbers and flags may stand in quotes,
// as they do in a trace's header.
class FieldReader {
 public:
  FieldReader(ParseContext& context, sim::EventKind kind, std::string where)
      : context_(context), kind_(kind), where_(std::move(where)) {}

  // Nothing, and a problem, where the field holds no such thing.
  std::optional<std::string> Read(const std::string& field, const YamlNode& node) {
    using Holds = TriggerField::Holds;
    const TriggerField about = TriggerFieldOf(kind_, field);
    if (node.kind != YamlNode::Kind::kScalar) return Wrong(field, node, "a plain value", "");
    if (IsNull(node)) return Wrong(field, node, "a plain value", "write \"\" for what is empty");
    const std::string plain = node.plain ? value::ToJson(node.ToValue()) : node.text;
    if (about.holds == Holds::kNumber) {
      if (IsWholeNumber(node)) return plain;
      return Wrong(field, node, "an integer", fmt::format("write a number, as in {}: 3", field));
    }
    if (about.holds == Holds::kFlag) {
      if (IsFlag(node)) return plain;
      return Wrong(field, node, "true or false", "");
    }
    if (about.holds == Holds::kResource) return Resource(node);
    if (about.holds == Holds::kWord) return Word(field, node, about.words);
    return node.text;
  }

 private:
  std::nullopt_t Wrong(const std::string& field, const YamlNode& node, std::string_view wanted,
                       std::string hint) {
    context_.problems.Error(
        node.span, fmt::format("{}.{} must be {}, got {}", where_, field, wanted, Describe(node)),
        std::move(hint));
    return std::nullopt;
  }

  // As the trace has it, or whatever kubectl takes for it. The run knows what it calls a resource
  // whose plural is not its alone (fault::WithKnownResource).
  std::optional<std::string> Resource(const YamlNode& node) {
    if (node.text.empty() || context_.kinds.KnownAs(node.text) != nullptr) return node.text;
    const api::ResourceInfo* info = FindResource(context_, node.text, node.span);
    if (info == nullptr) return std::nullopt;
    CheckIsStored(context_, node.text, node.span, "triggers are about all versions");
    const bool shared = info->custom && context_.kinds.AllByName(info->resource).size() > 1;
    return shared ? info->group_resource() : info->resource;
  }

  std::optional<std::string> Word(const std::string& field, const YamlNode& node,
                                  const std::vector<std::string_view>& words) {
    if (std::find(words.begin(), words.end(), node.text) != words.end()) return node.text;
    context_.problems.Error(node.span,
                            fmt::format("{}.{} cannot be \"{}\"", where_, field, node.text),
                            SuggestWord(node.text, words));
    return std::nullopt;
  }

  ParseContext& context_;
  sim::EventKind kind_;
  std::string where_;
};

std::optional<sim::EventKind> ReadKind(ParseContext& context, const YamlNode& node,
                                       const std::string& where) {
  const YamlNode* event = node.Find("event");
  if (event == nullptr) {
    context.problems.Error(node.span, where + ".event is missing", Suggest("", trace::KindNames()));
    return std::nullopt;
  }
  if (event->kind != YamlNode::Kind::kScalar || IsNull(*event)) {
    context.problems.Error(
        event->span,
        fmt::format("{}.event must be a kind of event, got {}", where, Describe(*event)),
        Suggest("", trace::KindNames()));
    return std::nullopt;
  }
  const std::optional<sim::EventKind> kind = trace::ParseKind(event->text);
  if (!kind)
    context.problems.Error(event->span, fmt::format("unknown kind of event \"{}\"", event->text),
                           Suggest(event->text, trace::KindNames()));
  return kind;
}

// "an actor event".
std::string WithArticle(std::string_view kind) {
  const bool vowel = std::string_view("aeiou").find(kind.front()) != std::string_view::npos;
  return fmt::format("{} {} event", vowel ? "an" : "a", kind);
}

std::int64_t ReadTriggerCount(ParseContext& context, const YamlNode& node,
                              const std::string& where) {
  const YamlNode* count = node.Find("count");
  if (count == nullptr) return 1;
  const value::Value v = count->ToValue();
  if (v.is_int() && v.AsInt() >= 1) return v.AsInt();
  context.problems.Error(count->span, fmt::format("{}.count must be an integer from 1, got {}",
                                                  where, Describe(*count)));
  return 1;
}

}  // namespace

std::optional<Trigger> ParseTrigger(ParseContext& context, const YamlNode& node,
                                    const std::string& where) {
  if (node.kind != YamlNode::Kind::kMapping) {
    context.problems.Error(node.span,
                           fmt::format("{} must be a mapping, got {}", where, Describe(node)));
    return std::nullopt;
  }
  const std::optional<sim::EventKind> kind = ReadKind(context, node, where);
  if (!kind) return std::nullopt;
  Trigger trigger;
  trigger.event = std::string(trace::KindName(*kind));
  trigger.count = ReadTriggerCount(context, node, where);
  std::vector<std::string_view> known{"actor", "event", "count"};
  for (std::string_view f : trace::FieldsOf(*kind)) known.push_back(f);
  FieldReader fields(context, *kind, where);
  for (const YamlNode::Entry& e : node.entries) {
    if (e.key == "event" || e.key == "count") continue;
    if (std::find(known.begin(), known.end(), e.key) == known.end()) {
      context.problems.Error(
          e.key_span, fmt::format("{} has no field \"{}\"", WithArticle(trigger.event), e.key),
          Suggest(e.key, known));
    } else if (std::optional<std::string> text = fields.Read(e.key, e.value)) {
      trigger.fields.emplace_back(e.key, *std::move(text));
    }
  }
  return trigger;
}

}  // namespace ksim::scenario
