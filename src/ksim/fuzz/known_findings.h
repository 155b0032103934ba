// KnownFindings: what is known to go wrong, so that a campaign fails for something new only: each
// scenario of a directory is run as `ksim run` does it, and a failure of the same oracle at the
// same place as one of its findings is known.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ksim/fuzz/run_outcome.h"
#include "ksim/scenario/scenario.h"

namespace ksim::fuzz {

class KnownFindings {
 public:
  // Runs it. `stop` is asked now and then: a run that it ends says nothing.
  void Add(const std::string& path, const scenario::Scenario& scenario,
           const std::function<bool()>& stop);

  // The file whose run shows the same; "": it is new.
  std::string PathOf(const CampaignFinding& finding) const;
  // Files whose run finds nothing any more.
  const std::vector<std::string>& silent() const { return silent_; }

 private:
  std::map<std::string, std::string, std::less<>> path_by_key_;  // the first file of a key
  std::vector<std::string> silent_;
};

}  // namespace ksim::fuzz
