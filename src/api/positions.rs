//! Where the values of a config stand, for everybody who has one.

/// Gives a config with a `document` its places: as methods, and as [`Positions`](super::Positions) for what serves several kinds.
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
