CREATE TABLE creation_identifiers (
    -- The order of arrival: the oldest commands are pruned first.
    arrival bigint IDENTITY(1,1) NOT NULL PRIMARY KEY,
    -- Bytes sort from the first to the last, unlike a uniqueidentifier.
    command_id binary(16) NOT NULL,
    command_name varchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
    -- NULL only within the transaction that creates the entity.
    entity_id binary(16) NULL
);

CREATE UNIQUE INDEX creation_identifiers_by_command ON creation_identifiers (command_id);
CREATE INDEX creation_identifiers_by_name ON creation_identifiers (command_name, arrival);
CREATE INDEX creation_identifiers_by_entity ON creation_identifiers (entity_id);
