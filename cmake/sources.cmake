# SPDX-License-Identifier: GPL-2.0-only
#
# What the module consists of: new files are picked up by all builds.

# in: a list variable and glob patterns below the module's folder; out: paths relative to it
function(iwarp_glob variable)
  set(patterns)
  foreach(pattern ${ARGN})
    list(APPEND patterns "${CMAKE_CURRENT_SOURCE_DIR}/${pattern}")
  endforeach()
  file(GLOB found RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" CONFIGURE_DEPENDS ${patterns})
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

iwarp_glob(IWARP_SOURCES model/*/*.cc model/*/*/*.cc helper/*/*.cc helper/*/*/*.cc)
iwarp_glob(IWARP_HEADERS model/*.h model/*/*.h model/*/*/*.h helper/*/*.h helper/*/*/*.h)
iwarp_glob(IWARP_TESTS test/*/*.cc)
list(FILTER IWARP_TESTS EXCLUDE REGEX "^test/fuzz/")
# only these read the repository's files: a place in the command of every file would keep clones
# from sharing what ccache has
set_source_files_properties(
  test/decode/decode-esp-test-suite.cc test/ipsec/esp-linux-test-suite.cc
  test/rdmap/rdmap-capture.cc test/rnic/rnic-helper-test-suite.cc test/tls/tls-data.cc
  PROPERTIES COMPILE_DEFINITIONS "IWARP_SOURCE_DIR=\"${CMAKE_CURRENT_SOURCE_DIR}\""
)
iwarp_glob(IWARP_EXAMPLES examples/*.cc)
iwarp_glob(IWARP_BENCHES bench/*.cc)

# ISA-L computes the CRC where it is found, Boost.CRC otherwise
option(IWARP_ISAL "use ISA-L for CRC32c where it is found" ON)
set(IWARP_EXTERNAL_LIBRARIES ${CMAKE_DL_LIBS})
set(IWARP_PRIVATE_DEFINITIONS)
if(IWARP_ISAL)
  find_path(IWARP_ISAL_INCLUDE isa-l/crc.h)
  find_library(IWARP_ISAL_LIBRARY isal)
  mark_as_advanced(IWARP_ISAL_INCLUDE IWARP_ISAL_LIBRARY)
  if(IWARP_ISAL_INCLUDE AND IWARP_ISAL_LIBRARY)
    list(APPEND IWARP_EXTERNAL_LIBRARIES ${IWARP_ISAL_LIBRARY})
    list(APPEND IWARP_PRIVATE_DEFINITIONS IWARP_HAVE_ISAL)
  endif()
endif()

# OpenSSL's libcrypto does the ciphers of ESP and TLS where it is found; without it they are modelled
# only
set(IWARP_CRYPTOGRAPHY_DEFINITIONS)
option(IWARP_OPENSSL "use OpenSSL for real ESP and TLS where it is found" ON)
if(IWARP_OPENSSL)
  find_path(IWARP_OPENSSL_INCLUDE openssl/evp.h)
  find_library(IWARP_CRYPTO_LIBRARY crypto)
  mark_as_advanced(IWARP_OPENSSL_INCLUDE IWARP_CRYPTO_LIBRARY)
  if(IWARP_OPENSSL_INCLUDE AND IWARP_CRYPTO_LIBRARY)
    list(APPEND IWARP_EXTERNAL_LIBRARIES ${IWARP_CRYPTO_LIBRARY})
    set(IWARP_CRYPTOGRAPHY_DEFINITIONS IWARP_HAVE_OPENSSL) # one file needs to know
    set_source_files_properties(
      model/crypto/crypto-openssl.cc PROPERTIES COMPILE_DEFINITIONS IWARP_HAVE_OPENSSL
    )
  else()
    message(STATUS "libssl-dev is not found: ESP and TLS are modelled only, no payload is enciphered")
  endif()
endif()
