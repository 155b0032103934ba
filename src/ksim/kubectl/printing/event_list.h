// Events as `kubectl events` and `kubectl describe` list them.
//
// Source: kubectl pkg/cmd/events/{events,event_printer}.go, pkg/util/event/sorted_event_list.go,
// pkg/describe/describe.go DescribeEvents.
#pragma once
#include <string>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/base/time.h"
#include "ksim/kubectl/cluster_view.h"

namespace ksim::kubectl {

// The object that an Event is about; "" = any.
struct EventSubject {
  EventSubject() = default;
  std::string ns, api_version, kind, name, uid;
  bool of_namespace = false;  // the object's namespace has to be `ns`, even if that is none
};
// The cluster's Events about it, in the order they were written.
std::vector<api::Object> EventsAbout(const ClusterView& cluster, const EventSubject& subject);

// Orders Events by when they were last seen; those of one moment stay as they were.
void SortByLastSeen(std::vector<api::Object>* events);

// The table of `kubectl events`: by when the Events were last seen, with how often. "" for none.
std::string RenderEvents(std::vector<api::Object> events, VirtualTime now, bool with_namespace,
                         bool no_headers = false);

// The row of one Event in `kubectl describe`.
struct EventRow {
  EventRow() = default;
  std::string type, reason, age, from, message;
};
// The rows by lastTimestamp; Events without one come first.
std::vector<EventRow> RowsOfEvents(std::vector<api::Object> events, VirtualTime now);

}  // namespace ksim::kubectl
