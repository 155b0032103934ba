#include "ksim/api/rules/pod/image_reference.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"

namespace ksim::api {

namespace {

constexpr std::size_t kNameMax = 255;

bool IsLowerAlnum(char c) { return absl::ascii_isdigit(c) || absl::ascii_islower(c); }

template <class Good>
bool ConsistsOf(std::string_view text, Good good) {
  return std::all_of(text.begin(), text.end(), good);
}

// Each part between separators is good.
template <class Good>
bool EachPartIs(std::string_view text, char separator, Good good) {
  while (true) {
    const std::size_t at = text.find(separator);
    if (!good(text.substr(0, at))) return false;
    if (at == text.npos) return true;
    text.remove_prefix(at + 1);
  }
}

bool IsDomain(std::string_view domain) {
  if (const std::size_t colon = domain.find(':'); colon != domain.npos) {
    const std::string_view port = domain.substr(colon + 1);
    if (port.empty() || !ConsistsOf(port, absl::ascii_isdigit)) return false;
    domain = domain.substr(0, colon);
  }
  return EachPartIs(domain, '.', [](std::string_view part) {
    return !part.empty() && absl::ascii_isalnum(part.front()) && absl::ascii_isalnum(part.back()) &&
           ConsistsOf(part, [](char c) { return absl::ascii_isalnum(c) || c == '-'; });
  });
}

// Lower case letters and digits with ".", "_", "__" or dashes between them.
bool IsPathPart(std::string_view part) {
  if (part.empty() || !IsLowerAlnum(part.front()) || !IsLowerAlnum(part.back())) return false;
  for (std::size_t i = 0; i < part.size();) {
    if (IsLowerAlnum(part[i])) {
      ++i;
      continue;
    }
    const std::size_t end = part.find_first_of("abcdefghijklmnopqrstuvwxyz0123456789", i);
    const std::string_view separator = part.substr(i, end - i);
    const bool dashes = ConsistsOf(separator, [](char c) { return c == '-'; });
    if (!dashes && separator != "." && separator != "_" && separator != "__") return false;
    i = end;
  }
  return true;
}

bool IsTag(std::string_view tag) {
  const auto word = [](char c) { return absl::ascii_isalnum(c) || c == '_'; };
  return !tag.empty() && tag.size() <= 128 && word(tag.front()) &&
         ConsistsOf(tag, [&](char c) { return word(c) || c == '.' || c == '-'; });
}

bool IsDigest(std::string_view digest) {
  const std::size_t colon = digest.find(':');
  if (colon == digest.npos || digest.size() - colon - 1 < 32) return false;
  std::string algorithm(digest.substr(0, colon));
  std::replace_if(
      algorithm.begin(), algorithm.end(), [](char c) { return c == '-' || c == '_' || c == '+'; },
      '.');
  return ConsistsOf(digest.substr(colon + 1), absl::ascii_isxdigit) &&
         EachPartIs(algorithm, '.', [](std::string_view part) {
           return !part.empty() && !absl::ascii_isdigit(part.front()) &&
                  ConsistsOf(part, absl::ascii_isalnum);
         });
}

// Cuts the registry's host off, if the text begins with one; false for a bad host.
bool CutDomain(std::string_view* name) {
  const std::size_t slash = name->find('/');
  if (slash == name->npos) return true;
  const std::string_view first = name->substr(0, slash);
  const bool host = first.find_first_of(".:") != first.npos || first == "localhost" ||
                    std::any_of(first.begin(), first.end(), absl::ascii_isupper);
  if (!host) return true;
  name->remove_prefix(slash + 1);
  return IsDomain(first);
}

// The image's tag: "latest" where there is neither a tag nor a digest, "" for a text that is no
// reference.
std::string_view ImageTag(std::string_view image) {
  if (image.size() == 64 &&
      ConsistsOf(image, [](char c) { return absl::ascii_isdigit(c) || (c >= 'a' && c <= 'f'); }))
    return "";
  std::string_view name = image, digest, tag;
  if (const std::size_t at = name.find('@'); at != name.npos) {
    digest = name.substr(at + 1);
    name = name.substr(0, at);
    if (!IsDigest(digest)) return "";
  }
  const std::string_view whole = name;
  if (!CutDomain(&name)) return "";
  // An image without a registry is in docker.io, and in library/ if it has no path either.
  const bool bare = name.size() == whole.size();
  const bool library = bare && name.find('/') == name.npos;
  std::size_t size = (bare ? std::string_view("docker.io/").size() : whole.size() - name.size()) +
                     (library ? std::string_view("library/").size() : 0);
  if (const std::size_t colon = name.find(':'); colon != name.npos) {
    tag = name.substr(colon + 1);
    name = name.substr(0, colon);
    if (!IsTag(tag)) return "";
  }
  size += name.size();
  if (size > kNameMax || !EachPartIs(name, '/', IsPathPart)) return "";
  return tag.empty() && digest.empty() ? "latest" : tag;
}

}  // namespace

const char* DefaultPullPolicy(std::string_view image) {
  return ImageTag(image) == "latest" ? "Always" : "IfNotPresent";
}

}  // namespace ksim::api
