use super::*;

const MS: i64 = 1_000_000;
const HOUR: i64 = 3_600_000 * MS;

/// Numbers from 0 up to `most`.
struct Random(u64);

impl Random {
    fn up_to(&mut self, most: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 20) % (most.unsigned_abs() + 1)) as i64
    }
}

/// The clock of a device whose rate changes by the second, within 490 millionths of the host's.
struct Drifting {
    at: Vec<f64>,
}

impl Drifting {
    fn new(seconds: usize, random: &mut Random) -> Drifting {
        let (mut at, mut rate) = (vec![77e9], 300.0);
        for _ in 0..seconds {
            rate = f64::clamp(rate + random.up_to(40) as f64 - 20.0, -490.0, 490.0);
            at.push(at[at.len() - 1] + 1e9 * (1.0 + rate / 1e6));
        }
        Drifting { at }
    }

    fn at(&self, host: i64) -> i64 {
        let (second, rest) = ((host / 1_000_000_000) as usize, (host % 1_000_000_000) as f64 / 1e9);
        (self.at[second] + (self.at[second + 1] - self.at[second]) * rest) as i64
    }
}

#[test]
fn times_stay_as_exact_as_they_say_for_hours_of_drift() {
    let mut random = Random(7);
    let device = Drifting::new(6 * 3600 + 10, &mut random);
    let mut compared: Option<(Comparison, i64)> = None;
    let (mut now, mut comparisons) = (HOUR / 100, 0);
    while now < 6 * HOUR {
        now += random.up_to(500 * MS);
        let (comparison, stamp) = match compared.filter(|(comparison, _)| !comparison.is_old(now)) {
            Some(known) => known,
            None => {
                comparisons += 1;
                let uncertain = random.up_to(10_000);
                let read_at = now + random.up_to(2 * uncertain) - uncertain;
                (Comparison { host: now, uncertain }, device.at(read_at))
            }
        };
        compared = Some((comparison, stamp));
        // An event that was completed lately, or long ago.
        for age in [random.up_to(1000 * MS), random.up_to(now)] {
            let (time, error) = comparison.time(device.at(now - age) - stamp, 1000);
            assert!((time - (now - age)).unsigned_abs() <= error, "{age} ns ago, at {now}");
            assert!(error <= 12_000 + ((age + VALID) / 1990).unsigned_abs(), "{error} ns of {age}");
        }
    }
    assert!(comparisons > 6 * 3600 / 2);
}
