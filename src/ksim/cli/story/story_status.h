// StoryStatus: what a commit of a pod says in its status beyond the phase: that no node was found,
// why a container waits, why the pod failed. Each is told once, when it becomes true.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/trace/record.h"

namespace ksim::cli {

class StoryStatus {
 public:
  explicit StoryStatus(const std::vector<trace::Record>& events);

  // "PodScheduled False, Unschedulable: 0/3 nodes are available: ..."; "" for nothing new.
  std::string_view Of(const trace::Record& commit) const;
  // The commit is the scheduler's word that it found no node.
  bool IsUnscheduled(const trace::Record& commit) const;
  // A kubelet says of a pod that it is on its way: it has not run, failed or been deleted.
  bool IsOnItsWay(const trace::Record& commit) const;

 private:
  // A pod's status as far as it is told, by path.
  struct Pod {
    std::map<std::string, std::string, std::less<>> fields;
    std::set<std::string> told;
    bool has_run = false;
  };
  void Add(const trace::Record& commit, Pod* pod);

  std::map<std::int64_t, std::string> news_;  // by revision
  std::set<std::int64_t> unscheduled_, on_their_way_;
};

}  // namespace ksim::cli
