// leader.alone of an audit log: nobody takes a Lease before its holder's last record is as old as
// it says that it holds. A candidate counts from when it saw the record, which is no earlier than
// the record's request; so a Lease that changes hands sooner has two leaders (client-go
// tools/leaderelection tryAcquireOrRenew).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "ksim/check/audit/audit_rule.h"

namespace ksim::check {
namespace {

struct LeaseRecord {
  std::int64_t revision = 0;
  std::string holder;
  Duration holds;
  bool coordinated = false;  // the server's own controller hands it on
  VirtualTime received, completed;
  int line = 0;
  std::string place, client;
};

class Leases final : public AuditRule {
 public:
  Leases()
      : AuditRule("leader.alone", Guarantee::kSafety,
                  "no Lease changed hands in a write that tells its holder (level "
                  "RequestResponse)") {}

  void On(const AuditEvent& event) override {
    const bool writes = event.verb == "create" || event.verb == "update" || event.verb == "patch";
    if (!writes || !event.succeeded() || event.is_dry_run()) return;
    if (event.resource != "leases.coordination.k8s.io" || !event.subresource.empty()) return;
    LeaseRecord record;
    record.revision = AnsweredRevision(event);
    if (record.revision == 0) return;
    const value::Value& spec = event.response.Get("spec");
    record.holder = spec.Get("holderIdentity").AsString();
    record.holds = Seconds(spec.Get("leaseDurationSeconds").AsInt());
    record.coordinated = spec.Has("strategy") || spec.Has("preferredHolder");
    record.received = event.received;
    record.completed = event.completed;
    record.line = event.line;
    record.place = event.Place();
    record.client = event.client;
    leases_[fmt::format("{}/{}", event.ns, event.name)].push_back(std::move(record));
  }

  void Finish() override {
    for (auto& [name, records] : leases_) {
      std::stable_sort(
          records.begin(), records.end(),
          [](const LeaseRecord& a, const LeaseRecord& b) { return a.revision < b.revision; });
      for (std::size_t i = 1; i < records.size(); ++i) Judge(name, records[i - 1], records[i]);
    }
  }

 private:
  void Judge(const std::string& name, const LeaseRecord& before, const LeaseRecord& now) {
    if (now.holder == before.holder || now.holder.empty()) return;
    Judged();
    const bool given_up = before.holder.empty();
    if (given_up || before.coordinated || now.coordinated) return;
    const Duration after = now.completed - before.received;
    if (after >= before.holds) return;
    Violate(now.line, "leases " + name, now.client,
            fmt::format("leases {}: {} took it {} after {} had renewed it for {}, so both lead: "
                        "{}; {}",
                        name, now.holder, FormatDuration(after), before.holder,
                        FormatDuration(before.holds), now.place, before.place));
  }

  std::map<std::string, std::vector<LeaseRecord>> leases_;
};

}  // namespace

std::unique_ptr<AuditRule> AuditedLeases() { return std::make_unique<Leases>(); }

}  // namespace ksim::check
