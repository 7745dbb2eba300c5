// SplitMix64: a generator in a few lines. All randomness must come from the seed: the sandbox has no other.

#ifndef RNG_H
#define RNG_H

#include <stdint.h>

// Any state will do to start from.
typedef struct {
    uint64_t state;
} rng_t;

// The next 64 random bits.
uint64_t rng_next(rng_t *rng);

// Exponential with mean 1.
double rng_exponential(rng_t *rng);

// Standard normal, by the method of Box and Muller.
double rng_normal(rng_t *rng);

#endif
