// pod.oneController, pod.stays, pod.ended: what no write may ever do to a pod, whoever writes and
// whatever his cache holds. CTRL-F-03.
#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "ksim/check/oracles/register.h"
#include "ksim/check/oracles/wording.h"

namespace ksim::check {
namespace {

using value::Value;

std::string_view NodeName(const Value& pod) { return pod.Get("spec").Get("nodeName").AsString(); }
std::string_view Phase(const Value& pod) { return pod.Get("status").Get("phase").AsString(); }

// Judges one commit of a pod: what is wrong with it, or "". Sets `judged` if the law applied.
using Law = std::string (*)(const Observation& o, bool* judged);

std::string OneController(const Observation& o, bool* judged) {
  int controllers = 0;
  for (const Value& owner : o.after->Get("metadata").Get("ownerReferences").items())
    controllers += owner.Get("controller").AsBool() ? 1 : 0;
  *judged = controllers > 0;
  return controllers > 1 ? fmt::format("gives it {} controllers", controllers) : "";
}

std::string Stays(const Observation& o, bool* judged) {
  const std::string_view before = NodeName(*o.before), after = NodeName(*o.after);
  *judged = !before.empty();
  if (before.empty() || before == after) return "";
  return fmt::format("moves it from {} to {}", before, after.empty() ? "no node" : after);
}

std::string Ended(const Observation& o, bool* judged) {
  const std::string_view before = Phase(*o.before), after = Phase(*o.after);
  const bool over = before == "Succeeded" || before == "Failed";
  if (!over || o.by.starts_with("kubectl")) return "";
  *judged = true;
  if (before == after) return "";
  return fmt::format("makes it {}, and it had ended: {}", after.empty() ? "phaseless" : after,
                     before);
}

class PodLaw : public Oracle {
 public:
  PodLaw(const OracleInfo& info, Law law) : Oracle(info), law_(law) {}

  void On(const Facts& facts, const Observation& o) override {
    if (o.kind != sim::EventKind::kCommit) return Note(o);
    if (o.resource != "pods" || o.after->is_null() || IsLate(o)) return;
    bool judge = false;
    const std::string wrong = law_(o, &judge);
    if (judge) Judged();
    if (wrong.empty()) return;
    Violate(
        o.seq, std::string(o.by),
        fmt::format("{} writes {} and {}{}", o.by, ObjectOf(o), wrong, Believed(facts, o.object)),
        {ObjectOf(o)});
  }

 private:
  void Note(const Observation& o) {
    if (o.kind == sim::EventKind::kResponse && o.lost) given_up_.insert(o.request);
    if (o.kind == sim::EventKind::kActor && (o.state == "kill" || o.state == "stop"))
      died_[std::string(o.target)] = o.seq;
  }
  // Whether whoever asked for it had given it up, or has died since.
  bool IsLate(const Observation& o) const {
    if (given_up_.contains(o.request)) return true;
    const auto died = died_.find(o.by);
    return died != died_.end() && o.cause < died->second;
  }

  Law law_;
  std::set<std::uint64_t> given_up_;  // requests
  std::map<std::string, std::uint64_t, std::less<>> died_;
};

template <const OracleInfo& (*info)(), Law law>
OracleEntry Entry() {
  return {&info(), [] { return std::unique_ptr<Oracle>(new PodLaw(info(), law)); }, ""};
}

const OracleInfo& OneControllerInfo() {
  static const OracleInfo info{"pod.oneController",
                               Guarantee::kSafety,
                               "No pod ever has two owners that are its controller.",
                               {sim::EventKind::kCommit},
                               {"several owners of which one is the controller",
                                "another controller once the first has released it"},
                               "no pod had a controller"};
  return info;
}

const OracleInfo& StaysInfo() {
  static const OracleInfo info{"pod.stays",
                               Guarantee::kSafety,
                               "A pod that is on a node stays there until it is gone.",
                               {sim::EventKind::kCommit},
                               {"another pod of the same name on another node"},
                               "no pod that was on a node was written again"};
  return info;
}

const OracleInfo& EndedInfo() {
  static const OracleInfo info{
      "pod.ended",
      Guarantee::kSafety,
      "A pod that has Succeeded or Failed keeps that phase.",
      {sim::EventKind::kCommit, sim::EventKind::kResponse, sim::EventKind::kActor},
      {"a user may write whatever he likes into a status", "another pod of the same name",
       "a patch that its kubelet has given up, or died over, comes true after a later one"},
      "no pod that had ended was written again"};
  return info;
}

}  // namespace

OracleEntry PodOneControllerOracle() { return Entry<&OneControllerInfo, &OneController>(); }
OracleEntry PodStaysOracle() { return Entry<&StaysInfo, &Stays>(); }
OracleEntry PodEndedOracle() { return Entry<&EndedInfo, &Ended>(); }

}  // namespace ksim::check
