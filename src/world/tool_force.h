/* The force law of a tool. The servo and the simulation use the same functions, so that in equilibrium the force on the
 * hand is the reaction of the body.
 *
 * q: the tool, r its radius, p: the point of the surface that holds it, n: the direction out of the body (of length 1).
 * The gap between the tool's contact point q - r n and p is e = p - q + r n, and w is its rate.
 *
 *   press   N = s min(L, max(0, k n.e + c n.w))   while n.e > 0, else 0     the hand gets + N n, the body - N n at p
 *   stick   T = s k (e - n n.e), |T| <= friction N, |N n + T| <= s L        the same way
 *   clamp   g = k e + c w,  f = s min(1, L / |g|) g                         the same way, in all directions
 *
 * k: spring, N/m; c: damping, N s/m; L: limit, N; s: the part of the ramp, 0 to 1. A tool without a clamp never pulls:
 * N is never negative. */
#ifndef SN_WORLD_TOOL_FORCE_H
#define SN_WORLD_TOOL_FORCE_H

typedef struct sn_tool_law {
    double spring, damping, limit, friction;
} sn_tool_law;

/* N; also its slopes dN/d(n.e) and dN/d(n.w) unless `slope` is NULL. */
double sn_tool_press(const sn_tool_law *law, double scale, double depth, double rate, double slope[2]);
/* The energy of `press` without damping, J. */
double sn_tool_press_energy(const sn_tool_law *law, double scale, double depth);

/* f of `clamp`; G unless it is NULL: df/de = k G, df/dw = c G, symmetric. */
void sn_tool_pull(const sn_tool_law *law, double scale, const double e[3], const double w[3], double f[3], double G[9]);
double sn_tool_pull_energy(const sn_tool_law *law, double scale, const double e[3]);

#endif
