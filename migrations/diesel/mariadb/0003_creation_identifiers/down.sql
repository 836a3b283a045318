DROP TABLE creation_identifiers;
