use super::*;
use crate::status::Status;

fn page() -> Box<Page> {
    let mut page = Box::<Page>::new_uninit();
    // SAFETY: the box has room for a page, and every bit pattern is one, zeros too.
    unsafe {
        page.as_mut_ptr().write_bytes(0, 1);
        page.assume_init()
    }
}

fn begin(page: &Page, peer: u32) -> u64 {
    let ticket = page.begin(peer, |_| false).expect("there is room");
    page.record(ticket);
    ticket
}

fn outcomes<const N: usize>(page: &Page, tickets: [u64; N]) -> [Outcome; N] {
    tickets.map(|ticket| page.outcome(ticket))
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
    let [first, second] = [begin(&page, 4), begin(&page, 6)];
    assert_eq!(page.last(), second);
    assert_eq!(outcomes(&page, [first, second]), [Outcome::Pending(4), Outcome::Pending(6)]);
    page.record(0);
    assert_eq!(page.outcome(page.last()), Outcome::Done);
    // What is not its own is not finished.
    page.finish(first, 6, Status::SUCCESS);
    assert_eq!(outcomes(&page, [first, second]), [Outcome::Pending(4), Outcome::Pending(6)]);
    page.finish(first, 4, Status::SUCCESS);
    page.finish(second, 6, Status::CONTEXT_IS_DESTROYED);
    assert_eq!(outcomes(&page, [first, second]), [Outcome::Done, Outcome::Lost]);
    // Nor is what was finished before, also where its place has another record.
    page.finish(second, 6, Status::SUCCESS);
    let third = begin(&page, 4);
    page.finish(first, 4, Status::SUCCESS);
    assert_eq!(outcomes(&page, [first, second, third]), [Outcome::Done, Outcome::Lost, Outcome::Pending(4)]);
}

#[test]
fn tickets_that_were_never_given_out_fail() {
    let page = page();
    let first = begin(&page, 0);
    page.finish(first, 0, Status::SUCCESS);
    for ticket in [first + 1, first + USES.set(0, 1), RECORDS as u64 + 1, USES.set(0, 1), u64::MAX] {
        assert_eq!(page.outcome(ticket), Outcome::Lost, "{ticket:#x}");
    }
}

#[test]
fn a_record_is_known_however_many_come_after_it() {
    let page = page();
    let old = begin(&page, 1);
    for n in 0..3 * RECORDS {
        let next = begin(&page, 2);
        page.finish(next, 2, Status::SUCCESS);
        assert_eq!(outcomes(&page, [old, next]), [Outcome::Pending(1), Outcome::Done], "{n}");
    }
    page.finish(old, 1, Status::SUCCESS);
    assert_eq!(page.outcome(old), Outcome::Done);
}

#[test]
fn as_many_can_be_pending_as_there_are_places() {
    let page = page();
    let tickets: Vec<u64> = (0..RECORDS).map(|_| begin(&page, 1)).collect();
    assert!(tickets.iter().all(|ticket| page.outcome(*ticket) == Outcome::Pending(1)));
    assert_eq!(page.begin(1, |_| false), None);
    assert_eq!(page.last(), tickets[RECORDS - 1]);
    page.finish(tickets[5], 1, Status::SUCCESS);
    assert_eq!(Ticket(begin(&page, 2)).place(), Ticket(tickets[5]).place());
    assert_eq!(page.outcome(tickets[5]), Outcome::Done);
}

#[test]
fn records_of_those_that_are_gone_give_way_last_and_stay_undone() {
    let page = page();
    let lost = begin(&page, 9);
    let failed = begin(&page, 1);
    page.finish(failed, 1, Status::CONTEXT_IS_DESTROYED);
    let others: Vec<u64> = (2..RECORDS).map(|_| page.begin(1, |_| true).expect("there is room")).collect();
    assert_eq!(outcomes(&page, [lost, failed]), [Outcome::Pending(9), Outcome::Lost]);
    let first = page.begin(1, |number| number == 9).expect("9 gives way");
    let second = page.begin(1, |number| number == 9).expect("what failed gives way");
    assert_eq!(page.begin(1, |number| number == 9), None);
    assert_eq!(
        outcomes(&page, [lost, failed, first, second]),
        [Outcome::Lost, Outcome::Lost, Outcome::Pending(1), Outcome::Pending(1)]
    );
    assert!(others.iter().all(|ticket| page.outcome(*ticket) == Outcome::Pending(1)));
}

/// A waiter may see a record only after its place was used again, and after other records failed.
#[test]
fn records_that_completed_stay_so_beside_failures_in_their_place() {
    let page = page();
    for _ in 0..3 {
        for _ in 0..RECORDS {
            let failed = begin(&page, 1);
            page.finish(failed, 1, Status(719));
            assert_eq!(page.outcome(failed), Outcome::Failed(Status(719)));
        }
        let lost = page.last();
        let tickets: Vec<u64> = (0..300)
            .map(|_| {
                let ticket = begin(&page, 1);
                page.finish(ticket, 1, Status::SUCCESS);
                ticket
            })
            .collect();
        assert!(tickets.iter().all(|ticket| page.outcome(*ticket) == Outcome::Done));
        let next = begin(&page, 1);
        assert!(tickets.iter().all(|ticket| page.outcome(*ticket) == Outcome::Done));
        page.finish(next, 1, Status(700));
        assert!(tickets.iter().all(|ticket| page.outcome(*ticket) == Outcome::Done));
        assert_ne!(page.outcome(lost), Outcome::Done);
        assert_eq!(page.outcome(next), Outcome::Failed(Status(700)));
    }
}

#[test]
fn a_failure_in_a_place_that_is_used_again_stays_one() {
    let page = page();
    let failed: Vec<u64> = (0..RECORDS).map(|_| begin(&page, 1)).collect();
    for ticket in &failed {
        page.finish(*ticket, 1, Status(-7));
    }
    assert!(failed.iter().all(|ticket| page.outcome(*ticket) == Outcome::Failed(Status(-7))));
    for _ in 0..100 {
        let next = begin(&page, 1);
        assert_eq!(page.outcome(failed[0]), Outcome::Lost);
        page.finish(next, 1, Status::SUCCESS);
        assert_eq!(page.outcome(failed[0]), Outcome::Lost);
    }
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
