#include "ksim/base/hash_stream.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ksim {

struct Hash64Stream::State {
  XXH3_state_t xxh;
};

Hash64Stream::Hash64Stream() : state_(std::make_unique<State>()) {
  XXH3_64bits_reset(&state_->xxh);
}

Hash64Stream::~Hash64Stream() = default;

Hash64Stream& Hash64Stream::Add(std::string_view piece) {
  XXH3_64bits_update(&state_->xxh, piece.data(), piece.size());
  return *this;
}

std::uint64_t Hash64Stream::Digest() const { return XXH3_64bits_digest(&state_->xxh); }

}  // namespace ksim
