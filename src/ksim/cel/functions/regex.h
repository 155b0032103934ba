// Regular expressions as Go's regexp reads them, by RE2, whose language that is.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "ksim/cel/values/val.h"

namespace ksim::cel {

class Regex {
 public:
  // Null: `pattern` is none, and `error` has Go's text: "error parsing regexp: ...".
  static std::shared_ptr<const Regex> Compile(std::string_view pattern, std::string* error);
  Regex();
  ~Regex();
  bool Matches(std::string_view text) const;  // anywhere in it
  std::string Find(std::string_view text) const;
  std::vector<std::string> FindAll(std::string_view text, std::int64_t most) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ksim::cel
