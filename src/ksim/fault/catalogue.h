// The catalogue of fault verbs: one row a verb, and everything that anybody knows of it. The reader
// of scenarios, `ksim explain`, the injector, the draws of `ksim fuzz`, the oracles and the test of
// docs/faults.md read these rows; the function that carries a verb out is in the file of its
// subject (stream_verbs, server_verbs, process_verbs, network_verbs, request_verbs, or one of its
// own).
#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ksim::fault {

class FaultCall;      // fault_call.h
struct FaultEffect;   // fault_call.h
class DrawnQuestion;  // drawn_question.h

// The values that an argument takes. scenario/fault_arguments.h refuses everything else.
enum class ArgumentKind : std::uint8_t {
  kDuration,      // not below zero
  kShift,         // a duration of either sign
  kCount,         // an integer from 1
  kWriteCount,    // the same; the process must be one that writes of its own
  kStatusCode,    // one of Argument::codes
  kFlag,          // true or false
  kRate,          // of a clock: a percentage or a fraction
  kRevision,      // of the store, or "head"
  kWord,          // one of Argument::words
  kClient,        // a client of the API servers
  kWatcher,       // the same, or an API server with its watches on etcd
  kProcess,       // any process
  kLeader,        // a replica of an elected controller, or the name that its replicas share
  kReplica,       // a replica of an elected controller
  kServer,        // an API server
  kActor,         // a client of the API servers, or a part of one
  kNode,          // a node's name
  kText,          // a name that nothing is known of beforehand
  kResource,      // a type of objects, by any name that kubectl takes
  kTwoProcesses,  // an API server and a process that speaks with it
};

// The type as `ksim explain` names it: "duration".
std::string_view TypeName(ArgumentKind kind);

struct Argument {
  std::string_view name;
  ArgumentKind kind = ArgumentKind::kWord;
  std::string_view text;
  bool required = false;
  std::string_view value = {};               // the default as one writes it; "" = none
  std::vector<std::string_view> words = {};  // of kWord
  std::vector<int> codes = {};               // of kStatusCode
  std::string_view answers = "write";        // of kStatusCode: to what they are answers
  bool befalls = false;                      // it says who the fault befalls: Target has it
  bool one_of = false;                       // of those that say so one is required
  bool only_for_clients = false;             // no argument where the watcher is an API server
  // For kActor: the fault to use instead on a process that serves; {} stands for its name.
  std::string_view instead = {};
};

// An event of a run at which a fault can be drawn, and what DrawnQuestion says of it.
enum class DrawnPoint : std::uint8_t {
  kWatchEvent,       // an API server sends a client an event: client, resource, object
  kStoreWatchEvent,  // etcd sends an API server an event: server, resource, object
  kHandlerCall,      // a listener is called: client (PROCESS/PART), resource, object
  kWriteRequest,     // client, verb, resource, object
  kReadRequest,      // a list or a watch: client, server, resource, object
  kKubeletCommit,    // a kubelet's write is in the store: client, resource, object
  kComponentCommit,  // the same of a controller or scheduler
  kCommit,           // the same of anybody
  kDeletion,         // the same, and it deletes
  kOddResponse,      // a component gets an answer about an object, the first, third, ...: client,
                     // server (the first API server), object
  kEvenResponse,     // the second, fourth, ...
  kWebhookCall,      // an API server calls a webhook: server, resource (the webhook's name), object
};
inline constexpr std::size_t kDrawnPoints = 12;

// Kinds of drawn faults from this number on came later. A swarm has them in one run of four, and in
// the others draws what it drew before they were there.
inline constexpr int kFirstLaterKind = 25;

// How a fuzzed run draws a fault.
struct DrawnRule {
  struct At {
    DrawnPoint point = DrawnPoint::kCommit;
    void (*ask)(DrawnQuestion&) = nullptr;
    int turn = 0;  // questions at one event are asked by turn, then by number
  };
  int number = -1;  // the place among all that is drawn, which logs keep; -1: it is never drawn
  std::array<At, 2> at = {};
};

struct FaultVerb {
  std::string_view name;
  std::string_view text;
  std::vector<Argument> arguments;
  // Begins the fault. The effect that it returns says how the fault ends and what undoes it.
  FaultEffect (*apply)(FaultCall&) = nullptr;
  std::string_view befalls = {};  // who, where no argument says it: "etcd"
  bool needs_undoing = false;     // it has an effect until it ends: oracles then judge no liveness
  // For a counterpart: the verbs whose faults it ends, and the state of their target until then.
  std::vector<std::string_view> ends = {};
  std::string_view state = {};  // "held"
  DrawnRule drawn = {};
};

// In the order of docs/faults.md.
const std::vector<FaultVerb>& Catalogue();
const FaultVerb* FindVerb(std::string_view name);  // null if there is none
std::vector<std::string_view> VerbNames();

}  // namespace ksim::fault
