#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/base/time.h"
#include "ksim/check/verdict.h"
#include "ksim/check/watch_json.h"
#include "ksim/cli/command.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/trace_input.h"
#include "ksim/kubectl/printing/tree_text.h"

namespace ksim::cli {
namespace {

using check::Finding;
using check::Verdict;
using value::Value;

class CheckCommand : public Command {
 public:
  std::string_view name() const override { return "check"; }
  std::string_view summary() const override { return "judge a recorded trace by the guarantees"; }
  std::string_view usage() const override { return "ksim check TRACE [flags]"; }
  std::string_view description() const override {
    return "One line for each oracle: ok, violated, or not judged and why. `ksim explain oracles`\n"
           "says what each promises. With --format watch-json TRACE is what\n"
           "`kubectl get pods -w --output-watch-events -o json` printed, and --list what\n"
           "`kubectl get pods -o json` had printed before.";
  }
  std::vector<Example> examples() const override {
    return {{"What a run's trace shows",
             "ksim run scenarios/replicaset.yaml -q --trace /tmp/run.jsonl; ksim check "
             "/tmp/run.jsonl"},
            {"For a program", "ksim check /tmp/run.jsonl -o json"}};
  }
  void Define(CLI::App& app) override {
    app.add_option("TRACE", trace_, "A trace, or a kubectl watch; - is standard input")->required();
    app.add_option("--format", format_, "trace, or watch-json for a watch that kubectl printed")
        ->type_name("FORMAT")
        ->check(OneOf({"trace", "watch-json"}));
    app.add_option("--list", list_, "With watch-json: the list before the watch")
        ->type_name("FILE");
    common_.DefineOutput(app, {"text", "json", "yaml"}, "text");
    common_.DefineColor(app);
    common_.DefineQuiet(app);
    app.add_flag("--bisect", common_.bisect, "Exit codes for git bisect run: 0, 1, 125");
  }

  int Run(Io& io) override {
    io.SetColor(common_.color);
    if (format_ == "watch-json") return RunWatchJson(io);
    if (!list_.empty()) {
      io.Err("error: --list goes with --format watch-json\n");
      return kInvalid;
    }
    const std::optional<trace::Trace> trace = ReadTraceOrTell(io, trace_);
    if (!trace) return kInvalid;
    const auto checker = check::CheckTrace(*trace, {"*"});
    if (!checker.ok()) {
      io.Err(fmt::format("{}: error: {}\n", trace_, Message(checker.status())));
      return kInvalid;
    }
    const std::vector<Verdict> verdicts = check::VerdictsOf(**checker, *trace);
    Show(io, verdicts, &*trace);
    return trace->end ? CodeOf(verdicts) : Worst({CodeOf(verdicts), kUndecided});
  }

 private:
  int RunWatchJson(Io& io) {
    const std::optional<std::string> text = ReadText(io, trace_);
    if (!text) return kInvalid;
    const auto events = check::ParseJsonStream(*text);
    if (!events.ok()) return Tell(io, trace_, *text, events.status());
    const std::optional<Value> list = ReadList(io);
    if (!list) return kInvalid;
    const auto verdicts = check::JudgeWatchJson(*events, *list);
    if (!verdicts.ok()) return Tell(io, trace_, *text, verdicts.status());
    Show(io, *verdicts, nullptr);
    if (events->missing.empty()) return CodeOf(*verdicts);
    io.Err(fmt::format("{}: warning: {}\n", trace_, events->missing));
    return Worst({CodeOf(*verdicts), kUndecided});
  }

  // Null if there is none; nullopt if it cannot be read.
  std::optional<Value> ReadList(Io& io) const {
    if (list_.empty()) return Value();
    const std::optional<std::string> text = ReadText(io, list_);
    if (!text) return std::nullopt;
    const absl::StatusOr<Value> list = check::ParseJsonList(*text);
    if (list.ok()) return *list;
    Tell(io, list_, *text, list.status());
    return std::nullopt;
  }

  static std::optional<std::string> ReadText(Io& io, const std::string& path) {
    absl::StatusOr<std::string> text = os::ReadFile(path);
    if (text.ok()) return *std::move(text);
    io.Err(fmt::format("{}: error: cannot read it: {}\n", path, Message(text.status())));
    return std::nullopt;
  }

  static int Tell(Io& io, const std::string& path, std::string_view text,
                  const absl::Status& wrong) {
    Diagnostic d = AtItsPlace(path, Message(wrong));
    for (int line = 1; line < d.span.line && !text.empty(); ++line)
      text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    d.source_line = text.substr(0, text.find_first_of("\r\n"));
    io.Err(Render(d, io.err_color()));
    return kInvalid;
  }

  static int CodeOf(const std::vector<Verdict>& verdicts) {
    std::vector<int> codes;
    bool judged = false;
    for (const Verdict& v : verdicts) {
      judged = judged || v.state != Verdict::State::kNotJudged;
      if (v.state != Verdict::State::kViolated) continue;
      codes.push_back(v.guarantee == check::Guarantee::kSafety ? kViolation : kLiveness);
    }
    if (!judged) return kNothing;
    return codes.empty() ? kOk : Worst(codes);
  }

  void Show(Io& io, const std::vector<Verdict>& verdicts, const trace::Trace* trace) {
    if (common_.output != "text") {
      io.Out(kubectl::TreeText(JsonOf(verdicts), common_.output));
      return;
    }
    for (const Verdict& v : verdicts) {
      if (v.state == Verdict::State::kOk && !common_.quiet)
        io.Out(fmt::format("{:<20} ok\n", v.oracle));
      if (v.state == Verdict::State::kNotJudged && !common_.quiet)
        io.Out(fmt::format("{:<20} not judged: {}\n", v.oracle, v.why));
      if (v.state == Verdict::State::kViolated) ShowViolated(io, v, trace);
    }
  }

  static void ShowViolated(Io& io, const Verdict& v, const trace::Trace* trace) {
    const std::string more =
        v.findings.size() < 2 ? "" : fmt::format(" (and {} more)", v.findings.size() - 1);
    const Finding& f = v.findings.front();
    io.Out(fmt::format("{:<20} {}: {}{}\n", v.oracle, Paint(io.out_color(), "1;31", "violated"),
                       f.violation.message, more));
    const std::uint64_t first = f.violation.first;
    if (trace != nullptr && first != 0 && first <= trace->events.size())
      io.Out(fmt::format("{:<20} first: {}\n", "", EventLine(trace->events[first - 1])));
  }

  static Value JsonOf(const std::vector<Verdict>& verdicts) {
    static constexpr std::string_view kStates[] = {"ok", "violated", "notJudged"};
    std::vector<Value> oracles;
    for (const Verdict& v : verdicts) {
      std::vector<Value> violations;
      for (const Finding& f : v.findings) {
        violations.push_back(trace::ToTree(f.violation));
        if (!f.who.empty()) violations.back() = violations.back().Set("who", Value::Of(f.who));
      }
      value::ObjectBuilder one;
      one.Add("oracle", Value::Of(v.oracle));
      one.Add("guarantee",
              Value::Of(v.guarantee == check::Guarantee::kSafety ? "safety" : "liveness"));
      one.Add("result", Value::Of(kStates[static_cast<int>(v.state)]));
      one.AddIf(!v.why.empty(), "why", Value::Of(v.why));
      one.Add("violations", Value::Array(std::move(violations)));
      oracles.push_back(one.Build());
    }
    return value::Obj({{"apiVersion", Value::Of("ksim.dev/v1")},
                       {"kind", Value::Of("CheckResult")},
                       {"oracles", Value::Array(std::move(oracles))}});
  }

  std::string trace_, list_, format_ = "trace";
  CommonFlags common_;
};

}  // namespace

std::unique_ptr<Command> MakeCheck() { return std::make_unique<CheckCommand>(); }

}  // namespace ksim::cli
