CREATE TABLE invoices (
    id numeric(28,0) PRIMARY KEY,
    customer_id uuid NOT NULL REFERENCES customers (id),
    cents bigint NOT NULL
);

CREATE INDEX invoices_by_customer ON invoices (customer_id, id);
