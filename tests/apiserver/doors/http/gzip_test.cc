#include "ksim/apiserver/doors/http/gzip.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

namespace ksim::apiserver::http {
namespace {

constexpr std::size_t kThreshold = std::size_t{128} << 10;

std::string Gunzip(std::string_view bytes) {
  constexpr int kGzipWindow = 15 + 16;
  z_stream stream = {};
  EXPECT_EQ(inflateInit2(&stream, kGzipWindow), Z_OK);
  std::string out(std::size_t{1} << 20, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

HttpResponse WithBody(std::size_t size) {
  HttpResponse response;
  response.headers.Add("Content-Type", "application/json");
  for (std::size_t i = 0; i < size; ++i) response.body += static_cast<char>('a' + i * i % 23);
  return response;
}

// API-182
TEST(Gzip, IsAWordOfAcceptEncoding) {
  for (const char* header : {"gzip", "deflate, gzip", " gzip ,br", "gzip;q=0, gzip"})
    EXPECT_TRUE(AcceptsGzip(header)) << header;
  for (const char* header : {"", "identity", "*", "GZIP", "gzip;q=1", "x-gzip", "gzipped"})
    EXPECT_FALSE(AcceptsGzip(header)) << header;
}

// API-182
TEST(Gzip, IsForLongObjects) {
  HttpResponse short_enough = WithBody(kThreshold);
  CompressObject(&short_enough);
  EXPECT_EQ(short_enough.body, WithBody(kThreshold).body);
  EXPECT_FALSE(short_enough.headers.Has("Content-Encoding"));
  EXPECT_FALSE(short_enough.headers.Has("Vary"));
  HttpResponse longer = WithBody(kThreshold + 1);
  CompressObject(&longer);
  EXPECT_EQ(longer.headers.Get("Content-Encoding"), "gzip");
  EXPECT_EQ(longer.headers.Get("Vary"), "Accept-Encoding");
  EXPECT_EQ(longer.headers.Get("Content-Type"), "application/json");
  EXPECT_LT(longer.body.size(), kThreshold / 2);
  EXPECT_EQ(Gunzip(longer.body), WithBody(kThreshold + 1).body);
}

// API-182
TEST(Gzip, OfTheDocumentMindsWeights) {
  struct Row {
    const char* header;
    std::size_t size;
    bool compressed;
  };
  for (const Row& row : {Row{"gzip", 1400, true}, Row{"gzip", 1399, false}, Row{"", 5000, false},
                         Row{"br;q=1.0, GZIP;q=0.5", 5000, true}, Row{"gzip;q=0", 5000, false},
                         Row{"gzip; q=0.000", 5000, false}, Row{"*", 5000, false}}) {
    HttpResponse response = WithBody(row.size);
    CompressDocument(row.header, &response);
    EXPECT_EQ(response.headers.Has("Content-Encoding"), row.compressed) << row.header;
    EXPECT_EQ(response.headers.Get("Vary"), "Accept-Encoding");
    EXPECT_EQ(row.compressed ? Gunzip(response.body) : response.body, WithBody(row.size).body);
  }
}

}  // namespace
}  // namespace ksim::apiserver::http
