// NOLINTFILE(ksim-threads): simulations on several threads share the table of names.
// NOLINTFILE(ksim-static): one table a process; a number of it reaches no output.
#include "ksim/value/atom.h"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ksim/value/text_ends.h"

namespace ksim::value {
namespace {

constexpr std::uint64_t kEmptyTextHash = 0x2D06800538D394C2;  // XXH3_64bits("", 0)

constinit AtomEntry g_first_chunk[kFirstAtomChunk] = {{"", 0, 0, kEmptyTextHash}};

struct TextHash {
  std::size_t operator()(std::string_view s) const { return XXH3_64bits(s.data(), s.size()); }
};

class AtomTable {
 public:
  // Never destroyed: atoms outlive every static object.
  static AtomTable& Get() {
    static AtomTable* table = new AtomTable;
    return *table;
  }

  std::uint32_t Intern(std::string_view text, std::uint64_t hash) {
    const std::scoped_lock lock(mutex_);
    if (auto it = numbers_.find(text); it != numbers_.end()) return it->second;
    const std::uint32_t number = next_++;
    AtomEntry& entry = Slot(number);
    entry = {Store(text), static_cast<std::uint32_t>(text.size()), TextPrefix(text), hash};
    numbers_.emplace(entry.text(), number);
    return number;
  }

 private:
  AtomTable() { numbers_.emplace(std::string_view(), 0); }

  static AtomEntry& Slot(std::uint32_t number) {
    const std::uint32_t shifted = number + kFirstAtomChunk;
    const int chunk = std::bit_width(shifted) - std::bit_width(kFirstAtomChunk);
    auto& base = g_atom_chunks[static_cast<std::size_t>(chunk)];
    if (base.load(std::memory_order_relaxed) == nullptr) {
      base.store(new AtomEntry[std::size_t{kFirstAtomChunk} << chunk]{}, std::memory_order_release);
    }
    return base.load(std::memory_order_relaxed)[shifted - (kFirstAtomChunk << chunk)];
  }

  const char* Store(std::string_view text) {
    if (text.size() > left_) {
      left_ = std::max<std::size_t>(text.size(), 16384);
      blocks_.push_back(std::make_unique<char[]>(left_));
      free_ = blocks_.back().get();
    }
    char* at = free_;
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
    free_ += text.size();
    left_ -= text.size();
    return at;
  }

  std::mutex mutex_;
  absl::flat_hash_map<std::string_view, std::uint32_t, TextHash, std::equal_to<>> numbers_;
  std::uint32_t next_ = 1;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* free_ = nullptr;
  std::size_t left_ = 0;
};

// The names that this thread interned lately. An entry holds all that a look-up by a literal needs,
// so that a hit touches nothing else; a hit and a miss give the same atom.
struct Recent {
  Ends ends;
  Atom atom;  // the empty name: nothing yet
};
constexpr int kRecentBits = 9;
thread_local std::array<Recent, 1 << kRecentBits> t_recent;

}  // namespace

constinit std::array<std::atomic<AtomEntry*>, 22> g_atom_chunks{g_first_chunk};

Atom::Atom(std::string_view text) {
  if (text.empty()) return;
  const Ends ends = EndsOf(text);
  Recent& recent = t_recent[ends.Place(kRecentBits)];
  if (recent.ends == ends && (text.size() <= kToldApart || recent.atom.text() == text)) {
    number_ = recent.atom.number_;
    return;
  }
  number_ = AtomTable::Get().Intern(text, XXH3_64bits(text.data(), text.size()));
  recent.ends = ends;
  recent.atom = *this;
}

std::string_view Atom::text() const { return Entry(*this).text(); }

std::uint64_t TextPrefix(std::string_view text) {
  std::uint64_t prefix = 0;
  if (std::endian::native == std::endian::little && text.size() >= 8) {
    std::memcpy(&prefix, text.data(), 8);
    return __builtin_bswap64(prefix);
  }
  const std::size_t n = std::min<std::size_t>(text.size(), 8);
  for (std::size_t i = 0; i < n; ++i) {
    prefix |= std::uint64_t{static_cast<unsigned char>(text[i])} << (56 - 8 * i);
  }
  return prefix;
}

int CompareRest(const AtomEntry& a, const AtomEntry& b) { return a.text().compare(b.text()); }

}  // namespace ksim::value
