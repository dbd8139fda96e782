/* ROCK2: a stabilised explicit Runge-Kutta method of order 2 (Abdulle and Medovikov, Numer. Math. 90, 2001, 1-18; Hauth
 * 3.2.8). It is meant for motion whose fast modes are damped.
 *
 * With s stages it is stable on the negative real axis up to about 0.8 s^2. Its stability polynomial is R(z) = w(z)
 * P(z) with w(x) = (x - a)^2 + b^2 and x = 1 + 2 z / length. P has degree s - 2 and belongs to the family that is
 * orthogonal with weight w(x)^2 / sqrt(1 - x^2) on [-1, 1]. P is a three-term recurrence over the stages:
 *   g_(j+1) = mu_j h F(g_j) + kappa_j g_j + nu_j g_(j-1).
 * w is a finishing pair of stages, with w(z) = 1 + 2 sigma z + tau z^2:
 *   k = g + h sigma F(g),   y1 = k + h sigma F(k) - h (sigma - tau / sigma) (F(k) - F(g)).
 *
 * For each s, the table holds a and b (as (1 - a) s^2 and b s^2) such that |R| <= 0.95 in the interior and R agrees
 * with exp to second order. Newton's method on these two conditions gave the numbers. The recurrence follows from a and
 * b by the Stieltjes procedure with Gauss-Chebyshev nodes. The bound of the spectrum determines the numbers of stages
 * and substeps. */
#include <math.h>

#include "rock2.h"

#include "base/context.h"
#include "explicit.h"
#include "loop.h"
#include "methods.h"

typedef struct entry {
    int stages;
    double a, b, length;
} entry;

static const entry table[] = {
    {3, 3.4564253838940059, 3.6241590755204209, 6.0671623509096859},
    {4, 3.3745818346381886, 3.5183954443233554, 11.714530541811289},
    {5, 3.3507728665709932, 3.4746844783004079, 18.950673851733895},
    {6, 3.3410006018165216, 3.4520294693967933, 27.786050370116089},
    {7, 3.3361061065027185, 3.4386965671310559, 38.223916216835429},
    {8, 3.3333150090125522, 3.4301654989384748, 50.265571637283017},
    {9, 3.331572491852798, 3.4243697843238295, 63.911622169649058},
    {10, 3.3304100383241799, 3.4202498334076575, 79.162381678584592},
    {11, 3.3295945077162232, 3.4172150139870288, 96.01802632266959},
    {12, 3.3289993883473465, 3.4149143310689991, 114.47866127498142},
    {13, 3.3285511921258913, 3.4131283124771455, 134.54435251579023},
    {14, 3.3282048258102657, 3.4117139074975307, 156.21514315515221},
    {15, 3.3279313462626886, 3.4105745945930066, 179.49106233462444},
    {16, 3.3277114659341897, 3.4096433104916541, 204.37213033082923},
    {17, 3.327531917294409, 3.4088722721874618, 230.85836160743889},
    {18, 3.3273833226153513, 3.4082266816738768, 258.94976670732342},
    {19, 3.3272588960280111, 3.4076807067768447, 288.64635346284974},
    {20, 3.3271536254629835, 3.4072148431230509, 319.94812779149038},
    {22, 3.3269863639279773, 3.4064669802835074, 387.36725631104386},
    {24, 3.3268606755771953, 3.4058986133420886, 461.2071779241914},
    {26, 3.3267637724569701, 3.4054565548337074, 541.46790879621955},
    {28, 3.3266874500975323, 3.4051059593233214, 628.14945952325069},
    {30, 3.3266262426057183, 3.4048232225481534, 721.25183728599194},
    {33, 3.3265548628395087, 3.4044916970897142, 872.94446516831134},
    {36, 3.3265008728765784, 3.4042396315227715, 1039.0839761666581},
    {40, 3.3264471654096247, 3.4039877503209965, 1283.0762654524048},
    {44, 3.3264075945440244, 3.4038014347718635, 1552.7519255511471},
    {48, 3.3263775924682543, 3.4036597538508888, 1848.1109628390399},
    {53, 3.3263492919934731, 3.4035257744074427, 2253.4270146067918},
    {58, 3.3263280382260715, 3.4034249405596246, 2698.873354383231},
    {64, 3.3263088498591135, 3.4033337463542533, 3286.380946536454},
    {70, 3.3262944031490752, 3.4032649870733201, 3931.6761611311443},
    {77, 3.3262816458060251, 3.4032041965167349, 4757.5577147982521},
    {85, 3.3262707607152283, 3.4031522740587716, 5797.7350576769967},
    {93, 3.326262569133101, 3.4031131672314212, 6940.6459598138638},
    {102, 3.3262555632093774, 3.4030796985402691, 8349.2194337294873},
    {112, 3.3262496765198638, 3.4030515607793204, 10066.796201477809},
    {123, 3.3262447889849846, 3.4030281878413476, 12141.532620965101},
    {135, 3.326240761646613, 3.4030089209629402, 14626.400685899268},
    {148, 3.3262374573040577, 3.4029931078254096, 17579.188025759639},
    {163, 3.326234584050868, 3.4029793539620651, 21323.344843749484},
    {180, 3.3262321566802081, 3.4029677317698146, 26003.340213047849},
    {200, 3.3262300556616352, 3.4029576701407966, 32103.145529052678},
};

enum { ENTRIES = (int)(sizeof table / sizeof *table), MOST = SN_ROCK2_STAGES };

int sn_rock2_choose(double z) {
    for (int i = 0; i < ENTRIES; ++i)
        if (table[i].length >= z) return i;
    return -1;
}

int sn_rock2_entries(void) { return ENTRIES; }

sn_rock2_polynomial sn_rock2_make(int index) {
    const entry *e = &table[index];
    const int s = e->stages, n = s - 2, nodes = s + 4;
    const double a = 1 - e->a / ((double)s * s), b = e->b / ((double)s * s);
    sn_rock2_polynomial p = {.stages = s, .length = e->length};
    double x[MOST + 4], weight[MOST + 4], last[MOST + 4], now[MOST + 4];
    for (int i = 0; i < nodes; ++i) {
        x[i] = cos((2 * i + 1) * 3.14159265358979323846 / (2 * nodes));
        const double w = (x[i] - a) * (x[i] - a) + b * b;
        weight[i] = w * w, last[i] = 0, now[i] = 1;
    }
    /* The monic recurrence p_(j+1) = (x - A) p_j - B p_(j-1), divided by its value at 1. */
    double norm_last = 1, end_last = 0, end = 1, ratio_last = 0;
    double d1_last = 0, d1 = 0, d2_last = 0, d2 = 0;
    for (int j = 0; j < n; ++j) {
        double norm = 0, moment = 0;
        for (int i = 0; i < nodes; ++i)
            norm += weight[i] * now[i] * now[i], moment += weight[i] * x[i] * now[i] * now[i];
        const double A = moment / norm, B = j > 0 ? norm / norm_last : 0;
        for (int i = 0; i < nodes; ++i) {
            const double next = (x[i] - A) * now[i] - B * last[i];
            last[i] = now[i], now[i] = next;
        }
        const double end_next = (1 - A) * end - B * end_last, ratio = end / end_next;
        p.mu[j] = 2 / e->length * ratio, p.nu[j] = -B * ratio * ratio_last, p.kappa[j] = 1 - p.nu[j];
        p.time[j] = d1;
        const double d2_next = 2 * p.mu[j] * d1 + p.kappa[j] * d2 + p.nu[j] * d2_last,
                     d1_next = p.mu[j] + p.kappa[j] * d1 + p.nu[j] * d1_last;
        d1_last = d1, d1 = d1_next, d2_last = d2, d2 = d2_next;
        norm_last = norm, end_last = end, end = end_next, ratio_last = ratio;
    }
    p.time[n] = d1;
    /* The conditions R' = R'' = 1 at 0 determine the finishing pair. */
    p.sigma = 0.5 * (1 - d1);
    p.tau = 0.5 - 0.5 * d2 - 2 * p.sigma * d1;
    return p;
}

int sn_rock2_history(int count) {
    (void)count;
    return 0;
}

int sn_rock2_scratch(int count) { return 9 * count; }

/* The longest substep. Near the imaginary axis a mode grows by about (h omega)^4 / 16 per substep, and its damping must
 * outweigh this growth. */
static double limit(const void *self, double omega, double delta) {
    (void)self;
    if (omega == 0) return INFINITY;
    if (delta >= 2 * omega) return 2 * delta / (omega * omega);
    return fmax(0.8 * cbrt(8 * delta / omega), 0.3) / omega;
}

/* The three-term recurrence: out = p a + q out + r other, and other = the old out. */
SN_LOOP(recur, const double next = l.p * l.a[i] + l.q * l.out[i] + l.r * l.other[i]; l.other[i] = l.out[i];
        l.out[i] = next)
/* The finishing pair: out = a + p b - q (b - c). */
SN_LOOP(finish, l.out[i] = l.a[i] + l.p * l.b[i] - l.q * (l.b[i] - l.c[i]))

/* One substep of h on (x, v) in place. */
static sn_status substep(sn_step *step, const sn_rock2_polynomial *p, double t, double h, double *x, double *v,
                         double *room) {
    sn_system *system = step->system;
    const int n = system->count;
    double *x1 = room, *v1 = x1 + n, *a = v1 + n, *a1 = a + n, *spare = a1 + n;
    sn_vector_copy(system->context, n, x, x1); /* g_(j-1); x is g_j */
    sn_vector_copy(system->context, n, v, v1);
    for (int j = 0; j < p->stages - 2; ++j) {
        const sn_status status = sn_acceleration(step, t + p->time[j] * h, x, v, a, spare);
        if (status) return status;
        sn_operands term = {.p = p->mu[j] * h, .q = p->kappa[j], .r = p->nu[j], .a = v, .out = x, .other = x1};
        sn_loop(system->context, n, recur, term);
        term.a = a, term.out = v, term.other = v1;
        sn_loop(system->context, n, recur, term);
        system->table->constrain(system, t + p->time[j + 1] * h, x, v, NULL);
    }
    const double end = p->time[p->stages - 2], sigma = p->sigma, back = sigma - p->tau / sigma;
    sn_status status = sn_acceleration(step, t + end * h, x, v, a, spare);
    if (status) return status;
    sn_vector_mix(system->context, n, 1, x, h * sigma, v, 0, NULL, x1);
    sn_vector_mix(system->context, n, 1, v, h * sigma, a, 0, NULL, v1);
    system->table->constrain(system, t + (end + sigma) * h, x1, v1, NULL);
    status = sn_acceleration(step, t + (end + sigma) * h, x1, v1, a1, spare);
    if (status) return status;
    sn_loop(system->context, n, finish,
            (sn_operands){.p = h * sigma, .q = h * back, .a = x1, .b = v1, .c = v, .out = x});
    sn_loop(system->context, n, finish,
            (sn_operands){.p = h * sigma, .q = h * back, .a = v1, .b = a1, .c = a, .out = v});
    system->table->constrain(system, t + h, x, v, NULL);
    return SN_OK;
}

static sn_status take_spectrum(sn_step *step, double *omega, double *delta) {
    const double start = sn_seconds();
    double stiffness = 0, damping = 0;
    const sn_status status = sn_step_spectrum(step, step->x, &stiffness, &damping, step->error);
    ++step->info->linearisations;
    step->info->assembly_seconds += sn_seconds() - start;
    *omega = sqrt(fmax(stiffness, 0)), *delta = fmax(damping, 0);
    return status;
}

sn_status sn_rock2_step(sn_step *step) {
    const int n = step->system->count;
    double omega = 0, delta = 0, *x = step->scratch, *v = x + n, *room = v + n;
    sn_status status = take_spectrum(step, &omega, &delta);
    if (status) return status;
    const double radius = 1.05 * 0.5 * (delta + sqrt(delta * delta + 4 * omega * omega)),
                 most = table[ENTRIES - 1].length;
    const double parts = fmax(ceil(step->h / limit(NULL, omega, delta)), ceil(step->h * radius / most));
    if (!(parts < 1e6)) return sn_explicit_diverged(step, "rock2", limit, NULL);
    const int substeps = parts > 1 ? (int)parts : 1;
    const double h = step->h / substeps;
    const sn_rock2_polynomial p = sn_rock2_make(sn_rock2_choose(h * radius));
    sn_vector_copy(step->system->context, n, step->x, x);
    sn_vector_copy(step->system->context, n, step->v, v);
    for (int i = 0; i < substeps && !status; ++i) status = substep(step, &p, step->t + i * h, h, x, v, room);
    if (status == SN_NOT_FINITE) return sn_explicit_diverged(step, "rock2", limit, NULL);
    if (status) return status;
    return sn_explicit_finish(step, "rock2", limit, NULL, x, v, NULL);
}
