/* FT: a diffusion equation solved by a 3-D Fourier transform, which transposes between all ranks.
 * A rank has planes across z of what is real, and planes across y of what is transformed. */
#include "app.h"
#include "fourier.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 5, MAX_ITERATIONS = 20, SAMPLES = 1024 };
static const double alpha = 1e-6, pi = 3.14159265358979323846;

typedef struct {
    int x, y, z, iterations;
    Complex sums[MAX_ITERATIONS];
} Problem;
static const Problem problems[CLASSES] = {
    {64,
     64,
     64,
     6,
     {{554.6087004964, 484.5363331978},
      {554.6385409189, 486.5304269511},
      {554.6148406171, 488.3910722336},
      {554.5423607415, 490.1273169046},
      {554.4255039624, 491.7475857993},
      {554.2683411902, 493.2597244941}}},
    {128,
     128,
     32,
     6,
     {{567.3612178944, 529.3246849175},
      {563.1436885271, 528.2149986629},
      {559.4024089970, 527.0996558037},
      {556.0698047020, 526.0027904925},
      {553.0898991250, 524.9400845633},
      {550.4159734538, 523.9212247086}}},
    {256,
     256,
     128,
     6,
     {{504.6735008193, 511.4047905510},
      {505.9412319734, 509.8809666433},
      {506.9376896287, 509.8144042213},
      {507.7892868474, 510.1336130759},
      {508.5233095391, 510.4914655194},
      {509.1487099959, 510.7917842803}}},
    {512, 256, 256, 20, {{517.7643571579, 507.7803458597}, {515.4521291263, 508.8249431599},
                         {514.6409228649, 509.6208912659}, {514.2378756213, 510.1023387619},
                         {513.9626667737, 510.3976610617}, {513.7423460082, 510.5948019802},
                         {513.5547056878, 510.7404165783}, {513.3910925466, 510.8576573661},
                         {513.2470705390, 510.9577278523}, {513.1197729984, 511.0460304483},
                         {513.0070319283, 511.1252433800}, {512.9070537032, 511.1968077718},
                         {512.8182883502, 511.2616233064}, {512.7393733383, 511.3203605551},
                         {512.6691062020, 511.3735928093}, {512.6064276004, 511.4218460548},
                         {512.5504076570, 511.4656139760}, {512.5002331720, 511.5053595966},
                         {512.4551951846, 511.5415130407}, {512.4146770029, 511.5744692211}}},
    {512, 512, 512, 20, {{519.5078707457, 514.9019699238}, {515.5422171134, 512.7578201997},
                         {514.4678022222, 512.2251847514}, {514.0150594328, 512.1090289018},
                         {513.7550426810, 512.1143685824}, {513.5811056728, 512.1496764568},
                         {513.4569343165, 512.1870921893}, {513.3651975661, 512.2193250322},
                         {513.2955192805, 512.2454735794}, {513.2410471738, 512.2663649603},
                         {513.1971141679, 512.2830879827}, {513.1605205716, 512.2965869718},
                         {513.1290734194, 512.3075927445}, {513.1012720314, 512.3166486553},
                         {513.0760908195, 512.3241541685}, {513.0528295923, 512.3304037599},
                         {513.0310107773, 512.3356167976}, {513.0103090133, 512.3399592211},
                         {512.9905029333, 512.3435588985}, {512.9714421109, 512.3465164008}}},
};

typedef struct {
    AppRun *run;
    const Problem *problem;
    int planes_z, planes_y;        /* of this rank, in the two layouts */
    size_t size;                   /* of an array, in numbers */
    Complex *state, *work, *other; /* transformed; both of them at work */
    Complex roots[MAX_WIDTH];
    double decay[3][MAX_WIDTH]; /* in one step, by frequency along x, y and z */
} Field;

static void make_decay(double *decay, int width)
{
    for (int i = 0; i < width; i++) {
        const double frequency = i < width / 2 ? i : i - width;
        decay[i] = exp(-4 * alpha * pi * pi * frequency * frequency);
    }
}

static void prepare(Field *f)
{
    const Problem *p = f->problem = &problems[class_number(f->run)];
    f->planes_z = p->z / f->run->ranks;
    f->planes_y = p->y / f->run->ranks;
    f->size = (size_t)p->x * (size_t)p->y * (size_t)f->planes_z;
    f->state = memory(f->run, sizeof(Complex) * f->size);
    f->work = memory(f->run, sizeof(Complex) * f->size);
    f->other = memory(f->run, sizeof(Complex) * f->size);
    make_roots(f->roots);
    make_decay(f->decay[0], p->x);
    make_decay(f->decay[1], p->y);
    make_decay(f->decay[2], p->z);
}

static void fill_with_random(Field *f)
{
    uint64_t state = UINT64_C(314159265) *
                     nas_power(NAS_MULTIPLIER, 2 * (uint64_t)f->size * (uint64_t)f->run->rank);
    state &= NAS_MODULUS - 1;
    for (size_t i = 0; i < f->size; i++) {
        f->work[i].re = nas_random(&state, NAS_MULTIPLIER);
        f->work[i].im = nas_random(&state, NAS_MULTIPLIER);
    }
}

static void transform_x_and_y(const Field *f, int sign)
{
    const size_t x = (size_t)f->problem->x, y = (size_t)f->problem->y;
    for (size_t plane = 0; plane < (size_t)f->planes_z; plane++) {
        Complex *start = f->work + plane * x * y;
        for (size_t i = 0; i < y; i++)
            transform(f->roots, start + i * x, 1, (int)x, sign);
        for (size_t i = 0; i < x; i++)
            transform(f->roots, start + i, x, (int)y, sign);
    }
}

static void transform_z(const Field *f, Complex *array, int sign)
{
    const size_t lines = (size_t)f->planes_y * (size_t)f->problem->x, z = (size_t)f->problem->z;
    for (size_t i = 0; i < lines; i++)
        transform(f->roots, array + i * z, 1, (int)z, sign);
}

static void to_all(Field *f, Complex *from, Complex *to)
{
    const int each = (int)(2 * f->size / (size_t)f->run->ranks);
    MPI_Alltoall(from, each, MPI_DOUBLE, to, each, MPI_DOUBLE, f->run->comm);
}

/* Between planes [z][y][x] and blocks of a rank's y, each [z][y of the rank][x]. */
static void copy_planes(const Field *f, Complex *planes, Complex *blocks, bool out)
{
    const size_t run = (size_t)f->planes_y * (size_t)f->problem->x;
    for (size_t rank = 0; rank < (size_t)f->run->ranks; rank++)
        for (size_t z = 0; z < (size_t)f->planes_z; z++) {
            Complex *plane = planes + (z * (size_t)f->run->ranks + rank) * run;
            Complex *block = blocks + (rank * (size_t)f->planes_z + z) * run;
            memcpy(out ? block : plane, out ? plane : block, sizeof(Complex) * run);
        }
}

/* Between columns [y][x][z] and blocks of a rank's z: together [z][y][x]. */
static void copy_columns(const Field *f, Complex *columns, Complex *blocks, bool out)
{
    const size_t run = (size_t)f->planes_y * (size_t)f->problem->x, z = (size_t)f->problem->z;
    for (size_t i = 0; i < run; i++)
        for (size_t k = 0; k < z; k++)
            if (out)
                blocks[k * run + i] = columns[i * z + k];
            else
                columns[i * z + k] = blocks[k * run + i];
}

/* From work, in planes of z, to state, in planes of y. */
static void transform_forward(Field *f)
{
    COMPUTE(f->run, 0)
    {
        transform_x_and_y(f, 1);
        copy_planes(f, f->work, f->other, true);
    }
    to_all(f, f->other, f->work);
    COMPUTE(f->run, 1)
    {
        copy_columns(f, f->state, f->work, false);
        transform_z(f, f->state, 1);
    }
}

/* From work, in planes of y, to work in planes of z. */
static void transform_back(Field *f)
{
    COMPUTE(f->run, 1)
    {
        transform_z(f, f->work, -1);
        copy_columns(f, f->work, f->other, true);
    }
    to_all(f, f->other, f->work);
    COMPUTE(f->run, 0)
    {
        memcpy(f->other, f->work, sizeof(Complex) * f->size);
        copy_planes(f, f->work, f->other, false);
        transform_x_and_y(f, -1);
    }
}

static void evolve(Field *f)
{
    const Problem *p = f->problem;
    size_t i = 0;
    for (int y = 0; y < f->planes_y; y++)
        for (int x = 0; x < p->x; x++) {
            const double decay = f->decay[1][f->run->rank * f->planes_y + y] * f->decay[0][x];
            for (int z = 0; z < p->z; z++, i++) {
                f->state[i].re *= decay * f->decay[2][z];
                f->state[i].im *= decay * f->decay[2][z];
                f->work[i] = f->state[i];
            }
        }
}

/* The mean of some of the numbers, on rank 0. */
static Complex sample(const Field *f)
{
    const Problem *p = f->problem;
    const double total = (double)p->x * p->y * p->z;
    double sum[2] = {0, 0}, all[2] = {0, 0};
    for (int i = 1; i <= SAMPLES; i++) {
        const int x = i % p->x, y = 3 * i % p->y, z = 5 * i % p->z - f->run->rank * f->planes_z;
        if (z < 0 || z >= f->planes_z)
            continue;
        const Complex one =
            f->work[((size_t)z * (size_t)p->y + (size_t)y) * (size_t)p->x + (size_t)x];
        sum[0] += one.re / total;
        sum[1] += one.im / total;
    }
    MPI_Reduce(sum, all, 2, MPI_DOUBLE, MPI_SUM, 0, f->run->comm);
    return (Complex){all[0], all[1]};
}

static void run(AppRun *r)
{
    Field f = {.run = r};
    Complex sums[MAX_ITERATIONS];
    prepare(&f);
    fill_with_random(&f);
    transform_forward(&f); /* untimed: pages and connections are there afterwards */
    const double begun = begin_timed(r);
    fill_with_random(&f);
    transform_forward(&f);
    for (int i = 0; i < f.problem->iterations; i++) {
        COMPUTE(r, 2)
        {
            evolve(&f);
        }
        transform_back(&f);
        sums[i] = sample(&f);
    }
    end_timed(r, begun);
    const double total = (double)f.size * r->ranks, doublings = log(total);
    r->operations = total * (14.8157 + 7.19641 * doublings +
                             f.problem->iterations * (5.23518 + 7.21113 * doublings));
    for (int i = 0; i < f.problem->iterations; i++) {
        check(r, "a checksum's real part", sums[i].re, f.problem->sums[i].re, 1e-12);
        check(r, "a checksum's imaginary part", sums[i].im, f.problem->sums[i].im, 1e-12);
    }
    free(f.state);
    free(f.work);
    free(f.other);
}

static const char *refuses(const AppRun *r)
{
    static const char *const most[CLASSES] = {"1, 2, 4 ... 64 ranks", "1, 2, 4 ... 32 ranks",
                                              "1, 2, 4 ... 128 ranks", "1, 2, 4 ... 256 ranks",
                                              "1, 2, 4 ... 512 ranks"};
    const Problem *p = &problems[class_number(r)];
    return is_power_of_two(r->ranks) && r->ranks <= p->z ? NULL : most[class_number(r)];
}

APP(ft) = {
    .description = "3-D Fourier transforms: long Alltoall",
    .class_names = "SWABC",
    .refuses = refuses,
    .run = run,
};
