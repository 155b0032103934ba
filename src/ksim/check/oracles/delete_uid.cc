// delete.uid: a deletion that was meant for one incarnation of an object never hits another.
// Bugs: kubernetes#29522, zookeeper-operator#312.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"

namespace ksim::check {
namespace {

const OracleInfo& DeleteUidInfo() {
  static const OracleInfo info{
      "delete.uid",
      Guarantee::kSafety,
      "A deletion hits only the incarnation that its sender acted on.",
      {sim::EventKind::kRequest, sim::EventKind::kResponse, sim::EventKind::kCommit},
      {"a deletion by name alone, of a sender that had seen no object (kubectl delete)",
       "a deletion answered 404 or 409 because another incarnation is there"},
      "nobody who knew an object's uid deleted it"};
  return info;
}

class DeleteUid : public Oracle {
 public:
  DeleteUid() : Oracle(DeleteUidInfo()) {}

  void On(const Facts& facts, const Observation& o) override {
    if (o.kind == sim::EventKind::kRequest) {
      if (o.verb != "delete") return;
      if (!o.uid.empty()) meant_[o.request].emplace_back(o.uid);
      if (!o.precondition_uid.empty()) meant_[o.request].emplace_back(o.precondition_uid);
      return;
    }
    if (meant_.empty()) return;
    const auto it = meant_.find(o.request);
    if (it == meant_.end()) return;
    if (o.kind == sim::EventKind::kResponse) {
      if (!o.lost) meant_.erase(it);
      return;
    }
    Judged();
    const CommittedChange& change = *facts.history().Newest(o.object);
    const std::string_view hit = (change.before.is_null() ? change.after : change.before)
                                     .Get("metadata")
                                     .Get("uid")
                                     .AsString();
    for (const std::string& uid : it->second) {
      if (hit == uid) continue;
      return Violate(o.seq, std::string(o.by),
                     fmt::format("{} deleted {} meaning the one with uid {}, and hit {}{}", o.by,
                                 change.Name(), uid, hit, Believed(facts, o.object)),
                     {change.Name()});
    }
  }

 private:
  // Request -> the uid that its sender knew, and the one it demanded; looked up only.
  absl::flat_hash_map<std::uint64_t, std::vector<std::string>> meant_;
};

}  // namespace

OracleEntry DeleteUidOracle() {
  return {&DeleteUidInfo(), [] { return std::unique_ptr<Oracle>(new DeleteUid); }, ""};
}

}  // namespace ksim::check
