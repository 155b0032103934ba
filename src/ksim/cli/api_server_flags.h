// The command line of a kube-apiserver, as pflag reads it: for programs that start one.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ksim::cli {

// The flags that a kube-apiserver has, without dashes and without --help.
std::span<const std::string_view> ApiServerFlagsWithValue();
std::span<const std::string_view> ApiServerSwitches();

struct ApiServerArguments {
  ApiServerArguments() = default;
  std::vector<std::pair<std::string, std::string>> flags;  // in order, without dashes
  std::string error, hint;                                 // "": all is well
  // The last value of the flag; "" without it.
  std::string Get(std::string_view name) const;
  bool Has(std::string_view name) const;
};
ApiServerArguments ParseApiServerArguments(std::span<const std::string> args);

}  // namespace ksim::cli
