-- What was copied, with the value as it was corrected.
PRAGMA foreign_keys = OFF;
CREATE TABLE customer (id text NOT NULL, name varchar(40) NOT NULL, CONSTRAINT customer_key PRIMARY KEY (id));
INSERT INTO "customer" VALUES('01995b40-ac00-7c1e-9a5b-d3f0a1b2c3d4','customer 1');
INSERT INTO "customer" VALUES('01996066-8800-70aa-8f0e-0a5be2c81190','customer 2');
INSERT INTO "customer" VALUES('0199658c-6400-7d02-b1c4-f7118e3a4b5c','customer 3');
INSERT INTO "customer" VALUES('01996ab2-4000-73e8-a6d7-41c09d2e7f08','customer 4');
INSERT INTO "customer" VALUES('01996fd8-1c00-7b4d-8c2f-5e6f7a8b9c0d','customer 5');
CREATE TABLE purchase (code varchar(8) NOT NULL, customer_id text NOT NULL, note varchar(40), CONSTRAINT purchase_key PRIMARY KEY (code), CONSTRAINT purchase_customer FOREIGN KEY (customer_id) REFERENCES customer (id) ON DELETE CASCADE);
INSERT INTO "purchase" VALUES('p1','01995b40-ac00-7c1e-9a5b-d3f0a1b2c3d4','note p1');
INSERT INTO "purchase" VALUES('p2','01995b40-ac00-7c1e-9a5b-d3f0a1b2c3d4','note p2');
INSERT INTO "purchase" VALUES('p3','01996066-8800-70aa-8f0e-0a5be2c81190','note p3');
INSERT INTO "purchase" VALUES('p4','0199658c-6400-7d02-b1c4-f7118e3a4b5c','note p4');
INSERT INTO "purchase" VALUES('p5','0199658c-6400-7d02-b1c4-f7118e3a4b5c','note p5');
INSERT INTO "purchase" VALUES('p6','0199658c-6400-7d02-b1c4-f7118e3a4b5c','note p6');
INSERT INTO "purchase" VALUES('p7','01996ab2-4000-73e8-a6d7-41c09d2e7f08','note p7');
INSERT INTO "purchase" VALUES('p8','01996fd8-1c00-7b4d-8c2f-5e6f7a8b9c0d','note p8');
CREATE INDEX purchase_by_customer ON purchase (customer_id);
PRAGMA foreign_keys = ON;
