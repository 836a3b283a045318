//! `cargo xtask diagrams`: draws the pictures of the book from the constants that the code uses.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use rowkey_core::format::{BitField, FieldKind, FormatKind};
use rowkey_core::storage::{Permutation, StoragePlan, Stored};
use rowkey_core::{Backend, DistributedId, ShortPrefixComb};
use svg::node::element::{Line, Rectangle, Text, Title};
use svg::{Document, Node};

use crate::command;

/// The keys of the picture of five databases.
const OFFER: ShortPrefixComb = ShortPrefixComb::constant(0x3a7c_b1c2_d3e4_4f50_8a61_7283_94a5_b6d8);
const INVOICE: DistributedId = DistributedId::constant(1_088_824_355_131_185_736_905_670_087);

#[rustfmt::skip]
const LAYOUTS: [(&str, Permutation, &str); 3] = [
    ("prefix-suffix-short", Permutation::SwapShort, "short COMB: prefix ↔ suffix"),
    ("prefix-suffix", Permutation::SwapFull, "COMB: prefix ↔ suffix"),
    ("sql-server", Permutation::SqlServer, "layout sql-server"),
];

/// Writes every picture.
pub(crate) fn run() -> Result<()> {
    let folder = folder();
    fs::create_dir_all(&folder)?;
    for (name, picture) in pictures() {
        fs::write(folder.join(&name), picture).context(name)?;
    }
    Ok(())
}

/// Fails if a picture is not what would be drawn.
pub(crate) fn check() -> Result<()> {
    for (name, picture) in pictures() {
        let drawn = fs::read_to_string(folder().join(&name)).unwrap_or_default();
        ensure!(
            drawn == picture,
            "docs/src/diagrams/{name} is out of date; run `cargo xtask diagrams`"
        );
    }
    Ok(())
}

fn folder() -> PathBuf {
    command::root().join("docs/src/diagrams")
}

/// Names and contents of all files.
fn pictures() -> Vec<(String, String)> {
    let formats = FormatKind::ALL
        .into_iter()
        .map(|kind| (format!("format-{}.svg", kind.name()), format_picture(kind)));
    let layouts = LAYOUTS
        .map(|(name, bytes, title)| (format!("layout-{name}.svg"), layout_picture(title, bytes)));
    let databases = ("one-key-five-databases.svg".to_owned(), databases_picture());
    formats.chain(layouts).chain([databases]).collect()
}

/// A card of fixed width on which things are put from top to bottom.
///
/// It has a background of its own, so that it is readable on a dark page, too, and is narrow enough
/// for a phone.
struct Card {
    document: Document,
    height: usize,
}

const WIDTH: usize = 400;
/// Left of the first byte.
const MARGIN: usize = 8;
/// The width of a byte: three units a bit.
const BYTE: usize = 24;
const FONTS: &str = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace";
const INK: &str = "#1b1f24";
const QUIET: &str = "#59636e";

impl Card {
    fn new(title: &str) -> Self {
        let background = Rectangle::new().set("width", "100%").set("height", "100%");
        let document = Document::new()
            .set("width", WIDTH)
            .set("font-family", FONTS)
            .set("role", "img")
            .add(background.set("rx", 6).set("fill", "#ffffff"))
            .add(Title::new(title));
        let height = 26;
        let mut card = Self { document, height };
        card.text((MARGIN, 20), 15, INK, "start", title);
        card
    }

    fn text(&mut self, (x, y): (usize, usize), size: usize, ink: &str, anchor: &str, text: &str) {
        let text = Text::new(text)
            .set("x", x)
            .set("y", y)
            .set("font-size", size)
            .set("fill", ink)
            .set("text-anchor", anchor);
        self.document.append(text);
    }

    fn field(&mut self, x: usize, y: usize, width: usize, height: usize, fill: &str) {
        let field = Rectangle::new()
            .set("x", x)
            .set("y", y)
            .set("width", width)
            .set("height", height)
            .set("fill", fill)
            .set("stroke", "#ffffff");
        self.document.append(field);
    }

    /// A row of sixteen bytes: what is written on each, and its colour.
    fn bytes(&mut self, bytes: &[(String, &str)]) {
        let y = self.height;
        for (index, (text, fill)) in bytes.iter().enumerate() {
            self.field(MARGIN + index * BYTE, y, BYTE, BYTE, fill);
            self.text((centre(index), y + 16), 12, INK, "middle", text);
        }
        self.height += BYTE;
    }

    fn line(&mut self, text: &str) {
        self.text((MARGIN, self.height + 15), 12, QUIET, "start", text);
        self.height += 20;
    }

    fn finish(mut self) -> String {
        let height = self.height + 8;
        self.document.assign("viewBox", (0, 0, WIDTH, height));
        self.document.assign("height", height);
        format!("{}\n", self.document)
    }
}

/// Of a row, in the middle of a byte.
fn centre(index: usize) -> usize {
    MARGIN + index * BYTE + BYTE / 2
}

/// What orders an index is orange, wherever it stands.
const TIME: &str = "#f4a259";
const RANDOM: &str = "#bcd9f5";
const FIXED: &str = "#dfe5ec";

fn colour(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Time { .. } | FieldKind::Interval => TIME,
        FieldKind::Version(_) | FieldKind::Variant(_) | FieldKind::Constant(_) => FIXED,
        FieldKind::Counter => "#f8d6a6",
        FieldKind::Machine => "#d7bdf0",
        FieldKind::Context => "#a7d8a0",
        _ => RANDOM,
    }
}

/// The 128 bits of a format with what each field is.
fn format_picture(kind: FormatKind) -> String {
    let mut card = Card::new(kind.type_name());
    let top = card.height;
    for byte in 0..16 {
        let number = byte.to_string();
        card.text((centre(byte), top + 12), 10, QUIET, "middle", &number);
    }
    card.height += 48;
    for field in kind.fields() {
        let fill = colour(field.kind);
        let x = MARGIN + usize::from(field.first_bit) * 3;
        card.field(x, top + 16, usize::from(field.width) * 3, 26, fill);
        let y = card.height;
        card.field(MARGIN, y + 4, 12, 12, fill);
        card.text((MARGIN + 20, y + 15), 12, INK, "start", &legend(field));
        card.height += 20;
    }
    card.finish()
}

/// `bytes 0–1 · 16 bits · counter of intervals`.
fn legend(field: &BitField) -> String {
    let BitField { name, width, .. } = *field;
    let last = field.first_bit + width - 1;
    let bytes = match (field.first_bit / 8, last / 8) {
        (from, to) if from == to => format!("byte {from}"),
        (from, to) => format!("bytes {from}–{to}"),
    };
    let unit = if width == 1 { "bit" } else { "bits" };
    format!("{bytes} · {width} {unit} · {name}")
}

/// Where the bytes of the public form go.
fn layout_picture(title: &str, permutation: Permutation) -> String {
    let public: [u8; 16] = std::array::from_fn(|index| index as u8);
    let stored = permutation.apply(u128::from_be_bytes(public)).to_be_bytes();
    let moved = |byte: u8| {
        let stays = stored[usize::from(byte)] == byte;
        match byte {
            _ if stays => FIXED,
            0..8 => TIME,
            _ => RANDOM,
        }
    };
    let row = |bytes: [u8; 16]| bytes.map(|byte| (byte.to_string(), moved(byte)));
    let mut card = Card::new(title);
    card.line("public form");
    card.bytes(&row(public));
    let top = card.height;
    for (to, from) in stored.into_iter().enumerate() {
        let line = Line::new()
            .set("x1", centre(usize::from(from)))
            .set("y1", top + 2)
            .set("x2", centre(to))
            .set("y2", top + 58)
            .set("stroke", moved(from))
            .set("stroke-width", 2);
        card.document.append(line);
    }
    card.height += 60;
    card.bytes(&row(stored));
    card.line("stored form");
    card.finish()
}

/// Keys as each database stores them, with the bytes that come first in its order.
fn databases_picture() -> String {
    let mut card = Card::new("Two keys in five databases");
    card.line("OfferId(ShortPrefixComb)");
    card.line(&format!("public: {OFFER}"));
    let plan = StoragePlan::default_for(FormatKind::ShortPrefixComb);
    stored(&mut card, &plan, OFFER.to_u128(), 0xffff << 112);
    card.height += 16;
    card.line("InvoiceId(DistributedId) with");
    card.line("storage(postgres = \"uuid\", sqlserver = \"uuid\")");
    card.line(&format!("public: {INVOICE}"));
    let plan = StoragePlan::default_for(FormatKind::DistributedId)
        .with(Backend::Postgres, "uuid")
        .with(Backend::SqlServer, "uuid");
    stored(&mut card, &plan, INVOICE.to_u128(), 0xffff_ffff_ffff << 48);
    card.height += 6;
    card.line("orange: the time, which leads the index");
    card.finish()
}

/// What the databases store for a value, two digits a byte; `time` has the bits of its time.
fn stored(card: &mut Card, plan: &StoragePlan, value: u128, time: u128) {
    for backend in Backend::ALL {
        let column = plan.column(backend);
        let column_type = plan.column_type(backend).unwrap_or_default();
        card.height += 6;
        card.line(&format!("{backend}: {column_type}"));
        if let Stored::Decimal(_) | Stored::Text(_) = column.encode(value) {
            card.text(
                (MARGIN, card.height + 14),
                13,
                INK,
                "start",
                &column.literal(value),
            );
            card.height += 20;
            continue;
        }
        let [digits, time] =
            [value, time].map(|bits| column.permutation().apply(bits).to_be_bytes());
        let bytes = digits.into_iter().zip(time);
        card.bytes(&bytes.map(cell).collect::<Vec<_>>());
    }
}

fn cell((byte, time): (u8, u8)) -> (String, &'static str) {
    let fill = if time == 0 { FIXED } else { TIME };
    (format!("{byte:02x}"), fill)
}
