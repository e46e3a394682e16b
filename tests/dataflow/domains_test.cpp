#include "support/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/dataflow/domains/interval_domain.hpp>
#include <midend/dataflow/domains/known_bits_domain.hpp>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/ir/evaluate.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

using namespace midend_tests;
using midend::element_of;
using midend::operation;
using midend::operation_flags;
using midend::operation_info;

namespace {

/// A set of numbers of up to 5 bits.
using members = std::uint32_t;

template <class D> element_of<D> smallest(unsigned width, members set) {
  element_of<D> out = D().bottom();
  for (std::uint64_t x = 0; x != 32; ++x) {
    if ((set >> x & 1) != 0) {
      D().join(out, D().constant(width, x));
    }
  }
  return out;
}

template <class D> members allowed(unsigned width, const element_of<D>& a) {
  members out = 0;
  for (std::uint64_t x = 0; x <= midend::low_ones(width); ++x) {
    if (!midend::is_bottom(D(), a) && midend::may_be(D(), width, a, x)) {
      out |= members{1} << x;
    }
  }
  return out;
}

template <class D> std::string text_of(const element_of<D>& a) {
  midend::text_buffer buffer;
  D().print(buffer, a);
  return {buffer.data(), buffer.size()};
}

/// An element and what it allows.
template <class D> struct sample {
  element_of<D> element;
  members set;
};

/// All elements that are smallest around some set of numbers of a width of up to 4 bits, bottom first.
template <class D> std::vector<sample<D>> all_elements(unsigned width) {
  std::vector<sample<D>> out;
  const members count = width == 4 ? 65535 : static_cast<members>(midend::low_ones(1u << width));
  for (members set = 0; set <= count; ++set) {
    const element_of<D> a = smallest<D>(width, set);
    bool is_new = true;
    for (const sample<D>& other : out) {
      is_new = is_new && !(other.element == a);
    }
    if (is_new) {
      out.push_back({a, allowed<D>(width, a)});
    }
  }
  return out;
}

/// What an operation gives for all members of its arguments.
members image(const operation_info& info, std::span<const members> args) {
  members out = 0;
  std::array<std::uint64_t, 3> x{};
  const auto each = [&](auto&& self, std::size_t i) -> void {
    if (i == args.size()) {
      if (const midend::evaluation result = midend::evaluate(info, {x.data(), i})) {
        out |= members{1} << result.bits;
      }
      return;
    }
    for (x[i] = 0; x[i] != 32; ++x[i]) {
      if ((args[i] >> x[i] & 1) != 0) {
        self(self, i + 1);
      }
    }
  };
  each(each, 0);
  return out;
}

/// All operations of the vocabulary with arguments of `width` bits, with and without promises.
std::vector<operation_info> operations(unsigned width) {
  std::vector<operation_info> out;
  for (unsigned i = 1; i <= static_cast<unsigned>(operation::select); ++i) {
    operation_info info{
        static_cast<operation>(i), static_cast<std::uint8_t>(width), static_cast<std::uint8_t>(width), {}};
    switch (info.code) {
    case operation::truncate:
      --info.width;
      if (info.width == 0) {
        continue;
      }
      break;
    case operation::zero_extend:
    case operation::sign_extend:
      ++info.width;
      break;
    default:
      if (midend::is_comparison(info.code)) {
        info.width = 1;
      }
    }
    out.push_back(info);
    for (const operation code :
         {operation::add, operation::sub, operation::mul, operation::neg, operation::shl, operation::shladd}) {
      if (code == info.code) {
        for (const operation_flags flags :
             {operation_flags{true, false}, operation_flags{false, true}, operation_flags{true, true}}) {
          out.push_back({info.code, info.width, info.operand_width, flags});
        }
      }
    }
  }
  return out;
}

/// Calls `visit(elements, sets)` for each combination of arguments of an operation.
template <class D, class Visit>
void for_each_arguments(const operation_info& info, const std::vector<sample<D>>& samples, Visit visit) {
  std::array<element_of<D>, 3> elements{};
  std::array<members, 3> sets{};
  const unsigned count = midend::arity(info.code);
  const auto each = [&](auto&& self, std::size_t i) -> void {
    if (i == count) {
      visit(std::span<const element_of<D>>(elements.data(), i), std::span<const members>(sets.data(), i));
      return;
    }
    const bool is_condition = info.code == operation::select && i == 0;
    for (const sample<D>& s : is_condition ? all_elements<D>(1) : samples) {
      elements[i] = s.element;
      sets[i] = s.set;
      self(self, i + 1);
    }
  };
  each(each, 0);
}

struct precision {
  std::size_t cases = 0;
  std::size_t best = 0;
  std::string example = {};
};

std::string name_of(const operation_info& info) {
  return join("operation ", static_cast<unsigned>(info.code), info.flags.no_signed_wrap ? " nsw" : "",
              info.flags.no_unsigned_wrap ? " nuw" : "");
}

/// Nothing that can be is left out; how often nothing is in it that need not be, by operation.
template <class D> std::map<std::string, precision> check_transfers(unsigned width) {
  const std::vector<sample<D>> samples = all_elements<D>(width);
  std::map<std::string, precision> out;
  for (const operation_info& info : operations(width)) {
    if (midend::arity(info.code) == 3 && samples.size() > 50) {
      continue;
    }
    precision& counts = out[name_of(info)];
    bool sound = true;
    for_each_arguments<D>(info, samples, [&](std::span<const element_of<D>> args, std::span<const members> sets) {
      const members wanted = image(info, sets);
      const element_of<D> found = D().transfer(info, args);
      ++counts.cases;
      if ((wanted & ~allowed<D>(info.width, found)) != 0 || (found == D().bottom()) != midend::is_bottom(D(), found)) {
        sound = false;
      }
      const element_of<D> best = smallest<D>(info.width, wanted);
      if (found == best) {
        ++counts.best;
      } else if (counts.example.empty()) {
        for (const element_of<D>& a : args) {
          counts.example += text_of<D>(a) + "  ";
        }
        counts.example += "gives " + text_of<D>(found) + ", better is " + text_of<D>(best);
      }
    });
    CHECK_MESSAGE(sound, name_of(info), " of width ", width);
  }
  return out;
}

/// Greater arguments give greater results.
template <class D> void check_monotone(unsigned width) {
  const std::vector<sample<D>> samples = all_elements<D>(width);
  for (const operation_info& info : operations(width)) {
    if (midend::arity(info.code) == 3 && samples.size() > 12) {
      continue;
    }
    std::size_t broken = 0;
    for_each_arguments<D>(info, samples, [&](std::span<const element_of<D>> args, std::span<const members>) {
      const element_of<D> below = D().transfer(info, args);
      std::array<element_of<D>, 3> greater{};
      for (std::size_t i = 0; i != args.size(); ++i) {
        std::copy(args.begin(), args.end(), greater.begin());
        for (const sample<D>& s : info.code == operation::select && i == 0 ? all_elements<D>(1) : samples) {
          if (D().leq(args[i], s.element)) {
            greater[i] = s.element;
            broken += !D().leq(below, D().transfer(info, {greater.data(), args.size()}));
          }
        }
      }
    });
    CHECK_MESSAGE(broken == 0, name_of(info), " of width ", width);
  }
}

/// What is assumed to hold is not lost, and nothing is won that was not there.
template <class D> void check_assumptions(unsigned width) {
  const std::vector<sample<D>> samples = all_elements<D>(width);
  for (const operation_info& info : operations(width)) {
    if (!midend::is_comparison(info.code)) {
      continue;
    }
    bool sound = true;
    bool smaller = true;
    for (const sample<D>& a : samples) {
      for (const sample<D>& b : samples) {
        element_of<D> x = a.element;
        element_of<D> y = b.element;
        D().assume(info.code, width, x, y);
        smaller = smaller && D().leq(x, a.element) && D().leq(y, b.element);
        for (std::uint64_t i = 0; i <= midend::low_ones(width); ++i) {
          for (std::uint64_t j = 0; j <= midend::low_ones(width); ++j) {
            if ((a.set >> i & b.set >> j & 1) != 0 && midend::detail::compare(info.code, i, j, width)) {
              sound = sound && (allowed<D>(width, x) >> i & 1) != 0 && (allowed<D>(width, y) >> j & 1) != 0;
            }
          }
        }
      }
    }
    CHECK_MESSAGE(sound, name_of(info), " of width ", width);
    CHECK_MESSAGE(smaller, name_of(info), " of width ", width);
  }
}

template <class D> std::string report(const std::map<std::string, precision>& all) {
  std::string out;
  for (const auto& [name, counts] : all) {
    if (counts.best != counts.cases) {
      out += join(name, ": best in ", counts.best, " of ", counts.cases, ": ", counts.example, "\n");
    }
  }
  return out;
}

} // namespace

TEST_CASE_TEMPLATE("transfers are sound", D, midend::flat_domain<>, midend::interval_domain, midend::known_bits_domain,
                   midend::number_domain) {
  for (const unsigned width : {1u, 2u, 3u}) {
    const auto counts = check_transfers<D>(width);
    MESSAGE(width, "\n", report<D>(counts));
  }
}

TEST_CASE_TEMPLATE("transfers are monotone", D, midend::flat_domain<>, midend::interval_domain,
                   midend::known_bits_domain, midend::number_domain) {
  for (const unsigned width : {1u, 2u, 3u}) {
    check_monotone<D>(width);
  }
}

TEST_CASE_TEMPLATE("assumptions are sound", D, midend::flat_domain<>, midend::interval_domain,
                   midend::known_bits_domain, midend::number_domain) {
  for (const unsigned width : {1u, 2u, 3u}) {
    check_assumptions<D>(width);
  }
}
