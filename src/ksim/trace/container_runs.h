// ContainerRuns: the runs of a trace's containers, and what they printed.
#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/base/time.h"
#include "ksim/trace/trace.h"

namespace ksim::trace {

struct ContainerRun {
  ContainerRun() = default;
  struct Line {
    VirtualTime time;
    std::string text;
  };
  VirtualTime started;
  bool over = false;
  std::vector<Line> lines;
};

class ContainerRuns {
 public:
  // Reads the first `events` events of the trace.
  ContainerRuns(const Trace& trace, std::size_t events);

  // In their order; a container that ran before the trace began has none of that time.
  const std::vector<ContainerRun>& Of(std::string_view uid, std::string_view container) const;

 private:
  std::map<std::pair<std::string, std::string>, std::vector<ContainerRun>> runs_;
};

}  // namespace ksim::trace
