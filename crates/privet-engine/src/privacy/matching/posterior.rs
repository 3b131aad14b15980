//! How sure an adversary can be of a value if they consider all consistent assignments equally likely.
//!
//! The number of assignments that give value v to record t, over the number of all of them. Records are assigned one
//! after the other; the state is how many occurrences of each value are used up, so there are ∏(count + 1) states, and
//! since every record uses one occurrence, a state tells which record is next. One sweep forwards counts the ways to
//! reach each state, one backwards the ways to finish from it.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{AddAssign, Mul};

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};

use privet_core::Exact;
use privet_core::ValueSet;

/// Groups with more states than this are not worked out.
pub const MOST_STATES: usize = 1 << 20;

/// This many records have fewer assignments than 128 bits can count: 33! < 2¹²⁸.
const MOST_IN_128_BITS: u64 = 33;

/// Records of a group that may have the same values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// What they may have.
    pub allowed: ValueSet,
    /// How many they are.
    pub count: u64,
}

/// A probability as an exact fraction.
#[derive(Debug, Clone)]
pub struct Posterior {
    ways: BigUint,
    total: BigUint,
}

impl Posterior {
    fn new(ways: BigUint, total: BigUint) -> Posterior {
        let divisor = ways.gcd(&total);
        if divisor.is_zero() {
            return Posterior { ways, total };
        }
        Posterior { ways: ways / &divisor, total: total / divisor }
    }

    /// Whether the probability does not exceed a bound.
    pub fn is_at_most(&self, bound: Exact) -> bool {
        &self.ways * bound.denominator() <= &self.total * bound.numerator()
    }

    /// The nearest double; for display only.
    pub fn to_f64(&self) -> f64 {
        // Thousands of digits do not fit a double, their leading ones do.
        let excess = self.total.bits().saturating_sub(1000);
        let short = |number: &BigUint| (number >> excess).to_f64().unwrap_or(f64::NAN);
        short(&self.ways) / short(&self.total)
    }
}

impl Ord for Posterior {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.ways * &other.total).cmp(&(&other.ways * &self.total))
    }
}

impl PartialOrd for Posterior {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Posterior {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Posterior {}

impl fmt::Display for Posterior {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.total.is_one() {
            return write!(f, "{}", self.ways);
        }
        write!(f, "{}/{}", self.ways, self.total)
    }
}

/// For each member of a group, the probability of its likeliest value; `None` when that takes too many states, or no
/// assignment is consistent. `counts` says how often each value occurs in the group.
pub fn posteriors(members: &[Member], counts: &[(u32, u64)]) -> Option<Vec<Posterior>> {
    if is_shuffle(members, counts)? {
        let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(0);
        return Some(vec![Posterior::new(most.into(), records(members).into()); members.len()]);
    }
    let (given, total) = ways(members, counts)?;
    let likeliest = given.into_iter().zip(members).map(|(given, member)| {
        let most = given.into_iter().max().unwrap_or_default();
        Posterior::new(most, &total * member.count)
    });
    Some(likeliest.collect())
}

/// For each member of a group, the probability of each value, in the order of `counts`; `None` when that takes too many
/// states, or no assignment is consistent.
pub fn posterior_table(members: &[Member], counts: &[(u32, u64)]) -> Option<Vec<Vec<Posterior>>> {
    if is_shuffle(members, counts)? {
        let share = |(_, count): &(u32, u64)| Posterior::new((*count).into(), records(members).into());
        return Some(vec![counts.iter().map(share).collect(); members.len()]);
    }
    let (given, total) = ways(members, counts)?;
    let shares = given.into_iter().zip(members).map(|(given, member)| {
        given.into_iter().map(|ways| Posterior::new(ways, &total * member.count)).collect()
    });
    Some(shares.collect())
}

fn records(members: &[Member]) -> u64 {
    members.iter().map(|member| member.count).sum()
}

/// Whether everybody may have everything, so that an assignment is a shuffle; `None` where there is nothing to assign, or
/// not as many values as records.
fn is_shuffle(members: &[Member], counts: &[(u32, u64)]) -> Option<bool> {
    let records = records(members);
    if records == 0 || records != counts.iter().map(|(_, count)| count).sum::<u64>() {
        return None;
    }
    let unrestricted =
        |member: &Member| counts.iter().all(|(value, count)| *count == 0 || member.allowed.contains(*value));
    Some(members.iter().all(unrestricted))
}

/// Per member and value, how many assignments give it to one of the member's records, summed over these; and how many
/// assignments there are. All copies of a member are counted together, and each has the same share.
fn ways(members: &[Member], counts: &[(u32, u64)]) -> Option<(Vec<Vec<BigUint>>, BigUint)> {
    if records(members) <= MOST_IN_128_BITS {
        sweep::<u128>(members, counts)
    } else {
        sweep::<BigUint>(members, counts)
    }
}

fn sweep<N>(members: &[Member], counts: &[(u32, u64)]) -> Option<(Vec<Vec<BigUint>>, BigUint)>
where
    N: Clone + Zero + One + Into<BigUint> + for<'a> AddAssign<&'a N>,
    for<'a> &'a N: Mul<&'a N, Output = N>,
{
    let mut strides = Vec::with_capacity(counts.len());
    let mut states = 1usize;
    for (_, count) in counts {
        strides.push(states);
        let radix = usize::try_from(*count).ok()?.checked_add(1)?;
        states = states.checked_mul(radix).filter(|states| *states <= MOST_STATES)?;
    }
    let order: Vec<usize> = (members.iter().enumerate())
        .flat_map(|(at, member)| std::iter::repeat_n(at, member.count as usize))
        .collect();
    // The values that the record whose turn it is may still take, with the state that each leads to.
    let steps = |state: usize, each: &mut dyn FnMut(usize, usize, usize)| {
        let digit = |at: usize| (state / strides[at]) as u64 % (counts[at].1 + 1);
        let turn = (0..counts.len()).map(&digit).sum::<u64>() as usize;
        let Some(member) = order.get(turn) else { return };
        for (at, (value, count)) in counts.iter().enumerate() {
            if digit(at) < *count && members[*member].allowed.contains(*value) {
                each(*member, at, state + strides[at]);
            }
        }
    };
    let mut reached = vec![N::zero(); states];
    reached[0] = N::one();
    for state in 0..states {
        if reached[state].is_zero() {
            continue;
        }
        let ways = reached[state].clone();
        steps(state, &mut |_, _, next| reached[next] += &ways);
    }
    let mut finishing = vec![N::zero(); states];
    finishing[states - 1] = N::one();
    for state in (0..states - 1).rev() {
        let mut ways = N::zero();
        steps(state, &mut |_, _, next| ways += &finishing[next]);
        finishing[state] = ways;
    }
    if finishing[0].is_zero() {
        return None;
    }
    let mut given = vec![vec![N::zero(); counts.len()]; members.len()];
    for (state, ways) in reached.iter().enumerate().filter(|(_, ways)| !ways.is_zero()) {
        steps(state, &mut |member, at, next| given[member][at] += &(ways * &finishing[next]));
    }
    let given = given.into_iter().map(|given| given.into_iter().map(Into::into).collect()).collect();
    Some((given, finishing[0].clone().into()))
}
