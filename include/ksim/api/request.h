// Request, Response, WatchEvent and Endpoint: the language of clients and API servers.
// The facade speaks these instead of HTTP; the HTTP door translates to them.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "ksim/api/kinds.h"
#include "ksim/api/object.h"
#include "ksim/api/status.h"
#include "ksim/base/internal/shared_text.h"
#include "ksim/sim/bus.h"

namespace ksim::api {

enum class Verb : std::uint8_t {
  kGet,
  kList,
  kWatch,
  kCreate,
  kUpdate,
  kPatch,
  kDelete,
  kDeleteCollection
};
std::string_view ToString(Verb v);  // "get" ... "deletecollection"

enum class PatchType : std::uint8_t { kJson, kMerge, kStrategic, kApply };
std::string_view ContentType(PatchType t);  // application/strategic-merge-patch+json ...

// metav1.ListOptions. Empty strings and nullopt mean "not given".
struct ListOptions {
  ListOptions() = default;
  SharedText label_selector, field_selector;
  SharedText resource_version;        // "", "0", "123": opaque until the server parses it
  SharedText resource_version_match;  // "", "Exact", "NotOlderThan"
  std::int64_t limit = 0;
  SharedText continue_token;
  bool allow_watch_bookmarks = false;
  std::optional<bool> send_initial_events;
  std::optional<std::int64_t> timeout_seconds;
};

// metav1.DeleteOptions.
struct DeleteOptions {
  DeleteOptions() = default;
  std::optional<std::int64_t> grace_period_seconds;
  SharedText propagation_policy;  // "", "Orphan", "Background", "Foreground"
  std::optional<bool> orphan_dependents;
  std::optional<SharedText> uid;  // preconditions
  std::optional<SharedText> resource_version;
};

// RequestFlaws: parts of a request that a door cannot read, and that only a later stage may say,
// for what the stages before it refuse is told first.
struct RequestFlaws {
  RequestFlaws() = default;
  std::vector<std::string> dry_run;           // options.dryRun, if it has an unknown value
  bool empty_policy = false;                  // options.propagationPolicy is given as ""
  bool force_given = false;                   // options.force is given, if only as false
  std::string body;                           // why the body is no JSON, in Go's words
  std::string body_text;                      // the body, where an error may have to show it
  std::vector<std::string> duplicate_fields;  // paths of fields that the body gives twice
};

struct Request {
  Request() = default;
  std::uint64_t id = 0;     // unique in the run, in order of sending
  std::uint64_t event = 0;  // seq of its `request` event: cause of what the server does
  sim::ActorId actor;       // who asked
  SharedText client;        // PROCESS that asked (network names)
  SharedText user;          // system:serviceaccount:kube-system:replicaset-controller
  SharedText groups;        // of the user, one a line; "": those that the name says
  SharedText user_agent;    // default field manager
  Verb verb = Verb::kGet;
  const ResourceInfo* resource = nullptr;
  SharedText subresource;  // "", "status", "scale", "binding", "finalize"
  SharedText ns, name;
  value::Value body;  // object, patch, Binding, DeleteOptions come parsed
  // The body's metadata.resourceVersion if the body does not hold it: then the object's tree, which
  // has none, is the body, and both sides share its parts. 0: the body holds it, or there is none.
  std::int64_t body_version = 0;
  value::Value WholeBody() const;  // as it is on the wire
  PatchType patch_type = PatchType::kMerge;
  ListOptions list;   // list, watch, deletecollection; get uses resource_version
  DeleteOptions del;  // delete, deletecollection
  bool dry_run = false;
  SharedText field_manager, field_validation;
  bool force = false;                         // apply
  bool tracks_fields = false;                 // a create: the object has managedFields from then on
  std::shared_ptr<const RequestFlaws> flaws;  // null for nearly all
  SharedText believed_uid;                    // uid of the object the caller acted on; "" if none
};

struct Response {
  Response() = default;
  enum class From : std::uint8_t { kNone, kStore, kCache };
  int code = 200;
  Status status;              // when code >= 400, or a Status answer (delete, binding)
  Object object;              // get, create, update, patch, delete
  std::vector<Object> items;  // list, deletecollection
  std::int64_t list_rv = 0;
  SharedText continue_token;
  std::optional<std::int64_t> remaining_item_count;
  From from = From::kNone;
  std::vector<std::string> warnings;
  std::uint64_t stream = 0;  // watch: the stream's number
  std::int64_t rv() const { return object.empty() ? list_rv : object.resource_version(); }
};

enum class WatchEventType : std::uint8_t { kAdded, kModified, kDeleted, kBookmark, kError };
std::string_view ToString(WatchEventType t);  // "ADDED" ...

struct WatchEvent {
  WatchEvent() = default;
  static WatchEvent OfError(Status why);  // kError
  // kError: what is wrong. Else Success.
  const Status& status() const;

  WatchEventType type = WatchEventType::kAdded;
  Object object;                        // bookmark: apiVersion, kind, resourceVersion, annotations
  std::shared_ptr<const Status> error;  // null unless kError: hardly any event has one
  bool initial_end = false;             // bookmark annotated k8s.io/initial-events-end
  std::uint64_t n = 0;                  // 1, 2, ... in the stream
  std::uint64_t event = 0;              // seq of its `event` on the wire: cause of its delivery
};

// The end of a stream, as the client sees it.
enum class StreamEnd : std::uint8_t { kEof, kReset };

// The client's end of a watch as the server sees it: what the server writes travels there with
// the stream's latency, in order.
class WatchSink {
 public:
  virtual ~WatchSink() = default;
  // False: this event travels, but the client does not read, and the server should send no more
  // before Endpoint::ResumeWatch. An event that it sends all the same travels too.
  virtual bool Send(WatchEvent event) = 0;
  virtual void Close(StreamEnd how) = 0;
};

// A server that takes requests that have arrived (the network is the caller's affair). `reply` is
// called exactly once unless the server dies first (then it is destroyed uncalled, which the
// client sees as a lost connection). For a watch, `reply` with code 200 comes before any Send.
class Endpoint {
 public:
  virtual ~Endpoint() = default;
  virtual const std::string& name() const = 0;  // kube-apiserver-0
  virtual bool accepting() const = 0;           // false: connection refused
  virtual void Accept(Request request, absl::AnyInvocable<void(Response)> reply,
                      std::shared_ptr<WatchSink> sink) = 0;
  virtual void CloseWatch(std::uint64_t stream) = 0;  // the client went away; unknown ids ignored
  // The client reads again after a Send that was answered false; unknown ids ignored.
  virtual void ResumeWatch(std::uint64_t /*stream*/) {}
};

}  // namespace ksim::api
