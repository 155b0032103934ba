// RunLaw of laws/register.h: steps, faults, phases, processes and reconciles begin and end, and
// steps and scripted faults are those of the scenario in the first line.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "ksim/base/time.h"
#include "ksim/check/laws/register.h"
#include "ksim/fault/catalogue.h"
#include "ksim/fault/injector.h"
#include "ksim/value/json.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;
using trace::Record;
using value::Value;

class Run : public TraceLaw {
 public:
  void On(const Ledger& ledger, const Record& r) override {
    switch (r.kind) {
      case Kind::kStep:
        return JudgeStep(ledger, r);
      case Kind::kFault:
        return JudgeFault(ledger, r);
      case Kind::kPhase:
        return JudgePhase(ledger, r);
      case Kind::kActor:
        return JudgeActor(ledger, r);
      case Kind::kReconcile:
        return JudgeReconcile(ledger, r);
      default:
        return JudgeActing(r);
    }
  }

  void Finish(const Ledger&, const Checker&) override {
    // A program that embeds ksim runs a cluster without phases.
    if (phase_ != 0 && phase_ != kPhases) Contradict(0, "the run has no phase \"end\"");
  }

 private:
  static constexpr std::size_t kPhases = 5;

  // --- steps ---

  void JudgeStep(const Ledger& ledger, const Record& r) {
    const Value& steps = ledger.trace().header.scenario.Get("spec").Get("steps");
    if (r.Int("n") < 1 || r.Int("n") > static_cast<std::int64_t>(steps.size()))
      return Contradict(r, fmt::format("the scenario has no step {}", r.Int("n")));
    const Value& step = steps.at(static_cast<std::size_t>(r.Int("n") - 1));
    const Value* said = nullptr;
    for (const Value::Member& m : step.members())
      if (m.name.text() == r.Text("verb")) said = &m.value;
    if (said == nullptr)
      Contradict(r, fmt::format("step {} of the scenario does not {}", r.Int("n"), r.Text("verb")));
    if (r.Text("state") == "begin") {
      Same(r, "the result of a step that begins", r.Text("result"), "");
      if (said != nullptr) JudgeWhatItRepeats(r, *said);
      JudgeTrigger(r, step, ledger.CauseOf(r));
      begun_.emplace(r.Int("n"), r.seq);
      if (!steps_.emplace(r.Int("n"), &r).second)
        Contradict(r, fmt::format("step {} begins twice", r.Int("n")));
      return;
    }
    JudgeResult(r, said);
    const auto begun = steps_.find(r.Int("n"));
    if (begun == steps_.end() || begun->second == nullptr)
      return Contradict(r, fmt::format("step {} ends, and never began", r.Int("n")));
    SameAsBegin(r, *begun->second, {"verb", "target"});
    const Record* cause = ledger.CauseOf(r);
    if (cause == nullptr || cause->seq < begun->second->seq)
      Contradict(r, "it ends by nothing that came after its begin");
    begun->second = nullptr;
  }

  // A step comes at its time, by what it waits for, or after the one before it.
  void JudgeTrigger(const Record& r, const Value& step, const Record* cause) {
    if (step.Has("when") && cause == nullptr) Contradict(r, "what it waits for never came");
    if (step.Has("when")) return;
    if (const auto at = ParseDuration(step.Get("at").AsString()); step.Has("at") && at.ok()) {
      const std::int64_t due = std::max(at->ns(), phase_began_);
      if (r.t < due)
        Contradict(r, fmt::format("it begins at {} ns, the scenario says {}", r.t, at->ns()));
    }
    if (cause == nullptr) return;
    const auto before = begun_.find(r.Int("n") - 1);
    if (!step.Has("at") && before != begun_.end() && cause->seq < before->second)
      Contradict(r, fmt::format("seq {} was before the step that it follows", cause->seq));
  }

  void JudgeWhatItRepeats(const Record& r, const Value& said) {
    if (const Value args = said.Erase("objects"); r.Get("args") != args)
      Contradict(r, fmt::format("args are {}, the scenario says {}", value::ToJson(r.Get("args")),
                                value::ToJson(args)));
    if (const std::string target = TargetOf(said); !target.empty())
      Same(r, "the target", r.Text("target"), target);
  }

  // The name, or the beginning of the one that the server makes.
  static std::string_view NameIn(const Value& metadata) {
    return metadata.Get(metadata.Has("name") ? "name" : "generateName").AsString();
  }

  // As scenario/step_scheduler.cc writes it; "" for verbs about nodes.
  static std::string TargetOf(const Value& said) {
    std::string target(said.Get("resource").AsString());
    for (const Value& object : said.Get("objects").items())
      target += fmt::format("{}{}/{}", target.empty() ? "" : " ", object.Get("kind").AsString(),
                            NameIn(object.Get("metadata")));
    const std::string_view selector = said.Get("selector").AsString();
    return selector.empty() ? target : fmt::format("{} -l {}", target, selector);
  }

  // kubectl names what it has made, and says nothing where a selector matches nothing.
  void JudgeResult(const Record& r, const Value* said) {
    const std::string_view result = r.Text("result");
    const bool selects = said != nullptr && said->Has("selector");
    if (result.empty() && !selects) Contradict(r, "a step ends without a result");
    if (said == nullptr || !result.ends_with(" created")) return;
    for (const Value& object : said->Get("objects").items()) {
      const std::string_view name = NameIn(object.Get("metadata"));
      if (result.find(fmt::format("/{}", name)) == std::string_view::npos)
        Contradict(r, fmt::format("\"{}\" does not name {}", result, name));
    }
  }

  // --- faults ---

  void JudgeFault(const Ledger& ledger, const Record& r) {
    const std::string id(r.Text("id"));
    const bool drawn = id.starts_with("d");
    // `ksim ctl` injects others.
    const bool served = ledger.trace().header.mode == "serve";
    if (!served) Same(r, "the plan", r.Text("plan"), drawn ? "drawn" : "scripted");
    if (drawn && ids_.insert(id).second) Same(r, "the id", id, fmt::format("d{}", ids_.size()));
    fault::Spec spec;
    spec.verb = r.Text("verb");
    spec.args = r.Get("args");
    Same(r, "the target", r.Text("target"), fault::TargetOf(spec));
    const auto begun = faults_.find(id);
    if (r.Text("state") == "begin" && begun != faults_.end())
      Contradict(r, fmt::format("fault {} is in force", id));
    if (r.Text("state") == "end" && begun == faults_.end())
      Contradict(r, fmt::format("fault {} ends, and never began", id));
    if (begun != faults_.end() && r.Text("state") != "begin") {
      SameAsBegin(r, *begun->second, {"verb", "target", "plan"});
      if (r.Text("state") == "end") JudgeEndOfFault(ledger, r, *begun->second);
      faults_.erase(begun);
    } else {
      faults_[id] = &r;
    }
    if (!drawn && !served) JudgeScripted(ledger, r);
  }

  // A scripted fault bears its number in the scenario.
  void JudgeScripted(const Ledger& ledger, const Record& r) {
    const Value& faults = ledger.trace().header.scenario.Get("spec").Get("faults");
    std::size_t number = 0;
    const std::string_view id = r.Text("id");
    std::from_chars(id.data(), id.data() + id.size(), number);
    if (number == 0 || number > faults.size() || std::to_string(number) != id)
      return Contradict(r, fmt::format("the scenario has no fault \"{}\"", id));
    const Value& fault = faults.at(number - 1);
    const Value* said = nullptr;
    for (const Value::Member& m : fault.members())
      if (m.name.text() == r.Text("verb")) said = &m.value;
    if (said == nullptr || *said != r.Get("args"))
      Contradict(r, fmt::format("fault {} of the scenario is another", number));
    if (r.Text("state") == "begin" && fault.Has("when") == (r.cause == 0))
      Contradict(r, fault.Has("when") ? "what it waits for never came" : "it waits for nothing");
  }

  // Whether a fault strikes several times, and ends with the last one.
  static bool StrikesAgain(std::string_view verb) {
    const fault::FaultVerb* known = fault::FindVerb(verb);
    return known != nullptr &&
           std::any_of(known->arguments.begin(), known->arguments.end(),
                       [](const fault::Argument& argument) { return argument.name == "times"; });
  }

  // A fault ends when its time is up, by its counterpart, as all is healed, or at what it struck
  // last.
  void JudgeEndOfFault(const Ledger& ledger, const Record& r, const Record& begin) {
    const Record* cause = ledger.CauseOf(r);
    const bool struck = cause != nullptr && StrikesAgain(r.Text("verb")) &&
                        (cause->kind == Kind::kRequest || cause->kind == Kind::kWebhook ||
                         cause->kind == Kind::kHandler || cause->kind == Kind::kEvent);
    if (struck) return;  // a rival writes, and a page is lost, a moment later
    if (cause == nullptr ||
        (cause->kind != Kind::kFault && cause->kind != Kind::kPhase && cause->kind != Kind::kActor))
      return Contradict(r, "a fault that nothing ends");
    if (cause != &begin) return Same(r, "the time", r.t, cause->t);
    const auto lasts = ParseDuration(r.Get("args").Get("for").AsString());
    if (lasts.ok() && r.t - begin.t < lasts->ns())
      Contradict(r, fmt::format("it lasted {} ns, not {}", r.t - begin.t, lasts->ns()));
  }

  void SameAsBegin(const Record& r, const Record& begin,
                   std::initializer_list<std::string_view> fields) {
    for (std::string_view field : fields)
      Same(r, fmt::format("{} beside its begin", field), r.Text(field), begin.Text(field));
    if (r.Get("args") != begin.Get("args"))
      Contradict(r, fmt::format("args are {}, at its begin they were {}",
                                value::ToJson(r.Get("args")), value::ToJson(begin.Get("args"))));
  }

  // --- phases, processes ---

  void JudgePhase(const Ledger& ledger, const Record& r) {
    static constexpr std::string_view kAll[kPhases] = {"workload", "faults", "heal", "settle",
                                                       "end"};
    const auto at = static_cast<std::size_t>(
        std::find(std::begin(kAll), std::end(kAll), r.Text("name")) - std::begin(kAll));
    const bool fuzz = ledger.trace().header.mode == "fuzz";
    const bool of_fuzz = at == 1 || at == 3;
    if (of_fuzz && !fuzz) Contradict(r, fmt::format("phase {} of a run", r.Text("name")));
    const bool again = r.Text("name") == "heal" && at + 1 == phase_;  // faults that come later
    if (at < phase_ && !again)
      Contradict(
          r, fmt::format("phase {} after {}", r.Text("name"), phase_ == 0 ? "" : kAll[phase_ - 1]));
    if (at > 0 && phase_ == 0) Contradict(r, fmt::format("the run begins with {}", r.Text("name")));
    if (fuzz && at == 3 && phase_ != 3) Contradict(r, "settles before it is healed");
    if (fuzz && at == 2 && phase_ != 2) Contradict(r, "heals what had no faults");
    if (of_fuzz) Same(r, "the time", r.t, phase_began_);
    phase_ = at + 1;
    phase_began_ = r.t;
  }

  void JudgeActor(const Ledger& ledger, const Record& r) {
    std::string& before = processes_[std::string(r.Text("process"))];
    const std::string_view state = r.Text("state"), process = r.Text("process");
    const bool down = before == "stop" || before == "kill";
    // A process that gives up starts again, without an end that would be told.
    const bool fits = state == "start"  ? true
                      : state == "lead" ? before == "start" || before == "lose"
                      : state == "lose" ? before == "lead"
                                        : !down && (!before.empty() || process == "kubectl");
    if (!fits) Contradict(r, fmt::format("{} after \"{}\"", state, before));
    before = state;
    const bool leads = state == "lead" || state == "lose";
    const Record* cause = ledger.CauseOf(r);
    if (!leads && cause != nullptr && cause->kind == Kind::kFault && cause->t != r.t)
      Contradict(r, fmt::format("seq {} kills and starts at once, at {} ns", cause->seq, cause->t));
    if (!leads)
      std::erase_if(reconciles_, [&r](const auto& one) {
        return ProcessOfActor(one.first.first) == r.Text("process");
      });
  }

  // A process that is down does nothing.
  void JudgeActing(const Record& r) {
    const auto at = processes_.find(ProcessOfActor(r.actor));
    const bool there = r.actor == "ksim" || r.actor == "kubectl" || r.kind == Kind::kInput ||
                       at != processes_.end();
    if (!there) Contradict(r, fmt::format("there is no process of {}", r.actor));
    if (at == processes_.end() || (at->second != "kill" && at->second != "stop")) return;
    if (r.kind == Kind::kRequest || r.kind == Kind::kHandler || r.kind == Kind::kRelist)
      Contradict(r, fmt::format("{} is down", r.actor));
  }

  // --- reconciles ---

  void JudgeReconcile(const Ledger& ledger, const Record& r) {
    Same(r, "the actor", r.actor.substr(r.actor.rfind('/') + 1), r.Text("controller"));
    if (r.Text("key").empty()) Contradict(r, "a reconcile without a key");
    const std::pair<std::string, std::string> of(r.actor, r.Text("key"));
    const auto begun = reconciles_.find(of);
    const bool known = begun != reconciles_.end();
    if (r.Text("state") == "begin") {
      Same(r, "the result of a reconcile that begins", r.Text("result"), "");
      if (known) Contradict(r, fmt::format("seq {} has not ended", begun->second));
      reconciles_[of] = r.seq;
      return JudgeWhy(ledger, r);
    }
    if (!IsResult(r.Text("result")))
      Contradict(r, fmt::format("a reconcile does not end with \"{}\"", r.Text("result")));
    if (!known) return Contradict(r, "a reconcile that never began");
    Same(r, "the cause", static_cast<std::int64_t>(r.cause),
         static_cast<std::int64_t>(begun->second));
    reconciles_.erase(begun);
  }

  // As ReconcileResult::ToString writes it.
  static bool IsResult(std::string_view result) {
    constexpr std::string_view kAfter = "requeue after ";
    if (result.starts_with(kAfter)) {
      const auto delay = ParseDuration(result.substr(kAfter.size()));
      return delay.ok() && FormatDuration(*delay) == result.substr(kAfter.size());
    }
    return result == "ok" || result == "requeue" || result.starts_with("error: ") ||
           result.starts_with("terminal error: ") || result.starts_with("dropped after error: ");
  }

  // A key comes from a handler, or comes again. One that is being worked on may lead to others: an
  // owner that waits for its dependents to these.
  void JudgeWhy(const Ledger& ledger, const Record& r) {
    const Record* cause = ledger.CauseOf(r);
    if (cause != nullptr && cause->kind == Kind::kHandler) {
      // The quota controller listens to what is counted under a part of its own.
      const bool monitors =
          cause->actor.ends_with("/resourcequota-monitor") && r.actor.ends_with("/resourcequota");
      if (!monitors) Same(r, "the listener of its cause", cause->actor, r.actor);
    }
    if (cause == nullptr || cause->kind != Kind::kReconcile) return;
    Same(r, "the actor of its cause", cause->actor, r.actor);
    if (cause->Text("state") == "end")
      Same(r, "the key that comes again", r.Text("key"), cause->Text("key"));
  }

  std::map<std::int64_t, const Record*> steps_;  // null: it has ended
  std::map<std::int64_t, std::uint64_t> begun_;  // steps: seq
  std::map<std::string, const Record*> faults_;  // in force, by id
  std::set<std::string> ids_;                    // of drawn faults
  std::map<std::string, std::string, std::less<>> processes_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> reconciles_;  // actor, key -> seq
  std::int64_t phase_began_ = 0;
  std::size_t phase_ = 0;  // of those that were; 0 = none
};

}  // namespace

std::unique_ptr<TraceLaw> RunLaw() { return std::make_unique<Run>(); }

}  // namespace ksim::check
