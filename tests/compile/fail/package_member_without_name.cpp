// expect: midend: a member of a package has no name
#include "midend/package/managed_package.hpp"

struct shifted_out {
#ifdef MIDEND_FIXED
  static constexpr const char* name = "shifted out";
#endif

  template <class Context> midend::package_order visit(Context&, midend::value_id) { return {}; }
};

midend::managed_package<shifted_out> package_without_names;
