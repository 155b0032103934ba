// FileSystem: the files that one process has, in memory: what the scenario gives it, and what it
// writes itself. Copying one is cheap; copies do not see each other's changes.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ksim::guest {

class FileSystem {
 public:
  using Content = std::shared_ptr<const std::string>;

  // "" for what lies above the root; no leading slash, no dots.
  static std::string Clean(std::string_view path);

  // Paths are clean here and below. The directories above the file are there with it.
  void Put(const std::string& path, Content content);
  // Null if there is no file.
  Content Find(const std::string& path) const;
  bool IsDirectory(const std::string& path) const;
  // False if something of that name, or nothing above it, is there.
  bool MakeDirectory(const std::string& path);
  bool Remove(const std::string& path);           // a file
  bool RemoveDirectory(const std::string& path);  // that is empty
  bool Rename(const std::string& from, const std::string& to);
  // The names in a directory, sorted.
  std::vector<std::string> List(const std::string& path) const;
  // A hash over names and contents.
  std::uint64_t Digest() const;

 private:
  std::map<std::string, Content> files_;  // a null content is a directory
};

}  // namespace ksim::guest
