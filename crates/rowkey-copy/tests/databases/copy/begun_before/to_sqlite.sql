-- Left by the version of commit 5a57757 on SQLite 3.40.1: a copy; it stopped at a row that the target refused.
PRAGMA foreign_keys = OFF;
CREATE TABLE "customer" ("id" BLOB NOT NULL, "name" varchar(40) NOT NULL, PRIMARY KEY ("id"));
INSERT INTO "customer" VALUES(X'01995B40AC007C1E9A5BD3F0A1B2C3D4','customer 1');
INSERT INTO "customer" VALUES(X'01996066880070AA8F0E0A5BE2C81190','customer 2');
INSERT INTO "customer" VALUES(X'0199658C64007D02B1C4F7118E3A4B5C','customer 3');
INSERT INTO "customer" VALUES(X'01996AB2400073E8A6D741C09D2E7F08','customer 4');
INSERT INTO "customer" VALUES(X'01996FD81C007B4D8C2F5E6F7A8B9C0D','customer 5');
CREATE TABLE "purchase" ("code" varchar(8) NOT NULL, "customer_id" BLOB NOT NULL, "note" varchar(40), PRIMARY KEY ("code"), CONSTRAINT "purchase_customer_id_fkey" FOREIGN KEY ("customer_id") REFERENCES "customer" ("id") ON DELETE CASCADE ON UPDATE NO ACTION);
INSERT INTO "purchase" VALUES('p1',X'01995B40AC007C1E9A5BD3F0A1B2C3D4','note p1');
INSERT INTO "purchase" VALUES('p2',X'01995B40AC007C1E9A5BD3F0A1B2C3D4','note p2');
INSERT INTO "purchase" VALUES('p3',X'01996066880070AA8F0E0A5BE2C81190','note p3');
INSERT INTO "purchase" VALUES('p4',X'0199658C64007D02B1C4F7118E3A4B5C','note p4');
INSERT INTO "purchase" VALUES('p5',X'0199658C64007D02B1C4F7118E3A4B5C','note p5');
INSERT INTO "purchase" VALUES('p6',X'0199658C64007D02B1C4F7118E3A4B5C','note p6');
CREATE TABLE rowkey_copy (job varchar(64) NOT NULL, number integer NOT NULL, part integer NOT NULL, state varchar(20) NOT NULL, row_count bigint NOT NULL, row_sum varchar(32) NOT NULL, last_key text NOT NULL, until_key text NOT NULL, PRIMARY KEY (job, number, part));
INSERT INTO "rowkey_copy" VALUES('b404338b4ee96ec17a66758cdeb1885e8aa348da5902e0695182f4217e9f4245',0,0,'copied',5,'fd49b137946c67bfd4af427fc2f7f206','0b01996fd81c007b4d8c2f5e6f7a8b9c0d','');
INSERT INTO "rowkey_copy" VALUES('b404338b4ee96ec17a66758cdeb1885e8aa348da5902e0695182f4217e9f4245',1,0,'begun',6,'534efc69182ee48ad22565f50ff8dcf1','0600000000000000027036','');
PRAGMA foreign_keys = ON;
