//! The types of parsed configs.

/// Defines the type of a parsed config, without its method `validate`. Positions are methods, and
/// [`Positions`](super::Positions) for code that handles several kinds.
macro_rules! config_type {
    ($config:ident { $field:ident: $content:ty }) => {
        #[doc = concat!("A parsed `", stringify!($content), "`, with the positions of its values.")]
        #[derive(Debug, Clone)]
        pub struct $config {
            /// The content of the config.
            pub $field: $content,
            document: Document,
        }

        impl $config {
            pub(super) fn new($field: $content, document: Document) -> Result<Self, ConfigError> {
                let config = Self { $field, document };
                config.validate()?;
                Ok(config)
            }

            /// An error about the value at `path` of the config, with its position.
            pub fn error_at(&self, path: &Path, message: impl Into<String>) -> ConfigError {
                self.document.error_at(path, message)
            }

            /// `FILE:LINE:COLUMN` of the value at `path`, or of the nearest collection around it.
            pub fn place_of(&self, path: &Path) -> String {
                self.document.place_of(path)
            }
        }

        impl super::Positions for $config {
            fn error_at(&self, path: &Path, message: String) -> ConfigError {
                self.document.error_at(path, message)
            }

            /// File and line of a path in the config.
            fn place_of(&self, path: &Path) -> String {
                self.document.place_of(path)
            }
        }
    };
}

pub(super) use config_type;
