// Each directed scenario of the museum fails with the bug and passes without it under the same
// seed, and the two runs are equal up to the first event in which the variant's code took part.
#include <algorithm>

#include "ksim/api/variants.h"
#include "ksim/base/os.h"
#include "ksim/scenario/runner.h"
#include "ksim/sim/probe.h"
#include "ksim/trace/diff.h"
#include "ksim/trace/render.h"
#include "tests/whole/museum/pieces.h"

namespace ksim::museum {
namespace {

std::uint64_t Reached(std::string_view probe) {
  for (const sim::ProbeCount& p : sim::Probes())
    if (p.name == probe) return p.count;
  return 0;
}

constexpr std::uint64_t kNever = ~std::uint64_t{0};

// One run, and the number of its events when the variant's code first took part.
struct Played {
  Played(const Piece& piece, const char* value)
      : probe(std::string("variant/") + piece.variant),
        runner(Load(piece, "", value), scenario::RunnerOptions()) {
    sim::ResetProbes();
    runner.world().sim().bus().Subscribe(sim::Bus::Stage::kWriter, [&](const sim::Event& e) {
      if (common == kNever && Reached(probe) > 0) common = e.seq - 1;
    });
    report = runner.Run();
    for (const sim::Event& e : runner.events())
      events.push_back(trace::Render(e, trace::RenderOptions()));
  }

  bool Violates(std::string_view oracle) const {
    return std::any_of(report.end.violations.begin(), report.end.violations.end(),
                       [oracle](const trace::Violation& v) { return v.oracle == oracle; });
  }
  std::string Problems() const {
    std::string out;
    for (const trace::Violation& v : report.end.violations)
      out += v.oracle + ": " + v.message + "\n";
    for (const scenario::StepFailure& f : report.failures) out += f.error + "\n";
    for (const scenario::FaultNote& n : report.faults_missing) out += n.fault + ": " + n.why + "\n";
    return out;
  }

  std::uint64_t common = kNever;
  std::string probe;
  scenario::Runner runner;  // emits to the end of its life
  scenario::RunReport report;
  std::vector<trace::Record> events;
};

class EachPiece : public ::testing::TestWithParam<Piece> {};
INSTANTIATE_TEST_SUITE_P(Museum, EachPiece, ::testing::ValuesIn(Pieces()), TestName);

TEST_P(EachPiece, FailsWithTheBugAndPassesWithoutAfterOneBeginning) {
  const Piece& piece = GetParam();
  const Played buggy(piece, piece.buggy), fixed(piece, "fixed");
  EXPECT_TRUE(buggy.Violates(piece.oracle)) << buggy.Problems();
  EXPECT_NE(buggy.report.exit_code, 0);
  EXPECT_EQ(fixed.report.exit_code, 0) << fixed.Problems();
  EXPECT_TRUE(buggy.report.faults_missing.empty()) << buggy.Problems();
  EXPECT_TRUE(fixed.report.faults_missing.empty()) << fixed.Problems();

  ASSERT_NE(buggy.common, kNever) << "the variant's code took no part";
  const std::optional<trace::Divergence> first = trace::FirstDivergence(buggy.events, fixed.events);
  ASSERT_TRUE(first);
  EXPECT_GE(first->index, std::min(buggy.common, fixed.common)) << first->left << "\n"
                                                                << first->right;
}

// The unchanged file shows the bug that its number names.
TEST_P(EachPiece, HasTheBugInItsFile) {
  const Piece& piece = GetParam();
  for (const char* kind : {"", ".workload"}) {
    const std::string path = std::string("scenarios/museum/") + piece.name + kind + ".yaml";
    const scenario::Loaded loaded = scenario::Load({path}, scenario::LoadOptions());
    ASSERT_EQ(loaded.scenarios.size(), 1u) << path;
    const auto& variants = loaded.scenarios[0].cluster.variants;
    ASSERT_FALSE(variants.empty()) << path;
    EXPECT_EQ(variants.back(), (std::pair<std::string, std::string>(piece.variant, piece.buggy)));
    const bool directed = std::string_view(kind) != ".workload";
    EXPECT_EQ(loaded.scenarios[0].faults.empty(), !directed || !piece.faults) << path;
  }
  EXPECT_EQ(api::FindVariant(piece.variant)->museum, piece.number);
}

TEST(Museum, EveryFileIsAPiece) {
  const absl::StatusOr<std::vector<std::string>> files =
      os::ListDirectory("scenarios/museum", ".yaml");
  ASSERT_TRUE(files.ok());
  EXPECT_EQ(files->size(), 2 * Pieces().size());
}

}  // namespace
}  // namespace ksim::museum
