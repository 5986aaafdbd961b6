//! Gradients of every chunk: of its input and of each of its weights.
//!
//! The scalar is the inner product of the chunk's output with a random `r`, so `r` is the output's gradient. The
//! gradients begin with random content, which must not show in the end.

use super::{strict, values};
use crate::moe::chunks::{
    attention_backward, attention_forward, embed_backward, embed_forward, experts_backward, experts_forward,
    head_backward, head_forward, head_logits,
};
use crate::moe::gradcheck::{assert_gradient, dot, random};
use crate::moe::train::Trainer;
use crate::moe::{Attention, Config, Embedding, Experts, Head, Matrix, Model};
use streamlease::{Cx, Result};

/// One sequence of eight tokens: few enough that, with this seed, no step of a weight changes a token's experts
/// (there the loss has a jump, and differences mean nothing).
fn config() -> Config {
    Config { batch: 1, layers: 1, ..Config::tiny(11) }
}

const SEED: u64 = 5;

/// A weight of a struct, with its name.
type Field<W> = (&'static str, fn(&mut W) -> &mut Matrix);

/// A random `[N, D]`.
fn rows(cx: &Cx<'_>, seed: u64) -> Result<Matrix> {
    let c = config();
    let (rows, cols) = (c.batch * c.seq, c.width);
    Matrix::upload(cx, rows, cols, random(rows * cols, seed))
}

/// Checks the gradient that `g` has for the matrix that `pick` finds.
fn check<W>(
    cx: &Cx<'_>,
    (w, g): (&mut W, &mut W),
    (name, pick): Field<W>,
    scalar: impl Fn(&W) -> Result<f64>,
) -> Result<()> {
    let (at, gradient) = (values(cx, pick(w))?, values(cx, pick(g))?);
    let (rows, cols) = (pick(w).rows, pick(w).cols);
    assert_gradient(name, &at, &gradient, |near| {
        *pick(w) = Matrix::upload(cx, rows, cols, near.to_vec()).unwrap();
        scalar(w).unwrap()
    });
    *pick(w) = Matrix::upload(cx, rows, cols, at)?;
    Ok(())
}

/// Checks the gradient `dx` of the input, which is `rows(cx, 1)`.
fn check_input(cx: &Cx<'_>, dx: &Matrix, scalar: impl Fn(Matrix) -> Result<f64>) -> Result<()> {
    let x = rows(cx, 1)?;
    assert_gradient("the input", &values(cx, &x)?, &values(cx, dx)?, |near| {
        scalar(Matrix::upload(cx, x.rows, x.cols, near.to_vec()).unwrap()).unwrap()
    });
    Ok(())
}

#[test]
fn attention() -> Result<()> {
    let (_runtime, lane) = strict()?;
    let (cx, c) = (&lane.cx(), config());
    let w = &mut Model::random(cx, &c, SEED)?.layers.remove(0).attention;
    let g = &mut Model::random(cx, &c, 0)?.layers.remove(0).attention;
    let r = values(cx, &rows(cx, 2)?)?;
    let forward = |w: &Attention, x| attention_forward(cx, &c.heads(), w, x);
    let scalar = |w: &Attention, x| Ok(dot(&values(cx, &forward(w, x)?.0)?, &r));

    let (_, acts) = forward(w, rows(cx, 1)?)?;
    let dx = attention_backward(cx, &c.heads(), w, g, acts, rows(cx, 2)?)?;
    check_input(cx, &dx, |x| scalar(w, x))?;
    let weights: [Field<Attention>; 3] =
        [("norm", |w| &mut w.norm), ("qkv", |w| &mut w.qkv), ("out", |w| &mut w.out)];
    weights.into_iter().try_for_each(|weight| check(cx, (w, g), weight, |w| scalar(w, rows(cx, 1)?)))
}

#[test]
fn experts() -> Result<()> {
    let (_runtime, lane) = strict()?;
    let (cx, c) = (&lane.cx(), config());
    let w = &mut Model::random(cx, &c, SEED)?.layers.remove(0).experts;
    let g = &mut Model::random(cx, &c, 0)?.layers.remove(0).experts;
    let r = values(cx, &rows(cx, 2)?)?;
    let scalar = |w: &Experts, x| Ok(dot(&values(cx, &experts_forward(cx, w, x)?.0)?, &r));

    let (_, acts) = experts_forward(cx, w, rows(cx, 1)?)?;
    let dx = experts_backward(cx, w, g, acts, rows(cx, 2)?)?;
    check_input(cx, &dx, |x| scalar(w, x))?;
    let weights: [Field<Experts>; 6] = [
        ("norm", |w| &mut w.norm),
        ("router", |w| &mut w.router),
        ("shared_up", |w| &mut w.shared_up),
        ("shared_down", |w| &mut w.shared_down),
        ("up", |w| &mut w.up),
        ("down", |w| &mut w.down),
    ];
    weights.into_iter().try_for_each(|weight| check(cx, (w, g), weight, |w| scalar(w, rows(cx, 1)?)))
}

#[test]
fn head() -> Result<()> {
    let (_runtime, lane) = strict()?;
    let (cx, c) = (&lane.cx(), config());
    let w = &mut Model::random(cx, &c, SEED)?.head;
    let g = &mut Model::random(cx, &c, 0)?.head;
    let targets = || cx.upload(vec![3, 0, 10, 4, 4, 7, 1, 9]);
    let forward = |w: &Head, x| head_forward(cx, w, x, targets()?);
    let scalar = |w: &Head, x| Ok(f64::from(cx.read(&forward(w, x)?.0)?.wait()?[0]));

    let (_, acts) = forward(w, rows(cx, 1)?)?;
    let dx = head_backward(cx, w, g, acts)?;
    check_input(cx, &dx, |x| scalar(w, x))?;
    let weights: [Field<Head>; 2] = [("norm", |w| &mut w.norm), ("out", |w| &mut w.out)];
    weights.into_iter().try_for_each(|weight| check(cx, (w, g), weight, |w| scalar(w, rows(cx, 1)?)))
}

#[test]
fn logits_are_those_of_the_loss() -> Result<()> {
    let (_runtime, lane) = strict()?;
    let (cx, c) = (&lane.cx(), config());
    let w = Model::random(cx, &c, SEED)?.head;
    let targets = [3, 0, 10, 4, 4, 7, 1, 9];
    let mut logits = values(cx, &head_logits(cx, &w, rows(cx, 1)?)?)?;
    let mut by_logits = [0.0];
    crate::moe::kernels::cross_entropy(c.vocab, &mut logits, &targets, &mut by_logits);
    let loss = head_forward(cx, &w, rows(cx, 1)?, cx.upload(targets)?)?.0;
    assert_eq!(cx.read(&loss)?.wait()?, by_logits);
    Ok(())
}

#[test]
fn embedding() -> Result<()> {
    let (_runtime, lane) = strict()?;
    let (cx, c) = (&lane.cx(), config());
    let w = &mut Model::random(cx, &c, SEED)?.embedding;
    let g = &mut Model::random(cx, &c, 0)?.embedding;
    let ids = || cx.upload(vec![1, 9, 9, 0, 3, 10, 9, 2]);
    let r = values(cx, &rows(cx, 2)?)?;
    let scalar = |w: &Embedding| Ok(dot(&values(cx, &embed_forward(cx, w, &ids()?)?)?, &r));

    embed_backward(cx, g, ids()?, rows(cx, 2)?)?;
    let weights: [Field<Embedding>; 2] = [("tokens", |w| &mut w.tokens), ("positions", |w| &mut w.positions)];
    weights.into_iter().try_for_each(|weight| check(cx, (w, g), weight, scalar))
}

/// The chunks in the training loop's order: each layer's gradients reach the one before it.
#[test]
fn whole_model() -> Result<()> {
    let (_runtime, lane) = strict()?;
    let cx = &lane.cx();
    let mut trainer = Trainer::new(cx, Config { layers: 2, ..config() }, 0.0, SEED)?;
    let loss = |trainer: &mut Trainer| {
        let ids = cx.upload([1, 9, 9, 0, 3, 10, 9, 2])?;
        let loss = trainer.accumulate(cx, ids, cx.upload([9, 9, 0, 3, 10, 9, 2, 4])?)?;
        Ok(f64::from(cx.read(&loss)?.wait()?[0]))
    };
    let _: Result<f64> = loss(&mut trainer);
    let weights: [Field<Model>; 7] = [
        ("tokens", |w| &mut w.embedding.tokens),
        ("first qkv", |w| &mut w.layers[0].attention.qkv),
        ("first router", |w| &mut w.layers[0].experts.router),
        ("first up", |w| &mut w.layers[0].experts.up),
        ("second qkv", |w| &mut w.layers[1].attention.qkv),
        ("second down", |w| &mut w.layers[1].experts.down),
        ("head", |w| &mut w.head.out),
    ];
    let gradients: Result<Vec<_>> =
        weights.iter().map(|(_, pick)| values(cx, pick(&mut trainer.gradients))).collect();
    for ((name, pick), gradient) in weights.into_iter().zip(gradients?) {
        let at = values(cx, pick(&mut trainer.weights))?;
        let upload = |trainer: &mut Trainer, near: &[f32]| {
            let place = pick(&mut trainer.weights);
            *place = Matrix::upload(cx, place.rows, place.cols, near.to_vec()).unwrap();
        };
        assert_gradient(name, &at, &gradient, |near| {
            upload(&mut trainer, near);
            loss(&mut trainer).unwrap()
        });
        upload(&mut trainer, &at);
    }
    Ok(())
}
