// expect: domain_of_ir
#include "midend/elbrus/views/views.hpp"
#include "midend/ssa/sccp.hpp"

#ifdef MIDEND_FIXED
using constants = midend::flat_domain<std::uint64_t>;
#else
using constants = midend::flat_domain<int>;
#endif

void use(const midend::elbrus::semantic_view& view) {
  static_cast<void>(midend::sccp(view, constants()));
}
