//! Mixtures, damage, and what only witnesses tell.

use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::Layout;
use rowkey_doctor::{Certainty, DamageKind, Diagnosis, Observation, StoredValue, Survey, Witness};

use crate::tables::{
    Known, NOTHING, NOW, ORDER, Random, Rate, Row, diagnose, diagnose_bytes, in_sql_server_order,
    table,
};

fn share(found: &Diagnosis, format: FormatKind) -> f64 {
    let of_format = found
        .candidates
        .iter()
        .find(|candidate| candidate.format == format);
    of_format.map_or(0.0, |candidate| candidate.share)
}

/// Random UUIDs up to a change, and another format since.
fn changed(format: FormatKind, share: f64, rows: usize, rate: Rate) -> Vec<Row> {
    let mut random = Random(11);
    let new = (rows as f64 * share) as usize;
    let mut all = table(FormatKind::UuidV4, &mut random, rate, rows - new, 10.0);
    all.extend(table(format, &mut random, rate, new, 0.0));
    all
}

#[test]
fn a_mixture_is_found_from_two_in_a_hundred_of_10_000_rows() {
    for share_of_new in [0.02, 0.05, 0.3, 0.6, 0.98] {
        for format in [
            FormatKind::UuidV7,
            FormatKind::PrefixComb,
            FormatKind::SuffixComb,
            FormatKind::ShortPrefixComb,
            FormatKind::ShortSuffixComb,
            FormatKind::DistributedId128,
            FormatKind::Iuid,
            FormatKind::Luuid,
        ] {
            let rows = changed(format, share_of_new, 10_000, Rate::Random(5_000.0));
            let found = diagnose(FormatKind::AnyUuid, Layout::Public, &rows, ORDER, &[]);
            let what = format!("{format} {share_of_new}: {found:#?}");
            assert_eq!(found.candidates.len(), 2, "{what}");
            let told = share(&found, format);
            assert!((told - share_of_new).abs() < 0.01, "{told} {what}");
            let old = share(&found, FormatKind::UuidV4);
            assert!((old + told - 1.0).abs() < 1e-6, "{what}");
            // Without times, a small rest of random UUIDs, or the interval of a counter, is not
            // certain.
            let certainty = match format {
                FormatKind::ShortPrefixComb | FormatKind::ShortSuffixComb => Certainty::Likely,
                FormatKind::PrefixComb | FormatKind::SuffixComb => Certainty::Certain,
                _ => Certainty::Likely,
            };
            assert_eq!(found.certainty, certainty, "{what}");
            let reads_all = match format {
                FormatKind::PrefixComb
                | FormatKind::SuffixComb
                | FormatKind::ShortPrefixComb
                | FormatKind::ShortSuffixComb => FormatKind::UuidV4,
                _ => FormatKind::AnyUuid,
            };
            assert_eq!(found.format, Some(reads_all), "{what}");
        }
    }
}

#[test]
fn with_times_a_mixture_is_found_in_any_order() {
    for format in [FormatKind::ShortPrefixComb, FormatKind::ShortSuffixComb] {
        let mut rows = changed(format, 0.02, 10_000, Rate::Random(60_000.0));
        let mut random = Random(3);
        for index in (1..rows.len()).rev() {
            rows.swap(index, random.below(index as u64 + 1) as usize);
        }
        let known = Known {
            order: false,
            created: Some(0),
        };
        let found = diagnose(FormatKind::UuidV4, Layout::Public, &rows, known, &[]);
        assert!((share(&found, format) - 0.02).abs() < 0.01, "{found:#?}");
    }
}

#[test]
fn rows_of_two_layouts_are_a_mixture() {
    let mut random = Random(2);
    let rows = table(
        FormatKind::UuidV7,
        &mut random,
        Rate::Random(1_000.0),
        1_000,
        1.0,
    );
    let stored: Vec<(u128, i64)> = rows
        .iter()
        .enumerate()
        .map(|(number, row)| match number < 700 {
            true => (in_sql_server_order(row.id), row.time),
            false => (row.id, row.time),
        })
        .collect();
    let found = diagnose_bytes(&stored, ORDER);
    let layouts: Vec<_> = found
        .candidates
        .iter()
        .map(|candidate| (candidate.format, candidate.layout, candidate.share))
        .collect();
    assert_eq!(
        layouts,
        [
            (FormatKind::UuidV7, Some(Layout::SqlServer), 0.7),
            (FormatKind::UuidV7, Some(Layout::Public), 0.3),
        ],
        "{found:#?}"
    );
    assert_eq!(found.format, Some(FormatKind::AnyUuid));
}

#[test]
fn the_order_of_a_dotnet_guid_is_named_and_has_no_layout() {
    let mut random = Random(2);
    let stored: Vec<(u128, i64)> = (0..200)
        .map(|_| {
            let id = rowkey_core::Uuid::from_u128(random.v4());
            (u128::from_be_bytes(id.to_bytes_le()), 0)
        })
        .collect();
    let found = diagnose_bytes(&stored, NOTHING);
    assert!(found.evidence[0].contains(".NET Guid"), "{found:#?}");
    assert_eq!((found.format, found.layout), (None, None));
}

/// Random text of a length that ids have, of which a part looks like ids with a time.
#[test]
fn texts_of_other_makers_are_not_called_ids() {
    const LETTERS: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let lower_hex = b"0123456789abcdef";
    for (alphabet, length) in [
        (&lower_hex[..], 16),
        (LETTERS, 16),
        (LETTERS, 22),
        (&LETTERS[..10], 16),
        (&LETTERS[..10], 28),
    ] {
        let mut random = Random(length);
        let mut survey = Survey::new(Backend::Sqlite, false, NOW);
        for _ in 0..3_000 {
            let letter = |_| char::from(alphabet[random.below(alphabet.len() as u64) as usize]);
            let text: String = (0..length).map(letter).collect();
            survey.take(Observation::of(StoredValue::Text(&text)).following());
        }
        let found = survey.conclude(&[]);
        assert_eq!(found.format, None, "{length}: {found:#?}");
        assert_eq!(
            found.certainty,
            Certainty::CannotTell,
            "{length}: {found:#?}"
        );
    }
}

#[test]
fn a_few_rows_by_chance_are_no_mixture() {
    let mut random = Random(6);
    let stored: Vec<(u128, i64)> = (0..3_000)
        .map(|_| (random.v4() & !(0xf << 76) | 6 << 76, 0))
        .collect();
    let found = diagnose_bytes(&stored, NOTHING);
    assert_eq!(found.candidates.len(), 1, "{found:#?}");
    assert_eq!(found.format, Some(FormatKind::AnyUuid));
}

#[test]
fn damage_is_counted_with_examples() {
    let mut random = Random(4);
    let rows = table(
        FormatKind::UuidV7,
        &mut random,
        Rate::Random(1_000.0),
        500,
        1.0,
    );
    let texts: Vec<String> = rows
        .iter()
        .map(|row| rowkey_core::text::hyphenated::write(row.id).to_string())
        .collect();
    let mut survey = Survey::new(Backend::MySql, false, NOW);
    let take = &mut |value: StoredValue<'_>| survey.take(Observation::of(value).following());
    for text in &texts {
        take(StoredValue::Text(text));
    }
    take(StoredValue::Null);
    for text in &texts[..7] {
        take(StoredValue::Text(&text.to_uppercase()));
    }
    take(StoredValue::Text(&texts[0].replace('-', "")));
    take(StoredValue::Text(&format!("{{{}}}", texts[0])));
    take(StoredValue::Text(&texts[0][..30]));
    take(StoredValue::Text(""));
    take(StoredValue::Text("00000000-0000-0000-0000-000000000000"));
    take(StoredValue::Text("00000000-0000-7000-8000-000000000001"));
    take(StoredValue::Text("018e5f3b-ff48-0bff-8000-0123456789ab"));
    take(StoredValue::Bytes(&[1; 16]));
    let found = survey.conclude(&[]);
    let mut counts: Vec<(DamageKind, u64)> = found
        .damaged
        .iter()
        .map(|damage| (damage.kind, damage.count))
        .collect();
    counts.sort_unstable();
    let mut expected = [
        (DamageKind::WrongCase, 7),
        (DamageKind::WrongForm, 1),
        (DamageKind::Braces, 1),
        (DamageKind::WrongLength, 2),
        (DamageKind::Nil, 1),
        (DamageKind::ImplausibleTime, 1),
        (DamageKind::ImpossibleVersion, 1),
        (DamageKind::WrongType, 1),
    ];
    expected.sort_unstable();
    assert_eq!(counts, expected, "{found:#?}");
    assert!(
        found
            .damaged
            .iter()
            .all(|damage| (1..=5).contains(&damage.examples.len()))
    );
    assert_eq!(found.format, Some(FormatKind::UuidV7));
    assert_eq!(found.sampled, 516);
    let examples = found
        .damaged
        .iter()
        .find(|damage| damage.kind == DamageKind::ImplausibleTime);
    assert_eq!(
        examples.unwrap().examples,
        ["00000000-0000-7000-8000-000000000001"]
    );
}

#[test]
fn values_cut_off_or_padded_by_a_column_of_sixteen_bytes_are_damage() {
    let mut random = Random(4);
    let mut survey = Survey::new(Backend::MariaDb, false, NOW);
    for _ in 0..100 {
        survey.take(Observation::of(StoredValue::Bytes(
            &random.v4().to_be_bytes(),
        )));
    }
    survey.take(Observation::of(StoredValue::Bytes(b"018e5f3b-ff48-4b")));
    let padded = random.v4() & !0xffff_ffff;
    survey.take(Observation::of(StoredValue::Bytes(&padded.to_be_bytes())));
    let found = survey.conclude(&[]);
    let kinds: Vec<DamageKind> = found.damaged.iter().map(|damage| damage.kind).collect();
    assert_eq!(
        kinds,
        [DamageKind::TextCutOff, DamageKind::ZeroPadded],
        "{found:#?}"
    );
}

#[test]
fn a_column_in_which_every_random_uuid_was_cut_off_is_damaged() {
    let mut random = Random(6);
    let mut survey = Survey::new(Backend::MariaDb, false, NOW);
    for _ in 0..200 {
        let cut = random.v4() & !0xffff_ffff;
        survey.take(Observation::of(StoredValue::Bytes(&cut.to_be_bytes())));
    }
    let found = survey.conclude(&[]);
    let damaged = found
        .damaged
        .first()
        .map(|damage| (damage.kind, damage.count));
    assert_eq!(damaged, Some((DamageKind::ZeroPadded, 200)), "{found:#?}");
    assert_eq!(found.candidates[0].format, FormatKind::UuidV4, "{found:#?}");
}

#[test]
fn witnesses_choose_between_names_of_the_same_bytes() {
    let mut random = Random(9);
    let rows = table(
        FormatKind::PrefixComb,
        &mut random,
        Rate::Random(1_000.0),
        100,
        1.0,
    );
    let as_text = |id| rowkey_core::text::hyphenated::write(id).to_string();
    let stored = rowkey_core::storage::Permutation::SwapFull.apply(rows[0].id);
    let witness = |public| {
        let text = format!("{}={}", as_text(stored), as_text(public));
        text.parse::<Witness>().unwrap()
    };
    let of = |witnesses: &[Witness]| {
        let found = diagnose(
            FormatKind::PrefixComb,
            Layout::Suffix,
            &rows,
            ORDER,
            witnesses,
        );
        (found.format, found.layout)
    };
    let (prefix, suffix) = (FormatKind::PrefixComb, FormatKind::SuffixComb);
    assert_eq!(of(&[]), (Some(suffix), Some(Layout::Public)));
    assert_eq!(
        of(&[witness(rows[0].id)]),
        (Some(prefix), Some(Layout::Suffix))
    );
    assert_eq!(of(&[witness(stored)]), (Some(suffix), Some(Layout::Public)));
    for text in ["", "a=b", "018e5f3b-ff48-7bff-8000-0123456789ab"] {
        assert!(text.parse::<Witness>().is_err(), "{text}");
    }
}

#[test]
fn one_digit_for_the_variant_is_still_random() {
    let mut random = Random(11);
    let rate = Rate::Random(60_000.0);
    let mut rows = table(FormatKind::UuidV4, &mut random, rate, 400, 1.0);
    for row in &mut rows {
        row.id = row.id & !(0xf << 60) | 0xa << 60;
    }
    let known = Known {
        created: Some(0),
        ..ORDER
    };
    let found = diagnose(FormatKind::UuidV4, Layout::Public, &rows, known, &[]);
    assert_eq!(
        (found.format, found.certainty),
        (Some(FormatKind::UuidV4), Certainty::Certain),
        "{found:#?}"
    );
}

#[test]
fn the_byte_order_of_random_uuids_is_told_by_a_witness_only() {
    let mut random = Random(9);
    let rows = table(
        FormatKind::UuidV4,
        &mut random,
        Rate::Random(1_000.0),
        200,
        1.0,
    );
    let text = rowkey_core::text::hyphenated::write(rows[0].id).to_string();
    let found = diagnose(FormatKind::UuidV4, Layout::Public, &rows, ORDER, &[]);
    assert_eq!(
        (found.format, found.layout),
        (Some(FormatKind::UuidV4), None)
    );
    let witness = format!("{text}={text}").parse().unwrap();
    let found = diagnose(FormatKind::UuidV4, Layout::Public, &rows, ORDER, &[witness]);
    assert_eq!(found.layout, Some(Layout::Public), "{found:#?}");
    // Somebody exchanged bytes in a way that no layout has.
    let other = rowkey_core::Uuid::from_u128(rows[0].id ^ 0xff);
    let witness = format!("{text}={other}").parse().unwrap();
    let found = diagnose(FormatKind::UuidV4, Layout::Public, &rows, ORDER, &[witness]);
    assert_eq!(found.layout, None);
    assert!(
        found
            .evidence
            .iter()
            .any(|said| said.contains("contradict")),
        "{found:#?}"
    );
}

#[test]
fn an_empty_column_tells_nothing() {
    let mut survey = Survey::new(Backend::Sqlite, false, NOW);
    survey.take(Observation::of(StoredValue::Null));
    let found = survey.conclude(&[]);
    assert_eq!(found.certainty, Certainty::CannotTell);
    assert_eq!((found.format, found.storage), (None, None));
}

#[test]
fn values_of_other_forms_are_values() {
    for (texts, said) in [
        (
            ["01ARZ3NDEKTSV4RRFFQ69G5FAV", "01BX5ZZKBKACTAV9WEVGEMMVRZ"],
            "ULIDs",
        ),
        (
            [
                "{018E5F3B-FF48-47CC-B5BA-D01C25CC63A7}",
                "{118E5F3B-FF48-47CC-B5BA-D01C25CC63A7}",
            ],
            "braces",
        ),
        (["935.0", "936.0"], "behind the point"),
        (["935.50", "936.25"], "behind the point"),
        (
            [
                "01ARZ3NDEKTSV4RRFFQ69G5FAV    ",
                "01BX5ZZKBKACTAV9WEVGEMMVRZ    ",
            ],
            "ULIDs",
        ),
        (
            [
                "0x018e5f3bff4847ccb5bad01c25cc63a7",
                "0x118E5F3BFF4847CCB5BAD01C25CC63A7",
            ],
            "`0x`",
        ),
        (
            [
                "(018e5f3b-ff48-47cc-b5ba-d01c25cc63a7)",
                "(118E5F3B-FF48-47CC-B5BA-D01C25CC63A7)",
            ],
            "parentheses",
        ),
        (
            ["AY5fO_9IR8y1utAcJcxjpw", "EY5fO-9IR8y1utAcJcxjpw"],
            "base 64",
        ),
        (
            ["AY5fO/9IR8y1utAcJcxjpw==", "EY5fO+9IR8y1utAcJcxjpw=="],
            "base 64",
        ),
        (["hello", "world"], "None of 2 values"),
    ] {
        let mut survey = Survey::new(Backend::Sqlite, false, NOW);
        for text in texts {
            survey.take(Observation::of(StoredValue::Text(text)));
        }
        let found = survey.conclude(&[]);
        assert_eq!(found.certainty, Certainty::CannotTell);
        let evidence = found.evidence.join(" ");
        assert!(evidence.contains(said), "{evidence}");
        assert!(!evidence.contains("no value to look at"), "{evidence}");
    }
}
