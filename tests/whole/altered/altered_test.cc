// A replay notices every alteration of a trace (exit code 4, 2 or 6, with the reason), and nothing
// crashes.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <charconv>

#include "ksim/base/os.h"
#include "tests/cli/run_cli.h"
#include "tests/whole/altered/alterations.h"
#include "tests/whole/altered/drawn_trace.h"

namespace ksim::altered {
namespace {

// The number of drawn traces: KSIM_ALTERED_TRACES, or 20.
std::uint64_t HowMany() {
  const std::string text = os::Environment("KSIM_ALTERED_TRACES").value_or("20");
  std::uint64_t n = 20;
  std::from_chars(text.data(), text.data() + text.size(), n);
  return n;
}

// The step between altered places: 1 in a campaign, else 7.
std::size_t Stride() { return os::Environment("KSIM_ALTERED_TRACES").has_value() ? 1 : 7; }

cli::CliResult Replay(const std::string& file) {
  // CTest runs several of these programs at a time, so the file name has the process id.
  const std::string path = fmt::format("{}altered-{}.trace", testing::TempDir(), ::getpid());
  EXPECT_TRUE(os::WriteFile(path, file).ok());
  cli::CliResult result = cli::RunCli({"replay", path});
  ::unlink(path.c_str());
  return result;
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
    std::string what;
    const std::string altered = AlterEvent(drawn.trace, drawn.binary, dice, &what);
    events.Noticed(Replay(altered), what);
    const std::size_t byte = dice.Throw(file.size());
    bits.Noticed(Replay(FlipBit(file, byte, dice)), fmt::format("byte {} flipped", byte));
    const std::size_t size = dice.Throw(file.size());
    cuts.Noticed(Replay(file.substr(0, size)), fmt::format("cut after {} bytes", size));
  }
  fmt::print("{} traces; events altered: {}; bits flipped: {}; cut: {}\n", HowMany(), events.Text(),
             bits.Text(), cuts.Text());
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
