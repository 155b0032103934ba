# A run of a small scenario takes the loader a seventh of its instructions if each library is an
# object of its own, so the programs link the archives that stand beside them.
option(KSIM_ARCHIVES "Link archives in place of shared libraries where both are installed" ON)

# ksim_prefer_archive(<variable>): lib/libx.so.1.2 becomes lib/libx.a if that is there.
function(ksim_prefer_archive variable)
  string(REGEX REPLACE "\\.so[.0-9]*$" ".a" archive "${${variable}}")
  if(KSIM_ARCHIVES AND EXISTS "${archive}")
    set(${variable} "${archive}" PARENT_SCOPE)
  endif()
endfunction()

# ksim_prefer_archives(<regex>): so do the imported targets of that name that this folder has found.
function(ksim_prefer_archives regex)
  get_property(targets DIRECTORY PROPERTY IMPORTED_TARGETS)
  list(FILTER targets INCLUDE REGEX "${regex}")
  foreach(target IN LISTS targets)
    get_target_property(configurations ${target} IMPORTED_CONFIGURATIONS)
    foreach(configuration IN LISTS configurations)
      get_target_property(library ${target} IMPORTED_LOCATION_${configuration})
      if(library)
        ksim_prefer_archive(library)
        set_target_properties(${target} PROPERTIES IMPORTED_LOCATION_${configuration} "${library}")
      endif()
    endforeach()
  endforeach()
endfunction()

# Libraries that ship a pkg-config file and no CMake package. Read by the build and, installed
# beside ksimConfig.cmake, by those who use ksim; so both see the same targets ksim::yaml,
# ksim::xxhash, ksim::nghttp2, ksim::zlib, ksim::re2 and, where ksim has TLS, ksim::openssl.
#
# ksim_find_system_library(<name> <pkg-config module>)
#   Defines the imported target ksim::<name> if pkg-config knows the module; else nothing.
function(ksim_find_system_library name module)
  if(TARGET ksim::${name})
    return()
  endif()
  find_package(PkgConfig QUIET)
  if(NOT PkgConfig_FOUND)
    return()
  endif()
  string(TOUPPER KSIM_${name} prefix)
  pkg_check_modules(${prefix} QUIET IMPORTED_TARGET GLOBAL ${module})
  if(TARGET PkgConfig::${prefix})
    get_target_property(libraries PkgConfig::${prefix} INTERFACE_LINK_LIBRARIES)
    list(LENGTH libraries count)
    if(count EQUAL 1)
      ksim_prefer_archive(libraries)
      set_target_properties(PkgConfig::${prefix} PROPERTIES INTERFACE_LINK_LIBRARIES ${libraries})
    endif()
    add_library(ksim::${name} INTERFACE IMPORTED GLOBAL)
    set_target_properties(ksim::${name} PROPERTIES INTERFACE_LINK_LIBRARIES PkgConfig::${prefix})
  endif()
endfunction()

function(ksim_find_system_libraries)
  ksim_find_system_library(yaml yaml-0.1)
  ksim_find_system_library(xxhash libxxhash)
  ksim_find_system_library(nghttp2 libnghttp2)
  ksim_find_system_library(zlib zlib)
  ksim_find_re2()
endfunction()

# Without pkg-config: the flag -pthread that it gives does not go with precompiled headers. From its
# archive where that is: a small run, which needs none of it, is spared the loader's work.
function(ksim_find_re2)
  find_path(KSIM_RE2_INCLUDE_DIR re2/re2.h)
  find_library(KSIM_RE2_LIBRARY NAMES libre2.a re2)
  mark_as_advanced(KSIM_RE2_INCLUDE_DIR KSIM_RE2_LIBRARY)
  if(TARGET ksim::re2 OR NOT KSIM_RE2_INCLUDE_DIR OR NOT KSIM_RE2_LIBRARY)
    return()
  endif()
  add_library(ksim::re2 INTERFACE IMPORTED GLOBAL)
  set_target_properties(ksim::re2 PROPERTIES INTERFACE_LINK_LIBRARIES ${KSIM_RE2_LIBRARY})
  if(NOT KSIM_RE2_INCLUDE_DIR STREQUAL "/usr/include")
    set_target_properties(ksim::re2 PROPERTIES
      INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${KSIM_RE2_INCLUDE_DIR})
  endif()
endfunction()

# From its archives where they are: to bind libcrypto.so takes the loader a fifth of the
# instructions of a small run, which needs none of it.
function(ksim_find_openssl)
  ksim_find_system_library(openssl "openssl>=3")
  find_library(KSIM_SSL_ARCHIVE libssl.a)
  find_library(KSIM_CRYPTO_ARCHIVE libcrypto.a)
  mark_as_advanced(KSIM_SSL_ARCHIVE KSIM_CRYPTO_ARCHIVE)
  if(TARGET ksim::openssl AND KSIM_SSL_ARCHIVE AND KSIM_CRYPTO_ARCHIVE)
    find_package(Threads REQUIRED)
    set_target_properties(ksim::openssl PROPERTIES INTERFACE_LINK_LIBRARIES
      "${KSIM_SSL_ARCHIVE};${KSIM_CRYPTO_ARCHIVE};Threads::Threads;${CMAKE_DL_LIBS}")
  endif()
endfunction()
