// Continuations: what a run does from each of its questions on, as a hash. Where the hashes of two
// runs at one question are equal, every process has met the same events in the same order before
// it, and everything goes on in the same way, at the same times, from there. An answer to that
// question then leads to the same in both runs.
//
// The times of what was before are not in the hash: a message that came a little later, and that
// nobody acted upon, leaves no trace. A fault in force is, since its end comes later.
#pragma once
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ksim/fuzz/run_outcome.h"
#include "ksim/fuzz/strategy.h"
#include "ksim/sim/bus.h"

namespace ksim::fuzz {

std::uint64_t QuestionId(const Answer& about);

class Continuations {
 public:
  // Subscribes itself; must live as long as the bus is used.
  explicit Continuations(sim::Bus& bus);
  Continuations(const Continuations&) = delete;
  Continuations& operator=(const Continuations&) = delete;

  void OnQuestion(const Question& question);
  std::vector<Continuation> Take();  // when the run is over; in the order of asking

 private:
  struct Asked {
    std::size_t at = 0;  // into steps_
    std::uint64_t question = 0;
    std::uint64_t before = 0;  // hash of what the processes had met
  };
  void OnEvent(const sim::Event& e);
  std::uint64_t ProcessOf(sim::ActorId actor);

  std::vector<std::uint64_t> steps_;  // hashes of events and questions
  std::vector<Asked> asked_;
  // By the hash of a process' name: of the events that it met, in their order. Looked up only.
  absl::flat_hash_map<std::uint64_t, std::uint64_t> met_;
  std::uint64_t all_met_ = 0;                                     // their sum
  absl::flat_hash_map<std::uint64_t, std::uint64_t> process_of_;  // by the hash of an actor's name
};

}  // namespace ksim::fuzz
