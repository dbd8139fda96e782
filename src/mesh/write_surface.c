/* OBJ, STL, PLY and OFF: the surface. All nodes are written in their order (STL has none), so their numbers stay what they were.
 * Triangle groups of a mesh without tets become OBJ groups (blanks in names as '_') and named solids of ASCII STL. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "output.h"
#include "text.h"

static sn_status need_surface(const sn_mesh *mesh, sn_surface *surface, sn_output *o) {
    sn_status status = sn_surface_make(mesh, surface, o->error);
    if (!status && !surface->count) {
        sn_surface_clear(mesh, surface);
        status = sn_fail(o->error, SN_BAD_INPUT, "%s: the mesh has no surface to write", o->path);
    }
    return status;
}

static void put_position(sn_output *o, const double *x) {
    for (int j = 0; j < 3; ++j) sn_put_number(o, x[j], j < 2 ? ' ' : '\n');
}

/* Classes of the triangles that are written; a boundary has none. */
static sn_status surface_classes(const sn_mesh *mesh, sn_classes *c, sn_error *error) {
    *c = (sn_classes){0};
    return mesh->tet_count ? SN_OK : sn_classes_make(mesh, SN_GROUP_TRIANGLES, c, error);
}

static void put_group_line(const sn_mesh *mesh, const sn_classes *c, int class, sn_output *o) {
    sn_put_text(o, "g");
    for (int k = class; k > 0; k = c->item[k].parent) {
        char name[64];
        memcpy(name, mesh->group[c->item[k].group].name, sizeof name);
        for (char *p = name; *p; ++p) {
            if (*p == ' ' || *p == '\t') *p = '_';
        }
        sn_put_format(o, " %s", name);
    }
    sn_put_text(o, "\n");
}

sn_status sn_write_obj(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *o) {
    sn_surface surface;
    sn_classes c;
    (void)options;
    sn_status status = need_surface(mesh, &surface, o);
    if (status) return status;
    status = surface_classes(mesh, &c, o->error);
    for (int i = 0; !status && i < mesh->node_count; ++i) {
        sn_put_text(o, "v ");
        put_position(o, mesh->position + 3 * (size_t)i);
    }
    int class = 0;
    for (int i = 0; !status && i < surface.count; ++i) {
        if (c.of && c.of[i] != class) {
            class = c.of[i];
            put_group_line(mesh, &c, class, o);
        }
        sn_put_text(o, "f ");
        for (int j = 0; j < 3; ++j) sn_put_integer(o, surface.face[3 * (size_t)i + j] + 1, j < 2 ? ' ' : '\n');
    }
    sn_classes_clear(&c);
    sn_surface_clear(mesh, &surface);
    return status;
}

/* ---- STL ---- */

static void unit_normal(const sn_mesh *mesh, const int32_t *face, double n[3]) {
    sn_area_vector3(mesh->position + 3 * (size_t)face[0], mesh->position + 3 * (size_t)face[1], mesh->position + 3 * (size_t)face[2], n);
    const double length = sn_norm3(n);
    for (int i = 0; i < 3; ++i) n[i] = length > 0 && isfinite(length) ? n[i] / length : 0;
}

/* The points are rounded to float; what float cannot hold is refused. */
static sn_status stl_binary(const sn_mesh *mesh, const sn_surface *surface, sn_output *o) {
    char head[80] = "binary STL";
    sn_put_bytes(o, head, sizeof head);
    sn_put_i32(o, surface->count);
    for (int i = 0; i < surface->count; ++i) {
        const int32_t *face = surface->face + 3 * (size_t)i;
        double n[3];
        float value[12];
        unit_normal(mesh, face, n);
        for (int j = 0; j < 3; ++j) value[j] = (float)n[j];
        for (int j = 0; j < 9; ++j) {
            const double x = mesh->position[3 * (size_t)face[j / 3] + (size_t)(j % 3)];
            if (fabs(x) > FLT_MAX) return sn_fail(o->error, SN_BAD_INPUT, "%s: coordinate %g is too large for binary STL", o->path, x);
            value[3 + j] = (float)x;
        }
        sn_put_bytes(o, value, sizeof value);
        sn_put_bytes(o, "\0\0", 2);
    }
    return SN_OK;
}

static const char *solid_name(const sn_mesh *mesh, const sn_classes *c, int class) {
    return class > 0 ? mesh->group[c->item[class].group].name : "";
}

static sn_status stl_text(const sn_mesh *mesh, const sn_surface *surface, sn_output *o) {
    sn_classes c;
    sn_status status = surface_classes(mesh, &c, o->error);
    int class = -1;
    for (int i = 0; !status && i < surface->count; ++i) {
        const int32_t *face = surface->face + 3 * (size_t)i;
        double n[3];
        if (class != (c.of ? c.of[i] : 0)) {
            if (class >= 0) sn_put_format(o, "endsolid %s\n", solid_name(mesh, &c, class));
            class = c.of ? c.of[i] : 0;
            sn_put_format(o, "solid %s\n", solid_name(mesh, &c, class));
        }
        unit_normal(mesh, face, n);
        sn_put_text(o, "facet normal ");
        put_position(o, n);
        sn_put_text(o, "outer loop\n");
        for (int j = 0; j < 3; ++j) {
            sn_put_text(o, "vertex ");
            put_position(o, mesh->position + 3 * (size_t)face[j]);
        }
        sn_put_text(o, "endloop\nendfacet\n");
    }
    if (!status) sn_put_format(o, "endsolid %s\n", solid_name(mesh, &c, class));
    sn_classes_clear(&c);
    return status;
}

sn_status sn_write_stl(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *o) {
    sn_surface surface;
    sn_status status = need_surface(mesh, &surface, o);
    if (status) return status;
    status = options->binary ? stl_binary(mesh, &surface, o) : stl_text(mesh, &surface, o);
    sn_surface_clear(mesh, &surface);
    return status;
}

/* ---- PLY and OFF ---- */

sn_status sn_write_ply(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *o) {

    const char *binary = sn_little_endian() ? "binary_little_endian" : "binary_big_endian";
    sn_surface surface;
    sn_status status = need_surface(mesh, &surface, o);
    if (status) return status;
    sn_put_format(o, "ply\nformat %s 1.0\nelement vertex %d\n", options->binary ? binary : "ascii", mesh->node_count);
    sn_put_format(o, "property double x\nproperty double y\nproperty double z\nelement face %d\n", surface.count);
    sn_put_text(o, "property list uchar int vertex_indices\nend_header\n");
    if (options->binary) {
        sn_put_bytes(o, mesh->position, (size_t)mesh->node_count * 3 * sizeof(double));
        for (int i = 0; i < surface.count; ++i) {
            sn_put_bytes(o, "\3", 1);
            sn_put_bytes(o, surface.face + 3 * (size_t)i, 3 * sizeof(int32_t));
        }
    } else {
        for (int i = 0; i < mesh->node_count; ++i) put_position(o, mesh->position + 3 * (size_t)i);
        for (int i = 0; i < surface.count; ++i) {
            sn_put_text(o, "3 ");
            for (int j = 0; j < 3; ++j) sn_put_integer(o, surface.face[3 * (size_t)i + j], j < 2 ? ' ' : '\n');
        }
    }
    sn_surface_clear(mesh, &surface);
    return SN_OK;
}

sn_status sn_write_off(const sn_mesh *mesh, const sn_mesh_write_options *options, sn_output *o) {
    sn_surface surface;
    (void)options;
    sn_status status = need_surface(mesh, &surface, o);
    if (status) return status;
    sn_put_format(o, "OFF\n%d %d 0\n", mesh->node_count, surface.count);
    for (int i = 0; i < mesh->node_count; ++i) put_position(o, mesh->position + 3 * (size_t)i);
    for (int i = 0; i < surface.count; ++i) {
        sn_put_text(o, "3 ");
        for (int j = 0; j < 3; ++j) sn_put_integer(o, surface.face[3 * (size_t)i + j], j < 2 ? ' ' : '\n');
    }
    sn_surface_clear(mesh, &surface);
    return SN_OK;
}
