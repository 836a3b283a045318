// What applications on Node have in common: rows with values at the edges, and how rows are shown.

const moments = ["2024-02-29T23:59:59.999Z", "1970-01-01T00:00:00.001Z", "2199-12-31T12:00:00Z"];
const documents = [{}, { b: [1, null, true, { ü: '\\"\n' }], a: 2 ** 53 }, null, [1.5], "text"];

exports.customer = (n) => ({
  name: ["Ada", "Żółć", "李小龙", "O'Brien \\", "👩‍🚀", ""][n % 6],
  born: n % 5 ? `${1900 + n}-02-28` : null,
  isActive: n % 2 === 1,
  mayWrite: [null, true, false][n % 3],
});

exports.order = (n, k) => ({
  state: ["open", "paid"][k % 2],
  amount: ["0.00", "-0.01", "9999999999.99", "12.50"][(n + k) % 4],
  weight: [null, 0.1, -1e300, 5e-324, 1 / 3][(n + k) % 5],
  pieces: [1, 32767, -32768][k],
  largest: [null, "-9223372036854775808", "9223372036854775807"][k],
  made: new Date(moments[(n + k) % 3]),
  wanted: [null, "00:00:00", "23:59:59"][k],
  data: documents[(n + k) % 5],
  scan: [null, Buffer.alloc(0), Buffer.from([...Array(256).keys()])][k],
  note: ["", "line\r\nline\ttab", "x".repeat(70000)][n === 7 ? k : 0],
});

/** Keys in one order, and numbers of 64 bits as text: MySQL's driver gives small ones as numbers. */
function plain(key, value) {
  if (["id", "largest"].includes(key) && value !== null) return String(value);
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  if (value.type === "Buffer") return Buffer.from(value.data).toString("hex");
  return Object.fromEntries(Object.entries(value).sort());
}

exports.show = (name, row) => console.log(name, JSON.stringify(row, plain));

exports.run = (steps) =>
  steps[process.argv[2]]().catch((error) => {
    console.error(error);
    process.exit(1);
  });
