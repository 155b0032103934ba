// RuntimeLaw of laws/register.h: kubelets run the containers of pods that are theirs, each from its
// image to its end.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "ksim/api/kinds.h"
#include "ksim/check/laws/register.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;
using trace::Record;
using value::Value;

// "exit 137"
bool IsExit(std::string_view result) {
  return result.size() > 5 && result.starts_with("exit ") &&
         result.find_first_not_of("0123456789", 5) == std::string_view::npos;
}

class Runtimes : public TraceLaw {
 public:
  void On(const Ledger& ledger, const Record& r) override {
    if (r.kind == Kind::kLog && r.Get("container").is_string()) return JudgeLine(ledger, r);
    if (r.kind != Kind::kRuntime) return;
    Same(r, "the actor", r.actor, fmt::format("kubelet/{}", r.Text("node")));
    JudgePod(ledger, r);
    JudgeAction(r);
    if (const Record* cause = ledger.CauseOf(r)) JudgeCause(r, *cause);
  }

 private:
  // A container prints while it runs, and what led to its line is its start.
  void JudgeLine(const Ledger& ledger, const Record& r) {
    const Record* cause = ledger.CauseOf(r);
    const bool start =
        cause != nullptr && cause->kind == Kind::kRuntime && cause->Text("action") == "start";
    if (!start) return Contradict(r, "a line of a container that no start of it led to");
    Same(r, "the actor of its cause", cause->actor, r.actor);
    for (const char* field : {"pod", "uid", "container"})
      Same(r, fmt::format("the {} of its cause", field), cause->Text(field), r.Text(field));
    const auto last = last_.find({std::string(cause->Text("node")), std::string(r.Text("uid")),
                                  std::string(r.Text("container"))});
    if (last != last_.end() && last->second != "start")
      Contradict(r, fmt::format("a line after \"{}\"", last->second));
  }

  void JudgePod(const Ledger& ledger, const Record& r) {
    const std::string_view pod = r.Text("pod");
    const std::size_t slash = pod.find('/');
    const std::string_view ns = pod.substr(0, slash);
    const std::string_view name = slash == std::string_view::npos ? "" : pod.substr(slash + 1);
    bool there = false, bound = false, has = r.Text("container").empty();
    for (const CommittedChange* c : ledger.history().OfObject(api::ObjectHash("pods", ns, name))) {
      if (c->seq > r.seq || c->uid() != r.Text("uid")) continue;
      const Value& spec = c->state().Get("spec");
      there = true;
      bound = bound || spec.Get("nodeName").AsString() == r.Text("node");
      for (std::string_view list : {"containers", "initContainers", "ephemeralContainers"})
        for (const Value& container : spec.Get(list).items())
          has = has || container.Get("name").AsString() == r.Text("container");
    }
    if (!there) Contradict(r, fmt::format("no pod {} had the uid {}", pod, r.Text("uid")));
    if (there && !bound) Contradict(r, fmt::format("pod {} is not on {}", pod, r.Text("node")));
    if (there && !has)
      Contradict(r, fmt::format("pod {} has no container \"{}\"", pod, r.Text("container")));
  }

  void JudgeAction(const Record& r) {
    const std::string_view action = r.Text("action"), result = r.Text("result");
    if (action == "stage" || action == "stages") return JudgeStage(r);
    const bool of_pod = action == "sandbox" || action == "remove";
    if (of_pod != r.Text("container").empty())
      Contradict(r, fmt::format("{} of {}", action, of_pod ? "a container" : "no container"));
    const bool ends = action == "exit" || action == "kill";
    const bool fits = ends               ? IsExit(result)
                      : action == "pull" ? result == "ok" || result == "failed"
                                         : result == "ok";
    if (!fits) Contradict(r, fmt::format("{} with the result \"{}\"", action, result));
    std::string& before = last_[{std::string(r.Text("node")), std::string(r.Text("uid")),
                                 std::string(r.Text("container"))}];
    if (!Follows(before, action)) Contradict(r, fmt::format("{} after \"{}\"", action, before));
    before = result == "failed" ? "failed pull" : action;
  }

  // A Stage plays a pod in place of its containers.
  void JudgeStage(const Record& r) {
    if (!r.Text("container").empty()) Contradict(r, "stage of a container");
    if (r.Text("result").empty()) Contradict(r, "stage without a name");
    const auto of_pod =
        last_.lower_bound({std::string(r.Text("node")), std::string(r.Text("uid")), ""});
    const bool runs = of_pod != last_.end() && std::get<1>(of_pod->first) == r.Text("uid");
    if (runs) Contradict(r, "stage of a pod that has containers");
  }

  // A kubelet does one thing after the other to a pod, as its handler was told of it.
  void JudgeCause(const Record& r, const Record& cause) {
    if (cause.kind == Kind::kHandler) {
      Same(r, "the resource of its cause", cause.Text("resource"), "pods");
      Same(r, "the pod of its cause",
           fmt::format("{}/{}", cause.Text("namespace"), cause.Text("name")), r.Text("pod"));
      // A kubelet ends a pod when it is told of the next one of that name.
      if (r.Text("action") == "sandbox")
        Same(r, "the uid of its cause", cause.Text("uid"), r.Text("uid"));
    } else if (cause.kind == Kind::kRuntime) {
      // The next pod of a name waits until the one before is gone.
      const bool next = r.Text("action") == "sandbox" && cause.Text("action") == "remove";
      if (next)
        Same(r, "the pod of its cause", cause.Text("pod"), r.Text("pod"));
      else
        Same(r, "the uid of its cause", cause.Text("uid"), r.Text("uid"));
      // A container without a pull has its image.
      const std::string_view action = r.Text("action"), before = cause.Text("action");
      if (action == "start") Same(r, "the action of its cause", before, "create");
      if (action != "start" && (action != "create" || before != "pull")) return;
      Same(r, "the container of its cause", cause.Text("container"), r.Text("container"));
    }
  }

  // A kubelet that was restarted begins again with a container that it had not started.
  static bool Follows(std::string_view before, std::string_view action) {
    const bool ended = before.empty() || before == "exit" || before == "kill";
    if (action == "sandbox") return before.empty() || before == "remove" || before == "sandbox";
    if (action == "remove") return before == "sandbox";
    if (action == "pull") return ended || before != "start";
    if (action == "create") return ended || before == "pull" || before == "create";
    if (action == "start") return before == "create";
    return (action == "exit" || action == "kill") && before == "start";
  }

  std::map<std::tuple<std::string, std::string, std::string>, std::string> last_;
};

}  // namespace

std::unique_ptr<TraceLaw> RuntimeLaw() { return std::make_unique<Runtimes>(); }

}  // namespace ksim::check
