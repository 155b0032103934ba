// Observation: one event of a run as the oracles see it, whatever it came from: a bus event's
// payload (check/bus_observer.h, no text is made) or a record of a trace (check/trace_observer.h).
// One flat struct, filled anew for each event; what a kind does not have keeps its default. Views
// and pointers are good while the event is being observed.
#pragma once
#include <cstdint>
#include <string_view>

#include "ksim/api/request.h"
#include "ksim/sim/bus.h"
#include "ksim/value/value.h"

namespace ksim::check {

// Whose watch it is: an API server's on etcd, or a client's on an API server.
enum class Level : std::uint8_t { kStore, kApi };

enum class CommitOp : std::uint8_t { kCreate, kUpdate, kDelete };
enum class HandlerCall : std::uint8_t { kAdd, kUpdate, kDelete };

struct Observation {
  Observation() = default;
  std::uint64_t seq = 0;
  std::uint64_t cause = 0;
  std::int64_t t = 0;  // virtual ns
  sim::EventKind kind = sim::EventKind::kPhase;
  std::string_view actor;

  // The object that the event is about: request, commit, event, deliver, handler.
  std::string_view resource, ns, name;
  std::uint64_t object = 0;  // api::ObjectHash of these; 0 = none
  std::string_view uid;
  std::int64_t rv = 0;  // commit, compact: the revision; relist: what it got

  // request, response
  std::uint64_t request = 0;  // id; commit and watch: the request that led to it
  std::string_view verb, subresource;
  std::string_view precondition_uid;
  std::string_view label_selector, field_selector, rv_text, rv_match;
  bool send_initial = false, dry_run = false, limited = false, continued = false;
  int code = 0;
  bool lost = false;
  bool has_more = false;  // the answer has a continue token
  std::uint64_t items = 0, items_hash = 0;
  std::string_view from;  // store cache

  // commit
  std::uint32_t sub = 0;
  CommitOp op = CommitOp::kCreate;
  const value::Value* before = nullptr;  // trees; null Values where there is nothing
  const value::Value* after = nullptr;
  std::int64_t prev_rv = 0;
  std::string_view by;

  // watch, event, deliver
  Level level = Level::kApi;
  std::uint64_t stream = 0;
  std::uint64_t n = 0;
  api::WatchEventType type = api::WatchEventType::kAdded;
  bool initial_end = false;
  std::uint64_t response = 0;
  bool open = false;
  std::string_view server, client, key, options, reason;  // reason: of watch and relist

  // handler, relist, cache
  std::string_view informer, listener;
  HandlerCall call = HandlerCall::kAdd;
  std::string_view old_uid;
  std::int64_t old_rv = 0;
  bool initial = false, tombstone = false;
  std::uint64_t last_request = 0;  // relist: the request that brought it

  // reconcile, runtime, fault, phase, actor, step
  std::string_view state;   // reconcile, actor, fault, phase's name; step: begin or end
  std::string_view target;  // reconcile's key, fault's target
  std::string_view node, container, action, result;
  const value::Value* args = nullptr;  // of a fault
};

}  // namespace ksim::check
