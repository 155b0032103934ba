#include "ksim/api/core/names.h"

#include <fmt/compile.h>

namespace ksim::api {

namespace {

constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
constexpr int kSuffixLength = 5;
constexpr std::size_t kMaxBaseLength = 63 - kSuffixLength;
static_assert(kAlphabet.size() == 27);
constexpr std::uint32_t kSuffixes = 27 * 27 * 27 * 27 * 27;

}  // namespace

std::string GenerateName(sim::Decisions& decisions, std::string_view resource,
                         std::uint64_t identity, std::string_view base) {
  const sim::SiteId site = decisions.Site(fmt::format(FMT_COMPILE("name/{}"), resource));
  std::uint32_t drawn = decisions.Draw(site, identity, kSuffixes);
  std::string name(base.substr(0, kMaxBaseLength));
  for (int i = 0; i < kSuffixLength; ++i) {
    name += kAlphabet[drawn % kAlphabet.size()];
    drawn /= kAlphabet.size();
  }
  return name;
}

std::string SafeEncode(std::string_view text) {
  std::string encoded;
  for (const char c : text) encoded += kAlphabet[static_cast<unsigned char>(c) % kAlphabet.size()];
  return encoded;
}

std::string GenerateUid(sim::Decisions& decisions, std::string_view resource,
                        std::uint64_t identity) {
  const sim::SiteId site = decisions.Site(fmt::format(FMT_COMPILE("uid/{}"), resource));
  std::uint64_t high = decisions.Draw(site, identity);
  std::uint64_t low = decisions.Draw(site, identity);
  high = (high & ~std::uint64_t{0xf000}) | 0x4000;      // version 4
  low = (low & (~std::uint64_t{0} >> 2)) | 1ull << 63;  // variant 10
  // 8-4-4-4-12 hexadecimal digits, from the last one on.
  std::string uid = "00000000-0000-0000-0000-000000000000";
  for (std::size_t i = uid.size(); i-- > 0;) {
    if (uid[i] == '-') continue;
    std::uint64_t& half = i > 18 ? low : high;
    uid[i] = "0123456789abcdef"[half & 15];
    half >>= 4;
  }
  return uid;
}

}  // namespace ksim::api
