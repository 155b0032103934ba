#include "ksim/kubelet/runtime/behaviour.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

namespace ksim::kubelet {
namespace {

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// The entries between commas.
std::vector<std::string_view> EntriesOf(std::string_view list) {
  std::vector<std::string_view> out;
  while (!Trimmed(list).empty()) {
    const std::size_t comma = list.find(',');
    out.push_back(Trimmed(list.substr(0, comma)));
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
  return out;
}

// "after 5s", which may be missing: then it leaves `after` alone. False: neither.
template <typename Time>
bool ParseAfter(std::string_view text, Time* after) {
  if (text.empty()) return true;
  if (!text.starts_with("after ")) return false;
  const absl::StatusOr<Duration> parsed = ParseDuration(Trimmed(text.substr(6)));
  if (!parsed.ok() || *parsed < Duration()) return false;
  *after = *parsed;
  return true;
}

std::optional<RunPlan> ParsePlan(std::string_view entry) {
  RunPlan plan;
  if (entry == "runs") return plan;
  if (entry.starts_with("oom")) {
    plan.oom = true;
    plan.exit_code = 137;
    if (!ParseAfter(Trimmed(entry.substr(3)), &plan.after)) return std::nullopt;
    return plan;
  }
  int code = 0;
  const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), code);
  if (error != std::errc()) return std::nullopt;
  plan.exit_code = code;
  const std::string_view rest = entry.substr(static_cast<std::size_t>(end - entry.data()));
  if (!ParseAfter(Trimmed(rest), &plan.after)) return std::nullopt;
  return plan;
}

std::optional<PullPlan> ParsePull(std::string_view entry) {
  const std::size_t length = std::min(entry.find(' '), entry.size());
  const std::string_view word = entry.substr(0, length);
  PullPlan plan;
  plan.fails = word == "fail";
  if (!plan.fails && word != "pull") return std::nullopt;
  if (!ParseAfter(Trimmed(entry.substr(length)), &plan.after)) return std::nullopt;
  return plan;
}

// Entry `number` of the list, or its last entry if it has fewer.
template <typename Plan, typename Parse>
std::optional<Plan> EntryAt(std::string_view list, int number, Parse parse) {
  std::optional<Plan> plan;
  for (const std::string_view entry : EntriesOf(list)) {
    const std::optional<Plan> next = parse(entry);
    if (!next) break;
    plan = next;
    if (number-- == 0) break;
  }
  return plan;
}

struct ProbeStep {
  ProbeOutcome outcome = ProbeOutcome::kPass;
  Duration lasts = Duration::Max();
};

std::optional<ProbeStep> ParseProbeStep(std::string_view entry) {
  const std::size_t space = entry.find(' ');
  const std::string_view word = entry.substr(0, space);
  ProbeStep finding;
  if (word == "fail") {
    finding.outcome = ProbeOutcome::kFail;
  } else if (word == "error") {
    finding.outcome = ProbeOutcome::kError;
  } else if (word != "pass") {
    return std::nullopt;
  }
  if (space == std::string_view::npos) return finding;
  const absl::StatusOr<Duration> lasts = ParseDuration(Trimmed(entry.substr(space)));
  if (!lasts.ok()) return std::nullopt;
  finding.lasts = *lasts;
  return finding;
}

}  // namespace

std::optional<RunPlan> PlanOf(const api::Object& pod, std::string_view container, int run,
                              std::uint64_t ordinal) {
  std::string_view list = pod.Annotation(fmt::format("exit.ksim.dev/{}", container));
  for (; ordinal > 0; --ordinal) {
    const std::size_t semicolon = list.find(';');
    if (semicolon == list.npos) break;
    list.remove_prefix(semicolon + 1);
  }
  return EntryAt<RunPlan>(list.substr(0, list.find(';')), run, ParsePlan);
}

std::optional<RunPlan> PlanIn(std::string_view list, int run) {
  return EntryAt<RunPlan>(list, run, ParsePlan);
}

std::optional<PullPlan> PullPlanOf(const api::Object& pod, std::string_view container, int pull) {
  return EntryAt<PullPlan>(pod.Annotation(fmt::format("pull.ksim.dev/{}", container)), pull,
                           ParsePull);
}

namespace {

// "5", "5s", "1m", "0.5" of the command sleep; GNU's suffixes. nullopt: something else.
std::optional<Duration> SleepTime(std::string_view text) {
  const bool bare = !text.empty() && text.back() >= '0' && text.back() <= '9';
  const absl::StatusOr<Duration> parsed =
      ParseDuration(bare ? std::string(text) + "s" : std::string(text));
  if (!parsed.ok() || *parsed < Duration()) return std::nullopt;
  return *parsed;
}

// sleep 5, or a shell that does nothing else.
Duration TimeOfCommand(const value::Value& command) {
  const auto word = [&command](std::size_t i) { return command.at(i).AsString(); };
  if (command.size() == 2 && word(0).ends_with("sleep"))
    return SleepTime(word(1)).value_or(Duration());
  if (command.size() != 3 || word(1) != "-c" || !word(0).ends_with("sh")) return Duration();
  const std::string_view script = Trimmed(word(2));
  if (!script.starts_with("sleep ")) return Duration();
  return SleepTime(Trimmed(script.substr(6))).value_or(Duration());
}

}  // namespace

std::optional<HookPlan> PreStopPlanOf(const api::Object& pod, std::string_view container) {
  const value::Value* hook = nullptr;
  for (const char* list : {"containers", "initContainers"})
    for (const value::Value& spec : pod.spec().Get(list).items())
      if (spec.Get("name").AsString() == container) hook = &spec.Get("lifecycle").Get("preStop");
  if (hook == nullptr || hook->is_null()) return std::nullopt;
  HookPlan plan;
  plan.takes = hook->Has("sleep") ? Seconds(hook->Get("sleep").Get("seconds").AsInt())
                                  : TimeOfCommand(hook->Get("exec").Get("command"));
  std::string_view text = Trimmed(pod.Annotation(fmt::format("prestop.ksim.dev/{}", container)));
  if (text.empty()) return plan;
  plan.fails = text.starts_with("fail");
  if (plan.fails) {
    plan.takes = Duration();
    ParseAfter(Trimmed(text.substr(4)), &plan.takes);
  } else if (const std::optional<Duration> takes = SleepTime(text)) {
    plan.takes = *takes;
  }
  return plan;
}

std::string_view ToString(ProbeType type) {
  static constexpr std::string_view kNames[] = {"liveness", "readiness", "startup"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string_view FieldOf(ProbeType type) {
  static constexpr std::string_view kFields[] = {"livenessProbe", "readinessProbe", "startupProbe"};
  return kFields[static_cast<std::size_t>(type)];
}

ProbeOutcome OutcomeOf(const api::Object& pod, std::string_view container, ProbeType type,
                       Duration age) {
  ProbeOutcome outcome = ProbeOutcome::kPass;
  for (const std::string_view entry :
       EntriesOf(pod.Annotation(fmt::format("{}.ksim.dev/{}", ToString(type), container)))) {
    const std::optional<ProbeStep> finding = ParseProbeStep(entry);
    if (!finding) break;
    outcome = finding->outcome;
    if (age < finding->lasts) break;
    age = age - finding->lasts;
  }
  return outcome;
}

}  // namespace ksim::kubelet
