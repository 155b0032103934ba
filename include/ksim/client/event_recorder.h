// EventRecorder: writes core/v1 or events.k8s.io/v1 Events about objects, beside the actor's own
// work: never blocks it, never fails it, drops when its queue of 1000 is full. Events are posted by
// a background task of the process, in order.
//
// Source: client-go tools/record/event.go, events_cache.go. CLIENT-124..129.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "ksim/client/client.h"

namespace ksim::client {

class EventRecorder {
 public:
  enum class Api { kCore, kEventsV1 };
  // `component` is the source: replicaset-controller, default-scheduler, kubelet (with host).
  // `options` are those of the recorder's own client.
  EventRecorder(Connection& connection, sim::ActorId actor, std::string component, std::string host,
                Api api, ClientOptions options = ClientOptions());
  ~EventRecorder();
  // type Normal or Warning. `action` is for events.k8s.io only ("Binding"). `field_path` names a
  // container: spec.containers{nginx}. `related`, for events.k8s.io only, is another object that it
  // is about.
  void Event(const api::Object& about, std::string_view type, std::string_view reason,
             std::string_view message, std::string_view action = {},
             std::string_view field_path = {}, const api::Object* related = nullptr);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace ksim::client
