//! Options that a container passes on to another program, such as `RUNNER_ARGS="--metrics-port=8000"` of an operator for
//! the pods that it creates.

use super::rejection::PodNames;
use crate::model::pod::Container;
use crate::model::setting::{Setting, Settings};
use crate::model::text::Name;

/// Returns the flag or variable whose value is options for another program, if these options contain the setting, and
/// the word in its name that shows the other program. `None` for options of the process itself, such as `JAVA_OPTS`,
/// and for a variable that a command line expands.
pub(in crate::model) fn forwarding_option<'s>(
    pod_names: &PodNames<'_>,
    container: &Container,
    settings: &'s Settings,
    setting: &Setting,
) -> Option<(&'s str, String)> {
    if let Some(flag) = preceding_options_flag(settings, setting) {
        return Some((flag, flag.trim_start_matches('-').to_owned()));
    }
    let contains = |other: &&Setting| {
        let (outer, inner) = (&other.place.range, &setting.place.range);
        other.variable && other.command.is_none() && (outer.start < inner.start || inner.end < outer.end)
    };
    let variable = settings.containing(&setting.place).into_iter().find(contains)?;
    let own = pod_names.program_names(container);
    let word = Name::new(&variable.name).program_of_options(&own)?.to_owned();
    (!settings.is_expanded(container, &variable.name)).then_some((&variable.name, word))
}

/// Returns the flag before a setting whose value is options: `--sidecar-args --metrics-port=8000`.
fn preceding_options_flag<'s>(settings: &'s Settings, setting: &Setting) -> Option<&'s str> {
    setting.command?;
    let position = settings.iter().position(|other| std::ptr::eq(other, setting))?;
    let before = settings.get(position.checked_sub(1)?)?;
    let is_flag = before.value.is_none() && !before.variable && before.command == setting.command;
    (is_flag && Name::new(&before.name).passes_options()).then_some(before.name.as_str())
}
