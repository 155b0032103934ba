#include "ksim/trace/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ksim/base/time.h"
#include "ksim/trace/delivery_table.h"
#include "ksim/trace/event_text.h"
#include "ksim/trace/report/events.h"
#include "ksim/trace/report/page.h"

namespace ksim::trace {
namespace {

std::string When(std::int64_t ns) { return FormatTime(VirtualTime(ns)); }

class Page {
 public:
  Page(const Excerpt& excerpt, const ReportOptions& options)
      : excerpt_(excerpt), trace_(excerpt.trace()), options_(options) {}

  ReportSize Write(Sink sink) {
    const Chosen chosen = ChooseEvents(excerpt_, options_.max_events);
    ReportSize size;
    for (std::size_t i = excerpt_.first(); i < excerpt_.last(); ++i)
      if (excerpt_.Shows(trace_.events[i])) ++size.events;
    size.kept = chosen.events.size();
    sink(
        fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width\">\n"
                    "<title>{} - ksim</title>\n<style>",
                    HtmlText(Name() + ": " + Result())));
    sink(kReportStyle);
    sink("</style></head>\n<body>\n");
    sink(Header() + Violations() + Oracles());
    sink(kReportTimeline);
    sink(WhatIsLeftOut(chosen));
    sink(kReportObjects);
    sink(Faults() + Deliveries());
    sink("<script type=\"application/json\" id=\"data\">");
    WriteEvents(excerpt_, chosen, sink);
    sink("</script>\n<script>\n\"use strict\";\n(() => {\n");
    sink(kReportChartScript);
    sink("\n");
    sink(kReportObjectsScript);
    sink(kReportInputScript);
    sink("})();\n</script>\n</body></html>\n");
    return size;
  }

 private:
  std::string Name() const {
    const std::string_view name = trace_.header.scenario.Get("metadata").Get("name").AsString();
    return name.empty() ? "run" : std::string(name);
  }
  std::string Result() const { return trace_.end ? trace_.end->result : "cut short"; }
  bool Good() const { return trace_.end && trace_.end->result == "ok"; }

  // The event's number; a link if the page has it.
  std::string Link(std::uint64_t seq) const {
    if (seq == 0 || seq > trace_.events.size()) return "";
    const Record& r = trace_.events[seq - 1];
    if (!excerpt_.Shows(r)) return fmt::format("#{} (not in this window)", seq);
    return fmt::format(
        "<a class=\"first\" href=\"#e{0}\">#{0}</a> <span class=\"dim\">{1}</span> {2}: {3}", seq,
        When(r.t), HtmlText(r.actor), HtmlText(EventText(r)));
  }

  // A message, in which "event #384" leads there.
  std::string Message(std::string_view text) const {
    constexpr std::string_view kEvent = "event #";
    std::string out;
    for (std::size_t at = text.find(kEvent); at != std::string_view::npos; at = text.find(kEvent)) {
      std::size_t end = at + kEvent.size();
      std::uint64_t seq = 0;
      while (end < text.size() && text[end] >= '0' && text[end] <= '9' && seq < 1'000'000'000'000)
        seq = seq * 10 + static_cast<std::uint64_t>(text[end++] - '0');
      const bool known = seq > excerpt_.first() && seq <= excerpt_.last();
      out += HtmlText(text.substr(0, at));
      out += known ? fmt::format("event <a href=\"#e{0}\">#{0}</a>", seq)
                   : HtmlText(text.substr(at, end - at));
      text.remove_prefix(end);
    }
    return out + HtmlText(text);
  }

  std::string Header() const {
    const std::string_view about =
        trace_.header.scenario.Get("metadata").Get("description").AsString();
    std::string out = fmt::format(
        "<header><h1><span class=\"verdict {}\">{}</span> {}</h1>\n{}<p class=\"facts\">",
        Good() ? "good" : "bad", HtmlText(Result()), HtmlText(Name()),
        about.empty() ? "" : fmt::format("<p>{}</p>\n", HtmlText(about)));
    out += fmt::format("seed <b>{}</b> &middot; Kubernetes {} &middot; ksim {} &middot; {} events",
                       trace_.header.seed, HtmlText(trace_.header.compat),
                       HtmlText(trace_.header.ksim_version), trace_.events.size());
    if (trace_.end)
      out += fmt::format(" &middot; {} of virtual time &middot; digest <code>{}</code>",
                         FormatDuration(Duration(trace_.end->time)), HtmlText(trace_.end->digest));
    out += "</p>\n";
    if (!excerpt_.whole())
      out += fmt::format(
          "<p class=\"facts\">Shown is the window from {} to {}, events {} to {}.</p>\n",
          When(excerpt_.begin_time()), When(excerpt_.end_time()), excerpt_.first() + 1,
          excerpt_.last());
    for (const std::string& command : options_.commands)
      out += fmt::format("<pre class=\"command\">{}</pre>\n", HtmlText(command));
    return out + "</header>\n";
  }

  std::string Violations() const {
    if (!trace_.end || trace_.end->violations.empty()) return "";
    std::string out = "<section><h2>What went wrong</h2><ol class=\"violations\">\n";
    for (const Violation& v : trace_.end->violations) {
      out += fmt::format("<li><b>{}</b> {}", HtmlText(v.oracle), Message(v.message));
      if (!v.objects.empty()) {
        out += "<br><span class=\"dim\">about</span>";
        for (const std::string& object : v.objects)
          out += fmt::format(" <code>{}</code>", HtmlText(object));
      }
      if (const std::string link = Link(v.first); !link.empty())
        out += fmt::format("<br><span class=\"dim\">first seen in</span> {}", link);
      out += "</li>\n";
    }
    return out + "</ol></section>\n";
  }

  static std::string OracleRow(std::string_view oracle, std::string_view mark,
                               std::string_view result, std::string_view detail) {
    return fmt::format("<tr class=\"{}\"><td>{}</td><td>{}</td><td>{}</td></tr>\n", mark,
                       HtmlText(oracle), result, detail);
  }

  std::string Oracles() const {
    if (!trace_.end)
      return "<section><h2>Oracles</h2><p>The trace is cut short: nothing was judged. "
             "<code>ksim check</code> judges what is there.</p></section>\n";
    std::map<std::string, std::uint64_t> violated;  // and where first
    for (const Violation& v : trace_.end->violations) violated.try_emplace(v.oracle, v.first);
    std::string rows;
    for (const auto& [oracle, first] : violated)
      rows += OracleRow(oracle, "bad", "&#10007; violated", Link(first));
    std::size_t good = 0;
    for (const std::string& oracle : trace_.end->judged) {
      if (violated.contains(oracle)) continue;
      ++good;
      rows += OracleRow(oracle, "good", "&#10003; ok", "");
    }
    for (const auto& [oracle, why] : trace_.end->not_judged)
      rows += OracleRow(oracle, "dim", "&ndash; not judged", HtmlText(why));
    return fmt::format(
        "<section><details><summary><h2>Oracles</h2> {} ok, {} violated, {} not judged</summary>"
        "<table><tbody>\n{}</tbody></table></details></section>\n",
        good, violated.size(), trace_.end->not_judged.size(), rows);
  }

  static std::string WhatIsLeftOut(const Chosen& chosen) {
    if (chosen.left_out == 0) return "";
    const std::string others =
        chosen.part ? fmt::format(
                          " and, but for faults, steps and what led to a violation, whatever "
                          "was before {} or after {}",
                          When(chosen.begin), When(chosen.end))
                    : "";
    return fmt::format(
        "<p class=\"note\">This page has {} events. Left out are {}: stages of requests, counts of "
        "caches{}. <code>--window A..B</code> shows another part, a larger "
        "<code>--max-events</code> more.</p>\n",
        chosen.events.size(), chosen.left_out, others);
  }

  std::string Faults() const {
    std::map<std::string, std::int64_t> ends;
    std::vector<const Record*> begins;
    for (std::size_t i = 0; i < excerpt_.last(); ++i) {
      const Record& r = trace_.events[i];
      if (r.kind != sim::EventKind::kFault) continue;
      if (r.Text("state") == "end")
        ends[std::string(r.Text("id"))] = r.t;
      else
        begins.push_back(&r);
    }
    std::string rows;
    for (const Record* r : begins) {
      const auto end = ends.find(std::string(r->Text("id")));
      if (end != ends.end() && end->second < excerpt_.begin_time()) continue;
      std::string until = end == ends.end() ? "the end" : When(end->second);
      if (r->Text("state") == "skipped") until = "skipped";
      rows += fmt::format(
          "<tr><td><a href=\"#e{0}\">#{0}</a> {1}</td><td>{2}</td><td>{3}</td><td>{4}</td></tr>\n",
          r->seq, HtmlText(EventText(*r)), When(r->t), until, HtmlText(r->Text("plan")));
    }
    if (rows.empty()) return "";
    return "<section><h2>Faults</h2><table><thead><tr><th>fault</th><th>from</th><th>to</th>"
           "<th>plan</th></tr></thead><tbody>\n" +
           rows + "</tbody></table></section>\n";
  }

  std::string Deliveries() const {
    std::string rows;
    for (const DeliveryRow& d : DeliveryRows(excerpt_)) {
      const auto time = [&d](std::int64_t ns) {
        return d.calls == 0 ? std::string("-") : FormatDuration(Duration(ns));
      };
      const std::string slowest =
          d.calls == 0 ? "" : fmt::format(" <a href=\"#e{0}\">#{0}</a>", d.slowest);
      rows += fmt::format(
          "<tr{}><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}{}</td><td>{}</td><td>{}</td>"
          "</tr>\n",
          d.calls == 0 ? " class=\"dim\"" : "", HtmlText(d.informer), d.calls, time(d.p50),
          time(d.p99), time(d.max), slowest, d.relists, d.items);
    }
    if (rows.empty()) return "";
    return "<section><h2>Delivery</h2><p class=\"dim\">From a commit to the handlers of each "
           "informer.</p><table class=\"numbers\"><thead><tr><th>informer</th><th>calls</th>"
           "<th>median</th><th>99 %</th><th>longest</th><th>lists</th><th>items listed</th></tr>"
           "</thead><tbody>\n" +
           rows + "</tbody></table></section>\n";
  }

  const Excerpt& excerpt_;
  const Trace& trace_;
  const ReportOptions& options_;
};

}  // namespace

std::string HtmlText(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else
      out += c;
  }
  return out;
}

ReportSize WriteReport(const Excerpt& excerpt, const ReportOptions& options, Sink sink) {
  return Page(excerpt, options).Write(sink);
}

}  // namespace ksim::trace
