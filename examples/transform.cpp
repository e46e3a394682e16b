// transform: a loop is rotated, cleaned and peeled; each change has a certificate, and a recording takes it back.
#include <midend/elbrus/equal.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/ir/frozen.hpp>
#include <midend/transform.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace elbrus = midend::elbrus;
using midend::edge_id;
using midend::node_id;

namespace {

constexpr const char* text = "proc @sum(%a: ptr, %n: i32) -> i32 {\n"
                             "  node entry:\n"
                             "    br test\n"
                             "  node test:\n"
                             "    %i = phi.i32 [entry: 0], [body: %i1]\n"
                             "    %s = phi.i32 [entry: 0], [body: %s1]\n"
                             "    %more = cmp.lt.i32 %i, %n\n"
                             "    br %more ? body : exit\n"
                             "  node body:\n"
                             "    %v = ld.i32 [%a + %i*4]\n"
                             "    %s1 = add.i32 %s, %v\n"
                             "    %i1 = add.i32 %i, 1\n"
                             "    br test\n"
                             "  node exit:\n"
                             "    ret %s\n"
                             "}\n";

// [peel]
/// Peels one iteration: a copy of the loop runs once before it.
template <midend::unfolding_editor E>
midend::unfolding_witness peel(E& editor, const midend::loop_forest& loops, midend::loop_id loop) {
  midend::unfolding<E> u(editor);
  std::vector<edge_id> entering;
  for (const midend::loop_edge& e : loops.entering_edges(loop)) {
    entering.push_back(e.id);
  }
  midend::flat_array<node_id> copies;
  u.duplicate_region(loops.blocks(loop), copies); // the header is first
  std::vector<node_id> copy_of(loops.num_nodes(), midend::no_node);
  for (std::size_t i = 0; i != copies.size(); ++i) {
    copy_of[loops.blocks(loop)[i]] = copies[i];
  }
  for (const edge_id e : entering) {
    u.lead(e, copies[0]);
  }
  for (const node_id copy : copies) { // its backedges lead to the loop, all other edges inside stay in the copy
    for (const edge_id e :
         std::vector<edge_id>(editor.graph().out_edges(copy).begin(), editor.graph().out_edges(copy).end())) {
      const node_id target = editor.graph().edge_target(e);
      if (loops.contains(loop, target) && target != loops.header(loop)) {
        u.lead(e, copy_of[target]);
      }
    }
  }
  u.finish(); // phis and SSA form
  return u.take_witness();
}

// [end]

void certify(const char* what, const elbrus::procedure& before, const elbrus::procedure& after,
             const midend::unfolding_witness& witness) {
  const auto verdict = midend::verify_unfolding(elbrus::effect_view(before), elbrus::effect_view(after), witness);
  std::printf("%s: %s\n", what, verdict ? "certified" : "wrong");
}

} // namespace

int main() {
  elbrus::procedure p = elbrus::parse(text).program.procedures[0];
  const elbrus::procedure original = p;

  // [rotate]
  midend::recording_editor<elbrus::editor> editor(p);
  const auto rotated = midend::rotate_loops(editor);
  certify("rotated", original, p, rotated.witness);
  std::printf("%zu loop rotated, %zu edits\n", rotated.plan.rotations.size(), editor.num_edits());
  // [end]
  std::fputs(elbrus::to_text(p).c_str(), stdout);

  // [clean]
  elbrus::procedure before = p;
  midend::clean_control(editor, [&](const midend::unfolding_witness& witness) {
    certify("cleaned", before, p, witness);
    before = p;
  });
  // [end]
  std::fputs(elbrus::to_text(p).c_str(), stdout);

  // [undo]
  editor.undo();
  std::printf("taken back: %s\n", elbrus::equal(p, original) ? "equal" : "different");
  // [end]

  // [frozen]
  const midend::flat_program old = midend::frozen(editor);
  const auto found = midend::dominators_and_loops(editor.graph());
  const midend::unfolding_witness witness = peel(editor, found.loops, 0);
  std::printf("peeled: %s\n", midend::verify_unfolding(old, editor, witness) ? "certified" : "wrong");
  // [end]

  // [wrong]
  midend::unfolding_witness nothing;
  nothing.start(p.num_nodes(), p.num_edges(), p.num_values());
  std::printf("another witness: %s\n", midend::verify_unfolding(old, editor, nothing) ? "certified" : "wrong");
  // [end]
}
