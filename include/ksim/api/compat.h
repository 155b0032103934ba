// Compat: the version of Kubernetes that a run behaves like. One value for the whole cluster
// (`compat:` of a scenario); the trace's header records it.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace ksim::api {

enum class Compat : std::uint8_t { k1_25, k1_30, k1_36 };

inline constexpr Compat kCompats[] = {Compat::k1_25, Compat::k1_30, Compat::k1_36};  // by age
inline constexpr Compat kDefaultCompat = Compat::k1_30;  // of a run that names no version

std::string_view ToString(Compat c);                       // "1.25" "1.30" "1.36"
std::optional<Compat> ParseCompat(std::string_view text);  // nullopt for anything else

}  // namespace ksim::api
