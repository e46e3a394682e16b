/// All transformations of midend. `midend/midend.hpp` has the analyses.
#pragma once

#include "midend/transform/certifiable_ir.hpp"
#include "midend/transform/clean_control.hpp"
#include "midend/transform/close_loops.hpp"
#include "midend/transform/fix_irreducible.hpp"
#include "midend/transform/recording_editor.hpp"
#include "midend/transform/removal_witness.hpp"
#include "midend/transform/remove_dead_code.hpp"
#include "midend/transform/rotate_loops.hpp"
#include "midend/transform/simplify_loops.hpp"
#include "midend/transform/split_critical_edges.hpp"
#include "midend/transform/unfolding.hpp"
#include "midend/transform/unfolding_witness.hpp"
#include "midend/transform/unify_loop_exits.hpp"
#include "midend/transform/verify_removal.hpp"
#include "midend/transform/verify_unfolding.hpp"
