/* sinew material: evaluates a law at one deformation gradient, or along a path of deformations.
 *
 * Paths:
 *   uniaxial   F = diag(l, s, s) with stress-free sides: Newton's method finds s with P_yy = 0
 *   biaxial    F = diag(l, l, s) with P_zz = 0
 *   shear      simple shear, F = I + g e_x e_y^T
 *
 * The reported stress is the first Piola-Kirchhoff stress P_xx (P_xy in shear): force per rest area. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

static int material_command(int count, char **word);

static const char *young, *poisson, *gradient, *range[3], *plot_path, *set[TOOL_MANY];
static bool as_json;
static int sets;
static const tool_option options[] = {
    {.name = "--young", .value = "E", .about = "Young's modulus in Pa (default 5e5)", .text = &young},
    {.name = "--poisson", .value = "NU", .about = "Poisson's ratio (default 0.33)", .text = &poisson},
    {.name = "--set",
     .value = "KEY=VALUE",
     .about = "set a constant of the law, such as c10=1e5 or lame=3e5,3e3 (several numbers with commas)",
     .many = set,
     .many_count = &sets},
    {.name = "--F",
     .value = "\"nine numbers\"",
     .about = "a deformation gradient, row by row; prints energy density, stress P and dP/dF",
     .text = &gradient},
    {.name = "--uniaxial",
     .value = "A:B:N",
     .about = "N stretches from A to B in x; the sides are free",
     .text = &range[0]},
    {.name = "--biaxial",
     .value = "A:B:N",
     .about = "N equal stretches from A to B in x and y; z is free",
     .text = &range[1]},
    {.name = "--shear", .value = "A:B:N", .about = "N simple shears from A to B", .text = &range[2]},
    {.name = "--json", .about = "print JSON", .flag = &as_json},
    {.name = "--plot", .value = "F.svg", .about = "draw the curve", .offer = "file", .text = &plot_path},
};

const tool_command tool_material = {
    "material",
    "LAW",
    "laws",
    "print energy, stress and differential of a law at one deformation, or a stress curve",
    "Give one of --F, --uniaxial, --biaxial, --shear.\n",
    TOOL_OPTIONS(options),
    material_command};

enum { UNIAXIAL, BIAXIAL, SHEAR };
static const char *const path_name[] = {"uniaxial", "biaxial", "shear"};

static int set_constant(sn_material *material, const char *name, const char *text) {
    double value[SN_CONSTANT_VALUES];
    int count = 1;
    sn_error error = {0};
    for (const char *p = text; *p; ++p)
        if (*p == ',') ++count;
    if (count > SN_CONSTANT_VALUES || !tool_numbers(text, value, count))
        return tool_fail(TOOL_BAD_INPUT, "%s is '%s'; it must be a finite number or up to %d of them with commas", name,
                         text, SN_CONSTANT_VALUES);
    if (strcmp(name, "alpha") == 0 ||
        strcmp(name, "beta") == 0) { /* belongs to the rotation, unless the law has such a constant */
        int parameters;
        const sn_parameter *parameter = sn_law_parameters(NULL, material->law, &parameters);
        bool own = false;
        for (int i = 0; i < parameters; ++i) own = own || strcmp(parameter[i].name, name) == 0;
        if (!own) {
            *(name[0] == 'a' ? &material->alpha : &material->beta) = value[0];
            return TOOL_OK;
        }
    }
    return sn_material_set(material, name, value, count, &error) ? tool_error(&error) : TOOL_OK;
}

static int set_word(sn_material *material, char *text) {
    char *value;
    if (!tool_split(text, &value)) return tool_fail(TOOL_BAD_INPUT, "--set '%s' must be KEY=VALUE", text);
    if (strcmp(text, "rotation") == 0)
        snprintf(material->rotation, sizeof material->rotation, "%s", value);
    else if (strcmp(text, "differential") == 0)
        snprintf(material->differential, sizeof material->differential, "%s", value);
    else
        return set_constant(material, text, value);
    return TOOL_OK;
}

/* ---- One point ---- */

static int at_point(sn_context *context, const sn_material *material, const char *text, bool json) {
    double F[9], energy, P[9], dP[81];
    sn_error error = {0};
    if (!tool_numbers(text, F, 9))
        return tool_fail(TOOL_BAD_INPUT, "--F is '%s'; it must be nine finite numbers, row by row", text);
    if (sn_material_evaluate(context, material, F, &energy, P, dP, &error)) return tool_error(&error);
    if (json) {
        tool_print_json(json_pack("{s:s, s:o, s:o, s:o, s:o}", "law", material->law, "F", tool_array(F, 9), "energy",
                                  tool_number(energy), "stress", tool_array(P, 9), "differential", tool_array(dP, 81)));
        return TOOL_OK;
    }
    printf("energy density  %.15g J/m^3\n\nstress P = d energy / d F, Pa\n", energy);
    for (int i = 0; i < 3; ++i) printf("  % .12e  % .12e  % .12e\n", P[3 * i], P[3 * i + 1], P[3 * i + 2]);
    printf("\ndifferential d P / d F, Pa, row-major F\n");
    for (int i = 0; i < 9; ++i) {
        for (int j = 0; j < 9; ++j) printf(" % .5e", dP[9 * i + j]);
        printf("\n");
    }
    return TOOL_OK;
}

/* ---- Paths ---- */

/* Newton's method for the free stretch s: P of the free axis becomes 0. Corrections are limited so that s stays
 * positive. */
static sn_status free_stretch(sn_context *context, const sn_material *material, int path, double l, double *s,
                              double *energy, double P[9], sn_error *error) {
    double dP[81];
    for (int iteration = 0; iteration < 100; ++iteration) {
        const double F[9] = {l, 0, 0, 0, path == UNIAXIAL ? *s : l, 0, 0, 0, *s};
        const sn_status status = sn_material_evaluate(context, material, F, energy, P, dP, error);
        if (status) return status;
        const double slope = path == UNIAXIAL ? dP[9 * 4 + 4] + dP[9 * 4 + 8] : dP[9 * 8 + 8],
                     residual = path == UNIAXIAL ? P[4] : P[8];
        const double scale = fabs(P[0]) + fabs(slope);
        if (fabs(residual) <= 1e-13 * scale) return SN_OK;
        double step = slope != 0 ? -residual / slope : 0.1;
        if (slope < 0) step = residual > 0 ? -0.1 * *s : 0.1 * *s;
        if (step < -0.5 * *s) step = -0.5 * *s;
        if (step > *s) step = *s;
        if (fabs(step) <= 1e-15 * *s) return SN_OK;
        *s += step;
    }
    return sn_fail(error, SN_NOT_CONVERGED,
                   "the free stretch at %g did not converge; the law may have no stress-free side there", l);
}

static sn_status path_point(sn_context *context, const sn_material *material, int path, double x, double *side,
                            double *energy, double *stress, sn_error *error) {
    double P[9];
    sn_status status;
    if (path == SHEAR) {
        const double F[9] = {1, x, 0, 0, 1, 0, 0, 0, 1};
        status = sn_material_evaluate(context, material, F, energy, P, NULL, error);
    } else {
        status = free_stretch(context, material, path, x, side, energy, P, error);
    }
    *stress = path == SHEAR ? P[1] : P[0];
    return status;
}

static int print_path(const sn_material *material, int path, const double *data, int n, bool json, const char *plot) {
    const double *x = data, *stress = data + n, *side = data + 2 * n, *energy = data + 3 * n;
    if (json) {
        tool_print_json(json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "law", material->law, "path", path_name[path],
                                  path == SHEAR ? "shear" : "stretch", tool_array(x, n), "stress",
                                  tool_array(stress, n), "side", tool_array(side, n), "energy", tool_array(energy, n)));
    } else {
        printf("%14s %18s %18s %18s\n", path == SHEAR ? "shear" : "stretch", path == SHEAR ? "P_xy [Pa]" : "P_xx [Pa]",
               "free stretch", "energy [J/m^3]");
        for (int i = 0; i < n; ++i) printf("%14.6g %18.9g %18.9g %18.9g\n", x[i], stress[i], side[i], energy[i]);
    }
    if (!plot) return TOOL_OK;
    char title[96];
    snprintf(title, sizeof title, "%s, %s", material->law, path_name[path]);
    const tool_curve curve = {material->law, x, stress, n};
    if (!tool_plot_svg(plot, title, path == SHEAR ? "shear" : "stretch", "first Piola-Kirchhoff stress [Pa]", &curve,
                       1))
        return tool_fail(TOOL_FAILED, "%s: the plot cannot be written: %s", plot, strerror(errno));
    if (!json) printf("plot: %s\n", plot);
    return TOOL_OK;
}

static int along_path(sn_context *context, const sn_material *material, int path, const char *range, bool json,
                      const char *plot) {
    double a, b;
    int n;
    char rest;
    if (sscanf(range, "%lf:%lf:%d%c", &a, &b, &n, &rest) != 3 || n < 2 || n > 100000 || !isfinite(a) || !isfinite(b) ||
        (path != SHEAR && (a <= 0 || b <= 0)))
        return tool_fail(TOOL_BAD_INPUT, "--%s is '%s'; it must be A:B:N with N from 2 to 100000%s", path_name[path],
                         range, path == SHEAR ? "" : " and stretches above 0");
    double *data = calloc((size_t)n * 4, sizeof *data);
    if (!data) return tool_fail(TOOL_FAILED, "out of memory");
    double side = 1;
    int code = TOOL_OK;
    /* Go from rest to the first point in small steps, so that the free stretch stays on the branch that begins at
     * rest. */
    for (int i = 1; i <= 20 && path != SHEAR && !code; ++i) {
        double energy, stress;
        sn_error error = {0};
        if (path_point(context, material, path, 1 + (a - 1) * i / 20, &side, &energy, &stress, &error))
            code = tool_error(&error);
    }
    for (int i = 0; i < n && !code; ++i) {
        sn_error error = {0};
        data[i] = a + (b - a) * i / (n - 1);
        if (path_point(context, material, path, data[i], &side, &data[3 * n + i], &data[n + i], &error))
            code = tool_error(&error);
        data[2 * n + i] = path == SHEAR ? 1 : side;
    }
    if (!code) code = print_path(material, path, data, n, json, plot);
    free(data);
    return code;
}

static int material_command(int count, char **word) {
    const char *law = NULL;
    int laws, code, paths = 0, path = 0;
    code = tool_parse(&tool_material, count, word, &law, 1, &laws);
    if (code) return code;
    for (int i = 0; i < 3; ++i)
        if (range[i]) path = i, ++paths;
    if (laws == 0 || paths + (gradient != NULL) != 1)
        return tool_fail(TOOL_BAD_INPUT,
                         "material needs a law and one of --F, --uniaxial, --biaxial, --shear; usage: sinew %s",
                         tool_usage(&tool_material));
    if (plot_path && !tool_svg_writable(plot_path)) return TOOL_BAD_INPUT;
    if (plot_path && gradient)
        return tool_fail(TOOL_BAD_INPUT, "--plot draws a curve; give --uniaxial, --biaxial or --shear");
    sn_material material = sn_material_default();
    if (strlen(law) >= sizeof material.law) return tool_fail(TOOL_BAD_INPUT, "there is no law '%.60s'", law);
    strcpy(material.law, law);
    if (young) code = set_constant(&material, "young", young);
    if (!code && poisson) code = set_constant(&material, "poisson", poisson);
    for (int i = 0; i < sets && !code; ++i) code = set_word(&material, (char *)set[i]);
    sn_error error = {0};
    if (!code && sn_material_check(NULL, &material, &error)) code = tool_error(&error);
    if (code) return code;
    sn_context *context;
    code = tool_context(1, NULL, &context, NULL);
    if (code) return code;
    code = gradient ? at_point(context, &material, gradient, as_json)
                    : along_path(context, &material, path, range[path], as_json, plot_path);
    sn_context_destroy(context);
    return code;
}
