-- MySQL and MariaDB; MySQL before 8.0.16 takes checks and does not check.
CREATE TABLE customers (
    id BINARY(16) NOT NULL PRIMARY KEY,
    name VARCHAR(200) CHARACTER SET utf8mb4 NOT NULL,
    CHECK (name <> ''),
    -- Group and number of a LUUID are its first eight bytes: no two customers have the same number.
    UNIQUE INDEX customers_by_number (id(8))
) ENGINE = InnoDB;

CREATE TABLE booking_offers (
    id BINARY(16) NOT NULL PRIMARY KEY,
    customer_id BINARY(16) NOT NULL,
    title VARCHAR(200) CHARACTER SET utf8mb4 NOT NULL,
    cents BIGINT NOT NULL,
    -- 1 is open, 2 withdrawn, 3 booked.
    state SMALLINT NOT NULL,
    -- Milliseconds since 1970.
    created_at BIGINT NOT NULL,
    -- What the offer came from, together with its customer and title, which do not change.
    created_by BINARY(16) NULL,
    first_cents BIGINT NOT NULL,
    -- The commands it has executed.
    commands TEXT CHARACTER SET ascii NOT NULL,
    CHECK (title <> ''),
    CHECK (cents BETWEEN 0 AND 1000000000000),
    CHECK (state BETWEEN 1 AND 3),
    FOREIGN KEY (customer_id) REFERENCES customers (id)
) ENGINE = InnoDB;

CREATE TABLE bookings (
    id BINARY(16) NOT NULL PRIMARY KEY,
    offer_id BINARY(16) NOT NULL,
    customer_id BINARY(16) NOT NULL,
    cents BIGINT NOT NULL,
    -- 1 is confirmed, 2 cancelled.
    state SMALLINT NOT NULL,
    commands TEXT CHARACTER SET ascii NOT NULL,
    CHECK (cents BETWEEN 0 AND 1000000000000),
    CHECK (state BETWEEN 1 AND 2),
    UNIQUE INDEX bookings_by_number (id(8)),
    FOREIGN KEY (offer_id) REFERENCES booking_offers (id),
    FOREIGN KEY (customer_id) REFERENCES customers (id)
) ENGINE = InnoDB;

CREATE TABLE invoices (
    id DECIMAL(28, 0) NOT NULL PRIMARY KEY,
    booking_id BINARY(16) NOT NULL,
    cents BIGINT NOT NULL,
    CHECK (cents BETWEEN 0 AND 1000000000000),
    UNIQUE INDEX invoices_by_booking (booking_id),
    FOREIGN KEY (booking_id) REFERENCES bookings (id)
) ENGINE = InnoDB;
