// Runs a scenario and prints each host call that one of its guests makes, a line of JSON each: the
// import's number, its arguments, what it read and wrote of the guest's memory, its result. For
// second_engine.mjs.
#include <fmt/core.h>

#include <string>

#include "ksim/base/status.h"
#include "ksim/scenario/guests.h"
#include "ksim/scenario/load.h"
#include "ksim/scenario/runner.h"

namespace {

using ksim::guest::HostCall;

std::string Places(const std::vector<std::pair<std::uint32_t, std::string>>& places) {
  std::string out;
  for (const auto& [at, bytes] : places) {
    out += fmt::format("{}[{},\"", out.empty() ? "" : ",", at);
    for (const char byte : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    out += "\"]";
  }
  return out;
}

void Print(const HostCall& call) {
  std::string words;
  for (const std::uint64_t word : call.words)
    words += fmt::format("{}\"{}\"", words.empty() ? "" : ",", word);
  fmt::print(
      "{{\"import\":{},\"words\":[{}],\"read\":[{}],\"written\":[{}],\"result\":{},"
      "\"ended\":{}}}\n",
      call.import, words, Places(call.read), Places(call.written), call.result, call.ended);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace ksim;
  if (argc != 3) return fmt::print(stderr, "usage: host_calls SCENARIO GUEST\n"), 2;
  scenario::Loaded loaded = scenario::Load({argv[1]}, scenario::LoadOptions());
  if (!loaded.errors.empty() || loaded.scenarios.size() != 1)
    return fmt::print(stderr, "{}", Render(loaded.errors, false)), 2;
  const scenario::Scenario& scenario = loaded.scenarios.front();
  if (const absl::Status ready = scenario::PrepareGuests(scenario.cluster); !ready.ok())
    return fmt::print(stderr, "{}\n", std::string(Message(ready))), 2;
  scenario::Runner runner(scenario, scenario::RunnerOptions());
  bool found = false;
  for (const auto& guest : runner.world().guests()) {
    if (guest->process().name() != argv[2]) continue;
    guest->LogHostCallsTo(Print);
    found = true;
  }
  if (!found) return fmt::print(stderr, "there is no guest {}\n", argv[2]), 2;
  const scenario::RunReport report = runner.Run();
  return report.end.violations.empty() ? 0 : 1;
}
