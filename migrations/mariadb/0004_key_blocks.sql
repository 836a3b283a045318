CREATE TABLE key_blocks (
    key_group INT NOT NULL PRIMARY KEY,
    -- The first number that nobody has reserved.
    next_key BIGINT NOT NULL
) ENGINE = InnoDB;
