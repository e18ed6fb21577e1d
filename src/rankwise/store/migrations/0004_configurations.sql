-- What is measured has one identity: a configuration, stored once, by the digest of its content.
-- Launches have segments, runs have a kind and may have a parent.

CREATE TABLE configuration (
    id TEXT PRIMARY KEY,                   -- the digest of `content`: core.configuration
    implementation TEXT NOT NULL,
    content TEXT NOT NULL                  -- one JSON object: it is read whole or not at all
);

ALTER TABLE cell RENAME COLUMN profile TO label;
ALTER TABLE cell ADD COLUMN configuration TEXT NOT NULL DEFAULT '';  -- '' in runs stored before

-- What the verb that began the run needs to go on: one JSON object, read whole by that verb alone; '' if nothing.
ALTER TABLE run ADD COLUMN request TEXT NOT NULL DEFAULT '';
-- What the run found that a later one of the same verb starts from, likewise.
ALTER TABLE run ADD COLUMN result TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN parent INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN kind TEXT NOT NULL DEFAULT 'compare';
-- Until now a kind could only be seen from the command and the plan: searches planned no cells.
UPDATE run SET kind = CASE
    WHEN command_line LIKE 'rankwise bench%' THEN 'bench'
    WHEN command_line LIKE 'rankwise guidelines%' THEN 'guidelines'
    WHEN NOT EXISTS (SELECT 1 FROM cell WHERE run_id = run.id AND plan_position IS NOT NULL) THEN 'search'
    WHEN command_line LIKE 'rankwise tune%' THEN 'validation'
    ELSE 'compare'
END;

-- Which profiles a run compares is in its configurations and labels now; run_profile keeps those of earlier runs.

CREATE TABLE segment (
    launch_id INTEGER NOT NULL REFERENCES launch (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    implementation TEXT NOT NULL,
    ranks INTEGER NOT NULL,
    configuration TEXT NOT NULL,           -- '' in runs stored before
    program TEXT NOT NULL,
    PRIMARY KEY (launch_id, position)
);
INSERT INTO segment SELECT id, 0, implementation, ranks, '', '' FROM launch;

-- SQLite before 3.35 cannot drop columns: the table is made anew.
CREATE TABLE launch_new (
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used twice: a reader may hold an id while runs are deleted
    run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    status TEXT NOT NULL CHECK (status IN ('finished', 'failed', 'timed out')),
    command TEXT NOT NULL,
    started_at REAL,
    seconds REAL,
    reason TEXT NOT NULL,
    stderr_tail TEXT NOT NULL,
    oversubscribed INTEGER NOT NULL,
    yielding TEXT NOT NULL,
    clock TEXT NOT NULL,
    clock_error_seconds REAL,
    timer_resolution_seconds REAL,
    load REAL,
    steal_fraction REAL,
    stage TEXT NOT NULL DEFAULT ''         -- of a search
);
INSERT INTO launch_new (
    id, run_id, status, command, started_at, seconds, reason, stderr_tail, oversubscribed, yielding, clock,
    clock_error_seconds, timer_resolution_seconds, load, steal_fraction
) SELECT
    id, run_id, status, command, started_at, seconds, reason, stderr_tail, oversubscribed, yielding, clock,
    clock_error_seconds, timer_resolution_seconds, load, steal_fraction
FROM launch;
DROP TABLE launch;
ALTER TABLE launch_new RENAME TO launch;
CREATE INDEX launch_of_run ON launch (run_id);

-- Trials were called `STAGE: NAME`.
UPDATE launch SET stage = (
    SELECT substr(cell.label, 1, instr(cell.label, ': ') - 1)
    FROM cell
    WHERE cell.id = coalesce(
        (SELECT cell_id FROM series WHERE launch_id = launch.id LIMIT 1),
        (SELECT cell_id FROM failure WHERE launch_id = launch.id LIMIT 1)
    )
)
WHERE run_id IN (SELECT id FROM run WHERE kind = 'search')
AND EXISTS (
    SELECT 1 FROM cell
    WHERE cell.id = coalesce(
        (SELECT cell_id FROM series WHERE launch_id = launch.id LIMIT 1),
        (SELECT cell_id FROM failure WHERE launch_id = launch.id LIMIT 1)
    ) AND instr(cell.label, ': ') > 0
);
UPDATE cell SET label = substr(label, instr(label, ': ') + 2)
WHERE instr(label, ': ') > 0 AND run_id IN (SELECT id FROM run WHERE kind = 'search');
