#include "ksim/guest/build/stand_ins.h"

#include <algorithm>
#include <optional>
#include <utility>

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

namespace {

// A package's file with edits; nullopt if it is not as it is known.
absl::StatusOr<std::optional<StandIn>> Edited(const GoPackage& package, std::string_view file,
                                              std::vector<Edit> edits) {
  const absl::StatusOr<std::string> text =
      os::ReadFile(package.directory + "/" + std::string(file));
  if (!text.ok()) return text.status();
  const absl::StatusOr<std::string> edited =
      ApplyEdits(FileEdits{std::string(file), std::move(edits)}, *text);
  if (!edited.ok()) return std::nullopt;
  return StandIn{package.module, package.path, std::string(file), *edited};
}

}  // namespace

absl::StatusOr<std::vector<StandIn>> PlainInCluster(const GoPackages& packages) {
  const GoPackage* package = packages.Find(kRestPackage);
  if (package == nullptr) return std::vector<StandIn>();
  absl::StatusOr<std::optional<StandIn>> config =
      Edited(*package, "config.go",
             {{0, "\"https://\" + net.JoinHostPort(host, port),",
               "simScheme() + net.JoinHostPort(host, port),"}});
  if (!config.ok()) return config.status();
  if (!config->has_value()) return std::vector<StandIn>();
  return std::vector<StandIn>{
      **std::move(config),
      {package->module, package->path, std::string(kFile), std::string(kRestGo)}};
}

absl::StatusOr<std::vector<StandIn>> SilentFileWatches(const GoPackages& packages) {
  constexpr std::string_view kOther = "backend_other.go";
  constexpr std::string_view kRefusal =
      "return nil, errors.New(\"fsnotify not supported on the current platform\")";
  const GoPackage* package = packages.Find("github.com/fsnotify/fsnotify");
  if (package == nullptr ||
      std::find(package->files.begin(), package->files.end(), kOther) == package->files.end())
    return std::vector<StandIn>();
  // From 1.8 on, and before. errors.Join() is no error.
  for (const auto& [head, watcher] :
       {std::pair("func newBackend(ev chan Event, errs chan error) (backend, error) {\n\t",
                  "&other{Events: ev, Errors: errs}"),
        std::pair("func NewWatcher() (*Watcher, error) {\n\t",
                  "&Watcher{Events: make(chan Event), Errors: make(chan error)}")}) {
    absl::StatusOr<std::optional<StandIn>> file =
        Edited(*package, kOther,
               {{0, head + std::string(kRefusal),
                 head + std::string("return ") + watcher + ", errors.Join()"}});
    if (!file.ok()) return file.status();
    if (file->has_value()) return std::vector<StandIn>{**std::move(file)};
  }
  return std::vector<StandIn>();
}

}  // namespace ksim::guest
