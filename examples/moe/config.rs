//! Sizes of a model and of its batches.

use super::kernels::Heads;

/// Sizes of a model and of its batches.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Different characters, `V`.
    pub vocab: usize,
    /// Elements of a token's row, `D`.
    pub width: usize,
    /// Attention heads, `H`; a divisor of `width`.
    pub heads: usize,
    /// Layers.
    pub layers: usize,
    /// Routed experts of a layer, `E`.
    pub experts: usize,
    /// Hidden width of every expert, the shared one included, `F`.
    pub hidden: usize,
    /// Tokens of a sequence, `T`.
    pub seq: usize,
    /// Sequences of a batch.
    pub batch: usize,
}

impl Config {
    /// The model of the example.
    pub fn example(vocab: usize) -> Self {
        Config { vocab, width: 64, heads: 4, layers: 2, experts: 4, hidden: 64, seq: 32, batch: 64 }
    }

    /// A model for tests.
    pub fn tiny(vocab: usize) -> Self {
        Config { vocab, width: 16, heads: 2, layers: 2, experts: 4, hidden: 12, seq: 8, batch: 3 }
    }

    /// Tokens of a batch, `N`.
    pub fn tokens(&self) -> usize {
        self.batch * self.seq
    }

    /// How attention cuts a batch.
    pub fn heads(&self) -> Heads {
        Heads { heads: self.heads, seq: self.seq, width: self.width }
    }
}
