-- Real columns, one row a record; sequences inside a record are tables of their own, ordered by `position`.
-- Column names are the fields' names in core/records.py, which rows.py relies on.
-- A float that is not a number is stored as NULL (SQLite has no NaN), so REAL columns may be NULL.

CREATE TABLE run (
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used twice, also after a deletion
    created_at REAL NOT NULL,
    command_line TEXT NOT NULL,
    testbed TEXT NOT NULL,
    baseline TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('running', 'complete', 'interrupted')),
    stopped_because TEXT NOT NULL DEFAULT '',
    owner_host TEXT NOT NULL,
    owner_process TEXT NOT NULL,           -- core.process.identity of who measures it
    owner_since REAL NOT NULL,
    seed TEXT NOT NULL,                    -- decimal: may exceed 64 bits
    time_budget_seconds REAL,
    precision REAL,
    min_launches INTEGER NOT NULL,
    max_launches INTEGER NOT NULL,
    verify INTEGER NOT NULL,
    seconds_per_cell REAL,
    launch_limit_seconds REAL,
    topology TEXT,                         -- one JSON object; NULL where there is no network to describe
    request TEXT NOT NULL,                 -- what the verb needs to go on: one JSON object, or ''
    result TEXT NOT NULL DEFAULT '',       -- what a later run of the same verb starts from, likewise
    parent INTEGER NOT NULL,
    kind TEXT NOT NULL,
    verify_first INTEGER NOT NULL
);

CREATE TABLE launcher_argument (
    run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    argument TEXT NOT NULL,
    PRIMARY KEY (run_id, position)
);

CREATE TABLE implementation (
    run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    family TEXT NOT NULL,
    version TEXT NOT NULL,
    prefix TEXT NOT NULL,
    mpicc TEXT NOT NULL,
    mpiexec TEXT NOT NULL,
    source TEXT NOT NULL,
    library_version TEXT NOT NULL,
    mpi_standard TEXT NOT NULL,
    abi TEXT NOT NULL,
    status TEXT NOT NULL,
    reason TEXT NOT NULL,
    remedy TEXT NOT NULL,
    PRIMARY KEY (run_id, position),
    UNIQUE (run_id, id)
);

CREATE TABLE implementation_transport (
    run_id INTEGER NOT NULL,
    implementation TEXT NOT NULL,
    position INTEGER NOT NULL,
    transport TEXT NOT NULL,
    PRIMARY KEY (run_id, implementation, position),
    FOREIGN KEY (run_id, implementation) REFERENCES implementation (run_id, id) ON DELETE CASCADE
);

CREATE TABLE implementation_environment (
    run_id INTEGER NOT NULL,
    implementation TEXT NOT NULL,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (run_id, implementation, position),
    FOREIGN KEY (run_id, implementation) REFERENCES implementation (run_id, id) ON DELETE CASCADE
);

CREATE TABLE benchmark (
    run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    category TEXT NOT NULL,
    description TEXT NOT NULL,
    supported INTEGER NOT NULL,
    reason TEXT NOT NULL,
    sized INTEGER NOT NULL,
    min_ranks INTEGER NOT NULL,
    even_ranks INTEGER NOT NULL,
    derived_types INTEGER NOT NULL,
    one_clock INTEGER NOT NULL,
    reduces INTEGER NOT NULL,              -- moves whole numbers: its smallest message is one of them
    in_place INTEGER NOT NULL,
    groups INTEGER NOT NULL,
    PRIMARY KEY (run_id, position)
);

-- Provenance: read when the run begins, and again whenever it is resumed.
CREATE TABLE fact (
    run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    moment INTEGER NOT NULL,               -- 0: begin, 1: first resumption, ...
    position INTEGER NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (run_id, moment, position)
);

-- What a launch loads, stored once, by the digest of its content.
CREATE TABLE configuration (
    id TEXT PRIMARY KEY,                   -- the digest of `content`: core.configuration
    implementation TEXT NOT NULL,
    content TEXT NOT NULL                  -- one JSON object
);

-- Every cell that the run knows of; `plan_position` is NULL for one that was never planned (unsupported).
-- Distinct within a run, which store.py ensures.
CREATE TABLE cell (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    plan_position INTEGER,
    implementation TEXT NOT NULL,
    benchmark TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    ranks INTEGER NOT NULL,
    label TEXT NOT NULL,
    testbed TEXT NOT NULL,
    placement TEXT NOT NULL,
    datatype TEXT NOT NULL,
    layout TEXT NOT NULL,
    operation TEXT NOT NULL,
    root TEXT NOT NULL,
    cold_cache INTEGER NOT NULL,
    window INTEGER NOT NULL,
    congestion_control TEXT NOT NULL,
    messages INTEGER NOT NULL,
    configuration TEXT NOT NULL,           -- '' where a launch loads nothing
    polls INTEGER NOT NULL,
    target TEXT NOT NULL,
    in_place INTEGER NOT NULL,
    groups INTEGER NOT NULL,
    threads INTEGER NOT NULL,
    sync TEXT NOT NULL,
    topology TEXT NOT NULL,
    folder TEXT NOT NULL
);
CREATE INDEX cell_of_run ON cell (run_id);

CREATE TABLE launch (
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used twice: a reader may hold an id while runs are deleted
    run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    status TEXT NOT NULL CHECK (status IN ('finished', 'failed', 'timed out')),
    command TEXT NOT NULL,
    started_at REAL,
    seconds REAL,
    reason TEXT NOT NULL,
    stderr TEXT NOT NULL,
    oversubscribed INTEGER NOT NULL,
    yielding TEXT NOT NULL,
    clock TEXT NOT NULL,
    clock_error_seconds REAL,
    timer_resolution_seconds REAL,
    load REAL,
    steal_fraction REAL,
    stage TEXT NOT NULL,                   -- of a search
    verifying INTEGER NOT NULL,            -- looked at data, timed nothing
    timer_cost_seconds REAL,
    cells_seconds REAL,                    -- spent on its cells; the rest is starting and ending
    transports TEXT NOT NULL,              -- what carried the messages of one that verified data
    stdout TEXT NOT NULL                   -- shortened in the middle where it is long; so is stderr
);
CREATE INDEX launch_of_run ON launch (run_id);

CREATE TABLE segment (
    launch_id INTEGER NOT NULL REFERENCES launch (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    implementation TEXT NOT NULL,
    ranks INTEGER NOT NULL,
    configuration TEXT NOT NULL,
    program TEXT NOT NULL,
    PRIMARY KEY (launch_id, position)
);

CREATE TABLE launch_environment (
    launch_id INTEGER NOT NULL REFERENCES launch (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (launch_id, position)
);

-- The MPI libraries and transports that the ranks of a launch had loaded, seen from outside.
CREATE TABLE launch_library (
    launch_id INTEGER NOT NULL REFERENCES launch (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    path TEXT NOT NULL,
    version TEXT NOT NULL,
    PRIMARY KEY (launch_id, position)
);

CREATE TABLE series (
    launch_id INTEGER NOT NULL REFERENCES launch (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    cell_id INTEGER NOT NULL REFERENCES cell (id) ON DELETE CASCADE,
    quantity TEXT NOT NULL,
    bytes_per_sample REAL,
    batch INTEGER NOT NULL,
    discarded INTEGER NOT NULL,
    samples_seconds BLOB NOT NULL,         -- float64, little-endian, in the order measured
    start TEXT NOT NULL,
    messages_per_operation INTEGER NOT NULL,
    PRIMARY KEY (launch_id, position)
);
CREATE INDEX series_of_cell ON series (cell_id);

-- Cells whose data a launch checked and found right.
CREATE TABLE verified (
    launch_id INTEGER NOT NULL REFERENCES launch (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    cell_id INTEGER NOT NULL REFERENCES cell (id) ON DELETE CASCADE,
    PRIMARY KEY (launch_id, position)
);
CREATE INDEX verified_of_cell ON verified (cell_id);

-- launch_id is NULL for what failed before any launch.
CREATE TABLE failure (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    launch_id INTEGER REFERENCES launch (id) ON DELETE CASCADE,
    cell_id INTEGER NOT NULL REFERENCES cell (id) ON DELETE CASCADE,
    reason TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('failed', 'unsupported', 'wrong data'))
);
CREATE INDEX failure_of_cell ON failure (cell_id);
CREATE INDEX failure_of_launch ON failure (launch_id);
CREATE INDEX failure_of_run ON failure (run_id);

-- launch_id is NULL for a notice about the run as a whole.
CREATE TABLE notice (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    launch_id INTEGER REFERENCES launch (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    message TEXT NOT NULL,
    remedy TEXT NOT NULL
);
CREATE INDEX notice_of_launch ON notice (launch_id);
CREATE INDEX notice_of_run ON notice (run_id);

-- The paths between nodes, as measured in this run; a figure that was not measured is NULL.
CREATE TABLE path (
    run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    source TEXT NOT NULL,
    destination TEXT NOT NULL,
    asked_delay_seconds REAL,
    delay_seconds REAL,
    delay_p99_seconds REAL,
    asked_rate_bits_per_second REAL,
    rate_bits_per_second REAL,
    asked_loss REAL,
    loss REAL,
    PRIMARY KEY (run_id, position)
);

-- What went over each direction of each link during a launch.
CREATE TABLE link_counters (
    launch_id INTEGER NOT NULL REFERENCES launch (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    link TEXT NOT NULL,
    packets INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    dropped_packets INTEGER NOT NULL,
    lost_packets INTEGER NOT NULL,
    queue_high_water_bytes INTEGER NOT NULL,
    PRIMARY KEY (launch_id, position)
);

-- How well the link emulator kept its times; launches without one have no row.
CREATE TABLE emulator (
    launch_id INTEGER PRIMARY KEY REFERENCES launch (id) ON DELETE CASCADE,
    cpu_fraction REAL,
    delivered_packets INTEGER NOT NULL,
    lateness_p50_seconds REAL,
    lateness_p99_seconds REAL,
    lateness_max_seconds REAL,
    realtime INTEGER NOT NULL
);

CREATE TABLE timeline (
    launch_id INTEGER NOT NULL REFERENCES launch (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    cell_id INTEGER NOT NULL REFERENCES cell (id) ON DELETE CASCADE,
    quantity TEXT NOT NULL,
    times_seconds BLOB NOT NULL,           -- float64, little-endian, one a moment; so are the values
    "values" BLOB NOT NULL,
    PRIMARY KEY (launch_id, position)
);
CREATE INDEX timeline_of_cell ON timeline (cell_id);
