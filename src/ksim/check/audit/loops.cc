// hot.loop of an audit log: a client that writes one object again and again comes to nothing: its
// writes change nothing, are refused for the same reason, or two clients undo what the other does.
//
// An update from the resourceVersion from which one has succeeded before shows, at any level, that
// the one before changed nothing. A client that backs off tries some 14 times in a minute (5 ms
// and twice as long each time): more than kRefusals in a minute is no back-off.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "ksim/base/hash.h"
#include "ksim/check/audit/audit_rule.h"

namespace ksim::check {
namespace {

constexpr Duration kMinute = Minutes(1);
constexpr Duration kLongFight = Minutes(10);
constexpr int kIdleWrites = 10;
constexpr int kRefusals = 20;
constexpr int kTurns = 10;

// Writes of one kind that follow one another.
struct Streak {
  int count = 0;
  std::string what;  // what they have in common
  VirtualTime began;
  std::string first;  // place of the first
  bool told = false;

  // Counts one more, or begins anew if it differs or the window is over.
  void Add(const std::string& common, const AuditEvent& event, Duration window) {
    if (what != common || event.completed - began > window) {
      if (what != common) told = false;
      count = 0;
      what = common;
      began = event.completed;
      first = event.Place();
    }
    ++count;
  }
  void End() { *this = Streak(); }
};

// The writes of one client to one object.
struct Efforts {
  std::string last_base;  // the resourceVersion of its last update that succeeded
  Streak idle, refused;
};

// The newest contents of one object, and their authors.
struct Content {
  std::int64_t revision = 0;
  std::uint64_t now = 0, before = 0;
  std::string author, author_before;
  Streak turns;
};

class Loops final : public AuditRule {
 public:
  Loops() : AuditRule("hot.loop", Guarantee::kLiveness, "nobody wrote the same object twice") {}

  void On(const AuditEvent& event) override {
    const bool write = event.verb == "create" || event.verb == "update" || event.verb == "patch" ||
                       event.verb == "delete";
    if (!write || event.is_dry_run() || event.name.empty() || IsHeartbeat(event)) return;
    const std::string object = event.Object();
    Efforts& efforts = efforts_[{event.client, object}];
    if (event.code >= 400) return OnRefused(event, object, &efforts);
    if (!event.succeeded()) return;
    efforts.refused.End();
    OnDone(event, object, &efforts);
    if (!event.response.is_null()) OnContent(event);
  }

 private:
  // Leases are renewed, and Events counted, for ever.
  static bool IsHeartbeat(const AuditEvent& event) {
    return event.resource == "leases.coordination.k8s.io" || event.resource == "events" ||
           event.resource == "events.events.k8s.io";
  }

  void OnRefused(const AuditEvent& event, const std::string& object, Efforts* efforts) {
    if (event.code == 429 || event.code >= 500) return;  // the server's own fault
    Judged();
    Streak& streak = efforts->refused;
    streak.Add(fmt::format("{} refused with {}", event.verb, event.code), event, kMinute);
    if (streak.count < kRefusals || std::exchange(streak.told, true)) return;
    Tell(event, object,
         fmt::format("{} times {} within {}", streak.count, streak.what,
                     FormatDuration(event.completed - streak.began)),
         streak);
  }

  void OnDone(const AuditEvent& event, const std::string& object, Efforts* efforts) {
    if (event.verb != "update" && event.verb != "patch") return;
    const std::string base = BaseOf(event);
    const std::int64_t revision = AnswersWithObject(event) ? AnsweredRevision(event) : 0;
    bool idle = false, known = false;
    if (revision != 0) {
      const std::int64_t before = objects_[ObjectKey(event)].revision;
      known = before != 0 || !base.empty();
      idle = revision == before || fmt::format("{}", revision) == base;
    } else if (!base.empty() && !efforts->last_base.empty()) {
      known = true;
      idle = base == efforts->last_base;
    }
    efforts->last_base = base;
    if (known) Judged();
    Streak& streak = efforts->idle;
    if (!idle) return streak.End();
    streak.Add(event.verb, event, kMinute);
    if (streak.count < kIdleWrites || std::exchange(streak.told, true)) return;
    Tell(event, object,
         fmt::format("{} {}s within {} that changed nothing", streak.count, event.verb,
                     FormatDuration(event.completed - streak.began)),
         streak);
  }

  // Two that write what the other has overwritten, in turns. Writes that leave the content as it
  // is, such as those of a status, are no turns.
  void OnContent(const AuditEvent& event) {
    Content& content = objects_[ObjectKey(event)];
    const std::int64_t revision = AnsweredRevision(event);
    if (revision == 0 || !event.subresource.empty()) {
      if (revision > content.revision) content.revision = revision;
      return;
    }
    const std::uint64_t hash = HashOf(event.response);
    const bool changed = hash != content.now;
    if (changed) {
      const bool undoes = content.before == hash && content.author != event.client &&
                          (content.author_before.empty() || content.author_before == event.client);
      if (undoes) {
        content.turns.Add("", event, kLongFight);
      } else {
        content.turns.End();
      }
      if (undoes && content.turns.count >= kTurns && !std::exchange(content.turns.told, true))
        Violate(event.line, event.Object(), event.client,
                fmt::format("{}: {} and {} undo what the other writes, {} times within {}: {} to "
                            "{}",
                            event.Object(), content.author, event.client, content.turns.count,
                            FormatDuration(event.completed - content.turns.began),
                            content.turns.first, event.Place()));
      content.before = content.now;
      content.now = hash;
      content.author_before = std::move(content.author);
      content.author = event.client;
    }
    content.revision = std::max(content.revision, revision);
  }

  static std::string BaseOf(const AuditEvent& event) {
    const value::Value& body = event.request.Get("metadata").Get("resourceVersion");
    if (body.is_string()) return std::string(body.AsString());
    return event.verb == "update" ? event.resource_version : "";
  }

  static std::string ObjectKey(const AuditEvent& event) {
    return fmt::format("{} {}/{}", event.resource, event.ns, event.name);
  }

  // The parts of an object that clients decide: no versions, and nothing that follows from these.
  static std::uint64_t HashOf(const value::Value& object) {
    Hasher h;
    for (const char* field : {"labels", "annotations", "finalizers", "ownerReferences"})
      h.Add(object.Get("metadata").Get(field).Hash());
    for (const char* field : {"spec", "data", "binaryData", "stringData", "rules", "subsets"})
      h.Add(object.Get(field).Hash());
    return h.Digest();
  }

  void Tell(const AuditEvent& event, const std::string& object, const std::string& what,
            const Streak& streak) {
    Violate(event.line, object, event.client,
            fmt::format("{}: {} has {}: {} to {}", object, event.client, what, streak.first,
                        event.Place()));
  }

  std::map<std::pair<std::string, std::string>, Efforts> efforts_;  // by client and object
  std::map<std::string, Content> objects_;
};

}  // namespace

std::unique_ptr<AuditRule> AuditedLoops() { return std::make_unique<Loops>(); }

}  // namespace ksim::check
