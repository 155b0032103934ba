#include "ksim/kubelet/stages/stage_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "ksim/base/diagnostic.h"

namespace ksim::kubelet {
namespace {

using value::Value;
using Names = std::vector<std::string_view>;

class StageReader {
 public:
  explicit StageReader(std::vector<StageProblem>* problems) : problems_(problems) {}

  std::optional<Stage> Read(const Value& tree) {
    Fields(tree, "", {"apiVersion", "kind", "metadata", "spec", "status"});
    if (tree.Get("apiVersion").AsString() != "kwok.x-k8s.io/v1alpha1")
      Error("apiVersion",
            fmt::format("Stages of \"{}\" are not read here", tree.Get("apiVersion").AsString()),
            "write apiVersion: kwok.x-k8s.io/v1alpha1");
    stage_.name = tree.Get("metadata").Get("name").AsString();
    const Value& spec = tree.Get("spec");
    if (!Mapping(spec, "spec")) return std::nullopt;
    Fields(spec, "spec",
           {"delay", "immediateNextStage", "next", "resourceRef", "selector", "steps", "weight",
            "weightFrom"});
    if (!IsForPods(spec.Get("resourceRef"))) return std::nullopt;
    ReadSelector(spec.Get("selector"));
    stage_.weight = Whole(spec, "spec", "weight").value_or(0);
    stage_.weight_from = From(spec, "spec", "weightFrom");
    ReadDelay(spec.Get("delay"));
    ReadSteps(spec);
    stage_.immediate = Bool(spec, "spec", "immediateNextStage");
    if (failed_) return std::nullopt;
    return std::move(stage_);
  }

 private:
  // --- problems ------------------------------------------------------------------------------

  StageProblem& Problem(const std::string& field, std::string message, std::string hint) {
    StageProblem& p = problems_->emplace_back();
    p.field = field;
    p.message = std::move(message);
    p.hint = std::move(hint);
    return p;
  }
  void Error(const std::string& field, std::string message, std::string hint = "") {
    failed_ = true;
    Problem(field, std::move(message), std::move(hint));
  }
  void Warning(const std::string& field, std::string message, std::string hint = "") {
    Problem(field, std::move(message), std::move(hint)).warning = true;
  }
  void TextError(const std::string& field, const TextProblem& problem) {
    failed_ = true;
    Problem(field, problem.message, problem.hint).offset = problem.offset;
  }
  static std::string Below(const std::string& path, std::string_view field) {
    return path.empty() ? std::string(field) : fmt::format("{}.{}", path, field);
  }

  // --- shapes --------------------------------------------------------------------------------

  bool Mapping(const Value& v, const std::string& path) {
    if (v.is_object()) return true;
    Error(path, fmt::format("{} must be a mapping", path));
    return false;
  }

  void Fields(const Value& mapping, const std::string& path, const Names& known) {
    for (const Value::Member& m : mapping.members()) {
      if (std::find(known.begin(), known.end(), m.name.text()) != known.end()) continue;
      const std::string near = Nearest(m.name.text(), known);
      Error(Below(path, m.name.text()),
            fmt::format("a Stage has no field {}", Below(path, m.name.text())),
            near.empty() ? fmt::format("known: {}", fmt::join(known, ", "))
                         : fmt::format("did you mean \"{}\"?", near));
      problems_->back().at_key = true;
    }
  }

  std::string Text(const Value& of, const std::string& path, std::string_view field) {
    const Value& v = of.Get(field);
    if (!v.is_null() && !v.is_string())
      Error(Below(path, field), fmt::format("{} must be a string", Below(path, field)),
            "write it in quotes");
    return std::string(v.AsString());
  }
  bool Bool(const Value& of, const std::string& path, std::string_view field) {
    const Value& v = of.Get(field);
    if (!v.is_null() && !v.is_bool())
      Error(Below(path, field), fmt::format("{} must be true or false", Below(path, field)));
    return v.AsBool();
  }
  std::optional<std::int64_t> Whole(const Value& of, const std::string& path,
                                    std::string_view field) {
    const Value& v = of.Get(field);
    if (v.is_null()) return std::nullopt;
    if (v.is_int() && v.AsInt() >= 0) return v.AsInt();
    Error(Below(path, field),
          fmt::format("{} must be a whole number of at least 0", Below(path, field)));
    return std::nullopt;
  }
  // Each item with its path; reports what is no list.
  template <typename F>
  void Items(const Value& of, const std::string& path, std::string_view field, F f) {
    const Value& v = of.Get(field);
    const std::string at = Below(path, field);
    if (!v.is_null() && !v.is_array()) Error(at, fmt::format("{} must be a list", at));
    for (std::size_t i = 0; i < v.size() && v.is_array(); ++i)
      f(v.at(i), fmt::format("{}[{}]", at, i));
  }
  std::vector<std::string> Texts(const Value& of, const std::string& path, std::string_view field) {
    std::vector<std::string> out;
    Items(of, path, field, [&](const Value& item, const std::string& at) {
      if (!item.is_string())
        Error(at, fmt::format("{} must be a string", at), "write it in quotes");
      out.emplace_back(item.AsString());
    });
    return out;
  }

  // --- whom it is for ------------------------------------------------------------------------

  // False: for others, or for nobody.
  bool IsForPods(const Value& reference) {
    const std::string path = "spec.resourceRef";
    if (!Mapping(reference, path)) return false;
    Fields(reference, path, {"apiGroup", "kind"});
    const std::string kind = Text(reference, path, "kind");
    const std::string group = Text(reference, path, "apiGroup");
    const bool core = group.empty() || group == "v1";
    if (core && kind == "Pod") return true;
    if (core && kind == "Node") {
      Warning("spec.resourceRef.kind",
              fmt::format("the Stage {} is not played: a node's kubelet itself registers it and "
                          "keeps it alive",
                          stage_.name),
              "faults make a node not ready: crash, partition, nodeTrouble");
      return false;
    }
    Error("spec.resourceRef.kind",
          fmt::format("Stages are played for Pods alone, not for \"{}\"", kind),
          "ksim's own controllers act on other kinds");
    return false;
  }

  void ReadSelector(const Value& selector) {
    const std::string path = "spec.selector";
    if (selector.is_null()) {
      Warning("spec", fmt::format("the Stage {} has no selector: it matches no pod", stage_.name),
              "write selector: {} if it is for all");
      return;
    }
    if (!Mapping(selector, path)) return;
    Fields(selector, path, {"matchAnnotations", "matchExpressions", "matchLabels"});
    stage_.selects = true;
    stage_.labels = Strings(selector, path, "matchLabels");
    stage_.annotations = Strings(selector, path, "matchAnnotations");
    Items(selector, path, "matchExpressions", [&](const Value& item, const std::string& at) {
      if (Mapping(item, at)) ReadRequirement(item, at);
    });
  }

  Value Strings(const Value& of, const std::string& path, std::string_view field) {
    const Value& v = of.Get(field);
    if (v.is_null() || !Mapping(v, Below(path, field))) return Value();
    for (const Value::Member& m : v.members())
      if (!m.value.is_string())
        Error(fmt::format("{}[{}]", Below(path, field), m.name.text()),
              fmt::format("{} of {} must be a string", m.name.text(), Below(path, field)),
              "write it in quotes");
    return v;
  }

  void ReadRequirement(const Value& item, const std::string& path) {
    Fields(item, path, {"cel", "jq", "key", "operator", "values"});
    if (!item.Get("cel").is_null()) return RefuseCel(path);
    const Value& jq = item.Get("jq");
    const bool nested = !jq.is_null();
    const std::string at = nested ? Below(path, "jq") : path;
    if (nested && !Mapping(jq, at)) return;
    if (nested) Fields(jq, at, {"key", "operator", "values"});
    const Value& of = nested ? jq : item;
    StageRequirement requirement;
    if (of.Get("key").is_null()) return Error(at, fmt::format("{} has no key", at));
    requirement.key = Expression(of, at, "key");
    ReadOperator(of, at, &requirement);
    stage_.requirements.push_back(std::move(requirement));
  }

  void ReadOperator(const Value& of, const std::string& at, StageRequirement* out) {
    static const Names kOperators{"In", "NotIn", "Exists", "DoesNotExist"};
    const std::string op = Text(of, at, "operator");
    const auto found = std::find(kOperators.begin(), kOperators.end(), op);
    if (found == kOperators.end()) {
      const std::string near = Nearest(op, kOperators);
      return Error(of.Has("operator") ? Below(at, "operator") : at,
                   fmt::format("operator \"{}\" is not supported", op),
                   near.empty() ? fmt::format("known: {}", fmt::join(kOperators, ", "))
                                : fmt::format("did you mean \"{}\"?", near));
    }
    out->op = static_cast<StageRequirement::Operator>(found - kOperators.begin());
    out->values = Texts(of, at, "values");
    const bool lists = found - kOperators.begin() < 2;
    if (lists && out->values.empty())
      Error(of.Has("values") ? Below(at, "values") : at,
            fmt::format("values of the operator {} can't be empty", op));
    if (!lists && !out->values.empty())
      Error(Below(at, "values"), fmt::format("values of the operator {} must be empty", op));
  }

  void RefuseCel(const std::string& path) {
    Error(Below(path, "cel"), "CEL is not read here",
          "say the same in jq: {key: .status.phase, operator: In, values: [Running]}");
    problems_->back().at_key = true;
  }

  Jq Expression(const Value& of, const std::string& path, std::string_view field) {
    Jq jq;
    TextProblem problem;
    const std::size_t before = problems_->size();
    const std::string text = Text(of, path, field);
    if (problems_->size() == before && !Jq::Parse(text, &jq, &problem))
      TextError(Below(path, field), problem);
    return jq;
  }

  // {expressionFrom: JQ} or {jq: {expression: JQ}}
  std::optional<Jq> From(const Value& of, const std::string& path, std::string_view field) {
    const Value& from = of.Get(field);
    const std::string at = Below(path, field);
    if (from.is_null() || !Mapping(from, at)) return std::nullopt;
    Fields(from, at, {"cel", "expressionFrom", "jq"});
    if (!from.Get("cel").is_null()) {
      RefuseCel(at);
      problems_->back().hint =
          "say the same in jq: {expressionFrom: '.metadata.annotations[\"x\"]'}";
      return std::nullopt;
    }
    const Value& jq = from.Get("jq");
    if (!jq.is_null()) {
      const std::string inner = Below(at, "jq");
      if (!Mapping(jq, inner)) return std::nullopt;
      Fields(jq, inner, {"expression"});
      return Expression(jq, inner, "expression");
    }
    if (!from.Get("expressionFrom").is_null()) return Expression(from, at, "expressionFrom");
    Error(at, fmt::format("{} has no expressionFrom", at));
    return std::nullopt;
  }

  // --- when ----------------------------------------------------------------------------------

  void ReadDelay(const Value& delay) {
    const std::string path = "spec.delay";
    if (delay.is_null() || !Mapping(delay, path)) return;
    Fields(delay, path,
           {"durationFrom", "durationMilliseconds", "jitterDurationFrom",
            "jitterDurationMilliseconds"});
    stage_.delay.value = Milliseconds(Count(delay, path, "durationMilliseconds").value_or(0));
    stage_.delay.from = From(delay, path, "durationFrom");
    if (const auto jitter = Count(delay, path, "jitterDurationMilliseconds"))
      stage_.jitter.value = Milliseconds(*jitter);
    stage_.jitter.from = From(delay, path, "jitterDurationFrom");
  }
  // A number of milliseconds that a Duration can hold.
  std::optional<std::int64_t> Count(const Value& of, const std::string& path,
                                    std::string_view field) {
    constexpr std::int64_t kMost = std::int64_t{100} * 365 * 24 * 3600 * 1000;
    const std::optional<std::int64_t> count = Whole(of, path, field);
    if (count.value_or(0) <= kMost) return count;
    Error(Below(path, field), fmt::format("{} is longer than a hundred years", Below(path, field)));
    return std::nullopt;
  }

  // --- what comes ----------------------------------------------------------------------------

  void ReadSteps(const Value& spec) {
    const Value& next = spec.Get("next");
    if (!spec.Get("steps").is_null()) {
      if (!next.is_null())
        Warning("spec.next", "spec.next does nothing beside spec.steps", "take one of them out");
      Items(spec, "spec", "steps", [&](const Value& item, const std::string& at) {
        if (!Mapping(item, at)) return;
        Fields(item, at, {"apply", "delete", "event", "finalizers", "patch"});
        if (!item.Get("apply").is_null()) RefuseApply(at);
        StageStep step;
        ReadCommon(item, at, &step);
        step.remove = Bool(item, at, "delete");
        if (!item.Get("patch").is_null()) step.patch = Patch(item.Get("patch"), Below(at, "patch"));
        stage_.steps.push_back(std::move(step));
      });
    } else if (!next.is_null() && Mapping(next, "spec.next")) {
      ReadNext(next);
    }
  }
  void RefuseApply(const std::string& at) {
    Error(Below(at, "apply"), "a Stage applies no other objects here", "create them in a step");
    problems_->back().at_key = true;
  }

  // Convert_v1alpha1_StageSpec_To_internalversion_StageSpec: `next` as the steps that it stands
  // for.
  void ReadNext(const Value& next) {
    const std::string path = "spec.next";
    Fields(next, path,
           {"delete", "event", "finalizers", "patches", "statusPatchAs", "statusSubresource",
            "statusTemplate"});
    StageStep common;
    ReadCommon(next, path, &common);
    stage_.steps.push_back(std::move(common));
    Items(next, path, "patches", [&](const Value& item, const std::string& at) {
      StageStep step;
      step.patch = Patch(item, at);
      stage_.steps.push_back(std::move(step));
    });
    const bool patches = !next.Get("patches").empty();
    if (patches && !next.Get("statusTemplate").is_null())
      Warning("spec.next.statusTemplate", "spec.next.statusTemplate does nothing beside patches",
              "take one of them out");
    if (!patches && !next.Get("statusTemplate").is_null()) ReadStatusTemplate(next, path);
    if (!next.Get("statusPatchAs").is_null()) RefuseImpersonation(Below(path, "statusPatchAs"));
    if (!Bool(next, path, "delete")) return;
    StageStep step;
    step.remove = true;
    stage_.steps.push_back(std::move(step));
  }

  void ReadStatusTemplate(const Value& next, const std::string& path) {
    StageStep step;
    step.patch.emplace();
    const std::string subresource = Text(next, path, "statusSubresource");
    step.patch->subresource = subresource.empty() ? "status" : subresource;
    step.patch->root = "status";
    step.patch->body = TemplateAt(next, path, "statusTemplate");
    // An empty template is none.
    if (!next.Get("statusTemplate").AsString().empty()) stage_.steps.push_back(std::move(step));
  }

  void ReadCommon(const Value& of, const std::string& path, StageStep* step) {
    const Value& event = of.Get("event");
    const std::string at = Below(path, "event");
    if (!event.is_null() && Mapping(event, at)) {
      Fields(event, at, {"message", "reason", "type"});
      step->event.emplace();
      step->event->type = Text(event, at, "type");
      step->event->reason = Text(event, at, "reason");
      step->event->message = Text(event, at, "message");
    }
    const Value& finalizers = of.Get("finalizers");
    const std::string below = Below(path, "finalizers");
    if (finalizers.is_null() || !Mapping(finalizers, below)) return;
    Fields(finalizers, below, {"add", "empty", "remove"});
    step->finalizers.emplace();
    step->finalizers->add = Finalizers(finalizers, below, "add");
    step->finalizers->remove = Finalizers(finalizers, below, "remove");
    step->finalizers->empty = Bool(finalizers, below, "empty");
  }
  std::vector<std::string> Finalizers(const Value& of, const std::string& path,
                                      std::string_view field) {
    std::vector<std::string> out;
    Items(of, path, field, [&](const Value& item, const std::string& at) {
      if (!Mapping(item, at)) return;
      Fields(item, at, {"value"});
      out.push_back(Text(item, at, "value"));
    });
    return out;
  }

  StagePatch Patch(const Value& v, const std::string& path) {
    StagePatch patch;
    if (!Mapping(v, path)) return patch;
    Fields(v, path, {"impersonation", "root", "subresource", "template", "type"});
    if (!v.Get("impersonation").is_null()) RefuseImpersonation(Below(path, "impersonation"));
    patch.subresource = Text(v, path, "subresource");
    patch.root = Text(v, path, "root");
    const std::string type = Text(v, path, "type");
    static const Names kTypes{"json", "merge", "strategic"};
    if (type == "json") patch.type = api::PatchType::kJson;
    if (type == "merge") patch.type = api::PatchType::kMerge;
    if (!type.empty() && std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end())
      Error(Below(path, "type"), fmt::format("unknown patch type {}", type),
            fmt::format("known: {}", fmt::join(kTypes, ", ")));
    patch.body = TemplateAt(v, path, "template");
    return patch;
  }
  void RefuseImpersonation(const std::string& field) {
    Error(field, "a Stage is played in the name of the pod's kubelet and of nobody else");
    problems_->back().at_key = true;
  }

  Template TemplateAt(const Value& of, const std::string& path, std::string_view field) {
    Template out;
    TextProblem problem;
    const std::size_t before = problems_->size();
    const std::string text = Text(of, path, field);
    if (problems_->size() == before && !Template::Parse(text, &out, &problem))
      TextError(Below(path, field), problem);
    return out;
  }

  std::vector<StageProblem>* problems_;
  Stage stage_;
  bool failed_ = false;
};

}  // namespace

std::optional<Stage> ReadStage(const Value& tree, std::vector<StageProblem>* problems) {
  return StageReader(problems).Read(tree);
}

}  // namespace ksim::kubelet
