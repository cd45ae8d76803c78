//! Integers as the API server reads them: parsed by Go's YAML parser, then converted through JSON.

/// Returns the integer value of a plain scalar; `None` for fractions and text.
///
/// Source: sigs.k8s.io/yaml@v1.6.0 `goyaml.v2/resolve.go`, `resolve`; go@1.26 `strconv`, `ParseInt` with base 0.
pub(super) fn go_int(text: &str) -> Option<i64> {
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.')) {
        return None;
    }
    // Go removes all underscores first.
    let plain = text.replace('_', "");
    let (sign, digits) = match plain.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, plain.strip_prefix('+').unwrap_or(&plain)),
    };
    let lower = digits.to_ascii_lowercase();
    let based = |prefix: &str, radix: u32| lower.strip_prefix(prefix).map(|digits| (digits.to_owned(), radix));
    let based = based("0x", 16).or_else(|| based("0o", 8)).or_else(|| based("0b", 2));
    if let Some((digits, radix)) = based {
        return whole(&digits, radix).map(|number| sign * number);
    }
    let radix = if lower.len() > 1 && lower.starts_with('0') { 8 } else { 10 };
    whole(&lower, radix).map(|number| sign * number).or_else(|| parse_float(&plain))
}

/// Parses an integer in this radix.
fn whole(digits: &str, radix: u32) -> Option<i64> {
    let is_digits = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    if is_digits { i64::from_str_radix(digits, radix).ok() } else { None }
}

/// Converts a float without a fraction to an integer, as JSON does.
fn parse_float(text: &str) -> Option<i64> {
    let is_float = text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E'));
    let number: f64 = text.parse().ok().filter(|_| is_float)?;
    // Above this limit floats do not represent every integer.
    let is_whole = number.fract() == 0.0 && number.abs() < 1e15;
    if is_whole { format!("{number:.0}").parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::go_int;

    #[test]
    fn numbers_are_read_as_go_reads_them() {
        for text in [
            "8443",
            "+8443",
            "8_443",
            "0x20FB",
            "0X20fb",
            "0x_20_FB",
            "020373",
            "0o20373",
            "0b10000011111011",
            "8443.0",
            "8443.",
            "8.443e3",
            "84430e-1",
            "+0x20FB",
            "8443_",
            "0_20373",
        ] {
            assert_eq!(go_int(text), Some(8443), "{text}");
        }
        for text in [
            "", "+", "-", ".", "web", "8443.5", "0x", "0x20FG", "8443a", "_8443", "8443 ", "1e400", "0b2", "2:20:43",
            "inf", "1e",
        ] {
            assert_eq!(go_int(text), None, "{text}");
        }
        assert_eq!((go_int("-1"), go_int("08"), go_int("0"), go_int("-0x1")), (Some(-1), Some(8), Some(0), Some(-1)));
    }
}
