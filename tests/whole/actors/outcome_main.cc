// Reads cases, one a line, and prints their outcomes (recorded_world.h).
#include <fmt/core.h>

#include <cstdio>
#include <iostream>

#include "ksim/value/json.h"
#include "tests/whole/actors/recorded_world.h"

int main(int argc, char** argv) {
  using namespace ksim;
  const auto compat = api::ParseCompat(argc > 1 ? argv[1] : "1.30");
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto tree = value::ParseJson(line);
    if (!tree.ok()) {
      fmt::print("{{\"error\":\"{}\"}}\n", std::string(tree.status().message()));
      continue;
    }
    std::vector<value::Value> lines;
    for (const std::string& line : OutcomeOf(*tree, *compat))
      lines.push_back(value::Value::Of(line));
    fmt::print("{}\n", value::ToJson(value::Value::Array(std::move(lines))));
    std::fflush(stdout);
  }
}
