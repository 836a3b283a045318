CREATE TABLE invoices (
    -- All 28 digits: a column called DECIMAL would round them.
    id TEXT NOT NULL PRIMARY KEY,
    customer_id BLOB NOT NULL REFERENCES customers (id),
    cents INTEGER NOT NULL
) STRICT;

CREATE INDEX invoices_by_customer ON invoices (customer_id, id);
