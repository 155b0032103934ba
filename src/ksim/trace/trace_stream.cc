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
      new TraceStream(std::move(file), path.ends_with(".ktrace"), header, options));
  stream->Begin();
  RETURN_IF_ERROR(stream->status_);
  return stream;
}

TraceStream::TraceStream(os::OutputFile file, bool binary, const Header& header,
                         const RenderOptions& options)
    : file_(std::move(file)), first_(ToJsonLine(header)), options_(options) {
  if (binary) binary_.emplace();
}

TraceStream::TraceStream(Sink sink, const Header& header, const RenderOptions& options)
    : sink_(std::move(sink)), first_(ToJsonLine(header)), options_(options) {
  Begin();
}

void TraceStream::Begin() {
  if (binary_)
    binary_->Header(first_);
  else
    WriteLine(first_);
  Flush();
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
  if (!file_)
    sink_(text);
  else if (status_.ok())
    status_ = file_->Write(text);
}

void TraceStream::WriteLine(const std::string& line) {
  Write(line);
  Write("\n");
}

void TraceStream::Flush() {
  if (binary_) Write(binary_->Take());
  if (file_ && status_.ok()) status_ = file_->Flush();
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
  if (file_ && status_.ok()) status_ = file_->Commit();
  return status_;
}

}  // namespace ksim::trace
