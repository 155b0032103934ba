#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "ksim/api/kinds.h"
#include "ksim/api/variants.h"
#include "ksim/base/diagnostic.h"
#include "ksim/check/oracle.h"
#include "ksim/cli/command.h"
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
  for (const check::OracleEntry& e : check::AllOracles()) {
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
std::string KindsText(std::string_view only = "") {
  const api::Kinds kinds;
  std::vector<std::vector<std::string>> lines{
      {"NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"}};
  for (const api::ResourceInfo* r : kinds.all())
    if (only.empty() || r->resource == only || r->kind == only)
      lines.push_back({std::string(r->resource), fmt::format("{}", fmt::join(r->short_names, ",")),
                       std::string(r->api_version()), r->namespaced ? "true" : "false",
                       std::string(r->kind)});
  return lines.size() == 1 ? "" : kubectl::AlignColumns(lines);
}

// One variant: what its buggy value does, its values, and what upstream had at each version.
std::string VariantText(const api::VariantInfo& v) {
  std::string defaults;
  for (const api::Compat c : {api::Compat::k1_25, api::Compat::k1_30, api::Compat::k1_36}) {
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

class ExplainCommand : public Command {
 public:
  std::string_view name() const override { return "explain"; }
  std::string_view summary() const override {
    return "document scenario fields, faults, oracles, sites and kinds";
  }
  std::string_view usage() const override { return "ksim explain TOPIC"; }
  std::string_view description() const override {
    return "Topics: scenario (and its fields, as scenario.spec.steps), faults, oracles, sites,\n"
           "variants, kinds, controllers.";
  }
  std::vector<Example> examples() const override {
    return {{"What a step can be", "ksim explain scenario.spec.steps"},
            {"What a delete takes", "ksim explain scenario.spec.steps.delete"},
            {"What an oracle promises", "ksim explain esr"},
            {"The kinds there are", "ksim explain kinds"}};
  }
  void Define(CLI::App& app) override { app.add_option("TOPIC", topic_, "What to explain"); }

  int Run(Io& io) override {
    if (topic_.empty()) {
      io.Out(fmt::format("topics: {}\n", fmt::join(kTopics, ", ")));
      return kOk;
    }
    if (topic_ == "oracles") return Show(io, "Oracles", OraclesText());
    if (topic_ == "controllers") return Show(io, "Controllers", NamedText(scenario::Controllers()));
    if (topic_ == "sites")
      return Show(io, "Sites of draws and decisions", NamedText(scenario::Sites()));
    if (topic_ == "kinds")
      return Show(io, "Kinds",
                  KindsText() + "\nAny kind of another group is served as a custom resource.\n");
    if (topic_ == "variants")
      return Show(io, "Variants: NAME: VALUE in spec.cluster.variants", VariantsText());
    if (scenario::FaultType().Find(topic_) != nullptr && topic_ != "at" && topic_ != "when")
      return ExplainPath(io, "scenario.spec.faults." + topic_);
    if (topic_ == "faults") return ExplainPath(io, "scenario.spec.faults");
    if (topic_.starts_with("faults.")) return ExplainPath(io, "scenario.spec." + topic_);
    if (const std::string one = OneOfASet(); !one.empty()) {
      io.Out(one);
      return kOk;
    }
    return ExplainPath(io, topic_);
  }

 private:
  // `ksim explain oracles.esr`, or just esr; "" if there is no such thing.
  std::string OneOfASet() const {
    const auto named = [this](std::string_view set) {
      const std::string prefix = std::string(set) + ".";
      return std::string_view(topic_).substr(topic_.starts_with(prefix) ? prefix.size() : 0);
    };
    std::string text = OraclesText(named("oracles"));
    if (text.empty()) text = VariantsText(named("variants"));
    if (text.empty()) text = KindsText(named("kinds"));
    const scenario::Named* controller =
        scenario::FindNamed(scenario::Controllers(), named("controllers"));
    if (text.empty() && controller != nullptr) text = NamedText({*controller});
    return text;
  }

  static int Show(Io& io, std::string_view title, const std::string& text) {
    io.Out(fmt::format("{}\n\n{}", title, text));
    return kOk;
  }

  int ExplainPath(Io& io, const std::string& path) {
    const Type* type = &scenario::ScenarioType();
    std::string_view rest = path;
    const std::string_view head = rest.substr(0, rest.find('.'));
    if (head != "scenario") return Unknown(io, topic_, {std::begin(kTopics), std::end(kTopics)});
    while (rest.find('.') != std::string_view::npos) {
      rest.remove_prefix(rest.find('.') + 1);
      const std::string_view field_name = rest.substr(0, rest.find('.'));
      const Field* field = type == nullptr ? nullptr : type->Find(field_name);
      if (field == nullptr)
        return Unknown(io, std::string(field_name),
                       type == nullptr ? std::vector<std::string_view>() : type->names());
      last_ = field;
      type = field->of;
    }
    if (type != nullptr) {
      io.Out(TypeText(path, *type));
    } else {
      io.Out(fmt::format("{} <{}>\n\n{}\n", path, last_->type, last_->text));
      if (!last_->value.empty()) io.Out(fmt::format("Default: {}\n", last_->value));
    }
    return kOk;
  }

  static int Unknown(Io& io, const std::string& word, const std::vector<std::string_view>& known) {
    const std::string near = Nearest(word, known);
    io.Err(fmt::format("error: nothing to explain about \"{}\"{}\n", word,
                       near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
    if (near.empty() && !known.empty())
      io.Err(fmt::format("hint: there {} {}\n", known.size() == 1 ? "is" : "are",
                         fmt::join(known, ", ")));
    return kNothing;
  }

  std::string topic_;
  const Field* last_ = nullptr;
};

}  // namespace

std::vector<std::string_view> ExplainTopics() { return {std::begin(kTopics), std::end(kTopics)}; }

std::unique_ptr<Command> MakeExplain() { return std::make_unique<ExplainCommand>(); }

}  // namespace ksim::cli
