// Executor: does the jobs of a batch, in this process or in worker processes. The outcomes are the
// same and in the order of the jobs, whoever did them.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/base/time.h"
#include "ksim/fuzz/run_outcome.h"
#include "ksim/scenario/scenario.h"

namespace ksim::fuzz {

// Whether more work begins: all of it; none, but what is under way is done; or what is under way
// gets no more than another second.
enum class Pace : std::uint8_t { kGoOn, kFinish, kBreakOff };

class Executor {
 public:
  virtual ~Executor() = default;
  // `pace` is asked between jobs, and several times a second; once it says anything but kGoOn
  // nothing new begins. Then the outcomes are those of the first so many jobs. `on_done` is told
  // each outcome as it comes, in any order.
  virtual std::vector<RunOutcome> Do(const std::vector<Job>& jobs,
                                     const std::function<Pace()>& pace,
                                     const std::function<void(const RunOutcome&)>& on_done) = 0;
};

// One after the other, here.
std::unique_ptr<Executor> MakeInProcess(const scenario::Scenario& scenario,
                                        std::optional<Duration> timeout);

// `count` forked workers. A job whose worker dies is done once more; when that one dies too its
// outcome says how. One that does not answer for long past `timeout` is killed: undecided.
absl::StatusOr<std::unique_ptr<Executor>> MakeWorkers(const scenario::Scenario& scenario,
                                                      std::optional<Duration> timeout, int count);

}  // namespace ksim::fuzz
