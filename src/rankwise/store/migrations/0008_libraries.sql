-- The MPI libraries and transports that the ranks of a launch had loaded, seen from outside.
CREATE TABLE launch_library (
    launch_id INTEGER NOT NULL REFERENCES launch (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    path TEXT NOT NULL,
    version TEXT NOT NULL,
    PRIMARY KEY (launch_id, position)
);
