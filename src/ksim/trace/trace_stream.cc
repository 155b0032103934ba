#include "ksim/trace/trace_stream.h"

#include <utility>

#include "ksim/base/status.h"
#include "ksim/trace/record.h"
#include "ksim/trace/trace.h"

namespace ksim::trace {

absl::StatusOr<std::unique_ptr<TraceStream>> TraceStream::Create(const std::string& path,
                                                                 const Header& header) {
  ASSIGN_OR_RETURN(os::OutputFile file, os::OutputFile::CreateInPlace(path));
  std::unique_ptr<TraceStream> stream(new TraceStream(std::move(file), ToJsonLine(header)));
  stream->Write(stream->first_);
  stream->Flush();
  RETURN_IF_ERROR(stream->status_);
  return stream;
}

void TraceStream::Subscribe(sim::Bus& bus) {
  bus.Subscribe(sim::Bus::Stage::kWriter, [this](const sim::Event& e) {
    if (!finished_) Write(ToJsonLine(Render(e, RenderOptions())));
  });
}

void TraceStream::Write(const std::string& line) {
  for (const std::string_view text : {std::string_view(line), std::string_view("\n")})
    if (status_.ok()) status_ = file_.Write(text);
}

void TraceStream::Flush() {
  if (status_.ok()) status_ = file_.Flush();
}

absl::Status TraceStream::Finish(const End& end) {
  finished_ = true;
  Write(LastLine(first_, end));
  if (status_.ok()) status_ = file_.Commit();
  return status_;
}

}  // namespace ksim::trace
