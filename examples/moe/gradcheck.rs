//! Gradients against central finite differences.

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Coordinates that are tried of each input.
const TRIES: usize = 12;
/// Half the distance between the two evaluations: the truncation error is about its square.
const STEP: f32 = 4e-3;
/// Largest difference: this share of the gradient, plus a share of the largest gradient for the rounding of `f32`.
const SHARE: f64 = 5e-3;
const FLOOR: f64 = 2e-3;
/// And this: a loss of a few nats is an `f32` too, and two of its last bits over two steps come to 6e-5.
const ROUNDING: f64 = 1e-4;

/// `len` numbers in `-1..1`, the same for the same seed.
pub(crate) fn random(len: usize, seed: u64) -> Vec<f32> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..len).map(|_| rng.random_range(-1.0..1.0)).collect()
}

/// The inner product: with a random `r`, a scalar whose gradient in `y` is `r`.
pub(crate) fn dot(y: &[f32], r: &[f32]) -> f64 {
    assert_eq!(y.len(), r.len());
    y.iter().zip(r).map(|(y, r)| f64::from(*y) * f64::from(*r)).sum()
}

/// Checks `gradient` of the scalar `f` at `x` in a few random coordinates.
pub(crate) fn assert_gradient(name: &str, x: &[f32], gradient: &[f32], mut f: impl FnMut(&[f32]) -> f64) {
    if let Some(fault) = fault(x, gradient, &mut f) {
        panic!("gradient of {name}: {fault}");
    }
}

/// The first coordinate in which the gradient is wrong.
fn fault(x: &[f32], gradient: &[f32], f: &mut dyn FnMut(&[f32]) -> f64) -> Option<String> {
    assert_eq!(x.len(), gradient.len());
    let mut rng = ChaCha8Rng::seed_from_u64(x.len() as u64);
    let floor = ROUNDING + FLOOR * gradient.iter().fold(0.0, |most, g| f64::from(g.abs()).max(most));
    (0..TRIES).map(|_| rng.random_range(0..x.len())).find_map(|i| {
        let mut near = x.to_vec();
        let mut at = |value: f32| {
            near[i] = value;
            (f(&near), f64::from(value))
        };
        let ((high, upper), (low, lower)) = (at(x[i] + STEP), at(x[i] - STEP));
        let expected = (high - low) / (upper - lower);
        let got = f64::from(gradient[i]);
        let off = (got - expected).abs();
        let wrong = off.is_nan() || off > SHARE * expected.abs() + floor;
        wrong.then(|| format!("coordinate {i} is {got}, differences say {expected}"))
    })
}

#[test]
fn a_wrong_sign_is_seen() {
    let x = random(10, 1);
    let mut cubes = |x: &[f32]| x.iter().map(|x| f64::from(*x).powi(3)).sum();
    let right: Vec<f32> = x.iter().map(|x| 3.0 * x * x).collect();
    let wrong: Vec<f32> = right.iter().map(|d| -d).collect();
    assert_eq!(fault(&x, &right, &mut cubes), None);
    assert!(fault(&x, &wrong, &mut cubes).is_some());
    assert!(fault(&x, &[f32::NAN; 10], &mut cubes).is_some());
    assert!(fault(&x, &right, &mut |_| f64::NAN).is_some());
}
