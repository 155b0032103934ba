#include "ksim/scenario/guests.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/guest/process/guest_files.h"
#include "ksim/guest/process/shared_library.h"
#include "ksim/scenario/world.h"
#include "ksim/value/quantity.h"
#include "ksim/value/value.h"

namespace ksim::scenario {
namespace {

using value::ObjectBuilder;
using value::Value;
using value::YamlNode;

constexpr char kManager[] = "kube-controller-manager", kScheduler[] = "kube-scheduler";

// Beside the scenario, in the folder where ksim was started, or in $KSIM_GUESTS; there also by the
// last part of its name alone, for what a campaign wrote may have been copied elsewhere.
std::string Resolve(const std::string& directory, const std::string& file) {
  if (file.starts_with('/')) return file;
  std::vector<std::string> places = {directory + file, file};
  if (const auto folder = os::Environment("KSIM_GUESTS")) {
    places.push_back(*folder + "/" + file);
    places.push_back(*folder + "/" + file.substr(file.rfind('/') + 1));
  }
  for (const std::string& place : places)
    if (os::Exists(place)) return place;
  return places.front();
}

void CheckFile(ParseContext& context, const Span& span, const GuestSpec& guest) {
  if (guest.path.empty()) return;
  if (os::IsRegularFile(guest.path)) return;
  context.problems.Error(span, fmt::format("there is no file {}", guest.path),
                         "ksim guest build DIR -o FILE.wasm makes one of a Go program; it is "
                         "looked for beside the scenario, here, and in $KSIM_GUESTS");
}

void TakeFile(ParseContext& context, MappingReader& reader, const char* field, GuestSpec* guest) {
  guest->file = reader.RequiredString(field);
  if (guest->file.empty()) return;
  guest->path = Resolve(context.directory, guest->file);
  CheckFile(context, reader.Find(field)->span, *guest);
}

// All that WebAssembly can address.
constexpr std::int64_t kMostMemory = std::int64_t{4} << 30;

void TakeMemory(ParseContext& context, MappingReader& reader, GuestSpec* guest) {
  const std::string text = reader.String("memory");
  if (text.empty()) return;
  const absl::StatusOr<value::Quantity> memory = value::Quantity::Parse(text);
  const Span& span = reader.Find("memory")->span;
  if (!memory.ok()) {
    context.problems.Error(
        span, fmt::format("{}: {}", reader.PathTo("memory"), Message(memory.status())));
  } else if (memory->Sign() <= 0 || memory->Value() > kMostMemory) {
    context.problems.Error(
        span, fmt::format("{}: a program has more than nothing and 4Gi at most, not {}",
                          reader.PathTo("memory"), text));
  } else {
    guest->memory = memory->Value();
  }
}

// The flags that every component of Kubernetes needs here; more may follow.
std::vector<std::string> ComponentArgs() {
  return {fmt::format("--kubeconfig={}", guest::kKubeconfigPath), "--leader-elect=false",
          "--secure-port=0", "--authentication-skip-lookup=true"};
}

GuestSpec ComponentGuest(const char* name) {
  GuestSpec guest;
  guest.name = name;
  guest.user = fmt::format("system:{}", name);
  guest.ns = "kube-system";
  guest.args = ComponentArgs();
  return guest;
}

// ksim's own does not run.
void LeaveOut(const char* component, ClusterSpec* spec) {
  std::erase(spec->components, component);
  spec->components.push_back(fmt::format("-{}", component));
}

bool IsProcessName(std::string_view name) {
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.") == std::string::npos;
}

// A process that is there without the guests.
bool IsTaken(const std::string& name, const ClusterSpec& spec) {
  const std::vector<std::string> controllers = spec.ControllerProcesses();
  return name == "kubectl" || name == "etcd" || name == "ksim" ||
         name.starts_with("kube-apiserver-") || name.starts_with("outside-") ||
         (name == kScheduler && spec.Runs(kScheduler)) ||
         std::find(controllers.begin(), controllers.end(), name) != controllers.end();
}

// The name of a new guest: one of a process, and no other process'.
void CheckName(ParseContext& context, const Span& span, const GuestSpec& guest,
               const ClusterSpec& spec) {
  if (!IsProcessName(guest.name)) {
    context.problems.Error(
        span, fmt::format("\"{}\" is no name of a process: lower case letters, digits, - and .",
                          guest.name));
    return;
  }
  const std::vector<std::string> others = spec.GuestProcesses();
  for (std::int64_t i = 0; i < guest.replicas; ++i) {
    const std::string name = guest.ProcessName(i);
    const bool twice = std::find(others.begin(), others.end(), name) != others.end();
    if (!twice && !IsTaken(name, spec)) continue;
    context.problems.Error(span, fmt::format("there is a process \"{}\" already", name));
    return;
  }
}

}  // namespace

void ParseGuests(ParseContext& context, MappingReader& cluster, ClusterSpec* spec) {
  int i = 0;
  for (const YamlNode* item : cluster.List("guests")) {
    MappingReader reader(context.problems, *item, GuestType(),
                         fmt::format("{}[{}]", cluster.PathTo("guests"), i++));
    GuestSpec guest;
    guest.name = reader.RequiredString("name");
    TakeFile(context, reader, "file", &guest);
    guest.hash = reader.String("hash");
    guest.args = reader.Strings("args", {});
    guest.env = reader.Map("env", true);
    guest.files = reader.Map("files", true);
    guest.replicas = reader.Integer("replicas", 1, 1);
    guest.ns = reader.String("namespace", "default");
    guest.user =
        reader.String("user", fmt::format("system:serviceaccount:{}:{}", guest.ns, guest.name));
    guest.quiet_after = reader.DurationOf("quietAfter", guest.quiet_after);
    TakeMemory(context, reader, &guest);
    guest.services = reader.Strings("services", {});
    for (const std::string& service : guest.services)
      if (std::count(service.begin(), service.end(), '/') != 1 || service.starts_with('/') ||
          service.ends_with('/'))
        context.problems.Error(reader.Find("services")->span,
                               fmt::format("{}: \"{}\" is no NAMESPACE/NAME of a service",
                                           reader.PathTo("services"), service));
    guest.stands_for = reader.String("standsFor");
    if (!guest.stands_for.empty() && guest.stands_for != kManager && guest.stands_for != kScheduler)
      context.problems.Error(
          reader.Find("standsFor")->span,
          fmt::format("there is no component \"{}\" to stand for", guest.stands_for),
          Suggest(guest.stands_for, {kManager, kScheduler}));
    if (!guest.name.empty()) CheckName(context, reader.Find("name")->span, guest, *spec);
    spec->guests.push_back(std::move(guest));
  }
}

void ParseControllersGuest(ParseContext& context, const YamlNode& node, ClusterSpec* spec) {
  MappingReader reader(context.problems, node, ControllersGuestType(), "spec.cluster.controllers");
  GuestSpec guest = ComponentGuest(kManager);
  TakeFile(context, reader, "guest", &guest);
  const std::vector<std::string> instead = reader.Strings("instead", {"*"});
  const bool all = std::find(instead.begin(), instead.end(), "*") != instead.end();
  std::string names;
  for (const std::string& name : instead) names += (names.empty() ? "" : ",") + name;
  guest.args.push_back("--controllers=" + names);
  for (std::string& arg : reader.Strings("args", {})) guest.args.push_back(std::move(arg));
  guest.stands_for = kManager;
  if (all) {
    LeaveOut(kManager, spec);
  } else {
    guest.name = fmt::format("{}-guest", kManager);
    for (const std::string& name : instead)
      if (!name.starts_with('-')) spec->controllers.push_back("-" + name);
  }
  spec->guests.push_back(std::move(guest));
}

void ParseSchedulerGuest(ParseContext& context, MappingReader& reader, ClusterSpec* spec) {
  if (!reader.Has("guest")) return;
  GuestSpec guest = ComponentGuest(kScheduler);
  TakeFile(context, reader, "guest", &guest);
  for (std::string& arg : reader.Strings("args", {})) guest.args.push_back(std::move(arg));
  guest.stands_for = kScheduler;
  LeaveOut(kScheduler, spec);
  spec->guests.push_back(std::move(guest));
}

std::string GuestFileFrom(const std::string& directory, const GuestSpec& guest) {
  namespace fs = std::filesystem;
  if (guest.path.empty() || guest.file.starts_with('/')) return guest.file;
  const auto folder = os::Environment("KSIM_GUESTS");
  if (folder && guest.path == *folder + "/" + guest.file) return guest.file;
  std::error_code error;
  const fs::path from = fs::absolute(directory, error).lexically_normal();
  const fs::path to = fs::absolute(guest.path, error).lexically_normal();
  const std::string relative = to.lexically_relative(from).string();
  return relative.empty() ? guest.file : relative;
}

Value GuestTree(const GuestSpec& guest) {
  const auto map = [](const std::vector<std::pair<std::string, std::string>>& pairs) {
    ObjectBuilder out;
    for (const auto& [name, value] : pairs) out.Add(name, Value::Of(value));
    return out.Build();
  };
  std::vector<Value> args;
  for (const std::string& arg : guest.args) args.push_back(Value::Of(arg));
  std::string hash = guest.hash;
  if (hash.empty())
    if (const auto file = guest::ReadProgram(guest.path); file.ok()) hash = (*file)->hash;
  ObjectBuilder out;
  out.Add("name", Value::Of(guest.name)).Add("file", Value::Of(guest.file));
  out.AddIf(!hash.empty(), "hash", Value::Of(hash));
  if (!args.empty()) out.Add("args", Value::Array(std::move(args)));
  out.AddIf(!guest.env.empty(), "env", map(guest.env));
  out.AddIf(!guest.files.empty(), "files", map(guest.files));
  out.Add("replicas", Value::Of(guest.replicas)).Add("namespace", Value::Of(guest.ns));
  out.Add("user", Value::Of(guest.user));
  out.Add("quietAfter", Value::Of(FormatDuration(guest.quiet_after)));
  out.Add("memory",
          value::Quantity::FromInt(guest.memory, value::Quantity::Format::kBinarySI).ToTree());
  std::vector<Value> services;
  for (const std::string& service : guest.services) services.push_back(Value::Of(service));
  if (!services.empty()) out.Add("services", Value::Array(std::move(services)));
  out.AddIf(!guest.stands_for.empty(), "standsFor", Value::Of(guest.stands_for));
  return out.Build();
}

absl::Status PrepareGuests(const ClusterSpec& cluster) {
  for (const GuestSpec& guest : cluster.guests) {
    const auto file = guest::ReadProgram(guest.path);
    if (!file.ok()) return file.status();
    if (!guest.hash.empty() && guest.hash != (*file)->hash)
      return absl::InvalidArgumentError(
          fmt::format("{} is not the program that was meant: its hash is {}, not {}", guest.path,
                      (*file)->hash, guest.hash));
    if (const auto program = guest::LoadProgram(guest.path); !program.ok()) return program.status();
  }
  return absl::OkStatus();
}

guest::GuestOptions GuestOptionsOf(api::Compat compat, const GuestSpec& guest,
                                   std::int64_t replica) {
  guest::GuestOptions options;
  options.name = guest.ProcessName(replica);
  options.args = guest.args;
  options.env = guest.env;
  options.files = guest.files;
  options.api.user = guest.user;
  options.api.compat = compat;
  options.ns = guest.ns;
  options.quiet_after = guest.quiet_after;
  options.limits.memory = static_cast<std::size_t>(guest.memory);
  return options;
}

}  // namespace ksim::scenario
