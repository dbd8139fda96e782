/* The table of methods: one line per method, one file each. A file <symbol>.c defines sn_<symbol>_history, sn_<symbol>_scratch and
 * sn_<symbol>_step. */
#ifndef SN_TIME_METHODS_H
#define SN_TIME_METHODS_H

#include "system.h"

/* X(name, symbol, order, implicit, adaptive, stability, text) */
#define SN_METHODS(X) X("implicit-euler", implicit_euler, 1, true, false, "L", "backward Euler with Newton: robust, damps motion, order 1")

#define SN_METHOD_DECLARE(name, symbol, ...)                                                                                               \
    int sn_##symbol##_history(int count);                                                                                                  \
    int sn_##symbol##_scratch(int count);                                                                                                  \
    sn_status sn_##symbol##_step(sn_step *step);
SN_METHODS(SN_METHOD_DECLARE)
#undef SN_METHOD_DECLARE

#endif
