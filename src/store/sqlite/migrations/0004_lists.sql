-- For lists by queue and by worker: one that is rare is found among any number of others.
CREATE INDEX task_route ON task (route_id, id);
CREATE INDEX ending_worker ON ending (worker_id, task_id) WHERE worker_id IS NOT NULL;
