//! Causal multi-head attention.
//!
//! Queries, keys and values lie side by side in rows of `qkv [N, 3 D]`; a head is a block of columns of each.

use super::{Mat, MatMut, gemm};

/// How a batch is cut into sequences and a row into heads.
#[derive(Clone, Copy, Debug)]
pub struct Heads {
    /// Heads of a row, each `width / heads` wide.
    pub heads: usize,
    /// Tokens of a sequence.
    pub seq: usize,
    /// Elements of a row of the output.
    pub width: usize,
}

impl Heads {
    fn size(self) -> usize {
        self.width / self.heads
    }

    fn scale(self) -> f32 {
        1.0 / (self.size() as f32).sqrt()
    }

    /// For head `index` of the batch (sequence-major): where its queries, keys and values start in `qkv`.
    fn qkv(self, index: usize) -> [usize; 3] {
        let (sequence, head) = (index / self.heads, index % self.heads);
        let start = sequence * self.seq * 3 * self.width + head * self.size();
        [start, start + self.width, start + 2 * self.width]
    }

    /// Where head `index` starts in an output `[N, D]`.
    fn out(self, index: usize) -> usize {
        (index / self.heads) * self.seq * self.width + (index % self.heads) * self.size()
    }

    /// A head's `[T, D / H]` block in a matrix of rows of `stride` elements.
    fn block(self, data: &[f32], stride: usize) -> Mat<'_> {
        Mat::strided(data, self.seq, self.size(), stride)
    }

    fn block_mut(self, data: &mut [f32], stride: usize) -> MatMut<'_> {
        MatMut::strided(data, self.seq, self.size(), stride)
    }
}

/// `out [N, D]`, and the attention weights `probs [N / T, H, T, T]` for the backward.
pub fn attention(h: Heads, qkv: &[f32], probs: &mut [f32], out: &mut [f32]) {
    let wide = 3 * h.width;
    for (index, probs) in probs.chunks_exact_mut(h.seq * h.seq).enumerate() {
        let [q, k, v] = h.qkv(index).map(|start| h.block(&qkv[start..], wide));
        gemm(h.scale(), q, k.t(), 0.0, MatMut::new(probs, h.seq, h.seq));
        causal_softmax(h.seq, probs);
        gemm(1.0, Mat::new(probs, h.seq, h.seq), v, 0.0, h.block_mut(&mut out[h.out(index)..], h.width));
    }
}

/// Softmax of each row over the columns up to the diagonal; zeros beyond it.
fn causal_softmax(seq: usize, scores: &mut [f32]) {
    for (i, row) in scores.chunks_exact_mut(seq).enumerate() {
        let (seen, unseen) = row.split_at_mut(i + 1);
        let max = seen.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut sum = 0.0;
        for x in seen.iter_mut() {
            *x = (*x - max).exp();
            sum += *x;
        }
        seen.iter_mut().for_each(|x| *x /= sum);
        unseen.fill(0.0);
    }
}

/// `dqkv [N, 3 D]` from `dout [N, D]`; `scratch [T, T]`.
pub fn attention_backward(
    h: Heads,
    qkv: &[f32],
    probs: &[f32],
    dout: &[f32],
    scratch: &mut [f32],
    dqkv: &mut [f32],
) {
    let (seq, wide) = (h.seq, 3 * h.width);
    for (index, p) in probs.chunks_exact(seq * seq).enumerate() {
        let starts = h.qkv(index);
        let [q, k, v] = starts.map(|start| h.block(&qkv[start..], wide));
        let dout = h.block(&dout[h.out(index)..], h.width);
        gemm(1.0, dout, v.t(), 0.0, MatMut::new(scratch, seq, seq));
        softmax_backward(seq, h.scale(), p, scratch);
        let (p, ds) = (Mat::new(p, seq, seq), Mat::new(scratch, seq, seq));
        gemm(1.0, ds, k, 0.0, h.block_mut(&mut dqkv[starts[0]..], wide));
        gemm(1.0, ds.t(), q, 0.0, h.block_mut(&mut dqkv[starts[1]..], wide));
        gemm(1.0, p.t(), dout, 0.0, h.block_mut(&mut dqkv[starts[2]..], wide));
    }
}

/// In place: the gradient of the weights `p [T, T]` becomes that of the products `q k^T`.
fn softmax_backward(seq: usize, scale: f32, p: &[f32], d: &mut [f32]) {
    for (p, d) in p.chunks_exact(seq).zip(d.chunks_exact_mut(seq)) {
        let mean: f32 = p.iter().zip(&*d).map(|(p, d)| p * d).sum();
        for (d, p) in d.iter_mut().zip(p) {
            *d = scale * p * (*d - mean);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moe::gradcheck::{assert_gradient, dot, random};

    const H: Heads = Heads { heads: 2, seq: 5, width: 6 };
    const TOKENS: usize = 2 * H.seq;

    fn forward(qkv: &[f32]) -> (Vec<f32>, Vec<f32>) {
        let (mut probs, mut out) = (vec![f32::NAN; 2 * 2 * 25], vec![f32::NAN; TOKENS * H.width]);
        attention(H, qkv, &mut probs, &mut out);
        (probs, out)
    }

    #[test]
    fn gradient() {
        let (qkv, r) = (random(TOKENS * 3 * H.width, 1), random(TOKENS * H.width, 2));
        let (probs, _) = forward(&qkv);
        let (mut scratch, mut dqkv) = (vec![f32::NAN; 25], vec![f32::NAN; qkv.len()]);
        attention_backward(H, &qkv, &probs, &r, &mut scratch, &mut dqkv);
        assert_gradient("qkv", &qkv, &dqkv, |qkv| dot(&forward(qkv).1, &r));
    }

    #[test]
    fn a_token_never_sees_later_ones() {
        let mut qkv = random(TOKENS * 3 * H.width, 1);
        let before = forward(&qkv).1;
        let last = (H.seq - 1) * 3 * H.width;
        qkv[last..last + 3 * H.width].fill(9.0);
        let after = forward(&qkv).1;
        let changed = |row: usize| before[row * H.width..][..H.width] != after[row * H.width..][..H.width];
        assert_eq!((0..TOKENS).filter(|row| changed(*row)).collect::<Vec<_>>(), [H.seq - 1]);
    }
}
