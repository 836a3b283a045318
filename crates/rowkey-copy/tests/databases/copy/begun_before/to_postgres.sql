-- Left by the version of commit 5a57757 on PostgreSQL 15.20: a copy; it stopped at a row that the target refused.
CREATE TABLE customer (
    id uuid NOT NULL,
    name character varying(40) NOT NULL
);

CREATE TABLE purchase (
    code character varying(8) NOT NULL,
    customer_id uuid NOT NULL,
    note character varying(10)
);

CREATE TABLE rowkey_copy (
    job character varying(64) NOT NULL,
    number integer NOT NULL,
    part integer NOT NULL,
    state character varying(20) NOT NULL,
    row_count bigint NOT NULL,
    row_sum character varying(32) NOT NULL,
    last_key text NOT NULL,
    until_key text NOT NULL
);

INSERT INTO customer VALUES ('01995b40-ac00-7c1e-9a5b-d3f0a1b2c3d4', 'customer 1');
INSERT INTO customer VALUES ('01996066-8800-70aa-8f0e-0a5be2c81190', 'customer 2');
INSERT INTO customer VALUES ('0199658c-6400-7d02-b1c4-f7118e3a4b5c', 'customer 3');
INSERT INTO customer VALUES ('01996ab2-4000-73e8-a6d7-41c09d2e7f08', 'customer 4');
INSERT INTO customer VALUES ('01996fd8-1c00-7b4d-8c2f-5e6f7a8b9c0d', 'customer 5');

INSERT INTO purchase VALUES ('p1', '01995b40-ac00-7c1e-9a5b-d3f0a1b2c3d4', 'note p1');
INSERT INTO purchase VALUES ('p2', '01995b40-ac00-7c1e-9a5b-d3f0a1b2c3d4', 'note p2');
INSERT INTO purchase VALUES ('p3', '01996066-8800-70aa-8f0e-0a5be2c81190', 'note p3');
INSERT INTO purchase VALUES ('p4', '0199658c-6400-7d02-b1c4-f7118e3a4b5c', 'note p4');
INSERT INTO purchase VALUES ('p5', '0199658c-6400-7d02-b1c4-f7118e3a4b5c', 'note p5');
INSERT INTO purchase VALUES ('p6', '0199658c-6400-7d02-b1c4-f7118e3a4b5c', 'note p6');

INSERT INTO rowkey_copy VALUES ('418db9e2d56bde372b87087b578044e6ab518372c51ee14e89d5d74f7adad92e', 0, 0, 'copied', 5, 'fd49b137946c67bfd4af427fc2f7f206', '0b01996fd81c007b4d8c2f5e6f7a8b9c0d', '');
INSERT INTO rowkey_copy VALUES ('418db9e2d56bde372b87087b578044e6ab518372c51ee14e89d5d74f7adad92e', 1, 0, 'begun', 6, '534efc69182ee48ad22565f50ff8dcf1', '0600000000000000027036', '');

ALTER TABLE ONLY rowkey_copy
    ADD CONSTRAINT rowkey_copy_pkey PRIMARY KEY (job, number, part);
