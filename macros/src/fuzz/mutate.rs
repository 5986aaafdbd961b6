//! Mutants of programs: tokens deleted, doubled, swapped and replaced, at any depth.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use rand::{Rng, RngExt};

use super::corpus::{Corpus, Program};

/// Tokens that can be changed in place.
enum Tree {
    Leaf(TokenTree),
    Group(Delimiter, Span, Vec<Tree>),
}

impl Tree {
    fn span(&self) -> Span {
        match self {
            Tree::Leaf(token) => token.span(),
            Tree::Group(_, span, _) => *span,
        }
    }
}

fn read(tokens: TokenStream) -> Vec<Tree> {
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Group(g) => Tree::Group(g.delimiter(), g.span(), read(g.stream())),
            other => Tree::Leaf(other),
        })
        .collect()
}

fn write(trees: &[Tree]) -> TokenStream {
    trees
        .iter()
        .map(|tree| match tree {
            Tree::Leaf(token) => token.clone(),
            Tree::Group(delimiter, span, inner) => {
                let mut group = Group::new(*delimiter, write(inner));
                group.set_span(*span);
                TokenTree::Group(group)
            }
        })
        .collect()
}

/// How many lists of tokens there are, this one among them.
fn lists(trees: &[Tree]) -> usize {
    1 + trees.iter().map(|t| if let Tree::Group(_, _, inner) = t { lists(inner) } else { 0 }).sum::<usize>()
}

/// The list with a number, counted in the order of the text.
fn list<'t>(trees: &'t mut Vec<Tree>, number: &mut usize) -> Option<&'t mut Vec<Tree>> {
    if *number == 0 {
        return Some(trees);
    }
    *number -= 1;
    for tree in trees.iter_mut() {
        if let Tree::Group(_, _, inner) = tree {
            let all = lists(inner);
            if *number < all {
                return list(inner, number);
            }
            *number -= all;
        }
    }
    None
}

fn any<'a, T>(of: &'a [T], random: &mut impl Rng) -> &'a T {
    &of[random.random_range(0..of.len())]
}

/// A program of the corpus with up to four changes: names that mean another, statements that come or go, and tokens of
/// any kind. The first two mostly parse.
pub(super) fn body(corpus: &Corpus, random: &mut impl Rng) -> Program {
    let mut program = any(&corpus.programs, random).clone();
    let mut trees = read(program.item);
    for _ in 0..random.random_range(1..=4) {
        match random.random_range(0..10) {
            0..4 => name(&mut trees, random),
            4..8 => statement(&mut trees, corpus, random),
            _ => token(&mut trees, corpus, random),
        }
    }
    program.item = write(&trees);
    program
}

/// Writes one name of the program for another.
fn name(trees: &mut [Tree], random: &mut impl Rng) {
    let mut names = Vec::new();
    names_of(trees, &mut names);
    if names.is_empty() {
        return;
    }
    let mut other = (**any(&names, random)).clone();
    let at = random.random_range(0..names.len());
    other.set_span(names[at].span());
    *names.swap_remove(at) = other;
}

/// The identifiers that can be bound, in the order of the text.
fn names_of<'t>(trees: &'t mut [Tree], names: &mut Vec<&'t mut Ident>) {
    for tree in trees {
        match tree {
            Tree::Leaf(TokenTree::Ident(ident)) => {
                let text = ident.to_string();
                if text.starts_with(char::is_lowercase) && syn::parse_str::<Ident>(&text).is_ok() {
                    names.push(ident);
                }
            }
            Tree::Leaf(_) => {}
            Tree::Group(_, _, inner) => names_of(inner, names),
        }
    }
}

/// The attribute's arguments with up to four changes.
pub(super) fn arguments(corpus: &Corpus, random: &mut impl Rng) -> Program {
    let mut program = any(&corpus.programs, random).clone();
    let mut trees = read(program.arguments);
    for _ in 0..random.random_range(1..=4) {
        token(&mut trees, corpus, random);
    }
    program.arguments = write(&trees);
    program
}

/// Puts a statement, or takes one away, where a statement can stand.
fn statement(trees: &mut Vec<Tree>, corpus: &Corpus, random: &mut impl Rng) {
    let mut number = random.random_range(0..lists(trees));
    let Some(list) = list(trees, &mut number) else { return };
    let is_end = |t: &Tree| match t {
        Tree::Leaf(TokenTree::Punct(p)) => p.as_char() == ';',
        Tree::Group(delimiter, ..) => *delimiter == Delimiter::Brace,
        Tree::Leaf(_) => false,
    };
    let ends: Vec<usize> = list.iter().enumerate().filter(|(_, t)| is_end(t)).map(|(i, _)| i + 1).collect();
    if ends.is_empty() {
        return token(trees, corpus, random);
    }
    let at = *any(&ends, random);
    let next = ends.iter().copied().find(|&e| e > at);
    match (random.random_range(0..4), next) {
        (0, Some(next)) => drop(list.drain(at..next)),
        (1, Some(next)) => list[at..next].reverse(),
        _ => {
            let new = read(any(&corpus.statements, random).clone());
            list.splice(at..at, new);
        }
    }
}

fn token(trees: &mut Vec<Tree>, corpus: &Corpus, random: &mut impl Rng) {
    let mut number = random.random_range(0..lists(trees));
    let Some(list) = list(trees, &mut number) else { return };
    let snippet = |random: &mut _| read(any(&corpus.snippets, random).clone());
    if list.is_empty() {
        return list.extend(snippet(random));
    }
    let (at, other) = (random.random_range(0..list.len()), random.random_range(0..list.len()));
    match random.random_range(0..6) {
        0 => drop(list.remove(at)),
        1 => {
            let double = read(write(&list[at..=at]));
            list.splice(at..at, double);
        }
        2 => list.swap(at, other),
        3 => {
            let new = snippet(random);
            list.splice(at..=at, new);
        }
        4 => {
            let new = snippet(random);
            list.splice(at..at, new);
        }
        _ => {
            // Into brackets, or out of them.
            match list.remove(at) {
                Tree::Group(_, _, inner) => drop(list.splice(at..at, inner)),
                leaf => {
                    let brackets =
                        [Delimiter::Parenthesis, Delimiter::Brace, Delimiter::Bracket, Delimiter::None];
                    let span = leaf.span();
                    list.insert(at, Tree::Group(*any(&brackets, random), span, vec![leaf]));
                }
            }
        }
    }
}
