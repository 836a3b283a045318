CREATE TABLE creation_identifiers (
    -- The order of arrival: the oldest commands are pruned first.
    arrival bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    command_id uuid NOT NULL UNIQUE,
    command_name varchar(100) COLLATE "C" NOT NULL,
    -- NULL only within the transaction that creates the entity.
    entity_id uuid NULL
);

CREATE INDEX creation_identifiers_by_name ON creation_identifiers (command_name, arrival);
CREATE INDEX creation_identifiers_by_entity ON creation_identifiers (entity_id);
