// store.linearizable of an audit log: an update from a resourceVersion succeeds only while that is
// the object's newest, and the object's versions never go back.
//
// That an object had a version between the one that an update was made from and the one that it
// made shows that the update was stale. It needs no clock, and so no order of the events; the
// other rule allows the clocks of several servers to differ by kSkew.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "ksim/check/audit/audit_rule.h"

namespace ksim::check {
namespace {

constexpr Duration kSkew = Seconds(1);

// A version of an object that an answer held.
struct Seen {
  std::int64_t from = 0;  // an update's own precondition; 0: it had none
  std::int64_t at = 0;
  bool leaving = false;  // what only waits to be removed is answered as it was
  bool write = false;
  VirtualTime received, completed;
  int line = 0;
  std::string place, client, verb;
};

class Revisions final : public AuditRule {
 public:
  Revisions()
      : AuditRule("store.linearizable", Guarantee::kSafety,
                  "no write of an object tells which version it made (level RequestResponse)") {}

  void On(const AuditEvent& event) override {
    if (!event.succeeded() || event.is_dry_run() || event.name.empty()) return;
    const bool write = event.verb == "create" || event.verb == "update" || event.verb == "patch";
    // A get that names a version may be answered with an older one than there is.
    const bool read = event.verb == "get" && event.uri.find("resourceVersion") == std::string::npos;
    if (!(write || read) || !AnswersWithObject(event)) return;
    Seen seen;
    seen.at = AnsweredRevision(event);
    if (seen.at == 0) return;
    if (write) Judged();
    seen.write = write;
    seen.from = write ? PreconditionOf(event) : 0;
    seen.leaving = event.response.Get("metadata").Has("deletionTimestamp");
    seen.received = event.received;
    seen.completed = event.completed;
    seen.line = event.line;
    seen.place = event.Place();
    seen.client = event.client;
    seen.verb = event.verb;
    objects_[fmt::format("{} {}/{}", event.resource, event.ns, event.name)].push_back(
        std::move(seen));
  }

  void Finish() override {
    for (auto& [object, versions] : objects_) {
      std::stable_sort(versions.begin(), versions.end(),
                       [](const Seen& a, const Seen& b) { return a.at < b.at; });
      JudgePreconditions(object, versions);
      JudgeTimes(object, versions);
    }
  }

 private:
  static std::int64_t PreconditionOf(const AuditEvent& event) {
    if (event.verb == "create") return 0;
    const value::Value& body = event.request.Get("metadata").Get("resourceVersion");
    if (body.is_string()) return RevisionIn(body.AsString());
    return event.verb == "update" ? RevisionIn(event.resource_version) : 0;
  }

  // `versions` by revision.
  void JudgePreconditions(const std::string& object, const std::vector<Seen>& versions) {
    for (const Seen& write : versions) {
      if (write.from == 0) continue;
      if (write.at < write.from) {
        Violate(write.line, object, write.client,
                fmt::format("{}: {} of {} went back from resourceVersion {} to {}: {}", object,
                            write.verb, write.client, write.from, write.at, write.place));
        continue;
      }
      const auto between =
          std::upper_bound(versions.begin(), versions.end(), write.from,
                           [](std::int64_t rv, const Seen& s) { return rv < s.at; });
      if (between == versions.end() || between->at >= write.at) continue;
      Violate(write.line, object, write.client, StaleText(object, write, *between));
    }
  }

  static std::string StaleText(const std::string& object, const Seen& write, const Seen& other) {
    if (other.write && other.from == write.from)
      return fmt::format(
          "{}: two writes from resourceVersion {} succeeded: {} made {}, {}, and {} made {}, {}",
          object, write.from, other.client, other.at, other.place, write.client, write.at,
          write.place);
    return fmt::format(
        "{}: {} of {} from resourceVersion {} succeeded and made {}, and the object had {} by "
        "then: {}; {}",
        object, write.verb, write.client, write.from, write.at, other.at, write.place, other.place);
  }

  // An answer is no older than what had been answered before it was asked.
  void JudgeTimes(const std::string& object, std::vector<Seen>& versions) {
    std::stable_sort(versions.begin(), versions.end(),
                     [](const Seen& a, const Seen& b) { return a.completed < b.completed; });
    std::vector<const Seen*> newest;  // up to each answer
    for (const Seen& s : versions)
      newest.push_back(newest.empty() || s.at > newest.back()->at ? &s : newest.back());
    for (const Seen& s : versions) {
      if (s.leaving) continue;
      const auto after =
          std::upper_bound(versions.begin(), versions.end(), s.received - kSkew,
                           [](VirtualTime t, const Seen& other) { return t <= other.completed; });
      if (after == versions.begin()) continue;
      const Seen& before = *newest[static_cast<std::size_t>(after - versions.begin()) - 1];
      if (before.at <= s.at) continue;
      Violate(s.line, object, s.client,
              fmt::format("{}: went back: {} of {} was answered resourceVersion {}, {}, and it "
                          "had {} before, {}",
                          object, s.verb, s.client, s.at, s.place, before.at, before.place));
    }
  }

  std::map<std::string, std::vector<Seen>> objects_;
};

}  // namespace

std::unique_ptr<AuditRule> AuditedRevisions() { return std::make_unique<Revisions>(); }

}  // namespace ksim::check
