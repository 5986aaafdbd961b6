//! The guide's pages about errors hold what the macro says.
//!
//! Each page's heading is a message. The program that is to be refused is expanded here, and must give that message and
//! no other; the program to write instead must give none. That rustc agrees is seen where the guide is compiled.

use std::collections::BTreeSet;
use std::path::Path;

use proc_macro2::TokenStream;
use syn::visit::{self, Visit};

use crate::pipeline::model_chunk;

/// Errors of rustc's, of which the macro knows nothing.
const BY_RUSTC: &str = "compiler";

struct Section {
    page: String,
    heading: String,
    refused: Option<String>,
    mended: Option<String>,
}

fn sections() -> Vec<Section> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/src/guide/errors");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    files.iter().flat_map(|file| page(file)).collect()
}

fn page(file: &Path) -> Vec<Section> {
    let text = std::fs::read_to_string(file).unwrap();
    let docs: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix("//!")).collect();
    let shown = |l: &&str| !l.starts_with("# mod s "); // a line of the program that its reader does not see
    let docs = docs.iter().map(|l| l.strip_prefix(' ').unwrap_or(l)).filter(shown);
    let docs = docs.collect::<Vec<_>>().join("\n");
    let section = |text: &str| {
        let heading = text.lines().next().unwrap_or_default().to_owned();
        let blocks = text.split("```").skip(1).step_by(2).map(|block| block.split_once('\n').unwrap());
        let program = |kind: &str| {
            let mut blocks = blocks.clone();
            blocks.find(|(k, _)| *k == kind).map(|(_, code)| code.to_owned())
        };
        let page = file.file_stem().unwrap().to_string_lossy().into_owned();
        Section { page, heading, refused: program("compile_fail"), mended: program("") }
    };
    docs.split("\n# ").skip(1).map(section).collect()
}

/// What the macro says of every chunk in a program.
fn messages(program: &str) -> Vec<String> {
    let file = syn::parse_str::<syn::File>(program).unwrap_or_else(|e| panic!("{e}:\n{program}"));
    file.items.iter().flat_map(of_item).collect()
}

fn of_item(item: &syn::Item) -> Vec<String> {
    let mut item = item.clone();
    let attrs = match &mut item {
        syn::Item::Fn(f) => &mut f.attrs,
        syn::Item::Impl(i) => &mut i.attrs,
        syn::Item::Struct(s) => &mut s.attrs,
        _ => return Vec::new(),
    };
    let expand = |arguments: TokenStream, item: &dyn quote::ToTokens| {
        let file = syn::parse2::<syn::File>(model_chunk(arguments, item.to_token_stream())).unwrap();
        let mut errors = Errors(Vec::new());
        errors.visit_file(&file);
        errors.0
    };
    if let Some(at) = attrs.iter().position(|a| a.path().is_ident("model_chunk")) {
        let arguments = match attrs.remove(at).meta {
            syn::Meta::List(list) => list.tokens,
            _ => TokenStream::new(),
        };
        return expand(arguments, &item);
    }
    let syn::Item::Impl(block) = item else { return Vec::new() };
    let methods =
        block.items.iter().filter_map(|i| if let syn::ImplItem::Fn(f) = i { Some(f) } else { None });
    methods
        .filter_map(|method| {
            let mut method = method.clone();
            let at = method.attrs.iter().position(|a| a.path().is_ident("model_chunk"))?;
            let arguments = method.attrs.remove(at).meta.require_list().unwrap().tokens.clone();
            Some(expand(arguments, &method))
        })
        .flatten()
        .collect()
}

struct Errors(Vec<String>);

impl<'ast> Visit<'ast> for Errors {
    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        if mac.path.segments.last().is_some_and(|s| s.ident == "compile_error") {
            let text: syn::LitStr = mac.parse_body().unwrap();
            self.0.push(text.value());
        }
        visit::visit_macro(self, mac);
    }
}

/// The message without its help.
fn first_line(message: &str) -> &str {
    message.lines().next().unwrap_or_default()
}

#[test]
fn every_page_shows_what_the_macro_says() {
    let sections = sections();
    assert!(sections.len() > 40, "only {} sections", sections.len());
    let mut wrong = Vec::new();
    for Section { page, heading, refused, mended } in sections {
        let said =
            messages(&refused.unwrap_or_else(|| panic!("{page}: nothing is refused under `{heading}`")));
        // The second arm of a branch may say the same of itself.
        let first = said.first().map(|m| first_line(m));
        if first != (page != BY_RUSTC).then_some(&*heading) {
            wrong.push(format!("{page}: `{heading}` says {first:?}"));
        }
        let mended = mended.as_deref().map(messages).unwrap_or_default();
        wrong.extend(mended.iter().map(|said| format!("{page}: the mend of `{heading}` says {said}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A message with what stands between backticks taken out.
fn shape(message: &str) -> String {
    message.split('`').step_by(2).collect::<Vec<_>>().join("`_`")
}

#[test]
fn every_message_has_its_place_in_the_guide() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui-tests");
    let headings: BTreeSet<String> = sections().iter().map(|s| shape(&s.heading)).collect();
    let mut seen = 0;
    for rule in std::fs::read_dir(folder).unwrap() {
        let Ok(files) = std::fs::read_dir(rule.unwrap().path().join("fail")) else { continue };
        let files = files.map(|f| f.unwrap().path()).filter(|f| f.extension().is_some_and(|e| e == "stderr"));
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            for message in text.lines().filter_map(|l| l.strip_prefix("error: ")) {
                seen += 1;
                let known =
                    headings.contains(&shape(message)) || ELSEWHERE.iter().any(|e| message.contains(e));
                assert!(known, "{}: no heading for `{message}`", file.display());
            }
        }
    }
    assert!(seen > 30, "only {seen} messages");
}

/// Parts of messages that a heading speaks of in its text, and syn's own.
const ELSEWHERE: &[&str] =
    &["expected identifier", "by the same node", "would leave the node", "around a", "inside the closure"];
