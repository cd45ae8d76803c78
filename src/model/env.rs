//! The variables of a container, found by name and by position.

use std::ops::Deref;

use super::pod::EnvVar;

/// So few are looked through.
const FEW: usize = 8;

/// Variables in the order of the manifest.
#[derive(Debug, Clone, Default)]
pub struct Env {
    variables: Vec<EnvVar>,
    /// Positions in `variables` by name, those of one name in order; empty where there are few.
    by_name: Box<[usize]>,
}

impl Env {
    /// Variables, by their positions in the manifest.
    #[must_use]
    pub fn new(variables: Vec<EnvVar>) -> Self {
        let count = if variables.len() > FEW { variables.len() } else { 0 };
        let mut by_name: Box<[usize]> = (0..count).collect();
        by_name.sort_by_key(|&at| variables.get(at).map(|var| var.name.as_ref()));
        Self { variables, by_name }
    }

    /// The variable of this name; of several the last, which wins in Kubernetes.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&EnvVar> {
        if self.by_name.is_empty() {
            return self.variables.iter().rfind(|var| *var.name == *name);
        }
        let behind = self.by_name.partition_point(|&at| self.variables.get(at).is_some_and(|var| *var.name <= *name));
        let last = self.variables.get(*self.by_name.get(behind.checked_sub(1)?)?)?;
        (*last.name == *name).then_some(last)
    }

    /// The variable at a position in the manifest.
    #[must_use]
    pub fn at(&self, index: usize) -> Option<&EnvVar> {
        let at = self.variables.binary_search_by_key(&index, |var| var.index).ok()?;
        self.variables.get(at)
    }

    /// The variables without those that a later one of the same name overrides, as in the kubelet.
    pub fn effective(&self) -> impl Iterator<Item = &EnvVar> {
        self.variables.iter().filter(|var| self.named(&var.name).is_some_and(|last| last.index == var.index))
    }
}

impl Deref for Env {
    type Target = [EnvVar];

    fn deref(&self) -> &[EnvVar] {
        &self.variables
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(names: &[&str]) -> Env {
        let var = |(at, name): (usize, &&str)| EnvVar {
            index: 2 * at,
            name: (*name).into(),
            value: None,
            config_map: None,
            ip: None,
        };
        Env::new(names.iter().enumerate().map(var).collect())
    }

    #[test]
    fn of_several_of_one_name_the_last_counts() {
        for names in [&["B", "A", "B"][..], &["D", "B", "A", "C", "B", "E", "F", "G", "H", "I", "J"]] {
            let env = env(names);
            for name in ["A", "B", "C", "J", "", "a", "AA"] {
                let last = names.iter().rposition(|own| *own == name);
                assert_eq!(env.named(name).map(|var| var.index), last.map(|at| 2 * at), "{name}");
                assert_eq!(last.and_then(|at| env.at(2 * at)).map(|var| var.name.as_ref()), last.map(|_| name));
            }
            assert_eq!(env.effective().count(), names.len() - 1);
            assert!(env.at(1).is_none() && env.at(99).is_none());
        }
    }
}
