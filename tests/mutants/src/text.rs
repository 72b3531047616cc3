//! The text of a file with its mutants.

use crate::places::{Piece, Place};
use std::cmp::Reverse;
use std::ops::Range;

/// Returns `text` with each place rewritten. Each comes with the expression that turns it on.
pub fn mutated(text: &str, mut places: Vec<(String, &Place)>) -> String {
    // An outer place comes before those in it.
    places.sort_by_key(|(_, place)| (place.range.start, Reverse(place.range.end)));
    render(text, 0..text.len(), &places)
}

/// Writes `range` of `text`, with `places` where they lie in it. A place writes what lies in its pieces.
fn render(text: &str, range: Range<usize>, places: &[(String, &Place)]) -> String {
    let (mut written, mut at) = (String::new(), range.start);
    for (index, (on, place)) in places.iter().enumerate() {
        if place.range.start < at || place.range.end > range.end {
            continue;
        }
        written += &text[at..place.range.start];
        for piece in &place.pieces {
            match piece {
                Piece::On => written += on,
                Piece::Text(words) => written += words,
                Piece::Source(range) => written += &render(text, range.clone(), &places[index + 1..]),
            }
        }
        at = place.range.end;
    }
    written + &text[at..range.end]
}
