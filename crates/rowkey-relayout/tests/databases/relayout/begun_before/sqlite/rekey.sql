-- Left by the version of commit 5a57757 on SQLite 3.40.1: a rekey; it stopped after the phase backfill.
PRAGMA foreign_keys = OFF;
CREATE TABLE reply (code varchar(8) NOT NULL, ticket_id INTEGER NOT NULL, CONSTRAINT reply_key PRIMARY KEY (code), CONSTRAINT reply_ticket FOREIGN KEY (ticket_id) REFERENCES ticket (id) ON DELETE CASCADE);
INSERT INTO "reply" VALUES('r1',1);
INSERT INTO "reply" VALUES('r2',1);
INSERT INTO "reply" VALUES('r3',2);
INSERT INTO "reply" VALUES('r4',3);
INSERT INTO "reply" VALUES('r5',3);
INSERT INTO "reply" VALUES('r6',3);
INSERT INTO "reply" VALUES('r7',4);
INSERT INTO "reply" VALUES('r8',5);
CREATE TABLE "rowkey_relayout" (one integer NOT NULL PRIMARY KEY, plan_hash text NOT NULL, phase text NOT NULL, is_done integer NOT NULL, catalog text NOT NULL, plan_text text NOT NULL, tables text NOT NULL);
INSERT INTO "rowkey_relayout" VALUES(1,'c8171820529429e8e064991c25eae63e62de2a696602b650334ca11a3af0a6cc','backfill',1,'7a511d3a9ae0121fef472dd857db1ba2f20a9480a6700657b7a62a1e08f4d87a','version = 1
backend = "sqlite"
catalog = "7a511d3a9ae0121fef472dd857db1ba2f20a9480a6700657b7a62a1e08f4d87a"

[key]
table = "ticket"
column = "id"
format = "uuid-v7"
to = "uuid"
becomes = "id_key"
created = "created_at"

[[reference]]
table = "reply"
column = "ticket_id"
becomes = "ticket_id_key"
asserted = true

[policy]
old-programs = "rename"
batch-rows = 50000
pause-ms = 0
lock-timeout-ms = 1000
lock-attempts = 60
','[{"name":"reply","columns":[{"name":"code","sql_type":"varchar(8)","is_nullable":false,"default":null,"generated":"","collation":null,"comment":null},{"name":"ticket_id","sql_type":"INTEGER","is_nullable":false,"default":null,"generated":"","collation":null,"comment":null}],"keys":[{"name":"sqlite_autoindex_reply_1","columns":["code"],"is_primary":true,"definition":""}],"indexes":[{"name":"reply_by_ticket","columns":["ticket_id"],"is_unique":false,"is_plain":true,"definition":"CREATE INDEX reply_by_ticket ON reply (ticket_id)"}],"foreign_keys":[{"name":"","columns":["ticket_id"],"target":"ticket","target_columns":["id"],"on_update":"NO ACTION","on_delete":"CASCADE","attributes":""}],"dependents":[],"options":"CREATE TABLE reply (code varchar(8) NOT NULL, ticket_id INTEGER NOT NULL, CONSTRAINT reply_key PRIMARY KEY (code), CONSTRAINT reply_ticket FOREIGN KEY (ticket_id) REFERENCES ticket (id) ON DELETE CASCADE)"},{"name":"ticket","columns":[{"name":"id","sql_type":"INTEGER","is_nullable":false,"default":null,"generated":"","collation":null,"comment":null},{"name":"title","sql_type":"varchar(40)","is_nullable":false,"default":null,"generated":"","collation":null,"comment":null},{"name":"created_at","sql_type":"TEXT","is_nullable":true,"default":null,"generated":"","collation":null,"comment":null}],"keys":[{"name":"","columns":["id"],"is_primary":true,"definition":""}],"indexes":[],"foreign_keys":[],"dependents":[],"options":"CREATE TABLE ticket (id INTEGER PRIMARY KEY, title varchar(40) NOT NULL, created_at text)"}]');
CREATE TABLE ticket (id INTEGER PRIMARY KEY, title varchar(40) NOT NULL, created_at text);
INSERT INTO "ticket" VALUES(1,'ticket 1','2025-10-01 12:00:00.000');
INSERT INTO "ticket" VALUES(2,'ticket 2','2025-10-02 12:00:00.000');
INSERT INTO "ticket" VALUES(3,'ticket 3','2025-10-03 12:00:00.000');
INSERT INTO "ticket" VALUES(4,'ticket 4','2025-10-04 12:00:00.000');
INSERT INTO "ticket" VALUES(5,'ticket 5','2025-10-05 12:00:00.000');
CREATE INDEX reply_by_ticket ON reply (ticket_id);
PRAGMA foreign_keys = ON;
