#pragma once

// Conditions that limit what is read to some queues. `queues` is a JSON array of their names.

/// Whether a job with this definition belongs to no other queue.
#define HOLDFAST_DEFINITION_IN(definition, queues)                                 \
    "(SELECT d.queues <> '[]' AND NOT EXISTS (SELECT 1 FROM json_each(d.queues) x" \
    " WHERE x.value NOT IN (SELECT value FROM json_each(" queues                   \
    "))) FROM workflow_definition d WHERE d.id = " definition ")"

/// Whether a line of history belongs to one of them, or else is about a job that belongs to no other queue.
#define HOLDFAST_EVENT_IN(queues)                                                                         \
    "CASE WHEN event.queue IS NOT NULL THEN event.queue IN (SELECT value FROM json_each(" queues          \
    ")) WHEN event.task_id IS NOT NULL THEN 0 ELSE EXISTS (SELECT 1 FROM job j WHERE j.id = event.job_id" \
    " AND " HOLDFAST_DEFINITION_IN("j.definition_id", queues) ") END"

/// The routes to them.
#define HOLDFAST_ROUTES_TO(queues) \
    "(SELECT r.id FROM route r WHERE r.queue IN (SELECT value FROM json_each(" queues ")))"
