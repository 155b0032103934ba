#include "ksim/trace/event_text.h"

#include <fmt/format.h>

namespace ksim::trace {
namespace {

// Words with one space between them; empty ones are left out.
class Words {
 public:
  Words& Add(std::string_view word) {
    if (word.empty()) return *this;
    if (!text_.empty()) text_ += ' ';
    text_ += word;
    return *this;
  }
  Words& AddNumber(std::string_view what, std::int64_t n) {
    return n == 0 ? *this : Add(fmt::format("{} {}", what, n));
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

// "pods/status web-x".
std::string ObjectText(const Record& r) {
  std::string resource(r.Text("resource"));
  if (!r.Text("subresource").empty()) resource += "/" + std::string(r.Text("subresource"));
  if (resource.empty()) resource = r.Text("key");
  return Words().Add(resource).Add(r.Text("name")).Take();
}

std::string ResponseText(const Record& r) {
  if (r.Get("lost").AsBool()) return "reply lost";
  Words words;
  words.Add(r.Int("code") == 0 ? "" : fmt::format("{}", r.Int("code"))).Add(r.Text("reason"));
  if (r.Int("items") > 0) words.Add(fmt::format("{} items", r.Int("items")));
  return words.AddNumber("rv", r.Int("rv")).Take();
}

}  // namespace

std::string EventText(const Record& r) {
  Words w;
  switch (r.kind) {
    case sim::EventKind::kRequest:
      return w.Add(r.Text("verb")).Add(ObjectText(r)).Take();
    case sim::EventKind::kResponse:
      return ResponseText(r);
    case sim::EventKind::kStage:
      return w.Add(r.Text("stage")).Add(r.Text("result")).Take();
    case sim::EventKind::kCommit:
      return w.Add(r.Text("op")).Add(ObjectText(r)).AddNumber("rv", r.Int("revision")).Take();
    case sim::EventKind::kCompact:
      return fmt::format("compact to {}", r.Int("revision"));
    case sim::EventKind::kWatch:
      w.Add(r.Text("state")).Add("watch").Add(r.Text("resource"));
      return w.Add(r.Text("reason").empty() ? "" : fmt::format("({})", r.Text("reason"))).Take();
    case sim::EventKind::kEvent:
    case sim::EventKind::kDeliver:
    case sim::EventKind::kHandler:
      return w.Add(r.Text("type")).Add(ObjectText(r)).AddNumber("rv", r.Int("rv")).Take();
    case sim::EventKind::kRelist:
      w.Add("list").Add(r.Text("resource")).Add(r.Text("reason"));
      return w.AddNumber("rv", r.Int("gotRv")).Take();
    case sim::EventKind::kCache:
      w.Add("cache").Add(r.Text("informer")).Add(fmt::format("{} items", r.Int("items")));
      return w.AddNumber("rv", r.Int("rv")).Take();
    case sim::EventKind::kReconcile:
      return w.Add("reconcile").Add(r.Text("key")).Add(r.Text("result")).Take();
    case sim::EventKind::kRuntime:
      w.Add(r.Text("action")).Add(r.Text("pod")).Add(r.Text("container"));
      return w.Add(r.Text("result") == "ok" ? "" : r.Text("result")).Take();
    case sim::EventKind::kFault:
      return w.Add(r.Text("verb")).Add(r.Text("target")).Take();
    case sim::EventKind::kPhase:
      return w.Add("phase").Add(r.Text("name")).Take();
    case sim::EventKind::kActor:
      return w.Add(r.Text("process")).Add(r.Text("state")).Take();
    case sim::EventKind::kStep:
      if (r.Text("state") == "end") return std::string(r.Text("result"));
      return w.Add(r.Text("verb")).Add(r.Text("target")).Take();
    case sim::EventKind::kViolation:
      return fmt::format("{}: {}", r.Text("oracle"), r.Text("message"));
    case sim::EventKind::kWebhook:
      w.Add(r.Text("state") == "call" ? "call" : r.Text("result")).Add(r.Text("type"));
      return w.Add("webhook").Add(r.Text("webhook")).Add(r.Text("message")).Take();
    case sim::EventKind::kInput:
      w.Add(r.Text("what") == "request" ? "" : r.Text("what")).Add(r.Text("method"));
      return w.Add(r.Text("target").empty() ? r.Text("body") : r.Text("target")).Take();
    case sim::EventKind::kLog:
      w.Add(r.Text("pod")).Add(r.Text("container")).Add(r.Text("level")).Add(r.Text("place"));
      return w.Add(r.Text("text")).Take();
  }
  return "";
}

}  // namespace ksim::trace
