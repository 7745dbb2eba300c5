"""Train the network of the agent pfn on problems of the testbed's own distribution, and write its weights.

    python train.py --out src/weights.bin --example src/example.json

needs numpy and jax, and took half an hour on one core of two. Every `--save-every` steps it writes `--state`,
from which a later call with the same options goes on. `src/lib.rs` says what the network computes; `src/example.json`
holds one of its inputs and outputs, with which a test compares the agent.

Each line that it prints has three numbers for each size of training sets: the loss of a label, in nats above the
entropy of the true probabilities, in groups of ten and alone; and the norm of the gradient.
"""

import argparse
import hashlib
import json
import math
import pathlib
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import log_ndtr, ndtr, ndtri

jax.config.update("jax_enable_x64", True)
# With it, the factorisations of a step can deadlock (jax 0.10).
jax.config.update("jax_cpu_enable_async_dispatch", False)

# What `src/network.rs` reads, in its order.
WIDTH, HEADS, DEPTH, FEATURES = 64, 4, 4, 6
HEAD = WIDTH // HEADS
# The variance of a standard normal that is truncated at two standard deviations.
VARIANCE = 0.773741
HIDDEN = 50
DIM = 100
QUERIES, GROUP, DRAWS = 60, 10, 64
# The standard deviation of the normal noise whose distribution function is closest to the logistic one, within .0095.
PROBIT = 1.702
# Most examples, tasks in a batch, share of the steps.
BUCKETS = [(16, 64, 0.25), (64, 32, 0.3), (256, 10, 0.3), (1024, 2, 0.15)]


def arccos(c, a, b):
    """E[max(u, 0) max(v, 0)] of normals with the variances a and b and the covariance c."""
    root = jnp.sqrt(a * b)
    cosine = jnp.clip(c / root, -1.0, 1.0)
    return (root * jnp.sqrt(jnp.maximum(1.0 - cosine**2, 0.0)) + c * (jnp.pi - jnp.arccos(cosine))) / (2 * jnp.pi)


def kernel(x, y, dim):
    """The covariance of the difference of the two logits, times the temperature, at the rows of x and y."""
    c = (VARIANCE * x @ y.T + 1.0) / dim
    a = (VARIANCE * (x**2).sum(1) + 1.0)[:, None] / dim
    b = (VARIANCE * (y**2).sum(1) + 1.0)[None, :] / dim
    return 2.0 * VARIANCE * arccos(VARIANCE * arccos(c, a, b), VARIANCE * a / 2, VARIANCE * b / 2)


def initial(key):
    """Draws the parameters: a list of arrays in the order of the file; those of the layers have a row a layer."""
    keys = iter(jax.random.split(key, 100))

    def dense(inputs, outputs, scale=1.0, depth=()):
        weights = scale / math.sqrt(inputs) * jax.random.normal(next(keys), (*depth, inputs, outputs), jnp.float32)
        return [weights, jnp.zeros((*depth, outputs), jnp.float32)]

    # Of each head: the weight of the distance, of its square and of the correlation.
    by = dense(WIDTH, 3 * HEADS, 0.1, (DEPTH,))
    start = np.repeat(4.0 ** np.arange(HEADS), 3) * np.tile([1.0, 4.0, 0.0], HEADS)
    by[1] += jnp.asarray(start, jnp.float32)
    return [
        *dense(FEATURES, WIDTH),
        *dense(WIDTH, 3 * WIDTH, 1.0, (DEPTH,)),  # queries, keys, values
        *by,
        *dense(WIDTH, HEAD, 1.0, (DEPTH,)),  # values that are added up by correlation
        *dense(WIDTH + HEAD, WIDTH, 0.5, (DEPTH,)),
        *dense(WIDTH, 2 * WIDTH, 1.0, (DEPTH,)),
        *dense(2 * WIDTH, WIDTH, 0.5, (DEPTH,)),
        *dense(WIDTH, 2, 0.1),
        *dense(WIDTH, 1, 0.1),
    ]


def normalised(h):
    return (h - h.mean(-1, keepdims=True)) / jnp.sqrt(h.var(-1, keepdims=True) + 1e-5)


def bounded(value, least, most):
    """Bends a number into a range, with a slope that is 1 in its middle and nowhere 0."""
    half = (most - least) / 2
    return (most + least) / 2 + half * jnp.tanh((value - (most + least) / 2) / half)


def features(fraction, counts, mask, own, dim, temperature):
    total = mask.sum()
    own = jnp.where(mask, own, 1.0)
    mean = jnp.where(mask, own, 0.0).sum() / total
    shared = jnp.array([jnp.log(temperature) / 2, jnp.log(dim) / 2, jnp.log(total) / 4])
    return jnp.stack(
        [fraction, jnp.log(counts) / 4, *jnp.broadcast_to(shared[:, None], (3, len(own))), 2 * jnp.log(own / mean)],
        axis=1,
    ).astype(jnp.float32)


def sites(parameters, fraction, counts, mask, gram, dim, temperature):
    """Gives every example a pseudo-observation: its mean and variance; and the factor of the kernel."""
    gram = gram.astype(jnp.float32)
    own = jnp.diagonal(gram)
    root = jnp.sqrt(own)
    correlation = jnp.clip(gram / (root[:, None] * root[None, :]), -1.0, 1.0)
    square = 2.0 * (1.0 - correlation)
    distance = jnp.sqrt(jnp.maximum(square, 1e-12))
    total = mask.sum().astype(jnp.float32)
    added = jnp.where(mask[None, :], correlation, 0.0) / jnp.sqrt(total)

    def layer(h, p):
        p = iter(p)

        def dense(h):
            return h @ next(p) + next(p)

        g = normalised(h)
        query, key, value = dense(g).reshape(-1, 3, HEADS, HEAD).transpose(1, 2, 0, 3)
        by = dense(g).reshape(-1, HEADS, 3).transpose(2, 1, 0)[..., None]
        score = query @ key.transpose(0, 2, 1) / math.sqrt(HEAD)
        score = score - (by[0] * distance + by[1] * square - by[2] * correlation)
        heads = jax.nn.softmax(jnp.where(mask, score, -1e30), axis=2) @ value
        summed = added @ dense(g)
        h = h + dense(jnp.concatenate([heads.transpose(1, 0, 2).reshape(len(h), WIDTH), summed], axis=1))
        hidden = jax.nn.relu(dense(normalised(h)))
        return h + dense(hidden), None

    h = features(fraction, counts, mask, own, dim, temperature) @ parameters[0] + parameters[1]
    h, _ = jax.lax.scan(layer, h, parameters[2:-4])
    g = normalised(h)
    out = g @ parameters[-4] + parameters[-3]
    mean = root * (fraction + 2.0 * out[:, 0])
    variance = own * jnp.exp(bounded(2.0 * out[:, 1], -11.0, 8.0))
    pooled = jnp.where(mask[:, None], g, 0.0).sum(0) / total
    amplitude = jnp.exp(bounded(0.5 * (pooled @ parameters[-2] + parameters[-1])[0], -1.0, 1.0))
    return mean, variance, amplitude


def posterior(parameters, task):
    """The mean and covariance of the logit differences at the queries, times the temperature."""
    x, query, fraction, counts, mask, dim, temperature = task[:7]
    gram = kernel(x, x, dim)
    mean, variance, amplitude = sites(parameters, fraction, counts, mask, gram, dim, temperature)
    both = mask[:, None] & mask[None, :]
    gram = jnp.where(both, amplitude * gram, 0.0).astype(jnp.float64)
    factor = jnp.linalg.cholesky(gram + jnp.diag(jnp.where(mask, variance, 1.0).astype(jnp.float64)))
    cross = (jnp.where(mask[None, :], kernel(query, x, dim), 0.0) * amplitude).astype(jnp.float64)
    solved = jax.scipy.linalg.solve_triangular(factor, cross.T, lower=True)
    target = jax.scipy.linalg.solve_triangular(factor, jnp.where(mask, mean, 0.0).astype(jnp.float64), lower=True)
    prior = (amplitude * kernel(query, query, dim)).astype(jnp.float64)
    return solved.T @ target, prior - solved.T @ solved


def log_orthant(mean, covariance, noise):
    """Estimates the logarithm of the probability that normal values with independent noise are all positive.

    The sequential sampler of Geweke, Hajivassiliou and Keane: each value is drawn given that it and those before it are
    positive, and the probabilities of that are multiplied. Plain Monte Carlo, which counts, is far too low where the
    signs are nearly certain given the values. `noise` are uniform numbers, a row for each draw.
    """
    factor = jnp.linalg.cholesky(covariance)

    def one(noise):
        def next_value(values, row):
            weights, center, scale, uniform, at = row
            bound = jnp.clip((center + weights @ values) / scale, -35.0, 35.0)
            value = -ndtri(uniform * ndtr(bound))
            return values.at[at].set(value), log_ndtr(bound)

        at = jnp.arange(GROUP)
        rows = (jnp.tril(factor, -1), mean, jnp.diagonal(factor), noise, at)
        return jax.lax.scan(next_value, jnp.zeros(GROUP), rows)[1].sum()

    return jax.nn.logsumexp(jax.vmap(one)(noise)) - jnp.log(len(noise))


def loss(parameters, task, key):
    """The negative log-likelihood of a label, alone and in groups of ten that are judged jointly.

    A label is the sign of the logit difference plus noise, taken as normal in place of logistic.
    """
    mean, covariance = posterior(parameters, task)
    temperature, probability, places, labels = task[6:]
    noise = (PROBIT * temperature.astype(jnp.float64)) ** 2
    bound = mean / jnp.sqrt(jnp.diagonal(covariance) + noise)
    alone = probability * log_ndtr(bound) + (1 - probability) * log_ndtr(-bound)

    def group(places, labels, key):
        signs = 2.0 * labels - 1.0
        own = covariance[places[:, None], places[None, :]] * signs[:, None] * signs[None, :]
        uniform = jax.random.uniform(key, (DRAWS, GROUP), minval=1e-12)
        return log_orthant(signs * mean[places], own + noise * jnp.eye(GROUP), uniform)

    jointly = jax.vmap(group)(places, labels, jax.random.split(key, len(places))) / GROUP
    return -alone.mean() - jointly.mean(), -alone.mean()


def problem(rng, most):
    """Draws a problem with between most / 4 + 1 (or 1) and `most` examples, padded to `most`."""
    dim = rng.choice([2, 10, 100, round(np.exp(rng.uniform(np.log(0.6), np.log(DIM))))], p=[0.5, 0.15, 0.1, 0.25])
    listed, between = rng.choice([0.01, 0.1, 0.5]), np.exp(rng.uniform(np.log(0.01), np.log(0.5)))
    temperature = listed if rng.random() < 0.6 else between
    least = 1 if most == BUCKETS[0][0] else most // 4 + 1
    size = round(np.exp(rng.uniform(np.log(least - 0.49), np.log(most + 0.49))))
    inputs = np.zeros((most + QUERIES, DIM), np.float32)
    inputs[:, :dim] = rng.standard_normal((most + QUERIES, dim))

    def truncated(*shape):
        values = rng.standard_normal(shape)
        while (outside := np.abs(values) > 2).any():
            values[outside] = rng.standard_normal(outside.sum())
        return values / math.sqrt(shape[0])

    biases = rng.standard_normal(HIDDEN) / math.sqrt(dim)
    hidden = np.maximum(inputs[:, :dim] @ truncated(dim, HIDDEN) + biases, 0)
    logits = np.maximum(hidden @ truncated(HIDDEN, HIDDEN), 0) @ truncated(HIDDEN, 2)
    probability = 1 / (1 + np.exp(-(logits[:, 1] - logits[:, 0]) / temperature))
    # Labels for an input: mostly one, otherwise up to ten thousand, as a bandit has them.
    counts = np.ones(most)
    if rng.random() < 0.2:
        counts = np.round(np.exp(rng.random(most) * rng.uniform(0, np.log(10000))))
    fraction = 2 * rng.binomial(counts.astype(int), probability[:most]) / counts - 1
    # Groups of ten inputs with a label each, and groups of two inputs with five labels each.
    wide = rng.random((QUERIES // GROUP, 1)) < 0.6
    spread = np.arange(QUERIES).reshape(-1, GROUP)
    places = np.where(wide, spread, spread[:, :1] + np.arange(GROUP) % 2)
    targets = probability[most:]
    labels = (rng.random(places.shape) < targets[places]).astype(float)
    floats = [np.float32(value) for value in (inputs[:most], inputs[most:], fraction, counts)]
    return *floats, np.arange(most) < size, np.float32(dim), np.float32(temperature), targets, places, labels


def problems(rng, most, size):
    return tuple(np.stack(values) for values in zip(*(problem(rng, most) for _ in range(size)), strict=True))


def batch_loss(parameters, tasks, keys):
    total, alone = jax.vmap(loss, (None, 0, 0))(parameters, tasks, keys)
    p = jnp.clip(tasks[7], 1e-12, 1 - 1e-12)
    entropy = -(p * jnp.log(p) + (1 - p) * jnp.log1p(-p)).mean()
    return total.mean(), (total.mean() - alone.mean() - entropy, alone.mean() - entropy)


@jax.jit
def step(parameters, moments, key, rate, at, tasks):
    """One step of Adam, its gradient cut to a norm of one; none if the gradient is not finite."""
    keys = jax.random.split(key, len(tasks[0]))
    (_, losses), gradient = jax.value_and_grad(batch_loss, has_aux=True)(parameters, tasks, keys)
    norm = jnp.sqrt(sum((g**2).sum() for g in gradient))
    finite = jnp.isfinite(norm)
    gradient = [g * jnp.minimum(1.0, 1.0 / norm) for g in gradient]
    by = rate * jnp.sqrt(1 - 0.99**at) / (1 - 0.9**at)

    def moved(p, m, v, g):
        m_new, v_new = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g**2
        new = (p - by * m_new / (jnp.sqrt(v_new) + 1e-8), m_new, v_new)
        return [jnp.where(finite, value, old).astype(jnp.float32) for value, old in zip(new, (p, m, v), strict=True)]

    every = [moved(*values) for values in zip(parameters, *moments, gradient, strict=True)]
    parameters, *moments = ([values[i] for values in every] for i in range(3))
    return parameters, tuple(moments), (*losses, norm)


def example(parameters):
    """One input of the network and what it answers, in plain numbers."""
    size, dim = 9, 3
    x, query = np.split(np.random.default_rng(2).standard_normal((size + 4, dim)).round(3), [size])
    fraction, counts = jnp.array([-1, 1, 1, -1, 0.5, 1, -1, -0.2, 1.0]), jnp.array([1, 1, 1, 1, 4, 1, 1, 10, 30.0])
    mask = jnp.ones(size, bool)
    task = (jnp.asarray(x), jnp.asarray(query), fraction, counts, mask, float(dim), 0.1)
    mean, variance, amplitude = sites(parameters, *task[2:5], kernel(task[0], task[0], float(dim)), *task[5:])
    function_mean, covariance = posterior(parameters, task)
    plain = {
        "dim": dim, "temperature": 0.1, "inputs": x, "queries": query, "fraction": fraction, "counts": counts,
        "site_mean": mean, "site_variance": variance, "amplitude": amplitude,
        "mean": function_mean, "covariance": covariance,
    }  # fmt: skip
    return {name: np.asarray(value, np.float64).tolist() for name, value in plain.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=3000, help="steps of Adam (default 3000)")
    parser.add_argument("--rate", type=float, default=1e-3, help="largest step size (default 1e-3)")
    parser.add_argument("--seed", type=int, default=0, help="of the problems and the initial weights (default 0)")
    parser.add_argument("--save-every", type=int, default=200, help="steps between two states (default 200)")
    parser.add_argument("--state", type=pathlib.Path, default="state.npz", help="file from which training goes on")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="file of the weights")
    parser.add_argument("--example", type=pathlib.Path, required=True, help="file of an input and its outputs")
    options = parser.parse_args()

    key = jax.random.key(options.seed)
    parameters = initial(jax.random.fold_in(key, 0))
    moments = tuple([jnp.zeros_like(p) for p in parameters] for _ in range(2))
    script = hashlib.sha256(pathlib.Path(__file__).read_bytes()).hexdigest()
    told = json.dumps([options.steps, options.rate, options.seed, script])
    done = 0
    if options.state.exists():
        with np.load(options.state) as state:
            if str(state["options"]) != told:
                parser.error(f"{options.state} is of other options or another script; name another file")
            done = int(state["done"])
            kept = [[jnp.asarray(state[f"{kind}{i}"]) for i in range(len(parameters))] for kind in "pmv"]
            parameters, moments = kept[0], (kept[1], kept[2])
    share = np.array([share for _, _, share in BUCKETS])
    began, sums = time.monotonic(), {}
    for at in range(done, options.steps):
        rng = np.random.default_rng([options.seed, at])
        most, size, _ = BUCKETS[rng.choice(len(BUCKETS), p=share)]
        rate = options.rate * min(1.0, (at + 1) / 100) * 0.5 * (1 + np.cos(np.pi * at / options.steps))
        own = jax.random.fold_in(key, at + 1)
        parameters, moments, values = step(parameters, moments, own, rate, at + 1.0, problems(rng, most, size))
        sums.setdefault(most, []).append([float(value) for value in values])
        if (at + 1) % options.save_every == 0 or at + 1 == options.steps:
            print(f"step {at + 1}, {time.monotonic() - began:.0f} s; jointly, alone, norm:", end="")
            for most, values in sorted(sums.items()):
                print(f"  {most}:", *(f"{mean:.4f}" for mean in np.nanmean(values, axis=0)), end="")
            lost = sum(not math.isfinite(norm) for values in sums.values() for *_, norm in values)
            print(f"  {lost} not finite" if lost else "", flush=True)
            if lost > 0.01 * options.save_every + 1:
                raise SystemExit(f"{lost} of {options.save_every} steps had a gradient that is not finite")
            sums = {}
            named = zip("pmv", (parameters, *moments), strict=True)
            arrays = {f"{kind}{i}": value for kind, values in named for i, value in enumerate(values)}
            # The old state stays until the new one is whole.
            temporary = options.state.with_suffix(".new.npz")
            np.savez(temporary, done=at + 1, options=told, **arrays)
            temporary.replace(options.state)
    flat = np.concatenate([np.asarray(p, np.float32).ravel() for p in parameters])
    options.out.write_bytes(flat.astype("<f4").tobytes())
    options.example.write_text(json.dumps(example(parameters)) + "\n")
    print(f"wrote {len(flat)} weights to {options.out}")


if __name__ == "__main__":
    main()
