#include "ksim/controllers/common/template_hash.h"

#include "ksim/api/core/names.h"
#include "ksim/api/schema/template_text.h"
#include "ksim/base/foreign_hashes.h"

namespace ksim::controllers {

std::string ComputeHash(const value::Value& pod_template, std::optional<std::int64_t> collisions,
                        const Profile& profile) {
  std::string bytes = api::TemplateText(pod_template, profile.compat);
  if (collisions) {  // 32 bits in 8 bytes, the lowest first
    const auto count = static_cast<std::uint32_t>(*collisions);
    for (int i = 0; i < 4; ++i) bytes += static_cast<char>(count >> (8 * i));
    bytes.append(4, '\0');
  }
  return api::SafeEncode(std::to_string(Fnv32a(bytes)));
}

}  // namespace ksim::controllers
