// Go's net/url, as far as CEL shows it.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ksim::cel {

struct Url {
  std::string scheme, host, path, raw_path, raw_query;

  // url.ParseRequestURI; nullopt with Go's text in `error`: parse "x": invalid URI for request.
  static std::optional<Url> ParseRequest(std::string_view text, std::string* error);
  std::string Hostname() const;
  std::string Port() const;
  std::string EscapedPath() const;
  // The parameters by name, in the order in which names appear.
  std::vector<std::pair<std::string, std::vector<std::string>>> Query() const;
};

}  // namespace ksim::cel
