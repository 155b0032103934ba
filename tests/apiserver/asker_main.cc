#include <fmt/core.h>

#include <cstdio>
#include <iostream>

#include "ksim/value/json.h"
#include "tests/apiserver/asker.h"

int main(int argc, char** argv) {
  using namespace ksim;
  const auto compat = api::ParseCompat(argc > 1 ? argv[1] : "1.30");
  apiserver::World world{apiserver::WorldOptions(*compat)};
  apiserver::Asker asker(world);
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto tree = value::ParseJson(line);
    if (!tree.ok()) {
      fmt::print("{{\"error\":\"{}\"}}\n", std::string(tree.status().message()));
      continue;
    }
    fmt::print("{}\n", value::ToJson(asker.Ask(*tree)));
    std::fflush(stdout);
  }
}
