/* The world: bodies, loads, colliders and probes, stepped through time.
 *
 *     sn_body_options body = sn_body_options_default();
 *     body.mesh = mesh;
 *     sn_world_options options = sn_world_options_default();
 *     options.body = &body;
 *     options.body_count = 1;
 *     sn_world_create(context, &options, &world, &error);
 *     while (sn_world_time(world) < 1) sn_world_step(world, &report, &error);
 *
 * sn_world_create checks and copies everything that it is given. Meshes and options may be released afterwards.
 *
 * A world holds four kinds of data:
 *   - a constant model: meshes, elements, numbering;
 *   - parameters, which the caller may edit between steps;
 *   - a state: the result of the next step depends, bit for bit, on nothing but the state, model and parameters;
 *   - a workspace, which can be rebuilt at any time.
 *
 * One thread at a time may use a world. Bodies are numbered from 0 in the order of the options. Nodes and elements have
 * the numbers of the body's mesh. SI units, y up. */
#ifndef SINEW_WORLD_H
#define SINEW_WORLD_H

#include <stdbool.h>

#include "collider.h"
#include "contact.h"
#include "embed.h"
#include "material.h"
#include "mesh.h"
#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options ---- */

/* Holds nodes in place, or moves them along a prescribed path. When several fixes hold the same axis of a node, the
 * last one counts. */
typedef struct sn_fix {
    uint32_t cookie;        /* set by sn_fix_default(); a struct without it is refused */
    sn_selector select;     /* the nodes; default: all. They must not belong to a rigid core */
    bool axis[3];           /* which of x, y, z are held, at least one; default all */
    double displacement[3]; /* m, times the factor of the ramp; default 0, 0, 0 */
    sn_ramp ramp;           /* of the displacement and of the turn; with keys only for a turn */

    /* key_count x 4: time in s (ascending) and displacement x, y, z in m, linear between keys. Keys take the place of
     * `displacement`. NULL (default): none. */
    const double *key;
    int key_count; /* at least 0; default 0 */

    /* Also turn the nodes about an axis; default false. The point is on the axis (m; default 0, 0, 0). The axis has any
     * length but zero (default 0, 1, 0). The angle in degrees (default 0) is multiplied with the factor of the ramp. */
    bool turning;
    double turn_point[3], turn_axis[3], turn_degrees;
} sn_fix;

typedef enum sn_load_kind {
    SN_LOAD_TRACTION, /* value: force per rest area, N/m^2 */
    SN_LOAD_PRESSURE, /* scalar: Pa; a positive pressure pushes inwards */
    SN_LOAD_FORCE,    /* value: total force, N; spread by area over the selected faces; without a face, equally over the
                         selected nodes */
    SN_LOAD_BODY,     /* value: force per rest volume, N/m^3, on the elements whose nodes are all selected */
    SN_LOAD_SHEAR     /* value: direction times N/m^2; projected into each face */
} sn_load_kind;

typedef struct sn_load {
    uint32_t cookie;    /* set by sn_load_default(); a struct without it is refused */
    sn_selector select; /* default: all nodes. A face is selected when all its nodes are */
    sn_load_kind kind;  /* default SN_LOAD_TRACTION */
    double value[3];    /* see sn_load_kind; finite; default 0, 0, 0. A pressure does not use it */
    double scalar;      /* the pressure: Pa, finite; default 0. Other kinds do not use it */

    /* Take normal and area of the moving face, and turn the traction with the face; default false. Not for body loads,
     * and not for a force on nodes. */
    bool follow;

    sn_ramp ramp; /* a factor of the whole load */

    /* key_count x 2: time in s (ascending) and a factor of the whole load, linear between keys, constant before the
     * first and after the last. Keys take the place of the ramp: only one of them may be given. In mode "static" the
     * time is the load fraction, 0 to 1. NULL (default): none. */
    const double *key;
    int key_count; /* at least 0; default 0 */
} sn_load;

/* Ties a material point of the body to a place in space, or to a material point of another body. Links work with
 * implicit-euler, bdf2 to bdf6 and the modes without inertia. Other methods are SN_UNSUPPORTED. */
typedef struct sn_link {
    uint32_t cookie; /* set by sn_link_default(); a struct without it is refused */
    double point[3]; /* m: a point inside the rest shape of the body; default 0, 0, 0 */
    char body[64];   /* name of the other body; "" (default): `to` is a place in space */
    double to[3];    /* m: the place, or a point inside the rest shape of the other body; default 0, 0, 0 */

    /* key_count x 4: time in s (ascending) and the offset x, y, z of `to` in m, linear between keys. NULL (default): no
     * keys. */
    const double *key;
    int key_count; /* at least 0; default 0 */

    /* How a gap between the two points is closed: "baumgarte" (default) in the motion, "post" after the step. */
    char stabilise[32];
    double rate; /* the part of the gap that a step closes, 0 to 1; default 0.2 */
} sn_link;

/* A spring and a damper between a material point of the body and an anchor, or a material point of another body:
 * f = -stiffness h - damping dh/dt, with h the gap between the two. Tethers work with all methods. */
typedef struct sn_tether {
    uint32_t cookie; /* set by sn_tether_default(); a struct without it is refused */
    double point[3]; /* m: a point inside the rest shape of the body; default 0, 0, 0 */
    char body[64];   /* name of the other body; "" (default): `to` is the place of an anchor */
    double to[3];    /* m: the anchor, or a point inside the rest shape of the other body; default 0, 0, 0 */

    /* key_count x 4: time in s (ascending) and the offset x, y, z of `to` in m, linear between keys. The damper acts on
     * the speed relative to the moving anchor. NULL (default): no keys. */
    const double *key;
    int key_count; /* at least 0; default 0 */

    double stiffness; /* N/m, above 0; default 1000 */
    double damping;   /* N s/m, at least 0; default 0 */
} sn_tether;

/* A seam: two lines of nodes, of one body or of two, that are pulled together in `time` and then held by threads. Each
 * node of the line with more nodes is tied to the point of the other line at the same part of its length. The nodes of
 * a line must follow each other along edges of the mesh. */
typedef struct sn_seam {
    uint32_t cookie;    /* set by sn_seam_default(); a struct without it is refused */
    sn_selector select; /* one side: nodes of the body on a line at rest */
    char body[64];      /* name of the body of the other side; "" (default): the same body */
    sn_selector to;     /* the other side */
    double time;        /* s, at least 0: how long the sides take to meet; default 0.5 */
    double stiffness;   /* N/m of the thread at each node, at least 0; default 0: as stiff as the material beside it */
    double damping;     /* N s/m of the thread at each node, at least 0; default 0 */
} sn_seam;

/* The start of a body. First its nodes are moved: scale, flatten or collapse, mirror, scramble, twist, in this order,
 * about the body's centre of mass. The rest shape stays as it is. Then the nodes get velocity and spin. */
typedef struct sn_initial {
    uint32_t cookie;    /* set by sn_initial_default(); a struct without it is refused */
    double velocity[3]; /* m/s, finite; default 0, 0, 0 */
    double spin[3];     /* rad/s about the centre of mass after the deformation, finite; default 0, 0, 0 */
    double scale;       /* factor, finite; default 1 */
    int flatten;        /* 0 (default): no; 1, 2, 3: the coordinate x, y, z of all nodes becomes that of the centre */
    int mirror;         /* 0 (default): no; 1, 2, 3: the coordinate x, y, z is mirrored at the centre */
    bool collapse;      /* all nodes go to the centre; default false. Not with another deformation */
    bool scrambled;     /* nodes go to random places inside the bounding box; default false. Only a twist with it */
    uint64_t scramble;  /* seed of the random places, below 2^63; default 0 */
    double twist;       /* degrees per metre along the body's longest axis, finite; default 0 */
} sn_initial;

typedef enum sn_fibre_kind {
    SN_FIBRE_NONE,     /* the material is no muscle */
    SN_FIBRE_CONSTANT, /* all fibres have `direction` */
    SN_FIBRE_FIELD,    /* the vectors of the mesh's field `field` */
    SN_FIBRE_BETWEEN   /* the gradient of the harmonic function that is 0 on `from` and 1 on `to` */
} sn_fibre_kind;

/* Where the fibres of a muscle run, at rest. The sign and the length of a direction do not matter. */
typedef struct sn_fibre {
    sn_fibre_kind kind;
    double direction[3]; /* constant: finite, not zero */
    char field[64];      /* field: its name; one vector per element of the mesh */

    /* between: two selections of nodes, of which the elements of the material have some in each. They share no node.
     * Each connected part of these elements touches both. */
    sn_selector from, to;
} sn_fibre;

/* A fluid around a body, for example air or water. Each face of the surface feels its pressure
 * rho / 2 u_n^2 along the normal, with u_n the speed of the face relative to the fluid along the normal. `drag` counts
 * the part of this force along the stream, `lift` the part across it. */
typedef struct sn_wind {
    double velocity[3]; /* m/s, finite: of the fluid; default 0 */
    const double *key;  /* key_count rows of 4: time in s and velocity in m/s, instead of `velocity`; times ascend */
    int key_count;      /* default 0 */
    double density;     /* kg/m^3, finite, above 0: of the fluid; default 1.2 (air) */
    double drag, lift;  /* at least 0; default 0. Both 0: there is no wind */
} sn_wind;

/* Gas inside a closed cloth. It presses on the cloth from inside, against the ambient pressure outside. */
typedef struct sn_gas {
    /* "isothermal": pressure times volume is constant, both pressures counted; "constant": the pressure stays. ""
     * (default): "isothermal" when `pressure` is not 0, else no gas */
    char law[32];
    double pressure; /* Pa above the ambient pressure, at the volume of the rest shape; finite, default 0 */
    double ambient;  /* Pa, for "isothermal": at least 0, and above -pressure; default 101325 */
} sn_gas;

/* Adaptive refinement: the elements are chosen from nested levels between two steps (docs/adaptive.md). */
typedef struct sn_adapt {
    int levels; /* the last levels of the mesh, which its refinements made, are refined only where it is needed;
                   0 (default): no adaptive refinement */

    /* Tets of the finest mesh, by their centroids: the tets that hold one of them are refined at the start and stay
     * so. NULL (default): none */
    const sn_selector *select;

    int budget; /* the most active tets; 0 (default): no limit */

    /* A name of sn_adapt_measures(): a tet whose measure is above `refine` is refined; "none" (default): only the tets
     * of `select` are. Eight tets whose measures stay below `coarsen` for `wait` checks in a row become one again, when
     * the distances of the nodes that go from the middles of their edges are at most `detail` of these edges. */
    char measure[32];
    double refine, coarsen; /* in the unit of the measure; coarsen is the smaller one; default 0 */
    double detail;          /* at least 0; default 0.05 */
    /* A name of sn_adapt_details(): what becomes of these distances. "drop" (default): the nodes go to the middles of
     * their edges. "freeze": they stay where they are and turn with the coarser tet, until it is split again. */
    char details[32];
    int every; /* steps from check to check, at least 1; default 5 */
    int wait;  /* checks, at least 1; default 10 */

    /* true (default): hanging nodes give the forces on them to their parents. false: these forces are left out, as in
     * Hauth's thesis, to show what that costs: forces across a border of levels are not in balance, and the matrix is
     * not symmetric. */
    bool reaction;
} sn_adapt;
SN_API const sn_listing *sn_adapt_measures(int *count);
SN_API const sn_listing *sn_adapt_details(int *count);

/* Coarse-to-fine corotation (docs/levels.md). Dynamics only, with an implicit method that solves by Newton's method.
 * All materials have the law "corotated". */
typedef struct sn_corotate {
    int from;     /* the level of the refined mesh whose tets have Green's strain, and the frames of the finer elements;
                     -1 (default): none */
    double every; /* s for which these frames stay; above 0 with `from`, else 0 (default) */
} sn_corotate;

/* A body. Each array may be NULL when its count is 0, and each count is 0 by default. */
typedef struct sn_body_options {
    uint32_t cookie;     /* set by sn_body_options_default(); a struct without it is refused */
    char name[64];       /* at most 63 bytes; "" means "body"; default "body" */
    const sn_mesh *mesh; /* the rest shape; must not be NULL. It has tets; for "tri3", "cloth" and "particles" it has
                            triangles and no tets */
    /* A detailed surface at rest that the tets carry: its triangles, or the boundary of its tets. Pictures and surface
     * files show it in place of the boundary of the tets. Colliders and other bodies meet it, and their forces go to
     * the nodes of the tets. NULL (default): none */
    const sn_mesh *surface;
    char embedding[32]; /* how the tets carry the surface, a name of sn_embeddings(); default "barycentric", also for ""
                         */

    /* A name of sn_element_names(). "" (default): "cloth" or "particles" for triangles whose first material has a law
     * of cloth, else "tet4".
     *   tet10  also takes a mesh of 4-node tets, and adds nodes in the middle of the straight edges
     *   tri3   plane strain, for triangles in a plane z = constant. The nodes are held in z. The body takes only
     *          loads of the kinds force and body
     *   cloth  triangles in space, with a law of cloth (docs/cloth.md). An edge has one or two triangles
     *   particles  the same triangles as a grid of particles, for the law "cloth-particles" */
    char element[32];

    double thickness; /* of plane bodies: m, finite, above 0; default 1. Cloth must have another one than 1 */
    sn_wind wind;     /* default: none. Not for plane bodies */
    sn_gas gas;       /* default: none. For closed cloth */
    char mass[32];    /* "lumped" (default, also for "") or "consistent" */

    /* The unknowns of the linear solver: "nodal" (default, also for "") or "hierarchical": the values at the nodes of
     * the coarsest mesh, and the details that finer levels add (docs/levels.md). The results are the same. The latter
     * needs a mesh with levels, an iterative solver, and a method of time that solves linear systems. */
    char basis[32];

    /* material_count materials; with a count of 0 the body has sn_material_default(). Selector i says which elements
     * have material i: those with their centroid in it. The last selector that holds a centroid counts, and each
     * centroid must be in one. material_select may be NULL when there is at most one material. */
    const sn_material *material;
    const sn_selector *material_select;

    /* material_count fibres, one per material: material i is a muscle unless its kind is SN_FIBRE_NONE. NULL (default):
     * no muscle. The numbers of a muscle are those of its material. Not for springs and not with warping. */
    const sn_fibre *material_fibre;
    int material_count;

    const sn_fix *fix;
    int fix_count;

    const sn_load *load;
    int load_count;

    /* Rigid cores (bones): each selection of nodes moves as one rigid body. The selections share no node, and no fix
     * holds their nodes. */
    const sn_selector *rigid;
    int rigid_count;
    /* The whole body is rigid: it has mass and inertia only, and its elements cost nothing. The mesh has tets, or
     * only triangles that form a closed surface. Four more nodes at the end of the body's mesh carry most of its mass.
     * Such a body takes no fixes, no rigid cores and no deformation at the start. Default false. Only the density of
     * its materials counts */
    bool rigid_body;

    const sn_link *link;
    int link_count;

    const sn_tether *tether;
    int tether_count;

    const sn_seam *seam;
    int seam_count;

    /* Default: none. For a world of one body with the element "tet4" and a lumped mass. The mesh has been refined
     * adapt.levels times or more. */
    sn_adapt adapt;
    sn_corotate corotate; /* default: none */

    sn_initial initial;
} sn_body_options;

typedef enum sn_quantity {
    SN_QUANTITY_DISPLACEMENT, /* x, y, z in m: mean over the nodes */
    SN_QUANTITY_POSITION,     /* x, y, z in m: mean over the nodes */
    SN_QUANTITY_VELOCITY,     /* x, y, z in m/s: mean over the nodes */
    SN_QUANTITY_REACTION,     /* x, y, z in N: force of the supports on the body, total over the nodes */
    SN_QUANTITY_VOLUME,       /* m^3: total over the elements whose nodes are all selected, or that use the node */
    SN_QUANTITY_STRESS,   /* Cauchy stress xx yy zz xy yz zx in Pa: mean over the nodes and the elements at each node */
    SN_QUANTITY_KINETIC,  /* J: kinetic energy of the nodes */
    SN_QUANTITY_ELASTIC,  /* J: energy of the elements, as for volume; not for a body of springs */
    SN_QUANTITY_GRAVITY,  /* J: of the nodes, 0 for a mass at the origin */
    SN_QUANTITY_ENERGY,   /* J: the sum of the last three */
    SN_QUANTITY_MOMENTUM, /* x, y, z in kg m/s: total over the nodes */
    SN_QUANTITY_ANGULAR_MOMENTUM, /* x, y, z in kg m^2/s about the origin: total over the nodes */
    SN_QUANTITY_CONTACTS,         /* how many of the nodes a collider or another body pushes or holds */
    SN_QUANTITY_FORCE,            /* x, y, z in N: force of one kind of interaction, total over the nodes */
    SN_QUANTITY_STRAIN,           /* Green's strain xx yy zz xy yz zx, E = (F^T F - 1) / 2: mean as for stress */
    SN_QUANTITY_DEFORMATION       /* the nine numbers of F, row by row: mean as for stress */
} sn_quantity;
enum { SN_PROBE_VALUES = 9 }; /* the most numbers that a probe has */

/* A probe reads one quantity at one node or at several nodes. */
typedef struct sn_probe {
    uint32_t cookie;      /* set by sn_probe_default(); a struct without it is refused */
    char name[64];        /* stands in results; default "" */
    char body[64];        /* name of the body; "" (default): the first body */
    sn_quantity quantity; /* default SN_QUANTITY_DISPLACEMENT */
    char interaction[32]; /* of SN_QUANTITY_FORCE: a name of sn_interactions(); "" (default) for other quantities */
    char tool[64];        /* name of a tool: its position (SN_QUANTITY_POSITION) or the force on the hand
                             (SN_QUANTITY_FORCE, without `interaction`); "" (default): the probe reads nodes */

    /* Which of the next three fields gives the nodes; default SN_PROBE_NEAREST. */
    enum { SN_PROBE_NEAREST, SN_PROBE_NODE, SN_PROBE_SELECT } at;
    double nearest[3];  /* m: the node whose rest position is nearest to this point; default 0, 0, 0 */
    int64_t node;       /* the node with this label (sn_mesh.node_label) */
    sn_selector select; /* the nodes that the selector picks */
} sn_probe;

/* A tool with which a hand touches the bodies: a point or a sphere on a spring (haptic.h). */
typedef struct sn_tool_options {
    uint32_t cookie; /* set by sn_tool_options_default(); a struct without it is refused */
    char name[64];   /* for probes and messages; "" (default): "tool" and its number */
    char body[64];   /* the body that it touches; "" (default): all bodies */
    double radius;   /* m, at least 0; default 0: a point */
    double spring;   /* N/m, 50 to 500; default 200: between the tool and the proxy */
    double damping;  /* N s/m, 0 to 10; default 0: along the spring, only while the tool presses */
    double limit;    /* N, above 0; default 10: the largest force on the hand and on the body */
    double ramp;     /* s, at least 0; default 0.1: after the tool came, jumped or was lost, the force rises over this
                        time */
    double jump;     /* m, above 0; default 0.05: a larger way from one call of sn_haptic_force to the next is a jump */
    double friction; /* Coulomb's coefficient at the proxy, at least 0; default 0 */
    bool clamp;      /* a pressed button ties the tool to the point that it touches; default false */

    /* A name of sn_tool_buffers(): what the servo knows of the surface between two steps.
     *   still-plane  the plane at the proxy across the line from the proxy to the tool
     *   plane        (default) this plane, moved with the velocity of the proxy
     *   patch        the triangles around the proxy with the velocities of their corners
     *   compliance   the plane, and how far the proxy yields to a force: three solves per step */
    char buffer[32];
    double reach; /* m, above 0; default 0.1: bodies that are farther away than this beyond the radius are not looked
                     at, and a tool that is deeper lets go */
} sn_tool_options;
SN_API sn_tool_options sn_tool_options_default(void);
SN_API const sn_listing *sn_tool_buffers(int *count);

/* Each array may be NULL when its count is 0. */
typedef struct sn_world_options {
    uint32_t cookie;   /* set by sn_world_options_default(); a struct without it is refused */
    double gravity[3]; /* m/s^2, finite; default 0, -9.81, 0 */
    sn_time_options time;
    sn_solver_options solver;
    const sn_body_options *body;
    int body_count; /* at least 1; default 0 */
    const sn_collider *collider;
    int collider_count;         /* default 0 */
    sn_contact_options contact; /* between bodies; default: bodies do not touch each other */
    const sn_probe *probe;
    int probe_count; /* default 0 */
    const sn_tool_options *tool;
    int tool_count; /* default 0 */
} sn_world_options;

SN_API sn_fix sn_fix_default(void);
SN_API sn_load sn_load_default(void);
SN_API sn_link sn_link_default(void);
SN_API sn_tether sn_tether_default(void);
SN_API sn_seam sn_seam_default(void);
SN_API sn_initial sn_initial_default(void);
SN_API sn_probe sn_probe_default(void);
SN_API sn_body_options sn_body_options_default(void);
SN_API sn_world_options sn_world_options_default(void);
SN_API const sn_listing *sn_element_names(int *count); /* the names for sn_body_options.element */

/* ---- Life ---- */

typedef struct sn_world sn_world;

/* Makes a world at time 0. The context must outlive the world. Fails with SN_BAD_INPUT (an option is
 * wrong, or fixes do not hold a body in a mode without inertia), SN_UNSUPPORTED (a combination that cannot be
 * simulated) or SN_NO_MEMORY; *world is then NULL. The caller frees *world with sn_world_destroy. */
SN_API sn_status sn_world_create(sn_context *context, const sn_world_options *options, sn_world **world,
                                 sn_error *error);
SN_API void sn_world_destroy(sn_world *world); /* NULL does nothing */

/* ---- Steps ---- */

/* How a step went. */
typedef struct sn_step_report {
    sn_status status; /* the status that sn_world_step returned */
    double time;      /* s: the world's time after the step; unchanged when the step failed */

    /* Iterations in all, and how often a part of the step failed and was tried again with half its length. */
    int newton_iterations, linear_iterations, retries;

    /* How often the line search shortened a correction. A larger residual that the search bears for some iterations
     * does not count. */
    int line_searches;

    /* Parts of the step for which Newton's method did not converge, so that its best iterate was taken. Such a part is
     * at most a sixteenth of the step. */
    int loose;

    double newton_residual, linear_residual; /* relative: of the last Newton iteration and of the last linear solve */

    double assembly_seconds, solve_seconds, seconds; /* real time in s: assembly, linear solves, the whole step */

    int linear_misses; /* linear solves that ended above their tolerance; their best iterate was taken */
    const char *solver, *preconditioner; /* the ones that ran, never "auto"; "" when nothing was solved */

    /* Relative residuals of the last linear solve: at its start, then after each iteration. The count is 0 to 4096; of
     * a longer solve the latest are kept. NULL when nothing was solved. Valid until the world's next step or edit. */
    const double *linear_history;
    int linear_history_count;

    int contacts; /* nodes that touch a collider */
    int active, refined,
        coarsened;     /* adaptive bodies: active tets; tets that were refined and coarsened after the step */
    int body_contacts; /* places where bodies touch each other: the count of sn_world_contacts */
    sn_correction_report correction;
} sn_step_report;

/* Takes one step of options.time.step seconds. In mode "static" it finds the whole static solution, and the callback of
 * sn_world_watch is called after each load step. `report` may be NULL. Fails with SN_NOT_CONVERGED, SN_NOT_FINITE,
 * SN_INVERTED, SN_SINGULAR, SN_STOPPED or SN_NO_MEMORY; the state is then as before the step. */
SN_API sn_status sn_world_step(sn_world *world, sn_step_report *report, sn_error *error);

/* Sets a callback for long steps; NULL: none. The world calls it between load steps, between retries and between
 * substeps of adaptive methods. `fraction` is the load fraction in mode "static", otherwise the time over
 * options.time.end. When the callback returns false, the step stops with SN_STOPPED. `user` is handed to the
 * callback. */
SN_API void sn_world_watch(sn_world *world, bool (*progress)(void *user, double fraction), void *user);

/* ---- Looking ---- */
SN_API double sn_world_time(const sn_world *world);       /* s; in mode "static" the load fraction, 0 to 1 */
SN_API int64_t sn_world_steps(const sn_world *world);     /* successful steps */
SN_API int sn_world_node_count(const sn_world *world);    /* of all bodies */
SN_API int sn_world_element_count(const sn_world *world); /* of all bodies */
SN_API int sn_world_body_count(const sn_world *world);

/* The rest shape of a body as the world uses it, with the mid-edge nodes of tet10. Valid as long as the world. NULL
 * when there is no such body. */
SN_API const sn_mesh *sn_world_body_mesh(const sn_world *world, int body);
SN_API const char *sn_world_body_name(const sn_world *world,
                                      int body); /* valid as long as the world; NULL: no such body */

/* The detailed surface of a body, embedded in the mesh of sn_world_body_mesh without creases. Valid as long as the
 * world. NULL when the body has none, or when there is no such body. */
SN_API const sn_embedding *sn_world_body_surface(const sn_world *world, int body);

/* The place of a body's node in the vectors of a caller's interaction (interaction.h). -1: no such node. */
SN_API int sn_world_node(const sn_world *world, int body, int node);
SN_API int sn_world_find_body(const sn_world *world,
                              const char *name); /* the body of this name; -1 when there is none */

/* Copies the positions (m) and velocities (m/s) of a body's nodes: node_count x 3 numbers each, where node_count is
 * that of sn_world_body_mesh. Each array may be NULL. SN_BAD_INPUT when there is no such body. */
SN_API sn_status sn_world_get(const sn_world *world, int body, double *position, double *velocity);

/* Sets positions and velocities, in the same shape; each may be NULL: unchanged. Nodes that are held stay on their
 * path. SN_BAD_INPUT when there is no such body; SN_NOT_FINITE when a number is not finite. */
SN_API sn_status sn_world_put(sn_world *world, int body, const double *position, const double *velocity,
                              sn_error *error);

/* Response "exact": parts cloth that intersects itself, other cloth or a body, or is nearer than its thickness, when it
 * can be. Call it when all bodies are put in their places; the option `untangle` of contact does the same when a world
 * is made. *moved (may be NULL) receives the largest way of a node, m; 0: nothing was tangled. SN_BAD_INPUT with the
 * names of the bodies when they stay tangled: the state is then as it was. SN_UNSUPPORTED with other responses. */
SN_API sn_status sn_world_untangle(sn_world *world, double *moved, sn_error *error);

typedef struct sn_energies {
    double kinetic, elastic, gravity,
        total; /* J; gravity is 0 for a mass at the origin; total is the sum of the three */
} sn_energies;
/* The active set of an adaptive body, and its last change: energies and momenta just before and just after it. */
typedef struct sn_adapt_report {
    int active, finest;       /* active tets, and tets of the finest mesh */
    int unknowns, hanging;    /* unknown displacements (3 per free node), and hanging nodes */
    int refined, coarsened;   /* tets that changed after the last step */
    int refused;              /* at the last change: tets that the budget did not let refine */
    int made_tets, made_rows; /* at the last change: active tets, and rows of the matrix (one per node), that were
                                 compiled anew; all others were taken over */
    int64_t changes, all_refined, all_coarsened; /* since the world was made */
    sn_energies energy_before, energy_after;     /* J; NaN in the elastic energy when it is not finite */
    double seconds;                              /* real time in s that the last change took */
    double momentum_before[3], momentum_after[3], angular_before[3], angular_after[3]; /* kg m/s, kg m^2/s */
} sn_adapt_report;
/* SN_NOT_FOUND when the body is not adaptive. The energies are those of the world. made_tets and made_rows count those
 * of all bodies. */
SN_API sn_status sn_world_adapt_report(const sn_world *world, int body, sn_adapt_report *report);
/* The active tet in which each tet of the finest mesh lies: leaf[e] counts from 0 to active - 1, level[e] is 0 for the
 * coarsest ones. One number for each tet of sn_world_body_mesh; each array may be NULL. SN_NOT_FOUND when the body is
 * not adaptive. */
SN_API sn_status sn_world_active(const sn_world *world, int body, int32_t *leaf, int32_t *level);
/* Which edges of boundary faces are parts of edges of active tets: bit k of edge[f] stands for the edge from corner k
 * to corner k + 1 of face f. face and owner: count faces and their tets, as sn_mesh_boundary gives them for
 * sn_world_body_mesh. SN_NOT_FOUND when the body is not adaptive: then all edges are. */
SN_API sn_status sn_world_active_edges(const sn_world *world, int body, int count, const int32_t *face,
                                       const int32_t *owner, uint8_t *edge);

/* The energies of all bodies. SN_INVERTED when a law with ln J meets an element with J <= 0. */
SN_API sn_status sn_world_energies(sn_world *world, sn_energies *energies, sn_error *error);

/* The material of each element of a body: material[i] is its place in the body's list of materials, from 0.
 * `material` has tet_count places. SN_BAD_INPUT when there is no such body. */
SN_API sn_status sn_world_element_materials(const sn_world *world, int body, int32_t *material);

/* Linear momentum (kg m/s) and angular momentum about the origin (kg m^2/s) of all bodies. */
SN_API void sn_world_momentum(const sn_world *world, double linear[3], double angular[3]);

/* A hash of time, positions and velocities: 16 hexadecimal digits and a zero byte. */
SN_API void sn_world_hash(const sn_world *world, char text[17]);

/* Values of a body's elements, element_count = tet_count of sn_world_body_mesh. Each array may be NULL.
 *   stress          element_count x 6: Cauchy stress xx yy zz xy yz zx in Pa, mean over the element's points
 *   von_mises       element_count: von Mises stress in Pa
 *   energy_density  element_count: J/m^3
 *   volume_ratio    element_count: J = det F
 * SN_BAD_INPUT when there is no such body. */
SN_API sn_status sn_world_element_fields(sn_world *world, int body, double *stress, double *von_mises,
                                         double *energy_density, double *volume_ratio, sn_error *error);

/* Forces of the supports on a body (N): node_count x 3. Supports are fixes and pins, in the directions that they hold,
 * the colliders and the other bodies that the body touches. Free nodes get zero. SN_BAD_INPUT when there is no such
 * body; SN_INVERTED as above. */
SN_API sn_status sn_world_reactions(sn_world *world, int body, double *force, sn_error *error);

SN_API int sn_world_collider_count(const sn_world *world);
/* A collider at its present place: its parameters are moved and turned, and it has no keys. Its mesh is valid as long
 * as the world has the collider. `collider` counts from 0 in the order of the list. sn_collider_default() when there is
 * no such collider. */
SN_API sn_collider sn_world_collider(const sn_world *world, int collider);
/* The motion of a collider since the start: a point that was at x before is now at A x + b. `pose` is a 3 x 4 matrix,
 * row by row: A in the first three columns, b (m) in the fourth. SN_BAD_INPUT when there is no such collider. */
SN_API sn_status sn_world_collider_pose(const sn_world *world, int collider, double pose[12]);
/* The surface of a collider before any motion. Fails with SN_BAD_INPUT (no such collider) or SN_NO_MEMORY. The caller
 * frees *drawing with sn_drawing_destroy. */
SN_API sn_status sn_world_collider_drawing(const sn_world *world, int collider, sn_drawing **drawing, sn_error *error);

/* The contacts between bodies at the end of the last step: writes at most `room` of them to `contact`, which may be
 * NULL when `room` is 0. Returns how many there are, which may be more than `room`. There is no limit to their number.
 * Right after a state was restored there are none: the first step finds them again. */
SN_API int sn_world_contacts(const sn_world *world, sn_contact *contact, int room);
/* The pairs of bodies that began or ended to touch in the last step, in the same way. */
SN_API int sn_world_contact_events(const sn_world *world, sn_contact_event *event, int room);
/* The forces of contacts with other bodies on the nodes of a body (N): node_count x 3. SN_BAD_INPUT when there is no
 * such body. */
SN_API sn_status sn_world_contact_forces(const sn_world *world, int body, double *force);

SN_API int sn_world_link_count(const sn_world *world); /* of all bodies */
/* The gap of a link now: `error`, its point minus the place it is tied to (m). The force of the link on the body's
 * point in the last step: `force` (N). Either may be NULL. `link` counts through the bodies in order. SN_BAD_INPUT when
 * there is no such link. */
SN_API sn_status sn_world_link(const sn_world *world, int link, double error[3], double force[3]);

/* The kinds of interactions: everything that acts on the bodies except their own elements. */
SN_API const sn_listing *sn_interactions(int *count);
/* A line with which a viewer shows an interaction: a grab, a link, a load. */
typedef struct sn_glyph {
    const char *name; /* of the interaction; valid as long as the interaction */
    double from[3];   /* m: the point on the body */
    double to[3];     /* m: the target; equal to `from` when there is none */
    double force[3];  /* N, on the body */
} sn_glyph;
/* Writes at most `room` glyphs of the present state. Returns how many there are, which may be more than `room`. `glyph`
 * may be NULL when `room` is 0. */
SN_API int sn_world_glyphs(const sn_world *world, sn_glyph *glyph, int room);

SN_API int sn_world_probe_count(const sn_world *world);
SN_API const char *sn_world_probe_name(const sn_world *world,
                                       int probe); /* valid as long as the world; NULL: no such probe */
/* Reads a probe at the present state. Writes *count numbers to `value`, as many as sn_quantity says: 1, 3, 6 or 9. With
 * fewer than 6 the others of 6 become 0. SN_PROBE_VALUES places are enough for every probe. Fails with SN_BAD_INPUT (no
 * such probe); reaction, contacts, force and energies also with SN_INVERTED. */
SN_API sn_status sn_world_probe(sn_world *world, int probe, double *value, int *count, sn_error *error);

/* ---- Editing between steps ---- */
/* After a failure nothing has changed. The options are checked and copied as in sn_world_create. */
SN_API sn_status sn_world_set_gravity(sn_world *world, const double gravity[3], sn_error *error); /* m/s^2, finite */
SN_API sn_status sn_world_set_time(sn_world *world, const sn_time_options *options, sn_error *error);
SN_API sn_status sn_world_set_solver(sn_world *world, const sn_solver_options *options, sn_error *error);
/* Replaces material `index` of a body and keeps the state. This is cheap when only constants change. It is slow when
 * the law, rotation, differential, density, mass damping, alpha, beta or warping changes: the elements are then
 * compiled again. SN_BAD_INPUT when there is no such material, or when the new one is wrong. */
SN_API sn_status sn_world_set_material(sn_world *world, int body, int index, const sn_material *material,
                                       sn_error *error);
/* Sets the activation (0 to 1) of material `index` of a body, and drops its keys. Cheaper than sn_world_set_material.
 * SN_BAD_INPUT when there is no such material, when it is no muscle, or when the activation is out of range. */
SN_API sn_status sn_world_set_activation(sn_world *world, int body, int index, double activation, sn_error *error);
/* A material of a body. Valid until the material is set again. NULL when there is no such material. */
SN_API const sn_material *sn_world_material(const sn_world *world, int body, int index);
/* Replaces the options of contact between bodies. `use` may change too. Contacts are found anew in the next step. */
SN_API sn_status sn_world_set_contact(sn_world *world, const sn_contact_options *options, sn_error *error);
SN_API sn_time_options sn_world_time_options(const sn_world *world);
SN_API sn_solver_options sn_world_solver_options(const sn_world *world);
SN_API sn_contact_options
sn_world_contact_options(const sn_world *world); /* its pairs are valid until they are set again */

/* Pins a node at its present position, or lets it go. A node that a fix holds stays held. SN_BAD_INPUT when there is no
 * such node, or when it belongs to a rigid core. */
SN_API sn_status sn_world_pin(sn_world *world, int body, int32_t node, bool pinned, sn_error *error);
/* Whether sn_world_pin, or a state that was restored, pins the node. False when there is no such node. */
SN_API bool sn_world_pinned(const sn_world *world, int body, int32_t node);

/* Pulls a point of a body towards `target` (m) with a spring. The point is the sum of four nodes times their weights; a
 * node with weight 0 does not count. `stiffness` is in N/m and `damping` in N s/m; both are finite and at least 0.
 * `handle` is a number that the caller chooses: a new handle makes a grab, and the same handle changes it. A stiffness
 * of 0 removes the grab. SN_BAD_INPUT when a number is wrong, or when there is no such body or node. */
SN_API sn_status sn_world_grab(sn_world *world, int handle, int body, const int32_t node[4], const double weight[4],
                               const double target[3], double stiffness, double damping, sn_error *error);

/* Sets forces on the nodes of a body (N): node_count x 3; NULL: none. They act in every step until they are set again.
 * SN_BAD_INPUT when there is no such body; SN_NOT_FINITE when a number is not finite. */
SN_API sn_status sn_world_set_forces(sn_world *world, int body, const double *force, sn_error *error);

/* Fixes, loads, links, tethers and colliders may be added, changed and removed between steps. An id names one of them.
 * The options of the world give the ids 0, 1, 2, ... in the order of the bodies, separately for each of the five kinds.
 * `add` writes a new id to *id; `id` may be NULL. `change` keeps the id. Ids are not used again. The functions fail
 * with SN_BAD_INPUT when the item is wrong, or when there is no such body or id. */
SN_API sn_status sn_world_add_fix(sn_world *world, int body, const sn_fix *fix, int *id, sn_error *error);
SN_API sn_status sn_world_change_fix(sn_world *world, int id, int body, const sn_fix *fix, sn_error *error);
SN_API sn_status sn_world_remove_fix(sn_world *world, int id, sn_error *error);
SN_API sn_status sn_world_add_load(sn_world *world, int body, const sn_load *load, int *id, sn_error *error);
SN_API sn_status sn_world_change_load(sn_world *world, int id, int body, const sn_load *load, sn_error *error);
SN_API sn_status sn_world_remove_load(sn_world *world, int id, sn_error *error);
SN_API sn_status sn_world_add_link(sn_world *world, int body, const sn_link *link, int *id, sn_error *error);
SN_API sn_status sn_world_change_link(sn_world *world, int id, int body, const sn_link *link, sn_error *error);
SN_API sn_status sn_world_remove_link(sn_world *world, int id, sn_error *error);
SN_API sn_status sn_world_add_tether(sn_world *world, int body, const sn_tether *tether, int *id, sn_error *error);
SN_API sn_status sn_world_change_tether(sn_world *world, int id, int body, const sn_tether *tether, sn_error *error);
SN_API sn_status sn_world_remove_tether(sn_world *world, int id, sn_error *error);
SN_API sn_status sn_world_add_collider(sn_world *world, const sn_collider *collider, int *id, sn_error *error);
SN_API sn_status sn_world_change_collider(sn_world *world, int id, const sn_collider *collider, sn_error *error);
SN_API sn_status sn_world_remove_collider(sn_world *world, int id, sn_error *error);

/* ---- Saving ---- */
/* A state is saved as bytes in the byte order of the machine. It holds positions, velocities, time, the history of the
 * method, pins, contacts, multipliers of links, and the forces of sn_world_set_forces. It does not hold gravity,
 * options, materials, loads, colliders and grabs: the world that restores it keeps its own ones.
 *
 * Saving changes nothing in the world. A run that was never saved, a run that was saved after any step, and a run that
 * restores the state end with the same bits, as long as options, materials and interactions are the same. For this the
 * state also holds what the solvers keep from the last steps: old factors, coarse matrices, linearisations. A world
 * with other options or materials does not use these parts; its steps are then right within the tolerances of its
 * solvers. An interaction of the caller that keeps numbers outside the state must save them itself. */
SN_API size_t sn_world_state_size(const sn_world *world); /* bytes of a state that is saved now; a step may change it */
/* Writes the state to `bytes`, which has room for `size` bytes. SN_BAD_INPUT when the room is too small. */
SN_API sn_status sn_world_save_state(sn_world *world, void *bytes, size_t size, sn_error *error);
/* Takes a state over from `size` bytes. Fails with SN_BAD_INPUT (the bytes are damaged, or belong to another model),
 * SN_UNSUPPORTED (another version or byte order) or SN_NOT_FINITE; the state is then as before. */
SN_API sn_status sn_world_restore_state(sn_world *world, const void *bytes, size_t size, sn_error *error);
/* Do the same with a file. They also fail with SN_IO, SN_NOT_FOUND (restore: the file cannot be opened) or
 * SN_NO_MEMORY. Saving takes the place of an old file in one move, when all bytes of the new one are on the disk: after
 * a failure, or when the program is killed, the old file is whole. */
SN_API sn_status sn_world_save(sn_world *world, const char *path, sn_error *error);
SN_API sn_status sn_world_restore(sn_world *world, const char *path, sn_error *error);

#ifdef __cplusplus
}
#endif
#endif
