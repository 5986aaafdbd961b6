//! Writing text with a trained model.

use super::chunks::{embed_forward, head_logits};
use super::data::Corpus;
use super::train::infer;
use super::{Config, Model};
use rand::{Rng, RngExt as _};
use streamlease::{Cx, Result};

/// How adventurous: logits are divided by this.
const TEMPERATURE: f32 = 0.7;

/// `start` and the next `length` characters that the model thinks up.
///
/// Each character is read back before the next one is asked for: here the program itself needs the value.
pub fn generate(
    cx: &Cx<'_>,
    (c, w): (&Config, &Model),
    corpus: &Corpus,
    (start, length): (&str, usize),
    rng: &mut impl Rng,
) -> Result<String> {
    let mut text = corpus.encode(start);
    let begun = text.len();
    while text.len() < begun + length {
        let id = next(cx, (c, w), &text, rng)?;
        text.push(id);
    }
    Ok(text.into_iter().map(|id| corpus.decode(id)).collect())
}

/// Draws the character after `text`.
fn next(cx: &Cx<'_>, (c, w): (&Config, &Model), text: &[u32], rng: &mut impl Rng) -> Result<u32> {
    let seen = &text[text.len().saturating_sub(c.seq)..];
    // Places behind the text are filled with anything: attention never looks ahead.
    let mut ids = seen.to_vec();
    ids.resize(c.seq, 0);
    let ids = cx.upload(ids)?;
    let x = embed_forward(cx, &w.embedding, &ids)?;
    let x = infer(cx, c, &w.layers, x)?;
    let logits = head_logits(cx, &w.head, x)?;
    let logits = cx.read(&logits.data)?.wait()?;
    let last = seen.len().max(1) - 1;
    Ok(draw(&logits[last * c.vocab..][..c.vocab], rng))
}

/// A number by the softmax of `logits`.
fn draw(logits: &[f32], rng: &mut impl Rng) -> u32 {
    let max = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let odds: Vec<f32> = logits.iter().map(|x| ((x - max) / TEMPERATURE).exp()).collect();
    let mut left = rng.random_range(0.0..odds.iter().sum());
    let drawn = odds.iter().position(|p| {
        left -= p;
        left < 0.0
    });
    drawn.unwrap_or(logits.len() - 1) as u32
}
