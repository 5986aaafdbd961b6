//! The programs that mutants are made of: every chunk of the ui tests, the examples and the integration tests, and
//! a few that have every construct of control flow in one body.

use std::path::{Path, PathBuf};

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, Item};

/// A chunk: the attribute's arguments and the item.
#[derive(Clone)]
pub(super) struct Program {
    pub(super) arguments: TokenStream,
    pub(super) item: TokenStream,
    /// Where it comes from.
    pub(super) file: PathBuf,
}

/// What mutants are made of.
#[derive(Default)]
pub(super) struct Corpus {
    pub(super) programs: Vec<Program>,
    /// Statements of their bodies, inner ones too.
    pub(super) statements: Vec<TokenStream>,
    /// Snippets that bodies seldom have.
    pub(super) snippets: Vec<TokenStream>,
    file: PathBuf,
}

/// The folders that are looked through.
const FOLDERS: &[&str] = &["../ui-tests", "../examples", "../tests", "../runtime/src"];

impl Corpus {
    /// Reads it. Spans are those of the calling thread.
    pub(super) fn read() -> Corpus {
        let mut corpus = Corpus::default();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        FOLDERS.iter().for_each(|folder| corpus.folder(&root.join(folder)));
        corpus.file(root.join("src/fuzz/constructs.rs"));
        let snippets = SNIPPETS.lines().map(str::trim).filter(|line| !line.is_empty());
        corpus.snippets = snippets.map(|line| line.parse().expect("tokens")).collect();
        assert!(corpus.programs.len() > 100, "only {} programs", corpus.programs.len());
        corpus
    }

    fn folder(&mut self, folder: &Path) {
        let entries = std::fs::read_dir(folder).expect("a folder of the workspace");
        let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() && !path.ends_with("target") {
                self.folder(&path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                self.file(path);
            }
        }
    }

    fn file(&mut self, path: PathBuf) {
        let text = std::fs::read_to_string(&path).expect("a file of the workspace");
        if !text.contains("model_chunk") || path.to_string_lossy().ends_with(".expanded.rs") {
            return;
        }
        self.file = path;
        self.visit_file(&syn::parse_file(&text).expect("a file that parses"));
    }
}

fn take_attribute(attrs: &mut Vec<Attribute>) -> Option<TokenStream> {
    let at = attrs.iter().position(|a| a.path().is_ident("model_chunk"))?;
    let attribute = attrs.remove(at);
    Some(attribute.meta.require_list().map(|list| list.tokens.clone()).unwrap_or_default())
}

impl<'ast> Visit<'ast> for Corpus {
    fn visit_item(&mut self, item: &'ast Item) {
        let mut chunk = item.clone();
        let attrs = match &mut chunk {
            Item::Fn(f) => Some(&mut f.attrs),
            Item::Impl(i) => Some(&mut i.attrs),
            _ => None,
        };
        if let Some(arguments) = attrs.and_then(take_attribute) {
            let (item, file) = (chunk.to_token_stream(), self.file.clone());
            self.programs.push(Program { arguments, item, file });
        }
        visit::visit_item(self, item);
    }

    fn visit_block(&mut self, block: &'ast Block) {
        self.statements.extend(block.stmts.iter().map(ToTokens::to_token_stream));
        visit::visit_block(self, block);
    }
}

/// A line each.
const SNIPPETS: &str = r##"
    ref
    ref mut
    mut
    x @ y
    ..
    ..=
    _
    _ => x
    |x| x
    move || x
    async {}
    async move { x }
    .await
    return
    return x
    yield x
    break
    continue
    break 'out x
    'out: loop {}
    'out: {}
    loop { break x }
    match x { _ => {} }
    match x { Some(y) if y => y, _ => x }
    if let Some(x) = x && let y = &x {}
    let x;
    let x: usize;
    let _ = x;
    let ref x = y;
    let (x, ..) = y;
    let [x, y @ ..] = z;
    let Some(x) = x else { return Ok(y) };
    let x = &mut y;
    let x = if p { &x } else { &y };
    #[on(a)]
    #[on(b)]
    #[on(compute)]
    #[on(comm)]
    #[on(a, uses(&x, &mut y, z))]
    #[on]
    #[on()]
    #[on = a]
    #[cfg(debug_assertions)]
    #[allow(unused)]
    #[chunk]
    #[model_chunk(streams(a))]
    #![inner]
    unsafe {}
    unsafe { x }
    const { x }
    macro_rules! m { () => { x } }
    m!(x)
    m! { x => y }
    dbg!(x)
    vec![x; 2]
    matches!(x, Some(y) if y)
    println!("{x:y$.z$} {{ {0} {é} {x!r}", y = x)
    "{"
    "{x"
    "{x}"
    "{'"
    "{²}"
    "\""
    b"{x}"
    c"{x}"
    'x'
    'x
    r#x
    r#type
    self
    Self
    super
    crate
    cx
    x
    y
    x.0
    x.0.1
    x.y.z
    x[0]
    x[..]
    &raw const x
    &raw mut x
    &mut x
    &&x
    *x
    **x
    !x
    -x
    x as usize
    x as *const T
    x?
    x = y
    x += y
    (x, y) = (y, x);
    _ = x
    [x, y] = z
    S { x, y: z, ..w }
    S { x, .. }
    f::<T>(x)
    <T as U>::f(x)
    x.f::<T>(y)
    x..y
    x == y
    x && y
    x < y
    0
    1.0
    0x7f_u128
    0.0.1
    fn inner() {}
    struct Inner;
    use std::mem;
    impl T {}
    const X: usize = 1;
    static X: usize = 1;
    let x = const { 1 };
    try { x }
    become x
    do yeet x
    gen {}
    for<'a> |x: &'a T| x
    static || x
    for x in &mut y {}
    for (i, x) in y.iter_mut().enumerate() {}
    while let Some(x) = y.pop() {}
    while x {}
    => ;
    -> T
    : T
    :: x
    ,
    ;
    ;;
    {}
    ()
    []
    <>
    $
    @
    ~
    #
    ?

"##;
