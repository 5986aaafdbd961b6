//! The attribute on what is no function, and the spans of what it passes on.

use super::corpus::Corpus;
use super::{Verdict, identifiers, judge};
use crate::pipeline::model_chunk;

/// Items that cannot be chunks.
const ITEMS: &[&str] = &[
    "struct S;",
    "pub struct S<T>(T) where T: Copy;",
    "enum E { A, B(u8) }",
    "union U { a: u8, b: u16 }",
    "trait Tr { fn f(&self, cx: &Cx<'_>) -> Result<()> { #[on(a)] g(cx, self) } }",
    "impl Tr for S { fn f(&self, cx: &Cx<'_>) -> Result<()> { #[on(a)] g(cx, self) } }",
    "impl S {}",
    "impl S { const X: u8 = 1; type T = u8; fn f() {} }",
    "mod m { fn f() {} }",
    "mod m;",
    "const X: u8 = 1;",
    "static X: u8 = 1;",
    "type T = u8;",
    "use std::mem;",
    "extern crate core;",
    "extern \"C\" { fn f(); }",
    "macro_rules! m { () => {} }",
    "some_macro! { x }",
    "trait A = B;",
    "fn f(&self, cx: &Cx<'_>) -> Result<T> { #[on(a)] g(cx, &self.x) }",
    "fn f(cx: &Cx<'_>) -> Result<T>;",
];

#[test]
fn what_is_no_function_gets_a_message_and_stays() {
    for text in ITEMS {
        let item: proc_macro2::TokenStream = text.parse().expect("tokens");
        let expanded = model_chunk("streams(a)".parse().expect("tokens"), item.clone());
        let messages = expanded.to_string();
        let parsed = syn::parse2::<syn::Item>(item.clone()).is_ok();
        assert!(messages.contains("compile_error") == parsed, "{text}\n{messages}");
        if let Ok(item) = syn::parse2::<syn::Item>(item) {
            let file = syn::parse2::<syn::File>(expanded).expect("items");
            let same = |i: &syn::Item| std::mem::discriminant(i) == std::mem::discriminant(&item);
            assert!(file.items[1..].iter().any(same), "{text} is gone: {messages}");
        }
    }
}

/// Editors follow spans: what the user wrote is in the expansion where the user wrote it.
#[test]
fn the_user_s_identifiers_keep_their_spans() {
    let corpus = Corpus::read();
    let mut planned = 0;
    for program in &corpus.programs {
        let verdict = judge(program).unwrap_or_else(|fault| panic!("{}: {fault}", program.file.display()));
        if verdict != Verdict::Planned {
            continue;
        }
        planned += 1;
        let expanded = model_chunk(program.arguments.clone(), program.item.clone());
        let (mut before, mut after) = (Vec::new(), Vec::new());
        identifiers(program.item.clone(), &mut before);
        identifiers(expanded, &mut after);
        let after: std::collections::HashSet<_> = after.into_iter().collect();
        let lost: Vec<_> = before.into_iter().filter(|i| !after.contains(i)).map(|(i, _)| i).collect();
        assert!(lost.is_empty(), "{}: {lost:?}", program.file.display());
    }
    assert!(planned > 100, "{planned}");
}
