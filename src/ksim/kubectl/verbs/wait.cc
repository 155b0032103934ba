// kubectl wait.
//
// Source: kubectl pkg/cmd/wait/{wait,create,delete,condition}.go; client-go tools/watch/until.go
// UntilWithSync; cli-runtime pkg/resource/visitor.go ContinueOnErrorVisitor.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ksim/base/status.h"
#include "ksim/kubectl/printing/object_name.h"
#include "ksim/kubectl/verbs/messages.h"
#include "ksim/kubectl/verbs/verbs.h"
#include "ksim/kubectl/verbs/wait_condition.h"

namespace ksim::kubectl {
namespace {

using Kind = WaitCondition::Kind;

constexpr Duration kCreationPoll = Milliseconds(500);
// kubectl's reflector backs off from 0.8 s on after a list or watch that failed.
constexpr Duration kListAgain = Seconds(1);
constexpr std::string_view kErrorPrefix = "error: ";
constexpr std::string_view kTimedOut = "error: timed out waiting for the condition";

bool Has(const std::vector<WaitCondition>& conditions, Kind kind) {
  return std::any_of(conditions.begin(), conditions.end(),
                     [kind](const WaitCondition& c) { return c.kind() == kind; });
}

// One error as it is, several without the prefix, a line each (checkErr, MultipleErrors).
std::string JoinErrors(const std::vector<std::string>& errors) {
  if (errors.size() == 1) return errors.front();
  std::string out;
  for (std::string_view error : errors) {
    if (error.starts_with(kErrorPrefix)) error.remove_prefix(kErrorPrefix.size());
    out += fmt::format("{}{}", out.empty() ? "" : "\n", error);
  }
  return out;
}

// One command: what it waits for, until when, and the errors that it has met.
class ObjectWait {
 public:
  ObjectWait(Session& session, const WaitOptions& options, std::vector<WaitCondition> conditions)
      : session_(session),
        options_(options),
        info_(session.ResourceOf(options.target)),
        conditions_(std::move(conditions)),
        deadline_(session.env().sim.SteadyNow() + options.timeout) {}

  sim::Task<CommandOutput> Run();

 private:
  sim::Task<bool> AwaitCreation();
  sim::Task<void> AwaitAll(api::Object target);
  sim::Task<std::string> AwaitOne(const WaitCondition& condition, api::Object target);
  sim::Task<std::string> CheckOnce(const WaitCondition& condition, api::Object target);
  sim::Task<std::string> AwaitInTime(const WaitCondition& condition, api::Object target);
  sim::Task<bool> WatchUntilMet(const WaitCondition& condition, api::Object target,
                                std::int64_t version, std::string* error);

  sim::Simulation& sim() const { return session_.env().sim; }
  std::string Place(const api::Object& target) const {
    return fmt::format("{}/{}", info_->resource, target.name());
  }
  api::ListOptions ListOf(const api::Object& target) const {
    api::ListOptions list;
    list.field_selector = "metadata.name=" + std::string(target.name());
    return list;
  }

  Session& session_;
  const WaitOptions& options_;
  Session::Info info_;
  std::vector<WaitCondition> conditions_;
  VirtualTime deadline_;
  std::vector<std::string> errors_;
  CommandOutput output_;
};

// RunWaitContext.
sim::Task<CommandOutput> ObjectWait::Run() {
  if (Has(conditions_, Kind::kCreate)) {
    const bool there = co_await AwaitCreation();
    if (!there) co_return output_;
  }
  const bool for_delete = Has(conditions_, Kind::kDelete);
  const api::Response found = co_await session_.FindTargets(info_, options_.target);
  if (found.code == 404 && for_delete) co_return output_;
  if (found.code != 200) output_.error = ErrorText(found);
  if (found.code == 200 && found.items.empty() && !for_delete)
    output_.error = "error: no matching resources found";
  if (!output_.ok()) co_return output_;
  for (const api::Object& target : found.items) co_await AwaitAll(target);
  output_.error = JoinErrors(errors_);
  co_return output_;
}

// Asks for the objects twice a second, until one is there.
sim::Task<bool> ObjectWait::AwaitCreation() {
  VirtualTime next = sim().SteadyNow() + kCreationPoll;
  while (true) {
    const api::Response found = co_await session_.FindTargets(info_, options_.target);
    if (found.code == 200 && !found.items.empty()) co_return true;
    if (found.code != 200 && found.code != 404) output_.error = ErrorText(found);
    if (!output_.ok()) co_return false;
    const VirtualTime wake = std::max(std::min(next, deadline_), sim().SteadyNow());
    co_await sim().Sleep(wake - sim().SteadyNow());
    if (wake >= deadline_) break;
    next = next + kCreationPoll;
  }
  output_.error = std::string(kTimedOut);
  co_return false;
}

// One object, each condition after the other.
sim::Task<void> ObjectWait::AwaitAll(api::Object target) {
  if (!session_.profile().wait_has_one_deadline) deadline_ = sim().SteadyNow() + options_.timeout;
  for (const WaitCondition& condition : conditions_) {
    std::string error;
    if (condition.kind() != Kind::kCreate) error = co_await AwaitOne(condition, target);
    if (!error.empty()) {
      errors_.push_back(std::move(error));
      co_return;
    }
    output_.lines.push_back(SlashedName(*info_, target.name()) + " condition met");
  }
}

// "" once the object is as wanted.
sim::Task<std::string> ObjectWait::AwaitOne(const WaitCondition& condition, api::Object target) {
  if (options_.timeout == Duration()) co_return co_await CheckOnce(condition, target);
  // The time went by with the objects before this one. A GET gets no token then.
  if (sim().SteadyNow() >= deadline_ && condition.kind() == Kind::kDelete &&
      session_.profile().wait_asks_in_time)
    co_return "error: client rate limiter Wait returned an error: context deadline exceeded";
  co_return co_await AwaitInTime(condition, target);
}

sim::Task<std::string> ObjectWait::CheckOnce(const WaitCondition& condition, api::Object target) {
  api::Request get = RequestFor(api::Verb::kGet, info_, target.ns(), target.name());
  const api::Response found = co_await session_.Send(std::move(get));
  const bool for_delete = condition.kind() == Kind::kDelete;
  if (found.code == 404 && for_delete) co_return "";
  if (found.code != 200) co_return ErrorText(found);
  const absl::StatusOr<bool> met = condition.IsMet(found.object);
  if (!met.ok()) co_return fmt::format("error: {}", Message(met.status()));
  co_return *met ? "" : "error: condition not met for " + Place(target);
}

// Lists the object and watches it, again and again. Only the first list gives up an object that is
// not there: later on kubectl waits for one of its name (preconditionFunc).
sim::Task<std::string> ObjectWait::AwaitInTime(const WaitCondition& condition, api::Object target) {
  const bool for_delete = condition.kind() == Kind::kDelete;
  bool first = true;
  while (sim().SteadyNow() < deadline_) {
    const api::ListOptions list = ListOf(target);
    api::Result<client::ListResult> listed =
        co_await session_.client().List(info_, std::string(target.ns()), list);
    if (!listed.ok()) {
      co_await sim().Sleep(std::min(kListAgain, deadline_ - sim().SteadyNow()));
      continue;
    }
    const bool gone = listed->items.empty();
    if (gone && for_delete) co_return "";
    if (gone && first) {
      const api::Status status = api::NotFound({info_->group, info_->resource}, target.name());
      co_return fmt::format("Error from server ({}): {}", status.reason, status.message);
    }
    first = false;
    const absl::StatusOr<bool> met =
        gone ? absl::StatusOr<bool>(false) : condition.IsMet(listed->items.front());
    if (!met.ok()) co_return fmt::format("error: {}", Message(met.status()));
    if (*met) co_return "";
    std::string error;
    const bool seen = co_await WatchUntilMet(condition, target, listed->resource_version, &error);
    if (seen || !error.empty()) co_return error;
  }
  co_return fmt::format("{} on {}", kTimedOut, Place(target));
}

// Watches one object from a version on until it is as wanted. False: the watch ended before.
sim::Task<bool> ObjectWait::WatchUntilMet(const WaitCondition& condition, api::Object target,
                                          std::int64_t version, std::string* error) {
  const Duration left = deadline_ - sim().SteadyNow();
  if (left <= Duration()) co_return false;
  api::ListOptions list = ListOf(target);
  list.resource_version = std::to_string(version);
  list.timeout_seconds = (left.ns() + 999'999'999) / 1'000'000'000;
  api::Result<std::unique_ptr<client::WatchStream>> watch =
      co_await session_.client().Watch(info_, std::string(target.ns()), list);
  if (!watch.ok()) {
    co_await sim().Sleep(std::min(kListAgain, left));
    co_return false;
  }
  const std::unique_ptr<client::WatchStream> stream = std::move(watch).value();
  while (true) {
    const std::optional<api::WatchEvent> event = co_await stream->Next();
    if (!event || event->type == api::WatchEventType::kError) co_return false;
    if (event->type == api::WatchEventType::kDeleted) {
      if (condition.kind() == Kind::kDelete) co_return true;
      continue;
    }
    if (sim().SteadyNow() > deadline_) co_return false;
    const absl::StatusOr<bool> met = condition.IsMet(event->object);
    if (!met.ok()) *error = fmt::format("error: {}", Message(met.status()));
    if (!met.ok()) co_return false;
    if (*met) co_return true;
  }
}

// The conditions that the options name, in order; an error of the command for an unknown one.
std::vector<WaitCondition> ConditionsOf(const WaitOptions& options, const Profile& profile,
                                        CommandOutput* output) {
  std::vector<WaitCondition> out;
  std::vector<std::string> texts = options.wait_for;
  if (texts.empty()) out.push_back(WaitCondition::Of(options.where));
  // A flag that takes one value keeps its last.
  if (!profile.waits_for_several && texts.size() > 1) texts.erase(texts.begin(), texts.end() - 1);
  for (const std::string& text : texts) {
    absl::StatusOr<WaitCondition> condition = WaitCondition::Parse(text, profile);
    if (!condition.ok()) output->error = fmt::format("error: {}", Message(condition.status()));
    if (!condition.ok()) return out;
    out.push_back(*std::move(condition));
  }
  return out;
}

}  // namespace

sim::Task<CommandOutput> Wait(Session& session, const WaitOptions& options) {
  CommandOutput output;
  std::vector<WaitCondition> conditions = ConditionsOf(options, session.profile(), &output);
  if (!output.ok()) co_return output;
  ObjectWait waiting(session, options, std::move(conditions));
  co_return co_await waiting.Run();
}

}  // namespace ksim::kubectl
