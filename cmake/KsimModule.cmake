# Flags of everything that is ours. g++ 12 keeps the build directory out of everything we print.
function(ksim_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE -Wall -Wextra
    -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=
    # std::stable_sort of libstdc++ 12 uses what it calls deprecated, and clang tells.
    $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
    # g++ 12 at -O2 takes std::string's own code (GCC bug 105329) and constants in place of pointers
    # for overruns.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>)
endfunction()

# ksim_unity(<target> <size>)
#
# So many sources are one translation unit: no two files of a target may give one local name to
# different things.
function(ksim_unity target size)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
  # g++ takes a source for a header, since another includes it.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# ksim_module(<layer> SRCS ... DEPS <layer>... PACKAGES <target>...)
#
# One static library per layer: target ksim_<layer>, alias ksim::<layer>. DEPS are the layers it
# may include; together the DEPS lists are the architecture, and tests/layers checks that the
# includes agree with them. With -DKSIM_UNITY=ON a dozen of SRCS are one translation unit.
function(ksim_module name)
  cmake_parse_arguments(M "" "" "SRCS;DEPS;PACKAGES" ${ARGN})
  add_library(ksim_${name} STATIC ${M_SRCS})
  add_library(ksim::${name} ALIAS ksim_${name})
  ksim_compile_options(ksim_${name})
  set_target_properties(ksim_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(ksim_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<INSTALL_INTERFACE:include>)
  list(TRANSFORM M_DEPS PREPEND ksim::)
  target_link_libraries(ksim_${name} PUBLIC ${M_DEPS} ${M_PACKAGES})
  ksim_precompile(ksim_${name} ksim_precompiled)
  if(KSIM_UNITY)
    ksim_unity(ksim_${name} 12)
  endif()
  set_property(GLOBAL APPEND PROPERTY KSIM_MODULES ksim_${name})
endfunction()

# The tests are compiled with these options on top. They wait for the layers, not for their own
# code, and the compiler is done in half the time. A campaign of 100,000 seeds wants -O2.
set(KSIM_TEST_OPTIONS -O0 CACHE STRING "Compiler options of the tests, on top of the others")

# ksim_test(<name> [OPTIMIZED] [LONG] SRCS ... DEPS <layer>... [LABELS ...])
#
# A GoogleTest program whose cases CTest knows one by one; with -DKSIM_TESTS_WHOLE=ON it is one
# test, which saves a thousand starts of programs that start slowly. Label `fast` unless given.
# With -DKSIM_UNITY=ON half a dozen of SRCS are one translation unit.
# OPTIMIZED is for a program that runs long: it is compiled as the layers are. In others the linker
# takes std::string's functions from the tests, unoptimized, for the layers too.
# LONG is for a program that simulates hundreds of clusters. Under the sanitizers these are left to
# the night: the target `short_tests` and the label `short` have the others.
function(ksim_test name)
  cmake_parse_arguments(T "OPTIMIZED;LONG" "" "SRCS;DEPS;LABELS" ${ARGN})
  if(NOT T_LABELS)
    set(T_LABELS fast)
  endif()
  add_executable(${name} ${T_SRCS})
  if(KSIM_UNITY)
    ksim_unity(${name} 6)
  endif()
  ksim_compile_options(${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  list(TRANSFORM T_DEPS PREPEND ksim::)
  target_link_libraries(${name} PRIVATE ${T_DEPS} ksim_test_main)
  if(T_OPTIMIZED)
    ksim_precompile(${name} ksim_precompiled)
  else()
    target_compile_options(${name} PRIVATE ${KSIM_TEST_OPTIONS})
    ksim_precompile(${name} ksim_test_precompiled)
  endif()
  if(NOT T_LONG)
    add_dependencies(short_tests ${name})
  endif()
  if(KSIM_TESTS_WHOLE)
    if(NOT T_LONG)
      list(APPEND T_LABELS short)
    endif()
    add_test(NAME ${name} COMMAND ${name} --gtest_brief=1 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES LABELS "${T_LABELS}")
  else()
    gtest_discover_tests(${name}
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} PROPERTIES LABELS "${T_LABELS}")
  endif()
endfunction()

# ksim_script_test(<name> COMMAND ... [LABELS ...])
#
# A test that is a program already there: a script, or the built ksim ($<TARGET_FILE:ksim>).
function(ksim_script_test name)
  cmake_parse_arguments(T "" "" "COMMAND;LABELS" ${ARGN})
  if(NOT T_LABELS)
    set(T_LABELS fast)
  endif()
  add_test(NAME ${name} COMMAND ${T_COMMAND} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS "${T_LABELS}")
  if("slow" IN_LIST T_LABELS)
    set_tests_properties(${name} PROPERTIES TIMEOUT 3600)
  endif()
endfunction()

# ksim_fuzzer(<name> SRCS ... DEPS <layer>...)
#
# A libFuzzer program: one LLVMFuzzerTestOneInput. Built only with -DKSIM_BUILD_FUZZERS=ON; the
# target `fuzzers` is all of them and no layer that none of them needs.
function(ksim_fuzzer name)
  if(NOT KSIM_BUILD_FUZZERS)
    return()
  endif()
  cmake_parse_arguments(F "" "" "SRCS;DEPS" ${ARGN})
  add_executable(${name} ${F_SRCS})
  ksim_compile_options(${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  list(TRANSFORM F_DEPS PREPEND ksim::)
  target_link_libraries(${name} PRIVATE ${F_DEPS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  if(NOT TARGET fuzzers)
    add_custom_target(fuzzers)
  endif()
  add_dependencies(fuzzers ${name})
endfunction()

# ksim_bench(<name> SRCS ... DEPS <layer>...)
function(ksim_bench name)
  cmake_parse_arguments(B "" "" "SRCS;DEPS" ${ARGN})
  add_executable(${name} ${B_SRCS})
  ksim_compile_options(${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  list(TRANSFORM B_DEPS PREPEND ksim::)
  target_link_libraries(${name} PRIVATE ${B_DEPS} benchmark::benchmark_main)
endfunction()
