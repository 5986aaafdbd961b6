//! Which binding an identifier means at a point of the body, and the tables of names and places.

use std::collections::HashMap;
use std::rc::Rc;

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::{Member, Type};

use crate::body::{BlockIx, Name, NameIx, Origin, Place, PlaceIx, StepIx};

/// What an identifier of the body stands for.
#[derive(Debug, Clone)]
pub(crate) enum Binding {
    /// Cannot hold a tensor: a number, a string, a function.
    Plain,
    /// A binding of [`Tables::names`].
    Followed(NameIx),
    /// Bound on the host, with its number among all bindings; followed from the moment that a node uses it or a tensor is
    /// moved into it.
    Host(Rc<Born>, usize),
    /// A reference to one of these places, or into it.
    Derived(Rc<Derived>),
}

/// Where the value of a host binding comes from.
#[derive(Debug)]
pub(crate) enum Born {
    /// From this step.
    Step(BlockIx, StepIx),
    /// From these steps, one on each path: the arms of a branch, or, of a name declared without a value, assignments.
    Several(BlockIx, Vec<StepIx>),
    /// From a pattern at the start of this block.
    Block(BlockIx),
}

/// What a derived name stands for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Derived {
    /// The places that it may be a reference to.
    pub(crate) of: Vec<PlaceIx>,
    /// Whether it is a `&mut`.
    pub(crate) exclusive: bool,
    /// Whether it is a reference to the one place as a whole, so that its fields are that place's.
    pub(crate) exact: bool,
}

impl Derived {
    /// What stands for any of these, if some are references: then all are, to places or to what is outside.
    pub(crate) fn all(list: &[Option<Derived>]) -> Option<Derived> {
        let mut all = Derived { exact: list.len() == 1, ..Derived::default() };
        for one in list.iter().flatten() {
            all.exclusive |= one.exclusive;
            all.exact &= one.exact;
            all.of.extend(one.of.iter().filter(|p| !all.of.contains(p)).copied().collect::<Vec<_>>());
        }
        (!all.of.is_empty()).then_some(all)
    }
}

/// Bindings in scope; the last of a name is the one that is meant.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    bound: Vec<(Ident, Binding)>,
    /// How many bindings there were so far, those out of scope among them.
    all: usize,
    /// The entries of each identifier (`r#x` is `x`): inside rustc, comparing two identifiers makes two strings.
    entries: HashMap<Ident, Vec<usize>>,
}

impl Scope {
    /// Brings a binding into scope; it shadows earlier ones of its name.
    pub(crate) fn bind(&mut self, ident: Ident, binding: Binding) {
        self.all += 1;
        self.entries.entry(ident.unraw()).or_default().push(self.bound.len());
        self.bound.push((ident, binding));
    }

    /// The entry that `ident` means here.
    pub(crate) fn find(&self, ident: &Ident) -> Option<usize> {
        self.entries.get(&ident.unraw())?.last().copied()
    }

    /// An entry.
    pub(crate) fn entry(&self, at: usize) -> (&Ident, &Binding) {
        let (ident, binding) = &self.bound[at];
        (ident, binding)
    }

    /// The entry bound last.
    pub(crate) fn last(&self) -> usize {
        self.bound.len() - 1
    }

    /// How many bindings there were so far: the number of the next one, on every walk over the same body.
    pub(crate) fn next(&self) -> usize {
        self.all
    }

    /// How many entries there are.
    pub(crate) fn len(&self) -> usize {
        self.bound.len()
    }

    /// Takes the entries since there were so many out of scope.
    pub(crate) fn leave(&mut self, len: usize) {
        for (ident, _) in self.bound.drain(len..) {
            if let Some(entries) = self.entries.get_mut(&ident.unraw()) {
                entries.pop();
            }
        }
    }

    /// Starts to follow an entry.
    pub(crate) fn follow(&mut self, at: usize, name: NameIx) {
        self.bound[at].1 = Binding::Followed(name);
    }
}

/// The tables of a chunk while they grow.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    /// Every followed binding.
    pub(crate) names: Vec<Name>,
    /// Every place, interned.
    pub(crate) places: Vec<Place>,
    by_path: HashMap<(NameIx, Vec<String>), PlaceIx>,
}

impl Tables {
    /// Adds a binding and its bare place.
    pub(crate) fn name(&mut self, ident: Ident, origin: Origin, block: BlockIx) -> NameIx {
        let ix = self.names.len();
        self.names.push(Name { ident, origin, block, hidden: false });
        self.place(ix, Vec::new());
        ix
    }

    /// The position of a place.
    pub(crate) fn place(&mut self, name: NameIx, path: Vec<String>) -> PlaceIx {
        *self.by_path.entry((name, path)).or_insert_with_key(|(name, path)| {
            self.places.push(Place { name: *name, path: path.clone() });
            self.places.len() - 1
        })
    }
}

/// Whether two identifiers are one name: `r#x` is `x`.
pub(crate) fn same(a: &Ident, b: &Ident) -> bool {
    a == b || a.unraw() == b.unraw()
}

/// A field's name as a place spells it.
pub(crate) fn member(member: &Member) -> String {
    match member {
        Member::Named(ident) => ident.to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    }
}

const PLAIN: &[&str] = &[
    "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64",
    "bool", "char", "str", "String", "Duration", "Instant",
];

/// Whether a type evidently holds no tensor.
pub(crate) fn evidently_plain(ty: &Type) -> bool {
    match ty {
        Type::Path(path) if path.qself.is_none() => {
            path.path.segments.last().is_some_and(|last| match &last.arguments {
                syn::PathArguments::None => PLAIN.iter().any(|p| last.ident == p),
                syn::PathArguments::AngleBracketed(args) => {
                    ["Vec", "Option", "Box", "Range"].iter().any(|c| last.ident == c)
                        && args
                            .args
                            .iter()
                            .all(|a| matches!(a, syn::GenericArgument::Type(t) if evidently_plain(t)))
                }
                syn::PathArguments::Parenthesized(_) => false,
            })
        }
        Type::Reference(reference) => evidently_plain(&reference.elem),
        Type::Slice(slice) => evidently_plain(&slice.elem),
        Type::Array(array) => evidently_plain(&array.elem),
        Type::Paren(paren) => evidently_plain(&paren.elem),
        Type::Group(group) => evidently_plain(&group.elem),
        Type::Tuple(tuple) => tuple.elems.iter().all(evidently_plain),
        Type::Never(_) => true,
        _ => false,
    }
}
