// The CEL compiler survives any text; a program that it makes stops at its cost limit.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ksim/cel/environment.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ksim::cel::Environment kEnvironment = [] {
    ksim::cel::Environment env(ksim::cel::EnvironmentOptions::Kubernetes(36));
    env.DeclareVariable("x", ksim::cel::DynType());
    return env;
  }();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<ksim::cel::Program> program = kEnvironment.Compile(text);
  if (!program.ok()) {
    if (program.status().message().empty()) std::abort();
    return 0;
  }
  const ksim::cel::Activation activation = [](std::string_view) -> std::optional<ksim::cel::Val> {
    return ksim::cel::Val::Int(1);
  };
  constexpr std::uint64_t kLimit = 10'000;
  const ksim::cel::Evaluation e = program->Evaluate(activation, kLimit);
  if (e.cost > kLimit && !e.value.is_error()) std::abort();
  return 0;
}
