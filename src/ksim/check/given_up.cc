#include "ksim/check/given_up.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/core/verbs.h"
#include "ksim/base/hash.h"
#include "ksim/base/time.h"
#include "ksim/check/facts.h"
#include "ksim/sim/mix.h"
#include "ksim/trace/actors.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;

// An event that takes longer was held up on its way.
constexpr std::int64_t kUsualDelay = Seconds(10).ns();

// The writer of faults: rival, and rejectWrite that answers 409 (src/ksim/fault/server_answers.h).
constexpr std::string_view kFaults = "ksim";

bool IsControllers(std::string_view actor) { return actor.starts_with("kube-controller-manager"); }

// It says nothing of what was asked for: the client sends too much, or the server cannot.
bool IsRefusal(const Observation& o) {
  constexpr int kTooManyRequests = 429, kServerError = 500;
  return o.lost || o.code == 0 || o.code == kTooManyRequests || o.code >= kServerError;
}

// A handler of the process, or of a part of it, is not called.
bool IsStalled(const Facts& facts, std::string_view process) {
  const std::string whole = fmt::format("stallHandler {} ", process);
  const std::string part = fmt::format("stallHandler {}/", process);
  return std::any_of(facts.faults().begin(), facts.faults().end(), [&](const auto& fault) {
    return fault.second.starts_with(whole) || fault.second.starts_with(part);
  });
}

bool KnowsTooLittle(const Facts& facts, std::string_view process) {
  if (IsStalled(facts, process)) return true;
  for (const Informer* informer : facts.informers()) {
    if (informer->process != process || informer->resource == "leases" ||
        informer->resource == "events")
      continue;
    const Changes& changes = facts.history().Of(informer->resource);
    const std::size_t next = CommitHistory::After(changes, informer->served);
    if (next < changes.size() && facts.now() - changes[next]->t > kUsualDelay) return true;
  }
  return false;
}

}  // namespace

void GivenUp::On(const Facts& facts, const Observation& o) {
  if (o.kind == Kind::kActor) return OnActor(o);
  if (o.kind == Kind::kCommit) return OnCommit(o);
  if (o.kind == Kind::kFault) return OnFault(o);
  if (!IsControllers(o.actor)) return;
  if (o.kind == Kind::kRequest) return OnRequest(o);
  if (o.kind == Kind::kResponse) return OnResponse(o);
  if (o.kind == Kind::kReconcile) OnReconcile(facts, o);
}

void GivenUp::OnActor(const Observation& o) {
  std::erase_if(keys_, [&o](const std::string& key) { return key.starts_with(o.target); });
  const std::uint64_t process = Hash64(o.target);
  std::erase_if(writes_, [process](const auto& w) { return w.second.process == process; });
}

void GivenUp::OnRequest(const Observation& o) {
  if (api::IsRead(o.verb)) return;
  Write& write = writes_[o.request];
  write.seq = o.seq;
  write.object = o.object;
  write.process = Hash64(trace::ProcessOf(o.actor));
}

void GivenUp::OnCommit(const Observation& o) {
  if (o.by != kFaults) return;
  for (auto& [request, write] : writes_)
    if (write.object == o.object) write.beaten = true;
}

void GivenUp::OnFault(const Observation& o) {
  for (auto& [request, write] : writes_)
    if (write.seq == o.cause) write.beaten = true;
}

void GivenUp::OnResponse(const Observation& o) {
  constexpr int kConflict = 409;
  const auto write = writes_.find(o.request);
  const bool beaten = o.code == kConflict && write != writes_.end() && write->second.beaten;
  if (write != writes_.end()) writes_.erase(write);
  if (beaten || IsRefusal(o)) failed_.insert_or_assign(std::string(o.actor), o.seq);
}

void GivenUp::OnReconcile(const Facts& facts, const Observation& o) {
  const std::uint64_t hash = sim::Mix(Hash64(o.actor) + Hash64(o.target));
  if (o.state == "begin") {
    begun_[hash] = o.seq;
    if (!keys_.empty()) keys_.erase(fmt::format("{} {}", o.actor, o.target));
    return;
  }
  if (!o.result.starts_with("dropped after error: ")) return;
  const auto begun = begun_.find(hash);
  const auto failed = failed_.find(o.actor);
  const bool refused =
      begun != begun_.end() && failed != failed_.end() && failed->second > begun->second;
  if (refused || KnowsTooLittle(facts, trace::ProcessOf(o.actor)))
    keys_.insert(fmt::format("{} {}", o.actor, o.target));
}

}  // namespace ksim::check
