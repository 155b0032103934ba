#include "ksim/apiserver/doors/http/chunked_body.h"

#include <algorithm>
#include <charconv>

#include "ksim/apiserver/doors/http/text.h"

namespace ksim::apiserver::http {
namespace {

// chunked.go maxLineLength; a trailer gets as much.
constexpr std::size_t kLongestLine = 4096;
constexpr std::size_t kMostDigits = 16;

}  // namespace

std::size_t ChunkedBody::Take(std::string_view bytes, std::size_t most, std::string* body) {
  const std::size_t all = bytes.size();
  while (!bytes.empty() && !done() && !bad() && body->size() <= most) {
    if (state_ != State::kData) {
      if (TakeLine(&bytes)) OnLine();
      continue;
    }
    const std::size_t room = most + 1 - body->size();
    const std::size_t size = std::min({static_cast<std::size_t>(left_), bytes.size(), room});
    body->append(bytes.substr(0, size));
    bytes.remove_prefix(size);
    left_ -= size;
    if (left_ == 0) state_ = State::kDataEnd;
  }
  return all - bytes.size();
}

// True once the line is whole.
bool ChunkedBody::TakeLine(std::string_view* bytes) {
  const std::size_t newline = bytes->find('\n');
  const std::size_t size = newline == bytes->npos ? bytes->size() : newline + 1;
  line_ += bytes->substr(0, size);
  bytes->remove_prefix(size);
  if (state_ == State::kTrailer) trailer_ += size;
  if (line_.size() > kLongestLine || trailer_ > kLongestLine) state_ = State::kBad;
  return newline != bytes->npos && state_ != State::kBad;
}

void ChunkedBody::OnLine() {
  std::string_view line = line_;
  line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (state_ == State::kDataEnd) {
    state_ = line.empty() ? State::kSize : State::kBad;
  } else if (state_ == State::kTrailer) {
    if (line.empty()) state_ = State::kDone;
  } else {
    const std::string_view size = Trim(line.substr(0, line.find(';')), " \t");
    const char* const end = size.data() + size.size();
    const auto [stopped, error] = std::from_chars(size.data(), end, left_, 16);
    const bool good = error == std::errc() && stopped == end && size.size() <= kMostDigits;
    state_ = !good ? State::kBad : left_ == 0 ? State::kTrailer : State::kData;
  }
  line_.clear();
}

}  // namespace ksim::apiserver::http
