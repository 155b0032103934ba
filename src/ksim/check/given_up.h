// GivenUp: the keys that a controller has dropped after its last try (maxRetries of
// pkg/controller/deployment, endpoint, endpointslice and others), through no fault of its own: a
// request of that try was refused or not answered, or lost to a writer that a fault brought, or its
// process had not been told of something for a while. Only an event wakes it for such a key. A
// conflict by itself excuses nothing: a controller that can never win has them, too.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "ksim/check/observation.h"

namespace ksim::check {

class Facts;

class GivenUp {
 public:
  // Other kinds of events are ignored, and other actors than the kube-controller-manager's.
  void On(const Facts& facts, const Observation& o);
  // A key was dropped, and has not been looked at since.
  bool any() const { return !keys_.empty(); }

 private:
  // A write of a controller on its way.
  struct Write {
    std::uint64_t seq = 0;     // of the request
    std::uint64_t object = 0;  // 0: the server names it
    std::uint64_t process = 0;
    bool beaten = false;  // a fault wrote the object meanwhile, or answers in the server's place
  };
  void OnRequest(const Observation& o);
  void OnCommit(const Observation& o);
  void OnFault(const Observation& o);
  void OnActor(const Observation& o);
  void OnResponse(const Observation& o);
  void OnReconcile(const Facts& facts, const Observation& o);

  std::map<std::uint64_t, Write> writes_;                     // by request
  std::set<std::string> keys_;                                // "ACTOR KEY"
  absl::flat_hash_map<std::uint64_t, std::uint64_t> begun_;   // hash of ACTOR and KEY -> seq
  std::map<std::string, std::uint64_t, std::less<>> failed_;  // actor -> seq of its last refusal
};

}  // namespace ksim::check
