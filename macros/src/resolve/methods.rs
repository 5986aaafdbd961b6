//! Methods whose names say what they do with what they are called on.
//!
//! Any other method reads. The emitted code makes rustc enforce that: its receiver stands behind a `&`. On the host
//! only what is borrowed by `&mut` may have methods of other names that change it: `self.count_step()`.

/// Methods of std that take what they are called on. `into_..` does too.
pub(super) const TAKE: &[&str] = &[
    "expect",
    "into",
    "ok_or",
    "ok_or_else",
    "unwrap",
    "unwrap_err",
    "unwrap_or",
    "unwrap_or_default",
    "unwrap_or_else",
    "wait",
];

/// Methods of std that change what they are called on: what they put in or take out may be a tensor. `.._mut`
/// does too.
pub(super) const CHANGE: &[&str] = &[
    "append",
    "clear",
    "dedup_by_key",
    "drain",
    "entry",
    "extend",
    "fill_with",
    "get_or_insert",
    "get_or_insert_with",
    "insert",
    "pop",
    "pop_back",
    "pop_first",
    "pop_front",
    "pop_last",
    "push",
    "push_back",
    "push_front",
    "remove",
    "remove_entry",
    "replace",
    "resize_with",
    "retain",
    "reverse",
    "rotate_left",
    "rotate_right",
    "splice",
    "split_off",
    "swap",
    "swap_remove",
    "swap_with_slice",
    "take",
    "truncate",
];

/// Methods that read, whatever they are called on.
const READ: &[&str] = &[
    "bytes",
    "capacity",
    "clone",
    "cloned",
    "cmp",
    "cols",
    "contains",
    "contains_key",
    "copied",
    "device",
    "dim",
    "dims",
    "dtype",
    "eq",
    "first",
    "get",
    "iter",
    "keys",
    "last",
    "len",
    "ndim",
    "numel",
    "partial_cmp",
    "rank",
    "rows",
    "shape",
    "size",
    "values",
];

/// Whether the name says that a method reads.
pub(super) fn reads(method: &str) -> bool {
    READ.contains(&method) || ["as_", "has_", "is_", "to_"].iter().any(|start| method.starts_with(start))
}
