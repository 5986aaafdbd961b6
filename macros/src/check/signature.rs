//! The signature: `fn name(cx: &Cx<'_>, ..) -> Result<..>`, of an ordinary function.

use syn::visit::{self, Visit};
use syn::{FnArg, Pat, ReturnType, Safety, Signature, Type};

use crate::report::Report;
use crate::resolve::pattern;

/// Notes what a chunk's signature lacks or must not have.
pub(crate) fn check(sig: &Signature, report: &mut Report) {
    kind(sig, report);
    context(sig, report);
    returns(sig, report);
    for arg in &sig.inputs {
        if let FnArg::Typed(typed) = arg
            && !matches!(&*typed.pat, Pat::Wild(_))
        {
            pattern::every_part_named(&typed.pat, report);
        }
    }
}

fn kind(sig: &Signature, report: &mut Report) {
    if let Some(token) = &sig.constness {
        report.help(
            token,
            "a chunk cannot be `const fn`",
            "take `const` away; a chunk enqueues work when it is called",
        );
    }
    if let Some(token) = &sig.asyncness {
        let help = "write `fn`; a chunk enqueues work and returns at once";
        report.help(token, "a chunk cannot be `async fn`", help);
    }
    if let Safety::Unsafe(token) = &sig.safety {
        report.help(
            token,
            "a chunk cannot be `unsafe fn`",
            "put `unsafe { .. }` into the nodes that need it",
        );
    }
    if let Some(abi) = &sig.abi {
        report.help(
            abi,
            "a chunk cannot have a foreign ABI",
            "write `fn`, and call it from an `extern` function",
        );
    }
    if let Some(variadic) = &sig.variadic {
        report.help(variadic, "a chunk cannot be variadic", "take a slice: `xs: &[T]`");
    }
}

fn context(sig: &Signature, report: &mut Report) {
    let first = sig.inputs.iter().find(|a| matches!(a, FnArg::Typed(_)));
    let help = "write `cx: &Cx<'_>` as the first parameter";
    let Some(FnArg::Typed(first)) = first else {
        return report.help(&sig.ident, "a chunk needs its context", help);
    };
    let lends_context = match &*first.ty {
        Type::Reference(reference) if reference.mutability.is_none() => {
            matches!(&*reference.elem, Type::Path(path) if path.path.segments.last().is_some_and(|s| s.ident == "Cx"))
        }
        _ => false,
    };
    if !lends_context {
        report.help(first, "the first parameter of a chunk is its context", help);
    } else if !matches!(&*first.pat, Pat::Ident(_)) {
        report.help(&first.pat, "the context needs a name", help);
    }
}

fn returns(sig: &Signature, report: &mut Report) {
    let help = "write `-> streamlease::Result<..>`, or any `Result` whose error implements `From<streamlease::Error>`";
    match &sig.output {
        ReturnType::Default => report.help(&sig.ident, "a chunk returns a `Result`", help),
        ReturnType::Type(_, ty) => match &**ty {
            Type::Tuple(_)
            | Type::Reference(_)
            | Type::Array(_)
            | Type::Slice(_)
            | Type::Never(_)
            | Type::Ptr(_) => {
                report.help(ty, "a chunk returns a `Result`", help);
            }
            Type::Path(path) if is_evidently_other(path) => {
                report.help(ty, "a chunk returns a `Result`", help)
            }
            ty => opaque_return(ty, report),
        },
    }
}

/// Types of the prelude and numbers; any other name may be an alias of a `Result`.
fn is_evidently_other(path: &syn::TypePath) -> bool {
    const OTHERS: &[&str] = &["Option", "Vec", "Box", "Tensor", "Buffer", "Pending"];
    path.path.segments.last().is_some_and(|s| OTHERS.iter().any(|o| s.ident == o))
        || crate::resolve::scope::evidently_plain(&Type::Path(path.clone()))
}

fn opaque_return(ty: &Type, report: &mut Report) {
    struct Finder<'r>(&'r mut Report);
    impl<'ast> Visit<'ast> for Finder<'_> {
        fn visit_type_impl_trait(&mut self, ty: &'ast syn::TypeImplTrait) {
            self.0.help(ty, "a chunk's result cannot be `impl Trait`", "name the type");
            visit::visit_type_impl_trait(self, ty);
        }
    }
    Finder(report).visit_type(ty);
}
