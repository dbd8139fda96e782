/* Conformance of mesh formats: every format that sn_mesh_formats() lists is tried here, so a new format is tested at
 * once.
 *
 * A format that reads needs a sample: a file with its ending in test/data/mesh. A listed format without a sample fails
 * the test. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "mesh/format.h"
#include "mesh_test.h"
#include "write_as.h"

static char folder[] = "/tmp/sinew-formats-XXXXXX";
static const sn_listing *format;
static int formats;

static int begin(void **state) {
    format = sn_mesh_formats(&formats);
    return set_up(state) || !mkdtemp(folder);
}

static void clear_folder(void) {
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.') unlink(path);
    }
    if (dir) closedir(dir);
}

static int end(void **state) {
    clear_folder();
    return rmdir(folder) || tear_down(state);
}

/* ---- Samples ---- */

typedef struct bytes {
    char *data;
    size_t count;
} bytes;

static bytes slurp(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s cannot be opened", path);
    fseek(file, 0, SEEK_END);
    bytes b = {.count = (size_t)ftell(file)};
    rewind(file);
    b.data = malloc(b.count + 1);
    assert_int_equal(fread(b.data, 1, b.count, file), b.count);
    fclose(file);
    return b;
}

static void spill(const char *path, const char *data, size_t count) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

/* Copies a sample and the files beside it that have the same stem: a mesh may take several. `path` gets the copy of the
 * sample. */
static void copy_sample(const char *name, char *path, size_t capacity) {
    const size_t stem = (size_t)(strrchr(name, '.') - name);
    DIR *dir = opendir(SN_TEST_DATA "/mesh");
    assert_non_null(dir);
    clear_folder();
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (strncmp(entry->d_name, name, stem + 1) != 0) continue;
        char from[600], to[600];
        snprintf(from, sizeof from, "%s/mesh/%s", SN_TEST_DATA, entry->d_name);
        snprintf(to, sizeof to, "%s/%s", folder, entry->d_name);
        bytes b = slurp(from);
        spill(to, b.data, b.count);
        free(b.data);
    }
    closedir(dir);
    snprintf(path, capacity, "%s/%s", folder, name);
}

/* Calls `work` with the copy of each sample of each format that reads. */
static void for_each_sample(void (*work)(const char *path)) {
    for (int i = 0; i < formats; ++i) {
        if (!sn_mesh_format_reads(format[i].name)) continue;
        int samples = 0;
        DIR *dir = opendir(SN_TEST_DATA "/mesh");
        assert_non_null(dir);
        for (struct dirent *entry; (entry = readdir(dir));) {
            const char *dot = strrchr(entry->d_name, '.');
            if (!dot || strcmp(dot + 1, format[i].name) != 0) continue;
            char path[600];
            copy_sample(entry->d_name, path, sizeof path);
            work(path);
            ++samples;
        }
        closedir(dir);
        if (!samples)
            fail_msg("format '%s' has no sample: add a file with this ending to test/data/mesh", format[i].name);
    }
}

/* Every index in range and every coordinate finite; otherwise later code would fall. */
static void assert_sound(const sn_mesh *mesh) {
    assert_true(mesh->tet_count + mesh->triangle_count > 0);
    for (int i = 0; i < mesh->tet_count * mesh->tet_nodes; ++i) assert_in_range(mesh->tet[i], 0, mesh->node_count - 1);
    for (int i = 0; i < 3 * mesh->triangle_count; ++i) assert_in_range(mesh->triangle[i], 0, mesh->node_count - 1);
    for (int i = 0; i < 3 * mesh->node_count; ++i) assert_true(isfinite(mesh->position[i]));
    for (int i = 0; i < mesh->group_count; ++i) {
        const sn_group *group = &mesh->group[i];
        const int most = group->kind == SN_GROUP_NODES  ? mesh->node_count
                         : group->kind == SN_GROUP_TETS ? mesh->tet_count
                                                        : mesh->triangle_count;
        for (int k = 0; k < group->count; ++k) assert_in_range(group->member[k], 0, most - 1);
    }
}

/* A sound mesh, or a message that names the file. */
static sn_status try_path(const char *path) {
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    const int64_t live = memory.live;
    const sn_status status = sn_mesh_read(context, path, &mesh, &error);
    if (status) {
        assert_int_equal(status, SN_BAD_INPUT);
        assert_int_equal(strncmp(error.text, folder, strlen(folder)), 0);
        assert_null(mesh);
    } else {
        assert_sound(mesh);
    }
    sn_mesh_destroy(mesh);
    assert_int_equal(memory.live, live);
    return status;
}

/* ---- Reading ---- */

static void read_sample(const char *path) { assert_int_equal(try_path(path), SN_OK); }

static void test_samples(void **state) {
    (void)state;
    for_each_sample(read_sample);
}

/* Cut at every fifth byte (test_broken_files.c cuts at each). At least the empty file and the file cut in the middle
 * are refused. */
static void cut_sample(const char *path) {
    bytes whole = slurp(path);
    const size_t middle = whole.count / 2;
    for (size_t cut = 0; cut < whole.count; cut += cut < middle && cut + 5 > middle ? middle - cut : 5) {
        spill(path, whole.data, cut);
        const sn_status status = try_path(path);
        if ((cut == 0 || cut == middle) && status == SN_OK)
            fail_msg("%s was read although it is cut at byte %zu", path, cut);
    }
    free(whole.data);
}

static void test_truncated(void **state) {
    (void)state;
    for_each_sample(cut_sample);
}

/* One byte changed at a time, every fifth one. */
static void damage_sample(const char *path) {
    static const char change[] = {'-', '9', ' ', '\n', 'x', 0, (char)0xff};
    bytes whole = slurp(path);
    for (size_t at = 0; at < whole.count; at += 5) {
        const char keep = whole.data[at];
        whole.data[at] = change[at % sizeof change];
        spill(path, whole.data, whole.count);
        try_path(path);
        whole.data[at] = keep;
    }
    free(whole.data);
}

static void test_damaged(void **state) {
    (void)state;
    for_each_sample(damage_sample);
}

/* Bytes that belong to no format. */
static void replace_sample(const char *path) {
    static const char nonsense[] = "\x7f"
                                   "ELF\1\2\3 this is not a mesh\n\377\376\0\0 1 2 3\n";
    spill(path, nonsense, sizeof nonsense - 1);
    assert_int_equal(try_path(path), SN_BAD_INPUT);
    unlink(path);
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_read(context, path, &mesh, NULL), SN_NOT_FOUND);
}

static void test_nonsense(void **state) {
    (void)state;
    for_each_sample(replace_sample);
}

static sn_status read_again(void *path) {
    sn_mesh *mesh = NULL;
    const sn_status status = sn_mesh_read(context, path, &mesh, NULL);
    sn_mesh_destroy(mesh);
    return status;
}

static void fail_sample(const char *path) {
    char copy[600];
    snprintf(copy, sizeof copy, "%s", path);
    assert_true(fail_each(read_again, copy, 1) > 4);
}

static void test_allocation_failures(void **state) {
    (void)state;
    for_each_sample(fail_sample);
}

/* ---- Writing ---- */

/* Coordinates that float holds exactly, so that a format of floats gives them back. */
static sn_mesh *surface_of_octahedron(void) {
    static const double position[18] = {1, 0, 0.5, -1, 0, 0, 0, 1.25, 0, 0, -1, 0, 0, 0, 1, 0, 0, -3};
    static const int32_t triangle[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
    return mesh_of(6, position, 0, NULL, 8, triangle);
}

/* The same corners of the same triangles; the nodes may have other numbers. */
static void assert_same_triangles(const sn_mesh *a, const int32_t *face_a, const sn_mesh *b, int count) {
    for (int i = 0; i < 3 * count; ++i)
        for (int k = 0; k < 3; ++k) assert_true(a->position[3 * face_a[i] + k] == b->position[3 * b->triangle[i] + k]);
}

/* Tets come back as tets, or as the boundary of the tets. */
static void assert_same_mesh(const sn_mesh *mesh, const sn_mesh *back) {
    if (mesh->tet_count && back->tet_count) {
        assert_int_equal(mesh->node_count, back->node_count);
        assert_int_equal(mesh->tet_count, back->tet_count);
        assert_int_equal(mesh->tet_nodes, back->tet_nodes);
        assert_memory_equal(mesh->position, back->position, (size_t)mesh->node_count * 24);
        assert_memory_equal(mesh->tet, back->tet,
                            (size_t)mesh->tet_count * (size_t)mesh->tet_nodes * sizeof *mesh->tet);
        return;
    }
    int count;
    int32_t *face;
    assert_int_equal(sn_mesh_boundary(mesh, &count, &face, NULL, NULL, NULL), SN_OK);
    assert_int_equal(count, back->triangle_count);
    assert_same_triangles(mesh, face, back, count);
    sn_mesh_release(mesh, face);
}

static void there_and_back(const char *name, const sn_mesh *mesh, const sn_mesh_write_options *options) {
    char path[128];
    sn_error error = {0};
    clear_folder();
    snprintf(path, sizeof path, "%s/a.%s", folder, name);
    if (sn_mesh_write(mesh, path, options, &error)) fail_msg("%s", error.text);
    sn_mesh *back = NULL;
    if (sn_mesh_format_reads(name)) {
        if (sn_mesh_read(context, path, &back, &error)) fail_msg("%s", error.text);
        assert_same_mesh(mesh, back);
    } else {
        assert_int_equal(access(path, F_OK), 0);
    }
    sn_mesh_destroy(back);
}

static bool takes_triangles(const char *name, const sn_mesh *surface) {
    char path[128];
    snprintf(path, sizeof path, "%s/b.%s", folder, name);
    sn_error error = {0};
    const sn_status status = sn_mesh_write(surface, path, NULL, &error);
    if (status) assert_int_equal(status, SN_BAD_INPUT); /* a format of tets says so */
    if (status) assert_true(error.text[0]);
    return !status;
}

static void test_there_and_back(void **state) {
    (void)state;
    const sn_mesh_write_options options[] = {write_as(false, NULL), write_as(true, NULL)};
    sn_mesh *tets = make_box(2, 1, 1, 6), *surface = surface_of_octahedron();
    for (int i = 0; i < formats; ++i) {
        if (!sn_mesh_format_writes(format[i].name)) continue;
        const sn_mesh_format *table;
        assert_int_equal(sn_format_find(format[i].name, "", &table, NULL), SN_OK);
        for (int k = 0; k < 3; ++k) {
            if (k == 1 && !table->both) continue; /* has no binary files */
            there_and_back(format[i].name, tets, k < 2 ? &options[k] : NULL);
            if (takes_triangles(format[i].name, surface))
                there_and_back(format[i].name, surface, k < 2 ? &options[k] : NULL);
        }
    }
    sn_mesh_destroy(tets);
    sn_mesh_destroy(surface);
}

/* A mesh whose indices are out of range is refused before a file is touched. */
static void test_bad_indices(void **state) {
    (void)state;
    sn_mesh *mesh = make_box(1, 1, 1, 6);
    for (int i = 0; i < formats; ++i) {
        if (!sn_mesh_format_writes(format[i].name)) continue;
        char path[128];
        sn_error error = {0};
        const int32_t keep = mesh->tet[3];
        snprintf(path, sizeof path, "%s/c.%s", folder, format[i].name);
        mesh->tet[3] = mesh->node_count;
        assert_int_equal(sn_mesh_write(mesh, path, NULL, &error), SN_BAD_INPUT);
        assert_non_null(strstr(error.text, "uses node index 8"));
        assert_int_not_equal(access(path, F_OK), 0);
        mesh->tet[3] = keep;
    }
    sn_mesh_destroy(mesh);
}

typedef struct writing {
    const sn_mesh *mesh;
    char path[128];
} writing;

static sn_status write_again(void *data) {
    const writing *w = data;
    return sn_mesh_write(w->mesh, w->path, NULL, NULL);
}

static void test_allocation_failures_of_writers(void **state) {
    (void)state;
    sn_mesh *tets = make_box(1, 1, 1, 6);
    for (int i = 0; i < formats; ++i) {
        if (!sn_mesh_format_writes(format[i].name)) continue;
        writing w = {.mesh = tets};
        snprintf(w.path, sizeof w.path, "%s/d.%s", folder, format[i].name);
        assert_true(fail_each(write_again, &w, 1) > 1);
    }
    sn_mesh_destroy(tets);
}

/* ---- The list ---- */

static void test_list(void **state) {
    (void)state;
    assert_true(formats > 0);
    for (int i = 0; i < formats; ++i) {
        assert_true(sn_mesh_format_reads(format[i].name) || sn_mesh_format_writes(format[i].name));
        assert_true(format[i].text[0]);
        if (!sn_mesh_format_writes(format[i].name)) assert_non_null(strstr(format[i].text, "read only"));
        if (!sn_mesh_format_reads(format[i].name)) assert_non_null(strstr(format[i].text, "write only"));
        for (int k = 0; k < i; ++k) assert_string_not_equal(format[i].name, format[k].name);
    }
    assert_false(sn_mesh_format_reads("docx"));
    assert_false(sn_mesh_format_writes(""));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_nonsense),
        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_bad_indices),
        cmocka_unit_test(test_allocation_failures_of_writers),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
