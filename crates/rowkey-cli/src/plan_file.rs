//! Plans in files: for a copy, and for a change in place.

use std::path::Path;

use rowkey_copy::CopyPlan;
use rowkey_relayout::plan::Plan;

use crate::database::read_file;
use crate::failure::Failure;

/// The plan of a copy.
pub(crate) fn of_copy(path: &Path) -> Result<CopyPlan, Failure> {
    let text = read_file(path)?;
    CopyPlan::from_toml(&text).map_err(|error| match Plan::from_toml(&text) {
        Ok(plan) => Failure::wrong_usage(
            "the plan is for a change in place, not for a copy",
            format!("run `rowkey {}` with it", command(&plan)),
        ),
        Err(_) => error.into(),
    })
}

/// The plan of a change in place.
pub(crate) fn of_change(path: &Path) -> Result<Plan, Failure> {
    let text = read_file(path)?;
    Plan::from_toml(&text).map_err(|error| match CopyPlan::is_in(&text) {
        true => Failure::wrong_usage(
            "the plan is for a copy, not for a change in place",
            "run `rowkey copy` with it",
        ),
        false => error.into(),
    })
}

/// The command that makes the change of a plan.
pub(crate) fn command(plan: &Plan) -> &'static str {
    match plan.key.from {
        Some(_) => "relayout",
        None => "rekey",
    }
}
