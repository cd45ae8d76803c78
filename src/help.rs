//! Help texts of programs: flags, their variables and their printed defaults. Independent of ports.

mod defaults;
mod variables;

/// Maximum bytes of a help text; longer texts are cut.
const MAX_TEXT_BYTES: usize = 1 << 20;
/// Maximum number of words of a line that name flags.
const WORDS: usize = 12;
/// Columns between `-p, --port` and a flag that has no short form.
const SHORT_FLAG_COLUMNS: usize = 4;

/// One setting of a help text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HelpSetting {
    /// The spellings of its flag, as printed with their dashes.
    pub flags: Vec<String>,
    /// Environment variables of the setting.
    pub variables: Vec<String>,
    /// The printed default; `None` without one and where the text prints two.
    pub default: Option<String>,
}

impl HelpSetting {
    /// The longest spelling, which is the most descriptive one.
    pub fn name(&self) -> &str {
        self.flags.iter().max_by_key(|flag| flag.len()).map(String::as_str).unwrap_or_default()
    }
}

/// Reads the settings of a help text, as Go's flag, pflag, urfave/cli, kingpin, clap, argparse, click and picocli print
/// it.
///
/// ```
/// let help = "Flags:\n      --listen string   Where to listen (default \":8080\")\n";
/// let settings = hostnet::help::settings(help);
/// assert_eq!(settings[0].name(), "--listen");
/// assert_eq!(settings[0].default.as_deref(), Some(":8080"));
/// ```
pub fn settings(text: &str) -> Vec<HelpSetting> {
    let end = (0..=text.len().min(MAX_TEXT_BYTES)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    let text = text.get(..end).unwrap_or_default();
    let heads = text.lines().filter(|line| starts_flag(line)).map(indent);
    let Some(first) = heads.min() else { return Vec::new() };
    let is_head = |line: &str| starts_flag(line) && indent(line) <= first + SHORT_FLAG_COLUMNS;
    let mut found = Vec::new();
    let mut block: Option<(&str, String)> = None;
    for line in text.lines() {
        if is_head(line) {
            found.extend(block.take().and_then(|(head, rest)| setting(head, &rest)));
            block = Some((line.trim(), String::new()));
        } else if line.trim().is_empty() || indent(line) > first {
            if let Some((_, rest)) = &mut block {
                rest.push_str(line.trim());
                rest.push('\n');
            }
        } else {
            // A heading ends the description of the preceding flag.
            found.extend(block.take().and_then(|(head, rest)| setting(head, &rest)));
        }
    }
    found.extend(block.and_then(|(head, rest)| setting(head, &rest)));
    found
}

/// The column of the first character; a tab is eight wide.
fn indent(line: &str) -> usize {
    let blanks = line.chars().take_while(|c| c.is_whitespace());
    blanks.fold(0, |column: usize, c| if c == '\t' { (column / 8 + 1) * 8 } else { column + 1 })
}

fn starts_flag(line: &str) -> bool {
    let rest = line.trim_start().trim_start_matches(['-']);
    let dashes = line.trim_start().len() - rest.len();
    matches!(dashes, 1 | 2) && rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '[')
}

/// Reads a flag's line and its description.
fn setting(head: &str, rest: &str) -> Option<HelpSetting> {
    let columns = ["  ", "\t"].iter().filter_map(|gap| head.find(gap)).min().unwrap_or(head.len());
    let (names, description) = head.split_at_checked(columns)?;
    let mut setting = HelpSetting::default();
    let mut defaults = Vec::new();
    for word in names.split_whitespace().take(WORDS) {
        let Some((flag, value)) = flag(word.trim_end_matches(',')) else { continue };
        setting.flags.push(flag);
        // Default in the flag, as in `--listen=":8080"`; a value without a digit is a placeholder.
        defaults.extend(value.map(defaults::unquoted).filter(|value| value.contains(|c: char| c.is_ascii_digit())));
    }
    if setting.flags.is_empty() {
        return None;
    }
    let gap = if description.is_empty() { names } else { description };
    let text = format!("{gap}\n{rest}");
    defaults.extend(defaults::printed(&text));
    defaults.dedup();
    if let [one] = defaults.as_slice() {
        setting.default = Some(one.clone());
    }
    setting.variables = variables::variables_in(&text);
    Some(setting)
}

/// `--name`, `-name`, `--name=value`, `--[no-]name`, `--name[=value]`: the spelling and the value.
fn flag(word: &str) -> Option<(String, Option<&str>)> {
    let bare = word.trim_start_matches('-');
    let dashes = word.get(..word.len() - bare.len()).filter(|dashes| matches!(dashes.len(), 1 | 2))?;
    let bare = bare.strip_prefix("[no-]").unwrap_or(bare);
    let (name, value) = match bare.split_once('=') {
        Some((name, value)) => (name.trim_end_matches('['), Some(value)),
        None => (bare, None),
    };
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'));
    is_name.then(|| (format!("{dashes}{name}"), value))
}
