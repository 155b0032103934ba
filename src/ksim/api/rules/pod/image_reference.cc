#include "ksim/api/rules/pod/image_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
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

bool IsIdentifier(std::string_view image) {
  return image.size() == 64 &&
         ConsistsOf(image, [](char c) { return absl::ascii_isdigit(c) || (c >= 'a' && c <= 'f'); });
}

// The image's tag: "latest" where there is neither a tag nor a digest, "" where there is a digest
// alone; nullopt for a text that is no reference.
std::optional<std::string_view> ImageTag(std::string_view image) {
  if (IsIdentifier(image)) return std::nullopt;
  std::string_view name = image, digest, tag;
  if (const std::size_t at = name.find('@'); at != name.npos) {
    digest = name.substr(at + 1);
    name = name.substr(0, at);
    if (!IsDigest(digest)) return std::nullopt;
  }
  const std::string_view whole = name;
  if (!CutDomain(&name)) return std::nullopt;
  // An image without a registry is in docker.io, and in library/ if it has no path either.
  const bool bare = name.size() == whole.size();
  const bool library = bare && name.find('/') == name.npos;
  std::size_t size = (bare ? std::string_view("docker.io/").size() : whole.size() - name.size()) +
                     (library ? std::string_view("library/").size() : 0);
  if (const std::size_t colon = name.find(':'); colon != name.npos) {
    tag = name.substr(colon + 1);
    name = name.substr(0, colon);
    if (!IsTag(tag)) return std::nullopt;
  }
  size += name.size();
  if (size > kNameMax || !EachPartIs(name, '/', IsPathPart)) return std::nullopt;
  return tag.empty() && digest.empty() ? "latest" : tag;
}

// The repository below the registry, as it is looked at for capitals.
std::string RemoteOf(std::string_view image) {
  std::string_view rest = image;
  const std::size_t slash = image.find('/');
  CutDomain(&rest);
  const bool library = slash == image.npos;
  return (library ? "library/" : "") + std::string(rest.substr(0, rest.find(':')));
}

std::string ReferenceProblem(std::string_view image, bool tells_name) {
  constexpr std::string_view kFormat = "invalid reference format";
  if (IsIdentifier(image))
    return fmt::format("invalid repository name ({}), cannot specify 64-byte hexadecimal strings",
                       image);
  const std::string remote = RemoteOf(image);
  if (std::any_of(remote.begin(), remote.end(), absl::ascii_isupper))
    return tells_name ? fmt::format("{}: repository name ({}) must be lowercase", kFormat, remote)
                      : fmt::format("{}: repository name must be lowercase", kFormat);
  return std::string(kFormat);
}

}  // namespace

std::string ImageNameProblem(std::string_view image, bool tells_name) {
  if (ImageTag(image)) return "";
  const std::string problem = ReferenceProblem(image, tells_name);
  return tells_name ? fmt::format("couldn't parse image name \"{}\": {}", image, problem)
                    : fmt::format("couldn't parse image name: {}", problem);
}

const char* DefaultPullPolicy(std::string_view image) {
  return ImageTag(image) == "latest" ? "Always" : "IfNotPresent";
}

}  // namespace ksim::api
