const MASK = 2n ** 64n - 1n;

/**
 * SplitMix64. All randomness must come from the seed: Math.random starts from the state it had at the build.
 */
export class Random {
  /** @param {bigint} seed */
  constructor(seed) {
    this.state = seed;
  }

  /** Returns the next 64 random bits. */
  next() {
    this.state = (this.state + 0x9e3779b97f4a7c15n) & MASK;
    let z = this.state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK;
    return z ^ (z >> 31n);
  }

  /** Draws uniformly from [0, 1). */
  uniform() {
    return Number(this.next() >> 11n) / 2 ** 53;
  }

  /** Draws from the exponential distribution with mean 1. */
  exponential() {
    return -Math.log(1 - this.uniform());
  }

  /** Draws from the standard normal distribution by the Box-Muller method. */
  normal() {
    const radius = Math.sqrt(2 * this.exponential());
    return radius * Math.cos(2 * Math.PI * this.uniform());
  }
}
