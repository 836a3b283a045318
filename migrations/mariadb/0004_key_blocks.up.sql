CREATE TABLE key_blocks (
    key_group INT NOT NULL PRIMARY KEY,
    -- The first number that is not reserved.
    next_key BIGINT NOT NULL
) ENGINE = InnoDB;
