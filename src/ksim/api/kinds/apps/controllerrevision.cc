// The kind ControllerRevision of apps/v1.
//
// Sources: pkg/printers/internalversion/printers.go printControllerRevision;
// pkg/apis/apps/validation/validation.go ValidateControllerRevision,
// ValidateControllerRevisionCreate, ValidateControllerRevisionUpdate.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/value/value.h"

namespace ksim::api {

namespace {

constexpr std::string_view kControllerRevisionTypes = R"(
ControllerRevision: apiVersion=string data=Raw kind=string metadata=ObjectMeta revision!=int64
)";

std::vector<std::string> RevisionCells(const Object& o, VirtualTime now) {
  std::string owner = "<none>";
  if (const auto controller = o.controller()) {
    const std::string_view version = controller->api_version;
    const std::size_t slash = version.find('/');
    std::string kind(controller->kind);
    if (slash != version.npos) kind += fmt::format(".{}", version.substr(0, slash));
    kind = cells::Lower(kind);
    owner = fmt::format("{}/{}", kind, controller->name);
  }
  return {cells::Name(o), owner, std::to_string(o.tree().Get("revision").AsInt()),
          cells::Age(o, now)};
}

void ValidateRevision(const value::Value& tree, FieldErrorList* errors) {
  if (!errors->profile().revision_data_is_json && tree.Get("data").is_null())
    errors->Required(FieldPath("data"), "data is mandatory");
  errors->NonNegative(FieldPath("revision"), tree.Get("revision"));
}

void ValidateNewRevision(const value::Value& tree, FieldErrorList* errors) {
  const value::Value& data = tree.Get("data");
  if (!errors->profile().revision_data_is_json) return;
  if (data.is_null()) {
    errors->Required(FieldPath("data"), "data is mandatory");
  } else if (!data.is_object()) {
    errors->Required(FieldPath("data"), "data must be a valid JSON object");
  }
}

void ValidateRevisionChange(const value::Value& updated, const value::Value& old,
                            FieldErrorList* errors) {
  ValidateImmutable(updated.Get("data"), old.Get("data"), GoShape::kOther, FieldPath("data"),
                    errors);
}

}  // namespace

extern const KindSpec kControllerRevisionKind = {
    .group = "apps",
    .kind = "ControllerRevision",
    .resource = "controllerrevisions",
    .go_types = kControllerRevisionTypes,
    .columns = {{"Name"}, {"Controller"}, {"Revision"}, {"Age"}},
    .cells = RevisionCells,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject, kCheckNewObject},
            .on_update = {kCheckMetaUpdate, kCheckMeta, kCheckObject, kCheckChange},
            .object = ValidateRevision,
            .new_object = ValidateNewRevision,
            .change = ValidateRevisionChange,
        },
};

}  // namespace ksim::api
