// Whoever alters a trace is found out: `replay` notices every alteration (exit code 4, 2 or 6, with
// the reason) and `diff` every edit of a field (1); `check` sees it by itself (1 or 2), unless the
// table of docs/traces.md says why it cannot. Nothing crashes.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "ksim/base/os.h"
#include "ksim/trace/schema.h"
#include "tests/cli/run_cli.h"
#include "tests/whole/altered/alterations.h"
#include "tests/whole/altered/drawn_trace.h"
#include "tests/whole/altered/excuses.h"

namespace ksim::altered {
namespace {

std::uint64_t Number(const char* variable, std::uint64_t otherwise) {
  const std::string text = os::Environment(variable).value_or("");
  std::from_chars(text.data(), text.data() + text.size(), otherwise);
  return otherwise;
}

// KSIM_ALTERED_TRACES and KSIM_ALTERED_EDITS: the drawn traces, and the edits of each.
std::uint64_t HowMany() { return Number("KSIM_ALTERED_TRACES", 20); }
std::uint64_t EditsOfEach() { return Number("KSIM_ALTERED_EDITS", 5); }

// The step between altered places: 1 in a campaign, else 7.
std::size_t Stride() { return os::Environment("KSIM_ALTERED_TRACES").has_value() ? 1 : 7; }

// A file for the length of a test. CTest runs several of these programs at a time, so its name has
// the process id.
class TraceFile {
 public:
  explicit TraceFile(const std::string& bytes, const char* name = "altered")
      : path_(fmt::format("{}{}-{}.trace", testing::TempDir(), name, ::getpid())) {
    EXPECT_TRUE(os::WriteFile(path_, bytes).ok());
  }
  ~TraceFile() { ::unlink(path_.c_str()); }
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

cli::CliResult Replay(const std::string& file) {
  return cli::RunCli({"replay", TraceFile(file).path()});
}

// The numbers of replays by exit code.
struct Counts {
  std::uint64_t diverged = 0, invalid = 0, undecided = 0;
  void Noticed(const cli::CliResult& r, const std::string& what) {
    EXPECT_TRUE(r.code == 4 || r.code == 2 || r.code == 6) << r.code << " " << what << "\n"
                                                           << r.out;
    EXPECT_FALSE(r.err.empty()) << what;
    diverged += r.code == 4 ? 1 : 0;
    invalid += r.code == 2 ? 1 : 0;
    undecided += r.code == 6 ? 1 : 0;
  }
  std::string Text() const {
    return fmt::format("{} diverged, {} invalid, {} undecided", diverged, invalid, undecided);
  }
};

TEST(Altered, EveryAlterationIsNoticed) {
  Counts events, bits, cuts;
  for (std::uint64_t i = 1; i <= HowMany(); ++i) {
    Dice dice(i);
    const DrawnTrace drawn = DrawTrace(dice);
    SCOPED_TRACE(fmt::format("{}: {}", i, drawn.about));
    const std::string file = trace::FormatTrace(drawn.trace, drawn.binary);
    const cli::CliResult as_it_is = Replay(file);
    ASSERT_EQ(as_it_is.code, 0) << as_it_is.err;
    const Edit edit = EditOneEvent(drawn.trace, drawn.binary, dice);
    events.Noticed(Replay(edit.file), edit.text);
    const std::size_t byte = dice.Throw(file.size());
    bits.Noticed(Replay(FlipBit(file, byte, dice)), fmt::format("byte {} flipped", byte));
    const std::size_t size = dice.Throw(file.size());
    cuts.Noticed(Replay(file.substr(0, size)), fmt::format("cut after {} bytes", size));
  }
  fmt::print("{} traces; events altered: {}; bits flipped: {}; cut: {}\n", HowMany(), events.Text(),
             bits.Text(), cuts.Text());
}

// The edits of fields, and what became of them.
class Edits {
 public:
  void Try(const DrawnTrace& drawn, Dice& dice) {
    const TraceFile before(trace::FormatTrace(drawn.trace, drawn.binary), "before");
    const cli::CliResult as_it_is = cli::RunCli({"check", before.path(), "-q"});
    EXPECT_EQ(as_it_is.out.find("trace.consistent"), std::string::npos) << as_it_is.out;
    for (std::uint64_t n = 0; n < EditsOfEach(); ++n) {
      const Edit edit = EditOneField(drawn.trace, drawn.binary, dice);
      SCOPED_TRACE(edit.text);
      const TraceFile after(edit.file);
      if (IsRefused(before, after)) continue;
      EXPECT_EQ(cli::RunCli({"diff", before.path(), after.path()}).code, 1);
      TryReplay(edit, after);
      TryCheck(drawn, edit, after, as_it_is);
    }
  }

  void Print() const {
    fmt::print(
        "{} edits: check saw {}, the table of docs/traces.md excuses {}; {} more are no trace\n",
        drawn_, seen_, drawn_ - seen_, refused_);
    for (const std::string& text : excused_) fmt::print("excused: {}\n", text);
  }

 private:
  // A text that no field of its kind can have is told by every reader.
  bool IsRefused(const TraceFile& before, const TraceFile& after) {
    const cli::CliResult check = cli::RunCli({"check", after.path(), "-q"});
    if (check.err.find(": error: no trace of ksim: ") == std::string::npos) return false;
    EXPECT_EQ(check.code, 2);
    EXPECT_EQ(cli::RunCli({"diff", before.path(), after.path()}).code, 2);
    EXPECT_EQ(cli::RunCli({"replay", after.path()}).code, 2);
    ++refused_;
    return true;
  }

  // A first line that names another program or no scenario is refused before anything runs.
  static void TryReplay(const Edit& edit, const TraceFile& after) {
    const cli::CliResult replay = cli::RunCli({"replay", after.path()});
    const bool refused = replay.code == 2 && edit.name.starts_with("header.");
    EXPECT_TRUE(replay.code == 4 || refused) << replay.code << "\n" << replay.out << replay.err;
  }

  // `check` must say something that it did not say before; a run may have failed anyhow.
  void TryCheck(const DrawnTrace& drawn, const Edit& edit, const TraceFile& after,
                const cli::CliResult& as_it_is) {
    ++drawn_;
    const cli::CliResult check = cli::RunCli({"check", after.path(), "-q"});
    if (check.code == 2 || (check.code == 1 && check.out != as_it_is.out)) {
      ++seen_;
      return;
    }
    EXPECT_TRUE(excuses_.contains(edit.name)) << "check did not see it, and no row of the table in "
                                                 "docs/traces.md says why: "
                                              << check.code << "\n"
                                              << check.out;
    excused_.push_back(fmt::format("{}: {}", drawn.about, edit.text));
  }

  std::map<std::string, std::string> excuses_ = Excuses();
  std::uint64_t drawn_ = 0, seen_ = 0, refused_ = 0;
  std::vector<std::string> excused_;
};

TEST(Altered, AnEditOfOneFieldIsNoticed) {
  Edits edits;
  for (std::uint64_t i = 1; i <= HowMany(); ++i) {
    Dice dice(1'000'000 + i);
    const DrawnTrace drawn = DrawTrace(dice);
    SCOPED_TRACE(fmt::format("{}: {}", i, drawn.about));
    edits.Try(drawn, dice);
  }
  edits.Print();
}

TEST(Altered, TheTableOfExcusesNamesFieldsThatThereAre) {
  const std::map<std::string, std::string> excuses = Excuses();
  EXPECT_FALSE(excuses.empty());
  for (const auto& [name, why] : excuses) {
    const std::size_t dot = name.find('.');
    const std::string kind = name.substr(0, dot), field = name.substr(dot + 1);
    EXPECT_GT(why.size(), 20U) << name;
    if (kind == "end" || kind == "header") continue;
    const auto known = trace::ParseKind(kind);
    ASSERT_TRUE(known.has_value()) << name;
    const auto& fields = trace::FieldsOf(*known);
    const bool common = field == "t" || field == "cause" || field == "actor";
    EXPECT_TRUE(common || std::find(fields.begin(), fields.end(), field) != fields.end()) << name;
  }
}

// These cannot be anything else in a trace.
TEST(Altered, AReaderRefusesWhatNoTraceHas) {
  const std::string file = trace::FormatTrace(SmallTrace(), false);
  const TraceFile before(file, "before");
  const std::pair<const char*, const char*> edits[] = {
      {"\"seq\":2,", "\"seq\":3,"}, {"{\"end\":{\"events\":", "{\"end\":{\"events\":1"}};
  for (const auto& [old, now] : edits) {
    std::string edited = file;
    ASSERT_NE(edited.find(old), std::string::npos);
    edited.replace(edited.find(old), std::string(old).size(), now);
    const TraceFile after(edited);
    EXPECT_EQ(cli::RunCli({"check", after.path()}).code, 2) << now;
    EXPECT_EQ(cli::RunCli({"diff", before.path(), after.path()}).code, 2) << now;
    EXPECT_EQ(cli::RunCli({"replay", after.path()}).code, 2) << now;
  }
}

// The first line also holds fields without any effect on the run (a name, a limit); a replay
// notices their changes too.
TEST(Altered, EveryByteOfTheFirstAndTheLastLineCounts) {
  Counts counts;
  Dice dice(1);
  const std::string file = trace::FormatTrace(SmallTrace(), false);
  ASSERT_EQ(Replay(file).code, 0);
  const std::size_t first_line = file.find('\n');
  const std::size_t last_line = file.rfind('\n', file.size() - 2) + 1;
  for (std::size_t byte = 0; byte < file.size(); byte += Stride()) {
    if (byte > first_line && byte < last_line) continue;
    counts.Noticed(Replay(FlipBit(file, byte, dice)), fmt::format("byte {} flipped", byte));
  }
}

TEST(Altered, EveryCutOfTheLastLineIsNoticed) {
  for (const bool binary : {false, true}) {
    Counts counts;
    const std::string file = trace::FormatTrace(SmallTrace(), binary);
    ASSERT_EQ(Replay(file).code, 0);
    for (std::size_t size = file.size() - 1; size > file.size() - 700; size -= Stride())
      counts.Noticed(Replay(file.substr(0, size)), fmt::format("cut after {} bytes", size));
  }
}

// A tool that only formats the same values differently has altered nothing.
TEST(Altered, BlanksAndTheOrderOfFieldsMeanNothing) {
  std::string file = trace::FormatTrace(SmallTrace(), false);
  const std::size_t seq = file.find("{\"seq\":1,\"t\":0,");
  ASSERT_NE(seq, std::string::npos);
  file.replace(seq, 15, "{ \"t\": 0, \"seq\":\t1,");
  const cli::CliResult r = Replay(file);
  EXPECT_EQ(r.code, 0) << r.err;
}

}  // namespace
}  // namespace ksim::altered
