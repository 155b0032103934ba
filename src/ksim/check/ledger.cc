#include "ksim/check/ledger.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/kinds.h"
#include "ksim/check/profile.h"
#include "ksim/store/object_key.h"

namespace ksim::check {

using trace::Record;
using Kind = sim::EventKind;

Ledger::Ledger(const trace::Trace& trace, const CommitHistory& history)
    : trace_(trace),
      history_(history),
      compat_(api::ParseCompat(trace.header.compat).value_or(kNewestCompat)) {}

const Record* Ledger::Event(std::uint64_t seq) const {
  return seq == 0 || seq > taken_ ? nullptr : &trace_.events[seq - 1];
}

const Asked* Ledger::Request(std::int64_t id) const {
  const auto it = by_id_.find(id);
  return it == by_id_.end() ? nullptr : &asked_[it->second];
}

const Wire* Ledger::Stream(std::int64_t stream) const {
  const auto it = wires_.find(stream);
  return it == wires_.end() ? nullptr : &it->second;
}

const CommittedChange* Ledger::Version(std::string_view resource, std::string_view ns,
                                       std::string_view name, std::int64_t revision,
                                       const Record& r) const {
  const CommittedChange* c = history_.Commit(api::ObjectHash(resource, ns, name), revision);
  return c != nullptr && c->seq < r.seq ? c : nullptr;
}

void Ledger::TakeWatch(const Record& r) {
  Wire& wire = wires_[r.Int("stream")];
  const bool opens = r.kind == Kind::kWatch && r.Text("state") == "open";
  if (r.kind == Kind::kEvent) {
    wire.events.push_back(&r);
    if (r.Text("type") != "ERROR") wire.highest = std::max(wire.highest, r.Int("rv"));
  } else if (r.kind == Kind::kDeliver) {
    wire.arrivals.push_back(&r);
  } else if (opens && wire.open == nullptr) {
    wire.open = &r;
  } else if (!opens) {
    wire.close = &r;
  }
}

void Ledger::Take(const Record& r) {
  ++taken_;
  const auto of = [this](std::int64_t id) -> Asked* {
    const auto it = by_id_.find(id);
    return it == by_id_.end() ? nullptr : &asked_[it->second];
  };
  switch (r.kind) {
    case Kind::kRequest:
      by_id_.emplace(r.Int("id"), asked_.size());
      asked_.emplace_back().request = &r;
      return;
    case Kind::kResponse:
      if (Asked* a = of(r.Int("id"))) a->response = &r;
      return;
    case Kind::kStage:
      if (Asked* a = of(r.Int("request"))) a->stages.push_back(&r);
      return;
    case Kind::kWebhook:
      if (Asked* a = of(r.Int("request")); a != nullptr && r.Text("result") == "denied")
        a->denied = true;
      return;
    case Kind::kFault:
      clocks_.Take(r.Text("verb"), r.Text("target"), r.Text("id"), r.Text("state"), r.t,
                   &r.Get("args"));
      return;
    case Kind::kCommit:
      revision_ = std::max(revision_, r.Int("revision"));
      if (Asked* a = of(r.Int("request"))) a->commits.push_back(&r);
      return;
    case Kind::kWatch:
      if (Asked* a = of(r.Int("request")); a != nullptr && r.Text("state") == "open") a->watch = &r;
      return TakeWatch(r);
    case Kind::kEvent:
    case Kind::kDeliver:
      return TakeWatch(r);
    default:
      return;
  }
}

std::string_view ProcessOfActor(std::string_view actor) {
  // Each node's kubelet is a process.
  const bool many = actor.starts_with("kubelet/");
  return actor.substr(0, actor.find('/', many ? actor.find('/') + 1 : 0));
}

bool IsOfEtcd(const Record& r) { return r.Text("server") == "etcd" || !r.Get("key").is_null(); }

bool Succeeded(const Record& response) {
  return response.Int("code") >= 200 && response.Int("code") < 300;
}

std::string_view Ledger::Variant(std::string_view piece) const {
  static const value::Path kVariants{"spec", "cluster", "variants"};
  return trace_.header.scenario.Get(kVariants).Get(piece).AsString();
}

std::string ResourceOfKey(std::string_view key, std::string_view said) {
  const std::optional<store::ObjectParts> parts = store::PartsOfKey(key);
  if (!parts) return "";
  std::string plural(parts->resource);
  if (parts->group.empty()) return plural;
  std::string qualified = fmt::format("{}.{}", plural, parts->group);
  return said == qualified ? qualified : plural;
}

}  // namespace ksim::check
