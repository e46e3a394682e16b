// The functions of midend that do not depend on a user's types: the library behind midend::compiled.
#define MIDEND_COMPILED_SOURCE 1

#include <midend/elbrus/equal.hpp>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/run/trap_text.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/initialization.hpp>
#include <midend/viz/elbrus.hpp>
