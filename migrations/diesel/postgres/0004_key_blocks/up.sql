CREATE TABLE key_blocks (
    key_group integer PRIMARY KEY,
    -- The first number that is not reserved.
    next_key bigint NOT NULL
);
