//! Programs that hurt people who ran several streams, and programs that broke earlier rules of this project.
//!
//! Each is run every way it must hold: its plan judged, with the named stream lagging, on one stream, on threads,
//! a thousand times in a row; and each wait of its plan is taken out to see that every judge misses it.

mod buckets;
mod exits;
mod handed_on;
mod home;
mod numbers;
mod outside;
mod prefetch;
mod renamed;
mod several_runs;
