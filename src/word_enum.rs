//! Enums whose variants have a word in texts.

/// Defines an enum, and `as_str` with the word of each variant.
macro_rules! word_enum {
    ($(#[$about:meta])+ pub enum $name:ident { $($(#[$doc:meta])+ $variant:ident = $word:literal,)+ }) => {
        $(#[$about])+
        pub enum $name {
            $($(#[$doc])+ $variant,)+
        }

        impl $name {
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
