CREATE TABLE key_blocks (
    key_group INTEGER PRIMARY KEY,
    -- The first number that is not reserved.
    next_key INTEGER NOT NULL
) STRICT;
