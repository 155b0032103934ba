#include "tests/whole/churn/reflector_laws.h"

#include <fmt/format.h>

#include "ksim/base/time.h"

namespace ksim::churn {

using check::Observation;
using Kind = sim::EventKind;

void ReflectorLaws::Break(const Observation& o, const std::string& what) {
  if (violation_.empty())
    violation_ = fmt::format("the laws: {} {} (event {}, at {})", o.actor, what, o.seq,
                             FormatDuration(Nanoseconds(o.t)));
}

void ReflectorLaws::Take(const Observation& o) {
  if (o.kind == Kind::kHandler) return Handler(o);
  if (o.kind == Kind::kRelist || o.kind == Kind::kDeliver) news_.insert(o.seq);
  if (o.kind == Kind::kActor && o.state == "start") {
    reflectors_[std::string(o.target)] = Reflector();
    return;
  }
  const bool informs = o.kind == Kind::kRelist;
  const auto at = reflectors_.find(std::string(o.actor));
  if (at == reflectors_.end()) return;
  Reflector& r = at->second;
  if (informs) r.version = std::to_string(o.rv);
  if (o.kind == Kind::kRequest && o.resource == "pods") Request(r, o);
  if (o.kind == Kind::kResponse) Response(r, o);
  if (o.kind == Kind::kDeliver && o.level == check::Level::kApi) Deliver(r, o);
}

void ReflectorLaws::Request(Reflector& r, const Observation& o) {
  const bool whole = o.verb == "list" || (o.verb == "watch" && o.send_initial);
  if (!whole) {
    if (o.verb == "watch" && o.rv_text != r.version)
      Break(o, fmt::format("watches from {} and has taken in {}", o.rv_text, r.version));
    return;
  }
  if (r.asked != o.rv_text) r.refusals = 0;
  if (r.refusals >= kMostTries && !o.rv_text.empty())
    Break(o, fmt::format("asks for {} again, which was refused", o.rv_text));
  r.asked = o.rv_text;
  r.list_requests.insert(o.request);
  r.lists.push_back(o.t);
  while (r.lists.front() < o.t - Seconds(10).ns()) r.lists.pop_front();
  if (r.lists.size() > kMostLists)
    Break(o, fmt::format("has listed {} times in ten seconds", r.lists.size()));
}

void ReflectorLaws::Response(Reflector& r, const Observation& o) {
  if (r.list_requests.erase(o.request) == 0 || o.code == 0) return;
  if (o.code == 410) r.refusals = kMostTries;
  if (o.code == 504) ++r.refusals;
  if (o.code < 400) r.refusals = 0;
}

void ReflectorLaws::Deliver(Reflector& r, const Observation& o) {
  if (o.type == api::WatchEventType::kError || o.rv == 0) return;
  if (!o.initial) r.version = std::to_string(o.rv);
}

void ReflectorLaws::Handler(const Observation& o) {
  const bool same = o.call == check::HandlerCall::kUpdate && o.old_rv == o.rv;
  if (same && !resynced_.contains(std::string(o.listener)) && !news_.contains(o.cause))
    Break(o, fmt::format("{} is told of an update of {} that is none", o.listener, o.name));
}

}  // namespace ksim::churn
