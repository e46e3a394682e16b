#include "transformation_pass.hpp"

#include "program_names.hpp"

#include <midend/graph/concepts.hpp>
#include <midend/transform/verify_removal.hpp>
#include <midend/transform/verify_unfolding.hpp>
#include <midend/viz/certificates.hpp>

namespace midend_tool {
namespace {

using midend::edge_id;
using midend::elbrus::procedure;

/// Names of one version of a procedure, with its edges.
class version_names {
public:
  explicit version_names(const procedure& p) : procedure_(p), names_(p) {}

  std::string value(midend::value_id v) const {
    const std::string name = names_.value(v);
    return name.empty() ? "operation " + std::to_string(v) : name;
  }

  std::string node(midend::node_id n) const { return names_.node(n); }

  std::string edge(edge_id e) const {
    return procedure_.edge_source(e) == midend::no_node
               ? "edge " + std::to_string(e)
               : names_.node(procedure_.edge_source(e)) + " -> " + names_.node(procedure_.edge_target(e));
  }

private:
  const procedure& procedure_;
  program_names names_;
};

} // namespace

std::optional<std::string> why_rejected(const procedure& before, const procedure& after,
                                        const midend::unfolding_witness& witness) {
  const midend::unfolding_verdict verdict =
      midend::verify_unfolding(midend::elbrus::effect_view(before), midend::elbrus::effect_view(after), witness);
  return verdict ? std::nullopt : std::optional(midend::to_text(verdict, version_names(after), version_names(before)));
}

std::optional<std::string> why_rejected(const procedure& before, const procedure& after,
                                        const midend::removal_witness& witness) {
  const midend::removal_verdict verdict =
      midend::verify_removal(midend::elbrus::effect_view(before), midend::elbrus::effect_view(after), witness);
  return verdict ? std::nullopt : std::optional(midend::to_text(verdict, version_names(before)));
}

} // namespace midend_tool
