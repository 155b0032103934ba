// Part of wasi.h: the calls about descriptors and paths.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "ksim/base/hash.h"
#include "ksim/guest/wasi/errno.h"
#include "ksim/guest/wasi/wasi.h"

namespace ksim::guest {
namespace {

constexpr std::uint8_t kCharacterDevice = 2, kDirectoryType = 3, kRegularFile = 4, kStreamType = 6;
constexpr std::uint64_t kCreate = 1, kDirectoryOnly = 2, kExclusive = 4, kTruncate = 8;
constexpr std::uint64_t kRightWrite = std::uint64_t{1} << 6;
constexpr std::uint64_t kAppend = 1;
constexpr std::string_view kConnectTo = "dev/sim/tcp/", kListenAt = "dev/sim/listen/",
                           kAcceptAt = "dev/sim/accept/", kNull = "dev/null";

std::uint8_t TypeOf(const Descriptor& open) {
  switch (open.kind) {
    case DescriptorKind::kStandard:
      return kCharacterDevice;
    case DescriptorKind::kDirectory:
      return kDirectoryType;
    case DescriptorKind::kFile:
      return open.path == kNull ? kCharacterDevice : kRegularFile;
    case DescriptorKind::kStream:
    case DescriptorKind::kListener:
      return kStreamType;
  }
  return 0;
}

template <class T>
void Lay(char* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

// filestat: device, inode, type, links, size, and three times, all of which are zero.
std::string FileStat(std::uint8_t type, std::uint64_t inode, std::uint64_t size) {
  std::string stat(64, '\0');
  Lay(stat.data(), std::uint64_t{1});
  Lay(stat.data() + 8, inode);
  stat[16] = static_cast<char>(type);
  Lay(stat.data() + 24, std::uint64_t{1});
  Lay(stat.data() + 32, size);
  return stat;
}

std::optional<std::int32_t> PortIn(std::string_view text) {
  std::int32_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port < 0 || port > 65535)
    return std::nullopt;
  return port;
}

}  // namespace

std::string Wasi::PathAt(std::uint64_t directory, std::uint64_t at, std::uint64_t size) {
  std::string_view text;
  if (!ReadText(at, size, &text)) return {};
  const Descriptor* from = state_.descriptors.Find(static_cast<std::uint32_t>(directory));
  if (from == nullptr || from->path.empty()) return FileSystem::Clean(text);
  return FileSystem::Clean(from->path + "/" + std::string(text));
}

std::uint32_t Wasi::FdWrite(const std::uint64_t* w) {
  const auto number = static_cast<std::uint32_t>(w[0]);
  Descriptor* open = state_.descriptors.Find(number);
  if (open == nullptr) return kEbadf;
  std::string text;
  const std::uint64_t vectors = w[1] & 0xffffffffu;
  for (std::uint64_t i = 0; i < (w[2] & 0xffffffffu); ++i) {
    std::string_view part;
    if (!ReadText(Get<std::uint32_t>(vectors + 8 * i), Get<std::uint32_t>(vectors + 8 * i + 4),
                  &part))
      return kEfault;
    text.append(part);
  }
  const auto size = static_cast<std::uint32_t>(text.size());
  state_.digest ^= Hash64(text);
  switch (open->kind) {
    case DescriptorKind::kStandard:
      if (number == 0) return kEbadf;
      effects_.emplace_back(Effect::Kind::kOutput, static_cast<std::int32_t>(number),
                            std::move(text));
      break;
    case DescriptorKind::kStream:
      // A connection that broke says so when it is written to, too.
      if (open->ended && open->error != kSuccess && !text.empty()) return open->error;
      if (!text.empty())
        effects_.emplace_back(Effect::Kind::kSend, static_cast<std::int32_t>(number),
                              std::move(text));
      break;
    case DescriptorKind::kFile: {
      if (!open->writes) return kEbadf;
      if (open->path == kNull) break;
      const FileSystem::Content now = state_.files.Find(open->path);
      std::string content = now != nullptr ? *now : std::string();
      if (open->appends) open->position = content.size();
      if (content.size() < open->position + size) content.resize(open->position + size);
      content.replace(open->position, size, text);
      open->position += size;
      state_.files.Put(open->path, std::make_shared<const std::string>(std::move(content)));
      break;
    }
    default:
      return kEbadf;
  }
  return Put(w[3], size) ? kSuccess : kEfault;
}

std::uint32_t Wasi::FdRead(const std::uint64_t* w) {
  Descriptor* open = state_.descriptors.Find(static_cast<std::uint32_t>(w[0]));
  if (open == nullptr || open->kind == DescriptorKind::kDirectory) return kEbadf;
  FileSystem::Content file;
  std::string_view left;
  if (open->kind == DescriptorKind::kFile) {
    file = state_.files.Find(open->path);
    if (file == nullptr) file = open->content;  // it was removed meanwhile
    if (file != nullptr && open->position < file->size())
      left = std::string_view(*file).substr(open->position);
  } else if (open->kind == DescriptorKind::kStream) {
    left = std::string_view(open->in).substr(open->read);
    if (left.empty() && !open->ended) return kEagain;
    if (left.empty() && open->error != kSuccess) return open->error;
  } else if (open->kind == DescriptorKind::kListener) {
    return kEagain;
  }
  std::uint32_t size = 0;
  const std::uint64_t vectors = w[1] & 0xffffffffu;
  for (std::uint64_t i = 0; i < (w[2] & 0xffffffffu) && size < left.size(); ++i) {
    const std::string_view part = left.substr(size, Get<std::uint32_t>(vectors + 8 * i + 4));
    if (!PutText(Get<std::uint32_t>(vectors + 8 * i), part)) return kEfault;
    size += static_cast<std::uint32_t>(part.size());
  }
  if (open->kind == DescriptorKind::kFile) {
    open->position += size;
  } else {
    open->read += size;
    if (open->read == open->in.size()) {
      open->in.clear();
      open->read = 0;
    }
  }
  return Put(w[3], size) ? kSuccess : kEfault;
}

std::uint32_t Wasi::FdPread(const std::uint64_t* w) {
  Descriptor* open = state_.descriptors.Find(static_cast<std::uint32_t>(w[0]));
  if (open == nullptr) return kEbadf;
  if (open->kind != DescriptorKind::kFile) return kEspipe;
  const std::uint64_t before = open->position;
  open->position = w[3];
  const std::uint64_t read[] = {w[0], w[1], w[2], w[4]};
  const std::uint32_t result = FdRead(read);
  open->position = before;
  return result;
}

std::uint32_t Wasi::FdPwrite(const std::uint64_t* w) {
  Descriptor* open = state_.descriptors.Find(static_cast<std::uint32_t>(w[0]));
  if (open == nullptr) return kEbadf;
  if (open->kind != DescriptorKind::kFile) return kEspipe;
  const std::uint64_t before = open->position;
  open->position = w[3];
  const std::uint64_t write[] = {w[0], w[1], w[2], w[4]};
  const std::uint32_t result = FdWrite(write);
  open->position = before;
  return result;
}

std::uint32_t Wasi::FdSeek(const std::uint64_t* w) {
  Descriptor* open = state_.descriptors.Find(static_cast<std::uint32_t>(w[0]));
  if (open == nullptr) return kEbadf;
  if (open->kind != DescriptorKind::kFile) return kEspipe;
  const FileSystem::Content file = state_.files.Find(open->path);
  const std::uint64_t size = file != nullptr ? file->size() : 0;
  const std::uint64_t whence = w[2] & 0xff;
  if (whence > 2) return kEinval;
  const std::uint64_t from = whence == 0 ? 0 : whence == 1 ? open->position : size;
  const auto to = static_cast<std::int64_t>(from + w[1]);
  if (to < 0) return kEinval;
  open->position = static_cast<std::uint64_t>(to);
  return Put(w[3], open->position) ? kSuccess : kEfault;
}

std::uint32_t Wasi::FdTell(const std::uint64_t* w) {
  const Descriptor* open = state_.descriptors.Find(static_cast<std::uint32_t>(w[0]));
  if (open == nullptr) return kEbadf;
  return Put(w[1], open->position) ? kSuccess : kEfault;
}

std::uint32_t Wasi::FdClose(const std::uint64_t* w) {
  const auto number = static_cast<std::uint32_t>(w[0]);
  const Descriptor* open = state_.descriptors.Find(number);
  if (open == nullptr) return kEbadf;
  if (open->kind == DescriptorKind::kStream || open->kind == DescriptorKind::kListener)
    effects_.emplace_back(Effect::Kind::kClose, static_cast<std::int32_t>(number));
  state_.descriptors.Close(number);
  return kSuccess;
}

std::uint32_t Wasi::FdSync(const std::uint64_t* w) {
  return state_.descriptors.Find(static_cast<std::uint32_t>(w[0])) != nullptr ? kSuccess : kEbadf;
}

std::uint32_t Wasi::FdFdstatGet(const std::uint64_t* w) {
  const Descriptor* open = state_.descriptors.Find(static_cast<std::uint32_t>(w[0]));
  if (open == nullptr) return kEbadf;
  std::string stat(24, '\0');
  stat[0] = static_cast<char>(TypeOf(*open));
  Lay(stat.data() + 2, static_cast<std::uint16_t>(open->appends ? kAppend : 0));
  Lay(stat.data() + 8, ~std::uint64_t{0});
  Lay(stat.data() + 16, ~std::uint64_t{0});
  return PutText(w[1], stat) ? kSuccess : kEfault;
}

// Nothing blocks here, whatever a descriptor is set to.
std::uint32_t Wasi::FdFdstatSetFlags(const std::uint64_t* w) {
  Descriptor* open = state_.descriptors.Find(static_cast<std::uint32_t>(w[0]));
  if (open == nullptr) return kEbadf;
  open->appends = (w[1] & kAppend) != 0;
  return kSuccess;
}

std::uint32_t Wasi::PutFileStat(std::uint64_t at, const std::string& path) {
  const FileSystem::Content file = state_.files.Find(path);
  const std::uint64_t inode = Hash64(path);
  if (file != nullptr)
    return PutText(at, FileStat(kRegularFile, inode, file->size())) ? kSuccess : kEfault;
  if (path == kNull) return PutText(at, FileStat(kCharacterDevice, inode, 0)) ? kSuccess : kEfault;
  if (!state_.files.IsDirectory(path)) return kEnoent;
  return PutText(at, FileStat(kDirectoryType, inode, 0)) ? kSuccess : kEfault;
}

std::uint32_t Wasi::FdFilestatGet(const std::uint64_t* w) {
  const Descriptor* open = state_.descriptors.Find(static_cast<std::uint32_t>(w[0]));
  if (open == nullptr) return kEbadf;
  if (open->kind == DescriptorKind::kFile || open->kind == DescriptorKind::kDirectory)
    return PutFileStat(w[1], open->path);
  return PutText(w[1], FileStat(TypeOf(*open), w[0], 0)) ? kSuccess : kEfault;
}

std::uint32_t Wasi::FdFilestatSetSize(const std::uint64_t* w) {
  const Descriptor* open = state_.descriptors.Find(static_cast<std::uint32_t>(w[0]));
  if (open == nullptr || open->kind != DescriptorKind::kFile || !open->writes) return kEbadf;
  const FileSystem::Content now = state_.files.Find(open->path);
  std::string content = now != nullptr ? *now : std::string();
  if (w[1] > Memory::kReserved) return kEinval;
  content.resize(w[1]);
  state_.files.Put(open->path, std::make_shared<const std::string>(std::move(content)));
  return kSuccess;
}

std::uint32_t Wasi::FdPrestatGet(const std::uint64_t* w) {
  if (w[0] != 3) return kEbadf;
  return Put(w[1], std::uint32_t{0}) && Put((w[1] & 0xffffffffu) + 4, std::uint32_t{1}) ? kSuccess
                                                                                        : kEfault;
}

std::uint32_t Wasi::FdPrestatDirName(const std::uint64_t* w) {
  if (w[0] != 3 || w[2] < 1) return kEbadf;
  return PutText(w[1], "/") ? kSuccess : kEfault;
}

std::uint32_t Wasi::FdReaddir(const std::uint64_t* w) {
  const Descriptor* open = state_.descriptors.Find(static_cast<std::uint32_t>(w[0]));
  if (open == nullptr || open->kind != DescriptorKind::kDirectory) return kEnotdir;
  const std::vector<std::string> names = state_.files.List(open->path);
  std::string out;
  const auto room = static_cast<std::uint32_t>(w[2]);
  for (std::uint64_t i = w[3]; i < names.size() && out.size() < room; ++i) {
    const std::string path = open->path.empty() ? names[i] : open->path + "/" + names[i];
    std::string entry(24, '\0');  // next, inode, length of the name, type
    Lay(entry.data(), i + 1);
    Lay(entry.data() + 8, Hash64(path));
    Lay(entry.data() + 16, static_cast<std::uint32_t>(names[i].size()));
    entry[20] = static_cast<char>(state_.files.IsDirectory(path) ? kDirectoryType : kRegularFile);
    out += entry + names[i];
  }
  if (out.size() > room) out.resize(room);  // cut: the program asks again from there
  if (!PutText(w[1], out)) return kEfault;
  return Put(w[4], static_cast<std::uint32_t>(out.size())) ? kSuccess : kEfault;
}

std::uint32_t Wasi::OpenDevice(const std::string& path, std::uint64_t result) {
  const std::string_view name = path;
  if (name.starts_with(kConnectTo)) {
    const std::int32_t number = state_.descriptors.Open(Descriptor(DescriptorKind::kStream));
    effects_.emplace_back(Effect::Kind::kConnect, number,
                          std::string(name.substr(kConnectTo.size())));
    return Put(result, number) ? kSuccess : kEfault;
  }
  if (name.starts_with(kListenAt)) {
    const std::optional<std::int32_t> port = PortIn(name.substr(kListenAt.size()));
    if (!port) return kEinval;
    Descriptor listener(DescriptorKind::kListener);
    listener.port = *port;
    const std::int32_t number = state_.descriptors.Open(std::move(listener));
    Effect effect(Effect::Kind::kListen, number);
    effect.port = *port;
    effects_.push_back(std::move(effect));
    return Put(result, number) ? kSuccess : kEfault;
  }
  if (name.starts_with(kAcceptAt)) {
    const std::optional<std::int32_t> port = PortIn(name.substr(kAcceptAt.size()));
    for (const auto& [number, open] : state_.descriptors.all()) {
      if (open.kind != DescriptorKind::kListener || open.port != port || open.waiting.empty())
        continue;
      Descriptor* listener = state_.descriptors.Find(static_cast<std::uint32_t>(number));
      const std::int32_t stream = listener->waiting.front();
      listener->waiting.erase(listener->waiting.begin());
      return Put(result, stream) ? kSuccess : kEfault;
    }
    return kEagain;
  }
  return kEnoent;
}

std::uint32_t Wasi::OpenFile(const std::string& path, std::uint64_t flags, std::uint64_t rights,
                             std::uint64_t descriptor_flags, std::uint64_t result) {
  if (state_.files.IsDirectory(path)) {
    if ((flags & kExclusive) != 0) return kEexist;
    Descriptor directory(DescriptorKind::kDirectory);
    directory.path = path;
    return Put(result, state_.descriptors.Open(std::move(directory))) ? kSuccess : kEfault;
  }
  FileSystem::Content content = state_.files.Find(path);
  if ((flags & kDirectoryOnly) != 0) return content != nullptr ? kEnotdir : kEnoent;
  if (content != nullptr && (flags & kExclusive) != 0) return kEexist;
  if (content == nullptr && (flags & kCreate) == 0 && path != kNull) return kEnoent;
  Descriptor file(DescriptorKind::kFile);
  file.path = path;
  file.writes = (rights & kRightWrite) != 0;
  file.appends = (descriptor_flags & kAppend) != 0;
  if (path != kNull && (content == nullptr || (flags & kTruncate) != 0)) {
    const std::size_t slash = path.rfind('/');
    if (slash != std::string::npos && !state_.files.IsDirectory(path.substr(0, slash)))
      return kEnoent;
    content = std::make_shared<const std::string>();
    state_.files.Put(path, content);
  }
  file.content = std::move(content);
  return Put(result, state_.descriptors.Open(std::move(file))) ? kSuccess : kEfault;
}

std::uint32_t Wasi::PathOpen(const std::uint64_t* w) {
  const std::string path = PathAt(w[0], w[2], w[3]);
  state_.digest ^= Hash64(path);
  if (path.starts_with("dev/sim/")) return OpenDevice(path, w[8]);
  return OpenFile(path, w[4], w[5], w[7], w[8]);
}

std::uint32_t Wasi::PathFilestatGet(const std::uint64_t* w) {
  return PutFileStat(w[4], PathAt(w[0], w[2], w[3]));
}

std::uint32_t Wasi::PathCreateDirectory(const std::uint64_t* w) {
  const std::string path = PathAt(w[0], w[1], w[2]);
  if (state_.files.Find(path) != nullptr || state_.files.IsDirectory(path)) return kEexist;
  return state_.files.MakeDirectory(path) ? kSuccess : kEnoent;
}

std::uint32_t Wasi::PathUnlinkFile(const std::uint64_t* w) {
  const std::string path = PathAt(w[0], w[1], w[2]);
  if (state_.files.IsDirectory(path)) return kEisdir;
  return state_.files.Remove(path) ? kSuccess : kEnoent;
}

std::uint32_t Wasi::PathRemoveDirectory(const std::uint64_t* w) {
  const std::string path = PathAt(w[0], w[1], w[2]);
  if (!state_.files.IsDirectory(path))
    return state_.files.Find(path) != nullptr ? kEnotdir : kEnoent;
  return state_.files.RemoveDirectory(path) ? kSuccess : kEnotempty;
}

std::uint32_t Wasi::PathRename(const std::uint64_t* w) {
  return state_.files.Rename(PathAt(w[0], w[1], w[2]), PathAt(w[3], w[4], w[5])) ? kSuccess
                                                                                 : kEnoent;
}

std::uint32_t Wasi::SockShutdown(const std::uint64_t* w) {
  return state_.descriptors.Find(static_cast<std::uint32_t>(w[0])) != nullptr ? kSuccess : kEbadf;
}

}  // namespace ksim::guest
