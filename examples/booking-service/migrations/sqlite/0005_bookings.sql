CREATE TABLE customers (
    id BLOB NOT NULL PRIMARY KEY,
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200)
) STRICT;

-- Group and number of a LUUID are its first eight bytes: no two customers have the same number.
CREATE UNIQUE INDEX customers_by_number ON customers (substr(id, 1, 8));

CREATE TABLE booking_offers (
    id BLOB NOT NULL PRIMARY KEY,
    customer_id BLOB NOT NULL REFERENCES customers (id),
    title TEXT NOT NULL CHECK (length(title) BETWEEN 1 AND 200),
    cents INTEGER NOT NULL CHECK (cents BETWEEN 0 AND 1000000000000),
    -- 1 is open, 2 withdrawn, 3 booked.
    state INTEGER NOT NULL CHECK (state BETWEEN 1 AND 3),
    -- Milliseconds since 1970.
    created_at INTEGER NOT NULL,
    -- What the offer came from, together with its customer and title, which do not change.
    created_by BLOB NULL,
    first_cents INTEGER NOT NULL,
    -- The commands it has executed.
    commands TEXT NOT NULL
) STRICT;

CREATE INDEX booking_offers_by_customer ON booking_offers (customer_id);

CREATE TABLE bookings (
    id BLOB NOT NULL PRIMARY KEY,
    offer_id BLOB NOT NULL REFERENCES booking_offers (id),
    customer_id BLOB NOT NULL REFERENCES customers (id),
    cents INTEGER NOT NULL CHECK (cents BETWEEN 0 AND 1000000000000),
    -- 1 is confirmed, 2 cancelled.
    state INTEGER NOT NULL CHECK (state BETWEEN 1 AND 2),
    commands TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX bookings_by_number ON bookings (substr(id, 1, 8));
CREATE INDEX bookings_by_offer ON bookings (offer_id);
CREATE INDEX bookings_by_customer ON bookings (customer_id);

CREATE TABLE invoices (
    -- 28 digits.
    id TEXT NOT NULL PRIMARY KEY,
    booking_id BLOB NOT NULL UNIQUE REFERENCES bookings (id),
    cents INTEGER NOT NULL CHECK (cents BETWEEN 0 AND 1000000000000)
) STRICT;
