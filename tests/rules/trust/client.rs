//! Client settings: in all surroundings, their texts do not change, and their number is not declared.

use crate::trust::count::{Count, Verdict};
use crate::trust::manifest::{CONTAINER, Container, Manifest, Output};
use crate::trust::run::{Form, run};
use crate::trust::table::{Row, Texts};

/// The number of a row that equals the container's own number.
const SAME: u16 = 8090;
/// The number of a listener unrelated to the row.
const OTHER: u16 = 7272;

/// The surroundings of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Around {
    /// The container declares nothing.
    Nothing,
    /// The container listens on another number.
    OtherPort,
    /// The input contains the workload that the row names, and its Service.
    Owner,
    /// The first container of the pod listens on the row's number.
    Sidecar,
    /// The row's variables come from a ConfigMap, its arguments are part of a script.
    Moved,
    /// The container declares the row's number, and a text with an any-address sets it.
    SameTold,
    /// The container declares the row's number, and a bare number sets it.
    SameBare,
    /// The container declares the row's number, and no text sets it.
    SameUntold,
    /// `SameTold`, and the input contains the workload that the row names.
    SameOwner,
    /// `SameTold`, with the texts of the row in their other form.
    SameMoved,
    /// `SameTold`, with each variable from a key of a ConfigMap.
    SameKeys,
}

const ALL: [Around; 11] = [
    Around::Nothing,
    Around::OtherPort,
    Around::Owner,
    Around::Sidecar,
    Around::Moved,
    Around::SameTold,
    Around::SameBare,
    Around::SameUntold,
    Around::SameOwner,
    Around::SameMoved,
    Around::SameKeys,
];

impl Around {
    /// True if the container itself has the row's number.
    fn same(self) -> bool {
        !matches!(self, Self::Nothing | Self::OtherPort | Self::Owner | Self::Sidecar | Self::Moved)
    }
}

/// Judges a row in all surroundings, each under these forms of `ports`.
pub(crate) fn judge(row: &Row, forms: &dyn Fn(usize) -> Vec<Form>, count: &mut Count) {
    let name = row.name();
    for (turn, around) in ALL.into_iter().enumerate() {
        let number = row.numbers().first().copied().filter(|number| *number > 0);
        let named = row.named && around == Around::SameOwner;
        if around.same() && (row.alone && !named || row.own || number.is_none()) {
            continue;
        }
        let in_row = if around.same() || around == Around::Sidecar { Some(SAME) } else { number };
        let texts = row.filled(|known| if Some(known) == number { in_row.unwrap_or(known) } else { known }, |n| n);
        let texts = match around {
            Around::Moved | Around::SameMoved => elsewhere(&texts),
            Around::SameKeys => elsewhere(&texts).filter(|texts| !texts.map.is_empty()),
            _ => Some(texts),
        };
        let Some(texts) = texts else { continue };
        let (manifest, key) = manifest(row, around, &texts, in_row);
        let text = manifest.text();
        for form in forms(turn) {
            let done = run(&text, form, &key);
            let mut verdict = match &done.output {
                None => Verdict::new("error", ""),
                Some(output) if row.own && around == Around::Sidecar => follows(row, &texts, output),
                Some(output) => verdict(&texts, &manifest, output),
            };
            if verdict.word == "false" || verdict.word == "listener kept" && form == Form::Auto {
                verdict.why += &format!("; reported: {}", done.messages());
            }
            count.note(format!("{around:?}"), form.name(), &name, &verdict);
        }
    }
}

/// The texts in their other form: variables as keys of a ConfigMap, arguments as words of a script.
fn elsewhere(texts: &Texts) -> Option<Texts> {
    let plain = |texts: &[String]| texts.iter().all(|text| !text.contains("=@") && !text.contains('\n'));
    let Texts { command, args, env, map } = texts;
    if command.is_empty() && args.is_empty() && map.is_empty() && plain(env) {
        return Some(Texts { map: env.clone(), ..Texts::default() });
    }
    if command.is_empty() && env.is_empty() && map.is_empty() && plain(args) {
        return Some(crate::trust::manifest::in_shell(args));
    }
    None
}

fn manifest(row: &Row, around: Around, texts: &Texts, number: Option<u16>) -> (Manifest, String) {
    let keys = around == Around::SameKeys;
    let mut app = Container { name: CONTAINER, texts: texts.clone(), keys, ..Container::default() };
    let mut manifest = Manifest::default();
    let mut key = "http".to_owned();
    match around {
        Around::Nothing => key = number.unwrap_or(OTHER).to_string(),
        Around::OtherPort | Around::Owner | Around::Moved => app.listens(OTHER, Some(":")),
        Around::SameTold | Around::SameOwner | Around::SameMoved | Around::SameKeys => {
            app.listens(SAME, Some(":"));
        }
        Around::SameBare => app.listens(SAME, Some("")),
        Around::SameUntold => app.listens(SAME, None),
        Around::Sidecar => {
            let mut first = Container { name: "main", ..Container::default() };
            first.listens(SAME, Some(":"));
            manifest.containers.push(first);
        }
    }
    if matches!(around, Around::Owner | Around::SameOwner) {
        let owner = row.to.clone().or_else(|| host(texts)).unwrap_or_else(|| "peer".to_owned());
        manifest.neighbour = number.map(|number| (owner, number));
    }
    manifest.containers.push(app);
    (manifest, key)
}

/// The first label of the first host before a number.
fn host(texts: &Texts) -> Option<String> {
    let Texts { command, args, env, map } = texts;
    let label = |text: &String| {
        let (at, _) =
            text.match_indices(':').find(|(at, _)| text[at + 1..].starts_with(|c: char| c.is_ascii_digit()))?;
        let start =
            text[..at].rfind(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '.').map_or(0, |at| at + 1);
        let label = text[start..at].split('.').next()?;
        (label.starts_with(|c: char| c.is_ascii_lowercase())).then(|| label.to_owned())
    };
    env.iter().chain(map).chain(command).chain(args).find_map(label)
}

fn verdict(texts: &Texts, manifest: &Manifest, after: &Output) -> Verdict {
    let now = after.texts(texts);
    if now != *texts {
        return Verdict::new("false", format!("became {}", differing(texts, &now)));
    }
    if !after.declares_as(manifest) {
        return Verdict::new("false", format!("declares {:?}", after.ports(CONTAINER)));
    }
    let kept = manifest.containers.iter().all(|container| {
        let ports = after.ports(container.name);
        container.ports.iter().zip(ports).all(|(old, new)| u64::from(old.1) == new.1)
    });
    Verdict::new(if kept { "listener kept" } else { "listener moved" }, "")
}

/// A text that names a port of the pod has to move with the port.
fn follows(row: &Row, texts: &Texts, after: &Output) -> Verdict {
    let now = u16::try_from(after.ports("main")[0].1).unwrap();
    let number = row.numbers()[0];
    let expected = row.filled(|known| if known == number { now } else { known }, |number| number);
    if after.texts(texts) != expected {
        return Verdict::new(
            "false",
            format!("the port became {now}, the row {}", differing(texts, &after.texts(texts))),
        );
    }
    Verdict::new(if now == SAME { "listener kept" } else { "listener moved" }, "")
}

/// The texts of `new` that differ from `old`.
pub(crate) fn differing(old: &Texts, new: &Texts) -> String {
    let all = |texts: &Texts| -> Vec<String> {
        [&texts.command, &texts.args, &texts.env, &texts.map].into_iter().flatten().cloned().collect()
    };
    let changed = all(old).into_iter().zip(all(new)).filter(|(old, new)| old != new);
    changed.map(|(_, new)| new).collect::<Vec<_>>().join(" ").replace('\n', "⏎")
}
