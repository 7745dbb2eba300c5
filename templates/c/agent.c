// The agent `template-agent`: Bayesian logistic regression with an ensemble of modes of bootstrapped posteriors.
//
// Each member is the mode of the posterior under its own weights of the examples (the Bayesian bootstrap) and its own
// draw from the prior, which the member falls back to where there are no data. Draw m of the agent is member m modulo
// `size`.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/classifier.h"
#include "rng.h"
#include "settings.h"

typedef exports_jointly_agent_classification_task_t task_t;
typedef exports_jointly_agent_classification_dataset_t dataset_t;
typedef exports_jointly_agent_classification_inputs_t inputs_t;
typedef jointly_agent_types_failure_t failure_t;
typedef exports_jointly_agent_classification_model_t model_t;

// A logit this far below the greatest has a probability of 2e-35. It is never exactly zero, which would give a single
// example with that label an infinite loss.
static const double MAX_GAP = 80;

// The largest distance of a member from its mode at which fitting stops, in standard deviations of the prior.
static const double TOLERANCE = 1e-6;

// A trained agent. The coefficients of class k of member m begin at (m * classes + k) * width; the last one is the
// bias.
struct exports_jointly_agent_classification_model_t {
    size_t members, classes, width;
    double *coefficients;
};

// Traps when memory runs out; the host reports the trap.
static void *allocate(size_t count, size_t size) {
    void *block = calloc(count ? count : 1, size);
    if (!block) abort();
    return block;
}

static double *numbers(size_t count) {
    return allocate(count, sizeof(double));
}

static double dot(const double *a, const double *b, size_t count) {
    double sum = 0;
    for (size_t c = 0; c < count; c++) sum += a[c] * b[c];
    return sum;
}

// Computes the logit of each class at an input.
static void logits(const double *coefficients, const float *input, size_t classes, size_t width, double *out) {
    for (size_t k = 0; k < classes; k++) {
        const double *line = coefficients + k * width;
        double logit = 0;
        for (size_t j = 0; j + 1 < width; j++) logit += line[j] * input[j];
        out[k] = logit + line[width - 1];
    }
}

// Computes the class probabilities at an input.
static void predict(const double *coefficients, const float *input, size_t classes, size_t width, double *probs) {
    double top = -INFINITY, total = 0;
    logits(coefficients, input, classes, width, probs);
    for (size_t k = 0; k < classes; k++) top = fmax(top, probs[k]);
    for (size_t k = 0; k < classes; k++) {
        probs[k] = exp(fmax(probs[k] - top, -MAX_GAP));
        total += probs[k];
    }
    for (size_t k = 0; k < classes; k++) probs[k] /= total;
}

// Finds the coefficients of one member; returns false if they are not finite.
//
// They minimise sum_i w_i * -log p(label_i | input_i) + |W - anchor|^2 / (2 * scale^2) by conjugate gradients. The
// step length follows from a bound: if a step of 1 changes the difference of two logits of an example by at most
// `spread`, a step of t changes the curvature along it by a factor of at most e^(spread * t). So a step of
// log1p(spread * newton) / spread always descends, and close to the mode it is Newton's step. There is nothing to
// tune.
static bool fit(const dataset_t *data, size_t classes, size_t width, const settings_t *settings, rng_t rng,
                double *current) {
    size_t examples = data->labels.len, cols = width - 1, count = classes * width;
    const float *inputs = data->inputs.numbers.values.ptr;
    double *anchor = numbers(count), *gradient = numbers(count), *before = numbers(count), *direction = numbers(count);
    double *weights = numbers(examples), *probs = numbers(examples * classes), *along = numbers(classes);

    // Inputs have about unit variance, so a logit has a standard deviation of about `prior-scale`.
    double scale = settings->prior_scale / sqrt((double)width), least = 1 / scale / scale;
    for (size_t c = 0; c < count; c++) current[c] = anchor[c] = scale * rng_normal(&rng);
    for (size_t i = 0; i < examples; i++) weights[i] = rng_exponential(&rng);

    double squares_before = INFINITY;
    for (size_t step = 0; step < settings->steps; step++) {
        for (size_t c = 0; c < count; c++) gradient[c] = least * (current[c] - anchor[c]);
        for (size_t i = 0; i < examples; i++) {
            const float *input = inputs + i * cols;
            double *p = probs + i * classes;
            predict(current, input, classes, width, p);
            for (size_t k = 0; k < classes; k++) {
                double slope = weights[i] * (p[k] - (k == data->labels.ptr[i])), *line = gradient + k * width;
                for (size_t j = 0; j < cols; j++) line[j] += slope * input[j];
                line[cols] += slope;
            }
        }
        // The prior alone has a curvature of `least`, which bounds the distance to the mode.
        double squares = dot(gradient, gradient, count);
        if (sqrt(squares) * scale <= TOLERANCE) break;

        double turn = fmax(0, (squares - dot(gradient, before, count)) / squares_before);
        for (size_t c = 0; c < count; c++) direction[c] = turn * direction[c] - gradient[c];
        double descent = -dot(direction, gradient, count);
        if (descent <= 0) {
            for (size_t c = 0; c < count; c++) direction[c] = -gradient[c];
            descent = squares;
        }
        memcpy(before, gradient, count * sizeof(double));
        squares_before = squares;

        double curvature = least * dot(direction, direction, count), spread = 0;
        for (size_t i = 0; i < examples; i++) {
            const double *p = probs + i * classes;
            logits(direction, inputs + i * cols, classes, width, along);
            double mean = dot(p, along, classes), low = INFINITY, high = -INFINITY;
            for (size_t k = 0; k < classes; k++) {
                curvature += weights[i] * p[k] * (along[k] - mean) * (along[k] - mean);
                low = fmin(low, along[k]);
                high = fmax(high, along[k]);
            }
            spread = fmax(spread, high - low);
        }
        double newton = descent / curvature, length = spread > 0 ? log1p(spread * newton) / spread : newton;
        for (size_t c = 0; c < count; c++) current[c] += length * direction[c];
    }

    bool finite = true;
    for (size_t c = 0; c < count; c++) finite = finite && isfinite(current[c]);
    free(anchor), free(gradient), free(before), free(direction), free(weights), free(probs), free(along);
    return finite;
}

static uint64_t member_of(const model_t *model, uint64_t draw) {
    return draw % model->members;
}

// The functions that the bindings call. They free their arguments; the bindings free the contents of `ret` and `err`.

void exports_jointly_agent_info_describe(jointly_agent_types_description_t *ret) {
    memset(ret, 0, sizeof *ret);
    classifier_string_dup(&ret->name, "template-agent");
    classifier_string_dup(&ret->version, "0.1.0");
    classifier_string_dup(&ret->summary, "logistic regression under the Bayesian bootstrap");
    settings_parameters(&ret->parameters);
}

bool exports_jointly_agent_classification_train(task_t *task, dataset_t *train, dataset_t *maybe_validation,
                                                inputs_t *maybe_unlabelled,
                                                exports_jointly_agent_classification_list_setting_t *settings,
                                                uint64_t seed,
                                                exports_jointly_agent_classification_own_model_t *ret, failure_t *err) {
    settings_t values;
    bool done = settings_parse(settings, &values, err);
    if (done) {
        size_t classes = task->num_classes, width = task->input_dim + 1, count = classes * width;
        model_t *model = allocate(1, sizeof *model);
        *model = (model_t){values.size, classes, width, allocate(values.size, count * sizeof(double))};
        rng_t seeds = {seed};
        for (size_t m = 0; done && m < values.size; m++) {
            rng_t rng = {rng_next(&seeds)};
            done = fit(train, classes, width, &values, rng, model->coefficients + m * count);
            jointly_agent_host_progress((float)(m + 1) / (float)values.size);
        }
        if (done) {
            *ret = exports_jointly_agent_classification_model_new(model);
        } else {
            err->tag = JOINTLY_AGENT_TYPES_FAILURE_DIVERGED;
            classifier_string_dup(&err->val.diverged, "a coefficient is not finite");
            exports_jointly_agent_classification_model_destructor(model);
        }
    }
    exports_jointly_agent_classification_task_free(task);
    exports_jointly_agent_classification_dataset_free(train);
    if (maybe_validation) exports_jointly_agent_classification_dataset_free(maybe_validation);
    if (maybe_unlabelled) exports_jointly_agent_classification_inputs_free(maybe_unlabelled);
    exports_jointly_agent_classification_list_setting_free(settings);
    return done;
}

bool exports_jointly_agent_classification_method_model_sample_probs(model_t *self, inputs_t *inputs,
                                                                    classifier_list_u64_t *draws,
                                                                    classifier_list_f32_t *ret, failure_t *err) {
    (void)err;
    size_t classes = self->classes, width = self->width, rows = inputs->numbers.rows;
    ret->len = draws->len * rows * classes;
    ret->ptr = allocate(ret->len, sizeof *ret->ptr);
    double *probs = numbers(classes);
    float *out = ret->ptr;
    for (size_t m = 0; m < draws->len; m++) {
        const double *coefficients = self->coefficients + member_of(self, draws->ptr[m]) * classes * width;
        for (size_t t = 0; t < rows; t++) {
            predict(coefficients, inputs->numbers.values.ptr + t * inputs->numbers.cols, classes, width, probs);
            for (size_t k = 0; k < classes; k++) *out++ = (float)probs[k];
        }
    }
    free(probs);
    exports_jointly_agent_classification_inputs_free(inputs);
    classifier_list_u64_free(draws);
    return true;
}

void exports_jointly_agent_classification_method_model_canonical_draws(model_t *self, classifier_list_u64_t *draws,
                                                                       classifier_list_u64_t *ret) {
    // Writes the answer into the memory of the draws.
    for (size_t m = 0; m < draws->len; m++) draws->ptr[m] = member_of(self, draws->ptr[m]);
    *ret = *draws;
}

void exports_jointly_agent_classification_model_destructor(model_t *model) {
    free(model->coefficients);
    free(model);
}
