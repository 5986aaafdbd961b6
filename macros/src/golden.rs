//! Expansions of the examples, checked in beside them: `examples/NAME.expanded.rs`.
//!
//! `BLESS=1 cargo test -p streamlease-macros golden` writes them anew; read the difference before you keep it.

use std::path::Path;

use quote::ToTokens;
use syn::Item;

use crate::pipeline::model_chunk;

/// A file with every chunk expanded, as `cargo expand` shows it.
fn expand(source: &str) -> String {
    let mut file = syn::parse_file(source).expect("an example that parses");
    file.items = file.items.into_iter().flat_map(item).collect();
    prettyplease::unparse(&file)
}

fn item(mut item: Item) -> Vec<Item> {
    let attrs = match &mut item {
        Item::Fn(function) => &mut function.attrs,
        Item::Impl(methods) => &mut methods.attrs,
        _ => return vec![item],
    };
    let Some(at) = attrs.iter().position(|a| a.path().is_ident("model_chunk")) else { return vec![item] };
    let attribute = attrs.remove(at);
    let arguments = attribute.meta.require_list().expect("streams").tokens.clone();
    let expanded = model_chunk(arguments, item.to_token_stream());
    syn::parse2::<syn::File>(expanded).expect("an expansion that parses").items
}

fn compare(name: &str) {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let source = std::fs::read_to_string(examples.join(format!("{name}.rs"))).expect("the example");
    let golden = examples.join(format!("{name}.expanded.rs"));
    let head =
        format!("// What `#[model_chunk]` makes of `{name}.rs`; a test of the macros keeps it current.\n\n");
    let now = head + &expand(&source);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&golden, &now).expect("written");
    }
    let then = std::fs::read_to_string(&golden).unwrap_or_default();
    let differs = then.lines().zip(now.lines()).position(|(a, b)| a != b);
    assert!(then == now, "{} is not what the macro writes, from line {differs:?} on", golden.display());
}

#[test]
fn hello_two_streams() {
    compare("hello_two_streams");
}

#[test]
fn moe_layer() {
    compare("moe_layer");
}
