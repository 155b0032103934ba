// The trace reader survives any bytes, and so do the functions over a trace that it accepted; an
// accepted trace, written in either format, reads the same again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ksim/base/hash.h"
#include "ksim/check/verdict.h"
#include "ksim/trace/binary.h"
#include "ksim/trace/diff.h"
#include "ksim/trace/event_line.h"
#include "ksim/trace/state.h"
#include "ksim/trace/trace.h"

namespace {

using ksim::trace::Trace;

// A .ktrace gets the right checksum, so that the reader reads it to its end.
std::string Sealed(std::string_view bytes) {
  std::string out(bytes);
  if (!bytes.starts_with(ksim::trace::kBinaryMagic)) return out;
  char sum[8];
  ksim::PutLittleEndian(sum, ksim::Hash64(bytes));
  return out.append("C").append(sum, sizeof sum);
}

void LookAt(const Trace& trace) {
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    (void)ksim::trace::EventLine(trace.events[i]);
    (void)ksim::trace::CauseChain(trace, i);
  }
  (void)ksim::trace::StateAt(trace, ksim::trace::Moment());
  (void)ksim::trace::Compare(trace, Trace(), ksim::trace::DiffOptions());
  const auto checker = ksim::check::CheckTrace(trace, {"*"});
  if (checker.ok()) (void)ksim::check::VerdictsOf(**checker, trace);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string file = Sealed({reinterpret_cast<const char*>(data), size});
  const absl::StatusOr<Trace> trace = ksim::trace::ParseTrace(file);
  if (!trace.ok()) return 0;
  const std::string lines = ksim::trace::FormatTrace(*trace, false);
  const absl::StatusOr<Trace> binary =
      ksim::trace::ParseTrace(ksim::trace::FormatTrace(*trace, true));
  if (!binary.ok() || ksim::trace::FormatTrace(*binary, false) != lines) std::abort();
  // A .ktrace can hold values that JSON cannot (text that is not UTF-8, two fields of one name),
  // and the writer puts the fields of a kind before all others. So only a trace that was read from
  // written lines must come back byte for byte.
  const absl::StatusOr<Trace> again = ksim::trace::ParseTrace(lines);
  if (again.ok()) {
    const std::string ordered = ksim::trace::FormatTrace(*again, false);
    const absl::StatusOr<Trace> twice = ksim::trace::ParseTrace(ordered);
    if (!twice.ok() || ksim::trace::FormatTrace(*twice, false) != ordered) std::abort();
  }
  LookAt(*trace);
  return 0;
}
