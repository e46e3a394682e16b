/// `--jobs=N` and `--shard=I/N`: how the functions of a file are divided, between threads and between runs.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace midend_tool {

struct work_split {
  std::size_t jobs = 1; ///< threads
  std::size_t shard = 0;
  std::size_t num_shards = 1;

  /// Whether the function with this number in its file, from 0, is of this run.
  bool contains(std::size_t number) const { return number % num_shards == shard; }
};

/// Declares both options. `split` must outlive the parse.
void add_split_options(CLI::App& command, work_split& split);

/// Calls `work(worker, i)` for each i below `count`, on `jobs` threads; `worker` is a number below `jobs`, so that each
/// can have memory of its own. Calls `done(i)` on the calling thread in the order of i, after the work on i; false ends
/// everything. Workers run at most a few hundred numbers ahead, so that results need not all be in memory. With one
/// job there is no thread.
template <class Work, class Done> void for_each_in_order(std::size_t count, std::size_t jobs, Work work, Done done) {
  if (jobs <= 1 || count <= 1) {
    for (std::size_t i = 0; i != count; ++i) {
      work(std::size_t{0}, i);
      if (!done(i)) {
        return;
      }
    }
    return;
  }
  constexpr std::size_t ahead = 256;
  std::mutex guard;
  std::condition_variable changed;
  std::vector<char> is_finished(count, 0);
  std::size_t next = 0;
  std::size_t num_done = 0;
  bool is_over = false;
  std::exception_ptr fault;
  const auto serve = [&](std::size_t worker) {
    std::unique_lock lock(guard);
    for (;;) {
      changed.wait(lock, [&] { return is_over || next == count || next < num_done + ahead; });
      if (is_over || next == count) {
        return;
      }
      const std::size_t i = next++;
      lock.unlock();
      std::exception_ptr own;
      try {
        work(worker, i);
      } catch (...) { // out of memory: the calling thread says so
        own = std::current_exception();
      }
      lock.lock();
      is_finished[i] = 1;
      if (own != nullptr) {
        fault = own;
        is_over = true;
      }
      changed.notify_all();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t worker = 0; worker != jobs && worker != count; ++worker) {
    threads.emplace_back(serve, worker);
  }
  std::unique_lock lock(guard);
  while (num_done != count && !is_over) {
    changed.wait(lock, [&] { return is_over || is_finished[num_done] != 0; });
    if (is_over) {
      break;
    }
    lock.unlock();
    const bool goes_on = done(num_done);
    lock.lock();
    ++num_done;
    is_over = !goes_on;
    changed.notify_all();
  }
  is_over = true;
  changed.notify_all();
  lock.unlock();
  for (std::thread& t : threads) {
    t.join();
  }
  if (fault != nullptr) {
    std::rethrow_exception(fault);
  }
}

} // namespace midend_tool
