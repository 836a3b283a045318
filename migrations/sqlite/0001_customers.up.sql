CREATE TABLE customers (
    id BLOB NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    referred_by BLOB NULL REFERENCES customers (id)
) STRICT;
