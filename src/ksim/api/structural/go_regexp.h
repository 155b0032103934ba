// GoRegexp: a regular expression as Go's package regexp reads it. Both are RE2.
//
// Source: regexp/syntax/parse.go (the texts of errors).
#pragma once
#include <memory>
#include <string>
#include <string_view>

namespace ksim::api {

class GoRegexp {
 public:
  explicit GoRegexp(std::string_view pattern);
  ~GoRegexp();
  GoRegexp(const GoRegexp&) = delete;
  GoRegexp& operator=(const GoRegexp&) = delete;

  // Why it is no regular expression, as regexp.Compile says it; "" if it is one.
  const std::string& problem() const { return problem_; }
  bool Matches(std::string_view text) const;  // anywhere in the text; false if there is a problem

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
  std::string problem_;
};

}  // namespace ksim::api
