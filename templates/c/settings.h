// What the agent's settings are, and reading them.

#ifndef SETTINGS_H
#define SETTINGS_H

#include "bindings/classifier.h"

typedef struct {
    size_t size;
    double prior_scale;
    size_t steps;
} settings_t;

// Every parameter with its default, for the agent's description; the caller's to free.
void settings_parameters(jointly_agent_types_list_parameter_t *parameters);

// Reads settings over the defaults. What is unknown, malformed or given twice is refused, never ignored: then the
// answer is false, and the failure says what is known.
bool settings_parse(const exports_jointly_agent_classification_list_setting_t *given, settings_t *settings,
                    jointly_agent_types_failure_t *failure);

#endif
