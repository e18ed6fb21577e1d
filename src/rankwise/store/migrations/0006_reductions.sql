-- A reduction moves whole numbers: its smallest message is one of them.
ALTER TABLE benchmark ADD COLUMN reduces INTEGER NOT NULL DEFAULT 0;
-- What a launch spent on its cells; the rest is starting and ending.
ALTER TABLE launch ADD COLUMN cells_seconds REAL DEFAULT 0;
