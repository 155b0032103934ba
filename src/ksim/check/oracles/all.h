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

}  // namespace ksim::check
