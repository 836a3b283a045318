//! The example `tour` works as described.

use std::error::Error;

#[allow(dead_code, unreachable_pub)]
#[path = "../../examples/tour/src/main.rs"]
mod example;

#[tokio::test]
async fn time_ranges_use_the_primary_key() -> Result<(), Box<dyn Error>> {
    let mut output = Vec::new();
    example::tour(&mut output).await?;
    let output = String::from_utf8(output)?;

    let shown = |label: &str| {
        output
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix(label))
            .map(str::trim_start)
            .collect::<Vec<_>>()
    };
    let plan = shown("query plan");
    assert!(plan.len() >= 2, "{output}");
    for step in plan {
        // One interval is a search, two (across the end of the short COMBs' ring) are several.
        let uses_key = step.starts_with("SEARCH") && step.contains("USING COVERING INDEX");
        assert!(
            uses_key || step == "MULTI-INDEX OR" || step.starts_with("INDEX "),
            "{output}"
        );
    }
    assert_eq!(shown("rows"), ["1 of 2", "1 of 2"], "{output}");
    assert!(shown("stored")[0].starts_with("blob "), "{output}");
    assert!(shown("stored")[1].starts_with("text 31"), "{output}");
    assert_eq!(shown("SQL Server").len(), 2, "{output}");
    assert!(shown("public")[1].starts_with("inv_"), "{output}");
    Ok(())
}
