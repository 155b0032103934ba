// The part of export.h that draws a sequence diagram: processes from left to right, time downwards.
// Requests and their answers, commits, what watches deliver and lose, reconciles, what goes wrong.
// Steps on the way (stages, handlers, caches) are left out.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ksim/base/time.h"
#include "ksim/trace/actors.h"
#include "ksim/trace/event_text.h"
#include "ksim/trace/export/export.h"
#include "ksim/trace/streams.h"

namespace ksim::trace {
namespace {

using Kind = sim::EventKind;

constexpr std::int64_t kPause = 100'000'000;  // virtual ns: worth a note about the time

// Mermaid has entities (#59;) for what its grammar or the page would take for its own.
std::string MermaidText(std::string_view text) {
  constexpr std::string_view kSpecial = "#;%<>&\"$\\{}";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool end = text.size() - i >= 3 && (c | 32) == 'e' && (text[i + 1] | 32) == 'n' &&
                     (text[i + 2] | 32) == 'd';
    if (end || kSpecial.find(c) != std::string_view::npos)
      out += fmt::format("#{};", static_cast<int>(c));
    else
      out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out;
}

class MermaidDiagram {
 public:
  explicit MermaidDiagram(const Excerpt& excerpt)
      : excerpt_(excerpt), streams_(excerpt.trace()), time_(-kPause) {}

  void Write(Sink sink) {
    const std::vector<Record>& events = excerpt_.trace().events;
    for (std::size_t i = 0; i < excerpt_.last(); ++i) Take(events[i]);
    CloseBlock();
    std::vector<std::string> names(processes_.begin(), processes_.end());
    std::sort(names.begin(), names.end(), StandsAbove);
    std::map<std::string, std::size_t> number;
    sink("sequenceDiagram\n");
    for (const std::string& name : names) {
      const std::size_t n = number.size();
      number[name] = n;
      sink(fmt::format("  participant p{} as {}\n", n, MermaidText(name)));
    }
    for (const Line& line : lines_) Write(line, number, sink);
  }

 private:
  // FROM ARROW TO: text; a note over FROM to TO; or, without FROM, the text as it is.
  struct Line {
    std::string from, arrow, to, text;
  };

  void Write(const Line& line, const std::map<std::string, std::size_t>& number, Sink sink) const {
    if (line.arrow.empty() && line.text.empty()) return;
    if (line.arrow == "rect") return sink(line.text + "\n");
    if (number.empty()) return;
    const auto name = [&](const std::string& process, std::size_t fallback) {
      const auto it = number.find(process);
      return fmt::format("p{}", it == number.end() ? fallback : it->second);
    };
    const std::string from = name(line.from, 0), to = name(line.to, number.size() - 1);
    const std::string text = MermaidText(line.text);
    if (!line.arrow.empty()) return sink(fmt::format("  {}{}{}: {}\n", from, line.arrow, to, text));
    sink(from == to ? fmt::format("  Note over {}: {}\n", from, text)
                    : fmt::format("  Note over {},{}: {}\n", from, to, text));
  }

  void Take(const Record& r) {
    const Stream* stream = streams_.Take(r);
    if (r.kind == Kind::kRequest) requests_[r.Int("id")] = r.Text("server");
    if (r.kind == Kind::kFault) TakeFault(r);
    if (r.seq <= excerpt_.first()) return;
    if (lines_.empty() && !faults_.empty() && r.kind != Kind::kFault) BeginInFaults(r);
    // A lost event belongs to the client that lost it, so it shows where that client shows.
    const bool of_client = r.kind == Kind::kEvent && stream != nullptr;
    if (excerpt_.ShowsActor(of_client ? stream->client : r.actor)) DrawEvent(r, stream);
  }

  void DrawEvent(const Record& r, const Stream* stream) {
    const std::string self(ProcessOf(r.actor)), part(PartOf(r.actor));
    const std::string text = (part.empty() ? "" : part + ": ") + EventText(r);
    switch (r.kind) {
      case Kind::kRequest:
        return Arrow(r, self, "->>", std::string(r.Text("server")), text);
      case Kind::kResponse: {
        const auto it = requests_.find(r.Int("id"));
        if (it == requests_.end()) return;
        return Arrow(r, it->second, r.Get("lost").AsBool() ? "--x" : "-->>", self, text);
      }
      case Kind::kDeliver:
        if (r.cause == 0 || r.cause >= r.seq) return;
        return Arrow(r, Sender(r), "--)", self, text);
      case Kind::kEvent:
        if (stream == nullptr || streams_.IsDelivered(r)) return;
        return Arrow(r, self, "-x", std::string(ProcessOf(stream->client)),
                     text + (streams_.IsLost(r) ? " (lost)" : " (under way)"));
      case Kind::kWatch:
        if (stream == nullptr || r.Text("state") == "open") return;
        return Arrow(r, self, "--)", std::string(ProcessOf(stream->client)), text);
      case Kind::kReconcile:
        if (r.Text("state") == "end" && r.Text("result") == "ok") return;
        return Note(r, self, self, text);
      case Kind::kCommit:
      case Kind::kCompact:
      case Kind::kRuntime:
      case Kind::kActor:
        return Note(r, self, self, text);
      case Kind::kWebhook: {
        const std::string server(r.Text("server"));
        if (server.empty()) return Note(r, self, self, text);
        if (r.Text("state") == "call") return Arrow(r, self, "->>", server, text);
        return Arrow(r, server, "-->>", self, text);
      }
      case Kind::kStep:
        return Note(r, self, self,
                    fmt::format("step {} {}: {}", r.Int("n"), r.Text("state"), text));
      case Kind::kViolation:
        return Note(r, "", "", "violated: " + text);
      default:
        return;
    }
  }

  std::string Sender(const Record& delivery) const {
    return std::string(ProcessOf(excerpt_.trace().events[delivery.cause - 1].actor));
  }

  void Arrow(const Record& r, std::string from, std::string arrow, std::string to,
             std::string text) {
    NotePause(r);
    processes_.insert({from, to});
    lines_.push_back({std::move(from), std::move(arrow), std::move(to), std::move(text)});
  }

  // "" for all processes.
  void Note(const Record& r, std::string from, std::string to, std::string text) {
    NotePause(r);
    if (!from.empty()) processes_.insert({from, to});
    lines_.push_back({std::move(from), "", std::move(to), std::move(text)});
  }

  void NotePause(const Record& r) {
    if (r.t - time_ >= kPause) lines_.push_back({"", "", "", FormatTime(VirtualTime(r.t))});
    time_ = r.t;
  }

  // One block from the first fault to the end of the last: blocks must nest, faults need not.
  void TakeFault(const Record& r) {
    const std::string id(r.Text("id"));
    const bool inside = r.seq > excerpt_.first();
    if (r.Text("state") == "begin") {
      faults_[id] = &r;
      if (inside) OpenBlock();
      if (inside) Note(r, "", "", "fault: " + EventText(r));
    } else if (const auto it = faults_.find(id); it != faults_.end()) {
      if (inside && it->second->t != r.t) Note(r, "", "", "fault over: " + EventText(r));
      faults_.erase(it);
      if (faults_.empty()) CloseBlock();
    }
  }

  // Notes the faults that are in force when the window begins.
  void BeginInFaults(const Record& r) {
    OpenBlock();
    for (const auto& [id, fault] : faults_) Note(r, "", "", "fault: " + EventText(*fault));
  }

  void OpenBlock() {
    if (!in_block_) lines_.push_back({"", "rect", "", "  rect rgba(220, 60, 50, 0.15)"});
    in_block_ = true;
  }
  void CloseBlock() {
    if (in_block_) lines_.push_back({"", "rect", "", "  end"});
    in_block_ = false;
  }

  const Excerpt& excerpt_;
  Streams streams_;
  std::int64_t time_;
  std::map<std::int64_t, std::string> requests_;  // id -> server
  std::map<std::string, const Record*> faults_;   // in force, by id
  bool in_block_ = false;
  std::set<std::string> processes_;
  std::vector<Line> lines_;
};

}  // namespace

void ExportMermaid(const Excerpt& excerpt, Sink sink) { MermaidDiagram(excerpt).Write(sink); }

}  // namespace ksim::trace
