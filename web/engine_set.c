/* Editing while the scene runs: sliders and choices. The library checks the values, and its messages go to the page as
 * they are. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine_internal.h"

static const sn_constant *constant(const sn_material *material, const char *name) {
    for (int i = 0; i < material->constant_count; ++i)
        if (strcmp(material->constant[i].name, name) == 0) return &material->constant[i];
    return NULL;
}

/* Young's modulus and Poisson's ratio of a material; false when its constants are the law's own. */
static bool moduli(const sn_material *material, double *young, double *poisson) {
    const sn_constant *E = constant(material, "young"), *nu = constant(material, "poisson"),
                      *lame = constant(material, "lame");
    if (E && nu && E->count == 1 && nu->count == 1) {
        *young = E->value[0], *poisson = nu->value[0];
        return true;
    }
    if (!lame || lame->count != 2 || !(lame->value[0] + lame->value[1] > 0)) return false;
    const double lambda = lame->value[0], mu = lame->value[1];
    *young = mu * (3 * lambda + 2 * mu) / (lambda + mu);
    *poisson = lambda / (2 * (lambda + mu));
    return true;
}

double engine_young(const sn_material *material) {
    double young, poisson;
    return moduli(material, &young, &poisson) && young > 0 ? young : 1e5;
}

static int material_count(const engine *e, int body) {
    return sn_scene_world_options(e->scene)->body[body].material_count;
}

static bool is_muscle(const engine *e, int body, int index) {
    const sn_fibre *fibre = sn_scene_world_options(e->scene)->body[body].material_fibre;
    return fibre && fibre[index].kind != SN_FIBRE_NONE;
}

/* The memory of a material as a scene has it: on, moduli and terms. */
static json_t *memory_of(const sn_material *m) {
    json_t *terms = json_array();
    for (int i = 0; i < m->prony_count; ++i) {
        json_t *term = json_pack("{s:f, s:f}", "ratio", m->prony[i][0], "time", m->prony[i][1]);
        if (strcmp(m->prony_on, "coefficients") == 0)
            json_object_set_new(term, "ratios", engine_vector(m->prony_ratios[i], SN_PRONY_COEFFICIENTS));
        json_array_append_new(terms, term);
    }
    int count;
    const char *on = m->prony_on[0] ? m->prony_on : sn_prony_parts(&count)[0].name,
               *moduli = m->prony_moduli[0] ? m->prony_moduli : sn_prony_moduli(&count)[0].name;
    return json_pack("{s:s, s:s, s:o}", "on", on, "moduli", moduli, "terms", terms);
}

json_t *engine_parameters(const engine *e) {
    json_t *materials = json_array();
    for (int b = 0; b < e->bodies; ++b)
        for (int i = 0; i < material_count(e, b); ++i) {
            const sn_material *m = sn_world_material(e->world, b, i);
            double young = 0, poisson = 0;
            json_t *o =
                json_pack("{s:i, s:i, s:s, s:s, s:f, s:f, s:f}", "body", b, "index", i, "law", m->law, "rotation",
                          m->rotation, "density", m->density, "damping", m->rayleigh[1], "drag", m->rayleigh[0]);
            json_object_set_new(o, "memory", memory_of(m));
            if (moduli(m, &young, &poisson)) {
                json_object_set_new(o, "young", json_real(young));
                json_object_set_new(o, "poisson", json_real(poisson));
            }
            json_object_set_new(o, "muscle", json_boolean(is_muscle(e, b, i)));
            if (is_muscle(e, b, i) && m->muscle.key_count == 0)
                json_object_set_new(o, "activation", json_real(m->muscle.activation));
            json_array_append_new(materials, o);
        }
    const sn_time_options time = sn_world_time_options(e->world);
    const sn_solver_options solver = sn_world_solver_options(e->world);
    const json_t *gravity = json_object_get(e->changes, "gravity");
    return json_pack("{s:o, s:s, s:s, s:f, s:s, s:s, s:s, s:o}", "materials", materials, "mode", time.mode, "method",
                     time.method, "step", time.step, "newton", time.newton.kind, "solver", solver.method,
                     "preconditioner", solver.preconditioner, "gravity",
                     gravity ? json_deep_copy(gravity) : engine_vector(sn_scene_world_options(e->scene)->gravity, 3));
}

static void take_name(json_t *message, const char *key, char *target, size_t capacity) {
    const char *text = json_string_value(json_object_get(message, key));
    if (text) snprintf(target, capacity, "%s", text);
}

/* Takes over a memory as memory_of gives it. */
static sn_status take_memory(json_t *memory, sn_material *m, sn_error *error) {
    json_t *terms = json_object_get(memory, "terms");
    const size_t count = json_array_size(terms);
    if (count > SN_PRONY_TERMS)
        return sn_fail(error, SN_BAD_INPUT, "the memory has %zu terms; at most %d", count, SN_PRONY_TERMS);
    take_name(memory, "on", m->prony_on, sizeof m->prony_on);
    take_name(memory, "moduli", m->prony_moduli, sizeof m->prony_moduli);
    const bool one_by_one = strcmp(m->prony_on, "coefficients") == 0;
    for (size_t i = 0; i < count; ++i) {
        json_t *term = json_array_get(terms, i);
        m->prony[i][0] = json_number_value(json_object_get(term, "ratio"));
        m->prony[i][1] = json_number_value(json_object_get(term, "time"));
        json_t *ratios = one_by_one ? json_object_get(term, "ratios") : NULL; /* without them all are 0 */
        for (size_t n = 0; n < SN_PRONY_COEFFICIENTS; ++n)
            m->prony_ratios[i][n] = json_number_value(json_array_get(ratios, n));
    }
    m->prony_count = (int)count;
    if (count == 0) m->prony_on[0] = m->prony_moduli[0] = 0; /* without terms they have no meaning */
    return SN_OK;
}

static sn_status set_material(engine *e, json_t *message, int body, int index, sn_error *error) {
    sn_material m = *sn_world_material(e->world, body, index);
    double young = 0, poisson = 0;
    const bool known = moduli(&m, &young, &poisson);
    json_t *E = json_object_get(message, "young"), *nu = json_object_get(message, "poisson"),
           *law = json_object_get(message, "law");
    json_t *damping = json_object_get(message, "damping"), *drag = json_object_get(message, "drag");
    if (json_is_number(damping)) m.rayleigh[1] = json_number_value(damping);
    json_t *activation = json_object_get(message, "activation");
    if (json_is_number(drag)) m.rayleigh[0] = json_number_value(drag);
    if (json_is_number(activation)) { /* in the place of keys */
        m.muscle.activation = json_number_value(activation);
        m.muscle.key = NULL, m.muscle.key_count = 0, m.muscle.period = 0;
    }
    if (json_is_string(law) && strcmp(json_string_value(law), m.law) != 0) {
        if (!known)
            return sn_fail(error, SN_UNSUPPORTED, "the constants of law '%s' cannot be taken over to another law",
                           m.law);
        take_name(message, "law", m.law, sizeof m.law);
        m.rotation[0] = m.differential[0] = 0;
    }
    take_name(message, "rotation", m.rotation, sizeof m.rotation);
    json_t *memory = json_object_get(message, "memory");
    if (json_is_object(memory)) {
        const sn_status status = take_memory(memory, &m, error);
        if (status) return status;
    }
    if (json_is_number(E) || json_is_number(nu) || json_is_string(law)) {
        if (!known)
            return sn_fail(error, SN_UNSUPPORTED,
                           "the constants of law '%s' are not young and poisson here; they cannot be changed", m.law);
        if (json_is_number(E)) young = json_number_value(E);
        if (json_is_number(nu)) poisson = json_number_value(nu);
        sn_status status = sn_material_set(&m, "young", &young, 1, error);
        if (!status) status = sn_material_set(&m, "poisson", &poisson, 1, error);
        if (status) return status;
    }
    return sn_world_set_material(e->world, body, index, &m, error);
}

/* Whether a message has one of the keys. The list ends with NULL. */
static bool has_any(json_t *message, const char *const *key) {
    for (; *key; ++key)
        if (json_object_get(message, *key)) return true;
    return false;
}

static sn_status set_time(engine *e, json_t *message, sn_error *error) {
    sn_time_options time = sn_world_time_options(e->world);
    json_t *step = json_object_get(message, "step");
    if (json_is_number(step)) time.step = json_number_value(step);
    take_name(message, "method", time.method, sizeof time.method);
    take_name(message, "newton", time.newton.kind, sizeof time.newton.kind);
    return sn_world_set_time(e->world, &time, error);
}

static sn_status set_solver(engine *e, json_t *message, sn_error *error) {
    sn_solver_options solver = sn_world_solver_options(e->world);
    take_name(message, "solver", solver.method, sizeof solver.method);
    take_name(message, "preconditioner", solver.preconditioner, sizeof solver.preconditioner);
    return sn_world_set_solver(e->world, &solver, error);
}

sn_status engine_set(engine *e, json_t *message, sn_error *error) {
    static const char *const
        of_material[] = {"young", "poisson", "damping", "drag", "activation", "law", "rotation", "memory", NULL},
        *const of_time[] = {"step", "method", "newton", NULL}, *const of_solver[] = {"solver", "preconditioner", NULL};
    sn_status status = SN_OK;
    json_t *gravity = json_object_get(message, "gravity");
    if (json_array_size(gravity) == 3) {
        double g[3];
        for (size_t i = 0; i < 3; ++i) g[i] = json_number_value(json_array_get(gravity, i));
        if (!isfinite(g[0]) || !isfinite(g[1]) || !isfinite(g[2]))
            return sn_fail(error, SN_BAD_INPUT, "gravity is not finite");
        sn_world_set_gravity(e->world, g, NULL);
        json_object_set(e->changes, "gravity", gravity);
    }
    if (has_any(message, of_time)) status = set_time(e, message, error);
    if (!status && has_any(message, of_solver)) status = set_solver(e, message, error);
    if (status || !has_any(message, of_material)) return status;
    const int body = (int)json_integer_value(json_object_get(message, "body")),
              index = (int)json_integer_value(json_object_get(message, "index"));
    if (body < 0 || body >= e->bodies || index < 0 || index >= material_count(e, body))
        return sn_fail(error, SN_BAD_INPUT, "there is no material %d of body %d", index, body);
    return set_material(e, message, body, index, error);
}

sn_status engine_set_parameters(engine *e, const engine_request *request, sn_error *error) {
    const sn_status status = engine_set(e, request->message, error);
    json_object_set_new(e->changes, "edited", json_true());
    e->changed = true, e->shown = false;
    engine_say(e, json_pack("{s:s, s:o}", "type", "parameters", "parameters", engine_parameters(e)), NULL, 0);
    return status;
}
