// WatchLaw of laws/register.h: watches are opened as they were asked for; what arrives was put on
// the wire, in its order; what was put on the wire is what etcd had committed.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>

#include "ksim/api/core/fields.h"
#include "ksim/check/laws/register.h"
#include "ksim/trace/record_object.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;
using trace::Record;
using value::Value;

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t Signed(std::uint64_t seq) { return static_cast<std::int64_t>(seq); }

// Whether the event or delivery tells of an object.
bool IsData(const Record& r) { return r.Text("type") != "BOOKMARK" && r.Text("type") != "ERROR"; }

class Watches : public TraceLaw {
 public:
  void On(const Ledger& ledger, const Record& r) override {
    if (r.kind == Kind::kActor) processes_.emplace(r.Text("process"));
    if (r.kind == Kind::kWatch) return JudgeWatch(ledger, r);
    if (r.kind == Kind::kEvent) return JudgeEvent(ledger, r);
    if (r.kind == Kind::kDeliver) return JudgeDeliver(ledger, r);
  }

 private:
  // --- watch ---

  void JudgeWatch(const Ledger& ledger, const Record& r) {
    const Wire* wire = ledger.Stream(r.Int("stream"));
    Same(r, "the actor", r.actor, r.Text("server"));
    if (r.Text("state") == "close") return JudgeClose(ledger, r, wire);
    if (r.Int("stream") == 0) Contradict(r, "streams are numbered from 1");
    if (wire != nullptr) Contradict(r, fmt::format("stream {} is in use", r.Int("stream")));
    Same(r, "lastRv of a watch that opens", r.Int("lastRv"), 0);
    Same(r, "the reason of a watch that opens", r.Text("reason"), "");
    IsOfEtcd(r) ? JudgeOpenOnEtcd(ledger, r) : JudgeOpenOnServer(ledger, r);
  }

  void JudgeOpenOnEtcd(const Ledger& ledger, const Record& r) {
    Same(r, "the server", r.Text("server"), "etcd");
    if (!r.Text("client").starts_with("kube-apiserver") || !processes_.contains(r.Text("client")))
      Contradict(r, fmt::format("{} does not watch etcd", r.Text("client")));
    Same(r, "the request of a watch on etcd", r.Int("request"), 0);
    Same(r, "the selectors of a watch on etcd", r.Text("selectors"), "");
    const auto parts = trace::ObjectOf(r);
    Same(r, "the resource", r.Text("resource"), ResourceOfKey(r.Text("key"), r.Text("resource")));
    Same(r, "the namespace", r.Text("namespace"), parts ? parts->ns : "");
    if (r.Text("key") != "compact_rev_key" &&
        (!parts || !parts->name.empty() || !r.Text("key").ends_with('/')))
      Contradict(r, fmt::format("\"{}\" is no prefix of keys", r.Text("key")));
    std::int64_t start = -1;
    const std::string_view rv = r.Text("rv");
    const auto [end, error] = std::from_chars(rv.data(), rv.data() + rv.size(), start);
    if (error != std::errc() || end != rv.data() + rv.size() || start < 0)
      Contradict(r, fmt::format("rv \"{}\" is no revision", rv));
    else if (start > ledger.revision() + 1)
      Contradict(
          r, fmt::format("begins at revision {}, the store is at {}", start, ledger.revision()));
    Same(r, "the options of such a watch", r.Text("options"),
         r.Text("key") == "compact_rev_key" ? "" : "prevKv,progressNotify");
  }

  void JudgeOpenOnServer(const Ledger& ledger, const Record& r) {
    const Asked* asked = ledger.Request(r.Int("request"));
    if (asked == nullptr || asked->request->Text("verb") != "watch") {
      Contradict(r, fmt::format("request {} asked for no watch", r.Int("request")));
      return;
    }
    const Record& q = *asked->request;
    const Value& params = q.Get("params");
    Same(r, "the watch's cause", Signed(r.cause), Signed(q.seq));
    Same(r, "the server", r.Text("server"), q.Text("server"));
    Same(r, "the client", r.Text("client"), q.actor);
    Same(r, "the resource", r.Text("resource"), q.Text("resource"));
    Same(r, "the namespace", r.Text("namespace"), q.Text("namespace"));
    Same(r, "rv", r.Text("rv"), params.Get("resourceVersion").AsString());
    const std::string_view labels = params.Get("labelSelector").AsString();
    const std::string_view fields = params.Get("fieldSelector").AsString();
    for (std::string_view selector : {labels, fields})
      if (r.Text("selectors").find(selector) == std::string_view::npos)
        Contradict(r,
                   fmt::format("selectors \"{}\" without \"{}\"", r.Text("selectors"), selector));
    if (labels.empty() || fields.empty())
      if (r.Text("selectors").size() != labels.size() + fields.size())
        Contradict(r, fmt::format("selectors \"{}\", where \"{}{}\" was asked for",
                                  r.Text("selectors"), labels, fields));
    Same(r, "the options", r.Text("options"), OptionsOf(params));
  }

  // As apiserver/core/payloads.h writes them.
  static std::string OptionsOf(const Value& params) {
    std::string text;
    const auto add = [&text](std::string_view option) {
      if (!text.empty()) text += ',';
      text += option;
    };
    if (params.Get("allowWatchBookmarks").AsString() == "true") add("bookmarks");
    for (std::string_view name : {"sendInitialEvents", "resourceVersionMatch", "timeoutSeconds"})
      if (params.Has(name)) add(fmt::format("{}={}", name, params.Get(name).AsString()));
    return text;
  }

  void JudgeClose(const Ledger& ledger, const Record& r, const Wire* wire) {
    if (wire == nullptr || wire->open == nullptr || wire->close != nullptr) {
      Contradict(r, fmt::format("closes stream {}, which is not open", r.Int("stream")));
      return;
    }
    const Record& open = *wire->open;
    for (std::string_view field :
         {"server", "client", "resource", "namespace", "key", "selectors", "rv", "options"})
      Same(r, field, r.Text(field), open.Text(field));
    Same(r, "the request", r.Int("request"), open.Int("request"));
    Same(r, "lastRv", r.Int("lastRv"), wire->highest);
    JudgeReason(ledger, r, *wire);
  }

  void JudgeReason(const Ledger& ledger, const Record& r, const Wire& wire) {
    const std::string_view reason = r.Text("reason");
    const bool etcd = IsOfEtcd(r);
    static constexpr std::string_view kOfServers[] = {"client", "error",   "reinit",
                                                      "server", "timeout", "slow"};
    static constexpr std::string_view kOfEtcd[] = {"canceled", "closed", "compacted"};
    const bool known =
        etcd ? std::find(std::begin(kOfEtcd), std::end(kOfEtcd), reason) != std::end(kOfEtcd)
             : std::find(std::begin(kOfServers), std::end(kOfServers), reason) !=
                   std::end(kOfServers);
    if (!known) Contradict(r, fmt::format("no watch closes for \"{}\"", reason));
    const bool failed = !wire.events.empty() && wire.events.back()->Text("type") == "ERROR";
    const bool asked = reason == "error" || reason == "timeout";
    // The end has the cause of the ERROR before it: the request, or a fault.
    const Record& led = reason == "error" && failed ? *wire.events.back() : *wire.open;
    if (!etcd && asked) Same(r, "the watch's cause", Signed(r.cause), Signed(led.cause));
    if (!etcd && failed != (reason == "error"))
      Contradict(
          r, fmt::format("closes for \"{}\" {} an error", reason, failed ? "after" : "without"));
    const std::string_view options = r.Text("options");
    const std::size_t at = options.find("timeoutSeconds=");
    if (at == std::string_view::npos) return;
    std::int64_t seconds = 0;
    std::from_chars(options.data() + at + 15, options.data() + options.size(), seconds);
    // Its time runs from the arrival of the request, by the server's clock.
    const Asked* request = ledger.Request(r.Int("request"));
    if (request == nullptr || request->stages.empty()) return;
    const std::int64_t arrived = request->stages.front()->t;
    const std::string_view server = r.Text("server");
    const std::int64_t lasted = ledger.clocks().Passed(server, arrived, r.t);
    const bool exact = ledger.clocks().RateIn(server, arrived, r.t).empty();
    if (reason == "timeout" && lasted < seconds * kSecond)
      Contradict(r, fmt::format("times out after {} ns of {} s", lasted, seconds));
    if (exact && lasted == seconds * kSecond) Same(r, "the reason", reason, "timeout");
  }

  // --- event ---

  void JudgeEvent(const Ledger& ledger, const Record& r) {
    const Wire* wire = ledger.Stream(r.Int("stream"));
    if (wire == nullptr || wire->open == nullptr || wire->close != nullptr) {
      Contradict(r, fmt::format("an event on stream {}, which is not open", r.Int("stream")));
      return;
    }
    const Record& open = *wire->open;
    Same(r, "the actor", r.actor, open.Text("server"));
    Same(r, "n", r.Int("n"), static_cast<std::int64_t>(wire->events.size()) + 1);
    if (IsOfEtcd(r) != IsOfEtcd(open)) Contradict(r, "an event of another server's watch");
    IsOfEtcd(r) ? JudgeEtcdEvent(ledger, r, *wire) : JudgeServerEvent(ledger, r, *wire);
  }

  void JudgeEtcdEvent(const Ledger& ledger, const Record& r, const Wire& wire) {
    Same(r, "the server", r.Text("server"), "etcd");
    if (r.Get("initialEnd").AsBool()) Contradict(r, "etcd tells no initial state");
    JudgeResponseNumber(r, wire);
    const Record* cause = ledger.CauseOf(r);
    if (!IsData(r)) {
      Same(r, "the uid", r.Text("uid"), "");
      Same(r, "the key", r.Text("key"), "");
      if (r.Text("type") == "BOOKMARK") {
        JudgeBookmark(ledger, r, wire);
        if (r.cause != 0 && r.cause != wire.open->cause)
          Contradict(r, fmt::format("seq {} leads to no progress of etcd", r.cause));
      }
      if (cause != nullptr && cause->kind == Kind::kCommit)
        Contradict(r, fmt::format("seq {} is a commit: that is told as it is", cause->seq));
      return;
    }
    if (cause == nullptr || cause->kind != Kind::kCommit) {
      Contradict(r, "told of no commit");
      return;
    }
    Same(r, "rv", r.Int("rv"), cause->Int("revision"));
    Same(r, "the key", r.Text("key"), cause->Text("key"));
    if (const auto parts = trace::ObjectOf(r))
      Same(r, "the resource", parts->resource, cause->Text("resource"));
    const std::string_view op = cause->Text("op");
    Same(r, "the uid", r.Text("uid"), op == "delete" ? "" : cause->Text("uid"));
    Same(r, "the type", r.Text("type"),
         op == "create"   ? "ADDED"
         : op == "update" ? "MODIFIED"
                          : "DELETED");
    if (!r.Text("key").starts_with(wire.open->Text("key")))
      Contradict(r, fmt::format("key {} on a watch of {}", r.Text("key"), wire.open->Text("key")));
    if (r.Int("rv") <= wire.highest && !wire.events.empty() &&
        wire.events.back()->Int("rv") > r.Int("rv"))
      Contradict(r, fmt::format("revision {} after {}", r.Int("rv"), wire.highest));
    JudgeTree(ledger, r, *cause);
  }

  // Responses of a watch are counted; the first says that it was created.
  void JudgeResponseNumber(const Record& r, const Wire& wire) {
    const std::int64_t number = r.Int("response");
    if (wire.events.empty()) return Same(r, "the first response's number", number, 2);
    const Record& before = *wire.events.back();
    if (number != before.Int("response") + 1 &&
        !(number == before.Int("response") && r.t == before.t))
      Contradict(r, fmt::format("response {} after {}", number, before.Int("response")));
  }

  void JudgeServerEvent(const Ledger& ledger, const Record& r, const Wire& wire) {
    const Record& open = *wire.open;
    Same(r, "the resource", r.Text("resource"), open.Text("resource"));
    const Record* cause = ledger.CauseOf(r);
    const Asked* asked = ledger.Request(open.Int("request"));
    const std::uint64_t request = asked == nullptr ? 0 : asked->request->seq;
    if (!IsData(r)) {
      for (std::string_view field : {"namespace", "name", "uid"}) Same(r, field, r.Text(field), "");
      // An ERROR follows from the request, or a fault has made it.
      const bool of_fault = r.Text("type") == "ERROR" && cause != nullptr &&
                            cause->kind == Kind::kFault && cause->Text("verb") == "watchError";
      if (!of_fault) Same(r, "the event's cause", Signed(r.cause), Signed(request));
      if (r.Text("type") == "ERROR") {
        Same(r, "rv of an error", r.Int("rv"), 0);
        if (r.Get("initialEnd").AsBool()) Contradict(r, "an error ends no initial state");
      } else {
        JudgeBookmark(ledger, r, wire);
      }
      return;
    }
    if (r.Get("initialEnd").AsBool()) Contradict(r, "only a bookmark ends the initial state");
    if (cause == nullptr) {
      Contradict(r, "told of nothing");
    } else if (r.cause == request) {
      JudgeState(ledger, r);
    } else if (cause->kind != Kind::kDeliver || !IsOfEtcd(*cause) || cause->actor != r.actor) {
      Contradict(r, fmt::format("seq {} is nothing that etcd told {}", cause->seq, r.actor));
    } else {
      JudgeTold(ledger, r, *cause, wire);
    }
  }

  // An event of the initial state: an object as it is.
  void JudgeState(const Ledger& ledger, const Record& r) {
    Same(r, "the type of what was there", r.Text("type"), "ADDED");
    const CommittedChange* version =
        ledger.Version(r.Text("resource"), r.Text("namespace"), r.Text("name"), r.Int("rv"), r);
    if (version == nullptr || version->after.is_null())
      return Contradict(r, fmt::format("{} \"{}\" was not there at revision {}", r.Text("resource"),
                                       r.Text("name"), r.Int("rv")));
    Same(r, "the uid", r.Text("uid"), version->uid());
    JudgeWhole(r, version->after, r.Int("rv"));
  }

  // An event that passes on what etcd has told the server.
  void JudgeTold(const Ledger& ledger, const Record& r, const Record& told, const Wire& wire) {
    const auto parts = trace::ObjectOf(told);
    Same(r, "the resource", r.Text("resource"), parts ? parts->resource : "");
    Same(r, "the namespace", r.Text("namespace"), parts ? parts->ns : "");
    Same(r, "the name", r.Text("name"), parts ? parts->name : "");
    const bool deleted = r.Text("type") == "DELETED";
    // A server of before 1.27 may tell of a deletion with the revision of what it deleted.
    if (!deleted || r.Int("rv") > told.Int("rv")) Same(r, "rv", r.Int("rv"), told.Int("rv"));
    if (told.Text("type") == "DELETED" && !deleted)
      Contradict(r, fmt::format("{}, but etcd told of a deletion", r.Text("type")));
    const std::string_view selectors = wire.open->Text("selectors");
    if (selectors.empty() && deleted != (told.Text("type") == "DELETED"))
      Contradict(r, fmt::format("{}, but etcd told of {}", r.Text("type"), told.Text("type")));
    // A cache that missed the creation takes a change for it, one that missed a deletion the other.
    if (selectors.empty() && r.Text("type") != told.Text("type") && r.Text("type") == "ADDED" &&
        WasTold(wire, r))
      Contradict(r, "ADDED, but it was told before");
    const CommittedChange* commit =
        ledger.Version(r.Text("resource"), r.Text("namespace"), r.Text("name"), told.Int("rv"), r);
    if (commit == nullptr) return;
    Same(r, "the uid", r.Text("uid"), commit->uid());
    if (deleted && r.Int("rv") != told.Int("rv"))
      Same(r, "rv of a deletion", r.Int("rv"), commit->prev_revision);
    if (!commit->after.is_null() && !deleted) JudgeWhole(r, commit->after, r.Int("rv"));
  }

  static bool WasTold(const Wire& wire, const Record& r) {
    for (auto at = wire.events.rbegin(); at != wire.events.rend(); ++at)
      if ((*at)->Text("name") == r.Text("name") && (*at)->Text("namespace") == r.Text("namespace"))
        return (*at)->Text("type") != "DELETED";
    return false;
  }

  void JudgeBookmark(const Ledger& ledger, const Record& r, const Wire& wire) {
    if (r.Int("rv") > ledger.revision())
      Contradict(r, fmt::format("a bookmark at revision {}, the store is at {}", r.Int("rv"),
                                ledger.revision()));
    if (r.Int("rv") < wire.highest &&
        wire.open->Text("options").find("progress") == std::string_view::npos)
      Contradict(
          r, fmt::format("a bookmark at revision {} after revision {}", r.Int("rv"), wire.highest));
    const std::string_view options = wire.open->Text("options");
    if (!r.Get("initialEnd").AsBool()) return;
    const bool before = std::any_of(wire.events.begin(), wire.events.end(),
                                    [](const Record* e) { return e->Get("initialEnd").AsBool(); });
    if (before) Contradict(r, "the initial state ends once");
    if (options.find("sendInitialEvents=true") == std::string_view::npos)
      Contradict(r, "ends an initial state that nobody asked for");
  }

  // --- deliver ---

  void JudgeDeliver(const Ledger& ledger, const Record& r) {
    const Wire* wire = ledger.Stream(r.Int("stream"));
    if (wire == nullptr || wire->open == nullptr) {
      Contradict(r, fmt::format("a delivery on stream {}, which nobody opened", r.Int("stream")));
      return;
    }
    Same(r, "the actor", r.actor, wire->open->Text("client"));
    Same(r, "n", r.Int("n"), static_cast<std::int64_t>(wire->arrivals.size()) + 1);
    if (r.Int("n") < 1 || r.Int("n") > static_cast<std::int64_t>(wire->events.size())) {
      Contradict(r, "nothing like it was put on the wire");
      return;
    }
    const Record& sent = *wire->events[static_cast<std::size_t>(r.Int("n") - 1)];
    Same(r, "the delivery's cause", Signed(r.cause), Signed(sent.seq));
    for (std::string_view field :
         {"type", "resource", "namespace", "name", "key", "knownAs", "uid", "server"})
      if (r.Text(field) != sent.Text(field))
        Same(r, fmt::format("{} beside what was sent", field), r.Text(field), sent.Text(field));
    for (std::string_view field : {"rv", "response"})
      if (r.Int(field) != sent.Int(field))
        Same(r, fmt::format("{} beside what was sent", field), r.Int(field), sent.Int(field));
    if (r.Get("initialEnd").AsBool() != sent.Get("initialEnd").AsBool())
      Contradict(r, "initialEnd is not as it was sent");
    if (r.Get("object") != sent.Get("object")) Contradict(r, "\"object\" is not as it was sent");
    // Messages of one response are taken in together.
    const Record* before = wire->arrivals.empty() ? nullptr : wire->arrivals.back();
    if (IsOfEtcd(r) && before != nullptr && before->Int("response") == r.Int("response"))
      Same(r, "the time, beside the rest of its response,", r.t, before->t);
  }

  void JudgeTree(const Ledger& ledger, const Record& r, const Record& commit) {
    const Value& whole = r.Get("object");
    if (whole.is_null()) return;
    const CommittedChange* c = ledger.Version(commit.Text("resource"), commit.Text("namespace"),
                                              commit.Text("name"), commit.Int("revision"), r);
    if (c != nullptr && !c->after.is_null() && whole != c->after)
      Contradict(r, "\"object\" is not what was committed");
  }

  // --trace-objects adds the committed tree with its revision.
  void JudgeWhole(const Record& r, const Value& tree, std::int64_t revision) {
    const Value& whole = r.Get("object");
    if (whole.is_null()) return;
    const Value& metadata = whole.Get("metadata");
    if (metadata.Get("resourceVersion").AsString() != std::to_string(revision) ||
        whole.Get("spec") != tree.Get("spec") || whole.Get("status") != tree.Get("status") ||
        metadata.Get("uid") != tree.Get("metadata").Get("uid"))
      Contradict(r, "\"object\" is not what was committed");
  }

  std::set<std::string, std::less<>> processes_;
};

}  // namespace

std::unique_ptr<TraceLaw> WatchLaw() { return std::make_unique<Watches>(); }

}  // namespace ksim::check
