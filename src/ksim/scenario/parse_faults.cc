// spec.faults, spec.fuzz, spec.overrides and spec.expect.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "ksim/base/status.h"
#include "ksim/fault/drawn_faults.h"
#include "ksim/scenario/fault_arguments.h"
#include "ksim/scenario/parse.h"
#include "ksim/value/selector.h"

namespace ksim::scenario {
namespace {

using value::YamlNode;

// Reads the entry `VERB: {ARGUMENTS}` into the fault. False, and a problem, if there is no such
// verb or the fault has one already.
bool ReadVerb(ParseContext& context, const YamlNode::Entry& e, const std::string& where,
              const ClusterSpec& cluster, const std::vector<std::string>& nodes, FaultSpec* fault) {
  const fault::FaultVerb* verb = fault::FindVerb(e.key);
  if (verb == nullptr) {
    context.problems.Error(e.key_span, fmt::format("unknown fault \"{}\"", e.key),
                           Suggest(e.key, fault::VerbNames()));
    return false;
  }
  if (!fault->verb.empty()) {
    context.problems.Error(e.key_span,
                           fmt::format("{} does two things: {} and {}", where, fault->verb, e.key),
                           "make it two faults");
    return false;
  }
  fault->verb = e.key;
  fault->args = e.value.ToValue();
  MappingReader args(context.problems, e.value, *FaultType().Find(e.key)->of, where + "." + e.key);
  if (args.is_mapping()) CheckFaultArguments(context, args, *verb, cluster, nodes);
  if (IsNull(e.value)) CheckRequired(args, *verb, e.key_span);
  return true;
}

std::optional<FaultSpec> ParseFault(ParseContext& context, const YamlNode& node, std::size_t index,
                                    const ClusterSpec& cluster,
                                    const std::vector<std::string>& nodes) {
  const std::string where = fmt::format("spec.faults[{}]", index);
  if (node.kind != YamlNode::Kind::kMapping) {
    context.problems.Error(node.span,
                           fmt::format("{} must be a mapping, got {}", where, Describe(node)));
    return std::nullopt;
  }
  FaultSpec fault;
  fault.span = node.span;
  for (const YamlNode::Entry& e : node.entries) {
    if (e.key == "at" || e.key == "when") continue;
    if (!ReadVerb(context, e, where, cluster, nodes, &fault)) return std::nullopt;
  }
  if (const YamlNode* at = node.Find("at"))
    fault.at = ReadDuration(context.problems, *at, where + ".at");
  if (const YamlNode* when = node.Find("when"))
    fault.when = ParseTrigger(context, *when, where + ".when");
  if ((node.Find("at") != nullptr) == (node.Find("when") != nullptr))
    context.problems.Error(node.span, where + " wants one of at and when");
  if (fault.verb.empty())
    context.problems.Error(node.span, where + " does nothing",
                           fmt::format("add one of {}", fmt::join(fault::VerbNames(), ", ")));
  return fault;
}

void ReadCount(ParseContext& context, MappingReader& reader, Expectation* e) {
  const YamlNode* node = reader.Find("count");
  if (node == nullptr) return;
  if (node->kind == YamlNode::Kind::kMapping) {
    MappingReader count(context.problems, *node, CountType(), reader.PathTo("count"));
    e->min = count.OptionalInteger("min", 0);
    e->max = count.OptionalInteger("max", 0);
    if (!e->min && !e->max)
      context.problems.Error(node->span, reader.PathTo("count") + " wants min, max or both");
    if (e->min && e->max && *e->max < *e->min)
      context.problems.Error(node->span, reader.PathTo("count") + " wants min <= max");
    return;
  }
  e->min = e->max = reader.OptionalInteger("count", 0);
}

// The word of an expectation; nothing if it has none, or several.
std::optional<ExpectationWord> WordOf(const MappingReader& reader) {
  std::optional<ExpectationWord> out;
  for (const ExpectationWord word : {ExpectationWord::kEventually, ExpectationWord::kFinally,
                                     ExpectationWord::kAlways, ExpectationWord::kNever}) {
    if (!reader.Has(ToString(word))) continue;
    if (out) return std::nullopt;
    out = word;
  }
  return out;
}

void RefuseForOtherWords(MappingReader& reader, const Expectation& e) {
  const bool eventually = e.word == ExpectationWord::kEventually;
  const auto refuse = [&reader](const char* field, const char* words, const char* hint) {
    reader.problems().Error(reader.Find(field)->span,
                            fmt::format("{} is for {} only", field, words), hint);
  };
  const char* hint =
      e.word == ExpectationWord::kFinally ? "write eventually with lasts: true and within" : "";
  if (e.within && !eventually) refuse("within", "eventually", hint);
  if (e.lasts && !eventually) refuse("lasts", "eventually", "");
  if (e.after && !e.at_every_commit()) refuse("after", "always and never", "");
}

std::optional<Expectation> ParseExpectation(ParseContext& context, const YamlNode& node,
                                            std::size_t index) {
  const std::string where = fmt::format("spec.expect[{}]", index);
  MappingReader reader(context.problems, node, ExpectType(), where);
  if (!reader.is_mapping()) return std::nullopt;
  Expectation e;
  e.span = node.span;
  const std::optional<ExpectationWord> word = WordOf(reader);
  if (!word) {
    context.problems.Error(node.span,
                           where + " wants one of eventually, finally, always and never");
    return std::nullopt;
  }
  e.word = *word;
  const std::string_view field = ToString(e.word);
  MappingReader condition(context.problems, *reader.Find(field), ConditionType(),
                          reader.PathTo(field));
  ReadResource(context, condition, &e.resource, &e.name, false);
  if (const YamlNode* resource = condition.Find("resource"))
    CheckIsStored(context, e.resource, resource->span, "objects are judged as they are stored");
  if (const api::ResourceInfo* info = context.kinds.ByName(e.resource))
    e.resource = info->group_resource();
  e.ns = condition.String("namespace", "default");
  e.name = condition.String("name", e.name);
  e.selector = condition.String("selector");
  if (!e.selector.empty()) {
    if (const auto s = value::LabelSelector::Parse(e.selector); !s.ok())
      context.problems.Error(condition.Find("selector")->span,
                             fmt::format("bad selector: {}", Message(s.status())));
  }
  e.where = ReadWhere(condition, "where");
  ReadCount(context, condition, &e);
  e.within = reader.OptionalDuration("within");
  e.after = reader.OptionalDuration("after");
  if (reader.Has("lasts")) e.lasts = reader.Bool("lasts", false);
  RefuseForOtherWords(reader, e);
  return e;
}

}  // namespace

std::vector<FaultSpec> ParseFaults(ParseContext& context, MappingReader& spec,
                                   const ClusterSpec& cluster, const std::vector<Step>& steps) {
  const std::vector<std::string> nodes = AllNodes(cluster, steps);
  std::vector<FaultSpec> faults;
  std::size_t index = 0;
  for (const YamlNode* node : spec.List("faults"))
    if (auto fault = ParseFault(context, *node, index++, cluster, nodes))
      faults.push_back(*std::move(fault));
  return faults;
}

std::vector<sim::Override> ParseOverrides(ParseContext& context, MappingReader& spec) {
  std::vector<sim::Override> out;
  std::size_t index = 0;
  for (const YamlNode* node : spec.List("overrides")) {
    MappingReader reader(context.problems, *node, OverrideType(),
                         fmt::format("spec.overrides[{}]", index++));
    if (!reader.is_mapping()) continue;
    sim::Override o;
    o.site = reader.RequiredString("site");
    const std::string key = reader.RequiredString("key");
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), o.key);
    if (reader.Has("key") && (error != std::errc() || end != key.data() + key.size()))
      reader.problems().Error(reader.Find("key")->span,
                              fmt::format("{} must be a whole number in quotes, got \"{}\"",
                                          reader.PathTo("key"), key));
    o.answer = static_cast<std::uint32_t>(reader.Integer("answer", 0, 0));
    out.push_back(std::move(o));
  }
  return out;
}

std::vector<Expectation> ParseExpect(ParseContext& context, MappingReader& spec) {
  std::vector<Expectation> out;
  std::size_t index = 0;
  for (const YamlNode* node : spec.List("expect"))
    if (auto e = ParseExpectation(context, *node, index++)) out.push_back(*std::move(e));
  return out;
}

namespace {

// A fault that only a script can name would be drawn never, and nobody would hear of it.
void CheckDrawn(MappingReader& reader) {
  if (!reader.Has("faults")) return;
  const std::vector<std::string_view> drawn = fault::NamesInFuzz();
  for (const YamlNode& item : reader.Find("faults")->items) {
    std::string_view name = item.text;
    if (name == "*" || item.kind != YamlNode::Kind::kScalar) continue;
    if (name.starts_with("-")) name.remove_prefix(1);
    if (std::find(drawn.begin(), drawn.end(), name) != drawn.end()) continue;
    if (fault::FindVerb(name) != nullptr)
      reader.problems().Error(item.span, fmt::format("\"{}\" is never drawn", name),
                              fmt::format("drawn are: {}", fmt::join(drawn, ", ")));
    else
      reader.problems().Error(item.span, fmt::format("unknown fault \"{}\"", name),
                              Suggest(name, drawn));
  }
}

}  // namespace

FuzzSpec ParseFuzz(ParseContext& context, const YamlNode& node) {
  MappingReader reader(context.problems, node, FuzzType(), "spec.fuzz");
  FuzzSpec fuzz;
  fuzz.faults = reader.Strings("faults", fuzz.faults);
  CheckDrawn(reader);
  const YamlNode* window = reader.Find("window");
  if (window != nullptr && window->text != "auto") fuzz.window = reader.OptionalDuration("window");
  fuzz.settle = reader.DurationOf("settle", fuzz.settle);
  return fuzz;
}

}  // namespace ksim::scenario
