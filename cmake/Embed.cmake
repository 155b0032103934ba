# ksim_embed(<target> <header> NAMESPACE <namespace> FILES <constant>=<file>...)
#
# Compiles text files into the target: <header> declares each constant as `extern const
# std::string_view`, and the source made here, in the build directory, defines it. The constants are
# made anew when a file changes.
function(ksim_embed target header)
  cmake_parse_arguments(E "" "NAMESPACE" "FILES" ${ARGN})
  set(code "// Made by cmake/Embed.cmake from the files beside ${header}.\n")
  string(APPEND code "#include \"${header}\"\n\n")
  string(APPEND code "namespace ${E_NAMESPACE} {\n")
  foreach(entry ${E_FILES})
    string(REGEX MATCH "^([^=]+)=(.+)$" matched ${entry})
    set(constant ${CMAKE_MATCH_1})
    get_filename_component(file ${CMAKE_MATCH_2} ABSOLUTE)
    file(READ ${file} text)
    string(APPEND code "\nconst std::string_view ${constant} = R\"embedded(${text})embedded\";\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  string(APPEND code "\n}  // namespace ${E_NAMESPACE}\n")
  get_filename_component(name ${header} NAME_WE)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}_embedded.cc)
  file(GENERATE OUTPUT ${source} CONTENT "${code}")
  target_sources(${target} PRIVATE ${source})
endfunction()
