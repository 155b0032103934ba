// StorySteps: which of the twelve steps of a ReplicaSet's way to running pods an event is. It is
// one only if it does what the step's heading says, whoever did it.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "ksim/cli/story/story_status.h"
#include "ksim/trace/record.h"

namespace ksim::cli {

// Whether a commit is of the object that its request is about: the charge of a quota is not.
bool IsOfItsRequest(const trace::Record& commit,
                    const std::map<std::int64_t, const trace::Record*>& requests);

class StorySteps {
 public:
  // The steps, from 1; kNoNode is beside them: it has a heading and no number.
  static constexpr int kWatches = 1, kNumbered = 12, kNoNode = 13;
  static std::string_view Heading(int step);

  // `bookmarks`: the revisions of which kubelets were told by bookmarks.
  StorySteps(const std::vector<trace::Record>& events, const std::set<std::int64_t>& bookmarks,
             const StoryStatus& status);

  // 0: none of them. `r` is a request, a commit, an event on the wire, a handler's call or what a
  // runtime did.
  int Of(const trace::Record& r) const;

 private:
  int OfRequest(const trace::Record& r) const;
  int OfCommit(const trace::Record& r) const;
  int OfNotification(const trace::Record& r) const;
  int OfHandler(const trace::Record& r) const;
  const trace::Record* CommitAt(std::int64_t revision) const;

  const StoryStatus& status_;
  std::map<std::int64_t, const trace::Record*> requests_;   // by id
  std::map<std::int64_t, const trace::Record*> commit_of_;  // by request id
  std::map<std::int64_t, const trace::Record*> commits_;    // by revision
  std::set<std::int64_t> told_kubelets_;                    // versions that an API server sent one
};

}  // namespace ksim::cli
