// Natural mistakes in costs, effects, machines and calls of the unrolling advice.
#include "right_ssa.hpp"

#include "midend/unrolling/advise_unrolling.hpp"

/// The right loop with a load of `parameter[i]`: v11.
struct with_load : right_cost {
  midend::memory_reference reference{.base = 3, .index = 5, .bytes = 4, .scale = 4};
  midend::effect_kind kind = midend::effect_kind::reads;
  std::optional<midend::operation_class> its_class = midend::operation_class::load;

  with_load() {
    v.push_back({.operands = {3, 5}});
    nodes[2] = {11, 8, 9};
  }

  std::optional<midend::operation_class> cost(value_id x) const { return x == 11 ? its_class : right_cost::cost(x); }

  midend::effect_kind effect(value_id x) const { return x == 11 ? kind : midend::effect_kind::none; }

  std::optional<midend::memory_reference> memory(value_id x) const {
    return x == 11 ? std::optional(reference) : std::nullopt;
  }
};

template <class IR> auto loops_of(const IR& ir) {
  return midend::natural_loops(ir.graph(), midend::dominators(ir.graph()));
}

template <class IR> auto advice_for(const IR& ir, midend::loop_id loop = 0) {
  return midend::advise_unrolling(ir, loops_of(ir), loop, midend::e2k_reference_v6());
}

// mistake: (nothing is wrong with the view from which the mistakes depart)
// works
RUN(right_costs) {
  EXPECT(!midend::check_ir(right_cost{}) && !midend::check_ir(with_load{}));
  EXPECT(!advice_for(with_load{}).candidates.empty());
}

// mistake: A load without the effect of reading
// run-time: v11 has the class of a load, but effect
RUN(load_without_effect) {
  with_load ir;
  ir.kind = midend::effect_kind::none;
  says(midend::check_ir(ir));
}

// mistake: A store that only reads
// run-time: v11 has the class of a store, but effect
RUN(store_that_reads) {
  with_load ir;
  ir.its_class = midend::operation_class::store;
  says(midend::check_ir(ir));
}

// mistake: The base of an address is not known: it may be anywhere
// works
RUN(address_without_base) {
  with_load ir;
  ir.reference.base = no_value;
  EXPECT(!midend::check_ir(ir) && !advice_for(ir).candidates.empty());
}

// mistake: The base of an address is the number of no value
// run-time: v11: the base of memory\(\), 99, is no value
RUN(base_out_of_range) {
  with_load ir;
  ir.reference.base = 99;
  says(midend::check_ir(ir));
}

// mistake: The address is computed after the load
// run-time: v11 in block 2: the index of memory\(\), v8, is not computed
RUN(address_computed_later) {
  with_load ir;
  ir.reference.index = 8;
  says(midend::check_ir(ir));
}

// mistake: A load also has a stored value
// run-time: v11 reads, but memory\(\) says that it stores
RUN(load_that_stores) {
  with_load ir;
  ir.reference.stored = 5;
  says(midend::check_ir(ir));
}

struct with_store : with_load {
  bool is_known = true;

  with_store() {
    kind = midend::effect_kind::writes;
    its_class = midend::operation_class::store;
  }

  std::optional<midend::memory_reference> memory(value_id x) const {
    return is_known ? with_load::memory(x) : std::nullopt;
  }
};

// mistake: A store does not say what it stores
// run-time: v11 writes, but memory\(\) does not say what
RUN(store_without_value) {
  says(midend::check_ir(with_store()));
}

// mistake: Nothing is known of the memory that a store writes
// works
RUN(store_anywhere) {
  with_store ir;
  ir.is_known = false;
  EXPECT(!midend::check_ir(ir) && !advice_for(ir).candidates.empty());
}

// mistake: `bytes` of an access is not set: it may overlap with all others
// works
RUN(access_of_0_bytes) {
  with_load ir;
  ir.reference.bytes = 0;
  EXPECT(!midend::check_ir(ir) && !advice_for(ir).candidates.empty());
}

// mistake: A branch in the middle of a block
// run-time: is not the last value
RUN(branch_in_the_middle) {
  with_load ir;
  ir.nodes[2] = {11, 9, 8};
  says(midend::check_ir(ir));
}

// mistake: Probabilities in percent
// run-time: block 1: the probability of edge 1 is above 1
RUN(probability_in_percent) {
  struct view : right_cost {
    double probability(edge_id e) const { return e == 1 ? 90 : e == 2 ? 10 : 1; }
  };

  says(midend::check_ir(view{}));
}

// mistake: Edge counts instead of probabilities
// run-time: the probability of edge
RUN(probability_is_a_count) {
  struct view : right_cost {
    std::uint32_t probability(edge_id) const { return 100; }
  };

  says(midend::check_ir(view{}));
}

// mistake: A class that does not exist, from a cast
// run-time: v8: cost\(\) is 99
RUN(class_from_a_cast) {
  struct view : right_cost {
    std::optional<midend::operation_class> cost(value_id x) const {
      return x == 8 ? std::optional(static_cast<midend::operation_class>(99)) : right_cost::cost(x);
    }
  };

  says(midend::check_ir(view{}));
}

// mistake: A loop that the forest does not have
// run-time: violation:
RUN(loop_out_of_range) {
  use(advice_for(right_cost{}, 1));
}

// mistake: The loops of another function
// run-time: violation:
RUN(loops_of_another_function) {
  const std::vector<midend::edge> edges{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 5}};
  const auto other = midend::csr_graph::from_edges(6, 0, edges).value();
  const auto loops = midend::natural_loops(other, midend::dominators(other));
  use(midend::advise_unrolling(right_cost{}, loops, 0, midend::e2k_reference_v6()));
}

static void read(const char* text) {
  const auto machine = midend::read_machine(std::span(text, std::strlen(text)));
  if (!machine) {
    std::printf("machine:%u:%u: %s\n", machine.error().line, machine.error().column,
                std::string(midend::to_text(machine.error().fault)).c_str());
  }
}

// mistake: A machine file with an unknown class
// run-time: machine:3:7:
RUN(machine_unknown_class) {
  read("machine m\nchannels = x\nclass add channels = x\n");
}

// mistake: A machine file with a channel that is not defined
// run-time: machine:2:
RUN(machine_unknown_channel) {
  read("machine m\nclass alu channels = x\n");
}

// mistake: A machine file with a latency in words
// run-time: machine:3:
RUN(machine_latency_in_words) {
  read("machine m\nchannels = x\nclass alu latency = two\n");
}

// mistake: A machine file with an error is used without a look
// run-time: violation:
RUN(machine_not_asked) {
  const char text[] = "machine m\nclass alu channels = x\n";
  use(midend::read_machine(std::span(text, sizeof(text) - 1)).value());
}

// mistake: The machine issues no additions: the file forgets a class that the loop needs
// run-time: not unrolled: an operation needs a channel or resource that the machine does not have
RUN(machine_without_a_class) {
  const char text[] = "machine m\nchannels = x\nclass branch channels = x\nclass compare channels = x\n";
  const auto machine = midend::read_machine(std::span(text, sizeof(text) - 1));
  const right_cost ir;
  const auto advice = midend::advise_unrolling(ir, loops_of(ir), 0, *machine);
  std::printf("%s", midend::to_text(advice, *machine).c_str());
}

// mistake: The cost of an operation is not an optional
// works
RUN(cost_is_no_optional) {
  struct view : right_cost {
    midend::operation_class cost(value_id x) const {
      return right_cost::cost(x).value_or(midend::operation_class::alu);
    }
  };

  EXPECT(!advice_for(view{}).candidates.empty());
}

// ---- What does not compile.

// mistake: Constants are signed
// compile-time: midend: .*uint64_t
#ifdef MISTAKE_cost_of_signed_constants
struct view : right_cost {
  using constant_type = std::int64_t;

  std::optional<std::int64_t> constant(value_id) const { return {}; }

  std::optional<std::int64_t> fold(value_id, std::span<const std::int64_t>) const { return {}; }

  std::optional<std::int64_t> edge_case(edge_id) const { return {}; }
};

RUN(cost_of_signed_constants) {
  use(advice_for(view{}));
}
#endif

// mistake: Costs are cycles
// compile-time: midend: .*cost
#ifdef MISTAKE_cost_in_cycles
struct view : right_cost {
  int cost(value_id) const { return 3; }
};

RUN(cost_in_cycles) {
  use(advice_for(view{}));
}
#endif

// mistake: `effect` returns whether there is one
// compile-time: midend: .*effect
#ifdef MISTAKE_effect_is_bool
struct view : right_cost {
  bool effect(value_id) const { return false; }
};

RUN(effect_is_bool) {
  use(advice_for(view{}));
}
#endif

// mistake: A view of the semantics rung alone
// compile-time: midend: .*cost
#ifdef MISTAKE_no_cost
RUN(no_cost) {
  use(advice_for(right_ssa{}));
}
#endif

// mistake: `probability` takes nodes: it would never be called
// compile-time: midend: `probability`
#ifdef MISTAKE_probability_of_nodes
struct view : right_cost {
  double probability(node_id, node_id) const { return 0.5; }
};

RUN(probability_of_nodes) {
  use(advice_for(view{}));
}
#endif

// mistake: `may_reassociate` is not `const`: it would never be called
// compile-time: midend: `may_reassociate`
#ifdef MISTAKE_may_reassociate_not_const
struct view : right_cost {
  bool may_reassociate(value_id) { return true; }
};

RUN(may_reassociate_not_const) {
  use(advice_for(view{}));
}
#endif

// mistake: `guard` without `unguarded`: it would never be called
// compile-time: midend: .*unguarded
#ifdef MISTAKE_guard_without_unguarded
struct view : right_cost {
  midend::guard_of_value guard(value_id) const { return {}; }
};

RUN(guard_without_unguarded) {
  use(advice_for(view{}));
}
#endif

// mistake: `trip_hints` returns the average
// compile-time: midend: `trip_hints`
#ifdef MISTAKE_trip_hints_is_a_number
struct view : right_cost {
  double trip_hints(node_id) const { return 100; }
};

RUN(trip_hints_is_a_number) {
  use(advice_for(view{}));
}
#endif

// mistake: A machine that is the name of a file
// compile-time: midend: a machine needs
#ifdef MISTAKE_machine_is_a_name
RUN(machine_is_a_name) {
  const right_cost ir;
  use(midend::advise_unrolling(ir, loops_of(ir), 0, "my.machine"));
}
#endif

// mistake: What `read_machine` returns, not its `value()`
// compile-time: midend: a machine needs .*value\(\)
#ifdef MISTAKE_machine_file_without_value
RUN(machine_file_without_value) {
  const right_cost ir;
  const char text[] = "machine m\n";
  use(midend::advise_unrolling(ir, loops_of(ir), 0, midend::read_machine(std::span(text, sizeof(text) - 1))));
}
#endif

// mistake: A machine with latencies of classes alone
// compile-time: midend: a machine needs .*latency
#ifdef MISTAKE_latency_of_a_class
struct own_machine : midend::machine_model {
  std::uint32_t latency(midend::operation_class) const { return 1; }
};

RUN(latency_of_a_class) {
  const right_cost ir;
  use(midend::advise_unrolling(ir, loops_of(ir), 0, own_machine()));
}
#endif

// mistake: `channels` of a machine returns a list
// compile-time: midend: a machine needs .*channels
#ifdef MISTAKE_channels_as_a_list
struct own_machine : midend::machine_model {
  std::vector<int> channels(midend::operation_class) const { return {}; }
};

RUN(channels_as_a_list) {
  const right_cost ir;
  use(midend::advise_unrolling(ir, loops_of(ir), 0, own_machine()));
}
#endif

// mistake: `use` of a machine takes the name of a resource
// compile-time: midend: a machine needs .*use\(
#ifdef MISTAKE_resources_by_name
struct own_machine : midend::machine_model {
  std::uint32_t use(midend::operation_class, const char*) const { return 0; }
};

RUN(resources_by_name) {
  const right_cost ir;
  use(midend::advise_unrolling(ir, loops_of(ir), 0, own_machine()));
}
#endif

// mistake: `excludes` of a machine is not `const`
// compile-time: midend: a machine needs .*excludes
#ifdef MISTAKE_excludes_not_const
struct own_machine : midend::machine_model {
  bool excludes(midend::operation_class, midend::operation_class) { return false; }
};

RUN(excludes_not_const) {
  const right_cost ir;
  use(midend::advise_unrolling(ir, loops_of(ir), 0, own_machine()));
}
#endif

// mistake: `code_bytes` of a machine is the same for all classes
// compile-time: midend: a machine needs .*code_bytes
#ifdef MISTAKE_code_bytes_without_class
struct own_machine : midend::machine_model {
  std::uint32_t code_bytes() const { return 4; }
};

RUN(code_bytes_without_class) {
  const right_cost ir;
  use(midend::advise_unrolling(ir, loops_of(ir), 0, own_machine()));
}
#endif

// mistake: `value` of a machine takes the name of a field
// compile-time: midend: the machine of a loop needs .*value
#ifdef MISTAKE_machine_values_by_name
struct own_machine : midend::machine_model {
  std::uint32_t value(const char*) const { return 0; }
};

RUN(machine_values_by_name) {
  const right_cost ir;
  use(midend::advise_unrolling(ir, loops_of(ir), 0, own_machine()));
}
#endif

// mistake: The same; the form with a workspace
// compile-time: midend: the machine of a loop needs .*value
#ifdef MISTAKE_machine_with_workspace
struct own_machine : midend::machine_model {
  std::uint32_t value(const char*) const { return 0; }
};

RUN(machine_with_workspace) {
  const right_cost ir;
  midend::advise_unrolling_workspace workspace;
  midend::unrolling_advice out;
  midend::advise_unrolling(ir, loops_of(ir), 0, own_machine(), {}, workspace, out);
}
#endif

// mistake: The bound of a mix of operations, on the name of a machine
// compile-time: midend: a machine needs .*num_channels
#ifdef MISTAKE_bound_of_no_machine
RUN(bound_of_no_machine) {
  use(midend::resource_bound("e2k", midend::operation_mix()));
}
#endif

// mistake: The size of code, of a machine without one
// compile-time: midend: a machine needs .*code_bytes
#ifdef MISTAKE_code_size_of_no_machine
struct own_machine {};

RUN(code_size_of_no_machine) {
  use(midend::least_code_bytes(own_machine(), midend::operation_mix(), 1));
}
#endif

// mistake: An operation of a dependence graph, without a latency
// compile-time: midend: a machine needs .*latency
#ifdef MISTAKE_operation_of_no_machine
struct own_machine {};

RUN(operation_of_no_machine) {
  midend::dependence_graph body;
  use(body.add_operation(own_machine(), midend::operation_class::alu));
}
#endif

// mistake: Names of a report that are a list
// compile-time: midend: the names of a report need
#ifdef MISTAKE_report_without_names
RUN(report_without_names) {
  const right_cost ir;
  use(midend::to_text(advice_for(ir), midend::e2k_reference_v6(), std::vector<std::string>()));
}
#endif
