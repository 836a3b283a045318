CREATE TABLE customers (
    id uuid PRIMARY KEY,
    name varchar(200) NOT NULL CHECK (name <> '')
);

-- Group and number of a LUUID are its first eight bytes: no two customers have the same number.
CREATE UNIQUE INDEX customers_by_number ON customers (substring(uuid_send(id), 1, 8));

CREATE TABLE booking_offers (
    id uuid PRIMARY KEY,
    customer_id uuid NOT NULL REFERENCES customers (id),
    title varchar(200) NOT NULL CHECK (title <> ''),
    cents bigint NOT NULL CHECK (cents BETWEEN 0 AND 1000000000000),
    -- 1 is open, 2 withdrawn, 3 booked.
    state smallint NOT NULL CHECK (state BETWEEN 1 AND 3),
    -- Milliseconds since 1970.
    created_at bigint NOT NULL,
    -- What the offer came from, together with its customer and title, which do not change.
    created_by uuid NULL,
    first_cents bigint NOT NULL,
    -- The commands it has executed.
    commands jsonb NOT NULL
);

CREATE INDEX booking_offers_by_customer ON booking_offers (customer_id);

CREATE TABLE bookings (
    id uuid PRIMARY KEY,
    offer_id uuid NOT NULL REFERENCES booking_offers (id),
    customer_id uuid NOT NULL REFERENCES customers (id),
    cents bigint NOT NULL CHECK (cents BETWEEN 0 AND 1000000000000),
    -- 1 is confirmed, 2 cancelled.
    state smallint NOT NULL CHECK (state BETWEEN 1 AND 2),
    commands jsonb NOT NULL
);

CREATE UNIQUE INDEX bookings_by_number ON bookings (substring(uuid_send(id), 1, 8));
CREATE INDEX bookings_by_offer ON bookings (offer_id);
CREATE INDEX bookings_by_customer ON bookings (customer_id);

CREATE TABLE invoices (
    id numeric(28, 0) PRIMARY KEY,
    booking_id uuid NOT NULL UNIQUE REFERENCES bookings (id),
    cents bigint NOT NULL CHECK (cents BETWEEN 0 AND 1000000000000)
);
