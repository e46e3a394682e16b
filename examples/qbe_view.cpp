// A view over an IR like QBE's: temporaries without definitions, untyped constants, phis with one input for each
// predecessor, comparisons whose results have 32 bits. `numbered_ssa` numbers blocks and values.
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/ir/evaluate.hpp>
#include <midend/ir/numbered_ssa.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/viz/ir_errors.hpp>
#include <midend/viz/sccp.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <vector>

// The IR.
namespace {

enum class cls : std::uint16_t { w, l }; // 32 bits, 64 bits

struct ref {
  enum kind_type : std::uint16_t { none, tmp, con } kind = none;

  cls read_as = cls::w; // of a constant: how it is read
  std::uint32_t val = 0;

  friend bool operator==(ref, ref) = default;
};

enum class op : std::uint8_t { par, add, sub, mul, shl, ceq, cne, cslt, cult, extsw, loadw, storew };

struct ins {
  enum op op;
  enum cls cls;
  ref to;
  std::array<ref, 2> arg;
};

struct blk;

struct phi {
  enum cls cls;
  ref to;
  std::vector<const blk*> blks;
  std::vector<ref> args;
};

struct blk {
  const char* name;
  std::vector<phi> phis;
  std::vector<ins> code;
  ref jump;                     // decides, if there are two successors; the result of the function, if there is none
  std::vector<const blk*> next; // first the one for all values but 0
};

struct fn {
  const blk* start;
  std::vector<cls> tmp; // by temporary
  std::vector<std::int64_t> con;
  std::vector<const char*> names; // of temporaries
};

// The view.
// [view]
struct view : midend::numbered_ssa_form<const blk*, ref> {
  using constant_type = std::uint64_t;

  const fn& f;
  std::vector<const ins*> code; // by value in a node; null: a phi or a jump

  explicit view(const fn& function) : f(function) {
    const auto next = [](const blk* b) -> const auto& { return b->next; };
    assign(midend::numbered(f.start, next), ref(), [this](const blk* b, auto& out) {
      const auto read_as = [](cls c) {
        return [c](ref r) { return r.kind == ref::con ? ref{ref::con, c, r.val} : r; };
      };
      for (const phi& p : b->phis) {
        out.phi(p.to, p.blks, midend::mapped(p.args, read_as(p.cls)));
      }
      for (const ins& i : b->code) {
        code.resize(out.operation(i.to, midend::mapped(i.arg, read_as(i.cls))) + std::size_t{1});
        code.back() = &i;
      }
      out.branch(b->jump);
    });
    code.resize(num_placed());
  }

  static std::uint8_t bits(cls c) { return c == cls::w ? 32 : 64; }

  midend::operation_info operation(midend::value_id v) const {
    using enum midend::operation;
    static constexpr std::array codes{other,     add,  sub,   mul,         shl,   equal,
                                      not_equal, less, uless, sign_extend, other, other};
    const ref r = handle(v);
    const std::uint8_t width = bits(r.kind == ref::tmp ? f.tmp[r.val] : r.read_as);
    const ins* const i = v < num_placed() ? code[v] : nullptr;
    return {i == nullptr ? other : codes[static_cast<std::size_t>(i->op)], width, 32};
  }

  std::optional<std::uint64_t> constant(midend::value_id v) const {
    const ref r = handle(v);
    return r.kind != ref::con
               ? std::nullopt
               : std::optional(static_cast<std::uint64_t>(f.con[r.val]) & midend::low_ones(bits(r.read_as)));
  }

  std::optional<std::uint64_t> fold(midend::value_id, std::span<const std::uint64_t>) const { return std::nullopt; }

  std::optional<std::uint64_t> edge_case(midend::edge_id e) const {
    return successor_position(e) == 0 ? std::nullopt : std::optional<std::uint64_t>(0);
  }
};

// [end]

struct names {
  const view& ir;

  std::string value(midend::value_id v) const {
    const ref r = ir.handle(v);
    return r.kind == ref::tmp ? std::string("%") + ir.f.names[r.val] : std::string();
  }

  std::string node(midend::node_id n) const { return std::string("@") + ir.block_of(n)->name; }
};

} // namespace

int main() {
  // function w $f(w %n) {
  // @start  %n =w par
  //         %p =l par
  //         jmp @loop
  // @loop   %i =w phi @start 0, @latch %i1
  //         %x =w phi @start 1, @latch %x1
  //         %c =w csltw %i, 10
  //         jnz %c, @body, @end
  // @body   %d =w cnew %x, 1
  //         jnz %d, @odd, @step
  // @odd    jmp @step
  // @step   %y =w phi @body %x, @odd 2
  //         jnz %n, @latch, @latch
  // @latch  %x1 =w phi @step %y
  //         %i1 =w add %i, %x1
  //         jmp @loop
  // @end    storew %i, %p
  //         ret %i
  // }
  enum : std::uint32_t { n, p, i, i1, x, x1, c, d, y };

  const auto tmp = [](std::uint32_t number) { return ref{ref::tmp, cls::w, number}; };
  const auto con = [](std::uint32_t number) { return ref{ref::con, cls::w, number}; };
  blk start{"start", {}, {{op::par, cls::w, tmp(n), {}}, {op::par, cls::l, tmp(p), {}}}, {}, {}};
  blk loop{"loop", {}, {{op::cslt, cls::w, tmp(c), {tmp(i), con(3)}}}, tmp(c), {}};
  blk body{"body", {}, {{op::cne, cls::w, tmp(d), {tmp(x), con(1)}}}, tmp(d), {}};
  blk odd{"odd", {}, {}, {}, {}};
  blk step{"step", {}, {}, tmp(n), {}};
  blk latch{"latch", {}, {{op::add, cls::w, tmp(i1), {tmp(i), tmp(x1)}}}, {}, {&loop}};
  const blk end{"end", {}, {{op::storew, cls::w, ref(), {tmp(i), tmp(p)}}}, tmp(i), {}};
  start.next = {&loop};
  loop.next = {&body, &end};
  body.next = {&odd, &step};
  odd.next = {&step};
  step.next = {&latch, &latch};
  loop.phis = {{cls::w, tmp(i), {&start, &latch}, {con(0), tmp(i1)}},
               {cls::w, tmp(x), {&start, &latch}, {con(1), tmp(x1)}}};
  step.phis = {{cls::w, tmp(y), {&body, &odd}, {tmp(x), con(2)}}};
  latch.phis = {{cls::w, tmp(x1), {&step}, {tmp(y)}}}; // one input for two edges
  fn f{&start, std::vector<cls>(9, cls::w), {0, 1, 2, 10}, {"n", "p", "i", "i1", "x", "x1", "c", "d", "y"}};

  f.tmp[p] = cls::l;

  const view ir(f);
  if (const auto error = midend::check_ir(ir)) {
    std::printf("the view is wrong: %s\n", midend::to_text(*error, names{ir}).c_str());
    return 1;
  }
  const auto facts = midend::sccp_with_branch_facts(ir, midend::number_domain());
  std::printf("%s", midend::to_text(ir, facts, names{ir}).c_str());
  return 0;
}
