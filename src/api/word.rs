//! Reads fields with a fixed list of words: an enum whose variants serde names. Each word has only the spelling of its
//! serde name.

use serde::de::value::Error;
use serde::de::{DeserializeOwned, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::suggest::unknown;

/// Parses the word of a field; the error lists the accepted words.
pub(super) fn word<T: DeserializeOwned>(field: &str, text: &str) -> Result<T, String> {
    let mut known: &[&str] = &[];
    T::deserialize(Word { text, known: &mut known }).map_err(|_| unknown(field, text, known))
}

/// Deserializes a text as an enum variant, and stores the names of all variants in `known`.
struct Word<'w> {
    text: &'w str,
    known: &'w mut &'static [&'static str],
}

impl<'de> Deserializer<'de> for Word<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_str(self.text)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        *self.known = variants;
        visitor.visit_enum(self.text.into_deserializer())
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq
        tuple tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::word;
    use crate::api::Unmatched;

    #[test]
    fn words_are_spelled_by_serde() {
        assert!(matches!(word("unmatched", "Ignore"), Ok(Unmatched::Ignore)));
        let error = word::<Unmatched>("unmatched", "ignor").unwrap_err();
        assert_eq!(error, "unknown unmatched `ignor`: did you mean `Ignore`? Known are `Warn`, `Ignore`, `Error`");
    }
}
