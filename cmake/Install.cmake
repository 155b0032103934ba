# Install rules: the executable, the layers as static libraries, the headers of include/ and a
# ksimConfig.cmake, so that `find_package(ksim)` and `target_link_libraries(x ksim::ksim)` work from
# any other program. tests/whole/install builds one.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ksim)
install(TARGETS ksim_library ${KSIM_LIBRARY_MODULES} EXPORT ksimTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT ksimTargets NAMESPACE ksim:: DESTINATION ${config_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ksim DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET ksim)
  install(TARGETS ksim RUNTIME DESTINATION bin)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/libexec/ksim/envtest DESTINATION libexec/ksim
    USE_SOURCE_PERMISSIONS)
endif()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ksimConfig.cmake.in
  ${PROJECT_BINARY_DIR}/ksimConfig.cmake INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ksimConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/ksimConfig.cmake
  ${PROJECT_BINARY_DIR}/ksimConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/SystemLibraries.cmake
  DESTINATION ${config_dir})
