-- Written after the change: it refers to the new column.
CREATE TABLE payments (
    number BIGINT NOT NULL PRIMARY KEY,
    customer_id UUID NOT NULL,
    cents BIGINT NOT NULL,
    CONSTRAINT payments_customer FOREIGN KEY (customer_id) REFERENCES customers (id_key)
);
CREATE INDEX payments_by_customer ON payments (customer_id);
