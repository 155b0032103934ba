// The log of one process (--log) beside that of a real kubectl (recorded/record.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "ksim/base/os.h"
#include "tests/cli/run_cli.h"

namespace ksim::cli {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::Not;

std::string Replaced(const std::string& text, const char* pattern, const char* by) {
  return std::regex_replace(text, std::regex(pattern), by);
}

// The -H of a curl line by name: Go walks a map.
std::string WithSortedHeaders(const std::string& line) {
  static const std::regex kHeader(" -H \"([^\"]*)\"");
  std::vector<std::string> headers;
  for (std::sregex_iterator it(line.begin(), line.end(), kHeader), end; it != end; ++it)
    headers.push_back(it->str(1));
  std::sort(headers.begin(), headers.end());
  std::string out = std::regex_replace(line, kHeader, "");
  for (const std::string& header : headers) out += " | " + header;
  return out;
}

// A line without what a run has of its own: times, numbers of processes, hosts, hashes, ids, and
// the builder of the program. Bodies of documents and of discovery are ksim's own; of the object
// that is made managedFields are left out, which ksim keeps only of who asks for them.
std::string Common(std::string line) {
  for (const char* document :
       {"{\"paths\":", "{\\\"paths\\\":", "\"openapi\":", "\\\"openapi\\\":", "{\"components\":",
        "{\\\"components\\\":", "APIGroupDiscoveryList\","})
    if (const std::size_t at = line.find('{'); line.find(document) != line.npos && at != line.npos)
      line = line.substr(0, line.find_last_not_of("\"{", at) + 1) + "DOCUMENT";
  line = Replaced(line, "^I\\d{4} [0-9:.]+ +\\d+ ", "");
  line = Replaced(line, "(kubectl)[-.0-9]*/v[0-9.]+", "$1");
  line = Replaced(line, "https://[^/]+", "https://HOST");
  line = Replaced(line, "hash=[0-9A-F]+", "hash=H");
  line = Replaced(line, "file:  .*", "file:  F");
  line = Replaced(line, "(Lookup for|host=)( ?\"?)[-a-z0-9]+", "$1$2HOST");
  line = Replaced(line, "\\d+ (ms|milliseconds)", "N $1");
  line = Replaced(line, "[0-9.]{7,}(:\\d+)?", "ADDRESS");
  line = Replaced(line, "illiseconds=\\d+", "illiseconds=N");
  line = Replaced(line, ",\"managedFields\":\\[.*\\]\\},\"spec\":", "},\"spec\":");
  line = Replaced(line, "\"uid\":\"[^\"]*\"", "\"uid\":U");
  line = Replaced(line, "\"resourceVersion\":\"[^\"]*\"", "\"resourceVersion\":R");
  line = Replaced(line, "\"creationTimestamp\":\"[^\"]*\"", "\"creationTimestamp\":T");
  // A header is its name.
  line = Replaced(line, "^(round_trippers.go:580\\]     |\t)([A-Z][A-Za-z-]+): .*", "$1$2");
  return WithSortedHeaders(line);
}

// Lines in an order that is Go's (headers, gates) are put in that of the alphabet.
std::vector<std::string> Comparable(const std::string& log) {
  std::vector<std::string> lines;
  for (const auto& line : absl::StrSplit(log, '\n', absl::SkipEmpty()))
    lines.push_back(Common(std::string(line)));
  const auto unordered = [](const std::string& line) {
    return line.starts_with("round_trippers.go:580") || line.starts_with("envvar.go") ||
           (line.starts_with("\t") && line.find_first_of(" {") == line.npos);
  };
  for (auto it = lines.begin(); it != lines.end();) {
    const auto end = std::find_if_not(it, lines.end(), unordered);
    std::sort(it, end);
    it = end == lines.end() ? end : end + 1;
  }
  return lines;
}

// The lines of the first command's process.
std::string LogOf(const std::string& text) {
  std::string out;
  bool in_log = false;
  for (const auto& piece : absl::StrSplit(text, '\n')) {
    const std::string line(piece);
    const bool head = line.starts_with("I0101 ");
    in_log = head ? line.find("    1001 ") != line.npos
                  : in_log && (line.starts_with("\t") || line.starts_with(" >"));
    if (in_log) out += line + "\n";
  }
  return out;
}

class ProcessLogTest : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Compat, ProcessLogTest, testing::Values("1.30", "1.36"));

TEST_P(ProcessLogTest, IsThatOfARealKubectl) {
  const std::string version = GetParam();
  const auto recorded = os::ReadFile("tests/cli/story/recorded/kubectl-create-" + version + ".log");
  ASSERT_TRUE(recorded.ok());
  const CliResult r = RunCli({"run", "tests/cli/story/recorded/create.yaml", "--compat", version,
                              "--log", "kubectl", "-v", "10"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(Comparable(LogOf(r.out)), ElementsAreArray(Comparable(*recorded)));
}

TEST(ProcessLog, AnotherProcessLogsItsRequestsAlone) {
  const CliResult r =
      RunCli({"run", "scenarios/replicaset.yaml", "-q", "--log", "kube-scheduler", "-v", "6"});
  EXPECT_EQ(r.code, 0);
  EXPECT_THAT(r.err, HasSubstr("1 round_trippers.go:553] POST https://kube-apiserver-0:6443/api/v1/"
                               "namespaces/default/pods/"));
  EXPECT_THAT(r.err, Not(HasSubstr("replicasets?fieldManager")));
}

TEST(ProcessLog, ACommandThatIsRefusedTellsTheStatus) {
  const CliResult r =
      RunCli({"run", "tests/cli/story/recorded/create-twice.yaml", "--log", "kubectl", "-v", "10"});
  EXPECT_THAT(r.out, HasSubstr("helpers.go:246] server response object: %s[{\n"
                               "  \"kind\": \"Status\",\n  \"apiVersion\": \"v1\","));
  EXPECT_THAT(r.out,
              HasSubstr("\"message\": \"error when creating \\\"STDIN\\\": replicasets.apps"))
      << "with the words of the command";
  EXPECT_THAT(r.out, HasSubstr("/.kube/cache/discovery/kube-apiserver-0_6443/apps/v1/"));
}

TEST(ProcessLog, AProcessThatIsNotThereIsSaid) {
  const CliResult r = RunCli({"run", "scenarios/replicaset.yaml", "-q", "--log", "kubelet"});
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.err, "warning: no process kubelet asked an API server for anything\n");
  const CliResult little =
      RunCli({"run", "scenarios/replicaset.yaml", "-q", "--log", "kubectl", "-v", "2"});
  EXPECT_EQ(little.err, "warning: no process kubectl has informers that tell anything at -v 2\n");
}

TEST(ProcessLog, LevelsTellLess) {
  const auto log = [](const char* level) {
    return RunCli({"run", "tests/cli/story/recorded/create.yaml", "-q", "--log", "kubectl", "-v",
                   level})
        .err;
  };
  EXPECT_THAT(log("6"), HasSubstr("201 Created in "));
  EXPECT_THAT(log("6"), Not(HasSubstr("Headers")));
  EXPECT_THAT(log("7"), HasSubstr("round_trippers.go:473]     Accept: application/json"));
  EXPECT_THAT(log("7"), Not(HasSubstr("Response Headers")));
  EXPECT_THAT(log("8"), HasSubstr("[truncated "));
  EXPECT_THAT(log("8"), Not(HasSubstr("curl")));
}

}  // namespace
}  // namespace ksim::cli
