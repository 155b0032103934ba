#include "ksim/cli/etcd/endpoint_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "ksim/serve/etcd_health.h"
#include "ksim/value/text.h"

namespace ksim::cli {
namespace {

using StatusCells = std::vector<std::string>;

StatusCells StatusHead() {
  return {"ENDPOINT",           "ID",         "VERSION",   "DB SIZE",
          "IS LEADER",          "IS LEARNER", "RAFT TERM", "RAFT INDEX",
          "RAFT APPLIED INDEX", "ERRORS"};
}

StatusCells StatusRow(const std::string& endpoint) {
  return {endpoint,
          fmt::format("{:x}", kEtcdMemberId),
          std::string(serve::kEtcdVersion),
          "0 B",
          "true",
          "false",
          fmt::format("{}", kEtcdRaftTerm),
          "0",
          "0",
          ""};
}

std::string StatusJson(const std::string& endpoint, store::Revision revision) {
  return fmt::format(
      R"({{"Endpoint":{},"Status":{{"header":{},"version":"{}","leader":{},"raftTerm":{}}}}})",
      value::GoQuote(endpoint), EtcdctlJsonHeader(revision), serve::kEtcdVersion, kEtcdMemberId,
      kEtcdRaftTerm);
}

std::string StatusFields(const std::string& endpoint, store::Revision revision) {
  return EtcdctlFieldsHeader(revision, false) +
         fmt::format(
             "\"Version\" : \"{}\"\n\"DBSize\" : 0\n\"Leader\" : {}\n"
             "\"IsLearner\" : false\n\"RaftIndex\" : 0\n\"RaftTerm\" : {}\n"
             "\"RaftAppliedIndex\" : 0\n\"Errors\" : []\n\"Endpoint\" : {}\n\n",
             serve::kEtcdVersion, kEtcdMemberId, kEtcdRaftTerm, value::GoQuote(endpoint));
}

// The head is centred, with the odd space behind it; the rows stand to the right.
std::string StatusTable(const std::vector<StatusCells>& rows) {
  const StatusCells head = StatusHead();
  std::vector<std::size_t> widths;
  for (const std::string& cell : head) widths.push_back(cell.size());
  for (const StatusCells& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string rule = "+", out;
  for (const std::size_t width : widths) rule += std::string(width + 2, '-') + "+";
  rule += "\n";
  for (std::size_t i = 0; i < head.size(); ++i) out += fmt::format("| {:^{}} ", head[i], widths[i]);
  out = rule + out + "|\n" + rule;
  for (const StatusCells& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) out += fmt::format("| {:>{}} ", row[i], widths[i]);
    out += "|\n";
  }
  return out + rule;
}

}  // namespace

std::string EndpointStatus(EtcdctlFormat format, const std::vector<std::string>& endpoints,
                           store::Revision revision) {
  std::string out;
  std::vector<StatusCells> rows;
  for (const std::string& endpoint : endpoints) {
    rows.push_back(StatusRow(endpoint));
    if (format == EtcdctlFormat::kJson)
      out += (out.empty() ? "[" : ",") + StatusJson(endpoint, revision);
    if (format == EtcdctlFormat::kFields) out += StatusFields(endpoint, revision);
    if (format == EtcdctlFormat::kSimple) out += value::Join(rows.back(), ", ") + "\n";
  }
  if (format == EtcdctlFormat::kTable) return StatusTable(rows);
  return format == EtcdctlFormat::kJson ? out + "]\n" : out;
}

}  // namespace ksim::cli
