#include "ksim/trace/trace_stream.h"

#include <utility>

#include "ksim/base/status.h"
#include "ksim/trace/record.h"
#include "ksim/trace/trace.h"

namespace ksim::trace {
namespace {

// So many bytes of the binary form are handed on at a time.
constexpr std::size_t kPiece = 1 << 15;

}  // namespace

absl::StatusOr<std::unique_ptr<TraceStream>> TraceStream::Create(const std::string& path,
                                                                 const Header& header,
                                                                 const RenderOptions& options) {
  ASSIGN_OR_RETURN(os::OutputFile file, os::OutputFile::CreateInPlace(path));
  std::unique_ptr<TraceStream> stream(
      new TraceStream(std::move(file), ToJsonLine(header), options));
  if (path.ends_with(".ktrace"))
    stream->binary_.emplace().Header(stream->first_);
  else
    stream->WriteLine(stream->first_);
  stream->Flush();
  RETURN_IF_ERROR(stream->status_);
  return stream;
}

void TraceStream::Subscribe(sim::Bus& bus) {
  bus.Subscribe(sim::Bus::Stage::kWriter, [this](const sim::Event& e) {
    if (!finished_) Take(e);
  });
}

void TraceStream::Take(const sim::Event& e) {
  const Record record = Render(e, options_);
  if (!binary_) return WriteLine(ToJsonLine(record));
  binary_->Event(record);
  if (binary_->waiting() >= kPiece) Write(binary_->Take());
}

void TraceStream::Write(std::string_view text) {
  if (status_.ok()) status_ = file_.Write(text);
}

void TraceStream::WriteLine(const std::string& line) {
  Write(line);
  Write("\n");
}

void TraceStream::Flush() {
  if (binary_) Write(binary_->Take());
  if (status_.ok()) status_ = file_.Flush();
}

absl::Status TraceStream::Finish(const End& end) {
  finished_ = true;
  const std::string last = LastLine(first_, end);
  if (binary_) {
    binary_->End(last);
    Write(binary_->Sealed());
  } else {
    WriteLine(last);
  }
  if (status_.ok()) status_ = file_.Commit();
  return status_;
}

}  // namespace ksim::trace
