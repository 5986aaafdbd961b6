//! The two attributes: `#[model_chunk(..)]` and `#[on(..)]`.

use proc_macro2::{Ident, Span, TokenStream};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, LitInt, Path, Token, parenthesized};

use crate::body::Mode;
use crate::report::Report;

/// `#[model_chunk(streams(a, b), reuse_lag = k, crate = path)]`.
#[derive(Debug)]
pub(crate) struct ChunkArgs {
    /// The streams, in order.
    pub(crate) streams: Vec<Ident>,
    /// How many executions a node's memory may lag behind before it is waited for.
    pub(crate) reuse_lag: u32,
    /// Where the runtime crate is, if the user says so.
    pub(crate) krate: Option<Path>,
}

impl Parse for ChunkArgs {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut args = ChunkArgs { streams: Vec::new(), reuse_lag: 1, krate: None };
        while !input.is_empty() {
            if input.peek(Token![crate]) {
                input.parse::<Token![crate]>()?;
                input.parse::<Token![=]>()?;
                args.krate = Some(Path::parse_mod_style(input)?);
            } else {
                args.option(input)?;
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        args.judge()?;
        Ok(args)
    }
}

impl ChunkArgs {
    fn option(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        let key: Ident = input.parse()?;
        if key == "streams" {
            let list;
            parenthesized!(list in input);
            self.streams = Punctuated::<Ident, Token![,]>::parse_terminated(&list)?.into_iter().collect();
        } else if key == "reuse_lag" {
            input.parse::<Token![=]>()?;
            self.reuse_lag = input.parse::<LitInt>()?.base10_parse()?;
        } else {
            let message = format!(
                "unknown option `{key}`\n\n  = help: write `streams(a, b)`, `reuse_lag = 1` or `crate = path`"
            );
            return Err(syn::Error::new(key.span(), message));
        }
        Ok(())
    }

    fn judge(&self) -> syn::Result<()> {
        let Some(first) = self.streams.first() else { return Ok(()) };
        if self.streams.len() > streamlease_plan::MAX_STREAMS {
            let message = format!("a chunk has at most {} streams", streamlease_plan::MAX_STREAMS);
            return Err(syn::Error::new_spanned(first, message));
        }
        for (i, stream) in self.streams.iter().enumerate() {
            if self.streams[..i].contains(stream) {
                return Err(syn::Error::new_spanned(stream, format!("stream `{stream}` is listed twice")));
            }
        }
        Ok(())
    }
}

/// `#[on(a, uses(&x, &mut y, z))]`.
#[derive(Debug)]
pub(crate) struct On {
    /// The stream.
    pub(crate) stream: Ident,
    /// The uses that the user states, if any.
    pub(crate) uses: Option<Vec<Stated>>,
}

/// A stated use.
#[derive(Debug)]
pub(crate) struct Stated {
    /// How.
    pub(crate) mode: Mode,
    /// The place.
    pub(crate) place: Expr,
}

impl Parse for On {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let stream: Ident = input.parse()?;
        let mut uses = None;
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            let key: Ident = input.parse()?;
            if key != "uses" {
                let message = format!("unknown option `{key}`\n\n  = help: write `uses(&x, &mut y, z)`");
                return Err(syn::Error::new(key.span(), message));
            }
            let list;
            parenthesized!(list in input);
            let stated = Punctuated::<Stated, Token![,]>::parse_terminated(&list)?;
            uses.get_or_insert_with(Vec::new).extend(stated);
        }
        Ok(On { stream, uses })
    }
}

impl Parse for Stated {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mode = match input.parse::<Option<Token![&]>>()? {
            None => Mode::Consume,
            Some(_) => match input.parse::<Option<Token![mut]>>()? {
                Some(_) => Mode::Write,
                None => Mode::Read,
            },
        };
        Ok(Stated { mode, place: input.parse()? })
    }
}

/// Takes the `#[on(..)]` off a statement's attributes.
pub(crate) fn take_on(attrs: &mut Vec<Attribute>, report: &mut Report) -> Option<On> {
    let mut found = None;
    let mut rest = Vec::new();
    for attr in attrs.drain(..) {
        if !is_on(&attr) {
            rest.push(attr);
        } else if found.is_some() {
            report.at(&attr, "a node runs on one stream: write `#[on(..)]` once");
        } else {
            found = Some(attr);
        }
    }
    *attrs = rest;
    match found?.parse_args::<On>() {
        Ok(on) => Some(on),
        Err(error) => {
            report.push(error);
            None
        }
    }
}

/// Whether an attribute marks a node.
pub(crate) fn is_on(attr: &Attribute) -> bool {
    attr.path().is_ident("on")
}

/// Where the runtime crate is found: as the user says, or under the name that the user's manifest gives it.
pub(crate) fn runtime_path(args: Option<&ChunkArgs>) -> TokenStream {
    use proc_macro_crate::{FoundCrate, crate_name};
    use quote::quote;
    if let Some(path) = args.and_then(|a| a.krate.as_ref()) {
        return quote!(#path);
    }
    match crate_name("streamlease") {
        Ok(FoundCrate::Name(name)) => {
            let name = Ident::new(&name, Span::call_site());
            quote!(::#name)
        }
        // The crate's own examples and doc tests see it under its name, like everybody else.
        Ok(FoundCrate::Itself) | Err(_) => quote!(::streamlease),
    }
}
