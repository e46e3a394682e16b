// Operations whose operands have another width than the operation reads, and comparisons wider than one bit: each
// transfer function of each domain against `evaluate`, for facts, reads and results of 1 to 4 bits.
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/congruence_domain.hpp>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/dataflow/domains/interval_domain.hpp>
#include <midend/dataflow/domains/known_bits_domain.hpp>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/dataflow/domains/strided_interval_domain.hpp>
#include <midend/ir/evaluate.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

using namespace midend_tests;
using midend::element_of;
using midend::operation;
using midend::operation_flags;
using midend::operation_info;

static_assert(midend::reads_any_width<midend::flat_domain<>> && midend::reads_any_width<midend::interval_domain>);
static_assert(midend::reads_any_width<midend::known_bits_domain> && midend::reads_any_width<midend::number_domain>);
static_assert(midend::reads_any_width<midend::strided_interval_domain>);
static_assert(!midend::reads_any_width<midend::congruence_domain>);

namespace {

constexpr unsigned most_bits = 4;

/// Bit x is set if number x is a member.
using members = std::uint32_t;

/// A fact about values of `width` bits, and the values that it allows.
template <class D> struct sample {
  unsigned width;
  element_of<D> fact;
  members set;
};

template <class D> void add_sample(std::vector<sample<D>>& out, unsigned width, const element_of<D>& fact) {
  sample<D> made{width, fact, 0};
  for (std::uint64_t x = 0; x <= midend::low_ones(width); ++x) {
    if (!midend::is_bottom(D(), fact) && midend::may_be(D(), width, fact, x)) {
      made.set |= members{1} << x;
    }
  }
  for (const sample<D>& other : out) {
    if (other.width == width && other.fact == fact) {
      return;
    }
  }
  out.push_back(made);
}

/// Bottom, top, and the facts that are smallest around a set of numbers: all sets of up to 3 bits, and for 4 bits
/// intervals, halves and other sets.
template <class D> std::vector<sample<D>> facts_of(unsigned width) {
  std::vector<sample<D>> out;
  add_sample<D>(out, width, D().bottom());
  add_sample<D>(out, width, D().top(width));
  const members all = static_cast<members>(midend::low_ones(1u << width));
  for (members set = 1; set <= all; set += width == 4 && set > 8 ? 1 + set * 5 / 4 % 1499 : 1) {
    element_of<D> fact = D().bottom();
    for (std::uint64_t x = 0; x <= midend::low_ones(width); ++x) {
      if ((set >> x & 1) != 0) {
        D().join(fact, D().constant(width, x));
      }
    }
    add_sample<D>(out, width, fact);
  }
  return out;
}

template <class D> std::vector<sample<D>> facts_of_all_widths() {
  std::vector<sample<D>> out;
  for (unsigned width = 1; width <= most_bits; ++width) {
    const std::vector<sample<D>> some = facts_of<D>(width);
    const std::size_t step = some.size() / 20 + 1;
    for (std::size_t i = 0; i < some.size(); i += i < 2 ? 1 : step) {
      out.push_back(some[i]);
    }
  }
  return out;
}

/// The vocabulary, with all widths that an operation may have.
std::vector<operation_info> operations() {
  std::vector<operation_info> out;
  for (unsigned i = 1; i <= static_cast<unsigned>(midend::last_operation); ++i) {
    const auto code = static_cast<operation>(i);
    const bool has_two_widths =
        (code >= operation::equal && code <= operation::sign_extend) || midend::is_modulo_shift(code);
    for (std::uint8_t width = 1; width <= most_bits; ++width) {
      for (std::uint8_t from = has_two_widths ? 1 : most_bits; from <= most_bits; ++from) {
        out.push_back({code, width, from, {}});
      }
      for (const operation promising :
           {operation::add, operation::sub, operation::mul, operation::neg, operation::shl}) {
        if (code == promising) {
          out.push_back({code, width, 64, {true, false}});
          out.push_back({code, width, 64, {false, true}});
        }
      }
    }
  }
  return out;
}

std::string name_of(const operation_info& info) {
  return join("operation ", static_cast<unsigned>(info.code), " of width ", static_cast<unsigned>(info.width),
              ", operands of ", static_cast<unsigned>(info.operand_width), info.flags.no_signed_wrap ? " nsw" : "",
              info.flags.no_unsigned_wrap ? " nuw" : "");
}

/// The transfer function, as `sccp` calls it.
template <class D> element_of<D> result_of(const operation_info& info, std::span<const sample<D>* const> args) {
  std::array<element_of<D>, 3> facts{D().bottom(), D().bottom(), D().bottom()};
  for (unsigned i = 0; i != args.size(); ++i) {
    facts[i] = args[i]->fact;
    if (!midend::reads_any_width<D> && !midend::reads_whole(info.code, i)) {
      facts[i] = midend::read_as(D(), midend::read_width(info), facts[i], args[i]->width);
    }
  }
  return D().transfer(info, {facts.data(), args.size()});
}

/// By the values that the arguments allow, as far as they are known: the set of results.
class images {
public:
  explicit images(const operation_info& info) : arity_(midend::arity(info.code)) {
    std::size_t i = 0;
    for (std::uint64_t a = 0; a != values; ++a) {
      for (std::uint64_t b = 0; b != (arity_ > 1 ? values : 1); ++b) {
        for (std::uint64_t c = 0; c != (arity_ > 2 ? values : 1); ++c) {
          const std::uint64_t args[] = {a, b, c};
          const midend::evaluation result = midend::evaluate(info, std::span(args).first(arity_));
          in_range_ = in_range_ && result.bits <= midend::low_ones(info.width);
          results_[i++] = result ? members{1} << result.bits : 0;
        }
      }
    }
  }

  bool in_range() const { return in_range_; }

  members of(members a, members b, members c) const {
    members out = 0;
    for (members x = a; x != 0; x &= x - 1) {
      for (members y = arity_ > 1 ? b : 1; y != 0; y &= y - 1) {
        for (members z = arity_ > 2 ? c : 1; z != 0; z &= z - 1) {
          out |= results_[(number(x) * (arity_ > 1 ? values : 1) + number(y)) * (arity_ > 2 ? values : 1) + number(z)];
        }
      }
    }
    return out;
  }

private:
  static constexpr std::uint64_t values = std::uint64_t{1} << most_bits;

  static std::size_t number(members rest) { return static_cast<std::size_t>(std::countr_zero(rest)); }

  unsigned arity_;
  bool in_range_ = true;
  std::array<members, values * values * values> results_{};
};

/// Calls `visit(args)` for combinations of facts: all pairs; of three operands, few third and second ones.
template <class D, class Visit>
void for_each_arguments(unsigned arity, const std::vector<sample<D>>& facts, Visit visit) {
  std::array<const sample<D>*, 3> args{};
  const std::size_t step = arity == 3 ? facts.size() / 12 + 1 : 1;
  for (const sample<D>& a : facts) {
    args[0] = &a;
    for (std::size_t j = 0; j < (arity > 1 ? facts.size() : 1); j += step) {
      args[1] = &facts[j];
      for (std::size_t k = 0; k < (arity > 2 ? facts.size() : 1); k += step) {
        args[2] = &facts[k];
        visit(std::span<const sample<D>* const>(args.data(), arity));
      }
    }
  }
}

} // namespace

TEST_CASE_TEMPLATE("operands and results of any width: nothing that can be is left out", D, midend::flat_domain<>,
                   midend::interval_domain, midend::known_bits_domain, midend::number_domain, midend::congruence_domain,
                   midend::strided_interval_domain) {
  const std::vector<sample<D>> facts = facts_of_all_widths<D>();
  std::size_t constants = 0;
  for (const operation_info& info : operations()) {
    const images wanted(info);
    CHECK_MESSAGE(wanted.in_range(), name_of(info));
    std::string wrong;
    for_each_arguments<D>(midend::arity(info.code), facts, [&](std::span<const sample<D>* const> args) {
      const element_of<D> found = result_of<D>(info, args);
      const auto set_of = [&](std::size_t i) { return i < args.size() ? args[i]->set : 0; };
      const members can_be = wanted.of(set_of(0), set_of(1), set_of(2));
      members allowed = 0;
      for (std::uint64_t x = 0; x <= midend::low_ones(info.width); ++x) {
        if (!midend::is_bottom(D(), found) && midend::may_be(D(), info.width, found, x)) {
          allowed |= members{1} << x;
        }
      }
      const std::optional<std::uint64_t> constant = D().as_constant(found);
      const bool in_range = midend::is_bottom(D(), found) || D().leq(found, D().top(info.width));
      // Constants in, constant out.
      bool is_exact = true;
      for (const sample<D>* arg : args) {
        is_exact = is_exact && D().as_constant(arg->fact).has_value();
      }
      constants += is_exact && constant ? 1u : 0u;
      is_exact = !is_exact || allowed == can_be;
      if (((can_be & ~allowed) != 0 || !in_range || !is_exact) && wrong.empty()) {
        for (const sample<D>* arg : args) {
          wrong += join(" ", arg->width, " bits, set ", arg->set, ";");
        }
        wrong += join(" can be ", can_be, ", allowed ", allowed, in_range ? "" : ", out of range");
      }
    });
    CHECK_MESSAGE(wrong.empty(), name_of(info), ":", wrong);
  }
  CHECK(constants > 10'000);
}

TEST_CASE_TEMPLATE("operands of any width: greater facts give greater results", D, midend::flat_domain<>,
                   midend::interval_domain, midend::known_bits_domain, midend::number_domain, midend::congruence_domain,
                   midend::strided_interval_domain) {
  std::vector<sample<D>> facts;
  for (const unsigned width : {2u, 3u}) {
    const std::vector<sample<D>> some = facts_of<D>(width);
    const std::size_t step = some.size() / 16 + 1;
    for (std::size_t i = 0; i < some.size(); i += i < 2 ? 1 : step) {
      facts.push_back(some[i]);
    }
  }
  for (const operation_info& info : operations()) {
    if (midend::arity(info.code) == 3 || info.width == 3) {
      continue;
    }
    std::size_t broken = 0;
    for_each_arguments<D>(midend::arity(info.code), facts, [&](std::span<const sample<D>* const> args) {
      const element_of<D> below = result_of<D>(info, args);
      for (std::size_t i = 0; i != args.size(); ++i) {
        std::array<const sample<D>*, 3> greater{args[0], args[args.size() - 1], nullptr};
        for (const sample<D>& s : facts) {
          if (s.width == args[i]->width && D().leq(args[i]->fact, s.fact)) {
            greater[i] = &s;
            broken += !D().leq(below, result_of<D>(info, {greater.data(), args.size()}));
          }
        }
      }
    });
    CHECK_MESSAGE(broken == 0, name_of(info));
  }
}

TEST_CASE_TEMPLATE("comparisons of 32 bits are 0, 1 or either", D, midend::flat_domain<>, midend::interval_domain,
                   midend::known_bits_domain, midend::number_domain, midend::congruence_domain,
                   midend::strided_interval_domain) {
  for (unsigned i = static_cast<unsigned>(operation::equal); i <= static_cast<unsigned>(operation::ugreater_equal);
       ++i) {
    const operation_info info{static_cast<operation>(i), 32, 32, {}};
    for (const std::uint64_t x : {0u, 5u, 0xffff'fffeu}) {
      for (const std::uint64_t y : {0u, 5u, 0xffff'fffeu}) {
        const element_of<D> args[] = {D().constant(32, x), D().constant(32, y)};
        const std::uint64_t numbers[] = {x, y};
        CHECK(D().as_constant(D().transfer(info, args)) == midend::evaluate(info, numbers).bits);
      }
      const element_of<D> args[] = {D().top(32), D().constant(32, x == 0 ? 7 : x)};
      const element_of<D> found = D().transfer(info, args);
      CHECK(midend::may_be(D(), 32, found, 0));
      CHECK(midend::may_be(D(), 32, found, 1));
    }
  }
}

TEST_CASE("the low half of a 64-bit number is read exactly where the facts allow it") {
  const midend::number_domain domain;
  using element = midend::number_domain::element;
  const auto between = [&](std::uint64_t low, std::uint64_t high) {
    element out = domain.constant(64, low);
    domain.join(out, domain.constant(64, high));
    domain.reduce(64, out);
    return out;
  };
  const auto compare = [&](operation code, const element& a, std::uint64_t c) {
    const element args[] = {a, domain.constant(32, c)};
    return domain.as_constant(domain.transfer({code, 32, 32, {}}, args));
  };
  CHECK(compare(operation::uless, between(3, 9), 10) == 1);
  CHECK(compare(operation::uless, between(0x5'0000'0003, 0x5'0000'0009), 10) == 1);
  CHECK(compare(operation::uless, between(0x5'0000'0003, 0x6'0000'0009), 10) == std::nullopt);
  CHECK(compare(operation::equal, domain.constant(64, 0x5'0000'0007), 7) == 1);
  CHECK(compare(operation::less, between(0x8000'0000, 0x8000'0001), 0) == 1); // negative as 32 bits
  // -1 in 8 bits is 255 where 32 are read.
  const element byte[] = {domain.constant(8, 255), domain.constant(32, 255)};
  CHECK(domain.as_constant(domain.transfer({operation::equal, 1, 32, {}}, byte)) == 1);
  element bytes = domain.constant(8, 254);
  domain.join(bytes, domain.constant(8, 255));
  const element args[] = {bytes, domain.constant(32, 0)};
  CHECK(domain.as_constant(domain.transfer({operation::less, 1, 32, {}}, args)) == 0);
}
