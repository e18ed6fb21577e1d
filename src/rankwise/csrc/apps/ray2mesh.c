/* ray2mesh: seismic rays through a layered Earth, handed out in sets to whoever is free; then the
 * meshes of all ranks are merged. After S. Genaud, M. Grunberg, in: L. Hablot et al., 2007. */
#include "app.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHELLS = 1000, ANY_RAY = 1, NO_MORE = 2, MOST_TOLD = 64 };
static const double earth_radius = 6371; /* km */

/* In a shell the velocity is a r^b, with which a leg of a ray has a closed form (Bullen). */
typedef struct {
    double radius;      /* where the shell begins */
    double top, bottom; /* r / v there, and where it ends */
    double factor;      /* 1 / (1 - b) */
} Shell;

typedef struct {
    double distance, seconds; /* an angle; both from surface to surface */
} Path;

static double uniform(double radius)
{
    (void)radius;
    return 6.5;
}

static const double at_centre = 12, at_surface = 6.5; /* km/s, where it grows with depth */

/* Rays are arcs of circles in it. */
static double parabolic(double radius)
{
    return at_centre - (at_centre - at_surface) * pow(radius / earth_radius, 2);
}

static double linear(double radius)
{
    return at_centre - (at_centre - at_surface) * radius / earth_radius;
}

/* Of a ray in it, by integration from where it turns: there r = p v. */
static Path linear_path(double p)
{
    const double fall = (at_centre - at_surface) / earth_radius, rest = 1 - pow(p * fall, 2);
    const double up = sqrt(pow(earth_radius, 2) - pow(p * at_surface, 2));
    const double bend =
        log((sqrt(rest) * up + rest * earth_radius + p * p * at_centre * fall) / (p * at_centre)) /
        sqrt(rest);
    return (Path){2 * (acos(p * at_surface / earth_radius) - p * fall * bend),
                  2 / fall * (log((earth_radius + up) / (p * at_surface)) - bend)};
}

/* P waves, roughly: a crust, a mantle that gets faster with depth, a slower core. */
static double earthly(double radius)
{
    const double depth = earth_radius - radius;
    if (depth < 35)
        return 6.3;
    if (depth < 660)
        return 8 + 2.3 * (depth - 35) / 625;
    if (depth < 2891)
        return 10.8 + 2.9 * (depth - 660) / 2231;
    return 8.1 + 2.2 * (depth - 2891) / 2259;
}

static void make_shells(Shell *shells, double (*velocity)(double))
{
    static const double deepest = 0.9; /* of the radius */
    for (int i = 0; i < SHELLS; i++) {
        const double above = earth_radius * (1 - deepest * i / SHELLS);
        const double below = earth_radius * (1 - deepest * (i + 1) / SHELLS);
        const double first = velocity(above), last = velocity(below);
        shells[i] = (Shell){above, above / first, below / last,
                            1 / (1 - log(first / last) / log(above / below))};
    }
}

/* Snell's law in a sphere: r sin(angle) / v keeps its value, the ray's parameter, down to where it
 * turns, or is reflected: by a faster shell, or below the last one. The time in each shell is added
 * to `spent`. */
static Path trace(const Shell *shells, double parameter, double *spent)
{
    Path path = {0, 0};
    for (int i = 0; i < SHELLS && parameter < shells[i].top; i++) {
        const Shell *one = &shells[i];
        const bool passes = parameter < one->bottom;
        double angle = acos(parameter / one->top);
        double seconds = sqrt(one->top * one->top - parameter * parameter);
        if (passes) {
            angle -= acos(parameter / one->bottom);
            seconds -= sqrt(one->bottom * one->bottom - parameter * parameter);
        }
        path.distance += 2 * one->factor * angle;
        path.seconds += 2 * one->factor * seconds;
        if (spent)
            spent[i] += 2 * one->factor * seconds;
        if (!passes)
            break;
    }
    return path;
}

/* Straight rays; arcs of circles, of which the distance is known; a velocity linear in the radius.
 */
static void check_tracing(AppRun *r, Shell *shells)
{
    const double slowness = earth_radius / 6.5;
    const double fall = (at_centre - at_surface) / (earth_radius * earth_radius);
    for (int ray = 1; ray <= 9; ray++) {
        const double parameter = slowness * (0.05 + 0.1 * ray);
        make_shells(shells, uniform);
        const Path straight = trace(shells, parameter, NULL);
        check(r, "a straight ray's distance", straight.distance, 2 * acos(parameter / slowness),
              1e-6);
        check(r, "a straight ray's time", straight.seconds,
              2 * slowness * sin(acos(parameter / slowness)), 1e-6);
        make_shells(shells, parabolic);
        const Path arc = trace(shells, parameter, NULL);
        const double curve = 1 / (2 * parameter * fall); /* the circle's radius, and its centre */
        const double centre = sqrt(curve * curve + at_centre / fall);
        check(r, "a bent ray's distance", arc.distance,
              2 * acos((earth_radius * earth_radius + at_centre / fall) /
                       (2 * earth_radius * centre)),
              1e-4);
        make_shells(shells, linear);
        const Path bent = trace(shells, parameter, NULL), known = linear_path(parameter);
        check(r, "a ray's distance in a linear gradient", bent.distance, known.distance, 1e-4);
        check(r, "a ray's time in a linear gradient", bent.seconds, known.seconds, 1e-4);
    }
    make_shells(shells, earthly);
}

typedef struct {
    AppRun *run;
    Shell shells[SHELLS];
    int64_t rays, set, cells; /* to be traced; in a set; in the mesh of a rank */
    int ray_bytes;
    char *message;
    double *mesh, seconds;
    int64_t *traced; /* by rank: rays */
} Work;

/* A ray's description is its parameter and what a catalogue of earthquakes says else. */
static void fill_set(const Work *w, int64_t first, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const double parameter =
            earth_radius / 6.3 * (0.01 + 0.98 * (double)(first + i) / (double)w->rays);
        memcpy(w->message + i * w->ray_bytes, &parameter, sizeof parameter);
    }
}

static void trace_set(Work *w, int64_t count)
{
    double spent[SHELLS] = {0};
    COMPUTE(w->run, 0)
    {
        for (int64_t i = 0; i < count; i++) {
            double parameter;
            memcpy(&parameter, w->message + i * w->ray_bytes, sizeof parameter);
            w->seconds += trace(w->shells, parameter, spent).seconds;
        }
        for (int64_t i = 0; i < SHELLS; i++)
            w->mesh[i % w->cells] += spent[i];
    }
}

/* Answers each call for work with a set, until there is none left. Who calls is asked first:
 * receives from any source do not end between hosts in MPICH 5.0.2 with UCX. */
static void hand_out(Work *w)
{
    int64_t first = 0;
    for (int working = w->run->ranks - 1; working > 0;) {
        MPI_Status status;
        MPI_Probe(MPI_ANY_SOURCE, ANY_RAY, w->run->comm, &status);
        MPI_Recv(NULL, 0, MPI_BYTE, status.MPI_SOURCE, ANY_RAY, w->run->comm, &status);
        const int64_t left = w->rays - first, count = left < w->set ? left : w->set;
        fill_set(w, first, count);
        MPI_Send(w->message, (int)(count * w->ray_bytes), MPI_BYTE, status.MPI_SOURCE,
                 count ? ANY_RAY : NO_MORE, w->run->comm);
        working -= count == 0;
        first += count;
    }
}

static void work_off(Work *w)
{
    for (;;) {
        MPI_Status status;
        int bytes;
        MPI_Send(NULL, 0, MPI_BYTE, 0, ANY_RAY, w->run->comm);
        MPI_Recv(w->message, (int)(w->set * w->ray_bytes), MPI_BYTE, 0, MPI_ANY_TAG, w->run->comm,
                 &status);
        if (status.MPI_TAG == NO_MORE)
            return;
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        trace_set(w, bytes / w->ray_bytes);
        w->traced[w->run->rank] += bytes / w->ray_bytes;
    }
}

/* Each rank gets its part of everybody's mesh, and returns the sum of it all. */
static double merge(Work *w)
{
    const int each = (int)(w->cells / w->run->ranks);
    double *parts = memory(w->run, sizeof(double) * (size_t)w->cells), sum = 0;
    MPI_Alltoall(w->mesh, each, MPI_DOUBLE, parts, each, MPI_DOUBLE, w->run->comm);
    COMPUTE(w->run, 1)
    {
        for (int64_t i = 0; i < w->cells; i++)
            sum += parts[i];
    }
    free(parts);
    return sum;
}

static void tell(Work *w, const double *times)
{
    AppRun *r = w->run;
    int64_t all = 0;
    for (int i = 0; i < r->ranks; i++)
        all += w->traced[i];
    check(r, "the number of rays", (double)all, (double)w->rays, 0);
    figure(r, "tracing_seconds", times[0]);
    figure(r, "merging_seconds", times[1]);
    for (int i = 1; i < r->ranks && i <= MOST_TOLD; i++) {
        char name[32];
        snprintf(name, sizeof name, "rays_of_rank_%d", i);
        figure(r, name, (double)w->traced[i]);
    }
}

static void run(AppRun *r)
{
    Work w = {.run = r, .rays = (int64_t)option(r, "rays"), .set = (int64_t)option(r, "set")};
    w.ray_bytes = (int)option(r, "ray_bytes");
    w.cells = (int64_t)(option(r, "mesh_bytes") / sizeof(double)) / r->ranks * r->ranks;
    w.message = memory(r, (size_t)(w.set * w.ray_bytes));
    w.mesh = memory(r, sizeof(double) * (size_t)w.cells);
    w.traced = memory(r, sizeof *w.traced * (size_t)r->ranks);
    check_tracing(r, w.shells);
    const double begun = begin_timed(r);
    if (r->rank == 0)
        hand_out(&w);
    else
        work_off(&w);
    MPI_Barrier(r->comm); /* merging begins when all rays are traced */
    const double traced = now_seconds();
    const double merged = merge(&w);
    end_timed(r, begun);
    double sums[2] = {merged, w.seconds}, all[2] = {0, 0}, times[2], longest[2];
    times[0] = traced - begun;
    times[1] = begun + r->seconds - traced;
    MPI_Reduce(sums, all, 2, MPI_DOUBLE, MPI_SUM, 0, r->comm);
    MPI_Reduce(times, longest, 2, MPI_DOUBLE, MPI_MAX, 0, r->comm);
    const long mine = (long)w.traced[r->rank];
    long *numbers = memory(r, sizeof(long) * (size_t)r->ranks);
    MPI_Gather((void *)&mine, 1, MPI_LONG, numbers, 1, MPI_LONG, 0, r->comm);
    for (int i = 0; i < r->ranks; i++)
        w.traced[i] = numbers[i];
    check(r, "the time in all cells", all[0], all[1], 1e-9);
    if (r->rank == 0)
        tell(&w, longest);
    free(numbers);
    free(w.message);
    free(w.mesh);
    free(w.traced);
}

static const char *refuses(const AppRun *r)
{
    const double set_bytes = option(r, "set") * option(r, "ray_bytes");
    if (r->ranks < 2)
        return "2 ranks or more: a master and its workers";
    if (!(option(r, "rays") >= 1 && option(r, "rays") <= 1e12 && option(r, "set") >= 1 &&
          option(r, "ray_bytes") >= sizeof(double) && set_bytes < 2e9))
        return "1 ray or more, of 8 bytes or more, in sets of less than 2 GB";
    if (!(option(r, "mesh_bytes") >= 8.0 * r->ranks && option(r, "mesh_bytes") < 16e9))
        return "a mesh of 8 bytes or more for each rank, and less than 16 GB";
    return NULL;
}

APP(ray2mesh) = {
    .description = "seismic rays: a master hands out sets, then meshes are merged",
    .options = {{"rays", 100000, "to be traced"},
                {"set", 1000, "rays handed out at once"},
                {"ray_bytes", 69, "describe a ray"},
                {"mesh_bytes", 8e6, "of a rank, merged at the end"}},
    .refuses = refuses,
    .run = run,
};
