// midend's own types model midend's concepts. The headers do not say so themselves: whoever includes one would pay for
// the checks.
#include <midend/dataflow/domains/congruence_domain.hpp>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/dataflow/domains/interval_domain.hpp>
#include <midend/dataflow/domains/known_bits_domain.hpp>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/dataflow/domains/strided_interval_domain.hpp>
#include <midend/dataflow/lattices/boolean.hpp>
#include <midend/dataflow/lattices/congruence.hpp>
#include <midend/dataflow/lattices/flat.hpp>
#include <midend/dataflow/lattices/interval.hpp>
#include <midend/dataflow/lattices/interval_known_bits.hpp>
#include <midend/dataflow/lattices/known_bits.hpp>
#include <midend/dataflow/lattices/powerset.hpp>
#include <midend/dataflow/lattices/sign.hpp>
#include <midend/dominance/detail/linked_tree.hpp>
#include <midend/dominance/detail/update_memory.hpp>
#include <midend/graph/csr_graph.hpp>
#include <midend/graph/forward_csr_graph.hpp>
#include <midend/machine/machine_model.hpp>
#include <midend/support/bit_row.hpp>

#include <doctest/doctest.h>

namespace {

using namespace midend;

static_assert(bidirectional_flow_graph<csr_graph> && edge_indexed_flow_graph<csr_graph>);
static_assert(edge_indexed_flow_graph<forward_csr_graph>);
static_assert(flow_graph<detail::tree_as_graph> && flow_graph<detail::local_graph>);
static_assert(change_reporting_bit_set<bit_row>);
static_assert(loop_machine<machine_model>);

template <class L> constexpr bool is_complete_lattice = bounded_lattice<L> && has_leq<L> && has_print<L>;

static_assert(is_complete_lattice<boolean>);
static_assert(is_complete_lattice<signed_congruence>);
static_assert(is_complete_lattice<flat<int>>);
static_assert(is_complete_lattice<known_bits>);
static_assert(is_complete_lattice<sign>);
static_assert(is_complete_lattice<signed_interval>);
static_assert(has_widen<signed_interval> && has_narrow<signed_interval>);
static_assert(is_complete_lattice<powerset<>>);
static_assert(has_explain_difference<powerset<>> && has_print_part<powerset<>>);
static_assert(bounded_lattice<interval_and_known_bits> && has_widen<interval_and_known_bits>);

template <class D> constexpr bool is_complete_domain = value_domain<D> && has_value_transfer<D> && has_contains<D>;

static_assert(value_domain<flat_domain<>>);
static_assert(is_complete_domain<congruence_domain> && has_size<congruence_domain> && has_assume<congruence_domain>);
static_assert(is_complete_domain<interval_domain>);
static_assert(is_complete_domain<known_bits_domain>);
static_assert(is_complete_domain<number_domain>);
static_assert(is_complete_domain<strided_interval_domain> && has_size<strided_interval_domain>);
static_assert(has_widen_of_width<strided_interval_domain> && has_assume<strided_interval_domain>);

} // namespace
