//! Bars of rows per second.

use std::path::Path;

use anyhow::{Result, anyhow};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// As wide as the book's other diagrams, which stay readable on a phone.
const WIDTH: u32 = 400;
const BAR: i32 = 22;
const LEFT: i32 = 112;
/// The longest bar; its figures stand right of it.
const LONGEST: f64 = 130.0;

/// The copies of one table from one server to another.
pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) bars: Vec<Bar>,
}

/// A way to copy the table.
pub(crate) struct Bar {
    pub(crate) name: &'static str,
    pub(crate) rows_per_second: f64,
    pub(crate) peak_kib: Option<u64>,
}

/// Draws how fast each way is, each panel in its own scale.
pub(crate) fn draw(panels: &[Panel], path: &Path) -> Result<()> {
    plot(panels, path).map_err(|error| anyhow!("could not draw {}: {error}", path.display()))
}

fn plot(panels: &[Panel], path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let bars: usize = panels.iter().map(|panel| panel.bars.len()).sum();
    let height = 20 + panels.len() as i32 * 60 + bars as i32 * BAR;
    let area = SVGBackend::new(path, (WIDTH, height.cast_unsigned())).into_drawing_area();
    area.fill(&WHITE)?;
    let left = ("sans-serif", 14).into_font().color(&BLACK);
    let right = left.pos(Pos::new(HPos::Right, VPos::Top));
    let heading = ("sans-serif", 17).into_font().color(&BLACK);
    let mut top = 16;
    for Panel { title, bars } in panels {
        area.draw(&Text::new(title.as_str(), (16, top), heading.clone()))?;
        top += 30;
        let largest = bars.iter().map(|bar| bar.rows_per_second);
        let largest = largest.fold(1.0, f64::max);
        for bar in bars {
            let end = LEFT + (bar.rows_per_second / largest * LONGEST).round() as i32;
            area.draw(&Text::new(bar.name, (LEFT - 10, top), right.clone()))?;
            let corners = [(LEFT, top), (end, top + BAR - 6)];
            area.draw(&Rectangle::new(corners, RGBColor(48, 105, 152).filled()))?;
            let memory = bar.peak_kib.map_or(String::new(), |kib| {
                format!(", {:.0} MiB", kib as f64 / 1_024.0)
            });
            let figures = format!("{:.0} rows/s{memory}", bar.rows_per_second);
            area.draw(&Text::new(figures, (end + 8, top), left.clone()))?;
            top += BAR;
        }
        top += 30;
    }
    area.present()?;
    Ok(())
}
