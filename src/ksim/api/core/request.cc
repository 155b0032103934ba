#include "ksim/api/request.h"

namespace ksim::api {

std::string_view ToString(Verb v) {
  switch (v) {
    case Verb::kGet:
      return "get";
    case Verb::kList:
      return "list";
    case Verb::kWatch:
      return "watch";
    case Verb::kCreate:
      return "create";
    case Verb::kUpdate:
      return "update";
    case Verb::kPatch:
      return "patch";
    case Verb::kDelete:
      return "delete";
    case Verb::kDeleteCollection:
      return "deletecollection";
  }
  return "";
}

value::Value Request::WholeBody() const {
  return body_version == 0 ? body : Object::FromTree(body, body_version).ToTree();
}

std::string_view ContentType(PatchType t) {
  switch (t) {
    case PatchType::kJson:
      return "application/json-patch+json";
    case PatchType::kMerge:
      return "application/merge-patch+json";
    case PatchType::kStrategic:
      return "application/strategic-merge-patch+json";
    case PatchType::kApply:
      return "application/apply-patch+yaml";
  }
  return "";
}

WatchEvent WatchEvent::OfError(Status why) {
  WatchEvent event;
  event.type = WatchEventType::kError;
  event.error = std::make_shared<const Status>(std::move(why));
  return event;
}

const Status& WatchEvent::status() const {
  static const Status success;
  return error ? *error : success;
}

std::string_view ToString(WatchEventType t) {
  switch (t) {
    case WatchEventType::kAdded:
      return "ADDED";
    case WatchEventType::kModified:
      return "MODIFIED";
    case WatchEventType::kDeleted:
      return "DELETED";
    case WatchEventType::kBookmark:
      return "BOOKMARK";
    case WatchEventType::kError:
      return "ERROR";
  }
  return "";
}

}  // namespace ksim::api
