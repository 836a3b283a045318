CREATE TABLE invoices (
    id decimal(28,0) NOT NULL PRIMARY KEY,
    customer_id uniqueidentifier NOT NULL REFERENCES customers (id),
    cents bigint NOT NULL
);

CREATE INDEX invoices_by_customer ON invoices (customer_id, id);
