#include "settings.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE, PRIOR_SCALE, STEPS, PARAMETERS };

static const struct {
    const char *name, *default_value, *summary;
} parameters[PARAMETERS] = {
    [SIZE] = {"size", "20", "number of members"},
    [PRIOR_SCALE] = {"prior-scale", "3", "standard deviation of a logit before any data"},
    [STEPS] = {"steps", "100", "most steps to the mode of a member"},
};

static const char COUNT[] = ": expected a whole number of at least 1";
static const char POSITIVE[] = ": expected a number above 0";

// Longer texts are not parsed as numbers.
enum { LONGEST_NUMBER = 63 };

void settings_parameters(jointly_agent_types_list_parameter_t *list) {
    list->len = PARAMETERS;
    list->ptr = calloc(PARAMETERS, sizeof *list->ptr);
    if (!list->ptr) abort();
    for (size_t i = 0; i < PARAMETERS; i++) {
        classifier_string_dup(&list->ptr[i].name, parameters[i].name);
        classifier_string_dup(&list->ptr[i].default_value, parameters[i].default_value);
        classifier_string_dup(&list->ptr[i].summary, parameters[i].summary);
    }
}

// Strings of the interface are not zero-terminated.
static classifier_string_t text_of(const char *text) {
    return (classifier_string_t){(uint8_t *)text, strlen(text)};
}

static void append(classifier_string_t *text, classifier_string_t more) {
    text->ptr = realloc(text->ptr, text->len + more.len + 1);
    if (!text->ptr) abort();
    memcpy(text->ptr + text->len, more.ptr, more.len);
    text->len += more.len;
}

// Writes a failure from the texts, a list that ends with an empty one, followed by the known settings.
static bool refuse(jointly_agent_types_failure_t *failure, const classifier_string_t *texts) {
    classifier_string_t reason = {0};
    for (; texts->ptr; texts++) append(&reason, *texts);
    for (size_t i = 0; i < PARAMETERS; i++) {
        append(&reason, text_of(i == 0 ? "; known: " : ", "));
        append(&reason, text_of(parameters[i].name));
        append(&reason, text_of("="));
        append(&reason, text_of(parameters[i].default_value));
    }
    failure->tag = JOINTLY_AGENT_TYPES_FAILURE_INVALID_SETTING;
    failure->val.invalid_setting = reason;
    return false;
}

static bool equal(classifier_string_t a, classifier_string_t b) {
    return a.len == b.len && memcmp(a.ptr, b.ptr, a.len) == 0;
}

// Parses a text that consists of the given characters and is a number as a whole; returns NaN otherwise. C itself
// accepts more, such as 0x2.
static double number(classifier_string_t text, const char *characters) {
    char copy[LONGEST_NUMBER + 1] = {0};
    if (text.len == 0 || text.len > LONGEST_NUMBER) return NAN;
    memcpy(copy, text.ptr, text.len);
    if (strspn(copy, characters) != text.len) return NAN;
    char *end;
    double value = strtod(copy, &end);
    return end == copy + text.len ? value : NAN;
}

bool settings_parse(const exports_jointly_agent_classification_list_setting_t *given, settings_t *settings,
                    jointly_agent_types_failure_t *failure) {
    classifier_string_t values[PARAMETERS];
    bool stated[PARAMETERS] = {false};
    for (size_t i = 0; i < PARAMETERS; i++) values[i] = text_of(parameters[i].default_value);
    for (size_t j = 0; j < given->len; j++) {
        classifier_string_t name = given->ptr[j].name;
        size_t i = 0;
        while (i < PARAMETERS && !equal(name, text_of(parameters[i].name))) i++;
        if (i == PARAMETERS) {
            return refuse(failure, (classifier_string_t[]){text_of("there is no "), name, {0}});
        }
        if (stated[i]) {
            return refuse(failure, (classifier_string_t[]){name, text_of(" is given twice"), {0}});
        }
        stated[i] = true;
        values[i] = given->ptr[j].value;
    }

    double numbers[PARAMETERS];
    for (size_t i = 0; i < PARAMETERS; i++) {
        bool count = i != PRIOR_SCALE;
        numbers[i] = number(values[i], count ? "0123456789" : "0123456789+-.eE");
        if (!(numbers[i] > 0 && numbers[i] < (count ? UINT32_MAX : INFINITY))) {
            return refuse(failure, (classifier_string_t[]){text_of(parameters[i].name), text_of("="), values[i],
                                                           text_of(count ? COUNT : POSITIVE), {0}});
        }
    }
    *settings = (settings_t){(size_t)numbers[SIZE], numbers[PRIOR_SCALE], (size_t)numbers[STEPS]};
    return true;
}
