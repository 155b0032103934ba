#include "ksim/controllers/daemonset/daemonset_status.h"

#include <string>

#include "ksim/api/core/fields.h"
#include "ksim/api/pod.h"

namespace ksim::controllers {

using value::Atom;
using value::Value;

namespace {

DaemonSetCounts CountsIn(const Value& status) {
  const api::FieldNames& f = api::Fields();
  DaemonSetCounts counts;
  counts.desired = status.Get(f.desired_number_scheduled).AsInt();
  counts.current = status.Get(f.current_number_scheduled).AsInt();
  counts.misscheduled = status.Get(f.number_misscheduled).AsInt();
  counts.ready = status.Get(f.number_ready).AsInt();
  counts.updated = status.Get(f.updated_number_scheduled).AsInt();
  counts.available = status.Get(f.number_available).AsInt();
  return counts;
}

// The field as Go encodes it with omitempty: 0 is left out.
Value WithCount(const Value& status, Atom field, std::int64_t count) {
  return count == 0 ? status.Erase(field.text()) : status.Set(field, Value::Int(count));
}

Value WithCounts(const Value& status, const DaemonSetCounts& counts) {
  const api::FieldNames& f = api::Fields();
  Value with = status.Set(f.desired_number_scheduled, Value::Int(counts.desired))
                   .Set(f.current_number_scheduled, Value::Int(counts.current))
                   .Set(f.number_misscheduled, Value::Int(counts.misscheduled))
                   .Set(f.number_ready, Value::Int(counts.ready));
  with = WithCount(with, f.updated_number_scheduled, counts.updated);
  with = WithCount(with, f.number_available, counts.available);
  return WithCount(with, f.number_unavailable, counts.unavailable());
}

}  // namespace

DaemonSetCounts CountDaemonPods(const api::Object& daemon_set,
                                const std::vector<api::Object>& nodes, PodsByNode pods,
                                std::string_view hash, VirtualTime now, const Profile& profile) {
  const DaemonPlacement placement(daemon_set);
  const Duration min_ready = Seconds(daemon_set.spec().Get("minReadySeconds").AsInt());
  const std::optional<std::int64_t> generation = TemplateGenerationOf(daemon_set);
  DaemonSetCounts counts;
  for (const api::Object& node : nodes) {
    const bool should_run = placement.On(node).should_run;
    const auto found = pods.find(node.name());
    const bool scheduled = found != pods.end() && !found->second.empty();
    counts.desired += should_run;
    if (!scheduled) continue;
    if (!should_run) {
      ++counts.misscheduled;
      continue;
    }
    ++counts.current;
    SortDaemonPods(&found->second);
    const api::PodView pod(found->second.front());
    counts.ready += pod.ready();
    counts.available += pod.ready() && pod.Available(min_ready, now, profile.compat);
    counts.updated += IsUpdatedDaemonPod(pod.object(), hash, generation);
  }
  return counts;
}

sim::Task<client::Client::ObjectResult> StoreDaemonSetStatus(client::Client& client,
                                                             const api::ResourceInfo* resource,
                                                             api::Object daemon_set,
                                                             DaemonSetCounts counts,
                                                             bool observed) {
  static const value::Path kStatus{"status"};
  const api::FieldNames& f = api::Fields();
  const Value& status = daemon_set.status();
  const bool same_counts = CountsIn(status) == counts &&
                           status.Get(f.number_unavailable).AsInt() == counts.unavailable();
  if (same_counts && status.Get(f.observed_generation).AsInt() >= daemon_set.generation())
    co_return api::Object();
  const std::string ns(daemon_set.ns()), name(daemon_set.name());
  api::Object to_update = daemon_set;
  for (int tries_left = 1;; --tries_left) {
    Value written = WithCounts(to_update.status(), counts);
    if (observed) written = WithCount(written, f.observed_generation, daemon_set.generation());
    const api::Object update =
        api::Object::FromTree(to_update.tree().Set(kStatus, written), to_update.resource_version());
    client::Client::ObjectResult put = co_await client.UpdateStatus(resource, update);
    if (put.ok() || tries_left == 0) co_return put;
    client::Client::ObjectResult fresh = co_await client.Get(resource, ns, name);
    if (!fresh.ok()) co_return fresh;
    to_update = *fresh;
  }
}

}  // namespace ksim::controllers
