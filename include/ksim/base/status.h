// Small helpers round absl::Status. Abseil's string_view is not std::string_view everywhere
// (Debian builds it as a type of its own), so text crosses over through View and AbslView.
//
// The macros are statements, never expressions: g++ 12 cannot compile co_await inside a GNU
// statement expression. The CO_ forms are for coroutines.
//
//   ASSIGN_OR_RETURN(std::string text, ReadFile(path));
//   ASSIGN_OR_CO_RETURN(Object pod, co_await client.Get(key));
//   RETURN_IF_ERROR(file.Commit());
//   CO_RETURN_IF_ERROR(co_await client.Delete(key));
#pragma once
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ksim {

inline std::string_view View(absl::string_view text) { return {text.data(), text.size()}; }
inline absl::string_view AbslView(std::string_view text) { return {text.data(), text.size()}; }

// The status' message; valid as long as the status is.
inline std::string_view Message(const absl::Status& status) { return View(status.message()); }

// The status with `prefix` and ": " before its message; OK stays OK.
absl::Status Annotate(const absl::Status& status, std::string_view prefix);

namespace internal {

inline absl::Status TakeStatus(absl::Status status) { return status; }
template <class T>
absl::Status TakeStatus(absl::StatusOr<T> result) {
  return std::move(result).status();
}

}  // namespace internal
}  // namespace ksim

#define KSIM_STATUS_CONCAT_(a, b) a##b
#define KSIM_STATUS_CONCAT(a, b) KSIM_STATUS_CONCAT_(a, b)

#define KSIM_ASSIGN_OR_(return_keyword, result, lhs, ...)      \
  auto result = __VA_ARGS__;                                   \
  if (!result.ok()) return_keyword std::move(result).status(); \
  lhs = std::move(result).value()

// `lhs` may declare a variable or name one. Returns the error to the caller otherwise.
#define ASSIGN_OR_RETURN(lhs, ...) \
  KSIM_ASSIGN_OR_(return, KSIM_STATUS_CONCAT(status_or_, __LINE__), lhs, __VA_ARGS__)
#define ASSIGN_OR_CO_RETURN(lhs, ...) \
  KSIM_ASSIGN_OR_(co_return, KSIM_STATUS_CONCAT(status_or_, __LINE__), lhs, __VA_ARGS__)

#define KSIM_IF_ERROR_(return_keyword, ...)                                    \
  do {                                                                         \
    auto status_to_check = __VA_ARGS__;                                        \
    if (!status_to_check.ok())                                                 \
      return_keyword ::ksim::internal::TakeStatus(std::move(status_to_check)); \
  } while (false)

// The expression gives a Status or a StatusOr.
#define RETURN_IF_ERROR(...) KSIM_IF_ERROR_(return, __VA_ARGS__)
#define CO_RETURN_IF_ERROR(...) KSIM_IF_ERROR_(co_return, __VA_ARGS__)
