/* See tool_force.h. */
#include "tool_force.h"

#include <math.h>
#include <stdbool.h>

#include "base/math3.h"

double sn_tool_press(const sn_tool_law *law, double scale, double depth, double rate, double slope[2]) {
    const double free = law->spring * depth + law->damping * rate;
    const bool acts = depth > 0 && free > 0, grows = acts && free < law->limit;
    if (slope) slope[0] = grows ? scale * law->spring : 0, slope[1] = grows ? scale * law->damping : 0;
    return acts ? scale * fmin(law->limit, free) : 0;
}

/* The energy of a spring that stops at the limit; `way`: how far it is stretched. */
static double energy_of(const sn_tool_law *law, double scale, double way) {
    const double most = law->limit / law->spring;
    if (!(way > 0)) return 0;
    return scale * law->spring * (way < most ? 0.5 * way * way : most * (way - 0.5 * most));
}

double sn_tool_press_energy(const sn_tool_law *law, double scale, double depth) { return energy_of(law, scale, depth); }

void sn_tool_pull(const sn_tool_law *law, double scale, const double e[3], const double w[3], double f[3],
                  double G[9]) {
    double g[3];
    for (int a = 0; a < 3; ++a) g[a] = law->spring * e[a] + law->damping * w[a];
    const double size = sn_norm3(g), part = size > law->limit ? law->limit / size : 1;
    for (int a = 0; a < 3; ++a) f[a] = scale * part * g[a];
    for (int i = 0; i < 9 && G; ++i) {
        const double along = part < 1 ? g[i / 3] * g[i % 3] / (size * size) : 0;
        G[i] = scale * part * ((i % 4 == 0) - along);
    }
}

double sn_tool_pull_energy(const sn_tool_law *law, double scale, const double e[3]) {
    return energy_of(law, scale, sn_norm3(e));
}
