/* A straight line through measured points by least squares. */
#ifndef SINEW_EXPERIMENT_FIT_H
#define SINEW_EXPERIMENT_FIT_H

typedef struct line_fit {
    double intercept, slope;
    double r2; /* 1: all points are on the line */
} line_fit;

static inline line_fit fit_line(int n, const double *x, const double *y) {
    double mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
    for (int i = 0; i < n; ++i) mx += x[i] / n, my += y[i] / n;
    for (int i = 0; i < n; ++i) {
        xx += (x[i] - mx) * (x[i] - mx), xy += (x[i] - mx) * (y[i] - my);
        yy += (y[i] - my) * (y[i] - my);
    }
    line_fit fit = {.slope = xx > 0 ? xy / xx : 0};
    fit.intercept = my - fit.slope * mx;
    fit.r2 = xx > 0 && yy > 0 ? xy * xy / (xx * yy) : 0;
    return fit;
}

#endif
