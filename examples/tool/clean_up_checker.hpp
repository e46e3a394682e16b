/// Certificates of the steps of a clean-up.
#pragma once

#include "new_names.hpp"
#include "passes.hpp"
#include "sccp_tool.hpp"
#include "transformation_pass.hpp"
#include "value_numbering_tool.hpp"

#include <midend/elbrus/procedure.hpp>
#include <midend/package/clean_up.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace midend_tool {

/// Checks the certificate of each step of a clean-up, and names what is new.
class clean_up_checker : public midend::clean_up_observer {
public:
  clean_up_checker(midend::elbrus::procedure& p, bool certify, pass_report& report)
      : p_(p), certify_(certify), report_(report) {
    if (certify_) {
      before_ = p;
    }
  }

  using midend::clean_up_observer::planned;

  template <class E> void planned(const E&, const midend::common_value_plan&) { wait_for(motion_witness()); }

  template <class E> void planned(const E&, const midend::hoisting_plan&) { wait_for(motion_witness()); }

  template <class E> void planned(const E&, const midend::range_test_plan&) { wait_for(range_test_witness()); }

  template <class E, class Found>
  void planned(const E&, const Found& found, const midend::sccp_plan<std::uint64_t>& plan) {
    wait_for(found, plan);
  }

  template <class E, class Found>
  void planned(const E&, const Found& found, const midend::value_numbering_plan<std::uint64_t>& plan) {
    wait_for(found, plan);
  }

  template <class E> void applied(const E&) { done(why_ ? why_() : std::nullopt); }

  /// The low-level package has no certificate.
  template <class E> void applied(const E&, const midend::package_log&) { done(std::nullopt); }

  template <class E> void applied(const E&, const midend::removal_witness& witness) {
    done(certify_ ? why_rejected(before_, p_, witness) : std::nullopt);
  }

  template <class E> void applied(const E&, const midend::reverse_unfolding& split) {
    done(certify_ ? why_rejected(before_, p_, split) : std::nullopt);
  }

  template <class E> void applied(const E&, const midend::unfolding_witness& witness) {
    name_what_is_new(p_, witness);
    done(certify_ ? why_rejected(before_, p_, implied_branches_witness{witness}) : std::nullopt);
  }

protected:
  /// A step is done, and this is what is wrong with it.
  void done(std::optional<std::string> why) {
    if (certify_ && !report_.fault) {
      report_.fault = std::move(why);
      report_.is_certified = true;
      before_ = p_;
    }
    why_ = nullptr;
  }

  bool certifies() const { return certify_; }

  /// Before and after the last step.
  const midend::elbrus::procedure& before() const { return before_; }

  midend::elbrus::procedure& after() { return p_; }

private:
  /// What is checked when the plan is done.
  template <class... Witness> void wait_for(const Witness&... witness) {
    if (certify_) {
      why_ = [this, witness...] { return why_rejected(before_, p_, witness...); };
    }
  }

  midend::elbrus::procedure& p_;
  bool certify_;
  pass_report& report_;
  midend::elbrus::procedure before_; ///< the last step
  std::function<std::optional<std::string>()> why_;
};

} // namespace midend_tool
