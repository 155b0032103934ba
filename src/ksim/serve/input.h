// Input: what a client outside did to the simulation. A run of `ksim serve` is a function of its
// scenario and of its inputs with their virtual times, which stand in its trace.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/apiserver/doors/http/message.h"
#include "ksim/apiserver/doors/http/response_writer.h"
#include "ksim/sim/bus.h"
#include "ksim/trace/trace.h"

namespace ksim::serve {

struct Input {
  enum class What : std::uint8_t {
    kRequest,  // came in
    kGone,     // was given up by its client
    kPause,    // its client does not read
    kResume,   // its client reads again
    kFault,    // `text`: VERB: {ARGUMENTS} as in spec.faults
    kHeal      // ends all faults
  };
  Input() = default;
  What what = What::kRequest;
  std::int64_t connection = 0;  // 1, 2, ... in order of being opened
  apiserver::http::StreamId stream = 0;
  apiserver::http::HttpRequest request;  // with the headers of KeptHeaders alone
  std::string text;
};

// The request with no other headers than those that decide how it is served.
apiserver::http::HttpRequest WithKeptHeaders(apiserver::http::HttpRequest request);

sim::PayloadRef PayloadOf(const Input& input);

struct TimedInput {
  TimedInput() = default;
  VirtualTime time;
  Input input;
};
// The inputs of a recorded run. InvalidArgument names the event that is none.
absl::StatusOr<std::vector<TimedInput>> InputsOf(const trace::Trace& trace);

}  // namespace ksim::serve
