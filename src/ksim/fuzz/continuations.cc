#include "ksim/fuzz/continuations.h"

#include "ksim/base/hash.h"
#include "ksim/sim/mix.h"
#include "ksim/trace/actors.h"
#include "ksim/trace/events.h"

namespace ksim::fuzz {
namespace {

using sim::Mix;

// A drawn fault is numbered among those of its run: its number says nothing of what it does.
std::uint64_t ContentOf(const sim::Event& e) {
  if (e.kind != sim::EventKind::kFault) return e.content();
  const auto& fault = e.payload.As<trace::FaultPayload>();
  std::uint64_t hash = Mix(Hash64(fault.verb) ^ Hash64(fault.state));
  hash = Mix(hash + Hash64(fault.target));
  return Mix(hash + fault.args.Hash());
}

}  // namespace

std::uint64_t QuestionId(const Answer& about) { return Mix(Mix(about.site) + about.key); }

Continuations::Continuations(sim::Bus& bus) {
  bus.Subscribe(sim::Bus::Stage::kDigest, [this](const sim::Event& e) { OnEvent(e); });
}

std::uint64_t Continuations::ProcessOf(sim::ActorId actor) {
  const auto [it, added] = process_of_.try_emplace(actor.name_hash());
  if (added) it->second = Hash64(trace::ProcessOf(actor.name()));
  return it->second;
}

void Continuations::OnEvent(const sim::Event& e) {
  std::uint64_t hash = Mix(e.actor.name_hash() + static_cast<std::uint64_t>(e.kind));
  hash = Mix(hash + e.object);
  hash = Mix(hash + static_cast<std::uint64_t>(e.revision));
  hash = Mix(hash + ContentOf(e));
  steps_.push_back(Mix(hash + static_cast<std::uint64_t>(e.time.ns())));
  if (e.kind == sim::EventKind::kFault) return;
  const std::uint64_t process = ProcessOf(e.actor);
  std::uint64_t& met = met_[process];
  all_met_ -= Mix(met ^ process);
  met = Mix(met + hash);
  all_met_ += Mix(met ^ process);
}

void Continuations::OnQuestion(const Question& question) {
  Asked asked;
  asked.question = QuestionId(question.about);
  asked.at = steps_.size();
  asked.before = all_met_;
  steps_.push_back(Mix(asked.question + question.sizes));
  asked_.push_back(asked);
}

std::vector<Continuation> Continuations::Take() {
  std::vector<Continuation> out(asked_.size());
  std::uint64_t after = 0;
  std::size_t at = steps_.size();
  for (std::size_t i = asked_.size(); i-- > 0;) {
    while (at > asked_[i].at) after = Mix(after + steps_[--at]);
    out[i].question = asked_[i].question;
    out[i].hash = Mix(after ^ asked_[i].before);
  }
  return out;
}

}  // namespace ksim::fuzz
