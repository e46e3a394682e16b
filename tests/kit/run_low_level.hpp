/// The low-level package on a procedure, compiled once for all tests.
#pragma once

#include <midend/elbrus/procedure.hpp>
#include <midend/package/managed_package.hpp>
#include <midend/package/package_order.hpp>

namespace midend_tests {

midend::package_log run_low_level(midend::elbrus::procedure& p, const midend::package_options& options = {});

} // namespace midend_tests
