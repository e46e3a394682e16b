/// Results of constant propagation that are wrong on purpose.
#pragma once

#include <midend/dataflow/lattice_elements.hpp>
#include <midend/ssa/sccp_result.hpp>

/// Makes wrong results.
struct midend::detail::sccp_mutation {
  template <class D> static void set_fact(sccp_result<D>& r, value_id v, const element_of<D>& fact) {
    r.facts_.data()[v] = fact;
    r.reset(r.without_value_, v);
  }

  template <class D> static void set_absent(sccp_result<D>& r, value_id v) { r.set(r.without_value_, v); }

  template <class D> static void set_undefined(sccp_result<D>& r, value_id v, bool is) {
    is ? r.set(r.undefined_, v) : r.reset(r.undefined_, v);
  }

  template <class D> static void set_node(sccp_result<D>& r, node_id n, bool is) {
    is ? r.set(r.executable_nodes_, n) : r.reset(r.executable_nodes_, n);
  }

  template <class D> static void set_edge(sccp_result<D>& r, edge_id e, bool is) {
    is ? r.set(r.executable_edges_, e) : r.reset(r.executable_edges_, e);
  }
};
