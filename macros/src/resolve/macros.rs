//! Macro calls inside a body: those whose tokens are expressions are read, others are opaque.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, Ident, Lit, Macro, Pat, Path, Token};

use super::place::chain;
use super::walk::{Veil, Walk, Want};

/// Macros of std, anyhow and tracing that look at their arguments.
const LOOKS: &[&str] = &[
    "anyhow",
    "assert",
    "assert_eq",
    "assert_ne",
    "bail",
    "concat",
    "debug",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "ensure",
    "eprint",
    "eprintln",
    "error",
    "event",
    "format",
    "format_args",
    "info",
    "panic",
    "print",
    "println",
    "todo",
    "trace",
    "unimplemented",
    "unreachable",
    "warn",
    "write",
    "writeln",
];
/// Macros of std that take their arguments.
const TAKES: &[&str] = &["dbg", "vec"];
/// Macros that evaluate nothing.
const INERT: &[&str] =
    &["cfg", "column", "env", "file", "include_bytes", "include_str", "line", "module_path", "stringify"];

/// Walks a macro call.
pub(super) fn walk(walk: &mut Walk<'_>, mac: &mut Macro) {
    let name = mac.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
    let want = if TAKES.contains(&&*name) { Want::Value } else { Want::Read };
    let known = LOOKS.contains(&&*name) || TAKES.contains(&&*name);
    if INERT.contains(&&*name) {
        return;
    }
    if name == "matches"
        && let Some(tokens) = matches_macro(walk, &mac.tokens)
    {
        mac.tokens = tokens;
        return;
    }
    let outer = walk.veil.clone();
    if !known {
        walk.veil.get_or_insert(Veil::Macro(mac.path.clone()));
    }
    match List::parse.parse2(mac.tokens.clone()) {
        Ok(mut list) => {
            arguments(walk, &mut list, want, known);
            if walk.entries.is_some() {
                mac.tokens = list.to_token_stream();
            }
        }
        Err(_) => raw_tokens(walk, &mac.tokens, &mac.path),
    }
    walk.veil = outer;
}

fn arguments(walk: &mut Walk<'_>, list: &mut List, want: Want, known: bool) {
    let named: Vec<Ident> = list.args.iter().filter_map(|a| a.name.clone()).collect();
    for arg in &mut list.args {
        if let (Expr::Lit(lit), true) = (&arg.expr, known)
            && let Lit::Str(text) = &lit.lit
        {
            for ident in inline_names(&text.value(), text.span()) {
                if !named.contains(&ident) {
                    name_in_tokens(walk, &ident, Want::Read, lit.to_token_stream());
                }
            }
        }
        // An unknown macro may ask for an identifier, so a bare name stays one.
        let bare = !known && chain(&arg.expr).is_some_and(|(_, path)| path.is_empty());
        if bare && walk.entries.is_some() {
            continue;
        }
        walk.expr(&mut arg.expr, want, false);
    }
}

/// `matches!(value, pattern)`: only the value is an expression.
fn matches_macro(walk: &mut Walk<'_>, tokens: &TokenStream) -> Option<TokenStream> {
    let split = |input: ParseStream<'_>| {
        let value: Expr = input.parse()?;
        let comma: Token![,] = input.parse()?;
        let pattern = Pat::parse_multi_with_leading_vert(input)?;
        let guard = if input.peek(Token![if]) {
            Some((input.parse::<Token![if]>()?, input.parse::<Expr>()?))
        } else {
            None
        };
        let last: Option<Token![,]> = input.parse()?;
        Ok((value, comma, pattern, guard, last))
    };
    let (mut value, comma, mut pattern, mut guard, last) = split.parse2(tokens.clone()).ok()?;
    walk.expr(&mut value, Want::Read, false);
    walk.scoped(|w| {
        w.bind(&mut pattern, usize::MAX);
        if let Some((_, guard)) = &mut guard {
            w.expr(guard, Want::Read, false);
        }
    });
    let guard = guard.map(|(token, guard)| quote!(#token #guard));
    Some(quote!(#value #comma #pattern #guard #last))
}

/// Tokens that are no expressions: every identifier in them may be a use.
pub(super) fn raw_tokens(walk: &mut Walk<'_>, tokens: &TokenStream, path: &Path) {
    let outer = walk.veil.clone();
    walk.veil.get_or_insert(Veil::Macro(path.clone()));
    scan(walk, tokens);
    walk.veil = outer;
}

fn scan(walk: &mut Walk<'_>, tokens: &TokenStream) {
    let mut after_dot = false;
    for token in tokens.clone() {
        match &token {
            TokenTree::Group(group) => scan(walk, &group.stream()),
            TokenTree::Ident(ident) if !after_dot => {
                name_in_tokens(walk, ident, Want::Read, ident.to_token_stream());
            }
            TokenTree::Literal(literal) => {
                if let Ok(text) = syn::parse2::<syn::LitStr>(literal.to_token_stream()) {
                    for ident in inline_names(&text.value(), text.span()) {
                        name_in_tokens(walk, &ident, Want::Read, literal.to_token_stream());
                    }
                }
            }
            _ => {}
        }
        after_dot = matches!(&token, TokenTree::Punct(p) if p.as_char() == '.');
    }
}

fn name_in_tokens(walk: &mut Walk<'_>, ident: &Ident, want: Want, tokens: TokenStream) {
    if walk.is_local(ident) || walk.entries.is_some() {
        return;
    }
    if ident == walk.cx {
        walk.passes_cx.push(None);
    } else if let Some(entry) = walk.scope.find(ident) {
        walk.note(entry, Vec::new(), want, false, tokens);
    }
}

/// The names in `{x}`, `{x:?}` and the like.
fn inline_names(text: &str, span: proc_macro2::Span) -> Vec<Ident> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        rest = &rest[open + 1..];
        if let Some(escaped) = rest.strip_prefix('{') {
            rest = escaped;
            continue;
        }
        let inside = &rest[..rest.find('}').unwrap_or(rest.len())];
        // `{x:width$.precision$}` names three.
        let (name, spec) = inside.split_once(':').unwrap_or((inside, ""));
        let dollars =
            spec.split('$').rev().skip(1).map(|s| s.rsplit(|c: char| !is_word(c)).next().unwrap_or(""));
        for word in std::iter::once(name.trim()).chain(dollars) {
            // Any text may stand there, and inside rustc text that is no token is an error of its own.
            if word.starts_with(|c: char| c == '_' || c.is_alphabetic())
                && word.chars().all(is_word)
                && let Ok(mut ident) = Ident::parse_any.parse_str(word)
            {
                ident.set_span(span);
                names.push(ident);
            }
        }
    }
    names
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// Comma-separated arguments; `vec![x; n]` too.
struct List {
    args: Vec<Arg>,
    separators: Vec<TokenStream>,
}

struct Arg {
    /// `name =`, `target:`, `%`, as written.
    prefix: TokenStream,
    /// The name that a format string may use.
    name: Option<Ident>,
    expr: Expr,
}

impl Parse for List {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut list = List { args: Vec::new(), separators: Vec::new() };
        while !input.is_empty() {
            list.args.push(input.parse()?);
            if input.peek(Token![;]) && list.args.len() == 1 {
                list.separators.push(input.parse::<Token![;]>()?.to_token_stream());
            } else if !input.is_empty() {
                list.separators.push(input.parse::<Token![,]>()?.to_token_stream());
            }
        }
        Ok(list)
    }
}

impl Parse for Arg {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut prefix = TokenStream::new();
        let mut name = None;
        if input.peek(Ident) && input.peek2(Token![:]) && !input.peek2(Token![::]) {
            prefix.extend(input.parse::<Ident>()?.to_token_stream());
            prefix.extend(input.parse::<Token![:]>()?.to_token_stream());
        } else if is_named(&input.fork()) {
            let dotted = Punctuated::<Ident, Token![.]>::parse_separated_nonempty(input)?;
            prefix.extend(dotted.to_token_stream());
            prefix.extend(input.parse::<Token![=]>()?.to_token_stream());
            name = dotted.first().cloned();
        }
        if input.peek(Token![%]) {
            prefix.extend(input.parse::<Token![%]>()?.to_token_stream());
        } else if input.peek(Token![?]) {
            prefix.extend(input.parse::<Token![?]>()?.to_token_stream());
        }
        Ok(Arg { prefix, name, expr: input.parse()? })
    }
}

fn is_named(input: ParseStream<'_>) -> bool {
    Punctuated::<Ident, Token![.]>::parse_separated_nonempty(input).is_ok()
        && input.peek(Token![=])
        && !input.peek(Token![==])
        && !input.peek(Token![=>])
}

impl ToTokens for List {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        for (i, arg) in self.args.iter().enumerate() {
            tokens.extend(arg.prefix.clone());
            arg.expr.to_tokens(tokens);
            tokens.extend(self.separators.get(i).cloned());
        }
    }
}
