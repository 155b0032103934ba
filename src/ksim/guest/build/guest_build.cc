#include "ksim/guest/build/guest_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "ksim/base/check.h"
#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/base/version.h"
#include "ksim/guest/build/edits.h"
#include "ksim/guest/build/modules.h"
#include "ksim/guest/build/overlay.h"
#include "ksim/guest/build/packages.h"
#include "ksim/guest/build/problems.h"
#include "ksim/guest/build/sources.h"
#include "ksim/guest/build/stand_ins.h"
#include "ksim/guest/build/wasm_file.h"

namespace ksim::guest {
namespace {

struct Addition {
  std::string_view path;  // below GOROOT
  const std::string_view* contents;
};
constexpr Addition kAdditions[] = {{"src/runtime/zz_ksim_wasip1.go", &kRuntimeGo},
                                   {"src/net/zz_ksim_wasip1.go", &kNetGo},
                                   {"src/crypto/tls/zz_ksim_wasip1.go", &kTlsGo},
                                   {"src/syscall/zz_ksim_wasip1.go", &kSyscallGo}};

std::string EditsHash() {
  std::string all(kStdEdits);
  for (const std::string_view* text :
       {&kRuntimeGo, &kNetGo, &kTlsGo, &kSyscallGo, &kUnixGo, &kRestGo, &kSecurityContextGo})
    all += *text;
  return Sha256Hex(all);
}

// The name of a program, as Go names it: the last part of its path but for a major version. A
// kubebuilder project's `cmd` has the name of its module.
std::string NameOf(const GoPackage& program) {
  const auto last = [](std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    const bool is_version =
        name.size() > 1 && name[0] == 'v' &&
        std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!is_version || name.size() == path.size()) return std::string(name);
    path = path.substr(0, path.rfind('/'));
    return std::string(path.substr(path.rfind('/') + 1));
  };
  const std::string name = last(program.path);
  return name == "cmd" || name == "main" ? last(program.module) : name;
}

class Builder {
 public:
  Builder(const BuildRequest& request, const BuildHooks& hooks)
      : request_(request), hooks_(hooks) {}

  BuildResult Build() {
    const bool built = PrepareCache() && FindProgram() && EditGo() && ListAll() && Compile();
    if (built) Write();
    if (!out_.empty()) (void)os::RemoveFile(out_);
    return std::move(result_);
  }

 private:
  bool Fail(Diagnostic problem) {
    result_.problems.push_back(std::move(problem));
    return false;
  }
  // True if there are none.
  bool TakeProblems(std::vector<Diagnostic> problems) {
    for (Diagnostic& problem : problems) result_.problems.push_back(std::move(problem));
    return problems.empty();
  }
  // Fails as `status` says, if it is an error.
  bool Check(const absl::Status& status, std::string hint = "") {
    if (status.ok()) return true;
    if (absl::IsCancelled(status)) {
      result_.interrupted = true;
      return false;
    }
    return Fail(Problem(request_.what, std::string(Message(status)), std::move(hint)));
  }
  bool CheckGo(const absl::Status& status) {
    return Check(status, "install Go 1.26 (https://go.dev/dl) and put its bin in PATH");
  }

  bool from_proxy() const { return request_.what.find('@') != std::string::npos; }

  bool PrepareCache() {
    // A place of its own for each program, so that several may be built at once.
    place_ = fmt::format("{}/{}", request_.cache,
                         Sha256Hex(request_.what + "\n" + request_.output).substr(0, 16));
    if (!Check(os::MakeDirectories(place_ + "/overlay"))) return false;
    overlay_.emplace(place_ + "/overlay");
    return true;
  }

  bool FindGo(const std::string& directory) {
    absl::StatusOr<GoTool> go = GoTool::Find(directory, request_.cache, hooks_);
    if (!CheckGo(go.status())) return false;
    go_.emplace(*std::move(go));
    return true;
  }

  bool FindProgram() { return from_proxy() ? FindInProxy() : FindInDirectory(); }

  bool FindInDirectory() {
    if (!os::IsDirectory(request_.what))
      return Fail(
          Problem(request_.what, "there is no such directory",
                  "ksim guest build DIR, or PACKAGE@VERSION for one from the module proxy"));
    directory_ = request_.what;
    if (!FindGo(directory_)) return false;
    if (go_->go_mod().empty())
      return Fail(Problem(request_.what, "it is in no Go module",
                          "give the directory with go.mod, or one below it"));
    const std::string& modfile = request_.modfile;
    const std::string go_mod =
        modfile.empty() || modfile.starts_with('/') ? modfile : directory_ + "/" + modfile;
    if (go_mod != "" && !os::Exists(go_mod)) return Fail(Problem(go_mod, "there is no such file"));
    modules_.emplace(ModuleFiles::OfUser(&*go_, modfile, go_mod, place_));
    std::vector<std::string> flags = modules_->flags();
    for (const std::string& tags : Tags()) flags.push_back(tags);
    const absl::StatusOr<std::vector<std::string>> here = ListPrograms(*go_, flags, ".");
    if (here.ok() && here->size() == 1) {
      package_ = here->front();
      return true;
    }
    const absl::StatusOr<std::vector<std::string>> programs = ListPrograms(*go_, flags, "./...");
    if (!Check(programs.status())) return false;
    if (programs->empty()) return Fail(Problem(request_.what, "it has no program (package main)"));
    if (programs->size() > 1)
      return Fail(Problem(
          request_.what,
          fmt::format("it has {} programs: {}", programs->size(), fmt::join(*programs, ", ")),
          "give the directory of one of them"));
    package_ = programs->front();
    return true;
  }

  bool FindInProxy() {
    const std::size_t at = request_.what.find('@');
    const std::string version = request_.what.substr(at + 1);
    package_ = request_.what.substr(0, at);
    const std::string go_mod = place_ + "/go.mod";
    // Go wants a module to run in; the real one names, among others, the version of Go.
    if (!Check(os::WriteFile(go_mod, "module ksim.dev/guest\n")) || !FindGo(place_)) return false;
    hooks_.progress(fmt::format("fetching {}", request_.what));
    const absl::StatusOr<PackageModule> module = FindModule(*go_, package_, version);
    if (!Check(module.status())) return false;
    const absl::StatusOr<std::string> text = ProgramModule(*go_, *module);
    if (!Check(text.status(), "clone its repository and build the directory")) return false;
    if (!Check(os::WriteFile(go_mod, *text)) || !FindGo(place_)) return false;
    go_->Set("GOWORK=off");
    modules_.emplace(ModuleFiles::OfOurs(&*go_));
    if (module->path == "k8s.io/kubernetes") SetKubernetesVersion(module->version);
    return true;
  }

  // As upstream's build does (hack/lib/version.sh), so that the program says which version it is.
  void SetKubernetesVersion(std::string_view version) {
    constexpr std::string_view kPackage = "k8s.io/component-base/version";
    const std::string_view minor = version.substr(3, version.find('.', 3) - 3);
    ldflags_ += fmt::format(
        " -X {0}.gitVersion={1} -X {0}.gitMajor=1 -X {0}.gitMinor={2} -X {0}.gitTreeState=clean",
        kPackage, version, minor);
  }

  bool EditGo() {
    const absl::StatusOr<std::vector<FileEdits>> files = ReadEdits(kStdEdits);
    KSIM_CHECK(files.ok()) << Message(files.status());
    for (const FileEdits& file : *files) {
      const std::string path = go_->root() + "/" + file.path;
      const absl::StatusOr<std::string> text = os::ReadFile(path);
      if (!text.ok())
        return Fail(Problem(path, fmt::format("cannot read it: {}", Message(text.status()))));
      const absl::StatusOr<std::string> edited = ApplyEdits(file, *text);
      if (!edited.ok()) return Fail(DoesNotFit(edited.status()));
      if (!Check(overlay_->AddText(path, *edited))) return false;
    }
    for (const Addition& addition : kAdditions)
      if (!Check(overlay_->AddText(fmt::format("{}/{}", go_->root(), addition.path),
                                   *addition.contents)))
        return false;
    const int minor = GoMinor(go_->version());
    if (minor < kOldestGoMinor || minor > kNewestGoMinor) result_.problems.push_back(UnknownGo());
    return true;
  }

  Diagnostic UnknownGo() const {
    Diagnostic warning = Problem(
        go_->version(), fmt::format("ksim knows Go 1.{} to 1.{}; its edits fit this one too",
                                    kOldestGoMinor, kNewestGoMinor));
    warning.severity = Diagnostic::Severity::kWarning;
    return warning;
  }

  Diagnostic NoPlainInCluster() const {
    Diagnostic warning = Problem(std::string(kRestPackage),
                                 "ksim does not know this version: its InClusterConfig wants "
                                 "HTTPS, which guests do not speak",
                                 "a program that takes $KUBECONFIG needs no InClusterConfig");
    warning.severity = Diagnostic::Severity::kWarning;
    return warning;
  }

  Diagnostic DoesNotFit(const absl::Status& why) const {
    return Problem(
        go_->version(),
        fmt::format("ksim {} cannot edit this version of Go: {}", Version(), Message(why)),
        fmt::format("use Go 1.{} to 1.{}, unchanged: GOTOOLCHAIN=go1.{}.0 fetches one",
                    kOldestGoMinor, kNewestGoMinor, kNewestGoMinor));
  }

  std::vector<std::string> Tags() const {
    if (request_.tags.empty()) return {};
    return {"-tags=" + request_.tags};
  }

  std::vector<std::string> Flags() const {
    std::vector<std::string> flags = modules_->flags();
    flags.push_back("-overlay=" + overlay_file_);
    for (const std::string& tags : Tags()) flags.push_back(tags);
    return flags;
  }

  // Lists the packages, adds what some of them lack, and lists them again.
  bool ListAll() {
    hooks_.progress(fmt::format("listing the packages of {} with {}", package_, go_->version()));
    if (!List()) return false;
    absl::StatusOr<std::vector<StandIn>> needed = NeededStandIns(packages_);
    if (!Check(needed.status())) return false;
    absl::StatusOr<std::vector<StandIn>> plain = PlainInCluster(packages_);
    if (!Check(plain.status())) return false;
    if (plain->empty() && packages_.Find(kRestPackage) != nullptr)
      result_.problems.push_back(NoPlainInCluster());
    needed->insert(needed->end(), plain->begin(), plain->end());
    absl::StatusOr<std::vector<StandIn>> silent = SilentFileWatches(packages_);
    if (!Check(silent.status())) return false;
    needed->insert(needed->end(), silent->begin(), silent->end());
    for (const StandIn& stand_in : *needed)
      if (!Check(Add(stand_in))) return false;
    if (!needed->empty() && !List()) return false;
    return TakeProblems(PackageProblems(packages_));
  }

  bool List() {
    absl::StatusOr<std::string> file = overlay_->Write();
    if (!Check(file.status())) return false;
    overlay_file_ = *std::move(file);
    absl::StatusOr<GoPackages> packages = ListPackages(*go_, Flags(), package_);
    if (!Check(packages.status())) return false;
    packages_ = *std::move(packages);
    return true;
  }

  absl::Status Add(const StandIn& stand_in) {
    const GoPackage& package = *packages_.Find(stand_in.package);
    const bool overlaid = !package.directory.starts_with(go_->module_cache() + "/");
    if (overlaid)
      return overlay_->AddText(package.directory + "/" + stand_in.file, stand_in.contents);
    const std::string folder = Overlay::VirtualDirectory(package.module);
    if (virtual_.insert(package.module).second) {
      if (absl::Status added = overlay_->AddModule(package.module, package.module_directory);
          !added.ok())
        return added;
      if (absl::Status replaced = modules_->Replace(package.module, folder); !replaced.ok())
        return replaced;
    }
    return overlay_->AddText(
        folder + stand_in.package.substr(package.module.size()) + "/" + stand_in.file,
        stand_in.contents);
  }

  bool Compile() {
    out_ = place_ + "/out.wasm";
    std::vector<std::string> words{"build", "-v", "-trimpath",  "-buildvcs=false",
                                   "-o",    out_, LinkerFlags()};
    for (const std::string& flag : Flags()) words.push_back(flag);
    words.insert(words.end(), {"--", package_});
    hooks_.progress(fmt::format("compiling {} packages; the first time takes minutes",
                                packages_.by_path.size()));
    std::vector<std::string> lines;
    const absl::StatusOr<GoOutput> built = go_->Run(words, [&](std::string_view line) {
      if (line == package_) {
        hooks_.progress(fmt::format("linking {}", line));
      } else if (packages_.Find(line) != nullptr || line.starts_with("go: downloading ")) {
        hooks_.detail(fmt::format("compiling {}", line));
      } else {
        lines.emplace_back(line);
      }
    });
    if (!Check(built.status())) return false;
    if (built->code == 0) return true;
    TakeProblems(CompileProblems(lines, packages_, directory_));
    if (lines.empty())
      Fail(Problem(request_.what, fmt::format("go build ended with code {}", built->code)));
    return false;
  }

  std::string LinkerFlags() const {
    return fmt::format("-ldflags=-s -w{}{}{}", ldflags_, request_.ldflags.empty() ? "" : " ",
                       request_.ldflags);
  }

  // A hash of all that the program is made from.
  absl::StatusOr<std::string> InputsHash() const {
    std::string all =
        fmt::format("{}\n{}\n{}\n{}\n", go_->version(), EditsHash(), request_.tags, LinkerFlags());
    for (const auto& [path, package] : packages_.by_path) {
      all += fmt::format("{} {} {}\n", path, package.module, package.version);
      const bool of_cache = package.directory.starts_with(go_->module_cache() + "/") ||
                            virtual_.contains(package.module);
      if (package.standard || of_cache) continue;
      for (const std::string& name : package.files) {
        const absl::StatusOr<std::string> text = os::ReadFile(package.directory + "/" + name);
        // A stand-in is not on the disk; the hash of the edits has it.
        if (text.ok()) all += fmt::format("{} {}\n", name, Sha256Hex(*text));
      }
    }
    return Sha256Hex(all);
  }

  void Write() {
    absl::StatusOr<std::string> wasm = os::ReadFile(out_);
    if (!Check(wasm.status())) return;
    const GoPackage& program = *packages_.Find(packages_.main);
    const absl::StatusOr<std::string> inputs = InputsHash();
    if (!Check(inputs.status())) return;
    result_.info = {.ksim = std::string(Version()),
                    .go = go_->version(),
                    .package = program.path,
                    .module = program.module,
                    .version = program.version.empty() ? "(devel)" : program.version,
                    .edits = EditsHash(),
                    .inputs = *inputs,
                    .wasm = Sha256Hex(*wasm)};
    *wasm += CustomSection(kBuildSection, ToJson(result_.info));
    const std::string file = request_.output.empty() ? NameOf(program) + ".wasm" : request_.output;
    if (const absl::Status written = os::WriteFile(file, *wasm); !written.ok()) {
      Fail(Problem(file, fmt::format("cannot write it: {}", Message(written))));
      return;
    }
    result_.file = file;
    result_.size = wasm->size();
  }

  const BuildRequest& request_;
  const BuildHooks& hooks_;
  BuildResult result_;
  std::string place_, directory_, package_, overlay_file_, out_, ldflags_;
  std::optional<Overlay> overlay_;
  std::optional<GoTool> go_;
  std::optional<ModuleFiles> modules_;
  std::set<std::string> virtual_;  // modules that are nowhere on the disk
  GoPackages packages_;
};

}  // namespace

BuildResult BuildGuest(const BuildRequest& request, const BuildHooks& hooks) {
  return Builder(request, hooks).Build();
}

}  // namespace ksim::guest
