/// Procedures and their passes in the JSON of iongraph, the viewer of SpiderMonkey's compiler.
#pragma once

#include <midend/elbrus/procedure.hpp>
#include <midend/graph/csr_graph.hpp>

#include <string>
#include <string_view>

namespace midend_tool {

/// Appends `"blocks":[…]` of a pass: schema version 1. The viewer needs exactly one backedge to a header, from a block
/// that does nothing else: where a loop has another form, a block `latch of …` is put on its backedges. It draws no
/// other cycles: an edge of an irreducible cycle becomes a line of its block. Unreachable blocks are left out.
void append_ion_blocks(std::string& out, const midend::elbrus::procedure& p);

/// The same for a graph without operations.
void append_ion_blocks(std::string& out, const midend::csr_graph& g);

} // namespace midend_tool
