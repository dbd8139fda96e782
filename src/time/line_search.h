/* Backtracking line search on phi(s) = 1/2 |r(y + s d)|^2 by a quadratic, then cubic model (Dennis and Schnabel,
 * Numerical Methods, A6.3.1).
 *
 * A trial is good when phi(s) <= phi(0) + 1e-4 s phi'(0). The second trial minimises the parabola through phi(0),
 * phi'(0) and phi(s). Later trials minimise the cubic that also passes through the last two trials. The next trial
 * always lies between 0.1 s and 0.5 s. A trial that cannot be evaluated halves s. */
#ifndef SN_TIME_LINE_SEARCH_H
#define SN_TIME_LINE_SEARCH_H

#include <stdbool.h>

typedef struct sn_line_search {
    double phi0, slope; /* at s = 0; slope below 0 */
    double s;           /* the present trial */
    double last_s, last_phi;
    bool has_last;
    int trials; /* number of refused trials */
} sn_line_search;

sn_line_search sn_line_search_start(double phi0, double slope);
/* Whether the trial value is good enough. */
bool sn_line_search_good(const sn_line_search *search, double phi);
/* Sets the next s after a refused trial. A phi that is not finite means that the trial could not be evaluated. */
void sn_line_search_next(sn_line_search *search, double phi);

#endif
