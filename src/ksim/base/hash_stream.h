// Hash64Stream: Hash64 of a text that comes piece by piece.
#pragma once
#include <cstdint>
#include <memory>
#include <string_view>

namespace ksim {

class Hash64Stream {
 public:
  Hash64Stream();
  ~Hash64Stream();
  Hash64Stream(const Hash64Stream&) = delete;
  Hash64Stream& operator=(const Hash64Stream&) = delete;

  Hash64Stream& Add(std::string_view piece);
  std::uint64_t Digest() const;  // of what came so far; more may follow

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ksim
