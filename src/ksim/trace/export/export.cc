#include "ksim/trace/export/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ksim/base/check.h"
#include "ksim/trace/event_text.h"
#include "ksim/trace/schema.h"
#include "ksim/value/json.h"

namespace ksim::trace {
namespace {

struct Format {
  std::string_view name;
  void (*write)(const Excerpt&, Sink);
};

constexpr std::array<Format, 5> kFormats = {{{"perfetto", ExportPerfetto},
                                             {"mermaid", ExportMermaid},
                                             {"dot", ExportDot},
                                             {"jsonl", ExportJsonLines},
                                             {"csv", ExportCsv}}};

// The fields that have a column of their own.
constexpr std::array<std::string_view, 6> kColumns = {"resource", "subresource", "namespace",
                                                      "name",     "uid",         "rv"};

// RFC 4180: quoted where it must be, quotes doubled.
std::string CsvCell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string CellOf(const value::Value& v) {
  return CsvCell(v.is_string() ? std::string(v.AsString()) : v.is_null() ? "" : value::ToJson(v));
}

// The fields without a column, as a JSON object in the order of the trace; "" if there are none.
std::string OtherFields(const Record& r) {
  std::string out;
  for (const value::Value::Member& m : r.fields) {
    const std::string_view name = m.name.text();
    if (std::find(kColumns.begin(), kColumns.end(), name) != kColumns.end()) continue;
    out += out.empty() ? '{' : ',';
    value::AppendJsonString(name, &out);
    out += ':';
    value::AppendJson(m.value, &out);
  }
  return out.empty() ? out : out + '}';
}

}  // namespace

const std::vector<std::string>& ExportFormats() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const Format& f : kFormats) out.emplace_back(f.name);
    return out;
  }();
  return names;
}

void Export(std::string_view format, const Excerpt& excerpt, Sink sink) {
  for (const Format& f : kFormats)
    if (f.name == format) return f.write(excerpt, sink);
  KSIM_CHECK(false) << "no format " << format;
}

void ExportJsonLines(const Excerpt& excerpt, Sink sink) {
  const Trace& trace = excerpt.trace();
  if (excerpt.whole()) return sink(FormatTrace(trace, false));
  for (std::size_t i = excerpt.first(); i < excerpt.last(); ++i)
    if (excerpt.Shows(trace.events[i])) sink(ToJsonLine(trace.events[i]) + "\n");
}

void ExportCsv(const Excerpt& excerpt, Sink sink) {
  sink(fmt::format("seq,t,actor,kind,cause,text,{},fields\r\n", fmt::join(kColumns, ",")));
  for (std::size_t i = excerpt.first(); i < excerpt.last(); ++i) {
    const Record& r = excerpt.trace().events[i];
    if (!excerpt.Shows(r)) continue;
    std::string row = fmt::format("{},{},{},{},{},{}", r.seq, r.t, CsvCell(r.actor),
                                  KindName(r.kind), r.cause, CsvCell(EventText(r)));
    for (std::string_view column : kColumns) row += "," + CellOf(r.Get(column));
    sink(row + "," + CsvCell(OtherFields(r)) + "\r\n");
  }
}

}  // namespace ksim::trace
