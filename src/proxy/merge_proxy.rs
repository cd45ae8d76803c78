//! One proxy of a container: `HTTP_PROXY` or `HTTPS_PROXY`, and its lower case.

use super::merge::Merging;
use super::variables::VariableValue;
use crate::api::Existing;
use crate::rule::{self, Severity};

impl Merging<'_> {
    /// A proxy: `HTTP_PROXY` or `HTTPS_PROXY`, and its lower case.
    pub(super) fn proxy(&mut self, name: &str, wanted: &VariableValue) {
        let lower = name.to_ascii_lowercase();
        let there: Vec<(String, VariableValue)> = [name, lower.as_str()]
            .into_iter()
            .filter_map(|name| Some((name.to_owned(), self.found(name)?.held)))
            .filter(|(_, held)| !held.is_empty())
            .collect();
        let differs: Vec<&(String, VariableValue)> = there.iter().filter(|(_, held)| held != wanted).collect();
        let mut value = wanted.clone();
        if let Some((first, held)) = differs.first().copied() {
            let opaque = differs.iter().find(|(_, held)| !matches!(held, VariableValue::Text(_)));
            match self.asked.existing {
                Existing::Replace => {
                    let message = format!("{first} was {}, and becomes {}", held.shown(), wanted.shown());
                    self.say(Severity::Info, rule::PROXY_EXISTING, message);
                }
                Existing::Keep => {
                    let uneven = there.windows(2).any(|pair| matches!(pair, [(_, one), (_, other)] if one != other));
                    let also = if uneven {
                        format!("; {name} and {lower} differ, so programs differ in the proxy that they use")
                    } else {
                        String::new()
                    };
                    let message =
                        format!("{first} stays {}, where the config has {}{also}", held.shown(), wanted.shown());
                    self.say(Severity::Warning, rule::PROXY_EXISTING, message);
                    if uneven {
                        return;
                    }
                    value = held.clone();
                }
                Existing::Merge => {
                    let agree = there.iter().all(|(_, own)| own == held);
                    if let Some((opaque, held)) = opaque.filter(|_| agree) {
                        let message = format!(
                            "{opaque} stays {}: what it holds cannot be seen here. It must be {}",
                            held.shown(),
                            wanted.shown()
                        );
                        self.say(Severity::Warning, rule::PROXY_OPAQUE, message);
                        value = held.clone();
                    } else {
                        let all: Vec<String> =
                            there.iter().map(|(name, held)| format!("{name} is {}", held.shown())).collect();
                        let message = format!(
                            "{}, and the config has {}. Remove the one or the other, or write `existing: Keep` or `existing: Replace` \
                             in the spec",
                            all.join(" and "),
                            wanted.shown()
                        );
                        self.say(Severity::Error, rule::PROXY_EXISTING, message);
                        return;
                    }
                }
            }
        }
        for name in self.names(name) {
            self.put(&name, &value);
        }
    }
}
