/* No option is accepted and ignored: each option of the tables changes something, and an option without an effect is
 * refused with its path. What a step would refuse is refused when the world is made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "scene_text.h"

enum { MOST = 12 };

static const char base[] = "{\"bodies\": [{\"mesh\": {\"box\": {\"size\": [0.3, 0.1, 0.1], \"cells\": [6, 2, 2]}},"
                           " \"material\": {\"young\": 1e5, \"poisson\": 0.4}, \"fix\": [{\"select\": {\"box\": [[-1, "
                           "-1, -1], [1e-6, 1, 1]]}}]"
                           "%s}]%s}";
static const char plain[] = "",
                  wall[] = ", \"colliders\": [{\"plane\": {\"point\": [0, -0.2, 0], \"normal\": [0, 1, 0]}}]";

static sn_context *context;

/* Makes a world from the base scene, more keys of its body and of the scene, and overrides "key=value key=value". */
static sn_status make(const char *body, const char *scene_keys, const char *set, sn_world **world, sn_error *error) {
    char text[2000], words[600];
    sn_override override[MOST];
    int count = 0;
    snprintf(text, sizeof text, base, body, scene_keys);
    snprintf(words, sizeof words, "%s", set);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        char *equals = strchr(word, '=');
        *equals = 0;
        override[count++] = (sn_override){word, equals + 1};
    }
    return world_from_text(context, "unused", text, override, count, world, error);
}

/* ---- Refused ---- */
typedef struct refusal {
    const char *body, *scene, *set, *path;
} refusal;

#define MATERIAL "bodies.0.material."
#define SPRING "colliders.0.response=spring-damper colliders.0.spring={\"stiffness\":1e6}"
static const char core[] = ", \"rigid\": [{\"select\": {\"box\": [[0.2, -1, -1], [0.26, 1, 1]]}}]";

/* A sheet of cloth. */
#define SHEET                                                                                                          \
    "bodies.0.mesh={\"grid\":{\"size\":[0.3,0.2],\"cells\":[6,4]}} bodies.0.thickness=0.001 "                          \
    "bodies.0.material={\"law\":\"cloth-stvk\",\"young\":1e5,\"poisson\":0.3} "
#define PARTICLES                                                                                                      \
    "bodies.0.mesh={\"grid\":{\"size\":[0.3,0.2],\"cells\":[6,4]}} bodies.0.thickness=0.001 "                          \
    "bodies.0.material={\"law\":\"cloth-particles\",\"stretch\":1e5,\"shear\":1e3} "
#define APPROXIMATE PARTICLES "time.newton={\"jacobian\":\"approximate\"} "
#define BENDING SHEET MATERIAL "bending={\"stiffness\":1e-3} "

static const refusal refusals[] = {
    {plain, plain, "time.method=verlet solver.tolerance=1e-3", "solver.tolerance"},
    {plain, plain, "time.method=verlet bodies.0.mesh.refine=1 bodies.0.basis=hierarchical", "bodies.0.basis"},
    {plain, plain, "time.method=rk4 solver.method=cg", "solver.method"},
    {plain, plain, APPROXIMATE "solver.precision=single", "solver.precision"},
    {plain, plain, APPROXIMATE "solver.operator=assembly-free", "solver.operator"},
    {plain, plain, PARTICLES "time.updates=1", "time.updates"},
    {plain, plain, PARTICLES "time.method=imex-euler time.newton.tolerance=0.1", "time.newton"},
    {plain, plain, "contact={}", "contact"},
    {plain, plain, "contact={\"response\":\"exact\"}", "contact"},
    {plain, plain, "output.picture={\"field\":\"none\",\"low\":1}", "output.picture.low"},
    {plain, plain, "output.picture={\"field\":\"none\",\"high\":1}", "output.picture.high"},
    {plain, plain, MATERIAL "muscle={\"fibre\":[1,0,0],\"period\":1}", "bodies.0.material.muscle.period"},
    {plain, plain, "bodies.0.element=springs " MATERIAL "muscle={\"fibre\":[1,0,0]}", "bodies.0.material.0.muscle"},
    {plain, plain, "bodies.0.element=springs " MATERIAL "rotation=polar", "bodies.0.material.0.rotation"},
    {plain, plain, "bodies.0.element=springs " MATERIAL "rotation=dapd", "bodies.0.material.0.rotation"},
    {plain, plain, "bodies.0.element=springs " MATERIAL "rotation=csvd", "bodies.0.material.0.rotation"},
    {plain, plain, "bodies.0.element=springs " MATERIAL "rotation=reflect", "bodies.0.material.0.rotation"},
    {plain, plain, "bodies.0.element=springs " MATERIAL "differential=hybrid", "bodies.0.material.0.differential"},
    {plain, plain, "bodies.0.element=springs " MATERIAL "viscous={\"mu\":1}", "bodies.0.material.0.viscous"},
    {plain, plain, "bodies.0.element=springs " MATERIAL "law=stvk", "bodies.0.material.0.law"},
    {plain, plain, MATERIAL "springs={\"damper\":1}", "bodies.0.material.0.springs"},
    {plain, plain, MATERIAL "springs={\"quality\":1}", "bodies.0.material.0.springs"},
    {plain, plain, MATERIAL "alpha=0.2", "bodies.0.material.alpha"},
    {plain, plain, MATERIAL "rotation=qr " MATERIAL "alpha=0.2", "bodies.0.material.alpha"},
    {plain, plain, MATERIAL "rotation=csvd " MATERIAL "alpha=0.2", "bodies.0.material.alpha"},
    {plain, plain, MATERIAL "rotation=project " MATERIAL "beta=2", "bodies.0.material.beta"},
    {plain, plain, MATERIAL "ghost_correction=true", "bodies.0.material.ghost_correction"},
    {plain, plain, "bodies.0.thickness=0.5", "bodies.0.thickness"},
    {plain, plain, MATERIAL "area_density=1", "bodies.0.material.0.area_density"},
    {plain, plain, MATERIAL "bending={\"stiffness\":1}", "bodies.0.material.0.bending.stiffness"},
    {plain, plain, MATERIAL "bending={\"damping\":1}", "bodies.0.material.0.bending.damping"},
    {plain, plain, SHEET MATERIAL "bending={\"model\":\"quadratic\"}", "bodies.0.material.bending.model"},
    {plain, plain, SHEET MATERIAL "limit={\"stiffness\":50}", "bodies.0.material.limit.stiffness"},
    {plain, plain, MATERIAL "limit={\"strain\":0.01}", "bodies.0.material.0.limit.strain"},
    {plain, plain, SHEET MATERIAL "density=200 " MATERIAL "area_density=1", "bodies.0.material.area_density"},
    {plain, plain, SHEET MATERIAL "springs={\"damper\":1}", "bodies.0.material.0.springs"},
    {plain, plain, SHEET MATERIAL "rotation=polar", "bodies.0.material.rotation"},
    {plain, plain, SHEET MATERIAL "muscle={\"fibre\":[1,0,0]}", "bodies.0.material.0.muscle"},
    {plain, plain, SHEET "contact={}", "contact"},
    {plain, plain, SHEET "bodies.0.thickness=1", "bodies.0.thickness"},
    {plain, plain, SHEET MATERIAL "law=stvk", "bodies.0.mesh.grid"},
    {plain, plain, SHEET "bodies.0.element=cloth " MATERIAL "law=stvk", "bodies.0.material.0.law"},
    {plain, plain, "bodies.0.element=tet4 " MATERIAL "law=cloth-stvk", "bodies.0.material.0.law"},
    {plain, plain, MATERIAL "law=cloth-stvk", "bodies.0.mesh.box"},
    {plain, plain, "bodies.0.fix.0.keys=[[0,0,0,0],[1,0,1,0]] bodies.0.fix.0.ramp=[0,1]", "bodies.0.fix.0.ramp"},
    {plain, plain, "bodies.0.initial={\"collapse\":true,\"twist\":3}", "bodies.0.initial.twist"},
    {plain, plain, "bodies.0.initial={\"scramble\":1,\"scale\":2}", "bodies.0.initial.scale"},
    {plain, plain, "bodies.0.initial={\"scramble\":1,\"collapse\":true}", "bodies.0.initial.collapse"},
    {plain, wall, "colliders.0.response=projection colliders.0.stiffness=1e6", "colliders.0.stiffness"},
    {plain, wall, "colliders.0.response=projection colliders.0.damping=0.3", "colliders.0.damping"},
    {plain, wall, "colliders.0.spring={\"stiffness\":1e6}", "colliders.0.spring.stiffness"},
    {plain, wall, "colliders.0.spring={\"drag\":1}", "colliders.0.spring.drag"},
    {plain, wall, "colliders.0.response=spring-damper colliders.0.spring={\"stiffness\":0}",
     "colliders.0.spring.stiffness"},
    {plain, wall, SPRING " colliders.0.friction=0.3", "colliders.0.friction"},
    {plain, wall, SPRING " colliders.0.stiffness=1e6", "colliders.0.stiffness"},
    {plain, wall, SPRING " colliders.0.damping=0.3", "colliders.0.damping"},
    {plain, plain, "solver.guard=false", "solver.guard"},
    {plain, plain, "solver.method=minres solver.guard=false", "solver.guard"},
    {plain, plain, "time.mode=static time.judge=false", "time.judge"},
    {plain, plain, "time.correction={\"speed\":1}", "time.correction.speed"},
    {plain, plain, "time.correction={\"use\":false}", "time.correction.use"},
    {plain, plain, "time.method=kikuuwe time.correction={\"use\":false,\"speed\":1}", "time.correction.speed"},
    {plain, plain, "time.method=kikuuwe time.correction={\"speed\":0}", "time.correction.speed"},
    {plain, plain, "time.method=kikuuwe time.newton.kind=inexact", "time.newton"},
    {plain, plain, "solver.method=ldlt solver.preconditioner=ssor", "solver.preconditioner"},
    {plain, plain, "solver.method=ldlt solver.budget=1", "solver.budget"},
    {plain, plain, "solver.method=cholesky solver.budget=1", "solver.budget"},
    {plain, plain, "solver.operator=assembly-free solver.precision=double", "solver.precision"},
    {plain, plain, "solver.method=cg solver.restart=10", "solver.restart"},
    {plain, plain, "solver.omega=1.2", "solver.omega"},
    {plain, plain, "solver.drop=0.1", "solver.drop"},
    {plain, plain, "time.mode=static time.method=newmark", "time.method"},
    {plain, plain, "time.load_steps=3", "time.load_steps"},
    {plain, plain, "time.tolerance=1e-3", "time.tolerance"},
    {plain, plain, "time.method=rk4 time.newton.kind=inexact", "time.newton"},
    {plain, plain, "time.newton.kind=one-step time.newton.iterations=3", "time.newton.iterations"},
    {plain, plain, "time.newton.kind=fixed time.newton.line_search=false", "time.newton.line_search"},
    /* What only a step refused. */
    {core, plain, "solver.method=eisenstat", "solver.method"},
    {core, plain, "solver.method=ldlt", "solver.method"},
    {plain, plain, "time.method=rosenbrock4-shampine solver.method=qmr solver.operator=assembly-free", "solver.method"},
};

static void test_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; ++i) {
        const refusal *r = &refusals[i];
        sn_world *world;
        sn_error error = {0};
        if (!make(r->body, r->scene, r->set, &world, &error)) fail_msg("%s is accepted", r->set);
        if (strcmp(error.path, r->path) != 0) fail_msg("%s: path '%s': %s", r->set, error.path, error.text);
    }
}

/* ---- Effects ---- */
typedef struct effect {
    const char *group, *option;    /* as the tables name them */
    const char *body, *set, *more; /* keys of the body, overrides of both worlds, overrides of the second one */
} effect;

static const char tether[] = ", \"tethers\": [{\"point\": [0.3, 0, 0], \"stiffness\": 50}]";
static const char link[] = ", \"links\": [{\"point\": [0.3, 0, 0], \"to\": [0.32, 0, 0]}]";

/* A mirrored body of a law whose matrix is then indefinite. */
#define CRUSHED "time.method=kikuuwe " MATERIAL "law=stvk-volume bodies.0.initial={\"mirror\":\"y\"}"

static const effect effects[] = {
    {"sn_time_options", "mode", plain, "", "time.mode=static"},
    {"sn_time_options", "method", plain, "", "time.method=bdf2"},
    {"sn_time_options", "step", plain, "", "time.step=0.02"},
    {"sn_time_options", "end", NULL, "", ""}, /* a run ends there; a step does not know it */
    {"sn_time_options", "load_steps", plain, "time.mode=static", "time.load_steps=3"},
    {"sn_time_options", "tolerance", plain, "time.method=dopri5", "time.tolerance=1e-2"},
    {"sn_time_options", "newton.kind", plain, "", "time.newton.kind=one-step"},
    {"sn_time_options", "newton.iterations", plain, "time.newton.kind=fixed", "time.newton.iterations=1"},
    {"sn_time_options", "newton.tolerance", plain, "", "time.newton.tolerance=0.1"},
    {"sn_time_options", "newton.line_search", plain, "bodies.0.initial={\"mirror\":\"y\"}",
     "time.newton.line_search=false"},
    {"sn_time_options", "newton.jacobian", plain, PARTICLES, "time.newton={\"jacobian\":\"approximate\"}"},
    {"sn_time_options", "updates", plain, PARTICLES "time.method=imex-euler", "time.updates=2"},
    {"sn_time_options", "correction.use", plain, CRUSHED, "time.correction={\"use\":false}"},
    {"sn_time_options", "correction.speed", plain, CRUSHED, "time.correction={\"speed\":1e-4}"},
    {"sn_time_options", "correction.measure", NULL, "", ""}, /* changes the report alone: test_kikuuwe.c */
    {"sn_time_options", "judge", NULL, "", ""},              /* test_judge.c */
    {"sn_solver_options", "method", plain, "", "solver.method=gmres"},
    {"sn_solver_options", "preconditioner", plain, "", "solver.preconditioner=ic0"},
    {"sn_solver_options", "operator", plain, "", "solver.operator=assembly-free"},
    {"sn_solver_options", "precision", plain, "", "solver.precision=double"},
    {"sn_solver_options", "tolerance", plain, "", "solver.tolerance=1e-2"},
    {"sn_solver_options", "iterations", plain, "", "solver.iterations=2"},
    {"sn_solver_options", "warm_start", plain, "", "solver.warm_start=false"},
    {"sn_solver_options", "budget", NULL, "", ""}, /* depends on the clock */
    {"sn_solver_options", "guard", plain, CRUSHED " solver.method=cg solver.preconditioner=none", "solver.guard=false"},
    {"sn_solver_options", "restart", plain, "solver.method=gmres", "solver.restart=2"},
    {"sn_solver_options", "omega", plain, "solver.method=cg solver.preconditioner=ssor", "solver.omega=1.5"},
    {"sn_solver_options", "drop", plain, "solver.method=cg solver.preconditioner=ict", "solver.drop=0.3"},
    {"sn_material", "rotation", plain, "bodies.0.initial={\"twist\":400}", MATERIAL "rotation=qr"},
    {"sn_material", "differential", plain, "bodies.0.initial={\"twist\":400}", MATERIAL "differential=truncated-1"},
    {"sn_material", "density", plain, "", MATERIAL "density=900"},
    {"sn_material", "area_density", plain, SHEET, MATERIAL "area_density=0.2"},
    {"sn_material", "bending.stiffness", plain, BENDING, MATERIAL "bending.stiffness=2e-3"},
    {"sn_material", "bending.stiffness", plain, SHEET MATERIAL "bending=1e-3 ", MATERIAL "bending=2e-3"},
    {"sn_material", "bending.damping", plain, BENDING, MATERIAL "bending.damping=1e-4"},
    {"sn_material", "bending.model", plain, BENDING, MATERIAL "bending.model=quadratic"},
    {"sn_material", "limit.strain", plain, SHEET "bodies.0.initial={\"scale\":1.1}",
     MATERIAL "limit={\"strain\":0.02}"},
    {"sn_material", "limit.stiffness", plain, SHEET MATERIAL "limit={\"strain\":0.02} bodies.0.initial={\"scale\":1.1}",
     MATERIAL "limit.stiffness=50"},
    {"sn_material", "viscous.lambda", plain, "", MATERIAL "viscous={\"lambda\":50}"},
    {"sn_material", "viscous.mu", plain, "", MATERIAL "viscous={\"mu\":50}"},
    {"sn_material", "rayleigh.mass", plain, "", MATERIAL "rayleigh={\"mass\":5}"},
    {"sn_material", "rayleigh.stiffness", plain, "", MATERIAL "rayleigh={\"stiffness\":0.1}"},
    {"sn_material", "alpha", plain, "bodies.0.initial={\"scale\":0.2} " MATERIAL "rotation=project",
     MATERIAL "alpha=0.001"},
    {"sn_material", "beta", plain, "bodies.0.initial={\"mirror\":\"y\"} " MATERIAL "rotation=dapd", MATERIAL "beta=1"},
    {"sn_material", "frames.every", plain, "bodies.0.initial={\"twist\":400}", MATERIAL "frames={\"every\":0.5}"},
    {"sn_material", "frames.level", plain,
     "bodies.0.mesh.refine=1 bodies.0.initial={\"twist\":400} " MATERIAL "frames.every=0.5", MATERIAL "frames.level=0"},
    {"sn_material", "warping_matrix", plain, MATERIAL "law=linear " MATERIAL "warping=edges solver.method=gmres",
     MATERIAL "warping_matrix=vertex"},
    {"sn_material", "prony.on", plain, MATERIAL "prony={\"terms\":[{\"ratio\":1,\"time\":0.1}]}",
     MATERIAL "prony={\"on\":\"shear\",\"terms\":[{\"ratio\":1,\"time\":0.1}]}"},
    {"sn_material", "prony.moduli", plain, MATERIAL "prony={\"terms\":[{\"ratio\":1,\"time\":0.1}]}",
     MATERIAL "prony={\"moduli\":\"instantaneous\",\"terms\":[{\"ratio\":1,\"time\":0.1}]}"},
    {"sn_material", "warping", plain, MATERIAL "law=linear", MATERIAL "warping=svd"},
    {"sn_material", "ghost_correction", plain, MATERIAL "law=linear " MATERIAL "warping=edges bodies.0.fix=[]",
     MATERIAL "ghost_correction=true"},
    {"sn_material", "springs.damper", plain, "bodies.0.element=springs", MATERIAL "springs={\"damper\":1}"},
    {"sn_material", "springs.quality", plain, "bodies.0.element=springs", MATERIAL "springs={\"quality\":1}"},
    {"sn_material", "muscle.fibre", plain, MATERIAL "muscle={\"fibre\":[1,0,0],\"activation\":0.5}",
     MATERIAL "muscle.fibre=[1,1,0]"},
    {"sn_material", "muscle.activation", plain, MATERIAL "muscle={\"fibre\":[1,0,0]}",
     MATERIAL "muscle.activation=0.5"},
    {"sn_material", "muscle.activation.keys", plain, MATERIAL "muscle={\"fibre\":[1,0,0]}",
     MATERIAL "muscle.activation={\"keys\":[[0,0],[1,1]]}"},
    {"sn_material", "muscle.period", plain,
     MATERIAL "muscle={\"fibre\":[1,0,0],\"activation\":{\"keys\":[[0,0],[0.01,1]]}}", MATERIAL "muscle.period=0.015"},
    {"sn_material", "muscle.stress", plain, MATERIAL "muscle={\"fibre\":[1,0,0],\"activation\":0.5}",
     MATERIAL "muscle.stress=1e5"},
    {"sn_material", "muscle.passive", plain, MATERIAL "muscle={\"fibre\":[1,0,0]} bodies.0.initial={\"scale\":1.1}",
     MATERIAL "muscle.passive=1e5"},
    {"sn_material", "muscle.optimal", plain, MATERIAL "muscle={\"fibre\":[1,0,0],\"activation\":0.5}",
     MATERIAL "muscle.optimal=1.1"},
    {"sn_material", "muscle.width", plain, MATERIAL "muscle={\"fibre\":[1,0,0],\"activation\":0.5}",
     MATERIAL "muscle.width=0.5"},
    {"sn_material", "muscle.speed", plain, MATERIAL "muscle={\"fibre\":[1,0,0],\"activation\":0.5}",
     MATERIAL "muscle.speed=5"},
    {"sn_tether", "point", tether, "", "bodies.0.tethers.0.point=[0.3,0.05,0]"},
    {"sn_tether", "to", tether, "", "bodies.0.tethers.0.to=[0.4,0,0]"},
    {"sn_tether", "to.body", NULL, "", ""}, /* test_tether.c */
    {"sn_tether", "to.at", NULL, "", ""},
    {"sn_tether", "keys", tether, "", "bodies.0.tethers.0.keys=[[0,0,0,0],[1,1,0,0]]"},
    {"sn_tether", "stiffness", tether, "", "bodies.0.tethers.0.stiffness=60"},
    {"sn_tether", "damping", tether, "", "bodies.0.tethers.0.damping=3"},
    {"sn_link", "point", link, "", "bodies.0.links.0.point=[0.3,0.05,0]"},
    {"sn_link", "to", link, "", "bodies.0.links.0.to=[0.31,0,0]"},
    {"sn_link", "to.body", NULL, "", ""}, /* test_link.c */
    {"sn_link", "to.at", NULL, "", ""},
    {"sn_link", "keys", link, "", "bodies.0.links.0.keys=[[0,0,0,0],[1,1,0,0]]"},
    {"sn_link", "stabilise", link, "", "bodies.0.links.0.stabilise=post"},
    {"sn_link", "rate", link, "", "bodies.0.links.0.rate=0.5"},
};

/* What three steps did: the state, and how much work it was. */
static void trace(const char *body, const char *set, const char *more, char out[200]) {
    char all[600];
    sn_world *world;
    sn_error error = {0};
    snprintf(all, sizeof all, "%s %s", set, more);
    if (make(body, plain, all, &world, &error)) fail_msg("%s: %s", all, error.text);
    char hash[17];
    int newton = 0, linear = 0, status = 0;
    for (int i = 0; i < 3; ++i) {
        sn_step_report report;
        status += sn_world_step(world, &report, &error);
        newton += report.newton_iterations, linear += report.linear_iterations;
    }
    sn_world_hash(world, hash);
    snprintf(out, 200, "%s %d %d %d", hash, newton, linear, status);
    sn_world_destroy(world);
}

static void test_effects(void **state) {
    (void)state;
    static const char *const groups[] = {"sn_time_options", "sn_solver_options", "sn_material", "sn_tether", "sn_link"};
    const int rows = (int)(sizeof effects / sizeof *effects);
    for (size_t g = 0; g < sizeof groups / sizeof *groups; ++g) {
        int count;
        const sn_option *option = sn_options(groups[g], &count);
        assert_true(count > 0);
        for (int i = 0; i < count; ++i) {
            int r = 0;
            while (r < rows &&
                   (strcmp(effects[r].group, groups[g]) != 0 || strcmp(effects[r].option, option[i].name) != 0))
                ++r;
            if (r == rows) fail_msg("%s.%s is not tried", groups[g], option[i].name);
            if (!effects[r].body) continue;
            char one[200], two[200];
            trace(effects[r].body, effects[r].set, "", one);
            trace(effects[r].body, effects[r].set, effects[r].more, two);
            if (strcmp(one, two) == 0) fail_msg("%s changes nothing: %s", effects[r].more, one);
        }
    }
}

static int start(void **state) {
    (void)state;
    return sn_context_create(NULL, &context, NULL) != SN_OK;
}

static int end(void **state) {
    (void)state;
    sn_context_destroy(context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused), cmocka_unit_test(test_effects)};
    return cmocka_run_group_tests(tests, start, end);
}
