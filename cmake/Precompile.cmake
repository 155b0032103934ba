# -DKSIM_PRECOMPILE=ON: the heavy headers of other libraries are parsed once for all layers and once
# for all tests. That saves a third of the time of a first build; but it hides a missing include, as
# does KSIM_UNITY, so the preset `dev`, for daily work, goes without both.
function(ksim_precompiled_target name)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${name}.cc CONTENT "")
  add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/${name}.cc)
  ksim_compile_options(${name})
  target_precompile_headers(${name} PRIVATE
    <algorithm> <array> <coroutine> <cstdint> <functional> <map> <memory> <optional> <string>
    <string_view> <utility> <variant> <vector>
    <absl/container/btree_map.h> <absl/container/flat_hash_map.h>
    <absl/functional/any_invocable.h> <absl/status/statusor.h> <fmt/format.h> ${ARGN})
  target_link_libraries(${name} PRIVATE
    absl::any_invocable absl::btree absl::flat_hash_map absl::status absl::statusor fmt::fmt)
endfunction()

# ksim_precompile(<target> <precompiled target>)
function(ksim_precompile target from)
  if(KSIM_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${from})
  endif()
endfunction()

if(KSIM_PRECOMPILE)
  ksim_precompiled_target(ksim_precompiled)
  if(KSIM_BUILD_TESTS)
    # With those of ours that most tests need, for they are heavy too.
    set(headers
      api/request.h client/core/payloads.h scenario/load.h scenario/runner.h sim/process.h
      sim/simulation.h value/json.h)
    list(TRANSFORM headers PREPEND ksim/)
    list(TRANSFORM headers REPLACE "(.+)" "\"\\1\"")
    ksim_precompiled_target(ksim_test_precompiled <gmock/gmock.h> <gtest/gtest.h> ${headers})
    target_compile_options(ksim_test_precompiled PRIVATE ${KSIM_TEST_OPTIONS})
    target_include_directories(ksim_test_precompiled PRIVATE
      ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(ksim_test_precompiled PRIVATE GTest::gtest GTest::gmock)
  endif()
endif()
