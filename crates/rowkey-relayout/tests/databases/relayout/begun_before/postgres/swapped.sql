-- Left by the version of commit 5a57757 on PostgreSQL 15.20: a relayout; it stopped after the phase swap.
CREATE FUNCTION public.rowkey_16cd28c46978_0_keep() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET standard_conforming_strings TO 'on'
    AS $$
BEGIN
  IF TG_OP = 'INSERT' AND NEW."id_key" IS NULL AND NEW."id_before" IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'RK001', MESSAGE = format(
      'a row of %I.%I has an id in the old form only', TG_TABLE_SCHEMA, TG_TABLE_NAME),
      HINT = 'the program knows the old columns only: name the new ones';
  END IF;
  NEW."id_before" := NEW."id_key"::text;
  IF NEW."id_before" IS NULL AND NEW."id_key" IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'RK001', MESSAGE = format(
      '%I.%I has no room for the id %s in its other form, while its key changes', TG_TABLE_SCHEMA, TG_TABLE_NAME, NEW."id_key");
  END IF;
  RETURN NEW;
END
$$;

CREATE FUNCTION public.rowkey_16cd28c46978_1_keep() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET standard_conforming_strings TO 'on'
    AS $$
BEGIN
  IF TG_OP = 'INSERT' AND NEW."customer_id_key" IS NULL AND NEW."customer_id_before" IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'RK001', MESSAGE = format(
      'a row of %I.%I has an id in the old form only', TG_TABLE_SCHEMA, TG_TABLE_NAME),
      HINT = 'the program knows the old columns only: name the new ones';
  END IF;
  NEW."customer_id_before" := NEW."customer_id_key"::text;
  IF NEW."customer_id_before" IS NULL AND NEW."customer_id_key" IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'RK001', MESSAGE = format(
      '%I.%I has no room for the id %s in its other form, while its key changes', TG_TABLE_SCHEMA, TG_TABLE_NAME, NEW."customer_id_key");
  END IF;
  RETURN NEW;
END
$$;

CREATE TABLE public.customer (
    id_before character varying(36) NOT NULL,
    name character varying(40) NOT NULL,
    id_key uuid NOT NULL
);

CREATE TABLE public.purchase (
    code character varying(8) NOT NULL,
    customer_id_before character varying(36) NOT NULL,
    customer_id_key uuid NOT NULL
);

CREATE TABLE public.rowkey_relayout (
    one integer NOT NULL,
    plan_hash text NOT NULL,
    phase text NOT NULL,
    is_done integer NOT NULL,
    catalog text NOT NULL,
    plan_text text NOT NULL,
    tables text NOT NULL
);

INSERT INTO public.customer VALUES ('01996ab2-4000-73e8-a6d7-41c09d2e7f08', 'customer 4', '01996ab2-4000-73e8-a6d7-41c09d2e7f08');
INSERT INTO public.customer VALUES ('01996fd8-1c00-7b4d-8c2f-5e6f7a8b9c0d', 'customer 5', '01996fd8-1c00-7b4d-8c2f-5e6f7a8b9c0d');
INSERT INTO public.customer VALUES ('0199658c-6400-7d02-b1c4-f7118e3a4b5c', 'customer 3', '0199658c-6400-7d02-b1c4-f7118e3a4b5c');
INSERT INTO public.customer VALUES ('01995b40-ac00-7c1e-9a5b-d3f0a1b2c3d4', 'customer 1', '01995b40-ac00-7c1e-9a5b-d3f0a1b2c3d4');
INSERT INTO public.customer VALUES ('01996066-8800-70aa-8f0e-0a5be2c81190', 'customer 2', '01996066-8800-70aa-8f0e-0a5be2c81190');

INSERT INTO public.purchase VALUES ('p2', '01995b40-ac00-7c1e-9a5b-d3f0a1b2c3d4', '01995b40-ac00-7c1e-9a5b-d3f0a1b2c3d4');
INSERT INTO public.purchase VALUES ('p3', '01996066-8800-70aa-8f0e-0a5be2c81190', '01996066-8800-70aa-8f0e-0a5be2c81190');
INSERT INTO public.purchase VALUES ('p5', '0199658c-6400-7d02-b1c4-f7118e3a4b5c', '0199658c-6400-7d02-b1c4-f7118e3a4b5c');
INSERT INTO public.purchase VALUES ('p6', '0199658c-6400-7d02-b1c4-f7118e3a4b5c', '0199658c-6400-7d02-b1c4-f7118e3a4b5c');
INSERT INTO public.purchase VALUES ('p8', '01996fd8-1c00-7b4d-8c2f-5e6f7a8b9c0d', '01996fd8-1c00-7b4d-8c2f-5e6f7a8b9c0d');
INSERT INTO public.purchase VALUES ('p1', '01995b40-ac00-7c1e-9a5b-d3f0a1b2c3d4', '01995b40-ac00-7c1e-9a5b-d3f0a1b2c3d4');
INSERT INTO public.purchase VALUES ('p4', '0199658c-6400-7d02-b1c4-f7118e3a4b5c', '0199658c-6400-7d02-b1c4-f7118e3a4b5c');
INSERT INTO public.purchase VALUES ('p7', '01996ab2-4000-73e8-a6d7-41c09d2e7f08', '01996ab2-4000-73e8-a6d7-41c09d2e7f08');

INSERT INTO public.rowkey_relayout VALUES (1, '16cd28c469780131794dd5e786dc3eea541a7a31c51ec526632e1bf5c0765586', 'swap', 1, '58a01bfdda7efb590ca0bc06c30726722c2fb66dcd03d803e993e85784a1e663', 'version = 1
backend = "postgres"
catalog = "4840597683764288461d8ba9b0e4facff3cd4076a037f6077572e0123c52ead6"

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
', '[{"name":"customer","columns":[{"name":"id","sql_type":"character varying(36)","is_nullable":false,"default":null,"generated":"","collation":"default","comment":null},{"name":"name","sql_type":"character varying(40)","is_nullable":false,"default":null,"generated":"","collation":"default","comment":null}],"keys":[{"name":"customer_key","columns":["id"],"is_primary":true,"definition":"PRIMARY KEY (id)"}],"indexes":[],"foreign_keys":[],"dependents":[],"options":""},{"name":"purchase","columns":[{"name":"code","sql_type":"character varying(8)","is_nullable":false,"default":null,"generated":"","collation":"default","comment":null},{"name":"customer_id","sql_type":"character varying(36)","is_nullable":false,"default":null,"generated":"","collation":"default","comment":null}],"keys":[{"name":"purchase_key","columns":["code"],"is_primary":true,"definition":"PRIMARY KEY (code)"}],"indexes":[{"name":"purchase_by_customer","columns":["customer_id"],"is_unique":false,"is_plain":true,"definition":"CREATE INDEX purchase_by_customer ON public.purchase USING btree (customer_id)"}],"foreign_keys":[{"name":"purchase_customer","columns":["customer_id"],"target":"customer","target_columns":["id"],"on_update":"NO ACTION","on_delete":"CASCADE","attributes":""}],"dependents":[],"options":""}]');

ALTER TABLE ONLY public.customer
    ADD CONSTRAINT customer_key PRIMARY KEY (id_key);

ALTER TABLE ONLY public.purchase
    ADD CONSTRAINT purchase_key PRIMARY KEY (code);

ALTER TABLE ONLY public.rowkey_relayout
    ADD CONSTRAINT rowkey_relayout_pkey PRIMARY KEY (one);

CREATE INDEX purchase_by_customer ON public.purchase USING btree (customer_id_key);

CREATE TRIGGER zz_rowkey_keep_insert BEFORE INSERT ON public.customer FOR EACH ROW EXECUTE FUNCTION public.rowkey_16cd28c46978_0_keep();

ALTER TABLE public.customer ENABLE ALWAYS TRIGGER zz_rowkey_keep_insert;

CREATE TRIGGER zz_rowkey_keep_insert BEFORE INSERT ON public.purchase FOR EACH ROW EXECUTE FUNCTION public.rowkey_16cd28c46978_1_keep();

ALTER TABLE public.purchase ENABLE ALWAYS TRIGGER zz_rowkey_keep_insert;

CREATE TRIGGER zz_rowkey_keep_update BEFORE UPDATE ON public.customer FOR EACH ROW WHEN (((new.id_key IS DISTINCT FROM old.id_key) OR ((new.id_before IS NULL) AND (new.id_key IS NOT NULL)) OR ((old.id_before IS NOT NULL) AND ((new.id_before)::text IS DISTINCT FROM (old.id_before)::text)))) EXECUTE FUNCTION public.rowkey_16cd28c46978_0_keep();

ALTER TABLE public.customer ENABLE ALWAYS TRIGGER zz_rowkey_keep_update;

CREATE TRIGGER zz_rowkey_keep_update BEFORE UPDATE ON public.purchase FOR EACH ROW WHEN (((new.customer_id_key IS DISTINCT FROM old.customer_id_key) OR ((new.customer_id_before IS NULL) AND (new.customer_id_key IS NOT NULL)) OR ((old.customer_id_before IS NOT NULL) AND ((new.customer_id_before)::text IS DISTINCT FROM (old.customer_id_before)::text)))) EXECUTE FUNCTION public.rowkey_16cd28c46978_1_keep();

ALTER TABLE public.purchase ENABLE ALWAYS TRIGGER zz_rowkey_keep_update;

ALTER TABLE ONLY public.purchase
    ADD CONSTRAINT purchase_customer FOREIGN KEY (customer_id_key) REFERENCES public.customer(id_key) ON DELETE CASCADE;
