// Calls that a sync of the Job controller makes at once and waits for together.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "ksim/controllers/job/job_controller.h"
#include "ksim/sim/mailbox.h"

namespace ksim::controllers {

// It lives in the frame of the sync that waits.
struct JobController::Calls {
  explicit Calls(sim::Simulation& sim) : finished(sim) {}
  std::int64_t running = 0;
  std::int64_t errors = 0;
  std::int64_t deleted = 0;  // pods that are gone, or going
  std::int64_t deleted_ready = 0;
  std::optional<std::string> first_error;
  sim::Signal finished;

  void Fail(std::string error) {
    ++errors;
    if (!first_error) first_error = std::move(error);
  }
  void Finish() {
    if (--running == 0) finished.Notify();
  }
};

}  // namespace ksim::controllers
