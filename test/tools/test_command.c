/* The command from outside: exit codes, JSON, overrides, sweeps, same bits over threads, save and restore, and every
 * listed name in a scene. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"

/* The keys of a scene, as docs/scene-keys.md and other programs get them. */
static void test_keys(void **state) {
    (void)state;
    json_t *json = NULL;
    assert_int_equal(sinew(&json, "list options --json"), 0);
    const json_t *fix = json_object_get(json_object_get(json, "sn_fix"), "options");
    assert_string_equal(json_string_value(json_object_get(json_array_get(fix, 1), "name")), "axes");
    assert_string_equal(json_string_value(json_object_get(json_array_get(fix, 1), "default")), "xyz");
    json_decref(json);
}

/* A fit prints its terms and writes a material that a scene takes. */
static void test_fit(void **state) {
    (void)state;
    json_t *json = NULL;
    char path[300];
    snprintf(path, sizeof path, "%s/tissue.json", folder);
    assert_int_equal(sinew(&json,
                           "fit constant-q --q 4.8 --modulus 2500 --at 2 --band 0.1 10000 --terms 3 --json --material "
                           "%s --plot %s/q.svg",
                           path, folder),
                     0);
    assert_int_equal(json_array_size(json_object_get(json, "terms")), 3);
    assert_true(json_number_value(json_object_get(json, "error")) < 0.08);
    json_decref(json);
    assert_int_equal(sinew(NULL, "check %s --set 'bodies.0.material={\"file\": \"%s\"}'", scene, path), 0);
    /* The keys of the material go before those of the file. */
    assert_int_equal(
        sinew(NULL, "check %s --set 'bodies.0.material={\"file\": \"%s\", \"lame\": [1, -2]}'", scene, path), 2);
    assert_true(message_has("bodies.0.material.lame"));
}

/* The error of the quality factor in the band falls with every further term. */
static void test_fit_quality(void **state) {
    (void)state;
    double last = INFINITY;
    for (int count = 2; count <= 5; ++count) {
        json_t *json = NULL;
        assert_int_equal(sinew(&json, "fit constant-q --q 4.8 --modulus 2500 --at 2 --terms %d --json", count), 0);
        const double error = json_number_value(json_object_get(json, "q_error"));
        assert_true(error > 0 && error < last && error <= json_number_value(json_object_get(json, "q_worst")));
        last = error;
        json_decref(json);
    }
}

static void write_curve(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* A rising relaxation is refused at its line. A fit says whether the wanted error is reached. */
static void test_fit_curves(void **state) {
    (void)state;
    json_t *json = NULL;
    char path[300];
    snprintf(path, sizeof path, "%s/curve.csv", folder);
    write_curve(path, "time,modulus\n# rising\n1,1\n2,2\n3,3\n4,4\n");
    assert_int_equal(sinew(NULL, "fit relaxation %s", path), 2);
    assert_true(message_has("curve.csv:6: point 4: the curve rises"));
    write_curve(path, "1,1\n2,3\n3,1\n4,3\n5,1\n6,2\n");
    assert_int_equal(sinew(&json, "fit relaxation %s --json", path), 0);
    assert_true(json_is_false(json_object_get(json, "reached")));
    json_decref(json);
    assert_int_equal(sinew(&json, "fit relaxation %s --error 0.9 --json", path), 0);
    assert_true(json_is_true(json_object_get(json, "reached")));
    json_decref(json);
}

/* A material takes its keys from a file: bad files have a message that names the key. */
static void test_material_file(void **state) {
    (void)state;
    static const char *const text[] = {"[1, 2]", "{\"young\": 1e4,", "{\"file\": \"other.json\"}", "{\"yung\": 1e4}"};
    static const char *const part[] = {"must hold the keys", "not valid JSON", "further file", "'young'"};
    char path[300];
    snprintf(path, sizeof path, "%s/bad-material.json", folder);
    for (int i = 0; i < 4; ++i) {
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        fputs(text[i], file);
        fclose(file);
        assert_int_equal(sinew(NULL, "check %s --set 'bodies.0.material={\"file\": \"%s\"}'", scene, path), 2);
        assert_true(message_has("bodies.0.material") && message_has(part[i]));
    }
    assert_true(message_has("bad-material.json")); /* the scene has no such key */
    assert_int_equal(sinew(NULL, "check %s --set 'bodies.0.material={\"file\": \"%s/none.json\"}'", scene, folder), 2);
    assert_true(message_has("bodies.0.material.file") && message_has("cannot be read"));
}

static void test_exit_codes(void **state) {
    (void)state;
    assert_int_equal(sinew(NULL, "--help"), 0);
    assert_int_equal(sinew(NULL, "--version"), 0);
    assert_int_equal(sinew(NULL, ""), 2);
    assert_int_equal(sinew(NULL, "rnu %s", scene), 2);
    assert_true(message_has("'run'"));
    assert_int_equal(sinew(NULL, "run %s --thread 2", scene), 2);
    assert_true(message_has("'--threads'"));
    assert_int_equal(sinew(NULL, "run %s --simd sse9", scene), 2);
    assert_true(message_has("'sse9'") && message_has("avx2"));
    assert_int_equal(sinew(NULL, "bench --simd sse9"), 2);
    assert_int_equal(sinew(NULL, "experiment run kikuuwe-lift --simd sse9"), 2);
    assert_int_equal(sinew(NULL, "run %s/none.json", folder), 2);
    assert_true(message_has("none.json"));
    assert_int_equal(sinew(NULL, "check %s", scene), 0);
    assert_int_equal(sinew(NULL, "check %s --set time.step=0", scene), 2);
    assert_true(message_has("time.step"));
    assert_int_equal(sinew(NULL, "check %s --set time.mode=static --set bodies.0.fix=[]", scene), 2);
    assert_int_equal(sinew(NULL, "material stvkk --F '1 0 0 0 1 0 0 0 1'"), 2);
    assert_int_equal(sinew(NULL, "material stvk --F '1 0 0 0 1 0 0 0'"), 2);
    assert_int_equal(sinew(NULL, "rotation polr --F '1 0 0 0 1 0 0 0 1'"), 2);
    assert_int_equal(sinew(NULL, "rotation polar --F '1 0 0 0 1 0 0 0 1' --alpha 0.2"), 2);
    assert_int_equal(sinew(NULL, "rotation dapd --F '1 0 0 0 1 0 0 0 1' --alpha 1"), 2);
    assert_int_equal(sinew(NULL, "rotation dapd --F '1 0 0 0 1 0 0 0 1' --beta x"), 2);
    assert_int_equal(sinew(NULL, "list lws"), 2);
    assert_int_equal(sinew(NULL, "fit constant-q --q 4.8"), 2);
    assert_int_equal(sinew(NULL, "fit constant-q --q 4.8 --modulus 2500 --band 10 1"), 2);
    assert_int_equal(sinew(NULL, "fit constant-q curve.csv --q 4.8 --modulus 2500"), 2);
    assert_true(message_has("takes no file"));
    assert_int_equal(sinew(NULL, "fit relxation curve.csv"), 2);
    assert_true(message_has("did you mean 'relaxation'"));
    assert_int_equal(sinew(NULL, "fit relaxation"), 2);
    assert_int_equal(sinew(NULL, "fit relaxation %s", scene), 2);
    assert_int_equal(sinew(NULL, "mesh nothing.msh --info"), 2);
    assert_int_equal(sinew(NULL, "mesh box --ascii"), 2);
    assert_true(message_has("without -o"));
    assert_int_equal(sinew(NULL, "mesh box --ascii --binary -o %s/box.msh", folder), 2);
    assert_int_equal(sinew(NULL, "mesh box --binary -o %s/box.mesh", folder), 2);
    assert_true(message_has("no binary files"));
    assert_int_equal(sinew(NULL, "mesh box --version-of 2.2 -o %s/box.obj", folder), 2);
    assert_int_equal(sinew(NULL, "run %s --every 5", scene), 2);
    assert_true(message_has("--every needs"));
    assert_int_equal(sinew(NULL, "mesh bx"), 2);
    assert_true(message_has("'box'"));
    assert_int_equal(sinew(NULL, "check %s --set bodies.3.name=x", scene), 2);
    assert_true(message_has("a list of 1"));
}

/* A wrong ending is found before the run. */
static void test_endings(void **state) {
    (void)state;
    assert_int_equal(sinew(NULL, "run %s --picture %s/x.jpg", scene, folder), 2);
    assert_true(message_has("allowed is .png"));
    assert_int_equal(sinew(NULL, "run %s --video %s/x.png", scene, folder), 2);
    assert_true(message_has(".mp4"));
    assert_int_equal(sinew(NULL, "fit constant-q --q 4.8 --modulus 2500 --plot %s/x.png", folder), 2);
    assert_true(message_has(".svg"));
    assert_int_equal(sinew(NULL, "material stvk --shear 0:1:3 --plot %s/x.png", folder), 2);
    assert_true(message_has(".svg"));
}

static void test_unwritable(void **state) {
    (void)state;
    static const char *const option[] = {"--out", "--picture", "--save", "--video"};
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(sinew(NULL, "run %s --quiet %s %s/none/x", scene, i ? option[i] : "--out", i ? folder : scene),
                         2);
        assert_true(message_has(i ? "none/x" : "scene.json/none"));
    }
    assert_int_equal(sinew(NULL, "run %s", folder), 2);
    assert_int_equal(sinew(NULL, "run %s --restore %s", scene, folder), 2);
    assert_int_equal(sinew(NULL, "run %s --set 'bodies.0.mesh={\"file\":\"..\"}'", scene), 2);
    assert_int_equal(sinew(NULL, "mesh box -o %s/none/x.msh", folder), 2);
    assert_true(message_has("none/x.msh:"));
    assert_int_equal(sinew(NULL, "material stvk --shear 0:1:3 --plot %s/none/x.svg", folder), 2);
}

static void test_run_json(void **state) {
    (void)state;
    json_t *result;
    assert_int_equal(sinew(&result, "run %s --json --threads 1 --out %s/out", scene, folder), 0);
    static const char *const keys[] = {"scene",    "status", "message", "time",   "steps",  "threads", "nodes",
                                       "elements", "energy", "probes",  "newton", "linear", "timing",  "hash"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) assert_non_null(json_object_get(result, keys[i]));
    assert_string_equal(json_string_value(json_object_get(result, "status")), "ok");
    assert_int_equal(json_integer_value(json_object_get(result, "steps")), 10);
    assert_int_equal(json_array_size(json_object_get(json_object_get(result, "probes"), "tip")), 3);
    assert_int_equal(strlen(json_string_value(json_object_get(result, "hash"))), 16);
    const json_t *linear = json_object_get(result, "linear"), *history = json_object_get(linear, "history");
    assert_string_equal(json_string_value(json_object_get(linear, "method")), "minres");
    assert_int_equal(json_integer_value(json_object_get(linear, "misses")), 0);
    assert_true(json_array_size(history) >= 2);
    assert_true(json_real_value(json_array_get(history, json_array_size(history) - 1)) ==
                json_real_value(json_object_get(linear, "residual")));
    char path[128];
    struct stat about;
    snprintf(path, sizeof path, "%s/out/probes.csv", folder);
    assert_int_equal(stat(path, &about), 0);
    snprintf(path, sizeof path, "%s/out/scene.pvd", folder);
    assert_int_equal(stat(path, &about), 0);
    json_decref(result);
}

static void test_same_bits(void **state) {
    (void)state;
    json_t *first, *second;
    assert_int_equal(sinew(&first, "run %s --json --threads 1", scene), 0);
    for (int threads = 2; threads <= 4; threads += 2) {
        assert_int_equal(sinew(&second, "run %s --json --threads %d", scene, threads), 0);
        assert_string_equal(json_string_value(json_object_get(first, "hash")),
                            json_string_value(json_object_get(second, "hash")));
        json_decref(second);
    }
    static const char *const set[] = {"baseline", "avx2", "avx512"};
    bool widest = false;
    for (int i = 0; i < 3; ++i) {
        const int code = sinew(&second, "run %s --json --threads 1 --simd %s", scene, set[i]);
        if (code) { /* no narrower set may be missing */
            assert_int_equal(code, 2);
            assert_true(widest);
            assert_string_equal(json_string_value(json_object_get(second, "status")), "bad-input");
            json_decref(second);
            continue;
        }
        widest = strcmp(set[i], json_string_value(json_object_get(first, "simd"))) == 0;
        assert_string_equal(json_string_value(json_object_get(second, "simd")), set[i]);
        assert_string_equal(json_string_value(json_object_get(first, "hash")),
                            json_string_value(json_object_get(second, "hash")));
        json_decref(second);
    }
    assert_true(widest);
    assert_int_equal(sinew(&second, "run %s --json --set bodies.0.material.young=2e5", scene), 0);
    assert_string_not_equal(json_string_value(json_object_get(first, "hash")),
                            json_string_value(json_object_get(second, "hash")));
    json_decref(second);
    json_decref(first);
}

static void test_sweep(void **state) {
    (void)state;
    json_t *result;
    assert_int_equal(sinew(&result,
                           "run %s --json --sweep bodies.0.material.young=1e5,2e5 --sweep time.step=0.02,0.01,0.025",
                           scene),
                     0);
    assert_int_equal(json_array_size(json_object_get(result, "runs")), 6);
    json_decref(result);
}

/* The run that was saved goes on; the restored one ends with the same bits. */
static void test_save_restore(void **state) {
    (void)state;
    json_t *on, *restored;
    assert_int_equal(sinew(NULL, "run %s --quiet --set time.end=0.1 --save %s/half", scene, folder), 0);
    assert_int_equal(sinew(&on, "run %s --json --restore %s/half", scene, folder), 0);
    assert_int_equal(sinew(&restored, "run %s --json --restore %s/half --threads 1", scene, folder), 0);
    assert_string_equal(json_string_value(json_object_get(on, "hash")),
                        json_string_value(json_object_get(restored, "hash")));
    assert_true(json_number_value(json_object_get(on, "time")) > 0.19);
    json_decref(on);
    json_decref(restored);
    assert_int_equal(sinew(NULL, "run %s --quiet --restore %s", scene, scene), 2);
}

static void test_material_and_rotation(void **state) {
    (void)state;
    json_t *result;
    assert_int_equal(sinew(&result, "material stvk --set lame=1000,500 --F '1.1 0 0 0 1 0 0 0 1' --json"), 0);
    /* E_xx = 0.105; S = lambda tr E + 2 mu E; P = F S; psi = lambda/2 tr^2 + mu E:E */
    assert_true(fabs(json_number_value(json_array_get(json_object_get(result, "stress"), 0)) - 1.1 * 2000 * 0.105) <
                1e-9);
    assert_true(fabs(json_number_value(json_object_get(result, "energy")) - 1000 * 0.105 * 0.105) < 1e-9);
    assert_int_equal(json_array_size(json_object_get(result, "differential")), 81);
    json_decref(result);
    assert_int_equal(sinew(&result,
                           "material neo-hookean --young 1e5 --poisson 0.3 --uniaxial 0.9:1.5:7 --json --plot %s/p.svg",
                           folder),
                     0);
    assert_int_equal(json_array_size(json_object_get(result, "stress")), 7);
    json_decref(result);
    assert_int_equal(sinew(&result, "rotation polar --F '0 -2 0 2 0 0 0 0 2' --json"), 0);
    assert_true(fabs(json_number_value(json_array_get(json_object_get(result, "R"), 1)) + 1) < 1e-12);
    assert_true(fabs(json_number_value(json_array_get(json_object_get(result, "S"), 0)) - 2) < 1e-12);
    json_decref(result);
    assert_int_equal(sinew(&result, "mesh box:size=1,1,1:cells=2,2,2:split=5 -o %s/b.msh --json --refine 1", folder),
                     0);
    assert_int_equal(json_integer_value(json_object_get(result, "tets")), 8 * 40);
    json_decref(result);
}

/* sinew mesh --embed: a surface from a file, its report, a scene with it, and mistakes. */
static void test_embed(void **state) {
    (void)state;
    json_t *result;
    char path[128];
    snprintf(path, sizeof path, "%s/open.obj", folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file); /* a cube without its top, a duplicate triangle, a vertex of no triangle */
    fputs("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nv 5 5 5\n"
          "f 1 3 2\nf 1 4 3\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\nf 4 8 5\n",
          file);
    fclose(file);
    assert_int_equal(
        sinew(&result, "mesh %s -o %s/body.msh --embed --cell 0.15 --fit 3 --relax 0.2 --json", path, folder), 0);
    const json_t *report = json_object_get(result, "embed");
    assert_int_equal(json_integer_value(json_object_get(report, "open_edges")), 4);
    assert_int_equal(json_integer_value(json_object_get(report, "duplicate_triangles")), 1);
    assert_int_equal(json_integer_value(json_object_get(report, "unused_vertices")), 1);
    const double volume = json_number_value(json_object_get(result, "volume"));
    assert_true(volume > 0.8 && volume < 2); /* full, although it has no top */
    json_decref(result);
    assert_int_equal(sinew(NULL,
                           "run %s --quiet --set 'bodies.0.mesh={\"embed\":{\"surface\":\"open.obj\",\"elements\":"
                           "200}}' --set bodies.0.embedding=mls --set 'bodies.0.fix=[]' --out %s/embedded",
                           scene, folder),
                     0);
    assert_int_equal(sinew(NULL, "mesh %s --embed", path), 2);
    assert_true(message_has("neither cell nor elements"));
    assert_int_equal(sinew(NULL, "mesh %s --embed --cell x", path), 2);
    assert_true(message_has("--cell is 'x'"));
    assert_int_equal(sinew(NULL, "mesh %s --embed --cell 1e-9", path), 2);
    assert_true(message_has("larger cell"));
    assert_int_equal(sinew(NULL, "mesh %s --fit 3", path), 2);
    assert_true(message_has("--embed"));
}

/* A sheet of a law of cloth, which falls on a ball. */
static void run_cloth(const char *law) {
    const char *constants = strcmp(law, "cloth-orthotropic") == 0
                                ? "\"young\":[1e5,5e4],\"poisson\":0.2,\"shear\":2e4,\"direction\":[1,0,1]"
                            : strcmp(law, "cloth-baraff-witkin") == 0 || strcmp(law, "cloth-particles") == 0
                                ? "\"stretch\":1e5,\"shear\":2e4"
                                : "\"young\":1e5,\"poisson\":0.3";
    const char *const model[] = {"", ",\"model\":\"dihedral\"", ",\"model\":\"quadratic\""};
    for (int k = 0; k < (strcmp(law, "cloth-particles") == 0 ? 1 : 3); ++k)
        if (sinew(
                NULL,
                "run %s --quiet --set time.end=0.04 --set 'bodies=[{\"mesh\":{\"grid\":{\"cells\":[8,8]}},\"thickness\""
                ":0.001,\"material\":{\"law\":\"%s\",%s,\"bending\":{\"stiffness\":1e-5%s}}}]' --set "
                "'probes=[]' --set 'colliders=[{\"sphere\":{\"center\":[0,-0.3,0],\"radius\":0.295}}]'",
                scene, law, constants, model[k]))
            fail_msg("law '%s' does not run", law);
}

/* Each name of a list in the scene, under `key`. */
static void every(const json_t *lists, const char *kind, const char *format) {
    const json_t *list = json_object_get(lists, kind);
    assert_true(json_array_size(list) > 0);
    for (size_t i = 0; i < json_array_size(list); ++i) {
        const char *name = json_string_value(json_object_get(json_array_get(list, i), "name"));
        char set[200];
        snprintf(set, sizeof set, format, name);
        if (strcmp(name, "tri3") == 0) { /* plane triangles need a plane mesh */
            const char *plane = "{\"mesh\":{\"rectangle\":{\"cells\":[4,4]}},\"element\":\"tri3\"}";
            if (sinew(NULL, "run %s --quiet --set time.end=0.04 --set 'bodies=[%s]' --set 'probes=[]'", scene, plane))
                fail_msg("%s '%s' does not run", kind, name);
            continue;
        }
        if (strncmp(name, "imex-", 5) == 0) { /* particles */
            const char *sheet = "{\"mesh\":{\"grid\":{\"cells\":[4,4]}},\"thickness\":0.001,\"material\":{\"law\":"
                                "\"cloth-particles\",\"stretch\":1e5,\"shear\":1e3}}";
            if (sinew(NULL, "run %s --quiet %s --set 'bodies=[%s]' --set 'probes=[]'", scene, set, sheet))
                fail_msg("%s '%s' does not run", kind, name);
            continue;
        }
        if (strcmp(name, "cloth") == 0 || strcmp(name, "particles") == 0) { /* triangles with a law of cloth */
            run_cloth(strcmp(name, "cloth") == 0 ? "cloth-stvk" : "cloth-particles");
            continue;
        }
        if (sinew(NULL, "run %s --quiet --set time.end=0.04 %s", scene, set))
            fail_msg("%s '%s' does not run", kind, name);
    }
}

static void test_every_name(void **state) {
    (void)state;
    json_t *lists;
    assert_int_equal(sinew(&lists, "list --json"), 0);
    assert_true(json_object_size(lists) >= 21);
    assert_int_equal(json_object_size(lists), json_array_size(json_object_get(lists, "kinds")));
    for (size_t i = 0; i < json_array_size(json_object_get(lists, "laws")); ++i) {
        const char *name =
            json_string_value(json_object_get(json_array_get(json_object_get(lists, "laws"), i), "name"));
        if (strncmp(name, "cloth-", 6) == 0) {
            run_cloth(name);
            continue;
        }
        const char *material = strncmp(name, "orthotropic", 11) == 0
                                   ? "\"young\":[1e5,1e5,2e5],\"poisson\":[0.3,0.3,0.3],\"shear\":[4e4,4e4,4e4]"
                                   : "\"young\":1e5,\"poisson\":0.3";
        if (sinew(NULL, "run %s --quiet --set time.end=0.04 --set 'bodies.0.material={\"law\":\"%s\",%s}'", scene, name,
                  material))
            fail_msg("law '%s' does not run", name);
    }
    every(lists, "rotations", "--set bodies.0.material.rotation=%s");
    every(lists, "methods", "--set time.method=%s --set time.step=1e-4 --set time.end=0.002");
    every(lists, "solvers", "--set solver.method=%s");
    every(lists, "preconditioners", "--set bodies.0.mesh.refine=1 --set solver.preconditioner=%s");
    every(lists, "elements", "--set bodies.0.element=%s");
    every(lists, "modes", "--set time.mode=%s");
    every(lists, "newton-kinds", "--set time.newton.kind=%s");
    every(lists, "operators", "--set solver.operator=%s");
    every(lists, "precisions", "--set solver.precision=%s");
    every(lists, "warpings", "--set bodies.0.material.law=linear --set bodies.0.material.warping=%s");
    every(lists, "output-formats", "--set 'output.formats=[\"%s\"]'");
    every(lists, "output-fields", "--set 'output.fields=[\"%s\"]'");
    every(lists, "picture-fields", "--set output.picture.field=%s");
    every(lists, "responses", "--set 'colliders=[{\"plane\":{\"point\":[0,-1,0]},\"response\":\"%s\"}]'");
    json_decref(lists);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fit),
                                       cmocka_unit_test(test_fit_quality),
                                       cmocka_unit_test(test_fit_curves),
                                       cmocka_unit_test(test_material_file),
                                       cmocka_unit_test(test_exit_codes),
                                       cmocka_unit_test(test_endings),
                                       cmocka_unit_test(test_keys),
                                       cmocka_unit_test(test_unwritable),
                                       cmocka_unit_test(test_run_json),
                                       cmocka_unit_test(test_same_bits),
                                       cmocka_unit_test(test_sweep),
                                       cmocka_unit_test(test_save_restore),
                                       cmocka_unit_test(test_material_and_rotation),
                                       cmocka_unit_test(test_embed),
                                       cmocka_unit_test(test_every_name)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
