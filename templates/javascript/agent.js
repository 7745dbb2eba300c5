/**
 * The agent `template-agent`: Bayesian logistic regression, as the modes of posteriors that a bootstrap perturbs.
 *
 * Each of a few members is the mode under its own weights of the examples (the Bayesian bootstrap) and its own draw
 * from the prior, which is what a member believes where there are no data. Draw m of the agent is member m modulo
 * `size`.
 */

import { progress } from "jointly:agent/host@0.2.0";
import { Random } from "./random.js";
import { parameters, parse } from "./settings.js";

/**
 * A logit this far below the greatest has a probability of 2e-35: never an exact zero, which would make one surprising
 * label cost an infinite loss.
 */
const MAX_GAP = 80;

export const info = {
  describe() {
    return {
      name: "template-agent",
      version: "0.1.0",
      summary: "logistic regression under the Bayesian bootstrap",
      citation: "",
      deterministic: false,
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

  sampleProbs({ rows, cols, values }, draws) {
    const { classes } = this;
    const probs = new Float32Array(draws.length * rows * classes);
    let at = 0;
    for (const draw of draws) {
      const coefficients = this.members[this.member(draw)];
      for (let t = 0; t < rows; t++, at += classes) {
        predict(coefficients, values, t * cols, cols, probs, at, classes);
      }
    }
    return probs;
  }

  canonicalDraws(draws) {
    return BigUint64Array.from(draws, (draw) => BigInt(this.member(draw)));
  }

  /** The member that a draw names; draws are 64-bit numbers, which JavaScript has as BigInt. */
  member(draw) {
    return Number(draw % BigInt(this.members.length));
  }
}

export const classification = {
  Model,

  train(task, { inputs, labels }, validation, settings, seed) {
    const values = parse(settings);
    const seeds = new Random(seed);
    const members = [];
    for (let member = 0; member < values.size; member++) {
      members.push(fit(inputs, labels, task.numClasses, values, new Random(seeds.next())));
      progress((member + 1) / values.size);
    }
    return new Model(members, task.numClasses);
  },
};

/**
 * The coefficients of one member: those of class k begin at k * (cols + 1), and the bias is the last.
 *
 * They minimise sum_i w_i * -log p(label_i | input_i) + |W - anchor|^2 / (2 * scale^2) by accelerated gradient descent,
 * whose step size and momentum follow from bounds on the curvature: there is nothing to tune.
 */
function fit({ rows, cols, values }, labels, classes, { priorScale, steps }, random) {
  const width = cols + 1;
  // Inputs have about unit variance, so that a logit varies by `prior-scale`.
  const scale = priorScale / Math.sqrt(width);
  const anchor = Float64Array.from({ length: classes * width }, () => scale * random.normal());
  const weights = Float64Array.from({ length: rows }, () => random.exponential());

  // The softmax curves by at most 1/2 along any direction of its logits.
  const least = 1 / scale ** 2;
  const squares = (i) => values.subarray(i * cols, (i + 1) * cols).reduce((sum, x) => sum + x * x, 1);
  const greatest = weights.reduce((sum, weight, i) => sum + (weight * squares(i)) / 2, least);
  const momentum = (Math.sqrt(greatest) - Math.sqrt(least)) / (Math.sqrt(greatest) + Math.sqrt(least));

  let current = anchor;
  let ahead = anchor;
  const errors = new Float64Array(classes);
  for (let step = 0; step < steps; step++) {
    const gradient = ahead.map((a, j) => least * (a - anchor[j]));
    for (let i = 0; i < rows; i++) {
      predict(ahead, values, i * cols, cols, errors, 0, classes);
      errors[labels[i]] -= 1;
      for (let k = 0; k < classes; k++) {
        const slope = weights[i] * errors[k];
        for (let j = 0; j < cols; j++) gradient[k * width + j] += slope * values[i * cols + j];
        gradient[k * width + cols] += slope;
      }
    }
    const before = current;
    current = ahead.map((a, j) => a - gradient[j] / greatest);
    ahead = current.map((c, j) => c + momentum * (c - before[j]));
  }
  if (!current.every(Number.isFinite)) throw { tag: "diverged", val: "a coefficient is not finite" };
  return current;
}

/**
 * Class probabilities at the input that begins at `from`, written from `at` on. Plain loops without a new object: the
 * engine interprets, and this is where its time goes.
 */
function predict(coefficients, values, from, cols, probs, at, classes) {
  let c = 0;
  let top = -Infinity;
  for (let k = 0; k < classes; k++) {
    let logit = 0;
    for (let j = 0; j < cols; j++) logit += coefficients[c++] * values[from + j];
    logit += coefficients[c++];
    if (logit > top) top = logit;
    probs[at + k] = logit;
  }
  let total = 0;
  for (let k = at; k < at + classes; k++) {
    const gap = probs[k] - top;
    probs[k] = Math.exp(gap < -MAX_GAP ? -MAX_GAP : gap);
    total += probs[k];
  }
  for (let k = at; k < at + classes; k++) probs[k] /= total;
}
