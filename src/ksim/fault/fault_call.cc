// How verbs read their arguments and take hold of things.
#include "ksim/fault/fault_call.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace ksim::fault {

Effect Skipped(std::string why) {
  Effect effect;
  effect.skipped = std::move(why);
  return effect;
}

Effect AtOnce() {
  Effect effect;
  effect.lasts = Duration();
  return effect;
}

std::string TargetOf(const Spec& spec) {
  std::string out;
  const auto add = [&out](std::string_view text) {
    if (!text.empty()) out += (out.empty() ? "" : " ") + std::string(text);
  };
  for (std::string_view field :
       {"client", "server", "process", "actor", "node", "with", "resource"})
    add(spec.args.Get(field).AsString());
  for (const value::Value& side : spec.args.Get("between").items()) add(side.AsString());
  if (spec.verb == "compact") add("etcd");
  return out;
}

bool Call::Has(std::string_view name) const { return !spec_.args.Get(name).is_null(); }

std::string Call::Text(std::string_view name) const {
  return std::string(spec_.args.Get(name).AsString());
}

std::optional<Duration> Call::Time(std::string_view name) const {
  const auto parsed = ParseDuration(spec_.args.Get(name).AsString());
  return parsed.ok() ? std::optional<Duration>(*parsed) : std::nullopt;
}

std::int64_t Call::Int(std::string_view name) const { return spec_.args.Get(name).AsInt(); }

const api::ResourceInfo* Call::Resource() const {
  return injector_.cluster_.kinds().ByName(Text("resource"));
}

sim::Process* Call::Process(std::string_view name) const {
  return injector_.cluster_.sim().FindProcess(Text(name));
}

apiserver::Server* Call::Server(std::string_view name) const {
  for (apiserver::Server* server : injector_.cluster_.servers())
    if (server->name() == Text(name)) return server;
  return nullptr;
}

}  // namespace ksim::fault
