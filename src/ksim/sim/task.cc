#include "ksim/sim/task.h"

namespace ksim::sim::internal {

// NOLINT(ksim-static): null between steps.
constinit thread_local std::coroutine_handle<> next_to_resume{};

}  // namespace ksim::sim::internal
