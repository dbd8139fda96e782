/* The methods by name. See methods.h. */
#include "methods.h"

#include <string.h>

#define ENTRY(name, symbol, order, kind, adaptive, stability, text)                                                    \
    {name,                                                                                                             \
     text,                                                                                                             \
     order,                                                                                                            \
     kind != SN_METHOD_EXPLICIT,                                                                                       \
     kind == SN_METHOD_IMPLICIT || kind == SN_METHOD_BACKWARD || kind == SN_METHOD_IMEX,                               \
     kind == SN_METHOD_EXACT,                                                                                          \
     kind == SN_METHOD_IMEX,                                                                                           \
     kind == SN_METHOD_CORRECTED,                                                                                      \
     kind == SN_METHOD_BACKWARD,                                                                                       \
     adaptive,                                                                                                         \
     stability,                                                                                                        \
     sn_##symbol##_history,                                                                                            \
     sn_##symbol##_scratch,                                                                                            \
     sn_##symbol##_step},
static const sn_method method_table[] = {SN_METHODS(ENTRY)};
#undef ENTRY

#define ENTRY(name, symbol, order, kind, adaptive, stability, text) {name, text},
static const sn_listing method_listing[] = {SN_METHODS(ENTRY)};
#undef ENTRY

static const int method_count = (int)(sizeof method_table / sizeof *method_table);

const sn_method *sn_method_find(const char *name) {
    if (!*name) name = "implicit-euler";
    for (int i = 0; i < method_count; ++i)
        if (strcmp(method_table[i].name, name) == 0) return &method_table[i];
    return NULL;
}

const sn_method *sn_method_choose(const sn_time_options *options) {
    if (!*options->mode || strcmp(options->mode, "dynamic") == 0) return sn_method_find(options->method);
    if (strcmp(options->mode, "static") == 0 || strcmp(options->mode, "quasi-static") == 0)
        return sn_method_equilibrium();
    return NULL;
}

const sn_listing *sn_methods(int *count) {
    *count = method_count;
    return method_listing;
}
