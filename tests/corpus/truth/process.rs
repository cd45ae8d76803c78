//! Simulates how a process starts from a manifest: its arguments and variables, and the ports that it binds. Does not
//! use the product's code.

use serde_json::Value;

use super::known::{KnownSetting, Listener};
use super::objects::Objects;
use super::settings::setting;

/// A container of a manifest.
pub(crate) struct Process<'a> {
    pub(crate) objects: &'a Objects,
    pub(crate) container: &'a Value,
}

/// Maximum number of nested variable references.
const DEPTH: usize = 8;

impl Process<'_> {
    /// Returns the number that the process binds: the value of the last setting that is present, or else the default.
    /// An error is a value that the program would reject.
    pub(crate) fn binds(&self, listener: &Listener) -> Result<u16, String> {
        match self.deciding_setting(listener) {
            None => Ok(listener.number),
            Some((known, value)) => {
                let form = known.value.as_deref().unwrap_or(&listener.value);
                number(&value, form).ok_or_else(|| format!("`{}` is `{value}`, which is not a `{form}`", name(known)))
            }
        }
    }

    /// Returns the setting that decides, and its value.
    pub(crate) fn deciding_setting<'l>(&self, listener: &'l Listener) -> Option<(&'l KnownSetting, String)> {
        listener.settings.iter().rev().find_map(|known| Some((known, self.value(known)?)))
    }

    fn value(&self, known: &KnownSetting) -> Option<String> {
        match (&known.arg, &known.env, &known.config) {
            (Some(arg), None, None) => flag(&self.words(), arg),
            (None, Some(env), None) => self.variable(env),
            (None, None, Some(config)) => {
                let (file, path) = config.split_once('#')?;
                // The container's script contains the content of this file.
                if file.starts_with('/') {
                    let list = |key: &str| self.container[key].as_array().into_iter().flatten();
                    let mut texts = list("command").chain(list("args")).filter_map(Value::as_str);
                    return texts.find_map(|text| setting(text, path));
                }
                setting(self.objects.config_file(file)?, path)
            }
            _ => panic!("a setting is one of arg, env and config"),
        }
    }

    /// Returns command and arguments, with variables substituted and scripts split into words.
    pub(crate) fn words(&self) -> Vec<String> {
        let list = |key: &str| self.container[key].as_array().into_iter().flatten().filter_map(Value::as_str);
        let texts: Vec<String> = list("command").chain(list("args")).map(|text| self.expanded(text, DEPTH)).collect();
        let shell = texts
            .first()
            .is_some_and(|program| matches!(program.rsplit('/').next(), Some("sh" | "bash" | "ash" | "dash" | "zsh")));
        let script = texts.iter().position(|text| text.starts_with('-') && text.ends_with('c'));
        match script.filter(|_| shell).and_then(|at| Some((at, texts.get(at + 1)?))) {
            None => texts,
            Some((at, script)) => {
                let mut words = texts[..=at].to_vec();
                words.extend(self.script(script));
                words.extend_from_slice(&texts[at + 2..]);
                words
            }
        }
    }

    /// Returns the last variable with this name, with its references substituted.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        self.variable_at(name, DEPTH)
    }

    fn variable_at(&self, name: &str, depth: usize) -> Option<String> {
        let list = |key: &str| self.container[key].as_array().into_iter().flatten();
        let own = list("env").rfind(|variable| variable["name"] == name);
        let Some(own) = own else {
            return list("envFrom").rev().find_map(|from| {
                let name = name.strip_prefix(from["prefix"].as_str().unwrap_or_default())?;
                self.key(from["configMapRef"]["name"].as_str()?, name)
            });
        };
        if let Some(value) = own["value"].as_str() {
            return Some(self.expanded(value, depth));
        }
        let from = &own["valueFrom"];
        if let Some(field) = from["fieldRef"]["fieldPath"].as_str() {
            let addresses = ["status.podIP", "status.podIPs", "status.hostIP", "status.hostIPs"];
            return Some(if addresses.contains(&field) { "10.9.8.7" } else { "some-text" }.to_owned());
        }
        let key = &from["configMapKeyRef"];
        self.key(key["name"].as_str()?, key["key"].as_str()?)
    }

    /// Returns the `ConfigMap` and the key of a variable's value.
    pub(crate) fn place_in_config_map(&self, name: &str) -> Option<(String, String)> {
        let list = |key: &str| self.container[key].as_array().into_iter().flatten();
        let text = |value: &Value| value.as_str().map(str::to_owned);
        if let Some(own) = list("env").rfind(|variable| variable["name"] == name) {
            let key = &own["valueFrom"]["configMapKeyRef"];
            return Some((text(&key["name"])?, text(&key["key"])?));
        }
        list("envFrom").rev().find_map(|from| {
            let key = name.strip_prefix(from["prefix"].as_str().unwrap_or_default())?;
            let map = text(&from["configMapRef"]["name"])?;
            self.key(&map, key).map(|_| (map, key.to_owned()))
        })
    }

    fn key(&self, map: &str, key: &str) -> Option<String> {
        let map = self.objects.find(&format!("ConfigMap/{map}"))?;
        Some(map["data"][key].as_str()?.to_owned())
    }

    /// Substitutes `$(NAME)` as the kubelet does; unknown names do not change.
    fn expanded(&self, text: &str, depth: usize) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            let (before, tail) = rest.split_at(at);
            out.push_str(before);
            if let Some(tail) = tail.strip_prefix("$$") {
                out.push('$');
                rest = tail;
            } else if let Some((name, tail)) = tail.strip_prefix("$(").and_then(|tail| tail.split_once(')')) {
                let value = if depth == 0 { None } else { self.variable_at(name, depth - 1) };
                out.push_str(&value.unwrap_or_else(|| format!("$({name})")));
                rest = tail;
            } else {
                out.push('$');
                rest = &tail[1..];
            }
        }
        out + rest
    }

    /// Splits a shell script into words, without quotes, and substitutes variables of the container and of the script.
    fn script(&self, script: &str) -> Vec<String> {
        let mut set: Vec<(String, String)> = Vec::new();
        let mut words = Vec::new();
        for word in shell_words(script) {
            let value = word.filled(|name| {
                let own = set.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.clone());
                own.or_else(|| self.variable(name))
            });
            if let Some((name, value)) = value.split_once('=').filter(|(name, _)| is_name(name)) {
                set.push((name.to_owned(), value.to_owned()));
            }
            words.push(value);
        }
        words
    }
}

/// Returns the name of a setting.
pub(crate) fn name(known: &KnownSetting) -> &str {
    [&known.arg, &known.env, &known.config].into_iter().flatten().next().map_or("", String::as_str)
}

/// Returns the value of a flag's last occurrence, as most programs do.
pub(crate) fn flag(words: &[String], arg: &str) -> Option<String> {
    let bare = arg.trim_start_matches('-');
    let mut found = words.iter().enumerate().filter_map(|(at, word)| {
        let flag = word.strip_prefix("--").or_else(|| word.strip_prefix('-'))?;
        match flag.strip_prefix(bare)? {
            "" => words.get(at + 1).cloned(),
            rest if rest.starts_with('=') => Some(rest[1..].to_owned()),
            // The value may directly follow a one-letter flag.
            rest if bare.len() == 1 && !word.starts_with("--") => Some(rest.to_owned()),
            _ => None,
        }
    });
    found.next_back()
}

/// Returns the number in a value if the value has the form. In `:{port}`, any host may precede the colon.
pub(crate) fn number(value: &str, form: &str) -> Option<u16> {
    let (before, after) = form.split_once("{port}").expect("a form has {port}");
    let value = value.strip_suffix(after)?;
    let digits = match before.strip_suffix(':') {
        None => value.strip_prefix(before)?,
        Some(_) => {
            let (host, digits) = value.rsplit_once(':')?;
            let scheme = before.split_once("//").map(|(scheme, _)| scheme);
            if scheme.is_some_and(|scheme| !host.starts_with(scheme)) || (scheme.is_none() && host.contains("//")) {
                return None;
            }
            digits
        }
    };
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A word of a script, in pieces: literal text, or text with variables.
struct Word(Vec<(bool, String)>);

impl Word {
    fn filled(&self, variable: impl Fn(&str) -> Option<String>) -> String {
        let fill = |text: &str| fill(text, &variable);
        self.0.iter().map(|(literal, text)| if *literal { text.clone() } else { fill(text) }).collect()
    }
}

/// Substitutes `$NAME`, `${NAME}` and `${NAME:-DEFAULT}`.
fn fill(text: &str, variable: &impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let tail = &rest[at + 1..];
        if let Some((inner, after)) = tail.strip_prefix('{').and_then(|tail| tail.split_once('}')) {
            let (name, default) = inner.split_once(":-").or(inner.split_once('-')).unwrap_or((inner, ""));
            out.push_str(&variable(name).unwrap_or_else(|| default.to_owned()));
            rest = after;
        } else {
            let end = tail.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(tail.len());
            out.push_str(&if end == 0 { "$".to_owned() } else { variable(&tail[..end]).unwrap_or_default() });
            rest = &tail[end..];
        }
    }
    out + rest
}

/// Splits a script into words, as far as the truth set needs: blanks, quotes, backslashes, comments, command
/// separators.
fn shell_words(script: &str) -> Vec<Word> {
    let (mut words, mut pieces): (Vec<Word>, Vec<(bool, String)>) = (Vec::new(), Vec::new());
    let mut chars = script.chars().peekable();
    let mut plain = String::new();
    let end = |plain: &mut String, pieces: &mut Vec<(bool, String)>| {
        if !plain.is_empty() {
            pieces.push((false, std::mem::take(plain)));
        }
    };
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                end(&mut plain, &mut pieces);
                pieces.push((true, chars.by_ref().take_while(|&c| c != '\'').collect()));
            }
            '"' => {
                end(&mut plain, &mut pieces);
                let mut text = String::new();
                while let Some(c) = chars.next().filter(|&c| c != '"') {
                    text.extend(if c == '\\' { chars.next() } else { Some(c) });
                }
                pieces.push((false, text));
            }
            '\\' => match chars.next() {
                Some('\n') | None => {}
                Some(c) => plain.push(c),
            },
            '#' if plain.is_empty() && pieces.is_empty() => {
                chars.by_ref().take_while(|&c| c != '\n').for_each(drop);
            }
            c if c.is_whitespace() || matches!(c, ';' | '&' | '|') => {
                end(&mut plain, &mut pieces);
                if !pieces.is_empty() {
                    words.push(Word(std::mem::take(&mut pieces)));
                }
            }
            c => plain.push(c),
        }
    }
    end(&mut plain, &mut pieces);
    if !pieces.is_empty() {
        words.push(Word(pieces));
    }
    words
}
