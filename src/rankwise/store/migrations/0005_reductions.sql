-- A reduction moves whole numbers: its smallest message is one of them.
ALTER TABLE benchmark ADD COLUMN reduces INTEGER NOT NULL DEFAULT 0;
