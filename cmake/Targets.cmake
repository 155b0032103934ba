# The targets made of the layers: ksim::ksim, the library that other programs link (every layer,
# also the command line, which include/ksim/main.h gives them), and the place of the executable,
# where tools/ksim looks for it.
get_property(KSIM_LIBRARY_MODULES GLOBAL PROPERTY KSIM_MODULES)

add_library(ksim_library INTERFACE)
add_library(ksim::ksim ALIAS ksim_library)
set_target_properties(ksim_library PROPERTIES EXPORT_NAME ksim)
target_link_libraries(ksim_library INTERFACE ${KSIM_LIBRARY_MODULES})

if(TARGET ksim)
  set_target_properties(ksim PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endif()
