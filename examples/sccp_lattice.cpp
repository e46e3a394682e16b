// Sparse conditional constant propagation over a domain of your own: whether numbers are even.
#include <midend/dataflow/value_domain.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/views/views.hpp>
#include <midend/ir/evaluate.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/viz/sccp.hpp>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>

namespace {

/// Bit 0: the number may be even; bit 1: it may be odd.
struct parity_domain {
  using element = unsigned;
  using constant_type = std::uint64_t;

  element bottom() const { return 0; }

  element top(unsigned) const { return 3; }

  element constant(unsigned, std::uint64_t c) const { return 1u << (c & 1); }

  bool join(element& a, element b) const {
    const element old = a;
    a |= b;
    return a != old;
  }

  std::optional<std::uint64_t> as_constant(element) const { return std::nullopt; } // parity makes none

  bool contains(unsigned, element a, std::uint64_t c) const { return (a >> (c & 1) & 1) != 0; }

  element transfer(const midend::operation_info& info, std::span<const element> args) const {
    using enum midend::operation;
    switch (info.code) {
    case add:
    case sub:
    case mul:
    case neg:
    case bit_and:
    case bit_or:
    case bit_xor:
    case bit_not:
    case copy:
      return last_bit({info.code, 1, 1, {}}, args); // depends on the last bits alone
    case equal:
      return args[0] == 0 || args[1] == 0 ? 0 : (args[0] & args[1]) != 0 ? 3 : 1;
    default:
      return 3;
    }
  }

private:
  /// By trying all that the last bits of one or two operands may be.
  element last_bit(const midend::operation_info& info, std::span<const element> args) const {
    element out = 0;
    for (std::uint64_t bits = 0; bits >> args.size() == 0; ++bits) {
      const std::uint64_t values[] = {bits & 1, bits >> 1};
      bool possible = true;
      for (std::size_t i = 0; i != args.size(); ++i) {
        possible = possible && contains(1, args[i], values[i]);
      }
      if (possible) {
        join(out, constant(1, midend::evaluate(info, {values, args.size()}).bits));
      }
    }
    return out;
  }
};

static_assert(midend::value_domain<parity_domain> && midend::has_value_transfer<parity_domain>);

constexpr const char* text = R"(
proc @steps(%k: i32) -> i32 {
  node entry:
    %start = mul.i32 %k, 2
    %odd = or.i32 %k, 1
    %step = mul.i32 %odd, 6
    br loop
  node loop:
    %n = phi.i32 [entry: %start], [next: %m]
    %c = cmp.eq.i32 %n, 7
    br %c ? seven : next
  node seven:
    ret 7
  node next:
    %m = add.i32 %n, %step
    %d = cmp.lt.i32 %m, 1000
    br %d ? loop : exit
  node exit:
    ret %m
}
)";

} // namespace

int main() {
  const midend::elbrus::parse_result parsed = midend::elbrus::parse(text);
  const midend::elbrus::procedure& procedure = parsed.program.procedures[0];
  const auto found = midend::sccp(midend::elbrus::semantic_view(procedure), parity_domain());
  constexpr const char* words[] = {"never computed", "even", "odd", "even or odd"};
  for (midend::value_id v = 0; v != found.num_values(); ++v) {
    if (!procedure.value_name(v).empty()) {
      std::printf("%%%s: %s\n", std::string(procedure.value_name(v)).c_str(), words[found.fact(v)]);
    }
  }
  for (midend::node_id n = 0; n != found.num_nodes(); ++n) {
    if (!found.is_executable(n)) {
      std::printf("%s is never executed\n", std::string(procedure.node_name(n)).c_str());
    }
  }
  return 0;
}
