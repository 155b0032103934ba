# System packages first, pinned sources where there are none.
# -DFETCHCONTENT_TRY_FIND_PACKAGE_MODE=NEVER forces the pinned sources,
# -DFETCHCONTENT_FULLY_DISCONNECTED=ON forbids the network.
include(FetchContent)
include(SystemLibraries)
set(ABSL_PROPAGATE_CXX_STD ON)
set(FETCHCONTENT_QUIET OFF)

FetchContent_Declare(absl
  URL https://github.com/abseil/abseil-cpp/archive/refs/tags/20230802.1.tar.gz
  URL_HASH SHA256=987ce98f02eefbaf930d6e38ab16aa05737234d7afbab2d5c4ea7adbe50c28ed
  DOWNLOAD_EXTRACT_TIMESTAMP ON
  FIND_PACKAGE_ARGS CONFIG)
FetchContent_Declare(fmt
  URL https://github.com/fmtlib/fmt/archive/refs/tags/9.1.0.tar.gz
  URL_HASH SHA256=5dea48d1fcddc3ec571ce2058e13910a0d4a6bab4cc09a809d8b1dd1c88ae6f2
  DOWNLOAD_EXTRACT_TIMESTAMP ON
  FIND_PACKAGE_ARGS 9 CONFIG)
FetchContent_Declare(nlohmann_json
  URL https://github.com/nlohmann/json/archive/refs/tags/v3.11.2.tar.gz
  URL_HASH SHA256=d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273
  DOWNLOAD_EXTRACT_TIMESTAMP ON
  FIND_PACKAGE_ARGS 3.11 CONFIG)
FetchContent_Declare(CLI11
  URL https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.1.2.tar.gz
  URL_HASH SHA256=26291377e892ba0e5b4972cdfd4a2ab3bf53af8dac1f4ea8fe0d1376b625c8cb
  DOWNLOAD_EXTRACT_TIMESTAMP ON
  FIND_PACKAGE_ARGS 2.1 CONFIG)
FetchContent_Declare(googletest
  URL https://github.com/google/googletest/archive/refs/tags/release-1.12.1.tar.gz
  URL_HASH SHA256=81964fe578e9bd7c94dfdb09c8e4d6e6759e19967e397dbea48d1c10e45d0df2
  DOWNLOAD_EXTRACT_TIMESTAMP ON
  FIND_PACKAGE_ARGS 1.12 NAMES GTest)
FetchContent_Declare(benchmark
  URL https://github.com/google/benchmark/archive/refs/tags/v1.7.1.tar.gz
  URL_HASH SHA256=6430e4092653380d9dc4ccb45a1e2dc9259d581f4866dc0759713126056bc1d7
  DOWNLOAD_EXTRACT_TIMESTAMP ON
  FIND_PACKAGE_ARGS 1.7 CONFIG)
FetchContent_Declare(ksim_yaml_source
  URL https://github.com/yaml/libyaml/releases/download/0.2.5/yaml-0.2.5.tar.gz
  URL_HASH SHA256=c642ae9b75fee120b2d96c712538bd2cf283228d2337df2cf2988e3c02678ef4
  DOWNLOAD_EXTRACT_TIMESTAMP ON)
FetchContent_Declare(ksim_xxhash_source
  URL https://github.com/Cyan4973/xxHash/archive/refs/tags/v0.8.1.tar.gz
  URL_HASH SHA256=3bb6b7d6f30c591dd65aaaff1c8b7a5b94d81687998ca9400082c739a690436c
  DOWNLOAD_EXTRACT_TIMESTAMP ON
  SOURCE_SUBDIR cmake_unofficial)

FetchContent_MakeAvailable(absl fmt nlohmann_json CLI11)
ksim_prefer_archives("^absl::")
if(KSIM_BUILD_TESTS)
  FetchContent_MakeAvailable(googletest)
endif()
if(KSIM_BUILD_BENCHMARKS)
  set(BENCHMARK_ENABLE_TESTING OFF)
  FetchContent_MakeAvailable(benchmark)
endif()

if(NOT FETCHCONTENT_TRY_FIND_PACKAGE_MODE STREQUAL "NEVER")
  ksim_find_system_libraries()
endif()
if(NOT TARGET ksim::yaml OR NOT TARGET ksim::xxhash)
  enable_language(C)
endif()
if(NOT TARGET ksim::yaml)
  FetchContent_MakeAvailable(ksim_yaml_source)
  target_include_directories(yaml INTERFACE
    $<BUILD_INTERFACE:${ksim_yaml_source_SOURCE_DIR}/include>)
  add_library(ksim::yaml ALIAS yaml)
endif()
if(NOT TARGET ksim::xxhash)
  set(XXHASH_BUILD_XXHSUM OFF)
  FetchContent_MakeAvailable(ksim_xxhash_source)
  add_library(ksim::xxhash ALIAS xxhash)
endif()

# The door for HTTP stands on libraries that every system has: Boost and protozero as headers, of
# which no header of ours includes any, nghttp2 and zlib, and OpenSSL for TLS.
function(ksim_need_header name header package)
  find_path(KSIM_${name}_INCLUDE_DIR ${header})
  if(NOT KSIM_${name}_INCLUDE_DIR)
    message(FATAL_ERROR "ksim needs <${header}>: install ${package}")
  endif()
endfunction()
ksim_need_header(boost boost/beast/http/parser.hpp libboost-dev)
ksim_need_header(protozero protozero/pbf_reader.hpp libprotozero-dev)
function(ksim_need_library name module package)
  ksim_find_system_library(${name} ${module})
  if(NOT TARGET ksim::${name})
    message(FATAL_ERROR "ksim needs ${name}: install ${package}")
  endif()
endfunction()
ksim_need_library(nghttp2 libnghttp2 libnghttp2-dev)
ksim_need_library(zlib zlib zlib1g-dev)
# Patterns of schemas are Go's regular expressions, which are RE2's.
ksim_find_re2()
if(NOT TARGET ksim::re2)
  message(FATAL_ERROR "ksim needs re2: install libre2-dev")
endif()

if(KSIM_TLS)
  ksim_find_openssl()
endif()

# ksim_include_header_library(<target> boost|protozero)
#
# The target's sources include it. Nothing of it is linked or installed.
function(ksim_include_header_library target name)
  if(NOT KSIM_${name}_INCLUDE_DIR STREQUAL "/usr/include")
    target_include_directories(${target} SYSTEM PRIVATE ${KSIM_${name}_INCLUDE_DIR})
  endif()
endfunction()

# Libraries that an installed ksim links must be installed too. We can promise that only where they
# all came from the system.
foreach(dependency absl fmt nlohmann_json cli11 ksim_yaml_source ksim_xxhash_source)
  if(${dependency}_SOURCE_DIR AND KSIM_INSTALL)
    message(STATUS "ksim: no install rules, ${dependency} is built from its pinned source")
    set(KSIM_INSTALL OFF)
  endif()
endforeach()
