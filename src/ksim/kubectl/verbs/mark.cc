// kubectl label and annotate.
//
// Source: kubectl pkg/cmd/label/label.go, pkg/cmd/annotate/annotate.go.
#include <fmt/format.h>

#include "ksim/kubectl/printing/object_name.h"
#include "ksim/kubectl/verbs/messages.h"
#include "ksim/kubectl/verbs/verbs.h"
#include "ksim/value/selector.h"
#include "ksim/value/text.h"

namespace ksim::kubectl {
namespace {

value::Value MapOf(const MarkOptions& options) {
  value::ObjectBuilder out;
  for (const auto& [key, v] : options.set) out.Add(key, v ? value::Value::Of(*v) : value::Value());
  return out.Build();
}

// label.go ParseLabels: the error about a text that cannot be a label's value; "" for none.
std::string LabelValueError(const MarkOptions& options) {
  for (const auto& [key, v] : options.set) {
    const std::vector<std::string> problems =
        v ? value::LabelValueProblems(*v) : std::vector<std::string>();
    if (!problems.empty())
      return fmt::format("error: invalid label value: {}: {}",
                         value::GoQuote(fmt::format("{}={}", key, *v)), fmt::join(problems, ";"));
  }
  return "";
}

// label.go validateNoOverwrites, annotate.go validateNoAnnotationOverwrites: the error about what
// is `present` already; "" if kubectl sets it.
std::string OverwriteError(const MarkOptions& options, const value::Value& present) {
  constexpr std::string_view kChangeCause = "kubernetes.io/change-cause";
  std::vector<std::string> kept;
  for (const auto& [key, v] : options.set) {
    if (!v || options.overwrite || !present.Has(key) || present.Get(key).AsString() == *v) continue;
    if (options.label || key != kChangeCause)
      kept.push_back(fmt::format("'{}' already has a value ({}){}", key,
                                 present.Get(key).AsString(),
                                 options.label ? ", and --overwrite is false" : ""));
  }
  if (kept.empty()) return "";
  if (options.label)
    return fmt::format("{}{}", kept.size() == 1 ? "error: " : "", fmt::join(kept, "\n"));
  return fmt::format(
      "error: --overwrite is false but found the following declared annotation(s): {}",
      fmt::join(kept, "; "));
}

// label.go updateDataChangeMsg.
std::string_view ChangeText(const MarkOptions& options, const value::Value& present,
                            const Profile& profile) {
  int added = 0, removed = 0;
  for (const auto& [key, v] : options.set) {
    if (!v) removed += present.Has(key) ? 1 : 0;
    if (v) added += present.Has(key) && present.Get(key).AsString() == *v ? 0 : 1;
  }
  if (added == 0 && removed == 0) return "not labeled";
  if (added > 0) return removed > 0 && profile.label_counts_changes ? "modified" : "labeled";
  return options.overwrite && !profile.label_counts_changes ? "labeled" : "unlabeled";
}

}  // namespace

sim::Task<CommandOutput> Mark(Session& session, const MarkOptions& options) {
  CommandOutput output;
  Session::Info info = session.ResourceOf(options.target);
  const bool label = options.label;
  if (label) output.error = LabelValueError(options);
  if (!output.ok()) co_return output;
  const api::Response targets = co_await session.FindTargets(info, options.target);
  if (targets.code != 200) {
    output.error = ErrorText(targets);
    co_return output;
  }
  const char* field = label ? "labels" : "annotations";
  const char* manager = label ? "kubectl-label" : "kubectl-annotate";
  const value::Value patch = value::Obj({{"metadata", value::Obj({{field, MapOf(options)}})}});
  for (const api::Object& target : targets.items) {
    const value::Value& present = label ? target.labels() : target.annotations();
    output.error = OverwriteError(options, present);
    if (!output.ok()) co_return output;
    for (const auto& [key, v] : options.set)
      if (label && !v && !present.Has(key))
        output.lines.push_back(fmt::format("label \"{}\" not found.", key));
    const std::string done =
        fmt::format("{} {}", SlashedName(*info, target.name()),
                    label ? ChangeText(options, present, session.profile()) : "annotated");
    if (session.profile().unchanged_labels_are_not_sent && done.ends_with(" not labeled")) {
      output.lines.push_back(done);
      continue;
    }
    const api::Response after =
        co_await session.Patch(info, std::string(target.ns()), std::string(target.name()), patch,
                               api::PatchType::kMerge, "", manager);
    if (HasFailed(after)) {
      output.error = ErrorText(after);
      co_return output;
    }
    output.lines.push_back(done);
  }
  co_return output;
}

}  // namespace ksim::kubectl
