// A shop of Sequelize and Umzug.

const assert = require("node:assert");
const { DataTypes, Op, Sequelize } = require("sequelize");
const { SequelizeStorage, Umzug } = require("umzug");
const rows = require("./rows");

const db = new Sequelize(process.env.APPLICATION_URL, { logging: false });
const id = { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true };
const uuid = { type: DataTypes.UUID, primaryKey: true, defaultValue: DataTypes.UUIDV4 };
const to = (model, onDelete) => ({ references: { model, key: "id" }, onDelete });
const made = { createdAt: DataTypes.DATE(6), updatedAt: DataTypes.DATE(6) };

const tag = {
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  name: { type: DataTypes.STRING(30), unique: true },
};
const customer = {
  id: uuid,
  referredById: { type: DataTypes.UUID, ...to("customers", "SET NULL") },
  name: { type: DataTypes.STRING(100), allowNull: false },
  born: DataTypes.DATEONLY,
  isActive: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: true },
  mayWrite: DataTypes.BOOLEAN,
};
const tagged = {
  customerId: { type: DataTypes.UUID, primaryKey: true, ...to("customers", "CASCADE") },
  tagId: { type: DataTypes.INTEGER, primaryKey: true, ...to("tags", "CASCADE") },
};
const order = {
  id,
  customerId: { type: DataTypes.UUID, allowNull: false, ...to("customers", "CASCADE") },
  state: { type: DataTypes.ENUM("open", "paid"), allowNull: false, defaultValue: "open" },
  amount: { type: DataTypes.DECIMAL(12, 2), allowNull: false },
  weight: DataTypes.DOUBLE,
  pieces: { type: DataTypes.SMALLINT, allowNull: false, defaultValue: 1 },
  largest: DataTypes.BIGINT,
  made: { type: DataTypes.DATE(6), allowNull: false },
  wanted: DataTypes.TIME,
  data: DataTypes.JSON,
  scan: DataTypes.BLOB("long"),
  note: DataTypes.TEXT("long"),
};

const plainly = { timestamps: false };
const Tag = db.define("tag", tag, plainly);
const Customer = db.define("customer", { ...customer });
const Tagged = db.define("tagged", tagged, { ...plainly, freezeTableName: true });
const Order = db.define("order", order, plainly);
Customer.belongsTo(Customer, { as: "referredBy" });
Customer.hasMany(Order);
Customer.belongsToMany(Tag, { through: Tagged });
Tag.belongsToMany(Customer, { through: Tagged });

/** A copy: Sequelize changes what it is given. */
const columns = (attributes) =>
  Object.fromEntries(Object.entries(attributes).map(([name, column]) => [name, column.type ? { ...column } : column]));

async function migrate() {
  const shop = async ({ context }) => {
    await context.createTable("tags", columns(tag));
    await context.createTable("customers", columns({ ...customer, ...made }));
    await context.addIndex("customers", ["name"]);
    await context.createTable("tagged", columns(tagged));
    await context.createTable("orders", columns(order));
    await context.addIndex("orders", [{ name: "made", order: "DESC" }]);
  };
  const storage = new SequelizeStorage({ sequelize: db });
  const migrations = [{ name: "0001-shop", up: shop }];
  await new Umzug({ migrations, storage, context: db.getQueryInterface(), logger: undefined }).up();
}

async function fill() {
  const tags = await Tag.bulkCreate([0, 1, 2, 3, 4].map((n) => ({ name: `tag ${n}` })));
  let last = null;
  for (let n = 0; n < 100; n++) {
    last = await Customer.create({
      referredById: n % 3 ? last.id : null,
      ...rows.customer(n),
    });
    await last.setTags(tags.slice(0, n % 4));
    const orders = [0, 1, 2].map((k) => ({ customerId: last.id, ...rows.order(n, k) }));
    await Order.bulkCreate(orders);
  }
  // So that the counter is beyond the last row.
  await (await Order.findOne({ order: [["id", "DESC"]] })).destroy();
}

async function read() {
  for (const model of [Tag, Customer, Tagged, Order]) {
    for (const row of await model.findAll()) rows.show(model.name, row.toJSON());
  }
}

async function write() {
  const last = await Order.max("id");
  const tag = await Tag.create({ name: "new" });
  const customer = await Customer.create({ name: "new" });
  await customer.addTag(tag);
  const made = new Date("2026-11-28T12:00:00Z");
  const order = await customer.createOrder({ amount: "1.10", made, data: { new: [1] }, scan: Buffer.from([0]), note: "" });
  assert.equal(tag.id, 6);
  assert.equal(BigInt(order.id), BigInt(last) + 2n);
  const found = await Order.findOne({ where: { made, customerId: customer.id } });
  assert.deepEqual([found.amount, found.state, found.pieces, found.data, found.scan], ["1.10", "open", 1, { new: [1] }, Buffer.from([0])]);
  await found.update({ state: "paid" });
  assert.equal((await Order.findByPk(order.id)).state, "paid");
  const referring = await Customer.findOne({ include: { association: "referredBy", where: { mayWrite: true } } });
  const before = await Order.count();
  const gone = [referring.referredById, customer.id];
  const theirs = await Order.count({ where: { customerId: { [Op.in]: gone } } });
  await Customer.destroy({ where: { id: gone } });
  assert.equal(await Order.count(), before - theirs);
  assert.equal((await referring.reload({ include: [] })).referredById, null);
}

const step = (work) => () => work().then(() => db.close());
rows.run({ migrate: step(migrate), fill: step(fill), read: step(read), write: step(write) });
