#include "rng.h"

#include <math.h>

static const double TWO_PI = 6.283185307179586;

uint64_t rng_next(rng_t *rng) {
    uint64_t z = rng->state += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

// Draws uniformly from [0, 1).
static double uniform(rng_t *rng) {
    return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

double rng_exponential(rng_t *rng) {
    return -log(1 - uniform(rng));
}

double rng_normal(rng_t *rng) {
    double radius = sqrt(2 * rng_exponential(rng));
    return radius * cos(TWO_PI * uniform(rng));
}
