-- Testbeds with a network of their own: what was asked for, what was measured, what the kernel said of it.

ALTER TABLE cell ADD COLUMN congestion_control TEXT NOT NULL DEFAULT '';
ALTER TABLE cell ADD COLUMN messages INTEGER NOT NULL DEFAULT 200;

-- One JSON object: it is read whole or not at all. NULL where there is no network to describe.
ALTER TABLE run ADD COLUMN topology TEXT;

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
