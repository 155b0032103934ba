// TraceStream: the trace of a run that is still going on. Each event is written as it comes and
// kept nowhere, so that the run's memory does not grow with it; what a process that was killed has
// written is a cut trace.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ksim/base/output_file.h"
#include "ksim/sim/bus.h"
#include "ksim/trace/binary.h"
#include "ksim/trace/header.h"
#include "ksim/trace/render.h"

namespace ksim::trace {

class TraceStream {
 public:
  using Sink = std::function<void(std::string_view)>;

  // The format is by the name's end, as WriteTrace has it; "-" is standard output. The first line
  // is written at once.
  static absl::StatusOr<std::unique_ptr<TraceStream>> Create(const std::string& path,
                                                             const Header& header,
                                                             const RenderOptions& options = {});
  // JSON Lines into a sink, which knows what to do if it cannot take them.
  TraceStream(Sink sink, const Header& header, const RenderOptions& options);

  // Takes every event from now on; must live as long as the bus is used.
  void Subscribe(sim::Bus& bus);
  // Hands what has been written to the system.
  void Flush();
  // Writes the last line. The first error that there was; once.
  absl::Status Finish(const End& end);

 private:
  TraceStream(os::OutputFile file, bool binary, const Header& header, const RenderOptions& options);
  void Begin();
  void Take(const sim::Event& e);
  void Write(std::string_view text);
  void WriteLine(const std::string& line);

  std::optional<os::OutputFile> file_;  // nothing: there is a sink
  const Sink sink_;
  const std::string first_;
  const RenderOptions options_;
  std::optional<BinaryWriter> binary_;  // nothing: JSON Lines
  absl::Status status_;
  bool finished_ = false;
};

}  // namespace ksim::trace
