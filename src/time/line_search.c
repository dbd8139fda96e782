/* See line_search.h. */
#include "line_search.h"

#include <math.h>

sn_line_search sn_line_search_start(double phi0, double slope) {
    return (sn_line_search){.phi0 = phi0, .slope = slope, .s = 1};
}

bool sn_line_search_good(const sn_line_search *search, double phi) {
    return isfinite(phi) && phi <= search->phi0 + 1e-4 * search->s * search->slope;
}

static double parabola(const sn_line_search *search, double phi) {
    const double s = search->s, curvature = (phi - search->phi0 - search->slope * s) / (s * s);
    return -search->slope / (2 * curvature);
}

/* Minimum of phi(0) + slope s + b s^2 + a s^3 through the last two trials. */
static double cubic(const sn_line_search *search, double phi) {
    const double s = search->s, q = search->last_s;
    const double f = (phi - search->phi0 - search->slope * s) / (s * s),
                 g = (search->last_phi - search->phi0 - search->slope * q) / (q * q);
    const double a = (f - g) / (s - q), b = (s * g - q * f) / (s - q);
    if (a == 0) return -search->slope / (2 * b);
    const double discriminant = b * b - 3 * a * search->slope;
    if (discriminant < 0) return s / 2;
    return b <= 0 ? (-b + sqrt(discriminant)) / (3 * a) : -search->slope / (b + sqrt(discriminant));
}

void sn_line_search_next(sn_line_search *search, double phi) {
    ++search->trials;
    double next = search->s / 2;
    if (!isfinite(phi)) {
        search->has_last = false;
        search->s = next;
        return;
    }
    next = search->has_last ? cubic(search, phi) : parabola(search, phi);
    if (!(next <= 0.5 * search->s)) next = 0.5 * search->s;
    if (next < 0.1 * search->s) next = 0.1 * search->s;
    search->last_s = search->s, search->last_phi = phi, search->has_last = true;
    search->s = next;
}
