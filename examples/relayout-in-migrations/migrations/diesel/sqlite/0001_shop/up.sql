-- The shop as it was: ids are text.
CREATE TABLE customers (
    id CHAR(36) NOT NULL PRIMARY KEY,
    name VARCHAR(100) NOT NULL
);
CREATE TABLE orders (
    number BIGINT NOT NULL PRIMARY KEY,
    customer_id CHAR(36) NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
    cents BIGINT NOT NULL
);
CREATE INDEX orders_by_customer ON orders (customer_id);
