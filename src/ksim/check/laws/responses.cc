// ResponseLaw of laws/register.h: an answer follows its request once, and says what the server's
// stages and commits explain.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "ksim/api/core/verbs.h"
#include "ksim/api/kinds.h"
#include "ksim/check/laws/register.h"
#include "ksim/check/profile.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;
using trace::Record;

struct CodeReasons {
  std::int64_t code;
  std::array<std::string_view, 4> reasons;
  std::size_t count;
};

// apimachinery pkg/api/errors; 0: no server answered.
constexpr CodeReasons kReasons[] = {
    {0, {"ConnectionRefused", "ConnectionLost", "RequestTimedOut"}, 3},
    {200, {""}, 1},
    {201, {""}, 1},
    {400, {"BadRequest"}, 1},
    {401, {"Unauthorized"}, 1},
    {403, {"Forbidden"}, 1},
    {404, {"NotFound"}, 1},
    {405, {"MethodNotAllowed"}, 1},
    {406, {"NotAcceptable"}, 1},
    {409, {"AlreadyExists", "Conflict"}, 2},
    {410, {"Expired", "Gone"}, 2},
    {413, {"RequestEntityTooLarge"}, 1},
    {415, {"UnsupportedMediaType"}, 1},
    {422, {"Invalid"}, 1},
    {429, {"TooManyRequests"}, 1},
    {500, {"InternalError", "ServerTimeout", "StorageReadError", ""}, 4},
    {503, {"ServiceUnavailable"}, 1},
    {504, {"Timeout", "ServerTimeout"}, 2}};

class Responses : public TraceLaw {
 public:
  void On(const Ledger& ledger, const Record& r) override {
    if (r.kind == Kind::kFault && r.Get("args").Get("code").is_int())
      codes_.insert(r.Get("args").Get("code").AsInt());
    if (r.kind != Kind::kResponse) return;
    const Asked* asked = ledger.Request(r.Int("id"));
    if (asked == nullptr) {
      Contradict(r, fmt::format("a response to request {}, which nobody sent", r.Int("id")));
      return;
    }
    const Record& q = *asked->request;
    if (asked->response != nullptr)
      Contradict(r, fmt::format("request {} was answered before, at seq {}", r.Int("id"),
                                asked->response->seq));
    Same(r, "the response's cause", static_cast<std::int64_t>(r.cause),
         static_cast<std::int64_t>(q.seq));
    Same(r, "the actor", r.actor, q.actor);
    Same(r, "the latency", r.Int("latency"), r.t - q.t);
    // A webhook that denies a request chooses the code and the reason.
    const bool chosen = asked->denied && r.Int("code") >= 400 && !r.Get("lost").AsBool();
    if (!chosen) JudgeCode(r, q);
    JudgeWhatItHolds(r, q);
    JudgeStages(*asked, r);
    JudgeWatch(*asked, r);
    JudgeRevision(ledger, *asked, r);
    JudgeSource(ledger, *asked, r);
  }

 private:
  void JudgeCode(const Record& r, const Record& q) {
    const std::int64_t code = r.Int("code");
    const std::string_view reason = r.Text("reason"), verb = q.Text("verb");
    const auto known = std::find_if(std::begin(kReasons), std::end(kReasons),
                                    [code](const CodeReasons& c) { return c.code == code; });
    if (known == std::end(kReasons)) {
      if (!codes_.contains(code)) Contradict(r, fmt::format("no server answers code {}", code));
      return;
    }
    const auto* const none = known->reasons.begin() + known->count;
    if (std::find(known->reasons.begin(), none, reason) == none)
      Contradict(r, fmt::format("code {} with the reason \"{}\"", code, reason));
    if (r.Get("lost").AsBool() != (reason == "ConnectionLost" || reason == "RequestTimedOut"))
      Contradict(r,
                 fmt::format("lost is {} with the reason \"{}\"", r.Get("lost").AsBool(), reason));
    if (code == 409 && (verb == "update" || verb == "delete") && reason != "Conflict")
      Contradict(r, fmt::format("reason \"{}\" to a {}", reason, verb));
  }

  void JudgeWhatItHolds(const Record& r, const Record& q) {
    const std::string_view verb = q.Text("verb");
    const bool done = Succeeded(r);
    const bool lists = verb == "list" || verb == "deletecollection";
    if (r.Text("from").empty() == (done && (api::IsRead(verb) || lists)))
      Contradict(r, fmt::format("from is \"{}\" in the answer to a {}", r.Text("from"), verb));
    if (r.Int("items") > 0 && (!done || !lists))
      Contradict(r, fmt::format("{} items in the answer to a {}", r.Int("items"), verb));
    if (r.Text("itemsHash").empty() == (verb == "list"))
      Contradict(r,
                 fmt::format("itemsHash \"{}\" in the answer to a {}", r.Text("itemsHash"), verb));
    if (r.Int("rv") > 0 && (!done || verb == "watch"))
      Contradict(r, fmt::format("rv {} in the answer to a {}", r.Int("rv"), verb));
    if (r.Text("continue").empty()) return;
    if (!done || verb != "list" || !q.Get("params").Has("limit")) {
      Contradict(r, "a continue token in no page of a list");
    } else if (std::to_string(r.Int("items")) != q.Get("params").Get("limit").AsString()) {
      Contradict(r, fmt::format("a page of {} items, where {} were asked for", r.Int("items"),
                                q.Get("params").Get("limit").AsString()));
    }
  }

  // A server answers with success if nothing was refused, and else why it was.
  void JudgeStages(const Asked& asked, const Record& r) {
    const std::string_view verb = asked.request->Text("verb");
    const Record* last = asked.stages.empty() ? nullptr : asked.stages.back();
    const std::string_view refusal =
        last == nullptr || last->Text("result") == "ok" ? "" : last->Text("result");
    const std::string_view reached = last == nullptr ? "" : last->Text("stage");
    const std::int64_t code = r.Int("code");
    if (Succeeded(r) && (!refusal.empty() || reached != (verb == "watch" ? "authorize" : "store")))
      Contradict(r, fmt::format("code {}, but the server's last stage was \"{}\": \"{}\"", code,
                                reached, refusal.empty() ? "ok" : refusal));
    if (code >= 400 && code != 504 && refusal.empty() && reached == "store")
      Contradict(r, fmt::format("code {}, but the server refused nothing", code));
    if (code >= 400 && !asked.commits.empty() && code < 500)
      Contradict(r,
                 fmt::format("code {}, but seq {} committed it", code, asked.commits.front()->seq));
    if (code < 400 || code == 504 || refusal.empty())
      return;  // the server answers before it is done
    const auto says = [&](std::string_view words, std::string_view reason) {
      if (refusal.find(words) != std::string_view::npos && r.Text("reason") != reason)
        Contradict(
            r, fmt::format("reason \"{}\", but the server said \"{}\"", r.Text("reason"), refusal));
    };
    says(" already exists", "AlreadyExists");
    says("the object has been modified", "Conflict");
  }

  // A watch that is answered with success is open.
  void JudgeWatch(const Asked& asked, const Record& r) {
    const bool watch = asked.request->Text("verb") == "watch";
    if (Succeeded(r) && watch && asked.watch == nullptr)
      Contradict(r, fmt::format("code {}, but no watch was opened", r.Int("code")));
    if (r.Int("code") >= 400 && asked.watch != nullptr)
      Contradict(
          r, fmt::format("code {}, but seq {} opened the watch", r.Int("code"), asked.watch->seq));
  }

  void JudgeRevision(const Ledger& ledger, const Asked& asked, const Record& r) {
    const Record& q = *asked.request;
    const std::string_view verb = q.Text("verb"), sub = q.Text("subresource");
    if (!Succeeded(r)) return;
    const Record* commit = asked.commits.empty() ? nullptr : asked.commits.back();
    const bool dry = q.Get("params").Has("dryRun");
    const bool created = verb == "create" || (commit != nullptr && commit->Text("op") == "create");
    if (!dry) Same(r, "the code", r.Int("code"), created ? 201 : 200);
    if (verb == "list" || verb == "watch" || verb == "deletecollection") return;
    if (verb == "create" || verb == "patch" || verb == "update") {
      if (verb == "create" && commit == nullptr && !dry && sub.empty())
        Contradict(r, fmt::format("code {}, but nothing was committed", r.Int("code")));
      if (commit != nullptr && commit->Text("op") != "delete" && (sub != "binding") &&
          (sub != "eviction"))
        return Same(r, "the answer's rv", r.Int("rv"), commit->Int("revision"));
    }
    if (r.Int("rv") == 0) {
      if (verb == "get" || verb == "patch" || verb == "update")
        Contradict(r, fmt::format("the answer to a {} has no rv", verb));
      return;
    }
    if (verb == "create" && (!sub.empty() || dry)) {
      Contradict(r, fmt::format("rv {} in the answer to a {}", r.Int("rv"), sub));
      return;
    }
    if (commit != nullptr && r.Int("rv") == commit->Int("revision")) return;
    const CommittedChange* version =
        ledger.Version(q.Text("resource"), q.Text("namespace"), q.Text("name"), r.Int("rv"), r);
    if (version == nullptr)
      Contradict(r, fmt::format("{} \"{}\" never was at revision {}", q.Text("resource"),
                                q.Text("name"), r.Int("rv")));
    else if (r.Text("from") == "store")
      JudgeReadFromStore(ledger, *version, q, r);
  }

  // An object that comes from the store was its newest version at some time while the request was
  // under way.
  void JudgeReadFromStore(const Ledger& ledger, const CommittedChange& version, const Record& q,
                          const Record& r) {
    const Changes& own = ledger.history().OfObject(version.object);
    const auto next = std::upper_bound(
        own.begin(), own.end(), version.revision,
        [](std::int64_t revision, const CommittedChange* c) { return revision < c->revision; });
    if (version.after.is_null() || (next != own.end() && (*next)->seq < q.seq))
      Contradict(r, fmt::format("rv {}, which was gone before the request", r.Int("rv")));
  }

  void JudgeSource(const Ledger& ledger, const Asked& asked, const Record& r) {
    const Record& q = *asked.request;
    if (!Succeeded(r) || q.Text("verb") != "list" || asked.stages.size() < 2) return;
    const std::string_view rv = q.Get("params").Get("resourceVersion").AsString();
    if (ProfileOf(ledger.compat()).newest_lists_from_cache) return;
    if (rv.empty()) Same(r, "from, of a list at the newest revision,", r.Text("from"), "store");
    // A list of a cache that is ready takes the server no time.
    if (asked.stages.back()->t == asked.stages[asked.stages.size() - 2]->t)
      Same(r, "from, of a list that etcd did not serve,", r.Text("from"), "cache");
  }

  std::set<std::int64_t> codes_;  // that faults make servers answer
};

}  // namespace

std::unique_ptr<TraceLaw> ResponseLaw() { return std::make_unique<Responses>(); }

}  // namespace ksim::check
