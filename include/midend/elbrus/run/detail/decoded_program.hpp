/// The procedures of a program in their flat form.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/run/detail/decode.hpp"
#include "midend/elbrus/run/detail/decoded_procedure.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Makes the flat form of a procedure when it is first called.
class decoded_program {
public:
  explicit decoded_program(std::span<const procedure> procedures)
      : procedures_(procedures), callees_(procedures), decoded_(procedures.size()) {}

  std::size_t size() const { return procedures_.size(); }

  const procedure& source(std::uint32_t number) const { return procedures_[number]; }

  /// The number of a procedure, or `none`.
  std::uint32_t find(std::string_view name) const { return callees_.find(name); }

  /// Stays where it is.
  const decoded_procedure& operator[](std::uint32_t number) {
    if (!decoded_[number].ready) {
      decoded_[number] = decoder(procedures_[number], callees_).run();
    }
    return decoded_[number];
  }

private:
  std::span<const procedure> procedures_;
  callee_table callees_;
  std::vector<decoded_procedure> decoded_;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
