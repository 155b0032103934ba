// The result of a run for programs, and the words and tables for people.
#pragma once
#include <string>
#include <vector>

#include "ksim/cli/cited_events.h"
#include "ksim/scenario/not_simulated.h"
#include "ksim/scenario/observers/delivery.h"
#include "ksim/scenario/runner.h"

namespace ksim::cli {

// {apiVersion: ksim.dev/v1, kind: RunResult, ...}: fields are added, never renamed.
value::Value ResultTree(const scenario::Scenario& scenario, const scenario::RunReport& report,
                        const std::vector<api::Object>& objects,
                        const std::vector<scenario::InformerDelivery>& delivery,
                        const std::vector<scenario::NotSimulated>& not_simulated);

// "ok: 1,234 events, 57 writes, 34.2s of virtual time, digest 0123..."
std::string SummaryLine(const scenario::Scenario& scenario, const scenario::RunReport& report,
                        bool with_name);

// The objects of a run as `kubectl get` prints them: those of the kinds that steps are about, then
// pods. Several kinds are headed by their type (kubectl get rs,pods).
std::string ResultTable(const scenario::Scenario& scenario, const api::Kinds& kinds,
                        const std::vector<api::Object>& objects, VirtualTime now, bool wide);

// replicaset.apps/my-replicaset, one a line, of the same kinds.
std::string ResultNames(const scenario::Scenario& scenario, const api::Kinds& kinds,
                        const std::vector<api::Object>& objects);

// The complaints about a run, for stderr; "" for none. `strict`: steps and faults that never came
// are errors, and expectations that were vacuous or do not last.
std::string Complaints(const scenario::RunReport& report, const CitedEvents& cited, bool strict,
                       bool color);

// Whatever a run does not simulate, a line each: warnings, or errors with --strict.
std::string NotSimulatedText(const std::vector<scenario::NotSimulated>& list, bool strict,
                             bool color);

// One testcase a run.
struct JUnitCase {
  JUnitCase() = default;
  std::string name;
  int exit_code = 0;
  std::string message;
};
std::string JUnitXml(const std::vector<JUnitCase>& cases);

}  // namespace ksim::cli
