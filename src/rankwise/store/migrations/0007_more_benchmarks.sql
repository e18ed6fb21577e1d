-- What the benchmarks of groups of ranks, threads, synchronisations, topologies and files add to the options.

ALTER TABLE cell ADD COLUMN in_place INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cell ADD COLUMN groups INTEGER NOT NULL DEFAULT 1;
ALTER TABLE cell ADD COLUMN threads INTEGER NOT NULL DEFAULT 1;
ALTER TABLE cell ADD COLUMN sync TEXT NOT NULL DEFAULT 'flush';
ALTER TABLE cell ADD COLUMN topology TEXT NOT NULL DEFAULT 'cartesian';
ALTER TABLE cell ADD COLUMN folder TEXT NOT NULL DEFAULT '';
ALTER TABLE benchmark ADD COLUMN in_place INTEGER NOT NULL DEFAULT 0;
ALTER TABLE benchmark ADD COLUMN groups INTEGER NOT NULL DEFAULT 1;
