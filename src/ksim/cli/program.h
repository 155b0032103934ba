// Program: whose command line this is: ksim's own, or that of a program that brings controllers,
// kinds and scenarios along (ksim/main.h).
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "ksim/registry.h"
#include "ksim/trace/header.h"

namespace ksim::cli {

struct Program {
  Program() = default;
  std::shared_ptr<const Registry> registry;  // null: ksim itself
  std::string command = "ksim";              // how it was called, as a shell takes it
  // As traces name it.
  std::string name() const { return registry == nullptr ? "ksim" : registry->program(); }
};

// Why this program cannot run a trace again that `maker` made, and a hint; "" if it can.
std::string WhyNotRunAgain(const Program& program, const trace::Program& maker);

// A text that tells of commands of ksim ("ksim run FILE"), as the program has them.
std::string InNameOf(const Program& program, std::string_view text);

}  // namespace ksim::cli
