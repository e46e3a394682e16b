/// The loop package: optimizations of loops, decided by trial, and their manager.
#pragma once

#include "midend/loop_package/hash_program.hpp"
#include "midend/loop_package/loop_change.hpp"
#include "midend/loop_package/loop_manager.hpp"
#include "midend/loop_package/loop_package.hpp"
#include "midend/loop_package/loop_package_log.hpp"
#include "midend/loop_package/nest_members.hpp"
#include "midend/loop_package/split_members.hpp"
#include "midend/loop_package/unrolling_members.hpp"
#include "midend/loop_package/version_members.hpp"
