// NOLINTFILE(ksim-threads): simulations on several threads share the table of names.
// NOLINTFILE(ksim-static): one table a process; a number of it reaches no output.
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "ksim/base/check.h"
#include "ksim/base/hash.h"
#include "ksim/sim/bus.h"

namespace ksim::sim {
namespace {

struct Actor {
  std::string name;
  std::uint64_t hash = 0;
};

// Simulations on several threads share the table. Entries never move and are never dropped, so
// reading one by its number needs no lock: whoever has the number got it after the entry was made.
class ActorTable {
 public:
  static ActorTable& Get() {
    static ActorTable* table = new ActorTable;  // outlives every static simulation
    return *table;
  }

  std::uint32_t Intern(std::string_view name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto it = ids_.find(name);
    if (it != ids_.end()) return it->second;
    const std::uint32_t id = size_++;
    KSIM_CHECK(id < kBlocks * kBlock) << "too many actor names";
    if (id % kBlock == 0) blocks_[id / kBlock].store(new Actor[kBlock], std::memory_order_release);
    Actor& actor = At(id);
    actor.name = name;
    actor.hash = Hash64(name);
    ids_.emplace(actor.name, id);
    return id;
  }

  Actor& At(std::uint32_t id) {
    return blocks_[id / kBlock].load(std::memory_order_acquire)[id % kBlock];
  }

 private:
  static constexpr std::uint32_t kBlock = 1024;
  static constexpr std::uint32_t kBlocks = 4096;
  ActorTable() { Intern(""); }

  std::mutex mutex_;
  absl::flat_hash_map<std::string_view, std::uint32_t> ids_;  // keys are the entries' names
  std::uint32_t size_ = 0;
  std::array<std::atomic<Actor*>, kBlocks> blocks_{};
};

}  // namespace

ActorId ActorId::Of(std::string_view name) {
  ActorId id;
  id.id_ = ActorTable::Get().Intern(name);
  return id;
}

std::string_view ActorId::name() const { return ActorTable::Get().At(id_).name; }
std::uint64_t ActorId::name_hash() const { return ActorTable::Get().At(id_).hash; }

}  // namespace ksim::sim
