-- Left by the version of commit 5a57757 on SQLite 3.40.1: a relayout; it stopped after the phase swap.
PRAGMA foreign_keys = OFF;
CREATE TABLE customer ("id_key" BLOB NOT NULL, name varchar(40) NOT NULL, "id_before" text, CONSTRAINT customer_key PRIMARY KEY ("id_key"));
INSERT INTO "customer" VALUES(X'01995B40AC007C1E9A5BD3F0A1B2C3D4','customer 1','01995b40-ac00-7c1e-9a5b-d3f0a1b2c3d4');
INSERT INTO "customer" VALUES(X'01996066880070AA8F0E0A5BE2C81190','customer 2','01996066-8800-70aa-8f0e-0a5be2c81190');
INSERT INTO "customer" VALUES(X'0199658C64007D02B1C4F7118E3A4B5C','customer 3','0199658c-6400-7d02-b1c4-f7118e3a4b5c');
INSERT INTO "customer" VALUES(X'01996AB2400073E8A6D741C09D2E7F08','customer 4','01996ab2-4000-73e8-a6d7-41c09d2e7f08');
INSERT INTO "customer" VALUES(X'01996FD81C007B4D8C2F5E6F7A8B9C0D','customer 5','01996fd8-1c00-7b4d-8c2f-5e6f7a8b9c0d');
CREATE TABLE purchase (code varchar(8) NOT NULL, "customer_id_key" BLOB NOT NULL, "customer_id_before" text, CONSTRAINT purchase_key PRIMARY KEY (code), CONSTRAINT purchase_customer FOREIGN KEY ("customer_id_key") REFERENCES customer ("id_key") ON DELETE CASCADE);
INSERT INTO "purchase" VALUES('p1',X'01995B40AC007C1E9A5BD3F0A1B2C3D4','01995b40-ac00-7c1e-9a5b-d3f0a1b2c3d4');
INSERT INTO "purchase" VALUES('p2',X'01995B40AC007C1E9A5BD3F0A1B2C3D4','01995b40-ac00-7c1e-9a5b-d3f0a1b2c3d4');
INSERT INTO "purchase" VALUES('p3',X'01996066880070AA8F0E0A5BE2C81190','01996066-8800-70aa-8f0e-0a5be2c81190');
INSERT INTO "purchase" VALUES('p4',X'0199658C64007D02B1C4F7118E3A4B5C','0199658c-6400-7d02-b1c4-f7118e3a4b5c');
INSERT INTO "purchase" VALUES('p5',X'0199658C64007D02B1C4F7118E3A4B5C','0199658c-6400-7d02-b1c4-f7118e3a4b5c');
INSERT INTO "purchase" VALUES('p6',X'0199658C64007D02B1C4F7118E3A4B5C','0199658c-6400-7d02-b1c4-f7118e3a4b5c');
INSERT INTO "purchase" VALUES('p7',X'01996AB2400073E8A6D741C09D2E7F08','01996ab2-4000-73e8-a6d7-41c09d2e7f08');
INSERT INTO "purchase" VALUES('p8',X'01996FD81C007B4D8C2F5E6F7A8B9C0D','01996fd8-1c00-7b4d-8c2f-5e6f7a8b9c0d');
CREATE TABLE "rowkey_relayout" (one integer NOT NULL PRIMARY KEY, plan_hash text NOT NULL, phase text NOT NULL, is_done integer NOT NULL, catalog text NOT NULL, plan_text text NOT NULL, tables text NOT NULL);
INSERT INTO "rowkey_relayout" VALUES(1,'ad6e48bb39a8f6dd7972ad1b9c298730c732d358cf2abecd0d0ff0fae1b7583f','swap',1,'552e3e51d6252be11540309f36fffff0ab0158087f9809ee70b8a07dfb11bd73','version = 1
backend = "sqlite"
catalog = "63d6c3d4eb2b43fa6f0aece1ab439c53889c5e2387656c21c48b0c864d7bfbc6"

[key]
table = "customer"
column = "id"
format = "uuid-v7"
from = "text"
to = "uuid"
becomes = "id_key"

[[reference]]
table = "purchase"
column = "customer_id"
becomes = "customer_id_key"
asserted = true

[policy]
old-programs = "rename"
batch-rows = 50000
pause-ms = 0
lock-timeout-ms = 1000
lock-attempts = 60
','[{"name":"customer","columns":[{"name":"id","sql_type":"TEXT","is_nullable":false,"default":null,"generated":"","collation":null,"comment":null},{"name":"name","sql_type":"varchar(40)","is_nullable":false,"default":null,"generated":"","collation":null,"comment":null}],"keys":[{"name":"sqlite_autoindex_customer_1","columns":["id"],"is_primary":true,"definition":""}],"indexes":[],"foreign_keys":[],"dependents":[],"options":"CREATE TABLE customer (id text NOT NULL, name varchar(40) NOT NULL, CONSTRAINT customer_key PRIMARY KEY (id))"},{"name":"purchase","columns":[{"name":"code","sql_type":"varchar(8)","is_nullable":false,"default":null,"generated":"","collation":null,"comment":null},{"name":"customer_id","sql_type":"TEXT","is_nullable":false,"default":null,"generated":"","collation":null,"comment":null}],"keys":[{"name":"sqlite_autoindex_purchase_1","columns":["code"],"is_primary":true,"definition":""}],"indexes":[{"name":"purchase_by_customer","columns":["customer_id"],"is_unique":false,"is_plain":true,"definition":"CREATE INDEX purchase_by_customer ON purchase (customer_id)"}],"foreign_keys":[{"name":"","columns":["customer_id"],"target":"customer","target_columns":["id"],"on_update":"NO ACTION","on_delete":"CASCADE","attributes":""}],"dependents":[],"options":"CREATE TABLE purchase (code varchar(8) NOT NULL, customer_id text NOT NULL, CONSTRAINT purchase_key PRIMARY KEY (code), CONSTRAINT purchase_customer FOREIGN KEY (customer_id) REFERENCES customer (id) ON DELETE CASCADE)"}]');
CREATE INDEX purchase_by_customer ON purchase ("customer_id_key");
PRAGMA foreign_keys = ON;
