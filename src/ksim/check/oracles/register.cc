#include "ksim/check/oracles/register.h"

#include <utility>

namespace ksim::check {
namespace {

// A guarantee that another part of ksim judges (`why` is ""), or nobody yet.
OracleEntry Elsewhere(std::string_view name, Guarantee guarantee, std::string_view promise,
                      std::string_view why) {
  auto* info = new OracleInfo;  // lives as long as the program
  info->name = name;
  info->guarantee = guarantee;
  info->promise = promise;
  return {info, nullptr, why};
}

// Never destroyed, as what its entries point to.
std::vector<OracleEntry>& Entries() {
  static std::vector<OracleEntry>& all =  // NOLINT(ksim-static): what a program links
      *new std::vector<OracleEntry>{
          WatchOrderedOracle(),
          WatchUniqueOracle(),
          WatchReliableOracle(),
          WatchResumableOracle(),
          WatchBookmarkableOracle(),
          WatchAtomicOracle(),
          ResumeOrderedOracle(),
          ResumeUniqueOracle(),
          ResumeReliableOracle(),
          ViewMonotoneOracle(),
          ListSnapshotOracle(),
          InformerConvergesOracle(),
          HandlersFoldOracle(),
          StoreLinearizableOracle(),
          EsrOracle(),
          QuietOracle(),
          NoOvershootOracle(),
          OneOnNodeOracle(),
          AtMostOneOracle(),
          OneAtATimeOracle(),
          LeaderAloneOracle(),
          DeleteUidOracle(),
          StatusUidOracle(),
          PodOneControllerOracle(),
          PodStaysOracle(),
          PodEndedOracle(),
          SchedFitsOracle(),
          SchedRealOracle(),
          NoLeakOracle(),
          GcSafeOracle(),
          EvictSaneOracle(),
          PdbRespectedOracle(),
          NsEmptyOracle(),
          JobCountOracle(),
          JobFinalizersOracle(),
          SurgeMaxOracle(),
          AvailMinOracle(),
          DaemonSetRolloutOracle(),
          StatefulSetRolloutOracle(),
          RevisionsOracle(),
          ScheduleOnceOracle(),
          Elsewhere("trace.consistent", Guarantee::kSafety,
                    "A recorded trace nowhere contradicts itself; `ksim check` alone judges that.",
                    ""),
          Elsewhere("limit", Guarantee::kLiveness, "The run ends within its limits.", ""),
          Elsewhere("expect", Guarantee::kSafety, "The scenario's own expectations.", "")};
  return all;
}

}  // namespace

const std::vector<OracleEntry>& AllOracles() { return Entries(); }

void AddOracle(OracleEntry entry) { Entries().push_back(std::move(entry)); }

}  // namespace ksim::check
