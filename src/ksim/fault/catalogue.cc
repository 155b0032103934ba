#include "ksim/fault/catalogue.h"

#include "ksim/fault/network_verbs.h"
#include "ksim/fault/process_verbs.h"
#include "ksim/fault/read_verbs.h"
#include "ksim/fault/request_verbs.h"
#include "ksim/fault/rival_verb.h"
#include "ksim/fault/server_answers.h"
#include "ksim/fault/server_verbs.h"
#include "ksim/fault/stream_verbs.h"
#include "ksim/fault/webhook_verbs.h"

namespace ksim::fault {
namespace {

using Kind = ArgumentKind;
using Point = DrawnPoint;

// --- arguments that several verbs have ---

Argument Client(Kind kind) {
  Argument a{"client", kind, "The process whose connection or stream it is.", true};
  a.befalls = true;
  return a;
}

Argument Resource() {
  Argument a{"resource", Kind::kResource, "pods, replicasets, ...", true};
  a.befalls = true;
  return a;
}

Argument AnyResource() {
  Argument a = Resource();
  a.required = false;
  return a;
}

Argument Server() {
  Argument a{"server", Kind::kServer, "kube-apiserver-0, ...", true};
  a.befalls = true;
  return a;
}

Argument Process() {
  Argument a{"process", Kind::kProcess, "kube-controller-manager, kubelet/node-1, ...", true};
  a.befalls = true;
  return a;
}

Argument Leader() {
  Argument a{"process", Kind::kLeader, "The leader, or the name that its replicas share.", true};
  a.befalls = true;
  return a;
}

Argument Actor(std::string_view instead = {}) {
  Argument a{"actor", Kind::kActor, "PROCESS or PROCESS/PART.", true};
  a.befalls = true;
  a.instead = instead;
  return a;
}

Argument Node() {
  Argument a{"node", Kind::kNode, "The node's name.", true};
  a.befalls = true;
  return a;
}

Argument Trouble() {
  Argument a{"with", Kind::kWord, "memory, disk, pids or network.", true};
  a.words = {"memory", "disk", "pids", "network"};
  a.befalls = true;
  return a;
}

Argument Webhook() {
  Argument a{"webhook", Kind::kText, "Its name in the configuration: policy.example.com.", true};
  a.befalls = true;
  return a;
}

Argument Between() {
  Argument a{"between", Kind::kTwoProcesses, "[a, b].", true};
  a.befalls = true;
  return a;
}

Argument Word(std::string_view name, std::string_view text, std::vector<std::string_view> words) {
  Argument a{name, Kind::kWord, text};
  a.words = std::move(words);
  return a;
}

Argument WriteVerb() {
  return Word("verb", "create update patch delete.",
              {"create", "update", "patch", "delete", "deletecollection"});
}

Argument Code(std::string_view text, const std::vector<int>& codes, std::string_view value = {}) {
  Argument a{"code", Kind::kStatusCode, text};
  a.codes = codes;
  a.value = value;
  return a;
}

Argument ReadVerb() { return Word("verb", "get list watch.", {"get", "list", "watch"}); }

Argument ReadCode() {
  Argument a = Code("401, 403, 410, 429, 500 or 503.", ReadRejectingCodes(), "500");
  a.answers = "read";
  return a;
}

Argument OneOf(Argument argument) {
  argument.one_of = true;
  return argument;
}

Argument Times(std::string_view text) { return {"times", Kind::kCount, text}; }

Argument ForHowLong() { return {"for", Kind::kDuration, "All of them for so long."}; }

Argument ErrorReason() {
  Argument a = Word("reason", "InternalError, TooManyRequests, Expired or Gone.",
                    {"InternalError", "TooManyRequests", "Expired", "Gone"});
  a.value = "InternalError";
  return a;
}

Argument ClientsOnly(Argument argument, std::string_view value = {}) {
  argument.only_for_clients = true;
  argument.value = value;
  return argument;
}

Argument For() {
  return {"for", Kind::kDuration, "How long; without it until its counterpart or the heal."};
}

Argument AfterWrite() {
  return {"afterWrite", Kind::kWriteCount, "At its n-th write counted from the trigger."};
}

// --- how the members that most verbs leave out are set ---

FaultVerb NeedsUndoing(FaultVerb verb) {
  verb.needs_undoing = true;
  return verb;
}

FaultVerb Ending(FaultVerb verb, std::vector<std::string_view> ends, std::string_view state) {
  verb.ends = std::move(ends);
  verb.state = state;
  return verb;
}

FaultVerb Befalling(FaultVerb verb, std::string_view whom) {
  verb.befalls = whom;
  return verb;
}

FaultVerb Drawn(FaultVerb verb, int number, DrawnRule::At at, DrawnRule::At also = {}) {
  verb.drawn = {number, {at, also}};
  return verb;
}

std::vector<FaultVerb> MakeCatalogue() {
  return {
      Drawn({"dropWatch",
             "A watch ends; the reflector resumes or relists by its own rules.",
             {Client(Kind::kWatcher), Resource(),
              ClientsOnly(Word("how", "eof or error.", {"eof", "error"}), "eof"),
              ClientsOnly({"redialAfter", Kind::kDuration, "How long reconnecting fails."})},
             DropWatch},
            0, {Point::kWatchEvent, DrawDropWatch}, {Point::kStoreWatchEvent, DrawDropStoreWatch}),
      Drawn({"watchError",
             "A watch ends with an ERROR of the server.",
             {Client(Kind::kClient), Resource(), ErrorReason()},
             WatchError},
            26, {Point::kWatchEvent, DrawWatchError}),
      Drawn({"dropBookmark",
             "A watch gets no bookmarks.",
             {Client(Kind::kClient), Resource(),
              Times("How many bookmarks; without it and `for` one."), ForHowLong()},
             DropBookmark},
            31, {Point::kWatchEvent, DrawDropBookmark}),
      Drawn(NeedsUndoing({"delayStream",
                          "What a stream delivers comes later, order kept.",
                          {Client(Kind::kWatcher),
                           Resource(),
                           {"by", Kind::kDuration, "How much later.", true},
                           For()},
                          DelayStream}),
            3, {Point::kWatchEvent, DrawDelayStream}),
      Drawn(NeedsUndoing({"holdStream",
                          "A stream delivers nothing until it is released.",
                          {Client(Kind::kWatcher), Resource(),
                           ClientsOnly({"window", Kind::kCount,
                                        "How many events fit before the server has to wait."},
                                       "1000"),
                           For()},
                          HoldStream}),
            2, {Point::kWatchEvent, DrawHoldStream}),
      Ending({"releaseStream", "Ends holdStream.", {Client(Kind::kWatcher), Resource()}, EndOthers},
             {"holdStream", "delayStream"}, "held"),
      Drawn(NeedsUndoing({"stallHandler",
                          "A handler stands still: its queue fills.",
                          {Actor(), Resource(), For()},
                          StallHandler}),
            4, {Point::kHandlerCall, DrawStallHandler}),
      Drawn(NeedsUndoing({"slowHandler",
                          "Each call of a handler takes its time.",
                          {Actor(),
                           Resource(),
                           {"takes", Kind::kDuration, "How long a call takes.", true},
                           For()},
                          SlowHandler}),
            28, {Point::kHandlerCall, DrawSlowHandler}),
      Drawn({"expire",
             "The client's next resume gets 410.",
             {Client(Kind::kClient), Resource()},
             Expire},
            1, {Point::kWatchEvent, DrawExpire}),
      Drawn(Befalling({"compact",
                       "Compacts the store.",
                       {{"revision", Kind::kRevision, "Everything at or below it is forgotten.",
                         false, "head"}},
                       Compact},
                      "etcd"),
            12, {Point::kDeletion, DrawCompact}),
      Drawn(NeedsUndoing({"freezeCache",
                          "A server's watch cache stops applying what the store sends.",
                          {Server(), Resource(), For()},
                          FreezeCache}),
            11, {Point::kCommit, DrawFreezeCache, 1}),
      Ending({"thawCache", "Ends freezeCache.", {Server(), Resource()}, EndOthers}, {"freezeCache"},
             "frozen"),
      Drawn({"reinitCache",
             "A server's watch cache lists anew.",
             {Server(), Resource()},
             ReinitCache},
            8, {Point::kReadRequest, DrawReinitCache}),
      Drawn({"restart",
             "A process dies and starts again.",
             {Process(), AfterWrite(), {"down", Kind::kDuration, "How long it is down."}},
             Restart},
            14, {Point::kOddResponse, DrawRestart}),
      Drawn(NeedsUndoing({"crash",
                          "A process dies.",
                          {Process(),
                           AfterWrite(),
                           {"down", Kind::kDuration, "How long it is down; without it, for ever."}},
                          Crash}),
            10, {Point::kComponentCommit, DrawCrash}),
      Drawn(NeedsUndoing({"failover",
                          "A leader dies, and another replica takes over when its lease is over.",
                          {Leader(),
                           AfterWrite(),
                           {"to", Kind::kReplica, "Who takes over; without it, whoever is first."}},
                          Failover}),
            18, {Point::kComponentCommit, DrawFailover}),
      Drawn({"connect",
             "A process uses another API server.",
             {Client(Kind::kClient), Server()},
             Connect},
            9, {Point::kReadRequest, DrawConnect}),
      Drawn(NeedsUndoing({"pause",
                          "An actor stops.",
                          {Actor("crash: {process: {}, down: 10s} stops it"),
                           Word("before", "read or write.", {"read", "write"}), For()},
                          Pause}),
            5, {Point::kHandlerCall, DrawPause}),
      Ending({"resume", "Ends pause.", {Actor()}, EndOthers}, {"pause"}, "paused"),
      Drawn({"rejectWrite",
             "A write fails without effect.",
             {Client(Kind::kClient), WriteVerb(), AnyResource(),
              Code("401, 403, 409, 429, 500 or 504.", RejectingCodes(), "500")},
             RejectWrite},
            6, {Point::kWriteRequest, DrawRejectWrite}),
      Drawn({"timeoutWrite",
             "A write's answer is lost.",
             {Client(Kind::kClient),
              WriteVerb(),
              AnyResource(),
              {"applied", Kind::kFlag, "Whether it took effect."},
              Code("500 or 504: the answer of etcd is lost, and the server says so.",
                   UnknownCodes())},
             TimeoutWrite},
            7, {Point::kWriteRequest, DrawTimeoutWrite}),
      Drawn(NeedsUndoing({"rejectRead",
                          "A get, a list, a page of it, or a watch's opening fails.",
                          {Client(Kind::kClient),
                           ReadVerb(),
                           AnyResource(),
                           {"page", Kind::kCount, "Of a list: which of its pages."},
                           ReadCode(),
                           {"retryAfter", Kind::kDuration, "When the answer says to try again."},
                           {"freshToken", Kind::kFlag,
                            "Whether 410 comes with a token that goes on.", false, "true"},
                           Times("How many such reads; without it and `for` one."),
                           ForHowLong()},
                          RejectRead}),
            27, {Point::kReadRequest, DrawRejectRead}),
      Drawn(NeedsUndoing({"rival",
                          "Another writer is faster, write after write.",
                          {Client(Kind::kClient), AnyResource(),
                           Times("How many writes lose; without it and `for` six."), ForHowLong()},
                          Rival}),
            25, {Point::kWriteRequest, DrawRival}),
      Drawn(NeedsUndoing({"slowWebhook",
                          "A webhook answers late, or not at all.",
                          {Webhook(),
                           {"by", Kind::kDuration, "How much later; without it never."},
                           Times("How many calls; without it and `for` one."),
                           ForHowLong()},
                          SlowWebhook}),
            29, {Point::kWebhookCall, DrawSlowWebhook}),
      Drawn(
          NeedsUndoing(
              {"nodeSilent", "A node sends no lease and no status.", {Node(), For()}, NodeSilent}),
          13, {Point::kKubeletCommit, DrawNodeSilent}),
      NeedsUndoing({"nodeTrouble",
                    "A node's machine is short of something, or has no network for pods.",
                    {Node(), Trouble(), For()},
                    NodeTrouble}),
      Drawn(
          NeedsUndoing(
              {"serverDown", "An API server refuses connections.", {Server(), For()}, ServerDown}),
          16, {Point::kEvenResponse, DrawServerDown}),
      Drawn(NeedsUndoing({"partition",
                          "Two processes do not hear each other.",
                          {Between(), For()},
                          Partition}),
            15, {Point::kOddResponse, DrawPartition}),
      Drawn(NeedsUndoing({"skewClock",
                          "A process' clock is off.",
                          {Process(), OneOf({"by", Kind::kShift, "Ahead, or behind if negative."}),
                           OneOf({"rate", Kind::kRate, "How fast it runs: 98%, 1001/1000."})},
                          SkewClock}),
            17, {Point::kEvenResponse, DrawSkewClock})};
}

}  // namespace

std::string_view TypeName(ArgumentKind kind) {
  switch (kind) {
    case Kind::kDuration:
    case Kind::kShift:
      return "duration";
    case Kind::kCount:
    case Kind::kWriteCount:
    case Kind::kStatusCode:
      return "integer";
    case Kind::kFlag:
      return "boolean";
    case Kind::kRevision:
      return "integer or head";
    case Kind::kWord:
    case Kind::kText:
      return "string";
    case Kind::kRate:
      return "percentage or fraction";
    case Kind::kClient:
    case Kind::kWatcher:
    case Kind::kProcess:
    case Kind::kLeader:
    case Kind::kReplica:
    case Kind::kServer:
      return "process";
    case Kind::kActor:
      return "actor";
    case Kind::kNode:
      return "node";
    case Kind::kResource:
      return "resource";
    case Kind::kTwoProcesses:
      return "list of two processes";
  }
  return "";
}

const std::vector<FaultVerb>& Catalogue() {
  // Never destroyed: other tables that live as long as the program point into it.
  static const std::vector<FaultVerb>& catalogue = *new std::vector<FaultVerb>(MakeCatalogue());
  return catalogue;
}

const FaultVerb* FindVerb(std::string_view name) {
  for (const FaultVerb& verb : Catalogue())
    if (verb.name == name) return &verb;
  return nullptr;
}

std::vector<std::string_view> VerbNames() {
  std::vector<std::string_view> names;
  for (const FaultVerb& verb : Catalogue()) names.push_back(verb.name);
  return names;
}

}  // namespace ksim::fault
