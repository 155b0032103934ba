#include "ksim/apiserver/doors/http/gzip.h"

#include <zlib.h>

#include <cstddef>

#include "ksim/apiserver/doors/http/text.h"
#include "ksim/base/check.h"

namespace ksim::apiserver::http {
namespace {

constexpr std::size_t kObjectThreshold = std::size_t{128} << 10;
constexpr int kObjectLevel = 1;
constexpr std::size_t kDocumentThreshold = 1400;  // gziphandler DefaultMinSize
constexpr int kDocumentLevel = 6;                 // gzip.DefaultCompression

// A weight that parseCoding takes and that is not 0. It takes numbers from 0 to 1.
bool IsPositive(std::string_view weight) {
  weight = Trim(weight, " \t");
  if (!weight.starts_with("q=")) return true;
  return weight.substr(2).find_first_of("123456789") != weight.npos;
}

// gziphandler acceptsGzip
bool AcceptsGzipByWeight(std::string_view accept_encoding) {
  while (!accept_encoding.empty()) {
    std::string_view weight = Cut(accept_encoding, ',');
    const std::string_view coding = Trim(Cut(weight, ';'), " \t");
    if (EqualsIgnoreCase(coding, "gzip")) return IsPositive(weight);
  }
  return false;
}

void Compress(int level, HttpResponse* response) {
  response->headers.Set("Content-Encoding", "gzip");
  response->body = Gzip(response->body, level);
}

}  // namespace

bool AcceptsGzip(std::string_view accept_encoding) {
  while (!accept_encoding.empty())
    if (Trim(Cut(accept_encoding, ','), " \t\r\n") == "gzip") return true;
  return false;
}

void CompressObject(HttpResponse* response) {
  if (response->body.size() <= kObjectThreshold) return;
  Compress(kObjectLevel, response);
  response->headers.Add("Vary", "Accept-Encoding");
}

void CompressDocument(std::string_view accept_encoding, HttpResponse* response) {
  response->headers.Add("Vary", "Accept-Encoding");
  if (response->body.size() < kDocumentThreshold || !AcceptsGzipByWeight(accept_encoding)) return;
  Compress(kDocumentLevel, response);
}

std::string Gzip(std::string_view bytes, int level) {
  constexpr int kGzipWindow = 15 + 16;  // with gzip's head and tail
  constexpr int kMemory = 8;
  z_stream stream = {};
  KSIM_CHECK(deflateInit2(&stream, level, Z_DEFLATED, kGzipWindow, kMemory, Z_DEFAULT_STRATEGY) ==
             Z_OK);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  KSIM_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace ksim::apiserver::http
