#include "kit/run_low_level.hpp"

#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/package/low_level_package.hpp>

namespace midend_tests {

midend::package_log run_low_level(midend::elbrus::procedure& p, const midend::package_options& options) {
  midend::elbrus::cost_editor e(p);
  return midend::low_level_package().run(e, options);
}

} // namespace midend_tests
