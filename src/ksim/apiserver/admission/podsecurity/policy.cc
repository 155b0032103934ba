#include "ksim/apiserver/admission/podsecurity/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace ksim::apiserver::podsecurity {
namespace {

using value::Value;

constexpr std::string_view kLevels[] = {"privileged", "baseline", "restricted"};

std::optional<Level> ParseLevel(std::string_view text) {
  for (std::size_t i = 0; i < std::size(kLevels); ++i)
    if (kLevels[i] == text) return static_cast<Level>(i);
  return std::nullopt;
}

// latest, or v1. and a number without leading zeros.
std::optional<int> ParseMinor(std::string_view text) {
  if (text == "latest") return LevelVersion::kLatest;
  if (!text.starts_with("v1.")) return std::nullopt;
  text.remove_prefix(3);
  const bool leading_zero = text.size() > 1 && text.front() == '0';
  const bool digits = !text.empty() && std::all_of(text.begin(), text.end(),
                                                   [](char c) { return c >= '0' && c <= '9'; });
  int minor = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), minor);
  if (!digits || leading_zero || error != std::errc()) return std::nullopt;
  return minor;
}

// One of the three modes.
class ModeReader {
 public:
  ModeReader(const Value& labels, api::FieldErrorList* errors) : labels_(labels), errors_(errors) {}

  // Whether there is a level that can be read.
  bool Read(std::string_view mode, Level otherwise, LevelVersion* out) {
    const std::string level = fmt::format("{}{}", kPrefix, mode);
    const std::string version = level + "-version";
    bool read = false;
    if (const std::string* text = Find(level)) {
      const std::optional<Level> parsed = ParseLevel(*text);
      out->level = parsed.value_or(otherwise);
      read = parsed.has_value();
      if (!read)
        Invalid(level, *text,
                fmt::format("must be one of {}, {}, {}", kLevels[0], kLevels[1], kLevels[2]));
    }
    if (const std::string* text = Find(version)) {
      const std::optional<int> parsed = ParseMinor(*text);
      out->minor = parsed.value_or(LevelVersion::kLatest);
      if (!parsed) Invalid(version, *text, "must be \"latest\" or \"v1.x\"");
    }
    return read;
  }
  bool Has(std::string_view label) const {
    return labels_.Has(fmt::format("{}{}", kPrefix, label));
  }

 private:
  const std::string* Find(const std::string& label) {
    if (!labels_.Has(label)) return nullptr;
    found_ = labels_.Get(label).AsString();
    return &found_;
  }
  void Invalid(const std::string& label, const std::string& bad, const std::string& detail) {
    errors_->Invalid(api::FieldPath("metadata").Child("labels").Key(label), bad, detail);
  }

  const Value& labels_;
  api::FieldErrorList* errors_;
  std::string found_;
};

}  // namespace

std::string LevelVersion::ToString() const {
  const std::string_view name = kLevels[static_cast<std::size_t>(level)];
  return minor == kLatest ? fmt::format("{}:latest", name) : fmt::format("{}:v1.{}", name, minor);
}

bool Policy::IsFullyPrivileged() const {
  return enforce.level == Level::kPrivileged && audit.level == Level::kPrivileged &&
         warn.level == Level::kPrivileged;
}

bool HasLabels(const Value& labels) {
  return std::any_of(labels.members().begin(), labels.members().end(),
                     [](const Value::Member& m) { return m.name.text().starts_with(kPrefix); });
}

Policy PolicyOf(const Value& labels, api::FieldErrorList* errors) {
  Policy policy;
  ModeReader reader(labels, errors);
  const bool enforces = reader.Read("enforce", Level::kRestricted, &policy.enforce);
  reader.Read("audit", Level::kPrivileged, &policy.audit);
  reader.Read("warn", Level::kPrivileged, &policy.warn);
  // The enforced level is warned of, unless the labels say another.
  if (reader.Has("warn") || !enforces || policy.enforce.level <= policy.warn.level) return policy;
  policy.warn.level = policy.enforce.level;
  if (!reader.Has("warn-version")) policy.warn.minor = policy.enforce.minor;
  return policy;
}

}  // namespace ksim::apiserver::podsecurity
