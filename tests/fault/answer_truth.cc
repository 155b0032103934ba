#include "tests/fault/answer_truth.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <map>
#include <string_view>

#include "ksim/apiserver/core/payloads.h"
#include "ksim/client/core/payloads.h"
#include "ksim/store/events.h"

namespace ksim::fault {
namespace {

using sim::EventKind;

class Judge {
 public:
  void On(const sim::Event& e) {
    if (e.kind == EventKind::kRequest) {
      const auto& payload = e.payload.As<client::RequestPayload>();
      asked_[payload.request.id] = Asked{&payload.request, e.seq, e.time};
    } else if (e.kind == EventKind::kCommit) {
      OnCommit(e);
    } else if (e.kind == EventKind::kResponse) {
      OnResponse(e);
    } else if (e.kind == EventKind::kEvent) {
      OnWatchEvent(e);
    }
  }
  std::vector<std::string> lies;

 private:
  struct Asked {
    const api::Request* request = nullptr;
    std::uint64_t seq = 0;
    VirtualTime at;
  };
  struct Change {
    std::uint64_t seq = 0;
    std::int64_t revision = 0;  // 0: deleted
  };

  void OnCommit(const sim::Event& e) {
    const auto& commit = e.payload.As<store::CommitPayload>();
    head_ = commit.revision();
    const bool gone = commit.op == store::CommitOp::kDelete;
    objects_[std::string(commit.key())].push_back({e.seq, gone ? 0 : commit.revision()});
    if (commit.request != 0) done_[commit.request] = true;
  }

  // The revisions (0: not there) that the object had between request and answer.
  std::vector<std::int64_t> RevisionsSince(const Asked& asked, std::string_view name) const {
    const api::Request& q = *asked.request;
    const auto found = objects_.find(api::StorageKey(*q.resource, q.ns, name));
    std::vector<std::int64_t> revisions{0};
    if (found == objects_.end()) return revisions;
    for (const Change& change : found->second) {
      if (change.seq <= asked.seq) revisions.clear();
      revisions.push_back(change.revision);
    }
    return revisions;
  }

  static std::int64_t InsistsOn(const api::Request& q) {
    if (q.body_version != 0) return q.body_version;
    const std::string text(q.verb == api::Verb::kDelete
                               ? q.del.resource_version.value_or(SharedText()).view()
                               : q.body.Get("metadata").Get("resourceVersion").AsString());
    return text.empty() ? 0 : std::stoll(text);
  }

  void OnResponse(const sim::Event& e) {
    const auto& r = e.payload.As<client::ResponsePayload>();
    const auto found = asked_.find(r.id);
    if (found == asked_.end() || r.code < 400) return;
    const std::string lie = LieIn(found->second, r, e.time - found->second.at);
    if (lie.empty()) return;
    const api::Request& q = *found->second.request;
    lies.push_back(fmt::format("#{}: {} {} of {} {} is answered {} {}: {}: {}", e.seq, q.client,
                               api::ToString(q.verb), q.resource->resource, q.name.view(), r.code,
                               r.reason.view(), r.status.message.view(), lie));
  }

  std::string LieIn(const Asked& asked, const client::ResponsePayload& r, Duration waited) {
    const api::Request& q = *asked.request;
    const std::string_view reason = r.reason, says = r.status.message;
    const int retry_after = r.status.details->retry_after_seconds;
    const std::string_view about = r.status.details->name;
    if (r.code < 500 && done_[r.id] && q.verb != api::Verb::kDelete && q.subresource != "eviction")
      return "it was done";
    if (reason == "AlreadyExists") {
      for (const std::int64_t revision : RevisionsSince(asked, about))
        if (revision != 0) return "";
      return fmt::format("\"{}\" was not there", about);
    }
    if (says.find("the object has been modified") != says.npos) {
      if (InsistsOn(q) == 0) return "it names no version";
      for (const std::int64_t revision : RevisionsSince(asked, q.name))
        if (revision != InsistsOn(q)) return "";
      return "it was not modified";
    }
    if (reason == "NotFound" && about == q.name && !q.name.empty()) {
      for (const std::int64_t revision : RevisionsSince(asked, q.name))
        if (revision == 0) return "";
      return "it was there";
    }
    switch (r.code) {
      case 403:
        return says.find(fmt::format("User \"{}\" cannot ", q.user.view())) != says.npos
                   ? ""
                   : "these are not an authorizer's words";
      case 409:
        return reason == "Conflict" ? "" : "a conflict has that reason";
      case 401:
        return says == "Unauthorized" ? "" : "these are not a server's words";
      case 429:
        return retry_after > 0 ? "" : "it does not say when to come again";
      case 500:
        if (says == "etcdserver: request timed out")
          return waited >= Seconds(7) ? "" : "etcd waits for 7 s";
        return reason.empty() && says.starts_with("etcdserver: ") ? "" : "etcd does not say that";
      case 504:
        if (says.starts_with("Timeout: Too large resource version")) return "";
        return waited >= Seconds(34) ? "" : "a server waits for 34 s";
      case 404:
      case 410:
      case 422:
        return "";
      default:
        return "no server says that by chance";
    }
  }

  // A watch is told that its version is too old: then the store is past it.
  void OnWatchEvent(const sim::Event& e) {
    const auto* event = dynamic_cast<const apiserver::EventPayload*>(e.payload.get());
    if (event == nullptr || event->body->error == nullptr) return;
    const std::string says(event->body->error->message.view());
    long long from = 0, oldest = 0;
    if (std::sscanf(says.c_str(), "too old resource version: %lld (%lld)", &from, &oldest) != 2)
      return;
    if (from >= oldest || oldest > head_)
      lies.push_back(fmt::format("#{}: {}, and the newest is {}", e.seq, says, head_));
  }

  std::map<std::uint64_t, Asked> asked_;
  std::map<std::string, std::vector<Change>, std::less<>> objects_;
  std::map<std::uint64_t, bool> done_;
  std::int64_t head_ = 0;
};

}  // namespace

std::vector<std::string> LiesIn(const std::vector<sim::Event>& events) {
  Judge judge;
  for (const sim::Event& e : events) judge.On(e);
  return judge.lies;
}

}  // namespace ksim::fault
