// SplitMix64, a small generator. All randomness must come from the seed: the sandbox has no other source.

#ifndef RNG_H
#define RNG_H

#include <stdint.h>

// Any initial state is valid.
typedef struct {
    uint64_t state;
} rng_t;

// Returns the next 64 random bits.
uint64_t rng_next(rng_t *rng);

// Draws from the exponential distribution with mean 1.
double rng_exponential(rng_t *rng);

// Draws from the standard normal distribution by the Box-Muller method.
double rng_normal(rng_t *rng);

#endif
