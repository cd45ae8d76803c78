//! Generates lists, hosts and proxies from a grammar: names, addresses, ranges, ports, brackets, stars and junk, most
//! of them nearly valid.

/// Pseudo-random numbers from a seed (xorshift64*).
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from(self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33).unwrap() % end
    }

    fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }
}

const LABELS: &[&str] = &[
    "a",
    "b",
    "foo",
    "svc",
    "com",
    "COM",
    "local",
    "localhost",
    "crossplane-system",
    "function-x",
    "x1",
    "1",
    "10",
    "system",
    "a_b",
];
const FOREIGN: &[&str] = &[
    "bücher",
    "BÜCHER",
    "xn--bcher-kva",
    "straße",
    "例え",
    "пример",
    "Пример",
    "ﬀ",
    "a\u{200d}b",
    "İ",
    "ος",
    "é",
    "א",
];
const ADDRESSES: &[&str] = &[
    "10.1.2.3",
    "10.0.0.0",
    "10.0.0.1",
    "127.0.0.1",
    "127.1.2.3",
    "0.0.0.0",
    "255.255.255.255",
    "010.0.0.1",
    "10.1.2",
    "10.1.2.3.4",
    "10.",
    "::1",
    "::",
    "fd00::1",
    "fd00::",
    "FD00::1",
    "fe80::1",
    "::ffff:10.0.0.1",
    "::ffff:0a00:1",
    "::ffff:127.0.0.1",
    "1:2:3:4:5:6:7:8",
    "1:2:3:4:5:6:7::",
    "1::2::3",
    "fd00:::1",
    "00fd::1",
    "0fd00::1",
    "::10.0.0.1",
    "::ffff:010.0.0.1",
    "1:2:3:4:5:6:10.0.0.1",
];

/// A host without brackets, in a form that a URL may have; often a host that the list matches.
pub(crate) fn host(numbers: &mut Numbers, list: &str) -> String {
    let named: Vec<&str> = list
        .split([',', '/', ' '])
        .map(|entry| entry.trim_start_matches(['*', '.', '[']).trim_end_matches([']', '.']))
        .filter(|entry| !entry.is_empty() && entry.chars().all(|c| c.is_alphanumeric() || "-._:".contains(c)))
        .filter(|entry| !entry.contains(':') || entry.parse::<std::net::Ipv6Addr>().is_ok())
        .collect();
    if !named.is_empty() && numbers.one_in(2) {
        let named = numbers.pick(&named).to_owned();
        let is_name = !named.contains(':') && named.parse::<std::net::Ipv4Addr>().is_err();
        return if is_name && numbers.one_in(2) { format!("x.{named}") } else { named };
    }
    match numbers.below(10) {
        0..4 => address(numbers),
        4 => format!("{}%eth0", numbers.pick(&["fe80::1", "fd00::1", "::1", "::ffff:10.0.0.1"])),
        _ => name(numbers) + if numbers.one_in(8) { "." } else { "" },
    }
}

fn name(numbers: &mut Numbers) -> String {
    let count = 1 + numbers.below(3);
    let labels: Vec<&str> =
        (0..count).map(|_| if numbers.one_in(12) { numbers.pick(FOREIGN) } else { numbers.pick(LABELS) }).collect();
    labels.join(".")
}

fn address(numbers: &mut Numbers) -> String {
    if numbers.one_in(2) {
        format!("10.{}.2.{}", numbers.below(3), numbers.below(4))
    } else {
        numbers.pick(ADDRESSES).to_owned()
    }
}

/// A list of entries.
pub(crate) fn list(numbers: &mut Numbers) -> String {
    let count = numbers.below(5);
    let entries: Vec<String> = (0..count).map(|_| entry(numbers)).collect();
    entries.join(numbers.pick(&[",", ",", ",", ", ", " ,", ",,"]))
}

fn entry(numbers: &mut Numbers) -> String {
    let core = match numbers.below(12) {
        0..3 => address(numbers),
        3..6 => {
            let bits = numbers
                .pick(&["8", "16", "32", "0", "64", "104", "90", "128", "129", "33", "08", "", "-1", "8:443", "x"]);
            format!("{}/{bits}", address(numbers))
        }
        6 => numbers
            .pick(&[
                "*",
                "",
                "*.",
                ".",
                "[",
                "]",
                "[]",
                ":",
                "a b",
                "a;b",
                "\"a\"",
                "<local>",
                "https://a",
                "a/",
                "%",
                "$(A)",
            ])
            .to_owned(),
        _ => name(numbers),
    };
    let before = numbers.pick(&["", "", "", "", ".", "*.", "*", "..", "[", " ", "*.*."]);
    let after = numbers.pick(&["", "", "", "", ":443", ":9443", ":", "]", "]:443", ".", "*", "%eth0", "\u{a0}"]);
    format!("{before}{core}{after}")
}

pub(crate) fn port(numbers: &mut Numbers) -> &'static str {
    numbers.pick(&["443", "9443", "80", ""])
}

/// The value of a proxy variable.
pub(crate) fn proxy(numbers: &mut Numbers) -> String {
    let scheme = numbers.pick(&[
        "http://",
        "https://",
        "socks5://",
        "",
        "HTTP://",
        "foo://",
        "http:/",
        "http:",
        "://",
        "//",
        " http://",
        "1http://",
        "a+b://",
    ]);
    let user = numbers.pick(&[
        "", "", "u@", "u:p@", "u:p@ss@", "u:p%23@", "u:p#s@", "u:p/s@", "u:p%@", "u:p%zz@", "u:pä@", "u:p[@", "u p@",
        "u:p?s@",
    ]);
    let host = if numbers.one_in(2) {
        numbers
            .pick(&[
                "proxy",
                "10.0.0.1",
                "[fd00::1]",
                "[fe80::1%25eth0]",
                "[10.0.0.1]",
                "a[b]",
                "[fd00::1",
                "fd00::1",
                "a b",
                "%41",
                "%C3%A9",
                "é",
                "*",
                "",
                "a<b",
                "a|b",
                "a\\b",
                "[::1%25 a]",
                "[fe80::1%25%41]",
                "[%C3%A9]",
                "a%25b",
            ])
            .to_owned()
    } else {
        name(numbers)
    };
    let after = numbers.pick(&[
        "", ":3128", ":3128/", "/", ":", ":x", ":80:80", "\n", "/%zz", "#f", "#%zz", "?q", "?%zz", "/a b", "\u{7f}",
        " ",
    ]);
    format!("{scheme}{user}{host}{after}")
}
