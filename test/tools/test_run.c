/* sinew run from outside: full disks, signals, checkpoints, tables, sweeps, formats, the end of a run, warnings; and
 * the help that comes from the tables of the command. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

#include "command.h"

/* Runs a line of the shell, in which $S is the command, $D the folder, $J the scene and $R the source tree. Returns the
 * exit code. */
static int shell(const char *format, ...) {
    char command[2048], line[2600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    snprintf(line, sizeof line, "S=%s D=%s J=%s R=%s; { %s\n} >$D/printed 2>$D/messages", SN_COMMAND, folder, scene,
             SN_SOURCE_FOLDER, command);
    const int status = system(line);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static char *text_of(const char *name) {
    static char text[65536];
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    text[0] = 0;
    if (!file) return text;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static bool exists(const char *name) {
    char path[256];
    struct stat about;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &about) == 0;
}

/* Of a file of any length: a run writes as many rows as the machine is fast. */
static int lines(const char *name) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    int count = 0;
    for (int c; (c = fgetc(file)) != EOF;) count += c == '\n';
    fclose(file);
    return count;
}

/* ---- Full disks ---- */

/* Every command says that its standard output could not be written. */
static void test_full_output(void **state) {
    (void)state;
    static const char *const command[] = {"--help",
                                          "--version",
                                          "help run",
                                          "help --man",
                                          "help --bash",
                                          "list",
                                          "list --json",
                                          "list options",
                                          "check $J",
                                          "run $J",
                                          "run $J --json",
                                          "run $J --json --sweep time.step=0.02,0.01",
                                          "material stvk --F '1 0 0 0 1 0 0 0 1'",
                                          "material stvk --shear 0:1:3 --json",
                                          "rotation polar --F '1 0 0 0 1 0 0 0 1' --json",
                                          "mesh box --info",
                                          "mesh box --json",
                                          "experiment list"};
    for (size_t i = 0; i < sizeof command / sizeof *command; ++i) {
        if (shell("$S %s >/dev/full", command[i]) != 1 ||
            !message_has("standard output cannot be written: No space left on device"))
            fail_msg("%s into a full disk: '%s'", command[i], text_of("messages"));
    }
    assert_int_equal(shell("$S list lws >/dev/full"), 2);
}

/* A state that cannot be written leaves the old one whole, and is not listed. */
static void test_full_save(void **state) {
    (void)state;
    assert_int_equal(shell("$S run $J --quiet --save $D/state && cp $D/state $D/old"), 0);
    /* The file may have 512 bytes: the write fails (the signal is ignored), then the program is killed by it. */
    assert_int_equal(shell("trap '' XFSZ; ulimit -f 1; $S run $J --set time.end=0.1 --save $D/state >$D/none"), 1);
    assert_true(message_has("state: cannot be written"));
    assert_int_equal(shell("cmp $D/state $D/old"), 0);
    assert_int_equal(shell("ls $D | grep tmp"), 1);
    assert_int_not_equal(shell("ulimit -f 1; $S run $J --quiet --set time.end=0.1 --save $D/state"), 0);
    assert_int_equal(shell("cmp $D/state $D/old"), 0);
    shell("rm -f $D/*.tmp");
    assert_int_equal(shell("$S run $J --save /dev/full"), 1);
    assert_null(strstr(text_of("printed"), "/dev/full"));
    assert_int_equal(shell("test -c /dev/full"), 0);
    /* a link stays a link */
    assert_int_equal(
        shell("ln -s state $D/link && $S run $J --quiet --set time.end=0.1 --save $D/link && test -L $D/link && "
              "! cmp -s $D/state $D/old"),
        0);
}

static void test_full_files(void **state) {
    (void)state;
    static const char *const table[] = {"probes.csv", "steps.csv"}; /* their heads are written before the run */
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(
            shell("rm -rf $D/full; mkdir $D/full; ln -s /dev/full $D/full/%s; $S run $J --out $D/full", table[i]), 2);
        assert_true(message_has(table[i]));
        assert_null(strstr(text_of("printed"), ": done"));
    }
    /* the disk is full later: a row in the middle does not fit, and the summary does not list the results */
    assert_int_equal(shell("trap '' XFSZ; ulimit -f 2; $S run $J --format none --set time.end=1 --out $D/part"), 1);
    assert_true(message_has("csv: cannot be written"));
    assert_null(strstr(text_of("printed"), "results"));
    assert_int_equal(shell("ln -sf /dev/full $D/disk.png; $S run $J --set output.picture.width=64 --set "
                           "output.picture.height=36 --picture $D/disk.png"),
                     1);
    assert_null(strstr(text_of("printed"), "disk.png"));
    assert_int_equal(
        shell("$S run $J --quiet --sweep time.step=0.02,0.01 --out $D/sw && rm $D/sw/sweep.csv && "
              "ln -s /dev/full $D/sw/sweep.csv && $S run $J --quiet --sweep time.step=0.02,0.01 --out $D/sw"),
        1);
    assert_true(message_has("sweep.csv: cannot be written"));
}

/* ---- Signals ---- */

/* Starts `sinew run` without a shell; standard output goes to the file "printed". */
static pid_t start(const char *const *word) {
    const pid_t child = fork();
    if (child) return child;
    char path[256];
    snprintf(path, sizeof path, "%s/printed", folder);
    dup2(open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666), 1);
    snprintf(path, sizeof path, "%s/messages", folder);
    dup2(open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666), 2);
    execv(SN_COMMAND, (char *const *)word);
    _exit(127);
}

static void wait_for_rows(pid_t child, const char *table, int rows) {
    for (int i = 0; i < 3000 && lines(table) < rows; ++i) usleep(10000);
    if (lines(table) >= rows) return;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    fail_msg("%s has %d rows", table, lines(table));
}

static void test_interrupt(void **state) {
    (void)state;
    char out[96], saved[96];
    snprintf(out, sizeof out, "%s/interrupted", folder);
    snprintf(saved, sizeof saved, "%s/interrupted.state", folder);
    const char *const word[] = {SN_COMMAND, "run",     scene, "--set", "time.end=1e5", "--json", "--out", out, "--save",
                                saved,      "--every", "0",   NULL};
    const pid_t child = start(word);
    wait_for_rows(child, "interrupted/steps.csv", 5);
    kill(child, SIGINT);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 130);
    assert_true(message_has("stopped"));
    json_t *result = json_loads(text_of("printed"), 0, NULL);
    assert_string_equal(json_string_value(json_object_get(result, "status")), "stopped");
    const json_int_t steps = json_integer_value(json_object_get(result, "steps"));
    assert_true(steps >= 3);
    json_decref(result);
    assert_int_equal(lines("interrupted/steps.csv"), steps + 2);
    assert_int_equal(lines("interrupted/probes.csv"), steps + 2);
    assert_true(exists("interrupted/scene-00000.vtu"));
    assert_int_equal(sinew(&result, "run %s --json --restore %s --set time.end=1e-9", scene, saved), 0);
    assert_int_equal(json_integer_value(json_object_get(result, "steps")), steps);
    json_decref(result);
}

/* The second signal ends the program at once, here within a large set-up. */
static void test_interrupt_twice(void **state) {
    (void)state;
    const char *const word[] = {SN_COMMAND, "run", scene, "--set", "bodies.0.mesh.box.cells=[200,50,50]", NULL};
    const pid_t child = start(word);
    int status;
    do { /* two signals that come before the program runs again count as one */
        usleep(100000);
        kill(child, SIGINT);
    } while (waitpid(child, &status, WNOHANG) == 0);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
}

/* Waits until the program has written its first picture of the scene: its next work is the first step. */
static void wait_for_start(pid_t child, const char *file) {
    for (int i = 0; i < 3000 && !exists(file); ++i) usleep(10000);
    if (exists(file)) return;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    fail_msg("%s is not there", file);
}

/* A static solution stops between its load steps. */
static void test_interrupt_static(void **state) {
    (void)state;
    char out[96];
    snprintf(out, sizeof out, "%s/static", folder);
    const char *const word[] = {
        SN_COMMAND, "run", scene, "--set", "time.mode=static", "--set", "time.load_steps=100000", "--out", out, NULL};
    const pid_t child = start(word);
    wait_for_start(child, "static/scene-00000.vtu");
    usleep(100000);
    kill(child, SIGINT);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 130);
    assert_non_null(strstr(text_of("printed"), ": stopped"));
}

/* A killed run leaves its last checkpoint. */
static void test_checkpoint(void **state) {
    (void)state;
    char out[96], saved[96];
    snprintf(out, sizeof out, "%s/killed", folder);
    snprintf(saved, sizeof saved, "%s/killed.state", folder);
    const char *const word[] = {SN_COMMAND, "run",  scene,    "--set", "time.end=1e5", "--out", out,
                                "--format", "none", "--save", saved,   "--checkpoint", "4",     NULL};
    const pid_t child = start(word);
    wait_for_rows(child, "killed/steps.csv", 12);
    kill(child, SIGKILL);
    int status;
    waitpid(child, &status, 0);
    json_t *result;
    assert_int_equal(sinew(&result, "run %s --json --restore %s --set time.end=1e-9", scene, saved), 0);
    const json_int_t steps = json_integer_value(json_object_get(result, "steps"));
    assert_true(steps >= 8 && steps % 4 == 0);
    json_decref(result);
    assert_int_equal(shell("$S run $J --checkpoint 4"), 2);
    assert_true(message_has("--save"));
}

/* An adaptive explicit method shows where it is, and Ctrl-C ends its step. */
static void test_long_step(void **state) {
    (void)state;
    enum { PATIENCE = 2000 }; /* hundredths of a second */
    char out[96];
    snprintf(out, sizeof out, "%s/long", folder);
    const char *const word[] = {SN_COMMAND,
                                "run",
                                scene,
                                "--set",
                                "time.method=dopri5",
                                "--set",
                                "time.tolerance=1e-13",
                                "--set",
                                "bodies.0.material.young=1e13",
                                "--json",
                                "--out",
                                out,
                                NULL};
    const pid_t child = start(word);
    wait_for_start(child, "long/scene-00000.vtu");
    usleep(100000);
    kill(child, SIGINT);
    int status = -1, waited = 0;
    while (waitpid(child, &status, WNOHANG) == 0 && ++waited < PATIENCE) usleep(10000);
    if (waited == PATIENCE) kill(child, SIGKILL), waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 130);
}

/* ---- Results ---- */

static void test_steps_table(void **state) {
    (void)state;
    json_t *with, *without;
    assert_int_equal(sinew(&with, "run %s --json --out %s/table", scene, folder), 0);
    assert_int_equal(sinew(&without, "run %s --json", scene), 0);
    /* looking does not change the motion */
    assert_string_equal(json_string_value(json_object_get(with, "hash")),
                        json_string_value(json_object_get(without, "hash")));
    assert_int_equal(lines("table/steps.csv"), 12);
    char *text = text_of("table/steps.csv");
    assert_true(
        strncmp(text, "step,time,kinetic,elastic,gravity,total,px,py,pz,lx,ly,lz,contacts,newton,linear,", 80) == 0);
    char *row = text;
    for (char *p = text; *p; ++p)
        if (*p == '\n' && p[1]) row = p + 1;
    double value[8], iterations = 0;
    assert_int_equal(
        sscanf(row, "%lf,%lf,%lf,%lf,%lf,%lf", &value[0], &value[1], &value[2], &value[3], &value[4], &value[5]), 6);
    const json_t *energy = json_object_get(with, "energy");
    assert_true(value[0] == 10 && value[2] == json_number_value(json_object_get(energy, "kinetic")));
    assert_true(value[3] == json_number_value(json_object_get(energy, "elastic")));
    assert_true(value[5] == json_number_value(json_object_get(energy, "total")));
    for (char *p = strchr(text, '\n') + 1; *p; p = strchr(p, '\n') + 1) {
        for (int k = 0; k < 13; ++k) p = strchr(p, ',') + 1;
        iterations += strtod(p, NULL);
    }
    assert_true(iterations == json_number_value(json_object_get(json_object_get(with, "newton"), "iterations")));
    json_decref(with);
    json_decref(without);
}

static void test_formats(void **state) {
    (void)state;
    const char *none = "--set 'output={\"every\":5}'";
    assert_int_equal(shell("$S run $J %s --quiet --out $D/default", none), 0);
    assert_true(exists("default/scene-00000.vtu") && exists("default/scene.pvd"));
    assert_int_equal(shell("$S run $J --quiet --out $D/chosen --format obj,ply"), 0);
    assert_true(exists("chosen/scene-00000.obj") && exists("chosen/scene-00000.ply") &&
                !exists("chosen/scene-00000.vtu"));
    assert_int_equal(shell("$S run $J --quiet --out $D/empty --format none"), 0);
    assert_true(exists("empty/probes.csv") && !exists("empty/scene-00000.vtu"));
    assert_int_equal(shell("$S run $J --quiet --set 'output.formats=[]' --out $D/empty2"), 0);
    assert_true(exists("empty2/probes.csv") && !exists("empty2/scene-00000.vtu"));
    assert_int_equal(shell("$S run $J --quiet --out $D/wrong --format vtuu"), 2);
    assert_true(message_has("'vtu'"));
    assert_int_equal(shell("$S run $J --format vtu"), 2);
    assert_true(message_has("--out"));
    json_t *result;
    assert_int_equal(sinew(&result, "run %s --json", scene), 0); /* the scene lists formats */
    assert_true(message_has("warning: output.formats"));
    assert_int_equal(json_array_size(json_object_get(result, "warnings")), 1);
    json_decref(result);
    assert_int_equal(sinew(&result, "run %s --json %s", scene, none), 0);
    assert_int_equal(json_array_size(json_object_get(result, "warnings")), 0);
    json_decref(result);
}

/* The run ends at `end`, also when this is no multiple of the step. */
static void test_end(void **state) {
    (void)state;
    static const struct {
        const char *set;
        double end;
        int steps;
    } trial[] = {
        {"--set time.end=0.05", 0.05, 3},
        {"--set time.end=0.007", 0.007, 1},
        {"--set time.end=0.2", 0.2, 10},
        {"--set time.end=0.21 --set time.method=bdf3", 0.21, 11},
        {"--set time.end=0.1 --set time.step=0.03 --set time.method=verlet --set bodies.0.material.young=100", 0.1, 4}};
    for (size_t i = 0; i < sizeof trial / sizeof *trial; ++i) {
        json_t *result;
        assert_int_equal(sinew(&result, "run %s --json %s", scene, trial[i].set), 0);
        assert_true(json_number_value(json_object_get(result, "time")) == trial[i].end);
        assert_int_equal(json_integer_value(json_object_get(result, "steps")), trial[i].steps);
        json_decref(result);
    }
}

/* Pictures and files are timed apart from the steps. */
static void test_timing(void **state) {
    (void)state;
    json_t *result;
    assert_int_equal(sinew(&result,
                           "run %s --json --every 1 --out %s/timed --set output.picture.width=64 --set "
                           "output.picture.height=36 --picture %s/timed.png",
                           scene, folder, folder),
                     0);
    const json_t *timing = json_object_get(result, "timing");
    const double steps = json_number_value(json_object_get(timing, "steps")),
                 output = json_number_value(json_object_get(timing, "output")),
                 total = json_number_value(json_object_get(timing, "total")),
                 setup = json_number_value(json_object_get(timing, "setup"));
    assert_true(output > 0 && steps > 0);
    assert_true(fabs(setup + steps + output - total) < 1e-9);
    assert_true(fabs(json_number_value(json_object_get(timing, "per_step")) - steps / 10) < 1e-9);
    json_decref(result);
}

static void test_sweep_files(void **state) {
    (void)state;
    assert_int_equal(shell("$S run $J --out $D/swept --save $D/swept.state --sweep bodies.0.material.young=1e5,2e5 "
                           "--sweep time.step=0.02,0.01,0.02"),
                     0);
    assert_true(exists("swept/young=1e5_step=0.02/probes.csv") && exists("swept/young=2e5_step=0.01/steps.csv"));
    assert_true(exists("swept/young=1e5_step=0.02-2/probes.csv"));
    assert_true(exists("swept-young=1e5_step=0.02.state"));
    assert_int_equal(lines("swept/sweep.csv"), 7);
    assert_true(strncmp(text_of("swept/sweep.csv"), "bodies.0.material.young,time.step,status,time,", 46) == 0);
    assert_non_null(strstr(text_of("swept/sweep.csv"), ",tip.x,tip.y,tip.z"));
    char *plot = text_of("swept/sweep.svg");
    int curves = 0;
    for (char *p = plot; (p = strstr(p, "<polyline")); ++p) ++curves;
    assert_int_equal(curves, 6);
    /* keys that end with the same word keep their whole names; statics draw one curve over the value */
    assert_int_equal(
        shell("$S run $J --quiet --out $D/static --set time.mode=static --sweep bodies.0.material.young=1e5,2e5,4e5 "
              "--sweep bodies.0.material.poisson=0.3"),
        0);
    assert_true(exists("static/young=4e5_poisson=0.3"));
    plot = text_of("static/sweep.svg");
    assert_non_null(strstr(plot, "bodies.0.material.young"));
    assert_null(strstr(strstr(plot, "<polyline") + 1, "<polyline"));
}

/* ---- Warnings ---- */

static void test_overlap(void **state) {
    (void)state;
    static const struct {
        const char *move;
        int warnings;
    } trial[] = {{"[0.05, 0.05, 0.05]", 1}, {"[0.4, 0, 0]", 0}, {"[1, 0, 0]", 0}, {"[0, 0.09, 0]", 1}};
    for (size_t i = 0; i < sizeof trial / sizeof *trial; ++i) {
        json_t *result;
        assert_int_equal(sinew(&result,
                               "run %s --json --set output={} --set time.end=0.02 --set "
                               "'bodies=[{\"name\":\"a\",\"mesh\":{\"box\":{\"size\":[0.4,0.1,0.1],"
                               "\"cells\":[4,1,1]}}},{\"name\":\"b\",\"mesh\":{\"box\":{\"size\":[0.4,0.1,0.1],"
                               "\"cells\":[4,1,1]},\"move\":%s}}]'",
                               scene, trial[i].move),
                         0);
        assert_int_equal(json_array_size(json_object_get(result, "warnings")), trial[i].warnings);
        if (trial[i].warnings) assert_true(message_has("'a' and 'b' overlap"));
        json_decref(result);
        assert_int_equal(sinew(NULL,
                               "check %s --set output={} --set "
                               "'bodies=[{\"name\":\"a\",\"mesh\":{\"box\":{\"size\":[0.4,0.1,0.1],"
                               "\"cells\":[4,1,1]}}},{\"name\":\"b\",\"mesh\":{\"box\":{\"size\":[0.4,0.1,0.1],"
                               "\"cells\":[4,1,1]},\"move\":%s}}]'",
                               scene, trial[i].move),
                         0);
        assert_int_equal(message_has("'a' and 'b' overlap"), trial[i].warnings);
    }
    /* bars that cross: no node of one is inside of the other. Boxes that overlap around bodies that do not. */
    static const char *const pair[] = {
        "[{\"mesh\":{\"box\":{\"size\":[1,0.1,0.1],\"cells\":[1,1,1]},\"move\":[-0.5,-0.05,-0.05]}},"
        "{\"mesh\":{\"box\":{\"size\":[0.1,1,0.1],\"cells\":[1,1,1]},\"move\":[-0.05,-0.5,-0.05]}}]",
        "[{\"mesh\":{\"box\":{\"size\":[1,0.1,0.1],\"cells\":[1,1,1]},\"rotate\":[0,0,1,45]}},"
        "{\"mesh\":{\"box\":{\"size\":[0.1,0.1,0.1],\"cells\":[1,1,1]},\"move\":[0.5,0,0]}}]"};
    for (int i = 0; i < 2; ++i) {
        json_t *result;
        assert_int_equal(sinew(&result,
                               "run %s --json --set output={} --set probes=[] --set time.end=0.02 --set 'bodies=%s'",
                               scene, pair[i]),
                         0);
        assert_int_equal(json_array_size(json_object_get(result, "warnings")), i == 0);
        json_decref(result);
    }
}

/* ---- Names and help ---- */

static void test_ready_scene(void **state) {
    (void)state;
    assert_int_equal(shell("cd $R; $S check bar"), 0);
    assert_int_equal(shell("cd $R; $S run bar --quiet --set time.end=0.02"), 0);
    assert_int_equal(shell("cd $R; $S run baar"), 2);
    assert_true(message_has("'bar'"));
    assert_int_equal(shell("cd $R; $S run xyzzyxyzzy"), 2);
    /* a file of this name comes first */
    assert_int_equal(shell("cp $J $D/bar; cd $D; $S check bar"), 0);
    assert_non_null(strstr(text_of("printed"), "1 body, 20 nodes"));
}

static void test_help(void **state) {
    (void)state;
    assert_int_equal(shell("$S help run >$D/a; $S run --help | cmp - $D/a"), 0);
    assert_int_equal(shell("$S help run | grep -e --checkpoint"), 0);
    assert_int_equal(shell("$S help rnu"), 2);
    assert_true(message_has("'run'"));
    assert_int_equal(shell("$S help --man | grep '^.SS sinew run'"), 0);
    assert_int_equal(shell("$S list formats | grep -E '^  msh +mesh: read, write; '"), 0);
    /* every option of every help is in the man page and in the completion */
    assert_int_equal(
        shell("$S help --man >$D/man; $S help --bash >$D/completion; for c in run check list mesh material rotation "
              "view bench experiment help; do $S help $c | sed -nE 's/^  (-[-a-zA-Z]+).*/\\1/p' | while read -r o; do "
              "grep -qF -e \"$o\" $D/completion && sed 's/\\\\-/-/g' $D/man | grep -qF -e \".B $o\" || "
              "{ echo $c $o >&2; touch $D/missing; }; done; done; test ! -e $D/missing"),
        0);
}

static void test_completion(void **state) {
    (void)state;
    static const struct {
        const char *words, *wanted;
        int at;
    } trial[] = {{"ru", "run", 1},
                 {"run --chec", "--checkpoint", 2},
                 {"run twisted", "twisted-bar", 2},
                 {"material stable", "stable-neo-hookean", 2},
                 {"run bar --format vt", "vtu", 4}};
    if (system("command -v bash >/dev/null") != 0) skip();
    for (size_t i = 0; i < sizeof trial / sizeof *trial; ++i) {
        assert_int_equal(
            shell("$S help --bash >$D/completion; cd $R; bash -c 'source '$D'/completion; COMP_WORDS=('$S' %s); "
                  "COMP_CWORD=%d; _sinew; "
                  "printf \"%%s\\n\" \"${COMPREPLY[@]}\"'",
                  trial[i].words, trial[i].at),
            0);
        if (!strstr(text_of("printed"), trial[i].wanted)) fail_msg("%s: %s", trial[i].words, text_of("printed"));
    }
}

/* The last column of steps.csv counts the places where two overlapping cubes touch. */
static void test_body_contacts(void **state) {
    (void)state;
    char path[300];
    snprintf(path, sizeof path, "%s/touching.json", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("{\"gravity\": [0, 0, 0], \"contact\": {}, \"time\": {\"step\": 0.001, \"end\": 0.002}, \"bodies\": ["
          "{\"name\": \"a\", \"mesh\": {\"box\": {\"size\": [1, 1, 1], \"cells\": [1, 1, 1]}}},"
          "{\"name\": \"b\", \"mesh\": {\"box\": {\"size\": [1, 1, 1], \"cells\": [1, 1, 1]},"
          "\"move\": [0.2, 0.95, 0.1]}}]}",
          file);
    fclose(file);
    assert_int_equal(sinew(NULL, "run %s --quiet --out %s/touching", path, folder), 0);
    char *text = text_of("touching/steps.csv");
    assert_non_null(strstr(text, ",linear_residual,body_contacts\n"));
    text[strlen(text) - 1] = 0;
    assert_true(strtod(strrchr(text, ',') + 1, NULL) > 0);
}

/* The counts of adaptive bodies: the sums, and those of each when there are several. */
static void test_adapt(void **state) {
    (void)state;
    json_t *json = NULL;
    const char *sums[] = {"active", "finest", "unknowns", "hanging", "changes", "refined", "coarsened"};
    assert_int_equal(
        sinew(&json, "run %s/scenes/ball-on-pad.json --set time.end=0.15 --json --quiet", SN_SOURCE_FOLDER), 0);
    const json_t *all = json_object_get(json, "adapt"), *bodies = json_object_get(all, "bodies");
    assert_int_equal(json_array_size(bodies), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(bodies, 1), "body")), "ball");
    for (size_t i = 0; i < sizeof sums / sizeof *sums; ++i) {
        json_int_t sum = 0;
        for (size_t b = 0; b < 2; ++b) sum += json_integer_value(json_object_get(json_array_get(bodies, b), sums[i]));
        assert_int_equal(json_integer_value(json_object_get(all, sums[i])), sum);
    }
    assert_true(json_integer_value(json_object_get(all, "refined")) > 0);
    json_decref(json);
    assert_int_equal(sinew(&json, "run %s/scenes/poked-pad.json --set time.end=0.02 --json --quiet", SN_SOURCE_FOLDER),
                     0);
    assert_non_null(json_object_get(json, "adapt"));
    assert_null(json_object_get(json_object_get(json, "adapt"), "bodies"));
    json_decref(json);
}

/* ---- Tools ---- */

#define TOOLS                                                                                                          \
    "'tools=[{\"name\": \"finger\", \"device\": {\"recorded\": {\"file\": \"%s/path.csv\"}}, "                         \
    "\"protocol\": \"finger.csv\"}]'"

static void write_path(void) {
    char path[128];
    snprintf(path, sizeof path, "%s/path.csv", folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs("t,x,y,z\n0,0.1,0.13,0.05\n0.1,0.1,0.05,0.05\n0.2,0.1,0.05,0.05\n", file);
    fclose(file);
}

/* A recorded path: the same bits for any number of threads, and a protocol in the folder of --out. */
static void test_recorded(void **state) {
    (void)state;
    write_path();
    char *protocol[3], hash[3][32];
    for (int i = 0; i < 3; ++i) {
        json_t *json;
        assert_int_equal(sinew(&json, "run %s --set " TOOLS " --threads %d --json --out %s/tools%d", scene, folder,
                               i < 2 ? 1 : 2, folder, i),
                         0);
        snprintf(hash[i], sizeof *hash, "%s", json_string_value(json_object_get(json, "hash")));
        const json_t *tool = json_array_get(json_object_get(json, "tools"), 0);
        assert_string_equal(json_string_value(json_object_get(tool, "name")), "finger");
        assert_int_equal(json_integer_value(json_object_get(tool, "ticks")), 201);
        assert_int_equal(json_integer_value(json_object_get(tool, "faults")), 0);
        assert_null(json_object_get(json, "realtime"));
        json_decref(json);
        char name[64];
        snprintf(name, sizeof name, "tools%d/finger.csv", i);
        protocol[i] = strdup(text_of(name));
    }
    assert_memory_equal(protocol[0], "t,x,y,z,", 8);
    for (int i = 1; i < 3; ++i) {
        assert_string_equal(hash[i], hash[0]);
        assert_string_equal(protocol[i], protocol[0]);
    }
    assert_non_null(strstr(protocol[0], ",1\n")); /* it touches */
    for (int i = 0; i < 3; ++i) free(protocol[i]);
    json_t *free_run;
    assert_int_equal(sinew(&free_run, "run %s --json", scene), 0);
    assert_true(strcmp(json_string_value(json_object_get(free_run, "hash")), hash[0]) != 0);
    assert_null(json_object_get(free_run, "tools"));
    json_decref(free_run);
}

/* Bad tools end with exit code 2 and a message. */
static void test_bad_tools(void **state) {
    (void)state;
    write_path();
    assert_int_equal(sinew(NULL, "run %s --set 'tools=[{\"device\": {\"udp\": {}}}]'", scene), 2);
    assert_true(message_has("needs --realtime"));
    assert_int_equal(sinew(NULL, "run %s --set 'tools=[{\"sprong\": 200}]'", scene), 2);
    assert_true(message_has("tools.0.sprong") && message_has("'spring'"));
    assert_int_equal(
        sinew(NULL, "run %s --set 'tools=[{\"device\": {\"recorded\": {\"file\": \"%s\"}}}]'", scene, scene), 2);
    assert_true(message_has("scene.json:1: no column 't'"));
    assert_int_equal(sinew(NULL, "run %s --realtime --set time.mode=static", scene), 2);
    assert_true(message_has("--realtime has no effect"));
    assert_int_equal(sinew(NULL, "run %s --quiet --set " TOOLS, scene, folder), 0);
    assert_true(message_has("the protocol of the tool 'finger' has no effect without --out"));
    assert_int_equal(sinew(NULL, "run %s --quiet --set 'tools=[{\"device\": \"mouse\"}]'", scene), 0);
    assert_true(message_has("does not move here"));
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* By the clock: the run takes its time, and says how it went. Nothing here depends on how fast the machine is. */
static void test_realtime(void **state) {
    (void)state;
    write_path();
    json_t *json;
    const double begin = now();
    assert_int_equal(sinew(&json, "run %s --set " TOOLS " --realtime --json --out %s/clock", scene, folder, folder), 0);
    assert_true(now() - begin > 0.19);
    const json_t *pace = json_object_get(json, "realtime"), *tool = json_array_get(json_object_get(json, "tools"), 0);
    assert_int_equal(json_integer_value(json_object_get(pace, "steps")), 10);
    assert_in_range(json_integer_value(json_object_get(pace, "late")), 0, 10);
    assert_true(json_number_value(json_object_get(pace, "delay")) >= json_number_value(json_object_get(pace, "most")));
    assert_true(json_integer_value(json_object_get(tool, "ticks")) > 0);
    assert_true(json_is_number(json_object_get(json_object_get(tool, "call"), "high")));
    assert_true(json_is_number(json_object_get(json_object_get(tool, "lateness"), "most")));
    json_decref(json);
    assert_memory_equal(text_of("clock/finger.csv"), "t,x,y,z,", 8);
    assert_int_equal(shell("$S run $J --realtime"), 0);
    assert_non_null(strstr(text_of("printed"), "steps began late"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_full_output),
                                       cmocka_unit_test(test_adapt),
                                       cmocka_unit_test(test_body_contacts),
                                       cmocka_unit_test(test_recorded),
                                       cmocka_unit_test(test_bad_tools),
                                       cmocka_unit_test(test_realtime),
                                       cmocka_unit_test(test_full_save),
                                       cmocka_unit_test(test_full_files),
                                       cmocka_unit_test(test_interrupt),
                                       cmocka_unit_test(test_interrupt_twice),
                                       cmocka_unit_test(test_interrupt_static),
                                       cmocka_unit_test(test_checkpoint),
                                       cmocka_unit_test(test_long_step),
                                       cmocka_unit_test(test_steps_table),
                                       cmocka_unit_test(test_formats),
                                       cmocka_unit_test(test_end),
                                       cmocka_unit_test(test_timing),
                                       cmocka_unit_test(test_sweep_files),
                                       cmocka_unit_test(test_overlap),
                                       cmocka_unit_test(test_ready_scene),
                                       cmocka_unit_test(test_help),
                                       cmocka_unit_test(test_completion)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
