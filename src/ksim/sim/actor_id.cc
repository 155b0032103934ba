// NOLINTFILE(ksim-threads): simulations on several threads share the table of names.
// NOLINTFILE(ksim-static): one table a process; a number of it reaches no output.
#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "ksim/base/check.h"
#include "ksim/base/hash.h"
#include "ksim/sim/bus.h"

namespace ksim::sim {
namespace {

struct Actor {
  std::string_view name;
  std::uint64_t hash = 0;  // XXH3-64 of the name
};

constexpr std::uint32_t kBlock = 1024;
constexpr std::uint32_t kBlocks = 4096;
constexpr std::uint64_t kEmptyNameHash = 0x2D06800538D394C2;  // Hash64("")

// Simulations on several threads share the table. Entries never move and are never dropped, so
// reading one by its number needs no lock: whoever has the number got it after the entry was made.
// Every event's actor is read, so the blocks are where no look is needed whether they are there.
constinit Actor g_first_block[kBlock] = {{"", kEmptyNameHash}};
constinit std::array<std::atomic<Actor*>, kBlocks> g_blocks{g_first_block};

Actor& At(std::uint32_t id) {
  return g_blocks[id / kBlock].load(std::memory_order_acquire)[id % kBlock];
}

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
    if (id % kBlock == 0) g_blocks[id / kBlock].store(new Actor[kBlock], std::memory_order_release);
    At(id) = {names_.emplace_back(name), Hash64(name)};
    ids_.emplace(At(id).name, id);
    return id;
  }

 private:
  ActorTable() { ids_.emplace("", 0); }

  std::mutex mutex_;
  std::deque<std::string> names_;  // of the entries; they stay where they are
  absl::flat_hash_map<std::string_view, std::uint32_t> ids_;
  std::uint32_t size_ = 1;
};

}  // namespace

ActorId ActorId::Of(std::string_view name) {
  ActorId id;
  id.id_ = ActorTable::Get().Intern(name);
  return id;
}

std::string_view ActorId::name() const { return At(id_).name; }
std::uint64_t ActorId::name_hash() const { return At(id_).hash; }

}  // namespace ksim::sim
