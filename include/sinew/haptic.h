/* Haptics: a hand that holds a device feels the bodies.
 *
 * A *tool* is a point or a sphere that touches the bodies of a world. A *device* is what the hand holds: it tells where
 * the tool is, about a thousand times per second, and plays the force back. A *servo* connects the two at its own rate.
 * The simulation is slower than the servo, so two threads work at two rates:
 *
 *   - the simulation, at the begin of each step, takes the newest place of the tool, finds the closest point of the
 *     surface (the *proxy*), presses on the triangle that holds it with the tool's spring, and publishes a *buffer*: a
 *     small picture of the surface near the tool;
 *   - the servo asks sn_haptic_force for the force at the tool's place, against the newest buffer.
 *
 *     sn_tool_options tool = sn_tool_options_default();    options.tool = &tool; options.tool_count = 1;
 *     sn_world_create(context, &options, &world, &error);
 *     sn_device_options device = sn_device_options_default();
 *     sn_servo_create(world, 0, &device, NULL, &servo, &error);
 *     sn_servo_start(servo, sn_world_time(world), &error);
 *     while (...) sn_world_step(world, NULL, &error);
 *     sn_servo_destroy(servo);
 *
 * A program with a servo thread of its own needs only sn_world_tool and sn_haptic_force.
 *
 * Times are those of the simulation, in s. SI units, y up. (Hauth 2004, 5.4.3.) */
#ifndef SINEW_HAPTIC_H
#define SINEW_HAPTIC_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Tools ---- */
/* sn_tool_options is in world.h: the world takes its tools from sn_world_options. */

/* What the servo and the simulation share of a tool. Several threads may use it. */
typedef struct sn_tool sn_tool;

/* The tool of this number, in the order of sn_world_options.tool; NULL: no such tool. Valid as long as the world, and
 * longer when the caller holds it with sn_tool_hold. */
SN_API sn_tool *sn_world_tool(const sn_world *world, int tool);
SN_API int sn_world_tool_count(const sn_world *world);

/* Holds a tool beyond the end of its world, and lets it go. After the world has been destroyed the force is zero. */
SN_API sn_tool *sn_tool_hold(sn_tool *tool);
SN_API void sn_tool_release(sn_tool *tool);

/* The force on the hand (N) when the tool is at `position` (m) at `time` (s). Tells the simulation the place, too.
 *
 * Where a new buffer differs from what the old one foretold, the difference fades over the time between the two. So the
 * force does not jump when the simulation has taken a step.
 *
 * One thread may call this function for a tool, at any rate; it need not be the thread of the world. The function is
 * wait-free: it takes no lock, allocates nothing, and never waits for a step. A position or a time that is not finite
 * gives no force, and neither does a position that jumps (sn_tool_options.jump): the force is then zero until the tool
 * was outside of all bodies, or rises again over `ramp`. */
SN_API void sn_haptic_force(sn_tool *tool, const double position[3], double time, double force[3]);
/* Presses or releases the button that clamps (sn_tool_options.clamp). Called by the same thread. */
SN_API void sn_haptic_button(sn_tool *tool, bool pressed);
/* The device does not answer any more: force and load on the body become zero until sn_haptic_force is called again.
 * Called by the same thread. */
SN_API void sn_haptic_lost(sn_tool *tool);

/* A tool as the last step saw it. */
typedef struct sn_tool_state {
    bool present;       /* a device moves the tool */
    bool touches;       /* the tool presses on a body, or is clamped to it */
    bool clamped;       /* the button holds the point `proxy` */
    int body;           /* that is nearest; -1: none */
    double position[3]; /* m: of the tool */
    double proxy[3];    /* m: the point of the surface; without a body near, the tool's position */
    double normal[3];   /* out of the body */
    double depth;       /* m: how far the tool is inside, at most 0 when it does not touch */
    double force[3];    /* N: on the hand; the force on the body is the opposite one */
    int32_t triangle;   /* of the body's surface; -1: none */
    double share[3];    /* barycentric coordinates of the proxy in it */
} sn_tool_state;
/* SN_BAD_INPUT when there is no such tool. */
SN_API sn_status sn_world_tool_state(const sn_world *world, int tool, sn_tool_state *state, sn_error *error);

/* The options of a tool; edits it between steps, as sn_world_create checks them. */
SN_API sn_status sn_world_get_tool(const sn_world *world, int tool, sn_tool_options *options, sn_error *error);
SN_API sn_status sn_world_set_tool(sn_world *world, int tool, const sn_tool_options *options, sn_error *error);
/* Adds a tool, or removes it (the numbers of later ones fall by one). */
SN_API sn_status sn_world_add_tool(sn_world *world, const sn_tool_options *options, int *tool, sn_error *error);
SN_API sn_status sn_world_remove_tool(sn_world *world, int tool, sn_error *error);

/* ---- Devices ---- */

/* What a device tells. */
typedef struct sn_device_sample {
    double position[3]; /* m, in the world */
    bool button;        /* pressed; false before `read` */
    bool present;       /* true before `read`; false: nobody holds the device. The force is then zero, and no fault */
} sn_device_sample;

/* A device: four functions and their data. A driver of a real device fills this table (docs/haptics.md has an example).
 * The servo calls all of them on its own thread, except `open` and `close`, which run on the thread that makes and
 * destroys the servo. */
typedef struct sn_device_table {
    uint32_t cookie; /* set by sn_device_table_default(); a struct without it is refused */
    char name[32];   /* for messages */
    sn_status (*open)(void *user, sn_error *error); /* may be NULL */
    /* Writes the newest place. Returns false when the device does not answer: the force is then zero. */
    bool (*read)(void *user, double time, sn_device_sample *sample);
    /* Plays the force (N). Returns false when the device does not answer. May be NULL: a device that only points. */
    bool (*write)(void *user, double time, const double force[3]);
    void (*close)(void *user); /* may be NULL; called when `open` succeeded or is NULL */
} sn_device_table;
SN_API sn_device_table sn_device_table_default(void);

/* A device of the library. */
typedef struct sn_device_options {
    uint32_t cookie; /* set by sn_device_options_default(); a struct without it is refused */
    char kind[32];   /* a name of sn_devices(): "recorded", "udp", "mouse" (default) */

    /* recorded: plays a path. Rows of time (s, ascending), x, y, z (m) and the button (0 or 1), from an array of
     * row_count x 5, or from a CSV file whose first line names the columns t, x, y, z and, if there is one, button;
     * other columns are left out, so a protocol is a path too. Linear between rows; before the first row and after the
     * last one there is no tool. NULL, "" (default): none. sn_servo_create copies the rows. */
    const double *row;
    int row_count;
    char file[256];

    int port; /* udp: 1 to 65535 on the loopback address; default 4711 (docs/haptics.md describes the packets) */
    /* mouse: sn_servo_point moves the tool. */
} sn_device_options;
SN_API sn_device_options sn_device_options_default(void);
SN_API const sn_listing *sn_devices(int *count);

/* ---- Servos ---- */

typedef struct sn_servo sn_servo;

typedef struct sn_servo_options {
    uint32_t cookie;    /* set by sn_servo_options_default(); a struct without it is refused */
    double rate;        /* Hz, 10 to 10000; default 1000 */
    char protocol[256]; /* a CSV file that gets a row per tick with a place: t, x, y, z, button, fx, fy, fz, depth,
                           touches. A thread of its own writes the rows; the last ones are there when the servo has
                           stopped. "" (default): none */
} sn_servo_options;
SN_API sn_servo_options sn_servo_options_default(void);

/* Makes a servo for a tool with a device of the library, or with one of the caller. It holds the tool, so world and
 * servo may be destroyed in any order; the context must outlive both. `options` NULL: the default. A tool has one servo
 * at a time. Fails with SN_BAD_INPUT (an option, or no such tool), SN_NOT_FOUND (the file of a path), SN_IO (the
 * protocol or the port cannot be opened), SN_UNSUPPORTED (a device that this build does not have), SN_NO_MEMORY, or as
 * `open` of the device does. */
SN_API sn_status sn_servo_create(sn_world *world, int tool, const sn_device_options *device,
                                 const sn_servo_options *options, sn_servo **servo, sn_error *error);
SN_API sn_status sn_servo_create_own(sn_world *world, int tool, const sn_device_table *device, void *user,
                                     const sn_servo_options *options, sn_servo **servo, sn_error *error);
/* Stops the servo and closes the device and the protocol. NULL does nothing. */
SN_API void sn_servo_destroy(sn_servo *servo);

/* Real time: a thread ticks by the clock. The time of a tick is `time`, the present time of the world, plus the time on
 * the clock since the start, less the time by which the simulation was late (sn_servo_delay). It never falls. A tick
 * that comes late is not made up for: the next one comes at its own time. SN_UNSUPPORTED: this build has no such
 * threads (WebAssembly). */
SN_API sn_status sn_servo_start(sn_servo *servo, double time, sn_error *error);
/* Ends the thread, if there is one, gives the tool free and writes the rest of the protocol. The servo may start again.
 * SN_IO: a row of the protocol could not be written. */
SN_API sn_status sn_servo_stop(sn_servo *servo, sn_error *error);
SN_API void sn_servo_delay(sn_servo *servo, double seconds); /* in all since the start; from any thread */

/* Simulated time: ticks up to `time`, on the thread of the caller. Call it with the time of the world before the first
 * step and after each step. Ticks are at whole multiples of the period. The first call makes one tick, the last one not
 * after `time`; so does a call that goes back in time. Equal runs give equal protocols, bit for bit. SN_BAD_INPUT:
 * the thread runs. SN_IO: a row of the protocol could not be written. */
SN_API sn_status sn_servo_advance(sn_servo *servo, double time, sn_error *error);

/* Moves the tool of a device "mouse"; `present` false: the mouse left. From any thread. */
SN_API void sn_servo_point(sn_servo *servo, const double position[3], bool button, bool present);

/* How the servo went. */
typedef struct sn_servo_report {
    int64_t ticks;
    int64_t late;    /* ticks more than half a period after their time */
    int64_t skipped; /* ticks that did not take place, because the one before them was late */
    /* In real time. `high`: 99.9 % are below, to 3 %. */
    double call_mean, call_high, call_most;             /* s: how long sn_haptic_force took */
    double lateness_mean, lateness_high, lateness_most; /* s: of the ticks */
    bool answers;                                       /* the device answers */
    bool present;                                       /* somebody holds it, and its place is finite */
    int64_t faults;               /* ticks without an answer, with a position that is not finite, or that jumped */
    int64_t ignored;              /* udp: packets that were malformed, came too late or from another driver */
    int64_t dropped;              /* rows that the protocol lost, because the disk was too slow */
    char message[200];            /* the latest fault, or why the thread has no priority; "" when there is none */
    double time;                  /* s: of the last tick */
    double position[3], force[3]; /* of the last tick */
} sn_servo_report;
SN_API void sn_servo_look(const sn_servo *servo, sn_servo_report *report); /* from any thread */

#ifdef __cplusplus
}
#endif
#endif
