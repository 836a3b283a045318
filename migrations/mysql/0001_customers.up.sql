CREATE TABLE customers (
    id BINARY(16) NOT NULL PRIMARY KEY,
    name VARCHAR(200) CHARACTER SET utf8mb4 NOT NULL,
    referred_by BINARY(16) NULL,
    FOREIGN KEY (referred_by) REFERENCES customers (id)
) ENGINE = InnoDB;
