//! What a body may hold on both sides of a border: each chunk has some forty nodes between its two blocks, so that
//! the macro divides it there if it may. It has to compile without a warning and do what the body in one piece does.
#![deny(warnings, clippy::all, clippy::pedantic)]
#![allow(
    clippy::items_after_statements,
    clippy::needless_late_init,
    clippy::needless_pass_by_value,
    clippy::similar_names,
    clippy::unnecessary_wraps
)]

use std::cell::RefCell;
use std::num::ParseIntError;
use std::sync::Mutex;

use streamlease::{Cx, Error, Result, Runtime, Step, model_chunk};
use streamlease_tests::ops::{N, T, add_to, make};

/// A chunk of two blocks and forty nodes between them that write the tensor in brackets.
macro_rules! divided {
    ($([$($lifetimes:tt)*])? fn $name:ident($cx:ident, $ws:ident $(, $param:ident: $ty:ty)*) -> $ret:ty
     { $($before:tt)* } { $($after:tt)* }) => {
        divided!(@ ($name, $cx, $ws, $ret) ($($($lifetimes)*)?) ($($param: $ty),*) { $($before)* } { $($after)* }
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19
            20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39);
    };
    (@ ($name:ident, $cx:ident, $ws:ident, $ret:ty) ($($lifetimes:tt)*) ($($param:ident: $ty:ty),*)
     { $($before:tt)* } { $($after:tt)* } $($k:literal)*) => {
        #[model_chunk(streams(s0, s1))]
        fn $name<$($lifetimes)*>($cx: &Cx<'_>, $ws: &mut T, $($param: $ty),*) -> $ret {
            $($before)*
            $(
                #[on(s0)]
                add_to($cx, $ws, $k)?;
            )*
            $($after)*
        }
    };
}

/// A strict house and a tensor; at the end nothing may live or have gone wrong.
fn within<R>(work: impl FnOnce(&Cx<'_>, &mut T) -> R) -> R {
    let rt = Runtime::builder().strict(true).build().expect("a runtime");
    let lane = rt.lane(&["s0", "s1"]).expect("a lane");
    let mut ws = make(&lane.cx().node("s0").expect("a node"), 1).expect("a tensor");
    let out = work(&lane.cx(), &mut ws);
    drop(ws);
    lane.drain().expect("a healthy device");
    assert_eq!(rt.stats().memory.live, 0);
    out
}

divided! {
    fn values_later(cx, ws, flag: bool) -> Result<(String, usize, String)> {
        let late;
        let either;
        let mut again = String::from("a");
        assert_eq!(again.len(), 1);
        drop(again);
        #[on(s1)]
        let t = make(cx, 1)?;
    } {
        late = String::from("late");
        if flag {
            either = t.len();
        } else {
            either = 0;
        }
        again = String::from("b");
        Ok((late, either, again))
    }
}

#[test]
fn names_that_get_their_value_behind_the_border() {
    let out = within(|cx, ws| values_later(cx, ws, true)).expect("no failure");
    assert_eq!(out, ("late".to_owned(), N, "b".to_owned()));
}

divided! {
    fn borrows(cx, ws) -> Result<Vec<u32>> {
        let mut list = vec![1, 2];
        let first = &list[0];
        let lock = Mutex::new(5);
        let guard = lock.lock().expect("not poisoned");
        let mut count = 7;
        let counter = &mut count;
        let mut names = Vec::new();
        let name = String::from("name");
        names.push(&name);
    } {
        let first = *first;
        list.push(first);
        let locked = *guard;
        drop(guard);
        list.push(locked + lock.into_inner().expect("not poisoned"));
        *counter += 1;
        list.push(count);
        assert_eq!(names.len(), 1);
        drop(name);
        Ok(list)
    }
}

#[test]
fn borrows_that_end_before_what_they_borrow_from_is_written_or_moved() {
    assert_eq!(within(borrows).expect("no failure"), [1, 2, 1, 10, 8]);
}

divided! {
    fn items(cx, ws) -> Result<usize> {
        let before = twice(HALF);
    } {
        const HALF: usize = 21;
        fn twice(n: usize) -> usize {
            n * 2
        }
        Ok(before)
    }
}

#[test]
fn items_are_seen_by_the_whole_body() {
    assert_eq!(within(items).expect("no failure"), 42);
}

divided! {
    ['a, 'b] fn lifetimes(cx, ws, list: &'a mut Vec<String>, words: &'b [String]) -> Result<(&'a mut String, &'b str)> {
        list.push("before".to_owned());
    } {
        list.push(words[0].clone());
        Ok((&mut list[1], &words[0]))
    }
}

#[test]
fn what_is_returned_may_borrow_from_parameters() {
    let (mut list, words) = (Vec::new(), ["word".to_owned()]);
    let (last, word) = within(|cx, ws| lifetimes(cx, ws, &mut list, &words)).expect("no failure");
    last.push('s');
    assert_eq!((word, &list[..]), ("word", &["before".to_owned(), "words".to_owned()][..]));
}

#[derive(Debug)]
enum Mine {
    Device(Error),
    Number(ParseIntError),
}

impl From<Error> for Mine {
    fn from(error: Error) -> Self {
        Mine::Device(error)
    }
}

impl From<ParseIntError> for Mine {
    fn from(error: ParseIntError) -> Self {
        Mine::Number(error)
    }
}

divided! {
    fn errors(cx, ws, text: &str) -> std::result::Result<u32, Mine> {
        let before: u32 = "1".parse()?;
        if text == "return" {
            return Ok(0);
        }
    } {
        let Some(first) = text.split(' ').next() else { return Err(Error::invalid("nothing").into()) };
        let mut sum = before;
        'all: for word in text.split(' ') {
            for digit in word.split('+') {
                let digit: u32 = digit.parse()?;
                if digit == 0 {
                    break 'all;
                }
                sum += digit;
            }
        }
        if first == "9" {
            return Ok(900);
        }
        Ok(sum)
    }
}

#[test]
fn errors_and_returns_leave_from_any_segment() {
    let run = |text: &str| within(|cx, ws| errors(cx, ws, text));
    assert_eq!(run("1+2 3").expect("numbers"), 7);
    assert_eq!(run("2 0 5").expect("numbers"), 3);
    assert_eq!(run("9").expect("numbers"), 900);
    assert_eq!(run("return").expect("an early return"), 0);
    assert!(matches!(run("x"), Err(Mine::Number(e)) if !e.to_string().is_empty()));
    let foreign = Runtime::builder().build().and_then(|rt| rt.lane(&["other"])).expect("a lane");
    within(|_, ws| {
        assert!(matches!(errors(&foreign.cx(), ws, "1"), Err(Mine::Device(e)) if !e.to_string().is_empty()));
    });
}

divided! {
    [V: Clone, const K: usize, E: From<Error>] fn generics(cx, ws, value: V, all: [V; K]) -> std::result::Result<Vec<V>, E> {
        let mut list = Vec::new();
    } {
        list.extend(all);
        list.push(value.clone());
        Ok(list)
    }
}

#[test]
fn generic_functions() {
    let out: std::result::Result<_, Mine> = within(|cx, ws| generics(cx, ws, 'c', ['a', 'b']));
    assert_eq!(out.expect("no failure"), ['a', 'b', 'c']);
}

thread_local! {
    static DROPPED: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Notes when it is dropped.
struct Note(char);

impl Drop for Note {
    fn drop(&mut self) {
        DROPPED.with_borrow_mut(|all| all.push(self.0));
    }
}

divided! {
    fn drops(cx, ws, how: u32) -> Result<Note> {
        let _a = Note('a');
        let b = Note('b');
        let c = Note('c');
    } {
        let _d = Note('d');
        match how {
            1 => return Err(Error::invalid("left")),
            2 => panic!("left"),
            _ => {}
        }
        drop(b);
        let _e = Note('e');
        Ok(c)
    }
}

#[test]
fn names_are_dropped_in_reverse_order() {
    let run = |how| {
        let out = within(|cx, ws| {
            let run = || drops(cx, ws, how).map(std::mem::forget);
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(run))
        });
        (DROPPED.take(), out.map_or(2, |out| u32::from(out.is_err())))
    };
    assert_eq!(run(0), ("beda".to_owned(), 0));
    // What a segment moves on belongs to it from its start, so `b` and `c` go where it ends: before `a`.
    for how in [1, 2] {
        let (mut all, left) = run(how);
        assert_eq!((all.remove(0), all.pop(), left), ('d', Some('a'), how));
        assert!(["bc", "cb"].contains(&&*all), "{all}");
    }
}

struct Model {
    scale: u32,
    calls: Vec<u32>,
}

#[model_chunk(streams(s0, s1))]
impl Model {
    #[rustfmt::skip]
    fn layer(mut self, cx: &Cx<'_>, ws: &mut T) -> Result<Vec<u32>> {
        self.calls.push(self.scale);
        #[on(s0)] add_to(cx, ws, 1)?;  #[on(s0)] add_to(cx, ws, 1)?;  #[on(s0)] add_to(cx, ws, 1)?;
        #[on(s0)] add_to(cx, ws, 1)?;  #[on(s0)] add_to(cx, ws, 1)?;  #[on(s0)] add_to(cx, ws, 1)?;
        #[on(s0)] add_to(cx, ws, 1)?;  #[on(s0)] add_to(cx, ws, 1)?;  #[on(s0)] add_to(cx, ws, 1)?;
        #[on(s0)] add_to(cx, ws, 1)?;  #[on(s0)] add_to(cx, ws, 1)?;  #[on(s0)] add_to(cx, ws, 1)?;
        #[on(s0)] add_to(cx, ws, 1)?;  #[on(s0)] add_to(cx, ws, 1)?;  #[on(s0)] add_to(cx, ws, 1)?;
        #[on(s0)] add_to(cx, ws, 1)?;  #[on(s0)] add_to(cx, ws, 1)?;  #[on(s0)] add_to(cx, ws, 1)?;
        #[on(s0)] add_to(cx, ws, 1)?;  #[on(s0)] add_to(cx, ws, 1)?;  #[on(s0)] add_to(cx, ws, 1)?;
        #[on(s0)] add_to(cx, ws, 1)?;  #[on(s0)] add_to(cx, ws, 1)?;  #[on(s0)] add_to(cx, ws, 1)?;
        #[on(s0)] add_to(cx, ws, 1)?;  #[on(s0)] add_to(cx, ws, 1)?;  #[on(s0)] add_to(cx, ws, 1)?;
        #[on(s0)] add_to(cx, ws, 1)?;  #[on(s0)] add_to(cx, ws, 1)?;  #[on(s0)] add_to(cx, ws, 1)?;
        #[on(s0)] add_to(cx, ws, 1)?;  #[on(s0)] add_to(cx, ws, 1)?;  #[on(s0)] add_to(cx, ws, 1)?;
        self.calls.push(self.scale + 1);
        #[on(s1)] add_to(cx, ws, self.scale)?;
        Ok(self.calls)
    }
}

#[test]
fn methods_and_their_self() {
    let calls = within(|cx, ws| Model { scale: 3, calls: Vec::new() }.layer(cx, ws));
    assert_eq!(calls.expect("no failure"), [3, 4]);
}

#[test]
fn a_chunk_inside_a_function_steps_across_borders() {
    divided! {
        fn inside(cx, ws) -> Result<usize> {
            let before = 1;
        } {
            #[on(s1)]
            let t = make(cx, 1)?;
            Ok(t.len() + before)
        }
    }
    for steps in [0, 31, 32, 33, 41] {
        let out = within(|cx, ws| {
            let mut run = inside::start(cx, ws);
            for _ in 0..steps {
                assert!(matches!(run.step(), Some(Step::Ran(_) | Step::Done(_))));
            }
            if steps % 2 == 0 { None } else { run.finish() }
        });
        assert_eq!(
            out.map(|out| out.expect("no failure")),
            (steps % 2 == 1 && steps < 41).then_some(N + 1),
            "{steps}"
        );
    }
}
