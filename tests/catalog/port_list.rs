pub(crate) const _TODO: () = ();
