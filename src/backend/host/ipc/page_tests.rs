use super::*;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

fn page() -> Box<Page> {
    // SAFETY: every bit pattern is a page, zeros too. Made in place, as a page is large for a stack.
    unsafe { Box::new_zeroed().assume_init() }
}

#[test]
fn a_new_page_has_no_record_and_counts_as_done() {
    let page = page();
    assert_eq!((page.last(), page.outcome(0)), (0, Outcome::Done));
    assert!(!page.ring());
}

#[test]
fn each_record_is_known_by_itself() {
    let page = page();
    let [first, second, third] = [page.begin(4, false), page.begin(5, true), page.begin(6, false)];
    assert_eq!([first, second, third, page.last()], [1, 2, 3, 3]);
    assert_eq!(page.outcome(first), Outcome::Pending(4));
    assert_eq!(page.outcome(second), Outcome::Done);
    assert_eq!(page.outcome(third), Outcome::Pending(6));
    page.finish(first, 4, true);
    page.finish(third, 6, false);
    assert_eq!(
        [first, second, third].map(|ticket| page.outcome(ticket)),
        [Outcome::Done, Outcome::Done, Outcome::Failed]
    );
    // What is not its own, or was finished, is not finished.
    page.finish(third, 6, true);
    let fourth = page.begin(7, false);
    page.finish(fourth, 8, true);
    assert_eq!([third, fourth].map(|ticket| page.outcome(ticket)), [Outcome::Failed, Outcome::Pending(7)]);
    assert_eq!(page.outcome(fourth + 1), Outcome::Failed);
}

#[test]
fn a_thousand_pending_records_are_known_and_one_before_them_goes_with_a_later_one() {
    let page = page();
    let tickets: Vec<u64> = (0..=RING as u64).map(|_| page.begin(1, false)).collect();
    for ticket in &tickets[..RING] {
        assert_eq!(page.outcome(*ticket), Outcome::Pending(1));
        page.finish(*ticket, 1, true);
        assert_eq!(page.outcome(*ticket), Outcome::Done);
    }
    let page = self::page();
    let tickets: Vec<u64> = (0..RING as u64 + 2).map(|_| page.begin(1, false)).collect();
    let (oldest, in_its_place) = (tickets[0], tickets[RING]);
    page.finish(oldest, 1, true);
    assert_eq!(page.outcome(oldest), Outcome::Pending(1));
    page.finish(in_its_place, 1, true);
    assert_eq!(page.outcome(oldest), Outcome::Done);
    assert_eq!(page.outcome(tickets[1]), Outcome::Pending(1));
}

#[test]
fn numbers_are_used_again_when_their_processes_are_gone() {
    let page = page();
    let nobody = |_: u64| false;
    for me in 1..=PEERS as u64 {
        assert_eq!(page.enter(me, nobody), Some(me as usize - 1));
    }
    assert_eq!(page.enter(7, nobody), Some(6));
    assert_eq!(page.enter(9999, nobody), None);
    let ticket = page.begin(2, false);
    // 3 has a pending record, so that 6 is the first to give way.
    assert_eq!(page.enter(9999, |other| other % 3 == 0), Some(5));
    page.begin(1, true);
    assert_eq!(page.enter(9998, |other| other == 3), None);
    page.finish(ticket, 2, true);
    assert_eq!(page.enter(9998, |other| other == 3), Some(2));
}

#[test]
fn a_bell_rings_only_where_somebody_listens() {
    let page = page();
    let bell = page.listen();
    assert_eq!((bell % 2, page.listen()), (1, bell));
    assert!(page.ring());
    assert!(!page.ring());
    assert_ne!(page.listen(), bell);
}

#[test]
fn any_garbage_at_any_time_is_survived_and_nothing_takes_long() {
    let page = page();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut state = 1u64;
            while !over.load(Ordering::Relaxed) {
                page.scribble(|| {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    // Small and great numbers, so that all bounds are met.
                    state >> (state % 64)
                });
            }
        });
        let start = Instant::now();
        let mut ticket = 0;
        let mut answers = [0; 3];
        while start.elapsed() < Duration::from_millis(300) {
            let call = Instant::now();
            for ticket in [ticket, page.last(), u64::MAX >> TICKET_SHIFT, u64::MAX] {
                match page.outcome(ticket) {
                    Outcome::Pending(number) => {
                        answers[0] += 1;
                        page.peer(number);
                    }
                    Outcome::Done => answers[1] += 1,
                    Outcome::Failed => answers[2] += 1,
                }
            }
            page.finish(ticket, 3, true);
            ticket = page.begin(3, ticket % 2 == 0);
            page.listen();
            page.ring();
            page.enter(ticket | 1, |other| other % 2 == 0);
            assert!(call.elapsed() < Duration::from_secs(1));
        }
        over.store(true, Ordering::Relaxed);
        assert!(answers.iter().all(|count| *count > 0), "{answers:?}");
    });
}
