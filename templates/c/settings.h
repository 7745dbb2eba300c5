// The agent's settings and their parser.

#ifndef SETTINGS_H
#define SETTINGS_H

#include "bindings/classifier.h"

typedef struct {
    size_t size;
    double prior_scale;
    size_t steps;
} settings_t;

// Lists every parameter with its default, for the agent's description; the caller frees the list.
void settings_parameters(jointly_agent_types_list_parameter_t *parameters);

// Reads settings over the defaults. If a setting is unknown, malformed or given twice, returns false with a failure
// that lists the known settings; no setting is ignored.
bool settings_parse(const exports_jointly_agent_classification_list_setting_t *given, settings_t *settings,
                    jointly_agent_types_failure_t *failure);

#endif
