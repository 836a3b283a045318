CREATE TABLE creation_identifiers (
    -- The order of arrival: the oldest commands are pruned first.
    arrival BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    command_id BINARY(16) NOT NULL,
    command_name VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    -- NULL only within the transaction that creates the entity.
    entity_id BINARY(16) NULL,
    UNIQUE INDEX creation_identifiers_by_command (command_id),
    INDEX creation_identifiers_by_name (command_name, arrival),
    INDEX creation_identifiers_by_entity (entity_id)
) ENGINE = InnoDB;
