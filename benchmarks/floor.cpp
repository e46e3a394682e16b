// dfs/floor: the ruler that everything else is compared with. A depth-first search by hand over the two arrays, offsets
// and targets, of the graphs that midend's analyses get, that computes preorder and postorder numbers, with buffers
// that are sized once for the largest function and the frame on top of the stack kept in locals. Of the searches that
// were tried (frames without the end of the successors, a stack of pending targets, an array of cursors) it is the
// fastest or within a few percent on every set.

#include "csr_graphs.hpp"
#include "suite.hpp"

#include <algorithm>

namespace midend_benchmarks {
namespace {

struct frame {
  std::uint32_t block;
  std::uint32_t next; // position in the targets
  std::uint32_t end;
};

class floor_job final : public job {
public:
  explicit floor_job(const dataset& d) : data_(d), graphs_(d.shared<csr_graphs>().graphs) {}

  void pass() override {
    allocate();
    for (const midend::csr_graph& g : graphs_) {
      search(g);
    }
  }

  std::optional<std::string> check() override {
    allocate();
    for (std::size_t i = 0; i != graphs_.size(); ++i) {
      search(graphs_[i]);
      const std::size_t num_blocks = graphs_[i].num_nodes();
      const std::span<std::uint32_t> post(postorder_.data(), num_blocks);
      for (std::size_t b = 0; b != num_blocks; ++b) { // the search leaves those that are not reached as they were
        post[b] = preorder_[b] == none ? none : post[b];
      }
      if (auto difference = compare_depth_first(data_, i, {preorder_.data(), num_blocks}, post)) {
        return difference;
      }
    }
    return std::nullopt;
  }

private:
  void allocate() {
    if (preorder_.empty()) {
      preorder_.resize(data_.largest_function());
      postorder_.resize(data_.largest_function());
      stack_.resize(data_.largest_function());
    }
  }

  void search(const midend::csr_graph& g) {
    const auto num_blocks = static_cast<std::uint32_t>(g.num_nodes());
    const std::uint32_t* const offsets = g.offsets().data();
    const std::uint32_t* const targets = g.targets().data();
    std::uint32_t* const preorder = preorder_.data();
    std::uint32_t* const postorder = postorder_.data();
    frame* top = stack_.data(); // the frame of the current block is not stored
    frame* const bottom = top;

    std::fill_n(preorder, num_blocks, none);
    if (num_blocks == 0) {
      return;
    }
    std::uint32_t discovered = 0;
    std::uint32_t finished = 0;
    std::uint32_t block = 0;
    preorder[block] = discovered++;
    std::uint32_t next = offsets[block];
    std::uint32_t end = offsets[block + 1];
    for (;;) {
      if (next != end) {
        const std::uint32_t target = targets[next++];
        if (preorder[target] == none) {
          *top++ = {block, next, end};
          block = target;
          preorder[block] = discovered++;
          next = offsets[block];
          end = offsets[block + 1];
        }
      } else {
        postorder[block] = finished++;
        if (top == bottom) {
          return;
        }
        --top;
        block = top->block;
        next = top->next;
        end = top->end;
      }
    }
  }

  const dataset& data_;
  const std::vector<midend::csr_graph>& graphs_;
  std::vector<std::uint32_t> preorder_;
  std::vector<std::uint32_t> postorder_;
  std::vector<frame> stack_;
};

} // namespace

void add_floor(contestants& all) {
  all.push_back(enter<floor_job>("dfs", "floor"));
}

} // namespace midend_benchmarks
