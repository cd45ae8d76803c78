//! Enums whose variants have a word in texts.

/// Defines an enum, `as_str` with the word of each variant, and `ALL`.
macro_rules! word_enum {
    ($(#[$about:meta])+ pub enum $name:ident { $($(#[$doc:meta])+ $variant:ident = $word:literal,)+ }) => {
        $(#[$about])+
        pub enum $name {
            $($(#[$doc])+ $variant,)+
        }

        impl $name {
            /// All variants, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Word of the variant in texts.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }
    };
}

pub(crate) use word_enum;
