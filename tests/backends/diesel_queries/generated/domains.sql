CREATE DOMAIN offer_id AS uuid;
CREATE DOMAIN invoice_id AS numeric(28,0);

CREATE TABLE offers (
    id offer_id PRIMARY KEY,
    replaces offer_id NULL REFERENCES offers (id),
    invoice_id invoice_id NOT NULL,
    others offer_id[] NOT NULL
);
