/// `event_trace`: the effects of a run that can be observed from outside.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/scalar.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/support/span.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// An effect that can be observed from outside.
enum class event_kind : std::uint8_t {
  call,           ///< of a host function
  volatile_load,  ///< of the first argument, an address
  volatile_store, ///< to the first argument, of the second
};

/// Calls of host functions and volatile accesses, in their order.
class event_trace {
public:
  struct event {
    event_kind kind;
    std::string_view callee; ///< of a call
    span<const scalar> arguments;
    scalar result; ///< of type `none` if there is none

    friend bool operator==(const event& a, const event& b) {
      return a.kind == b.kind && a.callee == b.callee && is_same(a.result, b.result) &&
             std::equal(a.arguments.begin(), a.arguments.end(), b.arguments.begin(), b.arguments.end(), is_same);
    }

  private:
    /// Compares an `i64` with a `ptr`, too: an address may be passed as a copy of either type.
    static bool is_same(const scalar& a, const scalar& b) {
      return a.bits == b.bits && a.head == b.head && converts_freely(a.type, b.type);
    }
  };

  std::size_t size() const { return records_.size(); }

  event operator[](std::size_t i) const {
    const record& r = records_[i];
    return {r.kind, r.kind == event_kind::call ? std::string_view(callees_[r.callee]) : std::string_view(),
            span(arguments_.data() + r.first_argument, r.num_arguments), r.result};
  }

  void add(event_kind kind, std::string_view callee, span<const scalar> arguments, scalar result) {
    records_.push_back({kind, kind == event_kind::call ? number_of(callee) : 0, arguments_.size(),
                        static_cast<std::uint32_t>(arguments.size()), result});
    for (const scalar& argument : arguments) {
      arguments_.push_back(argument);
    }
  }

private:
  struct record {
    event_kind kind;
    std::uint32_t callee;
    std::size_t first_argument;
    std::uint32_t num_arguments;
    scalar result;
  };

  /// Linear in the number of names, which are few.
  std::uint32_t number_of(std::string_view callee) {
    std::size_t i = 0;
    while (i != callees_.size() && callees_[i] != callee) {
      ++i;
    }
    if (i == callees_.size()) {
      callees_.emplace_back(callee);
    }
    return static_cast<std::uint32_t>(i);
  }

  std::vector<record> records_;
  std::vector<scalar> arguments_;
  std::vector<std::string> callees_;
};

} // namespace elbrus

MIDEND_END_NAMESPACE
