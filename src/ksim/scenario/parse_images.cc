// spec.cluster.images.
#include <fmt/format.h>

#include <set>

#include "ksim/api/rules/pod/image_reference.h"
#include "ksim/kubelet/runtime/behaviour.h"
#include "ksim/scenario/parse.h"
#include "ksim/value/quantity.h"

namespace ksim::scenario {
namespace {

using value::Quantity;
using value::YamlNode;

void CheckImageName(MappingReader& reader, const std::string& image, std::set<std::string>* seen) {
  if (image.empty()) return;
  const std::string problem = api::ImageNameProblem(image, /*tells_name=*/true);
  if (!problem.empty()) reader.problems().Error(reader.Find("image")->span, problem);
  if (!seen->insert(image).second)
    reader.problems().Error(reader.Find("image")->span,
                            fmt::format("the image \"{}\" is described twice", image));
}

void CheckDigest(MappingReader& reader, const std::string& digest) {
  if (digest.empty()) return;
  const bool good = digest.size() == 71 && digest.starts_with("sha256:") &&
                    digest.find_first_not_of("0123456789abcdef", 7) == std::string::npos;
  if (!good)
    reader.problems().Error(reader.Find("digest")->span,
                            fmt::format("\"{}\" is no digest: sha256: and 64 digits", digest));
}

std::string ReadSize(MappingReader& reader) {
  const YamlNode* node = reader.Find("size");
  if (node == nullptr) return "";
  const absl::StatusOr<Quantity> size = Quantity::Parse(node->text);
  if (node->kind == YamlNode::Kind::kScalar && size.ok() && size->Sign() > 0) return node->text;
  reader.WrongType("size", "a quantity above 0", "as in 120M");
  return "";
}

void CheckExit(MappingReader& reader, const std::string& exit) {
  if (exit.empty() || kubelet::PlanIn(exit, 0)) return;
  reader.problems().Error(reader.Find("exit")->span,
                          fmt::format("\"{}\" does not say how a program ends", exit),
                          "as in 0 after 5s, 1 after 2s, runs");
}

}  // namespace

std::vector<ImageSpec> ParseImages(ParseContext& context, MappingReader& cluster) {
  std::vector<ImageSpec> images;
  std::set<std::string> seen;
  int i = 0;
  for (const YamlNode* item : cluster.List("images")) {
    MappingReader reader(context.problems, *item, ImageType(),
                         fmt::format("{}[{}]", cluster.PathTo("images"), i++));
    if (!reader.is_mapping()) continue;
    ImageSpec spec;
    spec.image = reader.RequiredString("image");
    CheckImageName(reader, spec.image, &seen);
    if (const YamlNode* user = reader.Find("user")) spec.user = user->text;  // a number or a name
    spec.digest = reader.String("digest");
    CheckDigest(reader, spec.digest);
    spec.size = ReadSize(reader);
    spec.pull_time = reader.OptionalDuration("pullTime");
    spec.exit = reader.String("exit");
    CheckExit(reader, spec.exit);
    spec.present = reader.Bool("present", false);
    spec.missing = reader.Bool("missing", false);
    images.push_back(std::move(spec));
  }
  return images;
}

}  // namespace ksim::scenario
