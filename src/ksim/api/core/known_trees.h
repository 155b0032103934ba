// KnownTrees remembers which trees passed a check, by their content: most parts of an object come
// again with each write of it, and with each object made from one template. A tree without a hash
// was made a moment ago: it is not worth one.
//
//   thread_local KnownTrees known;  // changes no answer, only its cost
//   const KnownTrees::Place place = known.Of(tree, aspect);
//   if (!place.found() && LooksGood(tree)) place.Remember();
#pragma once
#include <array>
#include <cstdint>

#include "ksim/value/partial_hash.h"

namespace ksim::api {

class KnownTrees {
 public:
  class Place {
   public:
    bool found() const { return hash_ != 0 && *at_ == key_; }
    void Remember() const {
      if (hash_ != 0) *at_ = key_;
    }

   private:
    friend class KnownTrees;
    Place(std::uint64_t hash, std::uint64_t key, std::uint64_t* at)
        : hash_(hash), key_(key), at_(at) {}
    std::uint64_t hash_;  // 0: not known
    std::uint64_t key_;
    std::uint64_t* at_;
  };

  // `aspect` tells several checks of one table apart.
  Place Of(const value::Value& tree, std::uint64_t aspect) {
    const std::uint64_t hash = value::HashIfKnown(tree);
    const std::uint64_t key = hash + aspect * 0x9E3779B97F4A7C15;
    return Place(hash, key, &known_[key % known_.size()]);
  }

 private:
  std::array<std::uint64_t, 1024> known_{};
};

}  // namespace ksim::api
