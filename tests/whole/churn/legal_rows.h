// LegalRows counts events that look wrong at first sight and may legally happen to clients of list
// and watch. The oracles must stay silent about them, and the churn must show each kind.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ksim/check/observation.h"

namespace ksim::churn {

enum class Legal : std::uint8_t {
  kSkippedVersions,     // an update over versions that were never told
  kNeverSeen,           // created and deleted without anybody being told
  kOtherUid,            // deleted and made anew: one update with another uid
  kSameVersion,         // an update without a change
  kStaleTombstone,      // a deletion with an object older than the last one there was
  kFarApart,            // one handler is told seconds before another
  kRestartedInThePast,  // the first list after a restart is older than what was known
  kCount
};
inline constexpr std::size_t kLegalRows = static_cast<std::size_t>(Legal::kCount);
std::string_view NameOf(Legal row);

class LegalRows {
 public:
  void Take(const check::Observation& o);
  // Counts the rows that are known only at the end; called once.
  void Finish();
  std::uint64_t count(Legal row) const { return counts_[static_cast<std::size_t>(row)]; }

 private:
  using Version = std::pair<std::uint64_t, std::int64_t>;  // object, revision
  void Commit(const check::Observation& o);
  void Handler(const check::Observation& o);
  void List(const check::Observation& o);
  void Found(Legal row) { ++counts_[static_cast<std::size_t>(row)]; }

  std::array<std::uint64_t, kLegalRows> counts_{};
  std::map<std::uint64_t, std::vector<std::int64_t>> versions_;        // of objects
  std::set<std::string> created_, deleted_, told_;                     // uids
  std::map<std::string, std::map<Version, std::int64_t>> first_told_;  // of informers: when
  std::map<std::string, std::int64_t> known_;                          // of processes
  std::set<std::string> restarted_;
};

}  // namespace ksim::churn
