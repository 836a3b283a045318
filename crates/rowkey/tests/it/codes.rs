//! Codes for people: their text, what reading forgives, and what their check symbol detects.

use std::collections::HashSet;

use proptest::prelude::*;
use rowkey::Backend;
use rowkey::code::{Code, ParseCodeError};
use rowkey::generate::EntropyFn;
use rowkey::storage::Nullability;

type Booking = Code<8>;

#[test]
fn symbols_and_check_symbols_are_crockfords() {
    // 1234 is 16J, and 1234 modulo 37 is 13: D.
    let code = Code::<3>::from_number(1234).unwrap();
    assert_eq!(code.to_string(), "16JD");
    assert_eq!("16JD".parse(), Ok(code));
    // Each symbol stands for its value, and alone is its own check symbol.
    let symbols = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    for (value, symbol) in (0..).zip(symbols.chars()) {
        let text: String = [symbol, symbol].iter().collect();
        assert_eq!(Code::<1>::from_number(value).unwrap().to_string(), text);
    }
    // The check symbols beyond the alphabet.
    for (number, text) in [
        (32, "10*"),
        (33, "11~"),
        (34, "12$"),
        (35, "13="),
        (36, "14U"),
    ] {
        let code = Code::<2>::from_number(number).unwrap();
        assert_eq!(code.to_string(), text);
        assert_eq!(text.to_lowercase().parse(), Ok(code));
    }
    assert_eq!(Code::<2>::from_number(37).unwrap().to_string(), "150");
}

#[test]
fn reading_forgives_what_crockford_forgives() {
    let code: Booking = "10A1B0C12".parse().unwrap();
    let text = code.to_string();
    for written in [
        text.to_lowercase(),
        code.grouped(),
        format!("--{}-", code.grouped()),
        text.replace('1', "I").replace('0', "O"),
        text.replace('1', "l").replace('0', "o"),
        text.replace('1', "L"),
    ] {
        assert_eq!(written.parse(), Ok(code), "{written}");
    }
}

#[test]
fn errors_say_where() {
    let error = |text: &str| text.parse::<Booking>().unwrap_err();
    assert_eq!(error(""), ParseCodeError::Empty);
    assert_eq!(error("--"), ParseCodeError::Empty);
    let expected = 9;
    assert_eq!(
        error("4G7H-2MQX"),
        ParseCodeError::Length { expected, found: 8 }
    );
    assert_eq!(
        error("4G7H2MQX77"),
        ParseCodeError::Length {
            expected,
            found: 10
        }
    );
    // The hyphen counts for positions.
    let symbol = |position, found| ParseCodeError::Symbol { position, found };
    assert_eq!(error("4G7H-U2QX-7"), symbol(5, 'U'));
    assert_eq!(error("4G7H-*2QX-7"), symbol(5, '*'));
    assert_eq!(error("4G7H 2MQX"), symbol(4, ' '));
    assert_eq!(error("4G7H2MQX\u{ff16}"), symbol(8, '\u{ff16}'));
    assert_eq!(error("\u{131}G7H2MQX6"), symbol(0, '\u{131}'));
    let check = |position, found| ParseCodeError::Check { position, found };
    assert_eq!(error("4G7H-2MQX-6"), check(10, '6'));
    assert_eq!(error("4G7H2MXQ7"), check(8, '7'));
    assert_eq!(
        error("4G7H-2MQX-6").to_string(),
        "the check symbol '6' at position 10 does not fit the others: a symbol is wrong, or two are \
         exchanged"
    );
    assert_eq!(
        error("4G7H").to_string(),
        "a code has 9 symbols without hyphens, not 4"
    );
    assert_eq!(
        error("4G7H-U2QX-7").to_string(),
        "'U' at position 5 is not a symbol of a code"
    );
}

#[test]
fn new_codes_differ_and_have_a_check_symbol_that_can_be_read_out() {
    let codes: Vec<Booking> = (0..2_000).map(|_| Booking::generate()).collect();
    // 2000^2 / 2^41 for a false alarm: one in a million.
    assert!(codes.iter().collect::<HashSet<_>>().len() >= 1_999);
    for code in &codes {
        let text = code.to_string();
        assert!(text.chars().all(|symbol| symbol.is_ascii_alphanumeric()));
        assert!(!text.contains('U'));
    }
    // Every symbol is somewhere.
    let symbols: HashSet<char> = codes
        .iter()
        .flat_map(|code| {
            let text = code.to_string();
            text.chars().collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(symbols.len(), 32);
}

#[test]
fn every_short_code_is_drawn() {
    let drawn: HashSet<_> = (0..5_000).map(|_| Code::<1>::generate()).collect();
    assert_eq!(drawn.len(), 32);
}

/// Every bit of the code is that of a draw, and a draw is taken or replaced as a whole: so all
/// codes are equally likely.
#[track_caller]
fn is_the_first_fitting_draw<const LENGTH: usize>(draws: [u128; 2], mask: u128) {
    let mut left = draws.into_iter();
    let mut bits = EntropyFn(|bytes: &mut [u8]| {
        let draw = left.next().expect("the second draw fits").to_le_bytes();
        bytes.copy_from_slice(&draw[..bytes.len()]);
    });
    let code = Code::<LENGTH>::generate_with(&mut bits);
    let mut draws = draws.map(|draw| draw & mask).into_iter();
    let expected = draws.find(|number| number % 37 < 32);
    assert_eq!(Some(code.number()), expected);
}

#[test]
fn every_draw_of_a_short_code_is_the_code() {
    // 1024 numbers, of which each is drawn once, with any bits above.
    for draw in 0..1 << 10 {
        for above in [0, u128::MAX << 10, 1 << 10, 0xabcd << 10] {
            is_the_first_fitting_draw::<2>([above | draw, 31], 0x3ff);
        }
    }
}

#[test]
fn fixed_bits_end_with_a_code_as_well() {
    // 36 modulo 37 is 36, which is `U`.
    let mut bits = EntropyFn(|bytes: &mut [u8]| {
        bytes.fill(0);
        bytes[0] = 36;
    });
    let code = Code::<2>::generate_with(&mut bits);
    assert_eq!(code.to_string(), "0ZZ");
}

#[test]
fn columns_are_text_of_a_fixed_length_in_binary_order() {
    let column = |backend| Booking::column_definition(backend, "code", Nullability::NotNull);
    let expected = [
        (
            Backend::Postgres,
            r#""code" varchar(9) COLLATE "C" NOT NULL"#,
        ),
        (
            Backend::MySql,
            "`code` CHAR(9) CHARACTER SET ascii COLLATE ascii_bin NOT NULL",
        ),
        (
            Backend::MariaDb,
            "`code` CHAR(9) CHARACTER SET ascii COLLATE ascii_bin NOT NULL",
        ),
        (Backend::Sqlite, "`code` TEXT COLLATE BINARY NOT NULL"),
        (
            Backend::SqlServer,
            "[code] char(9) COLLATE Latin1_General_100_BIN2 NOT NULL",
        ),
    ];
    for (backend, definition) in expected {
        assert_eq!(column(backend).unwrap(), definition);
    }
    assert!(Booking::column_definition(Backend::Postgres, "", Nullability::Nullable).is_err());
}

#[cfg(feature = "serde")]
#[test]
fn json_is_the_text_and_is_read_tolerantly() {
    let code: Booking = "4G7H2MQX7".parse().unwrap();
    assert_eq!(serde_json::to_string(&code).unwrap(), r#""4G7H2MQX7""#);
    let read = |json| serde_json::from_str::<Booking>(json);
    assert_eq!(read(r#""4g7h-2mqx-7""#).unwrap(), code);
    let error = read(r#""4G7H2MQX6""#).unwrap_err().to_string();
    assert!(
        error.starts_with("the check symbol '6' at position 8"),
        "{error}"
    );
    let error = read("7").unwrap_err().to_string();
    assert!(
        error.contains("a code of 8 symbols and a check symbol"),
        "{error}"
    );
}

fn any_code() -> impl Strategy<Value = Booking> {
    (0..1_u128 << 40).prop_map(|number| Booking::from_number(number).unwrap())
}

proptest! {
    #[test]
    fn every_draw_is_the_code(draw: u128) {
        is_the_first_fitting_draw::<8>([draw, 31], (1 << 40) - 1);
        is_the_first_fitting_draw::<25>([draw, 31], (1 << 125) - 1);
    }

    #[test]
    fn texts_are_read_back(code in any_code()) {
        prop_assert_eq!(code.to_string().parse(), Ok(code));
        prop_assert_eq!(code.grouped().parse(), Ok(code));
        prop_assert_eq!(Booking::try_from(String::from(code)), Ok(code));
    }

    #[test]
    fn longest_codes_are_read_back(number in 0..1_u128 << 125) {
        let code = Code::<25>::from_number(number).unwrap();
        prop_assert_eq!(code.to_string().parse(), Ok(code));
        prop_assert_eq!(code.number(), number);
        prop_assert_eq!(Code::<25>::from_number(number + (1 << 125)), None);
    }

    #[test]
    fn texts_are_ordered_like_codes(a in any_code(), b in any_code()) {
        prop_assert_eq!(a.cmp(&b), a.to_string().cmp(&b.to_string()));
    }

    #[test]
    fn a_wrong_symbol_is_detected(code in any_code(), at in 0..9_usize, other in 0..32_usize) {
        let mut text: Vec<char> = code.to_string().chars().collect();
        let symbol = "0123456789ABCDEFGHJKMNPQRSTVWXYZ".chars().nth(other).unwrap();
        prop_assume!(text[at] != symbol);
        text[at] = symbol;
        let text: String = text.into_iter().collect();
        let is_detected = matches!(
            text.parse::<Booking>(),
            Err(ParseCodeError::Check { position: 8, .. })
        );
        prop_assert!(is_detected, "{}", text);
    }

    #[test]
    fn exchanged_neighbours_are_detected(code in any_code(), at in 0..7_usize) {
        let mut text: Vec<char> = code.to_string().chars().collect();
        prop_assume!(text[at] != text[at + 1]);
        text.swap(at, at + 1);
        let text: String = text.into_iter().collect();
        prop_assert!(text.parse::<Booking>().is_err(), "{}", text);
    }

    #[test]
    fn no_text_panics_and_what_is_read_has_one_text(text in "[0-9A-Za-z*~$=\\-é ]{0,12}") {
        if let Ok(code) = text.parse::<Booking>() {
            let bare: String = text.chars().filter(|symbol| *symbol != '-').collect();
            let plain = bare.to_uppercase().replace(['I', 'L'], "1").replace('O', "0");
            prop_assert_eq!(code.to_string(), plain);
        }
    }
}

/// Codes with a check symbol of the alphabet.
fn made(symbols: u32) -> u128 {
    let numbers = 1_u128 << (5 * symbols);
    numbers / 37 * 32 + (numbers % 37).min(32)
}

#[test]
fn the_book_says_how_many_codes_there_are() {
    // Counted, where that is possible.
    let counted = (0..1 << 15).filter(|number| number % 37 < 32).count();
    assert_eq!(made(3), counted as u128);

    let texts = [
        (5, Code::<5>::from_number(5_000_000).unwrap().grouped()),
        (6, Code::<6>::from_number(160_000_000).unwrap().grouped()),
        (8, "4G7H-2MQX-7".parse::<Booking>().unwrap().grouped()),
        (
            10,
            Code::<10>::from_number(170_000_000_000_000)
                .unwrap()
                .grouped(),
        ),
    ];
    let rows = texts.map(|(symbols, text)| {
        let codes = made(symbols);
        let [few, many] = [10_000, 1_000_000].map(|rows| grouped(codes / rows));
        format!(
            "| {symbols} | `{text}` | {} | 1 in {few} | 1 in {many} |",
            grouped(codes)
        )
    });
    let table = rows.join("\n");
    let page = include_str!("../../../../docs/src/codes.md");
    assert!(
        page.contains(&table),
        "the page has another table than\n{table}"
    );
}

/// A number in groups of three digits.
fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}
