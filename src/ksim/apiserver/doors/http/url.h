// URLs as Go's net/url reads them: the path and the parameters of a request's target.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ksim::apiserver::http {

// Parameters by name, each with its values in the order in which they came (url.Values).
class QueryValues {
 public:
  void Add(std::string name, std::string value);
  // The values of `name`; null if the query does not name it.
  const std::vector<std::string>* Find(std::string_view name) const;
  // The first value, "" without one (Values.Get).
  std::string_view Get(std::string_view name) const;
  bool empty() const { return values_.empty(); }

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> values_;  // by first appearance
};

// URL.Query: pairs with a semicolon or a broken escape are left out.
QueryValues ParseQuery(std::string_view query);

// Resolves %XX; with `plus`, a plus is a space (query components). nullopt for a broken escape.
std::optional<std::string> Unescape(std::string_view text, bool plus);

struct Url {
  std::string path;  // unescaped
  QueryValues query;
};
// The target of a request in origin form ("/path?query") or absolute form ("http://host/path").
// nullopt for anything else, as url.ParseRequestURI.
std::optional<Url> ParseTarget(std::string_view target);

}  // namespace ksim::apiserver::http
