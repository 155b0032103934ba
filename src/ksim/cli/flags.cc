#include "ksim/cli/flags.h"

#include <fmt/format.h>

#include <algorithm>

namespace ksim::cli {

Flag::Flag(std::string_view given_names, FlagTarget where, std::string text)
    : names(given_names), target(where), help(std::move(text)) {
  for (std::string_view rest = given_names; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view name = rest.substr(0, comma);
    if (name.starts_with("--"))
      long_names.emplace_back(name.substr(2));
    else if (name.starts_with('-'))
      short_names.emplace_back(name.substr(1));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
}

Flag& Flag::Type(std::string name) {
  type = std::move(name);
  return *this;
}

Flag& Flag::OneOf(std::vector<std::string> accepted, std::string_view noun) {
  words = std::move(accepted);
  return Check([known = words, noun](const std::string& value) -> std::string {
    if (std::find(known.begin(), known.end(), value) != known.end()) return "";
    return fmt::format("unknown {} \"{}\"; want one of {}", noun, value, fmt::join(known, ", "));
  });
}

Flag& Flag::Range(std::int64_t low, std::int64_t high) {
  range.emplace(low, high);
  return *this;
}

Flag& Flag::NotEmpty(std::string_view noun) {
  return Check([noun](const std::string& value) -> std::string {
    return value.empty() ? fmt::format("\"\" is no {}", noun) : "";
  });
}

Flag& Flag::Check(std::function<std::string(const std::string&)> problem) {
  checks.push_back(std::move(problem));
  return *this;
}

Flag& Flag::Required() {
  required = true;
  return *this;
}

Flag& Flag::SplitAtCommas() {
  split_at_commas = true;
  return *this;
}

Flag& Flag::Repeated() {
  repeated = true;
  return *this;
}

Flag& FlagSet::Add(std::string_view names, FlagTarget target, std::string help) {
  return flags_.emplace_back(names, target, std::move(help));
}

const Flag* FlagSet::Find(std::string_view long_name) const {
  if (!long_name.starts_with("--")) return nullptr;
  long_name.remove_prefix(2);
  for (const Flag& flag : flags_)
    if (std::find(flag.long_names.begin(), flag.long_names.end(), long_name) !=
        flag.long_names.end())
      return &flag;
  return nullptr;
}

}  // namespace ksim::cli
