/* Inside of a world: the four kinds of data, each in a struct of its own.
 *
 *   model       constant: bodies, numbering, rest shape, held directions, loads, surface, probes; with its materials compiled into `solid`
 *   parameters  editable between steps: gravity, options, materials, colliders, grabs
 *   state       everything the next step's bits depend on, one block of plain numbers
 *   workspace   rebuildable: solver, filter, scratch
 *
 * Node numbers: "user" ones count through the bodies in order, each in its mesh's order; "compiled" ones are what the vectors use. Bodies
 * stay contiguous: compiled = first node of the body + place in sn_mesh_order. */
#ifndef SN_WORLD_WORLD_H
#define SN_WORLD_WORLD_H

#include "base/context.h"
#include "contact/penalty.h"
#include "contact/projection.h"
#include "fem/load.h"
#include "fem/springs.h"
#include "fem/warping.h"
#include "sinew/world.h"
#include "time/system.h"

enum { SN_HANDLES = 16, SN_LINKS = 16, SN_FREE = -1, SN_IN_PLACE = -2 };

/* ---- Model ---- */
typedef struct sn_body {
    char name[64];
    sn_mesh *mesh;             /* own, with the mid-edge nodes of tet10 */
    const sn_element *type;    /* as it was asked for */
    const sn_element *element; /* its carrier: of the cells of the mesh, the mass, the loads and the surface */
    bool consistent;           /* mass */
    double thickness;          /* of plane bodies; else 1 */
    int node_first, element_first, material_first, material_count;
    int32_t *node;     /* tets x element nodes, compiled */
    int32_t *material; /* tets: index from material_first */
} sn_body;

/* What depends on the kind of the materials: constant, and compiled again when a law changes. */
typedef struct sn_solid {
    int body_count;
    sn_batch_source *source;   /* one per body: its tets */
    sn_batch_source *compiled; /* one per body: what the batches are made of, its tets or springs */
    uint8_t *consistent;
    sn_elements_model elements;
    int64_t *place;       /* per element: batch << 40 | block << 3 | lane; -1 in bodies of springs */
    double *mass;         /* lumped, per node; 0 where consistent, 1 at isolated nodes (which never move) */
    double *weight;       /* kg of gravity at each node that agrees with the mass: free fall is exact */
    double *weight_exact; /* kg of gravity by int rho N dV: statics */
    double *rayleigh;     /* 1/s of Rayleigh mass damping per node; NULL for none */
    sn_warping warping;
    sn_linear_model linear;
} sn_solid;

typedef struct sn_probe_target {
    sn_probe probe;
    int body;
    int node_count;
    int32_t *node; /* compiled */
    int element_count;
    int32_t *element; /* of the whole world: stress, volume */
    double *share;    /* stress: weight of each element's stress */
} sn_probe_target;

/* Nodes that move as one rigid body. */
typedef struct sn_core {
    int count;
    int32_t *node; /* compiled, ascending */
    double *arm;   /* count x 3: rest position from the rest centre */
    double *mass;  /* count: of each node, for centre and inertia */
    double total;
} sn_core;
/* h = sum weight x - target - keys. */
typedef struct sn_link_term {
    int count;
    int32_t node[20]; /* compiled */
    double weight[20], target[3];
    double *key; /* owned */
    int key_count;
    bool post;
    double rate;
} sn_link_term;

typedef struct sn_model {
    int body_count;
    sn_body *body;
    int node_count, element_count, material_count;
    int32_t *compiled; /* user -> compiled */
    double *rest;      /* compiled, x 3 */
    uint8_t *isolated; /* compiled: used by no element */
    int fix_count;
    sn_fix *fix;     /* selectors resolved; keys owned */
    int32_t *fix_of; /* compiled nodes x 3: fix that holds the axis, or SN_FREE, SN_IN_PLACE */
    int core_count;
    sn_core *core;
    int load_count;
    sn_load_term *load;
    int link_count;
    sn_link_term *link;
    sn_contact_nodes surface; /* empty without colliders; mass filled with the solid. Nodes of rigid cores last: */
    int surface_cores;        /* so many */
    int probe_count;
    sn_probe_target *probe;
    double size; /* diagonal of the largest body's box */
    const sn_solid *solid;
} sn_model;

/* ---- Parameters ---- */
typedef struct sn_grab_spring {
    bool on;
    int32_t node[4]; /* compiled */
    double weight[4], target[3], stiffness, damping;
    bool coupled; /* all of its nodes share an element: its off-diagonal blocks are in the pattern */
} sn_grab_spring;

typedef struct sn_parameters {
    double gravity[3];
    sn_time_options time;
    sn_solver_options solver;
    bool is_static, no_inertia; /* mode "static"; "static" or "quasi-static" */
    const sn_method *method;
    int material_count;
    sn_material *material;        /* keys owned */
    sn_element_settings elements; /* the materials as the element kernels read them, at the time of the last filling */
    int collider_count;
    sn_collider *collider; /* keys owned */
    sn_penalty *penalty;   /* of each collider */
    sn_grab_spring grab[SN_HANDLES];
} sn_parameters;

/* ---- State ---- */
typedef struct sn_state {
    double time; /* s; the load fraction in statics */
    int64_t steps;
    double base_time; /* time = base_time + (steps - base_steps) step, so that it does not drift */
    int64_t base_steps;
    int nodes, history_count;
    int64_t rotation_count;
    int64_t count;  /* doubles of `value` */
    double *value;  /* the block that holds the arrays below, in this order */
    double *x, *v;  /* compiled, x 3 */
    double *a;      /* x 3: change of v over the last step by its length, for reactions */
    double *pinned; /* per node: 1 or 0 */
    int64_t contact_count;
    double *contact; /* status and normal force of each pair of a projecting collider and a surface node */
    double *link;    /* per link x 3: multiplier, N */
    double *history;
    double *rotation;
} sn_state;

/* ---- Workspace ---- */
/* A held node: the fix of each axis, or SN_FREE, SN_IN_PLACE. */
typedef struct sn_held {
    int32_t node, fix[3];
} sn_held;

/* Where a fix is at one time: x = point + R (X - point) + offset. */
typedef struct sn_motion {
    double point[3], R[9], offset[3], rate[3], spin[3];
} sn_motion;

struct sn_world;
typedef struct sn_world_system {
    sn_system base; /* first: the table's functions cast */
    struct sn_world *world;
} sn_world_system;

typedef struct sn_workspace {
    sn_world_system system;
    sn_linear *linear;
    sn_filter filter;
    sn_projection projection; /* contacts of the response of this name; its filter stands for `filter` when there are any */
    int held_count, held_capacity, projection_capacity, filter_capacity;
    sn_held *held;
    sn_filter_group *group; /* per core: its rigid modes at the positions last looked at */
    sn_motion *motion;      /* per fix */
    sn_element_view view;   /* of the last linearisation */
    sn_block_list stiffness, damping;
    sn_friction *friction;       /* colliders x surface nodes: of the present step */
    bool frictional;             /* it serves: a step of a method that takes symmetric matrices is under way */
    int friction_rounds;         /* how often its normal forces were renewed in this step */
    double *vertex_rotation;     /* of warped nodes, x 9; NULL without warping */
    double *x_linear, *v_linear; /* where it was taken */
    double *x_kept;              /* where the kept rotations were taken */
    double *x_before;            /* positions at the last accepted (sub)step */
    double *external;            /* forces */
    double *force;
    double *scaled, *product;                     /* vectors for short use */
    double *partial;                              /* chunk_count doubles */
    double *dot;                                  /* sn_dot_scratch */
    double *scratch;                              /* of the method */
    double *link_goal, *link_error, *link_before; /* per link x 3: h that the step aims at; h at the last force; multipliers at the start */
    double *link_solution;                        /* 3 links x vector: A^-1 G^T */
    double link_stiffness;                        /* N/m; 0 outside of steps */
    double *link_small;                           /* 2 x (3 links)^2 */
    sn_state before;                              /* the state when the step began */
    double force_scale;
    int contacts;
    bool constraints_changed; /* the rigid modes of statics are to be checked again */
} sn_workspace;

struct sn_world {
    sn_context *context;
    sn_model model;
    sn_parameters parameters;
    sn_state state;
    sn_workspace workspace;
    bool (*progress)(void *user, double fraction);
    void *user;
};

/* model.c: bodies, numbering, materials per element. */
sn_status sn_model_create(sn_world *world, const sn_world_options *options, sn_error *error);
void sn_model_destroy(sn_world *world);
/* solid.c: batches and mass from the model and the parameters' materials. */
sn_status sn_solid_create(const sn_world *world, const sn_solid **solid, sn_error *error);
/* The parameters' element settings at time t, in place. */
sn_status sn_solid_settings(sn_world *world, double t, sn_error *error);
void sn_solid_destroy(sn_context *context, const sn_solid *solid);
/* select.c: which elements have their centroid in a selector: mask[element] = 1. */
sn_status sn_select_centroids(const sn_mesh *mesh, const sn_selector *selector, uint8_t *mask, sn_error *error);
/* surface.c: the nodes that a collider pushes by penalty: all of the surface, or the nodes of rigid cores, which cannot be constrained one
 * by one, when its response is projection. */
sn_contact_nodes sn_world_pushed(const sn_world *world, int collider);
/* Boundary faces of a body with compiled nodes (3 or 6 each); release with sn_mesh_release. */
sn_status sn_body_faces(const sn_world *world, int body, int *count, int32_t **face, sn_error *error);
/* loads.c, surface.c: resolve the loads of all bodies; the nodes that may touch. */
sn_status sn_model_loads(sn_world *world, const sn_world_options *options, sn_error *error);
sn_status sn_model_surface(sn_world *world, sn_error *error);
/* constraint.c: fixes; who is held; the motion. */
sn_status sn_model_fixes(sn_world *world, const sn_world_options *options, sn_error *error);
sn_status sn_constraints_update(sn_world *world, sn_error *error);
void sn_constraints_apply(sn_world *world, double t, double *x, double *v);
/* Sets the held components of a to the acceleration of their fix at time t: that of the turn, as displacements go in straight pieces. */
void sn_constraints_acceleration(sn_world *world, double t, double *a);
/* core.c: rigid cores. `model` resolves the selections, `mass` takes masses when the solid is there; `modes` brings the filter's modes to
 * x; `retract` puts x on the nearest rigid placement and, when v is given, v on the rigid motion of the same momentum. */
sn_status sn_model_cores(sn_world *world, const sn_world_options *options, sn_error *error);
void sn_model_cores_mass(sn_world *world);
void sn_model_cores_release(sn_world *world);
sn_status sn_cores_workspace(sn_world *world, sn_error *error);
void sn_cores_workspace_release(sn_world *world);
void sn_cores_modes(sn_world *world, const double *x);
void sn_cores_retract(const sn_world *world, double *x, double *v);
bool sn_cores_hold(const sn_world *world, int32_t node);
/* rigid.c: every piece of every body must have its six rigid motions held. */
sn_status sn_rigid_check(sn_world *world, sn_error *error);
/* initial.c: positions and velocities at the start. */
sn_status sn_initial_check(const sn_initial *initial, const char *name, sn_error *error);
void sn_initial_apply(sn_world *world, int body, const sn_initial *initial);
/* probe.c */
sn_status sn_model_probes(sn_world *world, const sn_world_options *options, sn_error *error);
void sn_model_probes_release(sn_world *world);
/* parameters.c */
sn_status sn_parameters_create(sn_world *world, const sn_world_options *options, sn_error *error);
void sn_parameters_destroy(sn_world *world);
/* Default stiffness of the colliders. */
void sn_parameters_contact(sn_world *world);
/* Statics needs a shear modulus above 0 everywhere. */
sn_status sn_parameters_stiff(const sn_world *world, sn_error *error);
/* Whether the bodies are compiled with the exact differentials of their laws: statics, and methods that need them. */
bool sn_parameters_exact(const sn_parameters *parameters);
/* Whether some modulus has keys. */
bool sn_parameters_keyed(const sn_parameters *parameters);
/* lambda + 2 mu at rest, in the stiffest direction (Pa). */
double sn_parameters_modulus(sn_context *context, const sn_material *material);
/* state.c */
sn_status sn_state_create(const sn_world *world, sn_state *state, sn_error *error);
void sn_state_destroy(sn_context *context, sn_state *state);
void sn_state_copy(const sn_context *context, const sn_state *from, sn_state *to); /* same counts */
bool sn_state_finite(const sn_state *state);
/* The rotations' path from rest to the present positions. */
void sn_state_rotations(sn_world *world);
/* workspace.c */
sn_status sn_workspace_create(sn_world *world, sn_error *error);
void sn_workspace_destroy(sn_world *world);
/* A solver of its own for a solid. */
sn_status sn_workspace_linear(const sn_world *world, const sn_solid *solid, sn_linear **linear, sn_error *error);
/* Everything rebuildable as in a fresh process. */
void sn_workspace_refresh(sn_world *world);
/* Scratch for the method in use and the backup of the state. */
sn_status sn_workspace_method(sn_world *world, sn_error *error);
/* warping.c: room for the vertices' frames of a solid (NULL without warping), frames at x, and net force and torque of the bodies that ask
 * for it taken out of the elements' forces. */
sn_status sn_world_warping_room(const sn_world *world, const sn_solid *solid, double **rotation, sn_error *error);
void sn_world_warp(sn_world *world, const double *x);
void sn_world_balance(const sn_world *world, const double *x, double *f);
/* system.c */
extern const sn_system_table sn_world_table;
/* The filter that holds now. */
const sn_filter *sn_world_filter(const sn_world *world);
sn_element_view sn_world_view(const sn_world *world, const double *x, const double *v);
/* Forces at the state, into workspace.force. */
sn_status sn_world_forces(sn_world *world, sn_error *error);
/* fields.c: stress (6), J, energy density (each may be NULL) and volume of one element at the state. */
void sn_element_values(const sn_world *world, int element, double stress[6], double *ratio, double *energy_density, double *volume);
/* grab.c */
void sn_grab_forces(const sn_world *world, const double *x, const double *v, double *f);
double sn_grab_energy(const sn_world *world, const double *x);
void sn_grab_blocks(const sn_world *world, sn_block_list *stiffness, sn_block_list *damping);
/* link.c */
sn_status sn_model_links(sn_world *world, const sn_world_options *options, sn_error *error);
void sn_model_links_release(sn_world *world);
/* Whether a method can hold the world's links. */
sn_status sn_links_method(const sn_world *world, const sn_method *method, sn_error *error);
void sn_links_begin(sn_world *world, double t, const double *x);
void sn_links_end(sn_world *world);
void sn_links_reject(sn_world *world);
/* Adds G^T l and notes h. */
void sn_links_force(sn_world *world, double t, const double *x, double *f);
/* x = A^-1 b comes in; the links' part is added and the multipliers are updated. */
sn_status sn_links_solve(sn_world *world, double m, double d, double k, double *x, double tolerance, sn_linear_report *report,
                         sn_error *error);
void sn_links_settle(sn_world *world, double t, double *x);

/* Puts "body 'name': what.index: " before a message. */
sn_status sn_prefix(sn_error *error, sn_status status, const char *body, const char *what, int index);

#endif
