// WatchVerdicts: what can be judged of a watch that kubectl printed, as the verdicts of all
// oracles. Those about watches are judged as far as the output goes; the rest says why it is not.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/check/verdict.h"

namespace ksim::check {

class WatchVerdicts {
 public:
  WatchVerdicts();  // watch.ordered, watch.unique and watch.reliable: ok so far
  WatchVerdicts(const WatchVerdicts&) = delete;
  WatchVerdicts& operator=(const WatchVerdicts&) = delete;

  // `message` begins after "event 3: "; `object` as in the message.
  void Violate(std::string_view oracle, std::uint64_t n, const std::string& object,
               std::string_view message);
  // Unless something was found all the same.
  void CannotJudge(std::string_view oracle, std::string_view why);
  // One for each oracle there is, in their order.
  std::vector<Verdict> Take();

 private:
  std::map<std::string, Verdict, std::less<>> verdicts_;
};

}  // namespace ksim::check
