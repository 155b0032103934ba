// How to make each oracle; one file each, named after it.
#pragma once
#include "ksim/check/oracle.h"

namespace ksim::check {

OracleEntry WatchOrderedOracle();
OracleEntry WatchUniqueOracle();
OracleEntry WatchReliableOracle();
OracleEntry WatchResumableOracle();
OracleEntry WatchBookmarkableOracle();
OracleEntry WatchAtomicOracle();
OracleEntry ResumeOrderedOracle();
OracleEntry ResumeUniqueOracle();
OracleEntry ResumeReliableOracle();
OracleEntry ViewMonotoneOracle();
OracleEntry ListSnapshotOracle();
OracleEntry InformerConvergesOracle();
OracleEntry HandlersFoldOracle();
OracleEntry StoreLinearizableOracle();
OracleEntry EsrOracle();
OracleEntry QuietOracle();
OracleEntry NoOvershootOracle();
OracleEntry OneOnNodeOracle();
OracleEntry AtMostOneOracle();
OracleEntry OneAtATimeOracle();
OracleEntry LeaderAloneOracle();
OracleEntry DeleteUidOracle();
OracleEntry StatusUidOracle();
OracleEntry PodOneControllerOracle();
OracleEntry PodStaysOracle();
OracleEntry PodEndedOracle();
OracleEntry SchedFitsOracle();
OracleEntry SchedRealOracle();
OracleEntry NoLeakOracle();
OracleEntry GcSafeOracle();
OracleEntry EvictSaneOracle();
OracleEntry PdbRespectedOracle();
OracleEntry NsEmptyOracle();
OracleEntry JobCountOracle();
OracleEntry JobFinalizersOracle();
OracleEntry SurgeMaxOracle();
OracleEntry AvailMinOracle();
OracleEntry DaemonSetRolloutOracle();
OracleEntry StatefulSetRolloutOracle();
OracleEntry RevisionsOracle();
OracleEntry ScheduleOnceOracle();

}  // namespace ksim::check
