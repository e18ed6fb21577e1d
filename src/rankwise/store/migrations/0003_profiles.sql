-- The profiles whose settings a run's launches load; `default` is none.

CREATE TABLE run_profile (
    run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    folder TEXT NOT NULL,
    PRIMARY KEY (run_id, position)
);
