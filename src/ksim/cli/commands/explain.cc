// ksim explain: the pages about scenarios, faults, oracles, variants and kinds.
#include <fmt/format.h>

#include "ksim/api/kinds.h"
#include "ksim/api/variants.h"
#include "ksim/base/diagnostic.h"
#include "ksim/check/audit/judge_audit.h"
#include "ksim/check/oracle.h"
#include "ksim/cli/command.h"
#include "ksim/cli/common_flags.h"
#include "ksim/cli/exit_code.h"
#include "ksim/kubectl/printing/table.h"
#include "ksim/scenario/schema.h"
#include "ksim/trace/schema.h"

namespace ksim::cli {
namespace {

using scenario::Field;
using scenario::Named;
using scenario::Type;

constexpr std::string_view kTopics[] = {"scenario", "faults", "oracles",    "sites",
                                        "variants", "kinds",  "controllers"};

std::string FieldLines(const Type& type) {
  std::string out;
  for (const Field& f : type.fields) {
    out += fmt::format("  {:<20} <{}>", f.name, f.type);
    if (!f.value.empty()) out += fmt::format("  default {}", f.value);
    out += fmt::format("\n      {}\n", f.text);
  }
  return out;
}

std::string TypeText(const std::string& path, const Type& type) {
  return fmt::format("{}\n\n{}\n\nFields:\n{}", path, type.text, FieldLines(type));
}

std::string NamedText(const std::vector<Named>& set) {
  std::string out;
  for (const Named& n : set)
    out +=
        fmt::format("  {:<38} {}{}\n", n.name, n.text, n.available ? "" : " (not in this version)");
  return out;
}

// A sentence that wraps at the width of a page.
std::string Wrapped(std::string_view text, std::string_view indent) {
  constexpr std::size_t kWidth = 96;
  std::string out(indent), line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t space = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, space - at);
    if (!line.empty() && indent.size() + line.size() + 1 + word.size() > kWidth) {
      out.append(line).append("\n").append(indent);
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
    at = space + 1;
  }
  return out + line + "\n";
}

std::string OraclesText(std::string_view only = "") {
  std::string out;
  std::vector<check::OracleEntry> entries = check::AllOracles();
  entries.push_back(check::HotLoopEntry());
  for (const check::OracleEntry& e : entries) {
    if (!only.empty() && e.info->name != only) continue;
    const bool safety = e.info->guarantee == check::Guarantee::kSafety;
    out += fmt::format("{} ({})\n{}", e.info->name, safety ? "safety, exit 1" : "liveness, exit 3",
                       Wrapped(e.info->promise, "  "));
    if (!e.why.empty()) out += fmt::format("  not judged: {}\n", e.why);
    std::vector<std::string_view> kinds;
    for (sim::EventKind kind : e.info->reads) kinds.push_back(trace::KindName(kind));
    if (!kinds.empty()) out += fmt::format("  reads: {}\n", fmt::join(kinds, ", "));
    for (std::string_view legal : e.info->legal)
      out += Wrapped(fmt::format("legal: {}", legal), "    ");
    out += "\n";
  }
  return out;
}

// The columns of `kubectl api-resources`.
std::string KindsText(const Program& program, std::string_view only = "") {
  api::Kinds kinds;
  if (program.registry != nullptr)
    for (const api::ResourceInfo& own : program.registry->kinds()) kinds.Add(own);
  std::vector<std::vector<std::string>> lines{
      {"NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"}};
  for (const api::ResourceInfo* r : kinds.all())
    if (only.empty() || r->resource == only || r->kind == only)
      lines.push_back({std::string(r->resource), fmt::format("{}", fmt::join(r->short_names, ",")),
                       std::string(r->api_version()), r->namespaced ? "true" : "false",
                       std::string(r->kind)});
  return lines.size() == 1 ? "" : kubectl::AlignColumns(lines);
}

// A variant: what its buggy value does, its values, and what upstream had at each version.
std::string VariantText(const api::VariantInfo& v) {
  std::string defaults;
  for (const api::Compat c : api::kCompats) {
    defaults += fmt::format("{}{}: {}", defaults.empty() ? "" : ", ", api::ToString(c),
                            v.ExistsIn(c) ? v.AsCompat(c) : "does not exist");
  }
  return fmt::format("  {:<24} {}{}\n      {} ({}, {})\n      asCompat: {}\n", v.name,
                     fmt::join(v.values, " | "), v.available ? "" : " (not in this version)",
                     v.text, v.museum, v.upstream, defaults);
}

std::string VariantsText(std::string_view only = "") {
  std::string out;
  for (const api::VariantInfo& v : api::AllVariants())
    if (only.empty() || v.name == only) out += VariantText(v);
  if (out.empty() || !only.empty()) return out;
  return out +
         "\nThe first value is the repaired form; {all: fixed} selects it everywhere. The "
         "default,\n"
         "asCompat, is what upstream did at the version of the scenario's `compat`.\n";
}

struct ExplainFlags {
  std::string topic;
};

void AddExplainFlags(FlagSet& set, ExplainFlags& flags) {
  set.Add("TOPIC", &flags.topic, "What to explain");
}

int PrintUnknownTopic(Io& io, const std::string& word, const std::vector<std::string_view>& known) {
  const std::string near = Nearest(word, known);
  io.Err(fmt::format("error: nothing to explain about \"{}\"{}\n", word,
                     near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
  if (near.empty() && !known.empty())
    io.Err(fmt::format("hint: there {} {}\n", known.size() == 1 ? "is" : "are",
                       fmt::join(known, ", ")));
  return kNothing;
}

int PrintTopic(Io& io, std::string_view title, const std::string& text) {
  io.Out(fmt::format("{}\n\n{}", title, text));
  return kOk;
}

// The text about a single oracle, variant, kind or controller: `ksim explain oracles.esr`, or just
// esr; "" if there is none.
std::string TextOfOne(const Program& program, std::string_view topic) {
  const auto name_in = [topic](std::string_view set) {
    const std::string prefix = std::string(set) + ".";
    return topic.substr(topic.starts_with(prefix) ? prefix.size() : 0);
  };
  std::string text = OraclesText(name_in("oracles"));
  if (text.empty()) text = VariantsText(name_in("variants"));
  if (text.empty()) text = KindsText(program, name_in("kinds"));
  const std::vector<Named> all = scenario::ControllersOf(program.registry.get());
  const Named* controller = scenario::FindNamed(all, name_in("controllers"));
  if (text.empty() && controller != nullptr) text = NamedText({*controller});
  return text;
}

// Explains a field of a scenario: scenario.spec.steps. `topic` is the path as the user gave it.
int ExplainPath(Io& io, const std::string& path, const std::string& topic) {
  const Type* type = &scenario::ScenarioType();
  const Field* last = nullptr;
  std::string_view rest = path;
  if (rest.substr(0, rest.find('.')) != "scenario")
    return PrintUnknownTopic(io, topic, ExplainTopics());
  while (rest.find('.') != std::string_view::npos) {
    rest.remove_prefix(rest.find('.') + 1);
    const std::string_view field_name = rest.substr(0, rest.find('.'));
    last = type == nullptr ? nullptr : type->Find(field_name);
    if (last == nullptr)
      return PrintUnknownTopic(io, std::string(field_name),
                               type == nullptr ? std::vector<std::string_view>() : type->names());
    type = last->of;
  }
  if (type != nullptr) {
    io.Out(TypeText(path, *type));
    return kOk;
  }
  io.Out(fmt::format("{} <{}>\n\n{}\n", path, last->type, last->text));
  if (!last->value.empty()) io.Out(fmt::format("Default: {}\n", last->value));
  return kOk;
}

int RunExplain(Io& io, const ExplainFlags& flags) {
  const std::string& topic = flags.topic;
  if (topic.empty()) {
    io.Out(fmt::format("topics: {}\n", fmt::join(kTopics, ", ")));
    return kOk;
  }
  if (topic == "oracles") return PrintTopic(io, "Oracles", OraclesText());
  if (topic == "controllers")
    return PrintTopic(io, "Controllers",
                      NamedText(scenario::ControllersOf(io.program().registry.get())));
  if (topic == "sites")
    return PrintTopic(io, "Sites of draws and decisions", NamedText(scenario::Sites()));
  if (topic == "kinds")
    return PrintTopic(
        io, "Kinds",
        KindsText(io.program()) + "\nAny kind of another group is served as a custom resource.\n");
  if (topic == "variants")
    return PrintTopic(io, "Variants: NAME: VALUE in spec.cluster.variants", VariantsText());
  if (scenario::FaultType().Find(topic) != nullptr && topic != "at" && topic != "when")
    return ExplainPath(io, "scenario.spec.faults." + topic, topic);
  if (topic == "faults") return ExplainPath(io, "scenario.spec.faults", topic);
  if (topic.starts_with("faults.")) return ExplainPath(io, "scenario.spec." + topic, topic);
  if (const std::string one = TextOfOne(io.program(), topic); !one.empty()) {
    io.Out(one);
    return kOk;
  }
  return ExplainPath(io, topic, topic);
}

}  // namespace

std::vector<std::string_view> ExplainTopics() { return {std::begin(kTopics), std::end(kTopics)}; }

Command ExplainCommand() {
  return {.name = "explain",
          .summary = "document scenario fields, faults, oracles, sites and kinds",
          .usage = "ksim explain TOPIC",
          .description =
              "Topics: scenario (and its fields, as scenario.spec.steps), faults, oracles, sites,\n"
              "variants, kinds, controllers.",
          .examples = {{"What a step can be", "ksim explain scenario.spec.steps"},
                       {"What a delete takes", "ksim explain scenario.spec.steps.delete"},
                       {"What an oracle promises", "ksim explain esr"},
                       {"The kinds there are", "ksim explain kinds"}},
          .invoke = &Invoke<ExplainFlags, AddExplainFlags, RunExplain>};
}

}  // namespace ksim::cli
