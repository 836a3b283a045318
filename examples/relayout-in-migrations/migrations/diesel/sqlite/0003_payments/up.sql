-- Written after the change: it refers to the new column.
CREATE TABLE payments (
    number BIGINT NOT NULL PRIMARY KEY,
    customer_id BLOB NOT NULL REFERENCES customers (id_key),
    cents BIGINT NOT NULL
);
CREATE INDEX payments_by_customer ON payments (customer_id);
