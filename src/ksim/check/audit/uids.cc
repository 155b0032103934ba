// delete.uid and status.uid of an audit log: what was meant for one incarnation of an object, by
// the uid in its body, never hits another.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "ksim/check/audit/audit_rule.h"

namespace ksim::check {
namespace {

// An object that was made no longer ago may well be one that a client has not been told of.
constexpr Duration kYoung = Seconds(10);

// The uid of the object that was hit: a deletion that is over at once is answered with a Status.
std::string_view HitUid(const value::Value& response) {
  const bool status = response.Get("kind").AsString() == "Status";
  return response.Get(status ? "details" : "metadata").Get("uid").AsString();
}

class Uids : public AuditRule {
 public:
  using AuditRule::AuditRule;

 protected:
  void Compare(const AuditEvent& event, std::string_view meant) {
    const std::string_view hit = HitUid(event.response);
    if (meant.empty() || hit.empty()) return;
    Judged();
    if (meant == hit) return;
    Violate(event.line, event.Object(), event.client,
            fmt::format("{}: {} of {} meant the one with uid {}, and hit {}: {}", event.Object(),
                        event.verb, event.client, meant, hit, event.Place()));
  }
};

class Deletions final : public Uids {
 public:
  Deletions()
      : Uids("delete.uid", Guarantee::kSafety,
             "no deletion names a uid and tells which it hit (level RequestResponse)") {}

  void On(const AuditEvent& event) override {
    if (event.is_dry_run() || !event.succeeded()) return;
    const bool evicts = event.verb == "create" && event.subresource == "eviction";
    if (event.verb != "delete" && !evicts) return LearnFrom(event);
    const value::Value& options = evicts ? event.request.Get("deleteOptions") : event.request;
    const std::string_view meant = options.Get("preconditions").Get("uid").AsString();
    Compare(event, meant);
    if (meant.empty()) LookForStranger(event);
  }

 private:
  static std::string KeyOf(const AuditEvent& event) {
    return fmt::format("{} {} {}/{}", event.client, event.resource, event.ns, event.name);
  }

  // Notes the uid that its sender knows by the answer.
  void LearnFrom(const AuditEvent& event) {
    const std::string_view uid = event.response.Get("metadata").Get("uid").AsString();
    if (uid.empty()) return;
    known_[KeyOf(event)] = uid;
    if (event.verb == "create" && event.subresource.empty())
      created_[std::string(uid)] = event.completed;
  }

  // A deletion by name that hits an object which was made just before, and of which its sender had
  // no answer, while it had one of another object of the name. It may know the new one by a watch,
  // which the log does not show: so it is a remark. Bug: kubernetes#29522.
  void LookForStranger(const AuditEvent& event) {
    const std::string hit(HitUid(event.response));
    const auto known = known_.find(KeyOf(event));
    const auto made = created_.find(hit);
    if (known == known_.end() || made == created_.end() || known->second == hit) return;
    const Duration age = event.received - made->second;
    if (age > kYoung) return;
    Note(event.line,
         fmt::format("{}: the deletion by {}, which names no uid, hit the one with uid {}, made {} "
                     "before; by its answers it knew the one with uid {}: {}",
                     event.Object(), event.client, hit, FormatDuration(std::max(age, Duration())),
                     known->second, event.Place()));
  }

  std::map<std::string, std::string> known_;    // by client and object, the uid
  std::map<std::string, VirtualTime> created_;  // by uid
};

class StatusWrites final : public Uids {
 public:
  StatusWrites()
      : Uids("status.uid", Guarantee::kSafety,
             "no write of a status names a uid and tells which it hit (level RequestResponse)") {}

  void On(const AuditEvent& event) override {
    const bool writes = event.verb == "update" || event.verb == "patch";
    if (!writes || event.subresource != "status" || !event.succeeded()) return;
    const std::string_view body = event.request.Get("metadata").Get("uid").AsString();
    Compare(event, body.empty() ? std::string_view(event.uid) : body);
  }
};

}  // namespace

std::unique_ptr<AuditRule> AuditedDeletions() { return std::make_unique<Deletions>(); }
std::unique_ptr<AuditRule> AuditedStatusWrites() { return std::make_unique<StatusWrites>(); }

}  // namespace ksim::check
