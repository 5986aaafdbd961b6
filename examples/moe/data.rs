//! The text to learn: this repository's own Markdown and Rust sources.

use rand::{Rng, RngExt as _};
use std::fs;
use std::path::{Path, PathBuf};

/// A text as numbers of its characters.
#[derive(Debug)]
pub struct Corpus {
    /// Its different characters, sorted; a character's number is its position here.
    vocabulary: Vec<char>,
    text: Vec<u32>,
}

/// Characters and the ones that follow them, as many sequences side by side as a batch has.
#[derive(Debug)]
pub struct Batch {
    /// `[N]`.
    pub ids: Vec<u32>,
    /// `[N]`: for each of `ids`, the next character.
    pub targets: Vec<u32>,
}

impl Corpus {
    /// The workspace's sources, or this file alone where they are not to be found.
    pub fn of_this_repository() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut files = Vec::new();
        collect(&root, &mut files);
        files.sort();
        let text: String = files.iter().filter_map(|file| fs::read_to_string(file).ok()).collect();
        if text.is_empty() { Self::of(include_str!("data.rs")) } else { Self::of(&text) }
    }

    /// A corpus of any text.
    pub fn of(text: &str) -> Self {
        let mut vocabulary: Vec<char> = text.chars().collect();
        vocabulary.sort_unstable();
        vocabulary.dedup();
        let mut corpus = Corpus { vocabulary, text: Vec::new() };
        corpus.text = corpus.encode(text);
        corpus
    }

    /// Different characters.
    pub fn vocab(&self) -> usize {
        self.vocabulary.len()
    }

    /// Characters in all.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether there is no text at all.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The numbers of those characters that the corpus has.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        text.chars().filter_map(|c| self.vocabulary.binary_search(&c).ok()).map(|at| at as u32).collect()
    }

    /// The character of a number.
    pub fn decode(&self, id: u32) -> char {
        self.vocabulary[id as usize]
    }

    /// `batch` random stretches of `seq` characters.
    ///
    /// # Panics
    /// If the text has no more than `seq` characters.
    pub fn batch(&self, batch: usize, seq: usize, rng: &mut impl Rng) -> Batch {
        let starts: Vec<usize> = (0..batch).map(|_| rng.random_range(0..self.text.len() - seq)).collect();
        let cut =
            |shift: usize| starts.iter().flat_map(|s| &self.text[s + shift..][..seq]).copied().collect();
        Batch { ids: cut(0), targets: cut(1) }
    }
}

/// All Markdown and Rust files below `folder`, except in hidden folders and build outputs.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            if name != "target" && !name.as_encoded_bytes().starts_with(b".") {
                collect(&path, files);
            }
        } else if path.extension().is_some_and(|ext| ext == "md" || ext == "rs") {
            files.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng as _;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn a_target_is_the_next_character() {
        let corpus = Corpus::of("abcdefghijklmnop");
        let batch = corpus.batch(3, 5, &mut ChaCha8Rng::seed_from_u64(1));
        assert_eq!((batch.ids.len(), batch.targets.len()), (15, 15));
        assert!(batch.ids.iter().zip(&batch.targets).all(|(id, target)| id + 1 == *target));
    }

    #[test]
    fn text_survives_the_vocabulary() {
        let corpus = Corpus::of("fn ζ() {}");
        let again: String = corpus.encode("ζ} f?").into_iter().map(|id| corpus.decode(id)).collect();
        assert_eq!(again, "ζ} f", "unknown characters are left out");
    }

    #[test]
    fn the_repository_is_found() {
        assert!(Corpus::of_this_repository().len() > 50_000);
    }
}
