#include "ksim/api/kinds/core/tls_key_pair.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>
#include <vector>

#include "ksim/value/base64.h"

namespace ksim::api {

namespace {

constexpr std::string_view kBegin = "-----BEGIN ";
constexpr std::string_view kDashes = "-----";

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::string_view WithoutSpaceAtEnd(std::string_view line) {
  while (!line.empty() && IsSpace(line.back())) line.remove_suffix(1);
  return line;
}

std::string WithoutSpace(std::string_view text) {
  std::string out(text);
  std::erase_if(out, IsSpace);
  return out;
}

// The type of the next block; `rest` begins behind it then. A block that is broken is passed over.
std::optional<std::string_view> NextBlock(std::string_view* rest) {
  std::string_view text = *rest;
  while (true) {
    std::size_t at = text.find(kBegin);
    while (at != text.npos && at > 0 && text[at - 1] != '\n') at = text.find(kBegin, at + 1);
    if (at == text.npos) return std::nullopt;
    text.remove_prefix(at + kBegin.size());
    const std::size_t line_end = text.find('\n');
    const std::string_view line = WithoutSpaceAtEnd(text.substr(0, line_end));
    if (line_end == text.npos || !line.ends_with(kDashes)) continue;
    const std::string_view type = line.substr(0, line.size() - kDashes.size());
    const std::string_view body = text.substr(line_end);  // with the line break
    const std::string end = fmt::format("\n-----END {}-----", type);
    const std::size_t stop = body.find(end);
    if (stop == body.npos) continue;
    std::string_view data = body.substr(0, stop);
    const std::size_t headers = data.find("\n\n");
    if (headers != data.npos && data.substr(0, headers).find(": ") != data.npos)
      data.remove_prefix(headers);
    if (!value::Unbase64(WithoutSpace(data))) continue;
    *rest = body.substr(stop + end.size());
    return type;
  }
}

std::string CertificateProblem(std::string_view text) {
  std::vector<std::string_view> skipped;
  bool found = false;
  while (const std::optional<std::string_view> type = NextBlock(&text)) {
    if (*type == "CERTIFICATE") found = true;
    if (*type != "CERTIFICATE") skipped.push_back(*type);
  }
  if (found) return "";
  if (skipped.empty()) return "tls: failed to find any PEM data in certificate input";
  if (skipped.size() == 1 && skipped[0].ends_with("PRIVATE KEY"))
    return "tls: failed to find certificate PEM data in certificate input, but did find a private "
           "key; PEM inputs may have been switched";
  return fmt::format(
      "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM "
      "blocks "
      "of the following types: [{}]",
      fmt::join(skipped, " "));
}

std::string KeyProblem(std::string_view text) {
  std::vector<std::string_view> skipped;
  while (const std::optional<std::string_view> type = NextBlock(&text)) {
    if (*type == "PRIVATE KEY" || type->ends_with(" PRIVATE KEY")) return "";
    skipped.push_back(*type);
  }
  if (skipped.empty()) return "tls: failed to find any PEM data in key input";
  if (skipped.size() == 1 && skipped[0] == "CERTIFICATE")
    return "tls: found a certificate rather than a key in the PEM for the private key";
  return fmt::format(
      "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after "
      "skipping PEM blocks of the following types: [{}]",
      fmt::join(skipped, " "));
}

}  // namespace

std::string KeyPairProblem(std::string_view certificate, std::string_view key) {
  std::string problem = CertificateProblem(certificate);
  return problem.empty() ? KeyProblem(key) : problem;
}

}  // namespace ksim::api
