#include "ksim/guest/wasi/file_system.h"

#include <utility>

#include "ksim/base/hash.h"

namespace ksim::guest {
namespace {

std::string ParentOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

bool IsUnder(const std::string& path, const std::string& folder) {
  return folder.empty() ||
         (path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/');
}

}  // namespace

std::string FileSystem::Clean(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    if (part == "..") {
      if (!parts.empty()) parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
  }
  std::string out;
  for (const std::string_view part : parts) {
    if (!out.empty()) out += '/';
    out += part;
  }
  return out;
}

void FileSystem::Put(const std::string& path, Content content) {
  for (std::string above = ParentOf(path); !above.empty(); above = ParentOf(above))
    files_.try_emplace(above, nullptr);
  files_[path] = std::move(content);
}

FileSystem::Content FileSystem::Find(const std::string& path) const {
  const auto found = files_.find(path);
  return found == files_.end() ? nullptr : found->second;
}

bool FileSystem::IsDirectory(const std::string& path) const {
  if (path.empty()) return true;
  const auto found = files_.find(path);
  return found != files_.end() && found->second == nullptr;
}

bool FileSystem::MakeDirectory(const std::string& path) {
  if (path.empty() || files_.contains(path) || !IsDirectory(ParentOf(path))) return false;
  files_[path] = nullptr;
  return true;
}

bool FileSystem::Remove(const std::string& path) {
  const auto found = files_.find(path);
  if (found == files_.end() || found->second == nullptr) return false;
  files_.erase(found);
  return true;
}

bool FileSystem::RemoveDirectory(const std::string& path) {
  if (path.empty() || !IsDirectory(path) || !List(path).empty()) return false;
  files_.erase(path);
  return true;
}

bool FileSystem::Rename(const std::string& from, const std::string& to) {
  if (!files_.contains(from) || !IsDirectory(ParentOf(to)) || IsUnder(to, from)) return false;
  std::map<std::string, Content> moved;
  for (auto it = files_.begin(); it != files_.end();) {
    if (it->first != from && !IsUnder(it->first, from)) {
      ++it;
      continue;
    }
    moved[to + it->first.substr(from.size())] = it->second;
    it = files_.erase(it);
  }
  for (auto& [path, content] : moved) files_[path] = std::move(content);
  return true;
}

std::vector<std::string> FileSystem::List(const std::string& path) const {
  std::vector<std::string> names;
  const std::size_t skip = path.empty() ? 0 : path.size() + 1;
  for (const auto& [name, content] : files_) {
    if (!IsUnder(name, path)) continue;
    const std::string rest = name.substr(skip);
    if (rest.find('/') == std::string::npos) names.push_back(rest);
  }
  return names;
}

std::uint64_t FileSystem::Digest() const {
  Hasher hasher;
  for (const auto& [path, content] : files_) {
    hasher.Add(std::string_view(path));
    if (content != nullptr) hasher.Add(std::string_view(*content));
  }
  return hasher.Digest();
}

}  // namespace ksim::guest
