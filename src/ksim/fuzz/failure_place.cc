#include "ksim/fuzz/failure_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ksim/base/hash.h"
#include "ksim/check/oracle.h"

namespace ksim::fuzz {
namespace {

// The letters of generated suffixes: utilrand.String (k8s.io/apimachinery/pkg/util/rand), no
// vowels.
constexpr std::string_view kSuffixAlphabet = "bcdfghjklmnpqrstvwxz2456789";
constexpr std::size_t kSuffixLength = 5;

constexpr std::string_view kEventLimit = "not quiet when limit.events had passed";

bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.';
}

std::string WordGeneralised(std::string_view word) {
  const std::size_t dash = word.rfind('-');
  std::string tail;
  if (dash != std::string_view::npos && word.size() - dash - 1 == kSuffixLength &&
      word.find_first_not_of(kSuffixAlphabet, dash + 1) == std::string_view::npos) {
    tail = "-*";
    word = word.substr(0, dash);
  }
  std::string out;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool digit = word[i] >= '0' && word[i] <= '9';
    if (!digit) out += word[i];
    if (digit && (out.empty() || out.back() != 'N')) out += 'N';
  }
  return out + tail;
}

// The part of the text before the first appearance of `what`, or all of it.
std::string_view TextBefore(std::string_view text, std::string_view what) {
  return text.substr(0, text.find(what));
}

}  // namespace

std::string Generalised(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && IsNameChar(text[end])) ++end;
    if (end == i)
      out += text[i++];
    else
      out += WordGeneralised(text.substr(i, end - i));
    i = std::max(i, end);
  }
  return out;
}

std::string PlaceOf(const trace::Violation& v) {
  if (v.oracle == "expect") {
    // A time bound does not make it another expectation: under faults there is none.
    return std::string(TextBefore(TextBefore(v.message, ": there "), " within "));
  }
  // One of a set: the first words are the invariant itself. The time bound is no part of it.
  if (v.oracle.starts_with(check::kInvariantPrefix) && v.objects.empty())
    return std::string(TextBefore(TextBefore(v.message, ": it "), " within "));
  if (v.oracle == "limit") {
    // Among so many events it is chance which was the next.
    if (v.message.starts_with(kEventLimit)) return std::string(kEventLimit);
    // The object that a step waits for is another one in each run.
    return Generalised(TextBefore(TextBefore(v.message, "  due "), ": it waits for "));
  }
  std::set<std::string> objects;
  for (const std::string& o : v.objects) objects.insert(Generalised(o));
  if (objects.empty()) return Generalised(v.message);
  std::string out;
  for (const std::string& o : objects) out += (out.empty() ? "" : " ") + o;
  return out;
}

std::string FileNameOf(std::string_view oracle, std::string_view place, std::string_view by) {
  constexpr std::size_t kLongest = 60;
  std::string out = std::string(oracle) + "-";
  for (char c : place) {
    if (IsNameChar(c))
      out += c;
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  while (!out.empty() && (out.back() == '-' || out.back() == '.')) out.pop_back();
  const std::string whole = by.empty() ? std::string(place) : fmt::format("{} {}", place, by);
  const std::string hash = Hex(Hash64(whole)).substr(0, 6);
  return out.substr(0, kLongest) + "-" + hash;
}

}  // namespace ksim::fuzz
