//! Tests of this module.

use super::*;

#[test]
fn a_stream_lives_from_its_making_to_its_end() {
    let life = StreamLife::new();
    let is_live = || StreamLife::is_live(life.seen());
    assert!(!is_live() && life.kill(life.seen()).is_none() && !life.free());
    let revive = || life.change(life.seen(), LIVE).is_some();
    assert!(revive() && is_live() && !life.free());
    let dead = life.kill(life.seen()).expect("it lives");
    assert!(!is_live() && life.kill(life.seen()).is_none());
    life.unkill(dead);
    assert!(is_live());
    let dead = life.kill(life.seen()).expect("it lives");
    assert!(revive());
    life.unkill(dead);
    assert!(is_live(), "a late refusal ended another stream");
    assert!(revive() && is_live(), "issued again, and its end was not seen");
    assert!(life.kill(life.seen()).is_some() && life.free() && !life.free());
}
