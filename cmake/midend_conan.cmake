# Included by the package files that Conan generates: what they cannot say about midend::midend.
set_property(TARGET midend::midend APPEND PROPERTY INTERFACE_COMPILE_FEATURES cxx_std_20)

if("boost" IN_LIST midend_FIND_COMPONENTS AND NOT TARGET midend::boost)
  if(midend_FIND_REQUIRED_boost)
    set(midend_FOUND FALSE)
  endif()
  set(midend_NOT_FOUND_MESSAGE "midend::boost needs the package option midend/*:with_boost=True")
endif()
