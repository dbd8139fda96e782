/* Options of a world and its parts: one table of fields for each struct. See options.h. */
#include "world_options.h"

#include <string.h>

#include "base/cookie.h"
#include "linear/solver.h"
#include "time/system.h"
#include "time/time_options.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))
#define ANY -1e300, 1e300, 0, 0
#define OWN(name, text)                                                                                                \
    { name, SN_FIELD_OWN, 0, 1, 0, 0, 0, 0, NULL, NULL, "", text }
#define KEYS_BESIDE(type)                                                                                              \
    _Static_assert(offsetof(type, key_count) - offsetof(type, key) == offsetof(sn_field_keys, count),                  \
                   "key_count follows key")

KEYS_BESIDE(sn_fix);
KEYS_BESIDE(sn_load);
KEYS_BESIDE(sn_link);
KEYS_BESIDE(sn_tether);
KEYS_BESIDE(sn_wind);

/* ---- Names ---- */

static const sn_listing axis_listing[] = {{"x", ""}, {"y", ""}, {"z", ""}};
static const sn_listing basis_listing[] = {
    {"nodal", "the displacements of all nodes"},
    {"hierarchical", "those of the coarsest nodes, and the details of the finer levels"},
};
static const sn_listing measure_listing[] = {
    {"none", "nothing: the elements stay"},
    {"shear", "the norm of the shear strain, the traceless part of Green's strain"},
    {"energy", "energy density, J/m^3"},
    {"gradient", "the difference of the strain to its mean over the elements around the nodes"},
};
static const sn_listing details_listing[] = {
    {"drop", "nodes that go lie in the middles of their edges"},
    {"freeze", "they stay where they are and turn with the coarser tet"},
};
static const sn_listing mass_listing[] = {{"lumped", "the mass of an element goes to its nodes"},
                                          {"consistent", "the mass matrix of the shape functions"}};
static const sn_listing gas_listing[] = {
    {"isothermal", "pressure times volume is constant; both pressures are absolute"},
    {"constant", "the pressure stays"}};
static const sn_listing stabilise_listing[] = {
    {"baumgarte", "a part of the error is corrected in the motion"},
    {"post", "a part of the error is corrected after the step"},
};
static const sn_listing quantity_listing[] = {
    {"displacement", "m; mean over a selection"},
    {"position", "m; mean over a selection"},
    {"velocity", "m/s; mean over a selection"},
    {"reaction",
     "N; force of the supports on the body: fixes, pins, colliders and other bodies; total over a selection"},
    {"volume", "m^3; total over the selected elements"},
    {"stress", "Pa; Cauchy stress xx yy zz xy yz zx; mean over the elements"},
    {"kinetic", "J; kinetic energy; total over a selection"},
    {"elastic", "J; energy of the elements; total over the selected elements"},
    {"gravity", "J; energy of height, 0 at the origin; total over a selection"},
    {"energy", "J; kinetic, elastic and gravity together"},
    {"momentum", "kg m/s; total over a selection"},
    {"angular_momentum", "kg m^2/s about the origin; total over a selection"},
    {"contacts", "how many nodes of a selection a collider or another body pushes or holds"},
    {"force", "N; force of one kind of interaction (`interaction`); total over a selection"},
    {"strain", "Green's strain xx yy zz xy yz zx; mean over the elements"},
    {"deformation", "the deformation gradient F, nine numbers row by row; mean over the elements"},
};
_Static_assert(COUNT(quantity_listing) == SN_QUANTITY_DEFORMATION + 1, "a name for each quantity");

static const sn_listing *axes(int *count) {
    *count = COUNT(axis_listing);
    return axis_listing;
}
static const sn_listing *stabilisations(int *count) {
    *count = COUNT(stabilise_listing);
    return stabilise_listing;
}
static const sn_listing *masses(int *count) {
    *count = COUNT(mass_listing);
    return mass_listing;
}
static const sn_listing *bases(int *count) {
    *count = COUNT(basis_listing);
    return basis_listing;
}
const sn_listing *sn_adapt_measures(int *count) {
    *count = COUNT(measure_listing);
    return measure_listing;
}
const sn_listing *sn_adapt_details(int *count) {
    *count = COUNT(details_listing);
    return details_listing;
}
static const sn_listing *gas_laws(int *count) {
    *count = COUNT(gas_listing);
    return gas_listing;
}
static const sn_listing tool_buffer_listing[] = {
    {"still-plane", "the plane at the closest point, across the line to the tool"},
    {"plane", "this plane, moved with the velocity of the closest point"},
    {"patch", "the triangles around the closest point, with the velocities of their corners"},
    {"compliance", "the moving plane, which yields to the force as the body does within a step"},
};
const sn_listing *sn_tool_buffers(int *count) {
    *count = COUNT(tool_buffer_listing);
    return tool_buffer_listing;
}
static const sn_listing *quantities(int *count) {
    *count = COUNT(quantity_listing);
    return quantity_listing;
}

/* ---- Fields ---- */

#define AT(member) offsetof(sn_fix, member)
static const sn_field fix_fields[] = {
    {"select", SN_FIELD_SELECT | SN_FIELD_NEEDED, AT(select), 1, 0, 0, 0, 0, NULL, NULL, "", "the nodes"},
    {"axes", SN_FIELD_AXES, AT(axis), 3, 0, 0, 0, 1, NULL, NULL, "", "the directions that are held"},
    {"displacement", SN_FIELD_DOUBLE, AT(displacement), 3, ANY, NULL, NULL, "m",
     "moves the nodes so far, as fast as `ramp` says"},
    {"ramp", SN_FIELD_RAMP, AT(ramp), 1, 0, 0, 0, 0, NULL, NULL, "s", "when the displacement begins and ends"},
    {"keys", SN_FIELD_KEYS, AT(key), 4, 0, 0, 0, 0, NULL, NULL, "s, m",
     "moves the nodes by x, y, z at each time, linear between"},
    {"turn.point", SN_FIELD_DOUBLE, AT(turn_point), 3, ANY, NULL, NULL, "m",
     "a point of the axis about which the nodes turn"},
    {"turn.axis", SN_FIELD_DIRECTION | SN_FIELD_NEEDED, AT(turn_axis), 3, ANY, NULL, NULL, "",
     "the direction of that axis"},
    {"turn.degrees", SN_FIELD_DOUBLE | SN_FIELD_NEEDED, AT(turn_degrees), 1, ANY, NULL, NULL, "degrees",
     "how far they turn"},
    {"turn.ramp", SN_FIELD_RAMP, AT(ramp), 1, 0, 0, 0, 0, NULL, NULL, "s", "the same as `ramp`"},
};
#undef AT

#define AT(member) offsetof(sn_load, member)
static const sn_field load_fields[] = {
    {"traction", SN_FIELD_DOUBLE, AT(value), 3, ANY, NULL, NULL, "N/m^2", "force per rest area"},
    {"pressure", SN_FIELD_DOUBLE, AT(scalar), 1, ANY, NULL, NULL, "Pa", "a positive pressure pushes inwards"},
    {"force", SN_FIELD_DOUBLE, AT(value), 3, ANY, NULL, NULL, "N",
     "the whole force; spread by area over the selected faces, equally over the nodes when no face is selected"},
    {"body", SN_FIELD_DOUBLE, AT(value), 3, ANY, NULL, NULL, "N/m^3",
     "force per rest volume, on elements whose nodes are all selected"},
    {"shear", SN_FIELD_DOUBLE, AT(value), 3, ANY, NULL, NULL, "N/m^2", "traction that is projected into each face"},
    OWN("shear.direction", "direction of the shear, of any length"),
    OWN("shear.value", "size of the shear in N/m^2; without it the length of `direction`"),
    {"select", SN_FIELD_SELECT, AT(select), 1, 0, 0, 0, 0, NULL, NULL, "",
     "the faces, nodes or elements; only `body` can go without"},
    {"follow", SN_FIELD_BOOL, AT(follow), 1, 0, 1, 0, 0, NULL, NULL, "",
     "take the current normal and area; the traction turns with the face"},
    {"ramp", SN_FIELD_RAMP, AT(ramp), 1, 0, 0, 0, 0, NULL, NULL, "s",
     "the load grows from 0 to all of it between these times"},
    {"keys", SN_FIELD_KEYS, AT(key), 2, 0, 0, 0, 0, NULL, NULL, "s, 1",
     "the load times a factor at each time, linear between; in the place of `ramp`"},
};
#undef AT

#define AT(member) offsetof(sn_link, member)
static const sn_field link_fields[] = {
    {"point", SN_FIELD_DOUBLE | SN_FIELD_NEEDED, AT(point), 3, ANY, NULL, NULL, "m",
     "of the rest shape, inside the body"},
    {"to", SN_FIELD_DOUBLE, AT(to), 3, ANY, NULL, NULL, "m",
     "a place in space; without it the point stays where it is"},
    {"to.body", SN_FIELD_TEXT | SN_FIELD_NEEDED, AT(body), 64, 0, 0, 0, 0, NULL, NULL, "", "name of another body"},
    {"to.at", SN_FIELD_DOUBLE, AT(to), 3, ANY, NULL, NULL, "m", "of the other body's rest shape, inside it"},
    {"keys", SN_FIELD_KEYS, AT(key), 4, 0, 0, 0, 0, NULL, NULL, "s, m",
     "moves the place by x, y, z at each time, linear between"},
    {"stabilise", SN_FIELD_CHOICE, AT(stabilise), 1, 0, 0, 0, 0, "baumgarte", stabilisations, "",
     "how an error is corrected"},
    {"rate", SN_FIELD_DOUBLE, AT(rate), 1, 0, 1, 0, 0.2, NULL, NULL, "", "part of the error that a step corrects"},
};
#undef AT

#define AT(member) offsetof(sn_seam, member)
static const sn_field seam_fields[] = {
    {"select", SN_FIELD_SELECT | SN_FIELD_NEEDED, AT(select), 1, 0, 0, 0, 0, NULL, NULL, "", "one side of the seam"},
    {"to.body", SN_FIELD_TEXT, AT(body), 64, 0, 0, 0, 0, NULL, NULL, "",
     "name of the body of the other side; this body when it is not given"},
    {"to.select", SN_FIELD_SELECT | SN_FIELD_NEEDED, AT(to), 1, 0, 0, 0, 0, NULL, NULL, "",
     "the other side of the seam"},
    {"time", SN_FIELD_DOUBLE, AT(time), 1, 0, 1e300, 0, 0.5, NULL, NULL, "s", "how long the sides take to meet"},
    {"stiffness", SN_FIELD_DOUBLE, AT(stiffness), 1, 0, 1e300, 0, 0, NULL, NULL, "N/m",
     "of the thread at each node; 0: as stiff as the material beside it"},
    {"damping", SN_FIELD_DOUBLE, AT(damping), 1, 0, 1e300, 0, 0, NULL, NULL, "N s/m", "of the thread at each node"},
};
#undef AT

#define AT(member) offsetof(sn_tether, member)
static const sn_field tether_fields[] = {
    {"point", SN_FIELD_DOUBLE | SN_FIELD_NEEDED, AT(point), 3, ANY, NULL, NULL, "m",
     "of the rest shape, inside the body"},
    {"to", SN_FIELD_DOUBLE, AT(to), 3, ANY, NULL, NULL, "m",
     "the place of an anchor; without it the anchor is where the point is at rest"},
    {"to.body", SN_FIELD_TEXT | SN_FIELD_NEEDED, AT(body), 64, 0, 0, 0, 0, NULL, NULL, "", "name of another body"},
    {"to.at", SN_FIELD_DOUBLE, AT(to), 3, ANY, NULL, NULL, "m", "of the other body's rest shape, inside it"},
    {"keys", SN_FIELD_KEYS, AT(key), 4, 0, 0, 0, 0, NULL, NULL, "s, m",
     "moves the anchor by x, y, z at each time, linear between"},
    {"stiffness", SN_FIELD_DOUBLE, AT(stiffness), 1, 0, 1e300, 1, 1000, NULL, NULL, "N/m", "of the spring"},
    {"damping", SN_FIELD_DOUBLE, AT(damping), 1, 0, 1e300, 0, 0, NULL, NULL, "N s/m",
     "of the damper, for the speed relative to the anchor"},
};
#undef AT

#define AT(member) offsetof(sn_initial, member)
static const sn_field initial_fields[] = {
    {"velocity", SN_FIELD_DOUBLE, AT(velocity), 3, ANY, NULL, NULL, "m/s", "of all nodes"},
    {"spin", SN_FIELD_DOUBLE, AT(spin), 3, ANY, NULL, NULL, "rad/s", "about the centre of mass"},
    {"scale", SN_FIELD_DOUBLE, AT(scale), 1, -1e300, 1e300, 0, 1, NULL, NULL, "",
     "size at the start relative to the rest shape"},
    {"flatten", SN_FIELD_ENUM, AT(flatten), 1, 1, 3, 0, 0, NULL, axes, "", "this coordinate becomes the centre's"},
    {"mirror", SN_FIELD_ENUM, AT(mirror), 1, 1, 3, 0, 0, NULL, axes, "",
     "this coordinate changes sides about the centre"},
    {"collapse", SN_FIELD_BOOL, AT(collapse), 1, 0, 1, 0, 0, NULL, NULL, "", "all nodes start at the centre"},
    {"scramble", SN_FIELD_LONG, AT(scramble), 1, 0, 1e300, 0, 0, NULL, NULL, "",
     "a seed: nodes start at random places in the bounding box"},
    {"twist", SN_FIELD_DOUBLE, AT(twist), 1, ANY, NULL, NULL, "degrees/m", "about the body's longest axis"},
};
#undef AT

#define AT(member) offsetof(sn_probe, member)
static const sn_field probe_fields[] = {
    {"name", SN_FIELD_TEXT, AT(name), 64, 0, 0, 0, 0, NULL, NULL, "",
     "each name once; probe0, probe1, ... when it is not given"},
    {"body", SN_FIELD_TEXT, AT(body), 64, 0, 0, 0, 0, NULL, NULL, "",
     "name of the body; the first body when it is not given"},
    {"quantity", SN_FIELD_ENUM, AT(quantity), 1, 0, SN_QUANTITY_DEFORMATION, 0, 0, NULL, quantities, "",
     "what the probe measures"},
    {"interaction", SN_FIELD_CHOICE, AT(interaction), 1, 0, 0, 0, 0, NULL, sn_interactions, "",
     "of the quantity `force`: the kind whose force is measured"},
    {"tool", SN_FIELD_TEXT, AT(tool), 64, 0, 0, 0, 0, NULL, NULL, "",
     "name of a tool, of the quantities `position` and `force`: its place, or the force on the hand"},
    {"nearest", SN_FIELD_DOUBLE, AT(nearest), 3, ANY, NULL, NULL, "m", "the node next to this place of the rest shape"},
    {"node", SN_FIELD_LONG, AT(node), 1, ANY, NULL, NULL, "", "the node of this number"},
    {"select", SN_FIELD_SELECT, AT(select), 1, 0, 0, 0, 0, NULL, NULL, "",
     "several nodes; quantities that are totals can go without: all nodes"},
};
#undef AT

#define AT(member) offsetof(sn_tool_options, member)
static const sn_field tool_fields[] = {
    {"name", SN_FIELD_TEXT, AT(name), 64, 0, 0, 0, 0, NULL, NULL, "",
     "each name once; tool0, tool1, ... when it is not given"},
    {"body", SN_FIELD_TEXT, AT(body), 64, 0, 0, 0, 0, NULL, NULL, "",
     "name of the body that it touches; all bodies when it is not given"},
    {"radius", SN_FIELD_DOUBLE, AT(radius), 1, 0, 1e300, 0, 0, NULL, NULL, "m", "of the tool; 0: a point"},
    {"spring", SN_FIELD_DOUBLE, AT(spring), 1, 50, 500, 0, 200, NULL, NULL, "N/m",
     "between the tool and the surface that it presses"},
    {"damping", SN_FIELD_DOUBLE, AT(damping), 1, 0, 10, 0, 0, NULL, NULL, "N s/m",
     "along the spring, only while the tool presses"},
    {"limit", SN_FIELD_DOUBLE, AT(limit), 1, 0, 1e300, 1, 10, NULL, NULL, "N",
     "the largest force on the hand and on the body"},
    {"ramp", SN_FIELD_DOUBLE, AT(ramp), 1, 0, 1e300, 0, 0.1, NULL, NULL, "s",
     "after the tool came, jumped or was lost, the force rises over this time"},
    {"jump", SN_FIELD_DOUBLE, AT(jump), 1, 0, 1e300, 1, 0.05, NULL, NULL, "m",
     "a larger way between two places that the device tells is a jump"},
    {"friction", SN_FIELD_DOUBLE, AT(friction), 1, 0, 1e300, 0, 0, NULL, NULL, "",
     "Coulomb's coefficient at the surface"},
    {"clamp", SN_FIELD_BOOL, AT(clamp), 1, 0, 1, 0, 0, NULL, NULL, "",
     "a pressed button ties the tool to the point that it touches"},
    {"buffer", SN_FIELD_CHOICE, AT(buffer), 1, 0, 0, 0, 0, "plane", sn_tool_buffers, "",
     "what the servo knows of the surface between two steps"},
    {"reach", SN_FIELD_DOUBLE, AT(reach), 1, 0, 1e300, 1, 0.1, NULL, NULL, "m",
     "bodies that are farther away beyond the radius are not looked at, and a tool that is deeper lets go"},
};
#undef AT

#define AT(member) offsetof(sn_body_options, member)
static const sn_field body_fields[] = {
    {"name", SN_FIELD_TEXT, AT(name), 64, 0, 0, 0, 0, "body", NULL, "",
     "each name once; body, body1, ... when it is not given"},
    {"mesh", SN_FIELD_OWN | SN_FIELD_NEEDED, 0, 1, 0, 0, 0, 0, NULL, NULL, "",
     "a generator, a `file` or `embed`, then `shell`, `refine`, `scale`, `rotate`, `move`"},
    OWN("surface", "a detailed closed surface, given like a mesh; it follows the elements, and pictures, surface files "
                   "and the page show it"),
    {"embedding", SN_FIELD_CHOICE, AT(embedding), 1, 0, 0, 0, 0, "barycentric", sn_embeddings, "",
     "how the tets carry the surface"},
    {"element", SN_FIELD_CHOICE, AT(element), 1, 0, 0, 0, 0, NULL, sn_element_names, "",
     "element type; default tet4, and cloth for triangles whose material has a law of cloth"},
    {"mass", SN_FIELD_CHOICE, AT(mass), 1, 0, 0, 0, 0, "lumped", masses, "", "mass matrix"},
    {"basis", SN_FIELD_CHOICE, AT(basis), 1, 0, 0, 0, 0, "nodal", bases, "",
     "unknowns of the linear solver; hierarchical needs a mesh with `refine`, or tet10"},
    {"thickness", SN_FIELD_DOUBLE, AT(thickness), 1, 0, 1e300, 1, 1, NULL, NULL, "m",
     "of plane bodies, and of cloth, which must have one"},
    {"gas.pressure", SN_FIELD_DOUBLE, AT(gas.pressure), 1, ANY, NULL, NULL, "Pa",
     "closed cloth: pressure of the gas inside above the ambient one, at the volume of the rest shape"},
    {"gas.law", SN_FIELD_CHOICE, AT(gas.law), 1, 0, 0, 0, 0, NULL, gas_laws, "",
     "closed cloth: how the pressure follows the volume; default: isothermal"},
    {"gas.ambient", SN_FIELD_DOUBLE, AT(gas.ambient), 1, 0, 1e300, 0, 101325, NULL, NULL, "Pa",
     "closed cloth: pressure outside, for isothermal"},
    {"wind.velocity", SN_FIELD_DOUBLE, AT(wind.velocity), 3, ANY, NULL, NULL, "m/s",
     "velocity of the fluid around the body"},
    {"wind.keys", SN_FIELD_KEYS, AT(wind.key), 4, ANY, NULL, NULL, "s, m/s",
     "rows of time and velocity, instead of `velocity`"},
    {"wind.density", SN_FIELD_DOUBLE, AT(wind.density), 1, 0, 1e300, 1, 1.2, NULL, NULL, "kg/m^3",
     "of the fluid; 1.2 for air, 1000 for water"},
    {"wind.drag", SN_FIELD_DOUBLE, AT(wind.drag), 1, 0, 1e300, 0, 0, NULL, NULL, "",
     "coefficient of the force along the stream; 0 without `lift`: no wind"},
    {"wind.lift", SN_FIELD_DOUBLE, AT(wind.lift), 1, 0, 1e300, 0, 0, NULL, NULL, "",
     "coefficient of the force across the stream; equal to `drag`: the force is normal to the surface"},
    {"adapt.levels", SN_FIELD_INT | SN_FIELD_NEEDED, AT(adapt.levels), 1, 0, 6, 0, 0, NULL, NULL, "",
     "so many more refinements of the mesh, which act only where they are needed"},
    {"adapt.budget", SN_FIELD_INT, AT(adapt.budget), 1, 0, 1e9, 0, 0, NULL, NULL, "",
     "the most active tets; 0: no limit"},
    {"adapt.measure", SN_FIELD_CHOICE, AT(adapt.measure), 1, 0, 0, 0, 0, "none", sn_adapt_measures, "",
     "what decides where the mesh is fine"},
    {"adapt.refine", SN_FIELD_DOUBLE, AT(adapt.refine), 1, 0, 1e300, 0, 0, NULL, NULL, "",
     "tets with a larger measure are refined"},
    {"adapt.coarsen", SN_FIELD_DOUBLE, AT(adapt.coarsen), 1, 0, 1e300, 0, 0, NULL, NULL, "",
     "tets whose parts all have a smaller measure become one again; below `refine`"},
    {"adapt.detail", SN_FIELD_DOUBLE, AT(adapt.detail), 1, 0, 1e300, 0, 0.05, NULL, NULL, "",
     "and when no node that goes is farther than this part of its edge from the middle of the edge"},
    {"adapt.details", SN_FIELD_CHOICE, AT(adapt.details), 1, 0, 0, 0, 0, "drop", sn_adapt_details, "",
     "what becomes of these distances"},
    {"adapt.every", SN_FIELD_INT, AT(adapt.every), 1, 1, 1e6, 0, 5, NULL, NULL, "", "steps from check to check"},
    {"adapt.wait", SN_FIELD_INT, AT(adapt.wait), 1, 1, 1e6, 0, 10, NULL, NULL, "",
     "checks for which the measure must stay below `coarsen`"},
    {"adapt.reaction", SN_FIELD_BOOL, AT(adapt.reaction), 1, 0, 1, 0, 1, NULL, NULL, "",
     "hanging nodes give the forces on them to their parents; false leaves this out, as Hauth does: a worse model"},
    {"corotate.from", SN_FIELD_INT, AT(corotate.from), 1, -1, 255, 0, -1, NULL, NULL, "",
     "law corotated, on refined meshes: the level with Green's strain, whose tets give the finer elements their "
     "frames; "
     "-1: none"},
    {"corotate.every", SN_FIELD_DOUBLE, AT(corotate.every), 1, 0, 1e300, 0, 0, NULL, NULL, "s",
     "with corotate.from: how long these frames stay, above 0"},
    OWN("adapt.select", "the tets of the finest mesh, by their centroids, that are always there"),
    OWN("material", "one material, or a list of materials"),
    OWN("materials", "the same as `material`"),
    OWN("fix", "a list: nodes that are held or moved"),
    OWN("loads", "a list of loads"),
    OWN("rigid",
        "true: the whole body is rigid, with mass and inertia only; or a list of {select}: selections that each "
        "move as one rigid body"),
    OWN("links", "a list of links"),
    OWN("tethers", "a list of tethers: springs and dampers to anchors or to other bodies"),
    OWN("sew", "a list of seams: lines of nodes that are pulled together and held"),
    OWN("initial", "motion and deformation at the start"),
};
#undef AT

#define FIELDS(function, table)                                                                                        \
    const sn_field *function(int *count) {                                                                             \
        *count = COUNT(table);                                                                                         \
        return table;                                                                                                  \
    }
FIELDS(sn_body_fields, body_fields)
FIELDS(sn_fix_fields, fix_fields)
FIELDS(sn_load_fields, load_fields)
FIELDS(sn_link_fields, link_fields)
FIELDS(sn_tether_fields, tether_fields)
FIELDS(sn_seam_fields, seam_fields)
FIELDS(sn_initial_fields, initial_fields)
FIELDS(sn_probe_fields, probe_fields)
FIELDS(sn_tool_fields, tool_fields)

/* ---- Defaults ---- */

sn_fix sn_fix_default(void) {
    sn_fix fix = {.cookie = SN_COOKIE};
    sn_fields_default(fix_fields, COUNT(fix_fields), &fix);
    fix.turn_axis[1] = 1;
    return fix;
}

sn_load sn_load_default(void) {
    sn_load load = {.cookie = SN_COOKIE, .kind = SN_LOAD_TRACTION};
    sn_fields_default(load_fields, COUNT(load_fields), &load);
    return load;
}

sn_link sn_link_default(void) {
    sn_link link = {.cookie = SN_COOKIE};
    sn_fields_default(link_fields, COUNT(link_fields), &link);
    return link;
}

sn_tether sn_tether_default(void) {
    sn_tether tether = {.cookie = SN_COOKIE};
    sn_fields_default(tether_fields, COUNT(tether_fields), &tether);
    return tether;
}

sn_seam sn_seam_default(void) {
    sn_seam seam = {.cookie = SN_COOKIE};
    sn_fields_default(seam_fields, COUNT(seam_fields), &seam);
    return seam;
}

sn_initial sn_initial_default(void) {
    sn_initial initial = {.cookie = SN_COOKIE};
    sn_fields_default(initial_fields, COUNT(initial_fields), &initial);
    return initial;
}

sn_probe sn_probe_default(void) {
    sn_probe probe = {.cookie = SN_COOKIE};
    sn_fields_default(probe_fields, COUNT(probe_fields), &probe);
    return probe;
}

sn_tool_options sn_tool_options_default(void) {
    sn_tool_options tool = {.cookie = SN_COOKIE};
    sn_fields_default(tool_fields, COUNT(tool_fields), &tool);
    return tool;
}

sn_body_options sn_body_options_default(void) {
    sn_body_options body = {.cookie = SN_COOKIE, .initial = sn_initial_default()};
    sn_fields_default(body_fields, COUNT(body_fields), &body);
    return body;
}

sn_world_options sn_world_options_default(void) {
    return (sn_world_options){.cookie = SN_COOKIE,
                              .gravity = {0, -9.81, 0},
                              .time = sn_time_options_default(),
                              .solver = sn_solver_options_default(),
                              .contact = sn_contact_options_default()};
}

/* ---- Checks ---- */

/* The cookie, then every field of a table. */
static sn_status check(uint32_t cookie, const char *name, const sn_field *field, int count, const void *options,
                       sn_error *error) {
    const sn_status status = sn_cookie_check(cookie, name, error);
    return status ? status : sn_fields_check(field, count, options, error);
}

sn_status sn_fix_check(const sn_fix *fix, sn_error *error) {
    const sn_status status = check(fix->cookie, "sn_fix", fix_fields, COUNT(fix_fields), fix, error);
    if (!status && fix->ramp.given && fix->key_count > 0 && !fix->turning)
        return sn_fail_at(error, SN_BAD_INPUT, "ramp",
                          "ramp has no effect beside 'keys'; it is for 'displacement' and 'turn'");
    return status;
}

sn_status sn_link_check(const sn_link *link, sn_error *error) {
    return check(link->cookie, "sn_link", link_fields, COUNT(link_fields), link, error);
}

sn_status sn_seam_check(const sn_seam *seam, sn_error *error) {
    return check(seam->cookie, "sn_seam", seam_fields, COUNT(seam_fields), seam, error);
}

sn_status sn_tether_check(const sn_tether *tether, sn_error *error) {
    return check(tether->cookie, "sn_tether", tether_fields, COUNT(tether_fields), tether, error);
}

sn_status sn_probe_check(const sn_probe *probe, sn_error *error) {
    const sn_status status = check(probe->cookie, "sn_probe", probe_fields, COUNT(probe_fields), probe, error);
    if (status) return status;
    if (probe->tool[0] && probe->quantity != SN_QUANTITY_POSITION && probe->quantity != SN_QUANTITY_FORCE)
        return sn_fail_at(error, SN_BAD_INPUT, "tool",
                          "tool '%.63s' has no effect: a tool has only the quantities position and force", probe->tool);
    if (probe->tool[0] && probe->interaction[0])
        return sn_fail_at(error, SN_BAD_INPUT, "interaction", "interaction '%.31s' has no effect beside 'tool'",
                          probe->interaction);
    if (probe->quantity == SN_QUANTITY_FORCE && !probe->interaction[0] && !probe->tool[0])
        return sn_fail_at(
            error, SN_BAD_INPUT, "quantity",
            "the quantity force needs 'interaction', such as gravity, loads, penalty or fixes, or 'tool'");
    if (probe->quantity != SN_QUANTITY_FORCE && probe->interaction[0])
        return sn_fail_at(error, SN_BAD_INPUT, "interaction",
                          "interaction '%.31s' has no effect: it belongs to the quantity force", probe->interaction);
    return SN_OK;
}

sn_status sn_tool_check(const sn_tool_options *tool, sn_error *error) {
    return check(tool->cookie, "sn_tool_options", tool_fields, COUNT(tool_fields), tool, error);
}

bool sn_quantity_is_total(sn_quantity quantity) {
    switch (quantity) {
    case SN_QUANTITY_DISPLACEMENT:
    case SN_QUANTITY_POSITION:
    case SN_QUANTITY_VELOCITY:
    case SN_QUANTITY_STRESS:
    case SN_QUANTITY_STRAIN:
    case SN_QUANTITY_DEFORMATION:
        return false;
    default:
        return true;
    }
}

sn_status sn_initial_check(const sn_initial *initial, sn_error *error) {
    const sn_initial *i = initial;
    const sn_status status = check(i->cookie, "sn_initial", initial_fields, COUNT(initial_fields), initial, error);
    const char *lost = i->scale != 1                    ? "scale"
                       : i->flatten                     ? "flatten"
                       : i->mirror                      ? "mirror"
                       : i->collapse && i->scrambled    ? "collapse"
                       : i->twist != 0 && !i->scrambled ? "twist"
                                                        : NULL;
    if (!status && lost && (i->collapse || i->scrambled))
        return sn_fail_at(error, SN_BAD_INPUT, lost, "%s has no effect beside '%s', which places all nodes", lost,
                          i->scrambled ? "scramble" : "collapse");
    return status;
}

static sn_status check_wind(const sn_wind *wind, sn_error *error) {
    const bool moves = wind->velocity[0] != 0 || wind->velocity[1] != 0 || wind->velocity[2] != 0;
    const char *given = moves ? "velocity" : wind->key_count > 0 ? "keys" : wind->density != 1.2 ? "density" : NULL;
    if (given && wind->drag == 0 && wind->lift == 0)
        return sn_fail_at(error, SN_BAD_INPUT, given, "wind.%s has no effect without wind.drag and wind.lift", given);
    if (moves && wind->key_count > 0)
        return sn_fail_at(error, SN_BAD_INPUT, "velocity", "wind.velocity has no effect beside wind.keys");
    return SN_OK;
}

static sn_status check_gas(const sn_gas *gas, sn_error *error) {
    const bool constant = strcmp(gas->law, "constant") == 0, none = !*gas->law && gas->pressure == 0;
    if (gas->ambient != 101325 && (constant || none))
        return sn_fail_at(error, SN_BAD_INPUT, "ambient", "gas.ambient has no effect %s",
                          constant ? "with the law 'constant'" : "without gas.pressure or gas.law");
    if (constant && gas->pressure == 0)
        return sn_fail_at(error, SN_BAD_INPUT, "law", "gas.law 'constant' has no effect without gas.pressure");
    if (!constant && !none && !(gas->ambient + gas->pressure > 0))
        return sn_fail_at(error, SN_BAD_INPUT, "pressure",
                          "gas.pressure is %g Pa; together with gas.ambient, %g Pa, it must be above 0", gas->pressure,
                          gas->ambient);
    return SN_OK;
}

sn_status sn_body_options_check(const sn_body_options *body, sn_error *error) {
    sn_status status = check(body->cookie, "sn_body_options", body_fields, COUNT(body_fields), body, error);
    if (!status) status = sn_within(error, check_gas(&body->gas, error), "gas");
    return status ? status : sn_within(error, check_wind(&body->wind, error), "wind");
}

/* The five kinds share the members `value` and `scalar`, so only the field of the load's kind is checked. */
sn_status sn_load_check(const sn_load *load, sn_error *error) {
    sn_status status = sn_cookie_check(load->cookie, "sn_load", error);
    if (status) return status;
    if ((unsigned)load->kind > SN_LOAD_SHEAR)
        return sn_fail(error, SN_BAD_INPUT, "the kind of the load is %d; allowed are %d to %d", (int)load->kind,
                       SN_LOAD_TRACTION, SN_LOAD_SHEAR);
    status = sn_field_check(&load_fields[load->kind], load, error);
    if (!status) status = sn_field_check(sn_field_find(load_fields, COUNT(load_fields), "ramp"), load, error);
    if (!status) status = sn_field_check(sn_field_find(load_fields, COUNT(load_fields), "keys"), load, error);
    if (!status && load->key_count > 0 && load->ramp.given)
        status = sn_fail_at(error, SN_BAD_INPUT, "keys", "keys are given beside 'ramp'; give one of them");
    if (!status && load->follow && load->kind == SN_LOAD_BODY)
        status = sn_fail_at(error, SN_BAD_INPUT, "follow",
                            "follow is for loads on a surface; a body load has a fixed direction");
    return status;
}

/* Refuses options of the solver when the method of time never solves a linear system. */
static sn_status check_solver_used(const sn_world_options *options, sn_error *error) {
    const sn_solver_options usual = sn_solver_options_default();
    const sn_method *method = sn_method_choose(&options->time);
    int count;
    const sn_field *fields = sn_solver_fields(&count),
                   *given = sn_fields_changed(fields, count, &options->solver, &usual);
    if (!given || !method || method->implicit) return SN_OK;
    return sn_fail_at(error, SN_BAD_INPUT, given->name,
                      "solver.%s has no effect with time.method '%s', which solves no linear system", given->name,
                      method->name);
}

/* The same of the basis of bodies. */
static sn_status check_basis_used(const sn_world_options *options, sn_error *error) {
    const sn_method *method = sn_method_choose(&options->time);
    for (int b = 0; b < options->body_count && method && !method->implicit; ++b)
        if (strcmp(options->body[b].basis, "hierarchical") == 0) {
            const sn_status status =
                sn_fail_at(error, SN_BAD_INPUT, "basis",
                           "basis 'hierarchical' has no effect with time.method '%s', which solves no linear system",
                           method->name);
            return sn_within(error, status, "bodies.%d", b);
        }
    return SN_OK;
}

sn_status sn_world_options_check(const sn_world_options *options, sn_error *error) {
    static const sn_field gravity = {"gravity", SN_FIELD_DOUBLE, offsetof(sn_world_options, gravity), 3, ANY, NULL,
                                     NULL,      "m/s^2",         "acceleration of free fall"};
    sn_status status = sn_cookie_check(options->cookie, "sn_world_options", error);
    if (status) return status;
    if (options->body_count < 1 || !options->body)
        return sn_fail_at(error, SN_BAD_INPUT, "bodies", "a world needs at least one body");
    status = sn_field_check(&gravity, options, error);
    if (!status) status = sn_within(error, sn_time_options_check(&options->time, error), "time");
    if (!status) status = sn_within(error, sn_time_options_used(&options->time, error), "time");
    if (!status) status = sn_within(error, sn_solver_options_check(&options->solver, error), "solver");
    if (!status) status = sn_within(error, sn_solver_options_used(&options->solver, error), "solver");
    if (!status) status = sn_within(error, check_solver_used(options, error), "solver");
    if (!status) status = sn_within(error, sn_contact_options_check(&options->contact, error), "contact");
    for (int b = 0; b < options->body_count && !status; ++b)
        status = sn_within(error, sn_body_options_check(&options->body[b], error), "bodies.%d", b);
    return status ? status : check_basis_used(options, error);
}
