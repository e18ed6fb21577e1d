-- What carried the messages of a launch that verified data, as the library told; '' in others and in earlier ones.
ALTER TABLE launch ADD COLUMN transports TEXT NOT NULL DEFAULT '';
