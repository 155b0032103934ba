#include "ksim/trace/streams.h"

#include <utility>

namespace ksim::trace {

Streams::Key Streams::KeyOf(const Record& r) {
  return {r.actor, r.Text("server") == "etcd", r.Int("stream")};
}

// A delivery's cause is the event on the wire.
Streams::Streams(const Trace& trace) : trace_(trace), delivered_(trace.events.size() + 1) {
  for (const Record& r : trace.events) {
    if (r.kind == sim::EventKind::kDeliver && r.cause < r.seq) delivered_[r.cause] = true;
    if (r.kind == sim::EventKind::kWatch && r.Text("state") == "close") closed_[KeyOf(r)] = r.seq;
  }
}

bool Streams::IsLost(const Record& event) const {
  return !delivered_[event.seq] && closed_.contains(KeyOf(event));
}

const Stream* Streams::Take(const Record& r) {
  if (r.kind == sim::EventKind::kWatch) {
    Stream& stream = open_[KeyOf(r)];
    stream.client = r.Text("client");
    stream.resource = r.Text("resource");
    stream.change = 0;
    if (r.Text("state") == "open") return &stream;
    last_ = std::move(stream);
    last_.change = -std::exchange(last_.under_way, 0);
    open_.erase(KeyOf(r));
    return &last_;
  }
  const bool sent = r.kind == sim::EventKind::kEvent;
  if (!sent && (r.kind != sim::EventKind::kDeliver || r.cause == 0 || r.cause >= r.seq))
    return nullptr;
  const auto it = open_.find(KeyOf(sent ? r : trace_.events[r.cause - 1]));
  if (it == open_.end()) return nullptr;
  it->second.change = sent ? 1 : -1;
  it->second.under_way += it->second.change;
  return &it->second;
}

}  // namespace ksim::trace
