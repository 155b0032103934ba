#include "ksim/apiserver/doors/http/negotiation.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "fmt/format.h"
#include "ksim/apiserver/doors/http/text.h"

namespace ksim::apiserver::http {
namespace {

constexpr std::array<MediaType, 3> kMediaTypes = {{
    {Encoding::kJson, "application", "json", true},
    {Encoding::kYaml, "application", "yaml", false},
    {Encoding::kProtobuf, "application", "vnd.kubernetes.protobuf", true},
}};

// The weight in billionths; what is no plain decimal number is 0, as for goautoneg, which drops
// ParseFloat's error.
std::int64_t Weight(std::string_view text) {
  constexpr std::size_t kDigits = 9;
  std::string_view fraction = text;
  std::string digits(Cut(fraction, '.'));
  if (digits.size() > 3 || digits.size() + fraction.size() == 0) return 0;
  digits += fraction.substr(0, kDigits);
  digits.append(kDigits - std::min(kDigits, fraction.size()), '0');
  std::int64_t weight = 0;
  for (const char c : digits) {
    if (!IsDigit(c)) return 0;
    weight = weight * 10 + (c - '0');
  }
  return weight;
}

// acceptSlice.Less. It is no order (two clauses may each be less than the other), so the way in
// which Go sorts shows in the result.
bool Less(const AcceptClause& a, const AcceptClause& b) {
  return a.q > b.q || (a.type != "*" && b.type == "*") || (a.subtype != "*" && b.subtype == "*");
}

// Go's sort.Sort of up to twelve elements. Longer headers are sorted in the same way.
void InsertionSort(std::vector<AcceptClause>& clauses) {
  for (std::size_t i = 1; i < clauses.size(); ++i) {
    for (std::size_t j = i; j > 0 && Less(clauses[j], clauses[j - 1]); --j) {
      std::swap(clauses[j], clauses[j - 1]);
    }
  }
}

std::string List(std::span<const MediaType> supported, bool stream) {
  std::string out;
  for (const MediaType& m : supported) {
    if (stream && !m.streams) continue;
    out += (out.empty() ? "" : ", ") + m.text() + (stream ? ";stream=watch" : "");
  }
  return out;
}

bool IsMetaVersion(std::string_view group, std::string_view version) {
  return group == "meta.k8s.io" && (version == "v1" || version == "v1beta1");
}

// RequestScope.AllowsMediaTypeTransform
bool CanBecome(const OutputType& type, Transforms transforms) {
  if (type.as.empty() && type.as_group.empty() && type.as_version.empty()) return true;
  if (transforms == Transforms::kNone || !IsMetaVersion(type.as_group, type.as_version))
    return false;
  if (type.as == "Table") return type.media->encoding != Encoding::kProtobuf;
  return type.as == "PartialObjectMetadata" || type.as == "PartialObjectMetadataList";
}

// acceptMediaTypeOptions
std::optional<OutputType> Accept(const AcceptClause& clause, const MediaType& media,
                                 Transforms transforms) {
  OutputType type;
  type.media = &media;
  for (const auto& [name, value] : clause.parameters) {
    if (name == "as") type.as = value;
    if (name == "g") type.as_group = value;
    if (name == "v") type.as_version = value;
    if (name == "stream" && !value.empty() && (!media.streams || value != "watch")) {
      return std::nullopt;
    }
    if (name == "sv" && !value.empty() && value != "v1") return std::nullopt;
    if (name == "pretty") type.pretty = value == "1";
  }
  if (!CanBecome(type, transforms)) return std::nullopt;
  return type;
}

// strconv.ParseBool, false for what it refuses.
bool ParseBool(std::string_view text) {
  for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == yes) return true;
  }
  return false;
}

// isPrettyPrint
bool WantsPretty(const HttpRequest& request, const QueryValues& query) {
  const std::string_view pretty = query.Get("pretty");
  if (!pretty.empty()) return ParseBool(pretty);
  const std::string_view agent = request.headers.Get("User-Agent");
  return agent.starts_with("curl") || agent.starts_with("Wget") || agent.starts_with("Mozilla/5.0");
}

api::Status NotAcceptable(std::span<const MediaType> supported, bool stream) {
  api::Status status;
  status.code = 406;
  status.reason = "NotAcceptable";
  status.message = "only the following media types are accepted: " + List(supported, stream);
  return status;
}

}  // namespace

std::string MediaType::text() const { return fmt::format("{}/{}", type, subtype); }

std::span<const MediaType> BuiltinMediaTypes() { return kMediaTypes; }
std::span<const MediaType> CustomMediaTypes() { return std::span(kMediaTypes).first(2); }

std::string_view AcceptClause::Parameter(std::string_view name) const {
  for (const auto& [known, value] : parameters) {
    if (known == name) return value;
  }
  return {};
}

std::vector<AcceptClause> ParseAccept(std::string_view header) {
  constexpr std::int64_t kOne = 1'000'000'000;
  std::vector<AcceptClause> clauses;
  while (!header.empty()) {
    std::string_view parameters = Trim(Cut(header, ','), " ");
    std::string_view subtype = Cut(parameters, ';');
    AcceptClause clause;
    clause.q = kOne;
    clause.type = Trim(Cut(subtype, '/'), " ");
    if (subtype.empty()) {
      if (clause.type != "*") continue;
      clause.subtype = "*";
    } else {
      clause.subtype = Trim(Cut(subtype, '/'), " ");
      if (!subtype.empty()) continue;
    }
    while (!parameters.empty()) {
      std::string_view value = Cut(parameters, ';');
      const std::string_view name = Trim(Cut(value, '='), " ");
      if (value.empty() || value.find('=') != value.npos) continue;
      if (name == "q") {
        clause.q = Weight(value);
      } else {
        clause.parameters.emplace_back(name, Trim(value, " "));
      }
    }
    clauses.push_back(std::move(clause));
  }
  InsertionSort(clauses);
  return clauses;
}

api::Result<OutputType> NegotiateOutput(const HttpRequest& request, const QueryValues& query,
                                        std::span<const MediaType> supported, Transforms transforms,
                                        bool stream) {
  const std::string_view header = request.headers.Get("Accept");
  std::optional<OutputType> type;
  if (header.empty()) {
    type.emplace().media = &supported.front();
  } else {
    for (const AcceptClause& clause : ParseAccept(header)) {
      for (const MediaType& media : supported) {
        const bool any = clause.type == "*" && clause.subtype == "*";
        if (!any && (clause.type != media.type ||
                     (clause.subtype != media.subtype && clause.subtype != "*"))) {
          continue;
        }
        type = Accept(clause, media, transforms);
        if (type.has_value()) break;
      }
      if (type.has_value()) break;
    }
  }
  if (!type.has_value() || (stream && !type->media->streams)) {
    // The handler of custom resources names protobuf, too, which it has for Statuses alone.
    return NotAcceptable(stream ? supported : std::span<const MediaType>(kMediaTypes), stream);
  }
  type->pretty = type->pretty || WantsPretty(request, query);
  return *std::move(type);
}

api::Result<const MediaType*> NegotiateInput(std::string_view content_type,
                                             std::span<const MediaType> supported) {
  if (content_type.empty()) return &supported.front();
  if (const std::optional<std::string> bare = BareMediaType(content_type)) {
    for (const MediaType& media : supported) {
      if (*bare == media.text()) return &media;
    }
  }
  return api::UnsupportedMediaType(
      "the body of the request was in an unknown format - accepted media types include: " +
      List(kMediaTypes, false));
}

std::optional<std::string> BareMediaType(std::string_view header) {
  std::string_view rest = header;
  const std::string type = Lower(Trim(Cut(rest, ';'), " \t\r\n"));
  const auto is_token = [](std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
      return c > ' ' && c < 0x7f &&
             std::string_view("()<>@,;:\\\"/[]?=").find(c) == std::string_view::npos;
    });
  };
  const std::size_t slash = type.find('/');
  if (!is_token(std::string_view(type).substr(0, slash))) return std::nullopt;
  if (slash != type.npos && !is_token(std::string_view(type).substr(slash + 1))) {
    return std::nullopt;
  }
  return type;
}

}  // namespace ksim::apiserver::http
