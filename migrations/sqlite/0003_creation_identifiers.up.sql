CREATE TABLE creation_identifiers (
    -- The order of arrival: the oldest commands are pruned first.
    arrival INTEGER PRIMARY KEY AUTOINCREMENT,
    command_id BLOB NOT NULL UNIQUE,
    command_name TEXT NOT NULL,
    -- NULL only within the transaction that creates the entity.
    entity_id BLOB NULL
) STRICT;

CREATE INDEX creation_identifiers_by_name ON creation_identifiers (command_name, arrival);
CREATE INDEX creation_identifiers_by_entity ON creation_identifiers (entity_id);
