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
    state VARCHAR(20) CHARACTER SET ascii NOT NULL,
    -- Milliseconds since 1970.
    created_at BIGINT NOT NULL,
    -- What the offer came from, together with its customer and title, which do not change.
    created_by BINARY(16) NULL,
    first_cents BIGINT NOT NULL,
    -- The commands it has executed.
    commands TEXT CHARACTER SET ascii NOT NULL,
    CHECK (title <> ''),
    CHECK (cents BETWEEN 0 AND 1000000000000),
    CHECK (state IN ('open', 'withdrawn', 'booked')),
    FOREIGN KEY (customer_id) REFERENCES customers (id)
) ENGINE = InnoDB;

CREATE TABLE bookings (
    id BINARY(16) NOT NULL PRIMARY KEY,
    offer_id BINARY(16) NOT NULL,
    customer_id BINARY(16) NOT NULL,
    cents BIGINT NOT NULL,
    state VARCHAR(20) CHARACTER SET ascii NOT NULL,
    commands TEXT CHARACTER SET ascii NOT NULL,
    CHECK (cents BETWEEN 0 AND 1000000000000),
    CHECK (state IN ('confirmed', 'cancelled')),
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
