//! Positions of config values.

/// Implements positions for a config with a `document`, as methods and as [`Positions`](super::Positions) for code
/// that handles several kinds.
macro_rules! positions {
    ($config:ty) => {
        impl $config {
            /// An error about the value at `path` of the config, with its position.
            #[must_use]
            pub fn error_at(&self, path: &Path, message: impl Into<String>) -> ConfigError {
                self.document.error_at(path, message)
            }

            /// `FILE:LINE:COLUMN` of the value at `path`, or of the nearest collection around it.
            #[must_use]
            pub fn place_of(&self, path: &Path) -> String {
                self.document.place_of(path)
            }
        }

        impl super::Positions for $config {
            fn error_at(&self, path: &Path, message: String) -> ConfigError {
                self.document.error_at(path, message)
            }

            fn place_of(&self, path: &Path) -> String {
                self.document.place_of(path)
            }
        }
    };
}

pub(super) use positions;
