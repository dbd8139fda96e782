/* Prints JSON on standard output. */
#include <math.h>
#include <stdlib.h>

#include "tool.h"

json_t *tool_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *tool_array(const double *value, int count) {
    json_t *array = json_array();
    for (int i = 0; i < count; ++i) json_array_append_new(array, tool_number(value[i]));
    return array;
}

void tool_print_json(json_t *object) {
    json_dumpf(object, stdout, JSON_REAL_PRECISION(17) | JSON_INDENT(1));
    fputc('\n', stdout);
    json_decref(object);
}
