#include "ksim/base/in_order.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <thread>
#include <vector>

#include "ksim/base/os.h"

namespace ksim::os {
namespace {

int Never() { return 0; }

// "0:text 1:(exit code 70) ..."
struct Taken {
  std::function<void(const Piece&)> Take() {
    return [this](const Piece& p) {
      text += (text.empty() ? "" : " ") + std::to_string(p.number) + ":" +
              (p.text ? *p.text : "(" + p.how + ")");
    };
  }
  std::string text;
};

TEST(InOrder, HandsOverInOrderWhoeverIsDoneFirst) {
  for (const int workers : {1, 2, 5}) {
    Taken taken;
    const auto work = [](std::size_t i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(i == 0 ? 50 : 0));
      return std::string(1, static_cast<char>('a' + i));
    };
    ASSERT_TRUE(InOrder(4, workers, work, taken.Take(), Never).ok());
    EXPECT_EQ(taken.text, "0:a 1:b 2:c 3:d") << workers;
  }
}

TEST(InOrder, TellsHowAWorkerEndedAndGoesOn) {
  Taken taken;
  const auto work = [](std::size_t i) -> std::string {
    if (i == 1) ::_exit(70);
    if (i == 2) ::raise(SIGKILL);
    return "fine";
  };
  ASSERT_TRUE(InOrder(4, 2, work, taken.Take(), Never).ok());
  EXPECT_EQ(taken.text, "0:fine 1:(exit code 70) 2:(signal 9 (Killed)) 3:fine");
}

TEST(InOrder, IsDoneWithNothingToDo) {
  Taken taken;
  ASSERT_TRUE(InOrder(0, 2, [](std::size_t) { return std::string(); }, taken.Take(), Never).ok());
  EXPECT_EQ(taken.text, "");
}

TEST(InOrder, StopsWhatIsUnderWay) {
  Taken taken;
  const auto work = [](std::size_t i) {
    if (i == 1) std::this_thread::sleep_for(std::chrono::hours(1));
    return std::string("fine");
  };
  const auto stop = [&taken] { return taken.text.empty() ? 0 : SIGTERM; };
  ASSERT_TRUE(InOrder(3, 1, work, taken.Take(), stop).ok());
  EXPECT_EQ(taken.text, "0:fine");
}

volatile std::sig_atomic_t heard = 0;

// The first worker gets the signal and ends, the second is done already, the third ignores the
// signal, and the fourth has not begun.
TEST(InOrder, HandsOverFinishedResultsWhenItStops) {
  Taken taken;
  const auto work = [](std::size_t i) {
    if (i == 0) ::signal(SIGINT, [](int signal) { heard = signal; });
    while (i != 1 && heard == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return "heard " + std::to_string(heard);
  };
  const Duration begin = MonotonicNow();
  const auto stop = [begin] { return MonotonicNow() - begin > Milliseconds(300) ? SIGINT : 0; };
  ASSERT_TRUE(InOrder(4, 2, work, taken.Take(), stop).ok());
  EXPECT_EQ(taken.text, "0:heard 2 1:heard 0");
}

TEST(InOrder, TellsOfACrashAlsoWhenItStops) {
  Taken taken;
  const auto work = [](std::size_t i) -> std::string {
    if (i == 1) ::_exit(70);
    std::this_thread::sleep_for(std::chrono::hours(1));
    return "never";
  };
  const Duration begin = MonotonicNow();
  const auto stop = [begin] { return MonotonicNow() - begin > Milliseconds(300) ? SIGINT : 0; };
  ASSERT_TRUE(InOrder(2, 2, work, taken.Take(), stop).ok());
  EXPECT_EQ(taken.text, "1:(exit code 70)");
}

// The answers are longer than a pipe holds.
TEST(InOrder, TakesLongAnswers) {
  Taken taken;
  const auto work = [](std::size_t i) { return std::string(1 << 20, static_cast<char>('0' + i)); };
  ASSERT_TRUE(InOrder(3, 2, work, taken.Take(), Never).ok());
  EXPECT_EQ(taken.text.size(), 3 * ((1 << 20) + 2) + 2u);
}

}  // namespace
}  // namespace ksim::os
