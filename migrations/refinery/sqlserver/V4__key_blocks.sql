CREATE TABLE key_blocks (
    key_group int NOT NULL PRIMARY KEY,
    -- The first number that is not reserved.
    next_key bigint NOT NULL
);
