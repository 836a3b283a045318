-- Written after the change: it refers to the new column.
CREATE TABLE payments (
    number BIGINT NOT NULL PRIMARY KEY,
    customer_id BINARY(16) NOT NULL,
    cents BIGINT NOT NULL,
    INDEX payments_by_customer (customer_id),
    CONSTRAINT payments_customer FOREIGN KEY (customer_id) REFERENCES customers (id_key)
) ENGINE = InnoDB;
