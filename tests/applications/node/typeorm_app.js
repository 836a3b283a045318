// A shop of TypeORM.

require("reflect-metadata");
const assert = require("node:assert");
const { DataSource, EntitySchema, In } = require("typeorm");
const rows = require("./rows");

const url = process.env.APPLICATION_URL;
const type = url.startsWith("postgres") ? "postgres" : "mysql";
const on = (postgres, mysql) => (type === "postgres" ? postgres : mysql);
// TypeORM has no names of types for both databases.
const moment = on({ type: "timestamptz" }, { type: "datetime", precision: 6 });

const Tag = new EntitySchema({
  name: "tag",
  columns: {
    id: { type: "int", primary: true, generated: "increment" },
    name: { type: "varchar", length: 30, unique: true },
  },
});

const Customer = new EntitySchema({
  name: "customer",
  columns: {
    id: { type: on("uuid", "varchar"), length: on(undefined, 36), primary: true, generated: "uuid" },
    name: { type: "varchar", length: 100 },
    born: { type: "date", nullable: true },
    isActive: { type: "boolean", default: true },
    mayWrite: { type: "boolean", nullable: true },
    createdAt: { ...moment, createDate: true },
  },
  relations: {
    referredBy: { type: "many-to-one", target: "customer", nullable: true, onDelete: "SET NULL" },
    tags: { type: "many-to-many", target: "tag", joinTable: true },
    orders: { type: "one-to-many", target: "order", inverseSide: "customer" },
  },
  indices: [{ columns: ["name"] }],
});

const Order = new EntitySchema({
  name: "order",
  columns: {
    id: { type: "bigint", primary: true, generated: "increment" },
    state: { type: "enum", enum: ["open", "paid"], default: "open" },
    amount: { type: "decimal", precision: 12, scale: 2 },
    weight: { type: on("double precision", "double"), nullable: true },
    pieces: { type: "smallint", default: 1 },
    largest: { type: "bigint", nullable: true },
    made: moment,
    wanted: { type: "time", nullable: true },
    data: { type: on("jsonb", "json"), nullable: true },
    words: { type: "simple-array", nullable: true },
    scan: { type: on("bytea", "longblob"), nullable: true },
    note: { type: on("text", "longtext") },
  },
  relations: {
    customer: { type: "many-to-one", target: "customer", onDelete: "CASCADE", inverseSide: "orders" },
  },
});

const entities = [Tag, Customer, Order];
const options = { type, url, entities, timezone: "Z", supportBigNumbers: true, bigNumberStrings: true };

/** With the migration that TypeORM makes of the entities. */
async function migrate(db) {
  const { upQueries, downQueries } = await db.driver.createSchemaBuilder().log();
  class Shop1700000000000 {
    up = async (runner) => {
      for (const { query, parameters } of upQueries) await runner.query(query, parameters);
    };
    down = async (runner) => {
      for (const { query, parameters } of downQueries) await runner.query(query, parameters);
    };
  }
  const migrating = await new DataSource({ ...options, migrations: [Shop1700000000000] }).initialize();
  await migrating.runMigrations();
  await migrating.destroy();
}

async function fill(db) {
  const tags = await db.getRepository(Tag).save([0, 1, 2, 3, 4].map((n) => ({ name: `tag ${n}` })));
  let customer = null;
  for (let n = 0; n < 100; n++) {
    customer = await db.getRepository(Customer).save({
      referredBy: n % 3 ? customer : null,
      ...rows.customer(n),
      tags: tags.slice(0, n % 4),
    });
    const orders = [0, 1, 2].map((k) => ({ customer, ...rows.order(n, k) }));
    await db.getRepository(Order).save(orders);
  }
  // So that the counter is beyond the last row.
  const [last] = await db.getRepository(Order).find({ order: { id: "DESC" }, take: 1 });
  await db.getRepository(Order).remove(last);
}

async function read(db) {
  const relations = { tag: {}, customer: { referredBy: true, tags: true }, order: { customer: true } };
  for (const { name } of db.entityMetadatas.filter((entity) => relations[entity.name])) {
    for (const row of await db.getRepository(name).find({ relations: relations[name] })) {
      row.tags?.sort((a, b) => a.id - b.id);
      rows.show(name, row);
    }
  }
}

async function write(db) {
  const [tags, customers, orders] = entities.map((entity) => db.getRepository(entity));
  const [last] = await orders.find({ order: { id: "DESC" }, take: 1 });
  const tag = await tags.save({ name: "new" });
  const customer = await customers.save({ name: "new", tags: [tag] });
  const made = new Date("2026-11-28T12:00:00Z");
  const order = await orders.save({ customer, amount: "1.10", made, data: { new: [1] }, scan: Buffer.from([0]), note: "" });
  assert.equal(tag.id, 6);
  assert.equal(BigInt(order.id), BigInt(last.id) + 2n);
  const found = await orders.findOneOrFail({ where: { made, customer: { id: customer.id } } });
  assert.deepEqual([found.amount, found.state, found.pieces, found.data, found.scan], ["1.10", "open", 1, { new: [1] }, Buffer.from([0])]);
  await orders.update({ id: order.id }, { state: "paid" });
  assert.equal((await orders.findOneByOrFail({ id: order.id })).state, "paid");
  const [referring] = await customers.find({ relations: { referredBy: true }, where: { referredBy: { mayWrite: true } }, take: 1 });
  const before = await orders.count();
  const gone = [referring.referredBy.id, customer.id];
  const theirs = await orders.countBy({ customer: { id: In(gone) } });
  await customers.delete(gone);
  assert.equal(await orders.count(), before - theirs);
  const left = await customers.findOne({ relations: { referredBy: true }, where: { id: referring.id } });
  assert.equal(left.referredBy, null);
}

const step = (work) => async () => {
  const db = await new DataSource(options).initialize();
  await work(db);
  await db.destroy();
};
rows.run({ migrate: step(migrate), fill: step(fill), read: step(read), write: step(write) });
