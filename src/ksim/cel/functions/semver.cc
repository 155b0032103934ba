#include "ksim/cel/functions/semver.h"

#include <algorithm>

#include "ksim/cel/values/go_text.h"
#include "ksim/value/text.h"

namespace ksim::cel {
namespace {

std::vector<std::string> SplitParts(std::string_view text, char separator, std::size_t most) {
  std::vector<std::string> parts;
  while (parts.size() + 1 < most) {
    const std::size_t at = text.find(separator);
    if (at == std::string_view::npos) break;
    parts.emplace_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  parts.emplace_back(text);
  return parts;
}

bool IsDigits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), value::IsDigit);
}

bool IsIdentifier(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return value::IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  });
}

bool HasLeadingZero(std::string_view text) { return text.size() > 1 && text[0] == '0'; }

// strconv.ParseUint and the checks in front of it; `name` is "major", "Major" with a capital.
std::optional<std::uint64_t> Number(std::string_view text, const std::string& name,
                                    std::string* error) {
  if (!IsDigits(text)) {
    *error = "Invalid character(s) found in " + name + " number " + value::GoQuote(text);
    return std::nullopt;
  }
  if (HasLeadingZero(text)) {
    std::string capital = name;
    capital[0] = static_cast<char>(capital[0] - 32);
    *error = capital + " number must not contain leading zeroes " + value::GoQuote(text);
    return std::nullopt;
  }
  const std::optional<std::uint64_t> number = ParseUint(text);
  if (!number.has_value()) {
    *error = "strconv.ParseUint: parsing " + value::GoQuote(text) +
             (text.empty() ? ": invalid syntax" : ": value out of range");
  }
  return number;
}

bool ReadIdentifiers(std::string_view text, Semver* version, std::string* error) {
  for (const std::string& part : SplitParts(text, '.', SIZE_MAX)) {
    if (part.empty()) {
      *error = "Prerelease is empty";
      return false;
    }
    Semver::Identifier identifier;
    if (IsDigits(part)) {
      if (HasLeadingZero(part)) {
        *error =
            "Numeric PreRelease version must not contain leading zeroes " + value::GoQuote(part);
        return false;
      }
      identifier.number = ParseUint(part);
      if (!identifier.number.has_value()) {
        *error = "strconv.ParseUint: parsing " + value::GoQuote(part) + ": value out of range";
        return false;
      }
    } else if (IsIdentifier(part)) {
      identifier.text = part;
    } else {
      *error = "Invalid character(s) found in prerelease " + value::GoQuote(part);
      return false;
    }
    version->pre.push_back(std::move(identifier));
  }
  return true;
}

bool CheckBuild(std::string_view text, std::string* error) {
  for (const std::string& part : SplitParts(text, '.', SIZE_MAX)) {
    if (part.empty()) {
      *error = "Build meta data is empty";
      return false;
    }
    if (!IsIdentifier(part)) {
      *error = "Invalid character(s) found in build meta data " + value::GoQuote(part);
      return false;
    }
  }
  return true;
}

// normalizeAndParse of Kubernetes; empty with the error set if it is not possible.
std::string Normalized(std::string_view text, std::string* error) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::vector<std::string> parts = SplitParts(text, '.', 3);
  for (std::string& part : parts) {
    if (part.size() <= 1) continue;
    part.erase(0, std::min(part.find_first_not_of('0'), part.size()));
    if (part.empty() || !value::IsDigit(part[0])) part.insert(part.begin(), '0');
  }
  if (parts.size() < 3) {
    if (parts.back().find_first_of("+-") != std::string::npos) {
      *error = "short version cannot contain PreRelease/Build meta data";
      return "";
    }
    while (parts.size() < 3) parts.emplace_back("0");
  }
  return parts[0] + "." + parts[1] + "." + parts[2];
}

int OrderParts(std::uint64_t a, std::uint64_t b) { return a < b ? -1 : a > b ? 1 : 0; }

int OrderIdentifiers(const Semver::Identifier& a, const Semver::Identifier& b) {
  if (a.number.has_value() != b.number.has_value()) return a.number.has_value() ? -1 : 1;
  if (a.number.has_value()) return OrderParts(*a.number, *b.number);
  const int order = a.text.compare(b.text);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

}  // namespace

std::optional<Semver> Semver::Parse(std::string_view text, bool normalize, std::string* error) {
  if (normalize) {
    const std::string normalized = Normalized(text, error);
    if (normalized.empty()) return std::nullopt;
    return Parse(normalized, false, error);
  }
  if (text.empty()) {
    *error = "Version string empty";
    return std::nullopt;
  }
  const std::vector<std::string> parts = SplitParts(text, '.', 3);
  if (parts.size() != 3) {
    *error = "No Major.Minor.Patch elements found";
    return std::nullopt;
  }
  Semver version;
  const auto major = Number(parts[0], "major", error);
  if (!major.has_value()) return std::nullopt;
  const auto minor = Number(parts[1], "minor", error);
  if (!minor.has_value()) return std::nullopt;
  std::string_view rest = parts[2];
  std::optional<std::string_view> build;
  std::optional<std::string_view> pre;
  if (const std::size_t plus = rest.find('+'); plus != std::string_view::npos) {
    build = rest.substr(plus + 1);
    rest = rest.substr(0, plus);
  }
  if (const std::size_t dash = rest.find('-'); dash != std::string_view::npos) {
    pre = rest.substr(dash + 1);
    rest = rest.substr(0, dash);
  }
  const auto patch = Number(rest, "patch", error);
  if (!patch.has_value()) return std::nullopt;
  version.major = *major;
  version.minor = *minor;
  version.patch = *patch;
  if (pre.has_value() && !ReadIdentifiers(*pre, &version, error)) return std::nullopt;
  if (build.has_value() && !CheckBuild(*build, error)) return std::nullopt;
  return version;
}

int Semver::Compare(const Semver& o) const {
  if (const int order = OrderParts(major, o.major)) return order;
  if (const int order = OrderParts(minor, o.minor)) return order;
  if (const int order = OrderParts(patch, o.patch)) return order;
  if (pre.empty() || o.pre.empty()) return OrderParts(pre.empty(), o.pre.empty());
  for (std::size_t i = 0; i < pre.size() && i < o.pre.size(); ++i) {
    if (const int order = OrderIdentifiers(pre[i], o.pre[i])) return order;
  }
  return OrderParts(pre.size(), o.pre.size());
}

}  // namespace ksim::cel
