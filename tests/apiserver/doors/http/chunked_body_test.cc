#include "ksim/apiserver/doors/http/chunked_body.h"

#include <gtest/gtest.h>

#include <string>

namespace ksim::apiserver::http {
namespace {

// The body that is read when its bytes come in pieces of this size, and the bytes left behind it.
std::string ReadChunks(std::string_view bytes, std::size_t piece, std::size_t most = 100) {
  ChunkedBody chunks;
  std::string body;
  while (!bytes.empty() && !chunks.done() && !chunks.bad() && body.size() <= most)
    bytes.remove_prefix(chunks.Take(bytes.substr(0, piece), most, &body));
  const std::string end = chunks.bad() ? "bad" : chunks.done() ? "done" : "open";
  return end + " " + body + "|" + std::string(bytes);
}

TEST(ChunkedBody, ReadsAnyPieces) {
  struct Row {
    std::string_view bytes, said;
  };
  for (const Row& row : {
           Row{"0\r\n\r\nnext", "done |next"},
           Row{"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", "done abcde|"},
           Row{"3;x=y\r\nabc\r\n0\r\nA: b\r\nC: d\r\n\r\nnext", "done abc|next"},
           Row{"3 \nabc\n0\n\n", "done abc|"},
           Row{"A\r\n0123456789\r\n0\r\n\r\n", "done 0123456789|"},
           Row{"3\r\nab", "open ab|"},
       }) {
    for (std::size_t piece = 1; piece <= row.bytes.size(); ++piece)
      EXPECT_EQ(ReadChunks(row.bytes, piece), row.said) << row.bytes;
  }
}

TEST(ChunkedBody, RefusesWhatIsNone) {
  const std::string long_line = "3;" + std::string(5000, 'x');
  for (const std::string_view bytes :
       {std::string_view("x\r\n"), std::string_view("\r\n"), std::string_view("-1\r\n"),
        std::string_view("3\r\nabcd\r\n"), std::string_view("11111111111111111\r\n"),
        std::string_view("3 3\r\n"), std::string_view(long_line)})
    EXPECT_TRUE(ReadChunks(bytes, bytes.size()).starts_with("bad")) << bytes.substr(0, 20);
}

// libFuzzer found this one: an assertion of Boost.Beast's parser.
TEST(ChunkedBody, SurvivesTextBehindTheLastChunk) {
  EXPECT_EQ(ReadChunks(std::string_view("0\r\nabc\r\0\0\0b\r\n\r\n", 15), 1), "done |");
}

TEST(ChunkedBody, StopsBehindTheMost) {
  EXPECT_EQ(ReadChunks("5\r\nabcde\r\n0\r\n\r\n", 100, 3), "open abcd|e\r\n0\r\n\r\n");
}

}  // namespace
}  // namespace ksim::apiserver::http
