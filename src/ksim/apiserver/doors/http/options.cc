#include "ksim/apiserver/doors/http/options.h"

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "fmt/format.h"
#include "ksim/api/core/go_time_text.h"
#include "ksim/apiserver/doors/http/text.h"
#include "ksim/base/status.h"
#include "ksim/value/selector.h"
#include "ksim/value/timestamp.h"

namespace ksim::apiserver::http {
namespace {

// The text in quotes as strconv.Quote writes it, for what a query can plausibly hold.
std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

// Reads the fields of one options type from a query. After the first value that cannot be read,
// the rest is skipped and `status` tells.
class Reader {
 public:
  explicit Reader(const QueryValues& query) : query_(query) {}

  // Convert_Slice_string_To_string
  void Read(std::string_view name, SharedText* out) {
    if (const std::vector<std::string>* values = Values(name)) *out = values->front();
  }
  // Convert_Slice_string_To_bool
  void Read(std::string_view name, bool* out) {
    if (const std::vector<std::string>* values = Values(name)) {
      *out = values->front() != "0" && !EqualsIgnoreCase(values->front(), "false");
    }
  }
  void Read(std::string_view name, std::optional<bool>* out) {
    if (Values(name) != nullptr) Read(name, &out->emplace());
  }
  // Convert_Slice_string_To_int64: strconv.ParseInt(text, 10, 64)
  void Read(std::string_view name, std::int64_t* out) {
    const std::vector<std::string>* values = Values(name);
    if (values == nullptr) return;
    std::string_view digits = values->front();
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *out);
    const bool whole = stop == digits.data() + digits.size();
    if (error == std::errc::result_out_of_range && whole) {
      Refuse(values->front(), "value out of range");
    } else if (error != std::errc() || !whole || values->front().starts_with("+-")) {
      Refuse(values->front(), "invalid syntax");
    }
  }
  void Read(std::string_view name, std::optional<std::int64_t>* out) {
    if (Values(name) != nullptr) Read(name, &out->emplace());
  }
  const std::vector<std::string>* Values(std::string_view name) const {
    return status_.ok() ? query_.Find(name) : nullptr;
  }
  void Fail(api::Status status) {
    if (status_.ok()) status_ = std::move(status);
  }
  const api::Status& status() const { return status_; }

 private:
  void Refuse(std::string_view text, std::string_view why) {
    Fail(api::BadRequest(fmt::format("strconv.ParseInt: parsing {}: {}", Quoted(text), why)));
  }

  const QueryValues& query_;
  api::Status status_;
};

// Whether it is a dry run. Unknown values are told later, with what else is wrong of the options.
void ReadDryRun(const Reader& reader, bool* out, api::RequestFlaws* flaws) {
  const std::vector<std::string>* values = reader.Values("dryRun");
  if (values == nullptr) return;
  *out = true;
  for (const std::string& value : *values) {
    if (value != "All") flaws->dry_run = *values;
  }
}

}  // namespace

api::Status ReadListOptions(const QueryValues& query, api::ListOptions* out, bool* watch) {
  Reader reader(query);
  reader.Read("labelSelector", &out->label_selector);
  reader.Read("fieldSelector", &out->field_selector);
  reader.Read("watch", watch);
  reader.Read("allowWatchBookmarks", &out->allow_watch_bookmarks);
  reader.Read("resourceVersion", &out->resource_version);
  reader.Read("resourceVersionMatch", &out->resource_version_match);
  reader.Read("timeoutSeconds", &out->timeout_seconds);
  reader.Read("limit", &out->limit);
  reader.Read("continue", &out->continue_token);
  reader.Read("sendInitialEvents", &out->send_initial_events);
  if (!reader.status().ok()) return reader.status();
  // The selectors are parsed as the options become internal ones.
  const auto labels = value::LabelSelector::Parse(out->label_selector.view());
  if (!labels.ok()) return api::BadRequest(Message(labels.status()));
  const auto fields = value::FieldSelector::Parse(out->field_selector.view());
  if (!fields.ok()) return api::BadRequest(Message(fields.status()));
  return {};
}

api::Status ReadGetOptions(const QueryValues& query, api::ListOptions* out) {
  Reader reader(query);
  reader.Read("resourceVersion", &out->resource_version);
  return reader.status();
}

api::Status ReadPodLogOptions(const QueryValues& query, PodLogQuery* out) {
  Reader reader(query);
  reader.Read("container", &out->container);
  reader.Read("follow", &out->follow);
  reader.Read("previous", &out->previous);
  reader.Read("sinceSeconds", &out->since_seconds);
  SharedText since_time;
  reader.Read("sinceTime", &since_time);
  reader.Read("timestamps", &out->timestamps);
  reader.Read("tailLines", &out->tail_lines);
  reader.Read("limitBytes", &out->limit_bytes);
  reader.Read("stream", &out->stream);
  if (!reader.status().ok()) return reader.status();
  // metav1.Time UnmarshalQueryParameter
  if (since_time.empty() || since_time.view() == "null") return {};
  const std::string problem = api::GoTimeProblem(since_time.view(), false);
  if (!problem.empty()) return api::BadRequest(problem);
  out->since_time = value::ParseTimestamp(since_time.view()).value_or(VirtualTime());
  return {};
}

api::Status ReadDeleteOptions(const QueryValues& query, api::Request* out,
                              api::RequestFlaws* flaws) {
  Reader reader(query);
  api::DeleteOptions& options = out->del;
  reader.Read("gracePeriodSeconds", &options.grace_period_seconds);
  reader.Read("orphanDependents", &options.orphan_dependents);
  reader.Read("propagationPolicy", &options.propagation_policy);
  flaws->empty_policy =
      reader.Values("propagationPolicy") != nullptr && options.propagation_policy.empty();
  SharedText uid, version;
  reader.Read("uid", &uid);
  reader.Read("resourceVersion", &version);
  if (!uid.empty()) options.uid = uid;
  if (!version.empty()) options.resource_version = version;
  ReadDryRun(reader, &out->dry_run, flaws);
  return reader.status();
}

api::Status ReadWriteOptions(const QueryValues& query, api::Request* out,
                             api::RequestFlaws* flaws) {
  Reader reader(query);
  reader.Read("fieldManager", &out->field_manager);
  reader.Read("fieldValidation", &out->field_validation);
  if (out->verb == api::Verb::kPatch) {
    reader.Read("force", &out->force);
    flaws->force_given = reader.Values("force") != nullptr;
  }
  ReadDryRun(reader, &out->dry_run, flaws);
  return reader.status();
}

}  // namespace ksim::apiserver::http
