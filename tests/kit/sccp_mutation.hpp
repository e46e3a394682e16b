/// Results of constant propagation that are wrong on purpose.
#pragma once

#include <midend/dataflow/lattice_elements.hpp>
#include <midend/ssa/sccp_result.hpp>

/// Makes wrong results.
struct midend::detail::sccp_mutation {
  template <class D> static void set_fact(sccp_result<D>& r, value_id v, const element_of<D>& fact) {
    r.facts_.data()[v] = fact;
    r.without_value_.reset(v);
  }

  template <class D> static void set_absent(sccp_result<D>& r, value_id v) { r.without_value_.set(v); }

  template <class D> static void set_undefined(sccp_result<D>& r, value_id v, bool is) {
    is ? r.undefined_.set(v) : r.undefined_.reset(v);
  }

  template <class D> static void set_node(sccp_result<D>& r, node_id n, bool is) {
    is ? r.executable_nodes_.set(n) : r.executable_nodes_.reset(n);
  }

  template <class D> static void set_edge(sccp_result<D>& r, edge_id e, bool is) {
    is ? r.executable_edges_.set(e) : r.executable_edges_.reset(e);
  }
};
