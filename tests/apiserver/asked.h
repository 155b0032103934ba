// Requests as lines of JSON, asked of a World and answered as lines of JSON, so that the same lines
// can be asked of a real kube-apiserver (tests/apiserver/recorded).
//
//   {"verb": "create", "resource": "pods", "ns": "default", "name": "", "sub": "",
//    "query": {"dryRun": "All"}, "patch": "merge", "user": "", "body": {...}}
//   {"code": 201, "body": {...}, "warnings": [...]}
//
// "$NAME" in a text stands for what an earlier line kept: "save": {"NAME": "metadata.uid"}.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "ksim/value/value.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {

class Asker {
 public:
  explicit Asker(World& world) : world_(world) {}
  value::Value Ask(const value::Value& line);

 private:
  api::Request RequestOf(const value::Value& line) const;
  value::Value Filled(const value::Value& v) const;
  World& world_;
  std::map<std::string, std::string, std::less<>> kept_;
};

// An answer without what differs from run to run and from server to server: uids, resource
// versions, the time of creation, generated letters, managedFields; and without the empty values
// that Go prints of fields without omitempty.
value::Value Comparable(const value::Value& answer);

// Which of an object's versions, in the order of their appearance, the answers show: two servers
// number them differently, but both or neither write.
class Versions {
 public:
  std::string Of(const value::Value& answer);

 private:
  std::map<std::string, std::vector<std::string>> seen_;
};

}  // namespace ksim::apiserver
