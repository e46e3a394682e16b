/// Pictures of procedures of the Elbrus-like IR for Graphviz: `dot -Tsvg FILE.dot`.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/viz/detail/procedure_writer.hpp"

#include <string>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// `p` in the DOT language: operations in the nodes, phis apart above them, the profile as heat, loops as boxes.
///
/// - The title of a node has its name and count, and a colour from white to red by the logarithm of the count, relative
///   to the highest one of the procedure; without a count it is grey. What the program says of trip counts stands
///   beside it.
/// - Edges say for which value they are taken and how likely that is, and are the thicker the more often they are
///   taken, in the same scale. Edges back to the header of a loop are orange, retreating edges of irreducible flow
///   red and dashed. Parallel edges are lines of their own.
/// - Boxes are natural loops, with their depth and, if the profile tells, the average trip count.
/// - The entry has a green border; what it does not reach is dashed and grey. Erased nodes are not shown.
///
/// Nodes are named `nN`, boxes `cluster_loopL`; statements come in the order of numbers, so equal procedures give equal
/// text. Requires a procedure without errors of structure. O(size) beside dominators and loops; no recursion.
inline std::string to_dot(const procedure& p, const picture_options& options = {}) {
  midend::detail::procedure_writer writer(p, options);
  writer.open();
  if (options.loops) {
    writer.nested_loops();
  }
  writer.nodes_outside_of_loops();
  writer.edges();
  return std::move(writer).close();
}

} // namespace elbrus

MIDEND_END_NAMESPACE
