//! Functions and methods in every shape: generics, lifetimes, bounds, attributes, errors of the user's own.
#![deny(warnings)]
#![deny(missing_docs)]
//! .

use streamlease_ui_tests::*;

/// Documented.
#[model_chunk(streams(a, b))]
#[inline]
#[must_use]
pub fn generic<'w, E, const N: usize>(cx: &Cx<'_>, w: &'w [E; N], scale_by: impl Fn(usize) -> usize, x: T) -> Result<T>
where
    E: Copy + Into<usize> + 'w,
{
    let k = scale_by(w[0].into());
    #[on(a)]
    let y = scale(cx, &x, k)?;
    #[on(b)]
    f(cx, &y)
}

/// The user's error.
#[derive(Debug)]
pub struct Mine(String);

impl From<streamlease::Error> for Mine {
    fn from(e: streamlease::Error) -> Self {
        Mine(e.to_string())
    }
}

/// Fails with an error of its own.
fn fussy(cx: &Node<'_>, x: &T) -> std::result::Result<T, Mine> {
    if x.is_empty() { Err(Mine("empty".into())) } else { Ok(f(cx, x)?) }
}

/// Errors.
#[model_chunk(streams(a))]
pub fn own_error(cx: &Cx<'_>, (x, y): (T, T)) -> std::result::Result<T, Mine> {
    #[on(a)]
    let z = fussy(cx, &x)?;
    if z.is_empty() {
        return Err(Mine("nothing".to_owned()));
    }
    #[on(a)]
    let out = add(cx, &z, &y)?;
    Ok(out)
}

/// anyhow.
#[model_chunk(streams(a))]
pub fn any_error(cx: &Cx<'_>, x: T) -> anyhow::Result<T> {
    anyhow::ensure!(x.len() > 1, "only {}", x.len());
    #[on(a)]
    let y = {
        if x.len() == 3 {
            anyhow::bail!("three");
        }
        f(cx, &x)?
    };
    Ok(y)
}

/// A model.
pub struct Model<S> {
    w: T,
    cache: T,
    state: S,
}

#[model_chunk(streams(a, b))]
impl<S: Clone> Model<S> {
    /// Not a chunk.
    pub fn state(&self) -> S {
        self.state.clone()
    }

    /// Reads itself.
    pub fn read(&self, cx: &Cx<'_>, x: T) -> Result<T> {
        #[on(a)]
        let y = add(cx, &self.w, &x)?;
        #[on(b)]
        let z = add(cx, &self.cache, &y)?;
        Ok(z)
    }

    /// Writes itself.
    pub fn write(&mut self, cx: &Cx<'_>, x: &T) -> Result<()> {
        #[on(a)]
        accumulate(cx, &mut self.cache, x)?;
        #[on(b)]
        let n = count(cx, &self.w)?;
        let _ = n + self.w.len();
        self.helper();
        Ok(())
    }

    /// Takes itself.
    fn finish(self, cx: &Cx<'_>) -> Result<T> {
        #[on(a)]
        let out = mix(cx, self.w, &self.cache)?;
        Ok(out)
    }

    fn helper(&mut self) {}
}

fn main() {
    let out = run(|cx, x| {
        let y = generic(cx, &[2_u8], |k| k + 1, x)?;
        let z = cx.upload(vec![1.0; 8])?;
        let y = own_error(cx, (y, z)).map_err(|e| streamlease::Error::invalid(e.0))?;
        let y = any_error(cx, y).unwrap();
        let mut m = Model { w: cx.upload(vec![1.0; 8])?, cache: cx.zeros(8)?, state: 3_u8 };
        let y = m.read(cx, y)?;
        m.write(cx, &y)?;
        let _ = m.state();
        let mut steps = m.read_start(cx, y);
        let mut names = Vec::new();
        let y = loop {
            match steps.step().unwrap() {
                streamlease::Step::Ran(name) => names.push(name),
                streamlease::Step::Done(y) => break y?,
            }
        };
        drop(steps);
        assert_eq!(names, ["add"]);
        assert_eq!(Model::<u8>::READ_PLAN.nodes.len(), 2);
        let _ = m.finish(cx)?;
        cx.read(&y)?.wait()
    });
    assert_eq!(out.unwrap().len(), 8);
    assert_eq!(generic::PLAN.streams, ["a", "b"]);
}
