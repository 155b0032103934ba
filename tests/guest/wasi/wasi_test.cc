#include "ksim/guest/wasi/wasi.h"

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "ksim/guest/wasi/errno.h"

namespace ksim::guest {
namespace {

// A program that is a function of the test's: it calls its host by name.
class Program final : public Instance {
 public:
  Program() : memory_(Memory::Reserve(4 * Memory::kPage)) {
    for (const char* name :
         {"args_sizes_get", "args_get", "clock_time_get", "random_get", "proc_exit", "path_open",
          "fd_write", "fd_read", "fd_close", "poll_oneoff", "fd_seek", "path_rename"})
      Take("wasi_snapshot_preview1", name);
    for (const char* name : {"idle", "reseed", "signal"}) Take("ksim", name);
  }
  void Take(const char* module, const char* name) {
    Import import;
    import.module = module;
    import.name = name;
    index_[name] = imports.size();
    imports.push_back(std::move(import));
  }

  Memory& memory() override { return *memory_; }
  absl::Status PutBack(const std::shared_ptr<const Image>& image) override {
    return memory_->PutBack(image);
  }
  RunEnd Run(Host& host, std::uint64_t) override {
    host_ = &host;
    stopped_ = false;
    code();
    return stopped_ ? RunEnd::kStopped : RunEnd::kReturned;
  }
  const std::string& trap() const override { return trap_; }

  std::uint32_t Call(const char* name, std::initializer_list<std::uint64_t> arguments) {
    std::uint64_t words[16] = {};
    std::copy(arguments.begin(), arguments.end(), words);
    if (!host_->Call(index_.at(name), words)) stopped_ = true;
    return static_cast<std::uint32_t>(words[0]);
  }
  template <class T = std::uint32_t>
  T At(std::uint32_t at) {
    T value{};
    EXPECT_TRUE(memory_->Read(at, &value));
    return value;
  }
  // A path, and the descriptor that comes of it at 4000.
  std::uint32_t Open(const std::string& path, std::uint64_t flags = 0, std::uint64_t rights = 0) {
    memory_->WriteText(3000, path);
    return Call("path_open", {3, 0, 3000, path.size(), flags, rights, 0, 0, 4000});
  }
  std::uint32_t Write(std::uint32_t descriptor, const std::string& text) {
    memory_->WriteText(5000, text);
    memory_->Write(2000, std::uint32_t{5000});
    memory_->Write(2004, static_cast<std::uint32_t>(text.size()));
    return Call("fd_write", {descriptor, 2000, 1, 2008});
  }
  std::uint32_t Read(std::uint32_t descriptor, std::uint32_t room, std::string* text) {
    memory_->Write(2000, std::uint32_t{6000});
    memory_->Write(2004, room);
    const std::uint32_t error = Call("fd_read", {descriptor, 2000, 1, 2008});
    std::string_view read;
    if (error == kSuccess && memory_->ReadText(6000, At(2008), &read)) *text = read;
    return error;
  }

  std::function<void()> code;
  std::vector<Import> imports;

 private:
  std::unique_ptr<Memory> memory_;
  std::map<std::string, std::size_t> index_;
  Host* host_ = nullptr;
  bool stopped_ = false;
  std::string trap_;
};

constexpr std::uint64_t kSteps = 1000;

TEST(Wasi, TellsWhatIsNoGuest) {
  Program program;
  EXPECT_TRUE(Wasi::Check(program.imports).ok());
  std::vector<Import> foreign = program.imports;
  foreign[0].module = "env";
  EXPECT_FALSE(Wasi::Check(foreign).ok());
  std::vector<Import> plain(program.imports.begin(), program.imports.end() - 3);
  EXPECT_NE(Wasi::Check(plain).ToString().find("ksim guest build"), std::string::npos);
}

TEST(Wasi, ClocksShowWhatTheyAreSetTo) {
  Program program;
  Launch launch;
  launch.wall_ns = 5;
  Wasi wasi(program.imports, launch);
  program.code = [&] {
    program.Call("clock_time_get", {0, 0, 100});
    program.Call("clock_time_get", {1, 0, 108});
  };
  wasi.Run(program, kSteps);
  EXPECT_EQ(program.At<std::int64_t>(100), 5);
  EXPECT_EQ(program.At<std::int64_t>(108), Wasi::kSteadyStart);
  wasi.SetTime(3, Wasi::kSteadyStart + 9);
  wasi.SetTime(3, Wasi::kSteadyStart + 2);
  wasi.Run(program, kSteps);
  EXPECT_EQ(program.At<std::int64_t>(100), 3) << "a wall clock that is turned may go back";
  EXPECT_EQ(program.At<std::int64_t>(108), Wasi::kSteadyStart + 9) << "a steady one does not";
}

// Events are named by the time: two of one moment need two names.
TEST(Wasi, TheWallClockGivesNoNanosecondTwice) {
  Program program;
  Launch launch;
  launch.wall_ns = 100;
  Wasi wasi(program.imports, launch);
  std::vector<std::int64_t> read;
  program.code = [&] {
    for (int i = 0; i < 2; ++i) {
      program.Call("clock_time_get", {0, 0, 100});
      read.push_back(program.At<std::int64_t>(100));
    }
  };
  wasi.Run(program, kSteps);
  wasi.Run(program, kSteps);  // at the same moment
  wasi.SetTime(1000, Wasi::kSteadyStart + 900);
  wasi.Run(program, kSteps);
  EXPECT_EQ(read, (std::vector<std::int64_t>{100, 101, 102, 103, 1000, 1001}));
}

// The time that is left until one of the wall clock, added to the steady clock, is that time.
TEST(Wasi, TheSteadyClockIsAheadAsFarAsTheWallClock) {
  Program program;
  Launch launch;
  launch.wall_ns = 100;
  Wasi wasi(program.imports, launch);
  std::int64_t wake = 0;
  program.code = [&] {
    for (int i = 0; i < 4; ++i) program.Call("clock_time_get", {0, 0, 100});
    const std::int64_t left = 1000 - program.At<std::int64_t>(100);
    program.Call("clock_time_get", {1, 0, 108});
    wake = program.At<std::int64_t>(108) + left;
  };
  wasi.Run(program, kSteps);
  EXPECT_EQ(wake, Wasi::kSteadyStart + 900);
  wasi.SetTime(50, Wasi::kSteadyStart + 1);  // the wall clock is turned
  wasi.Run(program, kSteps);
  EXPECT_EQ(program.At<std::int64_t>(108), Wasi::kSteadyStart + 4) << "it goes on";
}

TEST(Wasi, AProgramThatWaitsForTheClockSeesItMove) {
  Program program;
  Wasi wasi(program.imports, Launch());
  int reads = 0;
  program.code = [&] {
    do {
      program.Call("clock_time_get", {1, 0, 100});
    } while (program.At<std::int64_t>(100) == Wasi::kSteadyStart && ++reads < 100000);
  };
  wasi.Run(program, kSteps);
  EXPECT_LT(reads, 100000);
}

TEST(Wasi, RandomNumbersAreThoseOfEveryStartUntilReseeded) {
  Program one, other;
  Wasi first(one.imports, Launch()), second(other.imports, Launch());
  one.code = [&] { one.Call("random_get", {100, 12}); };
  other.code = [&] { other.Call("random_get", {100, 12}); };
  first.Run(one, kSteps);
  second.Run(other, kSteps);
  EXPECT_EQ(one.At<std::uint64_t>(100), other.At<std::uint64_t>(100));
  EXPECT_NE(one.At<std::uint32_t>(108), 0u);
  second.Reseed(7, false);
  first.Run(one, kSteps);
  second.Run(other, kSteps);
  EXPECT_NE(one.At<std::uint64_t>(100), other.At<std::uint64_t>(100));
  EXPECT_NE(first.state().digest, second.state().digest);
}

TEST(Wasi, AReseedIsHandedOutOnce) {
  Program program;
  Wasi wasi(program.imports, Launch());
  std::uint32_t first = 0, again = 0;
  program.code = [&] {
    first = program.Call("reseed", {100});
    again = program.Call("reseed", {100});
  };
  wasi.Run(program, kSteps);
  EXPECT_EQ(first, 0u);
  wasi.Reseed(1, false);
  wasi.Run(program, kSteps);
  EXPECT_EQ(first, 1u);
  EXPECT_EQ(again, 0u);
  wasi.Reseed(2, true);
  wasi.Run(program, kSteps);
  EXPECT_EQ(first, 3u) << "with its goroutines in a drawn order";
  EXPECT_EQ(again, 0u);
  wasi.Reseed(3, false);
  wasi.Run(program, kSteps);
  EXPECT_EQ(first, 1u);
}

TEST(Wasi, EffectsWaitUntilTheRunIsOver) {
  Program program;
  Wasi wasi(program.imports, Launch());
  program.code = [&] {
    EXPECT_EQ(program.Write(1, "hello"), kSuccess);
    EXPECT_EQ(program.Open("/dev/sim/tcp/10.96.0.1:8080"), kSuccess);
    const auto stream = program.At(4000);
    EXPECT_EQ(program.Write(stream, "GET"), kSuccess);
    EXPECT_EQ(program.Call("fd_close", {stream}), kSuccess);
    program.Call("idle", {17});
  };
  EXPECT_EQ(wasi.Run(program, kSteps), RunEnd::kReturned);
  EXPECT_EQ(wasi.state().wake_ns, 17);
  const std::vector<Effect> effects = wasi.TakeEffects();
  ASSERT_EQ(effects.size(), 4u);
  EXPECT_EQ(effects[0].text, "hello");
  EXPECT_EQ(effects[1].kind, Effect::Kind::kConnect);
  EXPECT_EQ(effects[1].text, "10.96.0.1:8080");
  EXPECT_EQ(effects[2].text, "GET");
  EXPECT_EQ(effects[3].kind, Effect::Kind::kClose);
  EXPECT_TRUE(wasi.TakeEffects().empty());
}

TEST(Wasi, AStreamGivesWhatCameAndThenItsEnd) {
  Program program;
  Wasi wasi(program.imports, Launch());
  std::uint32_t stream = 0, error = 0;
  std::string text;
  program.code = [&] {
    program.Open("/dev/sim/tcp/1.2.3.4:5");
    stream = program.At(4000);
  };
  wasi.Run(program, kSteps);
  program.code = [&] { error = program.Read(stream, 3, &text); };
  wasi.Run(program, kSteps);
  EXPECT_EQ(error, kEagain);
  wasi.Receive(static_cast<std::int32_t>(stream), "abcd");
  wasi.Run(program, kSteps);
  EXPECT_EQ(text, "abc");
  wasi.EndOfStream(static_cast<std::int32_t>(stream), kEconnreset);
  wasi.Run(program, kSteps);
  EXPECT_EQ(text, "d") << "what came before the end is not lost";
  wasi.Run(program, kSteps);
  EXPECT_EQ(error, kEconnreset);
}

TEST(Wasi, PollNeverWaits) {
  Program program;
  Wasi wasi(program.imports, Launch());
  program.code = [&] {
    program.Open("/dev/sim/tcp/1.2.3.4:5");
    const auto stream = program.At(4000);
    // Two subscriptions: a second from now, and the stream to be readable.
    program.memory().Write(7008, std::uint8_t{0});
    program.memory().Write(7024, std::uint64_t{1'000'000'000});
    program.memory().Write(7056, std::uint8_t{1});
    program.memory().Write(7064, stream);
    EXPECT_EQ(program.Call("poll_oneoff", {7000, 8000, 2, 9000}), kSuccess);
    EXPECT_EQ(program.At(9000), 1u);
    EXPECT_EQ(program.At<std::uint8_t>(8010), 0u) << "the time is up, though it is not";
    wasi.Receive(static_cast<std::int32_t>(stream), "x");
    program.Call("poll_oneoff", {7000, 8000, 2, 9000});
    EXPECT_EQ(program.At(9000), 1u);
    EXPECT_EQ(program.At<std::uint8_t>(8010), 1u);
  };
  wasi.Run(program, kSteps);
}

TEST(Wasi, FilesAreReadWrittenAndMissing) {
  Program program;
  Launch launch;
  launch.files.Put("etc/hosts", std::make_shared<const std::string>("here"));
  Wasi wasi(program.imports, launch);
  program.code = [&] {
    std::string text;
    EXPECT_EQ(program.Open("/etc/hosts"), kSuccess);
    EXPECT_EQ(program.Write(program.At(4000), "x"), kEbadf) << "it is open for reading";
    EXPECT_EQ(program.Read(program.At(4000), 100, &text), kSuccess);
    EXPECT_EQ(text, "here");
    EXPECT_EQ(program.Open("/etc/none"), kEnoent);
    EXPECT_EQ(program.Open("/none/new", 1, 1 << 6), kEnoent) << "there is no such directory";
    EXPECT_EQ(program.Open("/etc/new", 1, 1 << 6), kSuccess);
    EXPECT_EQ(program.Write(program.At(4000), "written"), kSuccess);
    EXPECT_EQ(program.Open("/etc/new", 5), kEexist) << "O_EXCL";
  };
  wasi.Run(program, kSteps);
  EXPECT_EQ(*wasi.state().files.Find("etc/new"), "written");
}

TEST(Wasi, AnExitEndsTheRun) {
  Program program;
  Wasi wasi(program.imports, Launch());
  program.code = [&] { program.Call("proc_exit", {3}); };
  EXPECT_EQ(wasi.Run(program, kSteps), RunEnd::kStopped);
  EXPECT_EQ(wasi.state().exit_code, 3u);
}

TEST(Wasi, ACopyOfStateAndMemoryGoesOnAsTheOriginal) {
  Program program;
  Wasi wasi(program.imports, Launch());
  program.code = [&] { program.Call("random_get", {100, 8}); };
  wasi.Run(program, kSteps);
  const WasiState kept = wasi.state();
  wasi.Run(program, kSteps);
  const std::uint64_t digest = wasi.state().digest;
  const auto number = program.At<std::uint64_t>(100);
  wasi.Restore(kept);
  wasi.Run(program, kSteps);
  EXPECT_EQ(wasi.state().digest, digest);
  EXPECT_EQ(program.At<std::uint64_t>(100), number);
}

}  // namespace
}  // namespace ksim::guest
