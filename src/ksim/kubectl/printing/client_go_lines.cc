#include "ksim/kubectl/printing/client_go_lines.h"

#include <fmt/format.h>

#include "ksim/kubectl/printing/http_texts.h"
#include "ksim/value/json.h"

namespace ksim::kubectl {
namespace {

std::string Quoted(std::string_view text) { return value::ToJson(value::Value::String(text)); }

std::string CurlLine(const HttpExchange& x) {
  std::string headers;
  for (const auto& [name, value] : x.request)
    headers += fmt::format(" -H {}", Quoted(name + ": " + value));
  return fmt::format("curl -v -X{} {} '{}'", x.method, headers, x.url);
}

std::string Status(const HttpExchange& x) {
  return x.code == 0 ? std::string() : fmt::format("{} {}", x.code, StatusText(x.code));
}

// A value of several lines (writeStringValue).
std::string Lines(std::string_view lines) {
  std::string out = "<\n";
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    out += fmt::format("\t{}\n", lines.substr(0, end));
    lines = end == lines.npos ? std::string_view() : lines.substr(end + 1);
  }
  return out + " >";
}

std::string HeaderLines(const HttpExchange::Fields& headers) {
  std::string lines;
  for (const auto& [name, value] : headers) lines += fmt::format("{}: {}\n", name, value);
  return Lines(lines);
}

}  // namespace

void ClientGoLines::Request(const HttpExchange& x) const {
  if (level_ >= 8 && (profile_.logs_structured || !x.sent.empty())) Body(x, "Request Body", x.sent);
  if (profile_.logs_structured)
    StructuredRequest(x);
  else
    TextRequest(x);
}

void ClientGoLines::Connection(std::string_view server, std::string_view address) const {
  if (level_ < 9) return;
  const std::string_view host = address.substr(0, address.find(':'));
  if (profile_.logs_structured) {
    print_("round_trippers.go:547", fmt::format("\"HTTP Trace: DNS Lookup resolved\" host={} "
                                                "address=[{{\"IP\":{},\"Zone\":\"\"}}]",
                                                Quoted(server), Quoted(host)));
    print_("round_trippers.go:562",
           fmt::format("\"HTTP Trace: Dial succeed\" network=\"tcp\" address={}", Quoted(address)));
    return;
  }
  print_("round_trippers.go:495",
         fmt::format("HTTP Trace: DNS Lookup for {} resolved to [{{{} }}]", server, host));
  print_("round_trippers.go:510", fmt::format("HTTP Trace: Dial to tcp:{} succeed", address));
}

void ClientGoLines::Response(const HttpExchange& x, bool kept) const {
  if (profile_.logs_structured)
    StructuredResponse(x, kept);
  else
    TextResponse(x, kept);
  if (level_ >= 8 && !x.answer.empty()) Body(x, "Response Body", x.answer);
}

void ClientGoLines::Body(const HttpExchange& x, std::string_view name,
                         const std::string& body) const {
  std::string cut = CutBody(body, level_);
  if (profile_.logs_structured)
    return print_(x.caller, fmt::format("\"{}\" body={}", name,
                                        cut.find('\n') == cut.npos ? Quoted(cut) : Lines(cut)));
  if (cut.ends_with('\n')) cut.pop_back();
  print_(profile_.logs_body, fmt::format("{}: {}", name, cut));
}

// --- up to 1.30 ---

void ClientGoLines::TextRequest(const HttpExchange& x) const {
  if (level_ == 7 || level_ == 8) {
    print_("round_trippers.go:463", fmt::format("{} {}", x.method, x.url));
    print_("round_trippers.go:469", "Request Headers:");
    for (const auto& [name, value] : x.request)
      print_("round_trippers.go:473", fmt::format("    {}: {}", name, value));
  }
  if (level_ >= 9) print_("round_trippers.go:466", CurlLine(x));
}

void ClientGoLines::TextResponse(const HttpExchange& x, bool kept) const {
  if (level_ == 6 || level_ >= 9)
    print_("round_trippers.go:553",
           fmt::format("{} {} {} in {} milliseconds", x.method, x.url, Status(x), x.milliseconds));
  if (level_ >= 9) {
    const char* const got =
        kept ? "GetConnection 0 ms" : "DNSLookup 0 ms Dial 0 ms TLSHandshake 0 ms";
    print_("round_trippers.go:570",
           fmt::format("HTTP Statistics: {} ServerProcessing {} ms Duration {} ms", got,
                       x.milliseconds, x.milliseconds));
  }
  if (level_ == 7 || level_ == 8)
    print_("round_trippers.go:574",
           fmt::format("Response Status: {} in {} milliseconds", Status(x), x.milliseconds));
  if (level_ < 8) return;
  print_("round_trippers.go:577", "Response Headers:");
  for (const auto& [name, value] : x.response)
    print_("round_trippers.go:580", fmt::format("    {}: {}", name, value));
}

// --- 1.36 ---

void ClientGoLines::StructuredRequest(const HttpExchange& x) const {
  if (level_ == 7 || level_ == 8)
    print_("round_trippers.go:527",
           fmt::format("\"Request\" verb={} url={} headers={}", Quoted(x.method), Quoted(x.url),
                       HeaderLines(x.request)));
  if (level_ >= 9)
    print_("round_trippers.go:527", fmt::format("\"Request\" curlCommand={}", Lines(CurlLine(x))));
}

void ClientGoLines::StructuredResponse(const HttpExchange& x, bool kept) const {
  std::string text = "\"Response\"";
  if (level_ == 6 || level_ >= 9)
    text += fmt::format(" verb={} url={}", Quoted(x.method), Quoted(x.url));
  text += fmt::format(" status={}", Quoted(Status(x)));
  if (level_ >= 8) text += fmt::format(" headers={}", HeaderLines(x.response));
  text += fmt::format(" milliseconds={}", x.milliseconds);
  if (level_ >= 9) {
    text += kept ? " getConnectionMilliseconds=0"
                 : " dnsLookupMilliseconds=0 dialMilliseconds=0 tlsHandshakeMilliseconds=0";
    text += fmt::format(" serverProcessingMilliseconds={}", x.milliseconds);
  }
  print_("round_trippers.go:632", text);
}

}  // namespace ksim::kubectl
