#include "ksim/fault/triggers.h"

#include <optional>

#include "ksim/trace/render.h"
#include "ksim/trace/schema.h"
#include "ksim/value/json.h"

namespace ksim::fault {

bool Matches(const Trigger& trigger, const trace::Record& record) {
  for (const auto& [field, wanted] : trigger.fields) {
    if (field == "actor") {
      if (record.actor != wanted) return false;
      continue;
    }
    const value::Value& v = record.Get(field);
    if ((v.is_string() ? std::string(v.AsString()) : value::ToJson(v)) != wanted) return false;
  }
  return true;
}

Trigger WithKnownResource(Trigger trigger, const api::Kinds& kinds) {
  for (auto& [field, wanted] : trigger.fields) {
    if (field != "resource" || kinds.KnownAs(wanted) != nullptr) continue;
    if (const api::ResourceInfo* const named = kinds.ByName(wanted)) wanted = named->known_as();
  }
  return trigger;
}

void Triggers::Add(const Trigger& trigger, std::function<void(std::uint64_t)> fire) {
  const std::optional<sim::EventKind> kind = trace::ParseKind(trigger.event);
  if (!kind) return;
  Armed armed;
  armed.trigger = trigger;
  armed.kind = *kind;
  armed.left = trigger.count;
  armed.fire = std::move(fire);
  armed_.push_back(std::move(armed));
  if (subscribed_) return;
  subscribed_ = true;
  sim_.bus().Subscribe(sim::Bus::Stage::kTrigger, [this](const sim::Event& e) { OnEvent(e); });
}

void Triggers::OnEvent(const sim::Event& e) {
  std::optional<trace::Record> record;
  for (Armed& armed : armed_) {
    if (armed.left == 0 || armed.kind != e.kind) continue;
    if (!record) record = trace::Render(e, trace::RenderOptions());
    if (!Matches(armed.trigger, *record)) continue;
    if (--armed.left > 0) continue;
    sim_.Defer([fire = armed.fire, seq = e.seq] { fire(seq); });
  }
}

}  // namespace ksim::fault
