//! What is asked of a package.

/// How much is read of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Manifests, the config, and the layers down to the one with the file. Of others it is asked whether they are there.
    Needed,
    /// Every blob.
    Full,
}

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// A release of Crossplane, such as `v2.3.4`; none: all eras.
    pub version: Option<&'a str>,
    /// The kind of package that the object is which asks for it; none: its own.
    pub kind: Option<&'a str>,
    /// How much is read.
    pub depth: Depth,
}
