// LongWaits: those that wait for a time that no run waits for, and can be told to be work after
// all. What has failed for so long that it is tried again only after minutes may do so for ever, so
// it keeps no run going; but what failed while there were faults is tried once more before a run is
// judged.
#pragma once
#include <memory>
#include <vector>

#include "ksim/base/time.h"

namespace ksim::sim {

class LongWait {
 public:
  virtual ~LongWait() = default;
  // From now on a wait that ends by then is work, until its time has come. False: there was none.
  virtual bool BecomeWork(VirtualTime by) = 0;
};

class LongWaits {
 public:
  // Forgotten when it is gone.
  void Add(std::weak_ptr<LongWait> wait);
  // BecomeWork of all, in the order of Add. Whether one of them had something.
  bool BecomeWork(VirtualTime by);

 private:
  std::vector<std::weak_ptr<LongWait>> waits_;
  std::size_t most_ = 16;  // the gone ones are looked for when there are more
};

}  // namespace ksim::sim
