/* VTU: VTK's XML file of an unstructured grid. All bodies are in one piece, because some readers take only one: the
 * arrays `body` and `material` tell the cells apart, and labels are raised so that they are unique. Arrays are appended
 * in base64 and compressed with zlib. A PVD file beside the frames gives each frame its time.
 *
 * An array is: header (UInt64: number of blocks, block size, size of a short last block or 0, compressed size of each
 * block) in base64, then the compressed blocks, joined, in base64. Tets are cell type 10; quadratic tets 24, whose
 * mid-edge order 01 12 20 03 13 23 is also ours. Points are where the nodes are now, not at rest. Stress is Cauchy's in
 * VTK's order of symmetric tensors (xx yy zz xy yz xz), one per element. Source: the VTK file formats document.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/context.h"
#include "frame.h"
#include "mesh/file_output.h"

enum { BLOCK = 1 << 20 };

typedef struct vtu {
    sn_context *context;
    sn_world *world;
    const sn_output_options *options;
    int bodies;
    size_t nodes, elements; /* of all bodies */
    sn_output *output;
    const char *path;
    char *appended; /* base64 text so far */
    size_t used, capacity;
    sn_error *error;
    sn_status status; /* sticky */
} vtu;

static bool reserve(vtu *v, size_t more) {
    if (v->status) return false;
    if (v->used + more <= v->capacity) return true;
    const size_t larger = 2 * (v->used + more);
    char *grown = sn_allocate(v->context, larger, 1);
    if (!grown) {
        v->status = sn_no_memory(v->error);
        return false;
    }
    if (v->appended) memcpy(grown, v->appended, v->used);
    sn_release(v->context, v->appended);
    v->appended = grown;
    v->capacity = larger;
    return true;
}

static void put_base64(vtu *v, const unsigned char *data, size_t bytes) {
    static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (!reserve(v, 4 * ((bytes + 2) / 3))) return;
    char *out = v->appended + v->used;
    for (size_t i = 0; i < bytes; i += 3) {
        const unsigned a = data[i], b = i + 1 < bytes ? data[i + 1] : 0u, c = i + 2 < bytes ? data[i + 2] : 0u;
        const unsigned word = a << 16 | b << 8 | c;
        *out++ = letter[word >> 18];
        *out++ = letter[word >> 12 & 63];
        *out++ = i + 1 < bytes ? letter[word >> 6 & 63] : '=';
        *out++ = i + 2 < bytes ? letter[word & 63] : '=';
    }
    v->used = (size_t)(out - v->appended);
}

/* Compresses and appends. */
static void put_data(vtu *v, const void *data, size_t bytes) {
    if (v->status) return;
    const size_t blocks = (bytes + BLOCK - 1) / BLOCK, room = compressBound(BLOCK) * blocks + 64;
    uint64_t *header = sn_allocate_zero(v->context, 3 + blocks, sizeof *header);
    unsigned char *packed = sn_allocate(v->context, room, 1);
    if (!header || !packed) v->status = sn_no_memory(v->error);
    size_t used = 0;
    for (size_t i = 0; i < blocks && !v->status; ++i) {
        const size_t begin = i * BLOCK, size = bytes - begin < BLOCK ? bytes - begin : BLOCK;
        uLongf length = (uLongf)(room - used);
        if (compress2(packed + used, &length, (const Bytef *)data + begin, (uLong)size, 5) != Z_OK)
            v->status = sn_fail(v->error, SN_IO, "%.300s: compression failed", v->path);
        header[3 + i] = length;
        used += length;
    }
    if (!v->status) {
        header[0] = blocks, header[1] = BLOCK, header[2] = bytes % BLOCK;
        put_base64(v, (const unsigned char *)header, (3 + blocks) * sizeof *header);
        put_base64(v, packed, used);
    }
    sn_release(v->context, header);
    sn_release(v->context, packed);
}

static void put_array(vtu *v, const char *type, const char *name, int components, const void *data, size_t count,
                      size_t size) {
    if (v->status) return;
    char width[40] = ""; /* nothing for a scalar: some readers would make a matrix of it */
    if (components > 1) snprintf(width, sizeof width, " NumberOfComponents=\"%d\"", components);
    sn_put_format(v->output, "        <DataArray type=\"%s\" Name=\"%s\"%s format=\"appended\" offset=\"%zu\"/>\n",
                  type, name, width, v->used);
    put_data(v, data, count * (size_t)components * size);
}

static bool wanted(const sn_output_options *options, const char *name) {
    if (!options) return true;
    for (int i = 0; i < options->field_count; ++i)
        if (strcmp(options->fields[i], name) == 0) return true;
    return false;
}

static void put_field(vtu *v, const char *name, int components, const double *data, size_t count) {
    if (wanted(v->options, name)) put_array(v, "Float64", name, components, data, count, sizeof *data);
}

static void *take(vtu *v, size_t count, size_t size) {
    void *memory = v->status ? NULL : sn_allocate(v->context, count, size);
    if (!memory && !v->status) v->status = sn_no_memory(v->error);
    return memory;
}

/* ---- Labels ---- */

static int count_of(const sn_mesh *mesh, bool nodes) { return nodes ? mesh->node_count : mesh->tet_count; }
static int64_t label_of(const sn_mesh *mesh, bool nodes, int i) {
    const int64_t *label = nodes ? mesh->node_label : mesh->tet_label;
    return label ? label[i] : i;
}

/* What is added to the labels of each body so that they are unique: nothing for the first body; labels of a later body
 * continue after those before it when they are not above them already. */
static int64_t *make_offsets(vtu *v, bool nodes) {
    int64_t *offset = take(v, (size_t)v->bodies, sizeof *offset), end = INT64_MIN;
    for (int b = 0; offset && b < v->bodies; ++b) {
        const sn_mesh *mesh = sn_world_body_mesh(v->world, b);
        int64_t low = INT64_MAX, high = INT64_MIN;
        for (int i = 0; i < count_of(mesh, nodes); ++i) {
            const int64_t label = label_of(mesh, nodes, i);
            low = label < low ? label : low, high = label > high ? label : high;
        }
        offset[b] = b && low < end ? end - low : 0;
        if (high >= low && high + offset[b] + 1 > end) end = high + offset[b] + 1;
    }
    return offset;
}

static void put_labels(vtu *v, const char *name, bool nodes) {
    int64_t *offset = make_offsets(v, nodes), *label = take(v, nodes ? v->nodes : v->elements, sizeof *label);
    size_t count = 0;
    for (int b = 0; !v->status && b < v->bodies; ++b) {
        const sn_mesh *mesh = sn_world_body_mesh(v->world, b);
        for (int i = 0; i < count_of(mesh, nodes); ++i) label[count++] = label_of(mesh, nodes, i) + offset[b];
    }
    put_array(v, "Int64", name, 1, label, count, sizeof *label);
    sn_release(v->context, label);
    sn_release(v->context, offset);
}

/* ---- The parts of the file ---- */

static void put_points(vtu *v) {
    const size_t n = v->nodes;
    double *position = take(v, 12 * n, sizeof *position);
    if (v->status) return;
    double *velocity = position + 3 * n, *displacement = velocity + 3 * n, *contact = displacement + 3 * n;
    for (size_t b = 0, first = 0; b < (size_t)v->bodies; ++b) {
        const sn_mesh *mesh = sn_world_body_mesh(v->world, (int)b);
        const size_t numbers = 3 * (size_t)mesh->node_count;
        sn_world_get(v->world, (int)b, position + first, velocity + first);
        sn_world_contact_forces(v->world, (int)b, contact + first);
        for (size_t i = 0; i < numbers; ++i) displacement[first + i] = position[first + i] - mesh->position[i];
        first += numbers;
    }
    sn_put_text(v->output, "      <PointData>\n");
    put_field(v, "displacement", 3, displacement, n);
    put_field(v, "velocity", 3, velocity, n);
    put_field(v, "contact_force", 3, contact, n);
    put_labels(v, "node_label", true);
    sn_put_text(v->output, "      </PointData>\n      <Points>\n");
    put_array(v, "Float64", "Points", 3, position, n, sizeof *position);
    sn_put_text(v->output, "      </Points>\n");
    sn_release(v->context, position);
}

/* The active tets and their levels; -1 and 0 in bodies that are not adaptive. Returns whether there is an adaptive one.
 */
static bool take_active(const vtu *v, int32_t *active, int32_t *level) {
    bool any = false;
    for (int b = 0, first = 0; b < v->bodies; ++b) {
        const int count = sn_world_body_mesh(v->world, b)->tet_count;
        const bool adaptive = !sn_world_active(v->world, b, active + first, level + first);
        for (int i = first; i < first + count && !adaptive; ++i) active[i] = -1, level[i] = 0;
        any = any || adaptive;
        first += count;
    }
    return any;
}

static void put_fields(vtu *v) {
    const size_t m = v->elements;
    double *stress = take(v, 9 * m, sizeof *stress);
    int32_t *body = take(v, 2 * m, sizeof *body);
    if (!v->status) {
        double *von_mises = stress + 6 * m, *energy = von_mises + m, *ratio = energy + m;
        int32_t *material = body + m;
        for (int b = 0, first = 0; b < v->bodies && !v->status; ++b) {
            const int count = sn_world_body_mesh(v->world, b)->tet_count;
            v->status = sn_world_element_fields(v->world, b, stress + 6 * (size_t)first, von_mises + first,
                                                energy + first, ratio + first, v->error);
            sn_world_element_materials(v->world, b, material + first);
            for (int i = 0; i < count; ++i) body[first++] = b;
        }
        sn_put_text(v->output, "      <CellData>\n");
        put_array(v, "Int32", "body", 1, body, m, sizeof *body);
        put_array(v, "Int32", "material", 1, material, m, sizeof *material);
        put_field(v, "stress", 6, stress, m);
        put_field(v, "von_mises", 1, von_mises, m);
        put_field(v, "energy_density", 1, energy, m);
        put_field(v, "volume_ratio", 1, ratio, m);
        for (size_t e = 0; e < m; ++e) ratio[e] = -(stress[6 * e] + stress[6 * e + 1] + stress[6 * e + 2]) / 3;
        put_field(v, "pressure", 1, ratio, m);
        put_labels(v, "element_label", false);
        if (take_active(v, body, material)) {
            put_array(v, "Int32", "active", 1, body, m, sizeof *body);
            put_array(v, "Int32", "level", 1, material, m, sizeof *material);
        }
        sn_put_text(v->output, "      </CellData>\n");
    }
    sn_release(v->context, stress);
    sn_release(v->context, body);
}

static void put_cells(vtu *v) {
    const size_t m = v->elements;
    int32_t *node = take(v, 10 * m, sizeof *node);
    int64_t *offset = take(v, m, sizeof *offset);
    uint8_t *type = take(v, m, 1);
    size_t used = 0, cell = 0;
    int32_t first = 0;
    for (int b = 0; !v->status && b < v->bodies; ++b) {
        const sn_mesh *mesh = sn_world_body_mesh(v->world, b);
        const int k = mesh->tet_nodes;
        for (int i = 0; i < mesh->tet_count; ++i, ++cell) {
            for (int j = 0; j < k; ++j) node[used++] = first + mesh->tet[(size_t)i * (size_t)k + (size_t)j];
            offset[cell] = (int64_t)used, type[cell] = k == 3 ? 5 : k == 4 ? 10 : 24;
        }
        first += mesh->node_count;
    }
    if (!v->status) {
        sn_put_text(v->output, "      <Cells>\n");
        put_array(v, "Int32", "connectivity", 1, node, used, sizeof *node);
        put_array(v, "Int64", "offsets", 1, offset, m, sizeof *offset);
        put_array(v, "UInt8", "types", 1, type, m, 1);
        sn_put_text(v->output, "      </Cells>\n");
    }
    sn_release(v->context, node);
    sn_release(v->context, offset);
    sn_release(v->context, type);
}

/* The names of the bodies, in a comment, which must not contain "--" or control characters. */
static void put_names(vtu *v) {
    sn_put_text(v->output, "  <!-- Sinew. The points are deformed: the rest shape is Points - displacement.\n"
                           "       Bodies by their number in the array body:");
    for (int b = 0; b < v->bodies; ++b) {
        sn_put_format(v->output, "%s %d '", b ? "," : "", b);
        for (const char *c = sn_world_body_name(v->world, b); *c; ++c)
            sn_put_format(v->output, "%c", *c == '-' && c[1] == '-' ? '_' : (unsigned char)*c < 32 ? '?' : *c);
        sn_put_text(v->output, "'");
    }
    sn_put_text(v->output, ". The array material has the place in the body's list of materials.\n"
                           "       A label is that of the body's mesh plus the body's offset. -->\n");
}

static void put_offsets(vtu *v, const char *name, bool nodes) {
    int64_t *offset = make_offsets(v, nodes);
    sn_put_format(v->output, "      <DataArray type=\"Int64\" Name=\"%s\" NumberOfTuples=\"%d\" format=\"ascii\">",
                  name, v->bodies);
    for (int b = 0; offset && b < v->bodies; ++b) sn_put_integer(v->output, offset[b], ' ');
    sn_put_text(v->output, "</DataArray>\n");
    sn_release(v->context, offset);
}

static void put_file(vtu *v) {
    sn_put_format(v->output,
                  "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" "
                  "header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n",
                  __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "LittleEndian" : "BigEndian");
    put_names(v);
    sn_put_format(v->output,
                  "  <UnstructuredGrid>\n    <FieldData>\n"
                  "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">%.17g"
                  "</DataArray>\n",
                  sn_world_time(v->world));
    sn_put_text(v->output, "      <DataArray type=\"Int32\" Name=\"points_are_deformed\" NumberOfTuples=\"1\" "
                           "format=\"ascii\">1</DataArray>\n");
    put_offsets(v, "node_label_offset", true);
    put_offsets(v, "element_label_offset", false);
    sn_put_format(v->output, "    </FieldData>\n    <Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n", v->nodes,
                  v->elements);
    if (!v->status) put_points(v);
    if (!v->status) put_fields(v);
    if (!v->status) put_cells(v);
    sn_put_text(v->output, "    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"base64\">\n_");
    if (v->used) sn_put_bytes(v->output, v->appended, v->used);
    sn_put_text(v->output, "\n  </AppendedData>\n</VTKFile>\n");
}

static sn_status write_frame(sn_world *world, const char *path, const sn_output_options *options, sn_error *error) {
    const int bodies = sn_world_body_count(world);
    if (bodies == 0) return sn_fail(error, SN_BAD_INPUT, "the world has no bodies to write");
    vtu v = {.context = sn_world_body_mesh(world, 0)->context,
             .world = world,
             .options = options,
             .bodies = bodies,
             .nodes = (size_t)sn_world_node_count(world),
             .elements = (size_t)sn_world_element_count(world),
             .path = path,
             .error = error};
    sn_status status = sn_output_open(v.context, path, &v.output, error);
    if (status) return status;
    put_file(&v);
    status = sn_output_close(v.output, v.status);
    sn_release(v.context, v.appended);
    return status;
}

/* ---- The series ---- */

static const char pvd_head[] =
    "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n  <Collection>\n";
static const char pvd_foot[] = "  </Collection>\n</VTKFile>\n";

/* The line of a frame, and the foot. */
static void pvd_line(const sn_series *s, char *text, size_t capacity) {
    snprintf(text, capacity, "    <DataSet timestep=\"%.17g\" group=\"\" part=\"0\" file=\"%s-%05d.vtu\"/>\n%s",
             s->time, s->stem, s->frame, pvd_foot);
}

static sn_status begin_pvd(const sn_series *s, const char *path, sn_error *error) {
    char text[512];
    sn_output *output;
    const sn_status status = sn_output_open(s->context, path, &output, error);
    if (status) return status;
    pvd_line(s, text, sizeof text);
    sn_put_text(output, pvd_head);
    sn_put_text(output, text);
    return sn_output_close(output, SN_OK);
}

/* Writes the new frame over the foot of the file. So the file is whole after every frame, and a long series does not
 * rewrite it. When the disk is full the foot comes back. */
static sn_status continue_pvd(const sn_series *s, const char *path, sn_error *error) {
    char text[512];
    sn_c_locale locale;
    sn_status status = sn_enter_c_locale(&locale, error);
    if (status) return status;
    pvd_line(s, text, sizeof text);
    sn_leave_c_locale(&locale);
    errno = 0;
    FILE *file = fopen(path, "r+b");
    if (!file || fseek(file, -(long)strlen(pvd_foot), SEEK_END) != 0) {
        status = sn_fail(error, SN_IO, "%.300s: cannot be written: %s", path, strerror(errno));
        if (file) fclose(file);
        return status;
    }
    const long foot = ftell(file);
    setvbuf(file, NULL, _IONBF, 0);
    if (fwrite(text, 1, strlen(text), file) != strlen(text)) {
        status = sn_fail(error, SN_IO, "%.300s: writing failed: %s", path, strerror(errno));
        if (fseek(file, foot, SEEK_SET) == 0 && fwrite(pvd_foot, 1, strlen(pvd_foot), file) == strlen(pvd_foot) &&
            ftruncate(fileno(file), foot + (long)strlen(pvd_foot)) == 0)
            errno = 0;
    }
    if (fclose(file) != 0 && !status)
        status = sn_fail(error, SN_IO, "%.300s: writing failed: %s", path, strerror(errno));
    return status;
}

static sn_status write_pvd(const sn_series *s, sn_error *error) {
    char path[1300];
    snprintf(path, sizeof path, "%s/%s.pvd", s->folder, s->stem);
    return s->frame == 0 ? begin_pvd(s, path, error) : continue_pvd(s, path, error);
}

const sn_frame_format sn_frame_vtu = {.write = write_frame, .index = write_pvd};
