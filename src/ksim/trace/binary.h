// .ktrace: the compact binary form of a trace. The same records as the .jsonl, one for one; the
// bytes do not depend on any library's version.
//
//   magic "ksimtrc1"
//   'H' text          the header line
//   'R' record        one event: kind, then seq, t and cause as differences, actor, fields
//   'E' text          the last line
//   'C' hash          XXH3-64 of all bytes before, little-endian: whatever was altered shows
//
// Integers are varints (signed ones zigzag), strings an index into the table of strings seen so far
// or a new one. A reader that runs out of bytes has a cut trace.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ksim/base/hash_stream.h"
#include "ksim/trace/record.h"

namespace ksim::trace {

inline constexpr std::string_view kBinaryMagic = "ksimtrc1";

class BinaryWriter {
 public:
  BinaryWriter() : out_(kBinaryMagic) {}
  void Header(std::string_view line) { TextEntry('H', line); }
  void Event(const Record& record);
  void End(std::string_view line) { TextEntry('E', line); }
  std::string Take();    // what has been written since the last Take
  std::string Sealed();  // the same with the checksum of everything: the end
  std::size_t waiting() const { return out_.size(); }  // bytes that were not taken yet

 private:
  void TextEntry(char tag, std::string_view text);
  void Varint(std::uint64_t v);
  void Signed(std::int64_t v);
  void String(std::string_view s);
  void Write(const value::Value& v);

  std::string out_;
  Hash64Stream sum_;                                        // of what was taken
  std::unordered_map<std::string, std::uint64_t> strings_;  // lookup only
  std::uint64_t seq_ = 0;
  std::int64_t t_ = 0;
};

class BinaryReader {
 public:
  // `bytes` must outlive the reader and begin with the magic.
  explicit BinaryReader(std::string_view bytes)
      : whole_(bytes), in_(bytes.substr(kBinaryMagic.size())) {}
  enum class Item { kHeader, kEvent, kEnd, kChecksum, kNothing, kCut, kCorrupt, kAltered };
  Item Next();
  const std::string& line() const { return line_; }  // of kHeader and kEnd
  Record TakeRecord() { return std::move(record_); }

 private:
  std::uint64_t Varint();
  std::int64_t Signed();
  std::uint64_t Fixed();  // 8 bytes
  std::string_view String();
  value::Value Read(int depth);
  void ReadRecord();
  void ReadText();
  Item ReadChecksum();

  std::string_view whole_, in_;  // in_ is what is left of it
  std::vector<std::string> strings_;
  std::uint64_t seq_ = 0;
  std::int64_t t_ = 0;
  bool cut_ = false;
  bool corrupt_ = false;
  std::string line_;
  Record record_;
};

}  // namespace ksim::trace
