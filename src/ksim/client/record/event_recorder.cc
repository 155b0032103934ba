#include "ksim/client/event_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "ksim/api/core/names.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/base/hash.h"
#include "ksim/client/core/backoff.h"
#include "ksim/client/core/context_scope.h"
#include "ksim/client/core/part_name.h"
#include "ksim/client/core/profile.h"
#include "ksim/client/record/event_correlator.h"
#include "ksim/client/record/event_object.h"
#include "ksim/client/record/series_sink.h"
#include "ksim/sim/mailbox.h"

namespace ksim::client {
namespace {

constexpr std::size_t kMaxQueuedEvents = 1000;

}  // namespace

struct EventRecorder::Impl : std::enable_shared_from_this<EventRecorder::Impl> {
  Impl(Connection& connection, sim::ActorId actor, std::string c, std::string h, Api a,
       const ClientOptions& options)
      : process(connection.process()),
        profile(ProfileOf(connection.compat())),
        part(PartName(process, actor)),
        component(std::move(c)),
        host(std::move(h)),
        api(a),
        client(connection, actor, options),
        resource(connection.env().kinds.ByResource("", "events")),
        jitter(connection.env(), fmt::format("events/{}/retry", actor.name())),
        correlator(profile.spam_key_has_type),
        series(client, part, jitter),
        queue(process.simulation()) {}

  using Record = std::unique_ptr<EventRecord>;  // handed on many times
  Record MakeRecord(const api::Object& about, std::string_view field_path);
  void Enqueue(Record event);
  static sim::Task<void> Loop(std::shared_ptr<Impl> self);
  sim::Task<void> RecordToSink(Record event);
  sim::Task<bool> Write(EventRecord* event, bool patch);  // false: try again

  sim::Process& process;
  const Profile& profile;
  std::string part, component, host;
  Api api;
  Client client;
  const api::ResourceInfo* resource;
  JitterSource jitter;
  EventCorrelator correlator;
  SeriesSink series;
  sim::Mailbox<Record> queue;
  VirtualTime last_name;
  bool running = false;
};

EventRecorder::EventRecorder(Connection& connection, sim::ActorId actor, std::string component,
                             std::string host, Api api, ClientOptions options)
    : impl_(std::make_shared<Impl>(connection, actor, std::move(component), std::move(host), api,
                                   options)) {}
EventRecorder::~EventRecorder() { impl_->queue.Close(); }

void EventRecorder::Event(const api::Object& about, std::string_view type, std::string_view reason,
                          std::string_view message, std::string_view action,
                          std::string_view field_path, const api::Object* related) {
  if (type != "Normal" && type != "Warning") return;
  Impl::Record event = impl_->MakeRecord(about, field_path);
  event->type = type;
  event->reason = reason;
  event->message = message;
  event->action = action;
  if (related != nullptr) event->related = ObjectReference(*related, "");
  impl_->Enqueue(std::move(event));
}

// The name holds the time; a recorder's clock gives no nanosecond twice, so that two events of one
// instant are two objects. 1.32 and later: a UUID where that is too long for a name
// (tools/record/util/util.go GenerateEventName).
EventRecorder::Impl::Record EventRecorder::Impl::MakeRecord(const api::Object& about,
                                                            std::string_view field_path) {
  auto record = std::make_unique<EventRecord>();
  EventRecord& event = *record;
  event.about = ObjectReference(about, field_path);
  event.ns = event.about.ns.empty() ? "default" : event.about.ns;
  event.component = component;
  event.host = host;
  event.names_reporter = profile.events_name_reporter;
  event.first = event.last = process.Now();
  last_name = std::max(event.first, last_name + Nanoseconds(1));
  event.name = EventName(event.about.name, last_name);
  if (profile.uuid_for_long_event_names && !api::Dns1123Subdomain(event.name).empty()) {
    event.name =
        api::GenerateUid(process.simulation().decisions(), "event-names", Hash64(event.name));
  }
  event.origin = {process.simulation().CaptureOrigin().cause, true};
  return record;
}

void EventRecorder::Impl::Enqueue(Record event) {
  if (queue.size() >= kMaxQueuedEvents) return;
  ContextScope scope(process.simulation());
  process.simulation().context().background = true;
  process.simulation().context().unawaited = true;
  if (api == Api::kEventsV1) return series.Record(std::move(event));
  if (!std::exchange(running, true)) process.Spawn(Loop(shared_from_this()), part, true);
  queue.Send(std::move(event));
}

sim::Task<void> EventRecorder::Impl::Loop(std::shared_ptr<Impl> self) {
  for (;;) {
    std::optional<Record> event = co_await self->queue.Receive();
    if (!event) co_return;
    self->process.simulation().AdoptOrigin((*event)->origin);
    co_await self->RecordToSink(std::move(*event));
  }
}

sim::Task<void> EventRecorder::Impl::RecordToSink(Record event) {
  const Correlation correlated = correlator.Correlate(*event, process.Now(), process.SteadyNow());
  if (correlated.skip) co_return;
  for (int tries = 1;; ++tries) {
    const bool done = co_await Write(event.get(), correlated.patch);
    if (done || tries >= kMaxTriesPerEvent) co_return;
    Duration pause = kRetryPause;
    if (tries == 1) pause = jitter.Uniform(Duration(), kRetryPause);
    co_await process.simulation().Sleep(pause, sim::TimerKind::kWork, "event retry");
  }
}

sim::Task<bool> EventRecorder::Impl::Write(EventRecord* event, bool patch) {
  Client::ObjectResult result = api::Object();
  if (patch) {
    value::Value body = CoreEventPatch(*event);
    result = co_await client.Patch(resource, event->ns, event->name, body,
                                   PatchOptions(api::PatchType::kStrategic));
  }
  const bool missing = patch && !result.ok() && api::IsNotFound(result.status());
  if (!patch || missing) {
    api::Object object = api::Object::FromTree(CoreEventTree(*event));
    result = co_await client.Create(resource, object);
  }
  if (!result.ok()) co_return result.status().code != 0;
  correlator.UpdateState(*event);
  co_return true;
}

}  // namespace ksim::client
