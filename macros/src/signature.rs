//! An annotated function, free or in an inherent `impl`, taken apart.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::{Attribute, Block, FnArg, Pat, PatType, ReceiverKind, Signature, Type, Visibility, parse_quote};

use crate::body::Origin;
use crate::report::Report;
use crate::resolve::pattern;

/// The function, as the later phases need it.
#[derive(Debug)]
pub(crate) struct Function {
    /// Attributes other than `#[model_chunk]`, doc comments included.
    pub(crate) attrs: Vec<Attribute>,
    /// Visibility.
    pub(crate) vis: Visibility,
    /// The signature as written.
    pub(crate) sig: Signature,
    /// Its parameters.
    pub(crate) params: Vec<Param>,
    /// The name of the context.
    pub(crate) cx: Ident,
    /// What it returns.
    pub(crate) ret: Type,
    /// The body.
    pub(crate) block: Block,
    /// For methods: the type of the `impl`.
    pub(crate) owner: Option<Type>,
}

/// A parameter.
#[derive(Debug)]
pub(crate) struct Param {
    /// The name by which it is passed on.
    pub(crate) ident: Ident,
    /// The user's pattern; none for `self`.
    pub(crate) pat: Option<Pat>,
    /// Its type; none for `self`.
    pub(crate) ty: Option<Type>,
    /// What the plan takes it for.
    pub(crate) origin: Origin,
    /// Whether it is the context.
    pub(crate) is_cx: bool,
}

impl Function {
    /// Takes a function apart and notes what a chunk's signature must not have.
    pub(crate) fn new(
        attrs: Vec<Attribute>,
        vis: Visibility,
        sig: Signature,
        block: Block,
        owner: Option<Type>,
        report: &mut Report,
    ) -> Function {
        crate::check::signature::check(&sig, report);
        let params: Vec<Param> = sig.inputs.iter().enumerate().map(|(i, arg)| Param::new(i, arg)).collect();
        let mut function = Function {
            attrs,
            vis,
            cx: Ident::new("cx", Span::call_site()),
            ret: match &sig.output {
                syn::ReturnType::Default => parse_quote!(()),
                syn::ReturnType::Type(_, ty) => (**ty).clone(),
            },
            sig,
            params,
            block,
            owner,
        };
        function.find_cx();
        function
    }

    fn find_cx(&mut self) {
        let first = usize::from(self.sig.receiver().is_some());
        if let Some(param) = self.params.get_mut(first) {
            param.is_cx = true;
            self.cx = param.ident.clone();
        }
    }

    /// What the plan calls it.
    pub(crate) fn title(&self) -> String {
        let name = crate::emit::names::plain(&self.sig.ident);
        match &self.owner {
            Some(Type::Path(path)) => match path.path.segments.last() {
                Some(last) => format!("{}::{name}", last.ident),
                None => name,
            },
            _ => name,
        }
    }

    /// The parameters with plain names in place of patterns.
    pub(crate) fn parameters(&self) -> TokenStream {
        let list = self.params.iter().zip(&self.sig.inputs).map(|(param, arg)| match arg {
            FnArg::Receiver(receiver) => {
                let mut receiver = receiver.clone();
                // `mut self` is for the body alone.
                receiver.mutability = receiver.mutability.take().filter(|_| false);
                quote!(#receiver)
            }
            FnArg::Typed(PatType { attrs, ty, .. }) => {
                let ident = &param.ident;
                quote!(#(#attrs)* #ident: #ty)
            }
        });
        quote!(#(#list),*)
    }
}

impl Param {
    fn new(position: usize, arg: &FnArg) -> Param {
        match arg {
            FnArg::Receiver(receiver) => Param {
                ident: Ident::new("self", receiver.self_token.span),
                pat: None,
                ty: None,
                origin: match &receiver.kind {
                    ReceiverKind::Reference(_, _, None) => Origin::Shared,
                    ReceiverKind::Reference(_, _, Some(_)) => Origin::Exclusive,
                    ReceiverKind::Typed(_, ty) => origin(ty),
                    _ => Origin::Owned,
                },
                is_cx: false,
            },
            FnArg::Typed(typed) => Param {
                ident: match pattern::untyped(&typed.pat).0 {
                    Pat::Ident(ident) => ident.ident.clone(),
                    _ => crate::emit::names::argument(position),
                },
                pat: Some((*typed.pat).clone()),
                ty: Some((*typed.ty).clone()),
                origin: origin(&typed.ty),
                is_cx: false,
            },
        }
    }
}

/// What a parameter of this type stands for.
pub(crate) fn origin(ty: &Type) -> Origin {
    match ty {
        Type::Reference(reference) if reference.mutability.is_some() => Origin::Exclusive,
        Type::Reference(_) => Origin::Shared,
        Type::Paren(paren) => origin(&paren.elem),
        // `$t:ty` of a `macro_rules!`.
        Type::Group(group) => origin(&group.elem),
        // Copied like the reference in it.
        Type::Path(path) if path.path.segments.last().is_some_and(|s| s.ident == "Option") => {
            match path.path.segments.last().map(|s| &s.arguments) {
                Some(syn::PathArguments::AngleBracketed(args)) => match args.args.first() {
                    Some(syn::GenericArgument::Type(ty)) if origin(ty) == Origin::Shared => Origin::Shared,
                    _ => Origin::Owned,
                },
                _ => Origin::Owned,
            }
        }
        _ => Origin::Owned,
    }
}
