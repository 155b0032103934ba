// ksim export and report.
#include "ksim/trace/export/export.h"

#include <gtest/gtest.h>

#include "ksim/base/os.h"
#include "ksim/base/time.h"
#include "ksim/value/json.h"
#include "tests/cli/run_cli.h"

namespace ksim::cli {
namespace {

class Pictures : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ASSERT_EQ(RunCli({"run", "scenarios/watch-drop.yaml", "-q", "--trace", Jsonl()}).code, 0);
    ASSERT_EQ(RunCli({"run", "scenarios/watch-drop.yaml", "-q", "--trace", Binary()}).code, 0);
    const std::string text = Read(Jsonl());
    ASSERT_TRUE(os::WriteFile(Cut(), text.substr(0, text.size() / 2)).ok());
  }
  static std::string Jsonl() { return testing::TempDir() + "pictures.jsonl"; }
  static std::string Binary() { return testing::TempDir() + "pictures.ktrace"; }
  static std::string Cut() { return testing::TempDir() + "pictures-cut.jsonl"; }
  static std::string Read(const std::string& path) {
    const absl::StatusOr<std::string> text = os::ReadFile(path);
    return text.ok() ? *text : "";
  }
};

TEST_F(Pictures, EveryFormatIsTheSameFromBothKindsOfTraceAndTwice) {
  const std::string file = testing::TempDir() + "exported";
  for (const std::string& format : trace::ExportFormats()) {
    const CliResult r = RunCli({"export", Jsonl(), "--format", format, "-q"});
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(r.err, "");
    EXPECT_EQ(RunCli({"export", Binary(), "--format", format, "-q", "-o", file}).code, 0);
    EXPECT_EQ(Read(file), r.out) << format;
  }
  EXPECT_EQ(RunCli({"export", Binary(), "-F", "jsonl", "-o", "-"}).out, Read(Jsonl()))
      << "a .ktrace becomes text";
  EXPECT_TRUE(value::ParseJson(RunCli({"export", Jsonl(), "-F", "perfetto"}).out).ok());
}

TEST_F(Pictures, ALostEventShowsInTheDiagram) {
  const CliResult r = RunCli({"export", Jsonl(), "-F", "mermaid", "--window", "1.42s..1.435s"});
  EXPECT_EQ(r.code, 0);
  EXPECT_NE(r.out.find("-x"), std::string::npos);
  EXPECT_NE(r.out.find("fault: dropWatch kube-controller-manager pods"), std::string::npos);
  EXPECT_NE(
      RunCli({"export", Jsonl(), "-F", "mermaid", "--window", "0s..", "--actors", "kube-scheduler"})
          .out.find("participant"),
      std::string::npos);
}

TEST_F(Pictures, WrongUsageIsTwoAndNothingIsFive) {
  struct Case {
    std::vector<std::string> args;
    int code;
    std::string err;
  };
  const Case cases[] = {
      {{"--format", "pdf"},
       2,
       "error: --format: unknown value \"pdf\"; want one of perfetto, mermaid, dot, jsonl, csv\n"
       "hint: `ksim export --help` shows what it takes\n"},
      {{}, 2, "error: --format is required\nhint: `ksim export --help` shows what it takes\n"},
      {{"-F", "csv", "--window", "1s"},
       2,
       "--window: error: \"1s\" is no window: want A..B, such as 1.5s..2s or seq:10..seq:90\n"},
      {{"-F", "csv", "--window", "2s..1s"},
       2,
       "--window: error: \"2s..1s\" is no window: it ends before it begins\n"},
      {{"-F", "csv", "--window", "9h.."},
       5,
       "error: nothing happens in 9h..; the trace ends at +7.000s, seq 802\n"},
      {{"-F", "csv", "--actors", "etcdd"},
       5,
       "error: no actor \"etcdd\" in the trace; did you mean \"etcd\"?\n"},
      {{"-F", "csv", "--window", "0s..1us", "--actors", "kubectl"},
       5,
       "error: these actors do nothing in the window\n"}};
  const std::string file = testing::TempDir() + "never-exported";
  for (const Case& c : cases) {
    std::vector<std::string> args = {"export", Jsonl(), "-o", file};
    args.insert(args.end(), c.args.begin(), c.args.end());
    const CliResult r = RunCli(args);
    EXPECT_EQ(r.code, c.code) << c.err;
    EXPECT_EQ(r.err, c.err);
    EXPECT_FALSE(os::Exists(file));
  }
  const CliResult nowhere =
      RunCli({"export", Jsonl(), "-F", "csv", "-o", "/no/such/directory/file"});
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_EQ(nowhere.err,
            "/no/such/directory/file: error: cannot write it: no such file or directory\n");
  EXPECT_EQ(RunCli({"export", Jsonl(), "-F", "csv", "-o", "/dev/full"}).code, 6);
}

TEST_F(Pictures, ACutTraceIsExportedUpToItsEnd) {
  const CliResult r = RunCli({"export", Cut(), "-F", "csv"});
  EXPECT_EQ(r.code, 6);
  EXPECT_NE(r.err.find("the last line (digest and result) is missing"), std::string::npos);
  EXPECT_NE(r.out.find("\r\n1,0,etcd,actor,"), std::string::npos);
}

TEST_F(Pictures, AReportIsOnePageAndSaysHowMuchIsInIt) {
  const std::string file = testing::TempDir() + "report.html";
  const CliResult r = RunCli({"report", Jsonl(), "-o", file});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(r.out.starts_with(file + ": 802 events, ")) << r.out;
  EXPECT_NE(Read(file).find("ksim replay " + Jsonl()), std::string::npos);
  EXPECT_EQ(RunCli({"report", Jsonl(), "-o", "-"}).out, Read(file));
  EXPECT_EQ(RunCli({"report", Jsonl(), "-q", "-o", file, "--max-events", "100"}).out, "");
  EXPECT_NE(Read(file).find("This page has 100 events."), std::string::npos);
  EXPECT_EQ(RunCli({"report", Jsonl(), "-o", file, "--window", "9h.."}).code, 5);
  EXPECT_EQ(RunCli({"report", Jsonl(), "-o", file, "--window", "now"}).code, 2);
  EXPECT_EQ(RunCli({"report", "no-such-trace", "-o", file}).code, 2);
  EXPECT_EQ(RunCli({"report", Cut(), "-q", "-o", file}).code, 6);
  EXPECT_NE(Read(file).find("cut short"), std::string::npos);
}

// The numbers are those that the run itself prints.
TEST_F(Pictures, DeliveriesAreThoseOfTheRun) {
  const std::string page = RunCli({"report", Jsonl(), "-o", "-"}).out;
  const CliResult run = RunCli({"run", "scenarios/watch-drop.yaml", "-o", "json"});
  const absl::StatusOr<value::Value> json = value::ParseJson(run.out);
  ASSERT_TRUE(json.ok());
  std::size_t informers = 0;
  for (const value::Value& d : json->Get("delivery").items()) {
    const auto time = [&d](const char* field) {
      return FormatDuration(Duration(d.Get(field).AsInt()));
    };
    if (d.Get("calls").AsInt() == 0) continue;
    ++informers;
    const std::string row = "<td>" + std::string(d.Get("informer").AsString()) + "</td><td>" +
                            std::to_string(d.Get("calls").AsInt()) + "</td><td>" + time("p50Ns") +
                            "</td><td>" + time("p99Ns") + "</td><td>" + time("maxNs") + " <a";
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
  EXPECT_GT(informers, 3u);
}

TEST_F(Pictures, MermaidSaysWhenItIsTooMuch) {
  const std::string path = testing::TempDir() + "pictures-long.jsonl";
  RunCli({"run", "scenarios/museum/b6-rs-expectations.workload.yaml", "-q", "--trace", path});
  const CliResult r = RunCli({"export", path, "-F", "mermaid"});
  EXPECT_EQ(r.code, 0);
  EXPECT_NE(r.err.find("warning: mermaid draws up to 50000 characters"), std::string::npos);
  EXPECT_EQ(RunCli({"export", path, "-F", "mermaid", "-q"}).err, "");
}

}  // namespace
}  // namespace ksim::cli
