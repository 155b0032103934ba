#include "ksim/guest/build/stand_ins.h"

#include "ksim/base/os.h"
#include "ksim/guest/build/edits.h"
#include "ksim/guest/build/sources.h"

namespace ksim::guest {
namespace {

constexpr std::string_view kFile = "zz_ksim_wasip1.go";

struct Known {
  std::string_view module, package;
  // The file of other systems for which the package has none on wasip1; once it has one, it ignores
  // this one no longer, or the build says that a name is declared twice.
  std::string_view instead_of;
  const std::string_view* contents;  // null: that file, for wasip1
};

constexpr Known kKnown[] = {
    {"golang.org/x/sys", "golang.org/x/sys/unix", "syscall_linux.go", &kUnixGo},
    {"k8s.io/kubernetes", "k8s.io/kubernetes/pkg/util/filesystem", "util_unix.go", nullptr},
    {"k8s.io/kubernetes", "k8s.io/kubernetes/pkg/securitycontext", "util_linux.go",
     &kSecurityContextGo},
    {"github.com/prometheus/prometheus", "github.com/prometheus/prometheus/tsdb/fileutil",
     "flock_js.go", nullptr}};

// A Go file with another condition.
std::string ForWasip1(std::string_view text) {
  std::string out;
  bool conditional = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    if (line.starts_with("// +build")) continue;
    if (line.starts_with("//go:build ")) {
      line = "//go:build wasip1\n";
      conditional = true;
    }
    out += line;
  }
  return conditional ? out : "//go:build wasip1\n\n" + out;
}

}  // namespace

absl::StatusOr<std::vector<StandIn>> NeededStandIns(const GoPackages& packages) {
  std::vector<StandIn> needed;
  for (const Known& known : kKnown) {
    const GoPackage* package = packages.Find(known.package);
    if (package == nullptr || package->module != known.module ||
        !package->Ignores(known.instead_of))
      continue;
    StandIn in{std::string(known.module), std::string(known.package), std::string(kFile), ""};
    if (known.contents != nullptr) {
      in.contents = *known.contents;
    } else {
      const absl::StatusOr<std::string> text =
          os::ReadFile(package->directory + "/" + std::string(known.instead_of));
      if (!text.ok()) return text.status();
      in.contents = ForWasip1(*text);
    }
    needed.push_back(std::move(in));
  }
  return needed;
}

absl::StatusOr<std::vector<StandIn>> PlainInCluster(const GoPackages& packages) {
  constexpr std::string_view kConfig = "config.go";
  const GoPackage* package = packages.Find(kRestPackage);
  if (package == nullptr) return std::vector<StandIn>();
  const absl::StatusOr<std::string> text =
      os::ReadFile(package->directory + "/" + std::string(kConfig));
  if (!text.ok()) return text.status();
  const FileEdits edits{std::string(kConfig),
                        {{0, "\"https://\" + net.JoinHostPort(host, port),",
                          "simScheme() + net.JoinHostPort(host, port),"}}};
  const absl::StatusOr<std::string> edited = ApplyEdits(edits, *text);
  if (!edited.ok()) return std::vector<StandIn>();
  return std::vector<StandIn>{
      {package->module, package->path, std::string(kConfig), *edited},
      {package->module, package->path, std::string(kFile), std::string(kRestGo)}};
}

}  // namespace ksim::guest
