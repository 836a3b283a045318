-- The shop as it was: ids are text.
CREATE TABLE customers (
    id CHAR(36) CHARACTER SET ascii NOT NULL PRIMARY KEY,
    name VARCHAR(100) CHARACTER SET utf8mb4 NOT NULL
) ENGINE = InnoDB;
CREATE TABLE orders (
    number BIGINT NOT NULL PRIMARY KEY,
    customer_id CHAR(36) CHARACTER SET ascii NOT NULL,
    cents BIGINT NOT NULL,
    INDEX orders_by_customer (customer_id),
    CONSTRAINT orders_customer FOREIGN KEY (customer_id) REFERENCES customers (id) ON DELETE CASCADE
) ENGINE = InnoDB;
