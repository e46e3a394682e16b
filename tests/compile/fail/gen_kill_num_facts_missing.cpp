// expect: has_num_facts
#include "midend/dataflow/gen_kill.hpp"

struct problem {
  static constexpr auto direction = midend::flow_direction::forward;
  static constexpr auto confluence = midend::flow_confluence::may;
#ifdef MIDEND_FIXED
  std::size_t num_facts() const { return 0; }
#endif
  template <class Effects> void effects(midend::node_id, Effects&) const {}
};

void use() {
  static_cast<void>(midend::gen_kill(midend::csr_graph(), problem{}));
}
