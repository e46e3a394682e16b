// expect: has_effects
#include "midend/dataflow/gen_kill.hpp"

struct problem {
  static constexpr auto direction = midend::flow_direction::forward;
  static constexpr auto confluence = midend::flow_confluence::may;

  std::size_t num_facts() const { return 0; }
#ifdef MIDEND_FIXED
  template <class Effects> void effects(midend::node_id, Effects&) const {}
#endif
};

void use() {
  static_cast<void>(midend::gen_kill(midend::csr_graph(), problem{}));
}
