// ChunkedBody: takes a body in chunks apart, in whatever pieces its bytes come. (Boost.Beast's
// parser has assertions that a client can break.)
//
// Source: net/http/internal/chunked.go, net/http/transfer.go (body.readTrailer).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ksim::apiserver::http {

class ChunkedBody {
 public:
  // Takes what belongs to the body, appends its data to `body` as long as that has no more than
  // `most` bytes, and returns how many bytes it took.
  std::size_t Take(std::string_view bytes, std::size_t most, std::string* body);

  bool done() const { return state_ == State::kDone; }  // the trailer is over, too
  bool bad() const { return state_ == State::kBad; }    // no body in chunks

 private:
  enum class State : std::uint8_t { kSize, kData, kDataEnd, kTrailer, kDone, kBad };
  bool TakeLine(std::string_view* bytes);
  void OnLine();

  State state_ = State::kSize;
  std::string line_;         // as far as it has come
  std::uint64_t left_ = 0;   // of the chunk's data
  std::size_t trailer_ = 0;  // bytes of it
};

}  // namespace ksim::apiserver::http
