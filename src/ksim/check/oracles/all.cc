#include "ksim/check/oracles/all.h"

namespace ksim::check {
namespace {

constexpr std::string_view kLater = "not in this version";

// What is judged elsewhere or not yet: a name, what it promises, and why it is not judged ("" = it
// is, by others).
OracleEntry Elsewhere(std::string_view name, Guarantee guarantee, std::string_view promise,
                      std::string_view why) {
  auto* info = new OracleInfo;  // lives as long as the program
  info->name = name;
  info->guarantee = guarantee;
  info->promise = promise;
  return {info, nullptr, why};
}

}  // namespace

const std::vector<OracleEntry>& AllOracles() {
  static const std::vector<OracleEntry> all{
      WatchOrderedOracle(),
      WatchUniqueOracle(),
      WatchReliableOracle(),
      WatchResumableOracle(),
      WatchBookmarkableOracle(),
      WatchAtomicOracle(),
      ResumeOrderedOracle(),
      ResumeUniqueOracle(),
      ResumeReliableOracle(),
      Elsewhere("view.monotone", Guarantee::kSafety,
                "What an informer serves never goes back in time.", kLater),
      Elsewhere("list.snapshot", Guarantee::kSafety, "All pages of one list are one revision.",
                kLater),
      Elsewhere("informer.converges", Guarantee::kLiveness,
                "In the end each cache equals the store.", kLater),
      Elsewhere("handlers.fold", Guarantee::kSafety, "Folding the handler calls gives the cache.",
                kLater),
      Elsewhere("store.linearizable", Guarantee::kSafety, "The store's answers have one order.",
                kLater),
      Elsewhere("esr", Guarantee::kLiveness, "Eventually desired equals actual, and stays so.",
                kLater),
      Elsewhere("quiet", Guarantee::kLiveness, "Then no more writes.", kLater),
      Elsewhere("noOvershoot", Guarantee::kSafety, "Never more pods of an owner than asked for.",
                kLater),
      Elsewhere("atMostOne", Guarantee::kSafety, "No two kubelets run one StatefulSet identity.",
                kLater),
      Elsewhere("delete.uid", Guarantee::kSafety,
                "A deletion hits only the object it was meant for.", kLater),
      Elsewhere("sched.fits", Guarantee::kSafety, "Requests on a node fit its allocatable.",
                kLater),
      Elsewhere("sched.real", Guarantee::kSafety, "No bind to a node that is not in the store.",
                kLater),
      Elsewhere("noLeak", Guarantee::kLiveness, "After the root is deleted nothing of it is left.",
                kLater),
      Elsewhere("gc.safe", Guarantee::kSafety,
                "Garbage collection deletes nothing that has a live owner.",
                "there is no garbage collector in this version"),
      Elsewhere("evict.sane", Guarantee::kSafety, "No eviction while no node reports.",
                "there is no node lifecycle controller in this version"),
      Elsewhere("jobCount", Guarantee::kSafety, "A Job counts each finished pod once.",
                "there is no Job controller in this version"),
      Elsewhere("limit", Guarantee::kLiveness, "The run ends within its limits.", ""),
      Elsewhere("expect", Guarantee::kSafety, "The scenario's own expectations.", "")};
  return all;
}

}  // namespace ksim::check
