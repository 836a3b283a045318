CREATE TABLE invoices (
    id DECIMAL(28,0) NOT NULL PRIMARY KEY,
    customer_id BINARY(16) NOT NULL,
    cents BIGINT NOT NULL,
    INDEX invoices_by_customer (customer_id, id),
    FOREIGN KEY (customer_id) REFERENCES customers (id)
) ENGINE = InnoDB;
