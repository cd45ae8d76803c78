//! Three-valued results of admission conditions, which hostnet can read only in part.

/// Result of a condition, and its dependence on the host fields of the pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Answer {
    /// Value of the condition; `None` if unknown.
    pub(super) value: Option<bool>,
    /// True if host fields make, or may make, the condition true.
    makes_true: bool,
    /// True if host fields make, or may make, the condition false.
    makes_false: bool,
}

impl Answer {
    /// Unknown, independent of host fields.
    pub(super) const OTHER: Self = Self { value: None, makes_true: false, makes_false: false };
    /// Unknown, may depend on host fields.
    pub(super) const UNREAD: Self = Self { value: None, makes_true: true, makes_false: true };
    /// Known to be true, independent of host fields.
    pub(super) const TRUE: Self = Self::plain(true);
    /// Known to be false, independent of host fields.
    pub(super) const FALSE: Self = Self::plain(false);

    /// Known result, independent of host fields.
    pub(super) const fn plain(value: bool) -> Self {
        Self { value: Some(value), makes_true: false, makes_false: false }
    }

    /// Known result that depends on host fields.
    pub(super) const fn depends_on_host(value: bool) -> Self {
        Self { value: Some(value), makes_true: value, makes_false: !value }
    }

    /// Unknown result; `names_host` is true if the condition uses host fields.
    pub(super) const fn unknown(names_host: bool) -> Self {
        if names_host { Self::UNREAD } else { Self::OTHER }
    }

    /// True if the condition is known to be false because of host fields.
    pub(super) fn is_refused(self) -> bool {
        self.value == Some(false) && self.makes_false
    }

    /// True if host fields may make the condition false, and the condition cannot be read.
    pub(super) fn is_unread(self) -> bool {
        self.value.is_none() && self.makes_false
    }

    /// True if host fields decide, or may decide, the condition.
    pub(super) fn names_host(self) -> bool {
        self.makes_true || self.makes_false
    }

    /// Logical NOT.
    pub(super) fn not(self) -> Self {
        let value = self.value.map(|value| !value);
        Self { value, makes_true: self.makes_false, makes_false: self.makes_true }
    }

    /// Logical AND; true for an empty list.
    pub(super) fn all(answers: impl IntoIterator<Item = Self>) -> Self {
        let (mut all, mut refused) = (Self::TRUE, None::<Self>);
        for answer in answers {
            if answer.value == Some(false) {
                let makes_false = answer.makes_false || refused.is_some_and(|refused| refused.makes_false);
                refused = Some(Self { makes_false, ..Self::FALSE });
            }
            all = Self {
                value: all.value.and(answer.value),
                makes_true: all.makes_true || answer.makes_true,
                makes_false: all.makes_false || answer.makes_false,
            };
        }
        match refused {
            Some(refused) => refused,
            None if all.value.is_some() => Self { makes_false: false, ..all },
            None => all,
        }
    }

    /// Logical OR; false for an empty list.
    pub(super) fn any(answers: impl IntoIterator<Item = Self>) -> Self {
        Self::all(answers.into_iter().map(Self::not)).not()
    }
}

#[cfg(test)]
mod tests {
    use super::Answer;

    #[test]
    fn host_fields_are_blamed_only_for_what_they_decide() {
        let (bad, other, unread) = (Answer::depends_on_host(false), Answer::OTHER, Answer::UNREAD);
        assert!(Answer::all([bad, other, Answer::TRUE]).is_refused());
        assert!(!Answer::all([Answer::FALSE, Answer::depends_on_host(true)]).is_refused());
        // The unknown condition decides.
        assert!(Answer::any([bad, other]).is_unread());
        assert!(!Answer::any([Answer::FALSE, other]).is_unread());
        assert!(!Answer::all([Answer::depends_on_host(true), other]).is_unread());
        // A `deny` rule with both conditions: the unknown one decides.
        assert!(Answer::all([Answer::depends_on_host(true), other]).not().is_unread());
        assert!(Answer::any([unread, Answer::TRUE]).value == Some(true));
        assert!(Answer::all([]) == Answer::TRUE && Answer::any([]) == Answer::FALSE);
    }
}
