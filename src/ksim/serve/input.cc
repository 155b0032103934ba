#include "ksim/serve/input.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "ksim/apiserver/doors/http/gzip.h"
#include "ksim/apiserver/doors/http/request_reader.h"
#include "ksim/apiserver/doors/http/reviews.h"
#include "ksim/base/status.h"
#include "ksim/trace/events.h"
#include "ksim/value/base64.h"
#include "ksim/value/text.h"

namespace ksim::serve {
namespace {

using apiserver::http::HttpRequest;
using value::Value;

constexpr std::string_view kWhat[] = {"request", "gone", "pause", "resume", "fault", "heal"};
constexpr std::string_view kKeptHeaders[] = {"Accept", "Content-Type", "Impersonate-Group",
                                             "Impersonate-User", "User-Agent"};

absl::StatusOr<Input> InputOf(const trace::Record& r) {
  Input input;
  const std::string_view what = r.Text("what");
  bool known = false;
  for (std::size_t i = 0; i < std::size(kWhat); ++i) {
    if (kWhat[i] != what) continue;
    input.what = static_cast<Input::What>(i);
    known = true;
  }
  if (!known) return absl::InvalidArgumentError(fmt::format("an input \"{}\"", what));
  input.connection = r.Int("connection");
  input.stream = static_cast<apiserver::http::StreamId>(r.Int("stream"));
  std::string body(r.Text("body"));
  if (r.Text("encoding") == "base64") {
    std::optional<std::string> bytes = value::Unbase64(body);
    if (!bytes) return absl::InvalidArgumentError("a body that is not in base64");
    body = *std::move(bytes);
  }
  if (input.what != Input::What::kRequest) {
    input.text = std::move(body);
    return input;
  }
  input.request.method = r.Text("method");
  input.request.target = r.Text("target");
  for (const auto& [name, header] : r.Get("headers").members())
    input.request.headers.Add(name.text(), header.AsString());
  input.request.body = std::move(body);
  return input;
}

}  // namespace

HttpRequest WithKeptHeaders(HttpRequest request) {
  apiserver::http::Headers kept;
  for (const std::string_view name : kKeptHeaders) {
    if (!request.headers.Has(name)) continue;
    // There may be several groups; a trace has each header once.
    const bool groups = name == "Impersonate-Group";
    kept.Add(name,
             groups ? apiserver::http::GroupsOf(request) : std::string(request.headers.Get(name)));
  }
  if (apiserver::http::AcceptsGzip(request.headers.Get("Accept-Encoding")))
    kept.Add("Accept-Encoding", "gzip");
  request.headers = std::move(kept);
  // A body that is too long is refused whatever it says.
  if (request.body_too_large) request.body.resize(apiserver::http::kMaxRequestBodyBytes + 1);
  request.body_too_large = false;
  return request;
}

sim::PayloadRef PayloadOf(const Input& input) {
  auto* payload = new trace::InputPayload;
  payload->what = kWhat[static_cast<std::size_t>(input.what)];
  payload->connection = input.connection;
  payload->stream = input.stream;
  payload->method = input.request.method;
  payload->target = input.request.target;
  value::ObjectBuilder headers;
  for (const auto& field : input.request.headers.fields())
    headers.Add(field.name, Value::Of(field.value));
  payload->headers = headers.Build();
  const std::string& body = input.what == Input::What::kRequest ? input.request.body : input.text;
  payload->base64 = !value::IsUtf8(body);
  payload->body = payload->base64 ? value::Base64(body) : body;
  return sim::PayloadRef(payload);
}

absl::StatusOr<std::vector<TimedInput>> InputsOf(const trace::Trace& trace) {
  std::vector<TimedInput> inputs;
  for (const trace::Record& r : trace.events) {
    if (r.kind != sim::EventKind::kInput) continue;
    absl::StatusOr<Input> input = InputOf(r);
    if (!input.ok())
      return absl::InvalidArgumentError(
          fmt::format("event {}: {}", r.seq, Message(input.status())));
    TimedInput timed;
    timed.time = VirtualTime(r.t);
    timed.input = *std::move(input);
    inputs.push_back(std::move(timed));
  }
  return inputs;
}

}  // namespace ksim::serve
