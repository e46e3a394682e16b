// expect: has_direction
#include "midend/dataflow/gen_kill.hpp"

struct problem {
#ifdef MIDEND_FIXED
  static constexpr auto direction = midend::flow_direction::forward;
#endif
  static constexpr auto confluence = midend::flow_confluence::may;

  std::size_t num_facts() const { return 0; }

  template <class Effects> void effects(midend::node_id, Effects&) const {}
};

void use() {
  static_cast<void>(midend::gen_kill(midend::csr_graph(), problem{}));
}
