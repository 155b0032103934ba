// string.format: the clauses of a format string, for the function and for the check of calls whose
// arguments are literals.
//
// Upstream: cel-go ext/formatting.go (versions of the strings library before 4).
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "ksim/cel/values/val.h"

namespace ksim::cel {

struct FormatClause {
  char verb = 's';  // s d f e b x X o
  std::optional<int> precision;
};

struct FormatResult {
  std::string text;
  std::string problem;  // empty: none
  std::size_t used = 0;
};

// Puts a text together: `apply` gives the text of the argument of a number, or sets the problem.
// `count` arguments are there.
FormatResult FormatString(
    std::string_view format, std::size_t count,
    const std::function<std::string(const FormatClause&, std::size_t, std::string*)>& apply);

// The text of a value under a clause.
std::string ApplyClause(const FormatClause& clause, const Val& v, std::string* problem);
// The complaint about a type that a clause does not take.
std::string ClauseComplaint(const FormatClause& clause, std::string_view type_name);

}  // namespace ksim::cel
