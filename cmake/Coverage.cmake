# coverage-report: prints the line coverage that the tests run so far have left behind. Meant for a
# build with --coverage, as the preset `coverage` makes it.
if(CMAKE_CXX_FLAGS MATCHES "--coverage")
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_custom_target(coverage-report
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/coverage ${PROJECT_BINARY_DIR}
    USES_TERMINAL VERBATIM)
endif()
