/// Random inputs for procedures that came from LLVM: arguments, memory full of addresses, and host functions.
#pragma once

#include <midend/elbrus/program.hpp>
#include <midend/elbrus/run/interpreter.hpp>

#include <array>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace midend_tests {

namespace elbrus = midend::elbrus;

/// Arguments and memory of one run.
struct random_input {
  std::vector<elbrus::scalar> arguments;
  elbrus::memory memory;
};

constexpr std::size_t bytes_per_array = 2048;

/// Numbers that programs like: mostly small ones, and addresses.
inline std::uint64_t random_word(std::mt19937_64& random, std::uint64_t arrays) {
  switch (random() % 8) {
  case 0:
    return random();
  case 1:
    return std::uint64_t{0} - random() % 4;
  case 2:
    return random() % 256;
  case 3:
  case 4:
    return random() % 8;
  default:
    return elbrus::memory::address_of(random() % arrays) + 8 * (random() % 3 == 0 ? random() % 32 : 0);
  }
}

/// Each address among the parameters gets an array of its own, and there are four more. All are full of addresses,
/// small numbers and a few others.
inline random_input random_input_of(const elbrus::procedure& p, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  random_input in;
  std::size_t addresses = 0;
  for (const midend::value_id v : p.parameters()) {
    addresses += p.value(v).type == elbrus::type::ptr ? 1u : 0u;
  }
  const std::size_t arrays = addresses + 4;
  for (std::size_t k = 0; k != arrays; ++k) {
    std::array<std::uint64_t, bytes_per_array / 8> words{};
    for (std::uint64_t& w : words) {
      w = random_word(random, arrays);
    }
    in.memory.add("m" + std::to_string(k), elbrus::type::i64, midend::span<const std::uint64_t>(words));
  }
  std::size_t next = 0;
  for (const midend::value_id v : p.parameters()) {
    const elbrus::type t = p.value(v).type;
    std::uint64_t bits = random_word(random, arrays);
    if (t == elbrus::type::ptr) {
      bits = elbrus::memory::address_of(next++);
    } else if (t == elbrus::type::f64 || t == elbrus::type::f80) {
      bits = elbrus::float_bits(elbrus::type::f64,
                                static_cast<double>(static_cast<std::int64_t>(random() % 2001) - 1000) / 8);
    } else if (t == elbrus::type::f32) {
      bits = elbrus::float_bits(t, static_cast<double>(random() % 100) / 4);
    }
    in.arguments.push_back(elbrus::literal_scalar(t, bits & midend::low_ones(elbrus::literal_width_of(t))));
  }
  return in;
}

/// Host functions for all that a program calls. A call returns what depends on its arguments and the memory that they
/// lead to, and changes that memory, unless some call of this function promises that it does not.
class random_host {
public:
  explicit random_host(const elbrus::program& all) {
    for (const elbrus::procedure& p : all.procedures) {
      for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
        for (const midend::value_id v : p.values(n)) {
          if (p.value(v).code == elbrus::opcode::call) {
            note(p, v);
          }
        }
      }
    }
  }

  elbrus::host_answer operator()(const elbrus::host_call& call) const {
    const std::string callee(call.callee);
    if (stops_.contains(callee)) {
      return elbrus::host_answer::stop();
    }
    std::uint64_t hash = 17;
    const auto mix = [&](std::uint64_t x) { hash = (hash ^ x) * 0x9e37'79b9'7f4a'7c15 ^ hash >> 29; };
    for (const char c : callee) {
      mix(static_cast<unsigned char>(c));
    }
    for (const elbrus::scalar& a : call.arguments) {
      mix(a.bits);
      mix(call.arrays.load(elbrus::type::i64, a.bits).value_or(1));
    }
    std::mt19937_64 random(hash);
    for (const elbrus::scalar& a : call.arguments) {
      if (!reads_only_.contains(callee)) {
        call.arrays.store(elbrus::type::i64, a.bits + 8 * (random() % 4),
                          random_word(random, call.arrays.num_arrays()));
      }
    }
    if (call.result == elbrus::type::none) {
      return elbrus::host_answer::done();
    }
    return elbrus::host_answer::of(random_word(random, call.arrays.num_arrays()) &
                                   midend::low_ones(elbrus::literal_width_of(call.result)));
  }

private:
  void note(const elbrus::procedure& p, midend::value_id v) {
    const std::string callee(p.text(p.call(v).callee));
    if (p.value(v).flags.noreturn) {
      stops_.insert(callee);
    }
    if (p.call(v).clobbers == elbrus::clobber_kind::nothing) {
      reads_only_.insert(callee);
    }
  }

  std::set<std::string> stops_;
  std::set<std::string> reads_only_;
};

} // namespace midend_tests
