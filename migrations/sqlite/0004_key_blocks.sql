CREATE TABLE key_blocks (
    key_group INTEGER PRIMARY KEY,
    -- The first number that nobody has reserved.
    next_key INTEGER NOT NULL
) STRICT;
