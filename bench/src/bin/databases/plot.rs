//! The bars of the page.

use std::path::Path;

use anyhow::{Result, anyhow};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::fill::kinds;
use crate::report::{Report, grouped};

const WIDTH: u32 = 820;
const BAR: i32 = 22;
const LEFT: i32 = 210;
/// The longest bar; its figures stand right of it.
const LONGEST: f64 = 430.0;

/// Draws how long each kind of ids took in each database.
pub(crate) fn draw(report: &Report, path: &Path) -> Result<()> {
    plot(report, path).map_err(|error| anyhow!("could not draw {}: {error}", path.display()))
}

fn plot(report: &Report, path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let panels: Vec<_> = report
        .sections
        .iter()
        .filter_map(|section| Some((section.name, section.measured.as_ref().ok()?)))
        .collect();
    let bars: usize = panels
        .iter()
        .map(|(_, measured)| kinds(&measured.fills).count())
        .sum();
    let height = 60 + panels.len() as i32 * 60 + bars as i32 * BAR;
    let area = SVGBackend::new(path, (WIDTH, height.cast_unsigned())).into_drawing_area();
    area.fill(&WHITE)?;
    let left = ("sans-serif", 14).into_font().color(&BLACK);
    let right = left.pos(Pos::new(HPos::Right, VPos::Top));
    let heading = ("sans-serif", 17).into_font().color(&BLACK);

    let title = format!(
        "Insert time of {} rows, as a ratio to bigint, and size of the index",
        grouped(report.rows)
    );
    area.draw(&Text::new(title, (16, 16), heading.clone()))?;
    let mut top = 50;
    for (name, measured) in panels {
        let label = format!("{name} {}", measured.version);
        area.draw(&Text::new(label, (16, top + 4), heading.clone()))?;
        top += 34;
        let largest = kinds(&measured.fills).fold(1.0, |most, (_, ratio)| ratio.high.max(most));
        let at = |ratio: f64| LEFT + (ratio / largest * LONGEST).round() as i32;
        for (fill, ratio) in kinds(&measured.fills) {
            let name = fill.kind.name();
            area.draw(&Text::new(name, (LEFT - 10, top), right.clone()))?;
            let bar = [(LEFT, top), (at(ratio.median), top + BAR - 6)];
            area.draw(&Rectangle::new(bar, RGBColor(48, 105, 152).filled()))?;
            let middle = top + (BAR - 6) / 2;
            let interval = [(at(ratio.low), middle), (at(ratio.high), middle)];
            area.draw(&PathElement::new(interval, BLACK.stroke_width(2)))?;
            let megabytes = fill.index_bytes() / 1e6;
            let figures = format!("{:.2} ({megabytes:.0} MB)", ratio.median);
            let end = at(ratio.high) + 8;
            area.draw(&Text::new(figures, (end, top), left.clone()))?;
            top += BAR;
        }
        top += 26;
    }
    area.present()?;
    Ok(())
}
