/**
 * The agent `template-agent`: Bayesian logistic regression with an ensemble of modes of bootstrapped posteriors.
 *
 * Each member is the mode of the posterior under its own weights of the examples (the Bayesian bootstrap) and its own
 * draw from the prior, which the member falls back to where there are no data. Draw m of the agent is member m modulo
 * `size`.
 */

import { progress } from "jointly:agent/host@0.3.0";
import { Random } from "./random.js";
import { parameters, parse } from "./settings.js";

/**
 * A logit this far below the greatest has a probability of 2e-35. It is never exactly zero, which would give a single
 * example with that label an infinite loss.
 */
const MAX_GAP = 80;

/** The largest distance of a member from its mode at which fitting stops, in standard deviations of the prior. */
const TOLERANCE = 1e-6;

export const info = {
  describe() {
    return {
      name: "template-agent",
      version: "0.1.0",
      summary: "logistic regression under the Bayesian bootstrap",
      citation: "",
      deterministic: false,
      tokens: false,
      unlabelled: false,
      parameters,
      sweeps: [],
    };
  },
};

class Model {
  constructor(members, classes) {
    this.members = members;
    this.classes = classes;
  }

  sampleProbs({ numbers: { rows, cols, values } }, draws) {
    const { classes } = this;
    const probs = new Float32Array(draws.length * rows * classes);
    const row = new Float64Array(classes);
    let at = 0;
    for (const draw of draws) {
      const coefficients = this.members[this.member(draw)];
      for (let t = 0; t < rows; t++, at += classes) {
        predict(coefficients, values, t * cols, cols, row, 0, classes);
        probs.set(row, at);
      }
    }
    return probs;
  }

  canonicalDraws(draws) {
    return BigUint64Array.from(draws, (draw) => BigInt(this.member(draw)));
  }

  /** Returns the member that a draw names; draws are 64-bit numbers, BigInt in JavaScript. */
  member(draw) {
    return Number(draw % BigInt(this.members.length));
  }
}

export const classification = {
  Model,

  train(task, { inputs, labels }, validation, unlabelled, settings, seed) {
    const values = parse(settings);
    const seeds = new Random(seed);
    const members = [];
    for (let member = 0; member < values.size; member++) {
      members.push(fit(inputs.numbers, labels, task.numClasses, values, new Random(seeds.next())));
      progress((member + 1) / values.size);
    }
    return new Model(members, task.numClasses);
  },
};

/**
 * Finds the coefficients of one member: those of class k begin at k * (cols + 1); the last one is the bias.
 *
 * They minimise sum_i w_i * -log p(label_i | input_i) + |W - anchor|^2 / (2 * scale^2) by conjugate gradients. The step
 * length follows from a bound: if a step of 1 changes the difference of two logits of an example by at most `spread`, a
 * step of t changes the curvature along it by a factor of at most e^(spread * t). So a step of
 * log1p(spread * newton) / spread always descends, and close to the mode it is Newton's step. There is nothing to tune.
 */
function fit({ rows, cols, values }, labels, classes, { priorScale, steps }, random) {
  const width = cols + 1;
  // Inputs have about unit variance, so a logit has a standard deviation of about `prior-scale`.
  const scale = priorScale / Math.sqrt(width);
  const least = 1 / scale / scale;
  const anchor = Float64Array.from({ length: classes * width }, () => scale * random.normal());
  const weights = Float64Array.from({ length: rows }, () => random.exponential());
  const probs = new Float64Array(rows * classes);
  const along = new Float64Array(classes);

  let current = anchor;
  let before = new Float64Array(classes * width);
  let direction = before;
  let squaresBefore = Infinity;
  for (let step = 0; step < steps; step++) {
    const gradient = current.map((c, j) => least * (c - anchor[j]));
    for (let i = 0; i < rows; i++) {
      predict(current, values, i * cols, cols, probs, i * classes, classes);
      for (let k = 0; k < classes; k++) {
        const slope = weights[i] * (probs[i * classes + k] - (k === labels[i] ? 1 : 0));
        for (let j = 0; j < cols; j++) gradient[k * width + j] += slope * values[i * cols + j];
        gradient[k * width + cols] += slope;
      }
    }
    // The prior alone has a curvature of `least`, which bounds the distance to the mode.
    const squares = dot(gradient, gradient);
    if (Math.sqrt(squares) * scale <= TOLERANCE) break;

    const turn = Math.max(0, (squares - dot(gradient, before)) / squaresBefore);
    direction = direction.map((d, j) => turn * d - gradient[j]);
    let descent = -dot(direction, gradient);
    if (descent <= 0) {
      direction = gradient.map((g) => -g);
      descent = squares;
    }
    before = gradient;
    squaresBefore = squares;

    let curvature = least * dot(direction, direction);
    let spread = 0;
    for (let i = 0; i < rows; i++) {
      logits(direction, values, i * cols, cols, along, 0, classes);
      let mean = 0;
      let low = Infinity;
      let high = -Infinity;
      for (let k = 0; k < classes; k++) {
        mean += probs[i * classes + k] * along[k];
        if (along[k] < low) low = along[k];
        if (along[k] > high) high = along[k];
      }
      for (let k = 0; k < classes; k++) curvature += weights[i] * probs[i * classes + k] * (along[k] - mean) ** 2;
      if (high - low > spread) spread = high - low;
    }
    const newton = descent / curvature;
    const length = spread > 0 ? Math.log1p(spread * newton) / spread : newton;
    current = current.map((c, j) => c + length * direction[j]);
  }
  if (!current.every(Number.isFinite)) throw { tag: "diverged", val: "a coefficient is not finite" };
  return current;
}

function dot(a, b) {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j] * b[j];
  return sum;
}

/**
 * Computes the logit of each class at the input that begins at `from` and writes them from `at` on. Plain loops that
 * allocate no object: the engine interprets the code, and most of its time is spent here.
 */
function logits(coefficients, values, from, cols, out, at, classes) {
  let c = 0;
  for (let k = at; k < at + classes; k++) {
    let logit = 0;
    for (let j = 0; j < cols; j++) logit += coefficients[c++] * values[from + j];
    out[k] = logit + coefficients[c++];
  }
}

/** Computes the class probabilities at that input in the same way. */
function predict(coefficients, values, from, cols, probs, at, classes) {
  logits(coefficients, values, from, cols, probs, at, classes);
  let top = -Infinity;
  for (let k = at; k < at + classes; k++) if (probs[k] > top) top = probs[k];
  let total = 0;
  for (let k = at; k < at + classes; k++) {
    const gap = probs[k] - top;
    probs[k] = Math.exp(gap < -MAX_GAP ? -MAX_GAP : gap);
    total += probs[k];
  }
  for (let k = at; k < at + classes; k++) probs[k] /= total;
}
