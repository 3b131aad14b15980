//! Plots of several series as static SVG: lines, steps or grouped bars, on linear or logarithmic axes.

use minijinja::Value;
use serde::{Deserialize, Serialize};

use super::page::significant;
use privet::report::chart::svg::{Anchor, Svg, width_of};
use privet::thousands;

/// A plot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plot {
    /// What it shows.
    pub title: String,
    /// How.
    pub kind: Kind,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn.
    pub series: Vec<Series>,
}

/// How a plot draws its series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Points with straight lines between them.
    Lines,
    /// A value holds until the next one: the best cost over time.
    Steps,
    /// Groups of bars with these names; a point's `x` is the position of its group.
    Bars(Vec<String>),
}

/// An axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// What it measures.
    pub name: String,
    /// Whether it is logarithmic; points that are not above zero are then left out.
    pub log: bool,
    /// Whether its values are shares, to be shown in percent.
    pub share: bool,
}

impl Axis {
    /// A linear axis.
    pub fn new(name: &str) -> Axis {
        Axis { name: name.to_string(), log: false, share: false }
    }

    /// Made logarithmic.
    pub fn log(self) -> Axis {
        Axis { log: true, ..self }
    }

    /// Of shares.
    pub fn share(self) -> Axis {
        Axis { share: true, ..self }
    }

    fn shown(&self, value: f64) -> String {
        if self.share {
            return format!("{} %", significant(value * 100.0, 3));
        }
        let millions = value.abs() >= 1e6;
        match value {
            value if millions => format!("{}M", significant(value / 1e6, 3)),
            value if value >= 1000.0 && value.fract() == 0.0 => thousands(value as u64),
            value => significant(value, 3),
        }
    }
}

/// Points that belong together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// What they are.
    pub name: String,
    /// The points, from left to right.
    pub points: Vec<(f64, f64)>,
}

impl Series {
    /// A series of the points that there are.
    pub fn of(name: impl Into<String>, points: impl IntoIterator<Item = (f64, Option<f64>)>) -> Series {
        let points = points.into_iter().filter_map(|(x, y)| Some((x, y?))).collect();
        Series { name: name.into(), points }
    }
}

const WIDTH: f64 = 420.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 12.0;
const HEIGHT: f64 = 200.0;
/// Series differ in colour, and their lines in dashes, up to this many.
const LOOKS: usize = 8;

/// A mapping of an axis' values to places between two ends.
struct Scale {
    log: bool,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    fn new(axis: &Axis, values: &[f64], from: f64, to: f64, from_zero: bool) -> Scale {
        let fits = |value: &&f64| value.is_finite() && (!axis.log || **value > 0.0);
        let low = values.iter().filter(fits).fold(f64::INFINITY, |low, value| low.min(*value));
        let high = values.iter().filter(fits).fold(f64::NEG_INFINITY, |high, value| high.max(*value));
        let (low, high) = if low > high { (1.0, 2.0) } else { (low, high) };
        let (mut low, mut high) = match axis.log {
            true => (low.log10(), high.log10()),
            false => (if from_zero { low.min(0.0) } else { low }, high),
        };
        if axis.log && from_zero {
            (low, high) = (low.floor(), high.ceil());
        }
        if high - low < 1e-12 {
            (low, high) = (low - 0.5, high + 0.5);
        }
        Scale { log: axis.log, low, high, from, to }
    }

    fn at(&self, value: f64) -> Option<f64> {
        let value = if self.log { (value > 0.0).then(|| value.log10())? } else { value };
        let share = (value - self.low) / (self.high - self.low);
        value.is_finite().then_some(self.from + (self.to - self.from) * share)
    }

    /// Round values between the ends: 1, 2 or 5 times a power of ten.
    fn ticks(&self) -> Vec<f64> {
        if self.log {
            let decades = self.low.ceil() as i32..=self.high.floor() as i32;
            let every = (decades.clone().count() / 7 + 1) as i32;
            let tens: Vec<f64> = decades.filter(|ten| ten % every == 0).map(|ten| 10_f64.powi(ten)).collect();
            if tens.len() > 1 {
                return tens;
            }
            let around = self.low.floor() as i32..=self.high.floor() as i32;
            let fine = around.flat_map(|ten| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(ten)));
            return fine.filter(|tick| (self.low..=self.high).contains(&tick.log10())).collect();
        }
        let rough = (self.high - self.low) / 5.0;
        let ten = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * ten).into_iter().find(|step| *step >= rough);
        let step = step.unwrap_or(rough);
        let first = (self.low / step - 1e-9).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last).map(|tick| tick as f64 * step).collect()
    }
}

impl Plot {
    /// Whether there is anything to draw.
    pub fn has_points(&self) -> bool {
        self.series.iter().any(|series| !series.points.is_empty())
    }

    /// The plot as a picture, styled by the result page.
    pub fn to_svg(&self) -> Value {
        let legend = self.legend();
        let top = legend.last().map_or(10.0, |place| place.1 + 18.0);
        let bottom = top + HEIGHT;
        let mut svg = Svg::new(WIDTH, bottom + 40.0);
        for ((x, y), (position, series)) in legend.iter().zip(self.series.iter().enumerate()) {
            svg.line((*x, *y), (*x + 18.0, *y), &format!("line {}", look(position)));
            svg.circle(*x + 9.0, *y, 3.0, &format!("point {}", look(position)));
            svg.text(*x + 23.0, *y + 4.0, Anchor::Start, "small", &series.name);
        }
        let points = || self.series.iter().flat_map(|series| &series.points);
        let ys: Vec<f64> = points().map(|point| point.1).collect();
        let y = Scale::new(&self.y, &ys, bottom, top, true);
        for tick in y.ticks() {
            let Some(at) = y.at(tick) else { continue };
            svg.line((LEFT, at), (WIDTH - RIGHT, at), "grid");
            svg.text(LEFT - 6.0, at + 4.0, Anchor::End, "tick", &self.y.shown(tick));
        }
        svg.line((LEFT, bottom), (WIDTH - RIGHT, bottom), "axis");
        match &self.kind {
            Kind::Bars(groups) => self.bars(&mut svg, groups, &y, bottom),
            Kind::Lines | Kind::Steps => {
                let xs: Vec<f64> = points().map(|point| point.0).collect();
                let x = Scale::new(&self.x, &xs, LEFT + 8.0, WIDTH - RIGHT - 8.0, false);
                self.lines(&mut svg, &x, &y, bottom);
            }
        }
        svg.text((LEFT + WIDTH) / 2.0, bottom + 33.0, Anchor::Middle, "axis-name", &self.x.name);
        svg.text(0.0, top - 6.0, Anchor::Start, "axis-name", &self.y.name);
        svg.finish(&self.title)
    }

    /// Where the names of the series stand, in as many rows as it takes.
    fn legend(&self) -> Vec<(f64, f64)> {
        let (mut x, mut y) = (0.0, 10.0);
        let mut places = Vec::new();
        for series in &self.series {
            let width = width_of(&series.name) + 36.0;
            if x > 0.0 && x + width > WIDTH {
                (x, y) = (0.0, y + 17.0);
            }
            places.push((x, y));
            x += width;
        }
        // The vertical axis' name stands below.
        places.push((0.0, y + 14.0));
        places
    }

    fn lines(&self, svg: &mut Svg, x: &Scale, y: &Scale, bottom: f64) {
        let mut free = f64::NEG_INFINITY;
        for tick in x.ticks() {
            let Some(at) = x.at(tick) else { continue };
            svg.line((at, bottom), (at, bottom + 4.0), "axis");
            let text = self.x.shown(tick);
            let half = width_of(&text) / 2.0;
            if at - half >= free {
                svg.text(at, bottom + 16.0, Anchor::Middle, "tick", &text);
                free = at + half + 4.0;
            }
        }
        for (position, series) in self.series.iter().enumerate() {
            let places: Vec<(f64, f64)> =
                series.points.iter().filter_map(|point| Some((x.at(point.0)?, y.at(point.1)?))).collect();
            let class = format!("line {}", look(position));
            if self.kind == Kind::Steps {
                svg.steps(&places, &class);
                continue;
            }
            places.windows(2).for_each(|pair| svg.line(pair[0], pair[1], &class));
            let class = format!("point {}", look(position));
            places.iter().for_each(|(x, y)| svg.circle(*x, *y, 3.0, &class));
        }
    }

    fn bars(&self, svg: &mut Svg, groups: &[String], y: &Scale, bottom: f64) {
        let group = (WIDTH - RIGHT - LEFT) / groups.len().max(1) as f64;
        let bar = (group * 0.8 / self.series.len().max(1) as f64).min(36.0);
        for (position, name) in groups.iter().enumerate() {
            let middle = LEFT + group * (position as f64 + 0.5);
            svg.text(middle, bottom + 16.0, Anchor::Middle, "tick", name);
            let start = middle - bar * self.series.len() as f64 / 2.0;
            for (number, series) in self.series.iter().enumerate() {
                let value = series.points.iter().find(|point| point.0 == position as f64);
                let Some((value, top)) = value.and_then(|point| Some((point.1, y.at(point.1)?))) else {
                    continue;
                };
                let place = [start + bar * number as f64, top, bar - 1.5, bottom - top];
                let title = format!("{}, {name}: {}", series.name, self.y.shown(value));
                svg.titled_rect(place, &format!("bar {}", look(number)), &title);
            }
        }
    }
}

fn look(position: usize) -> String {
    format!("series-{}", position % LOOKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(kind: Kind, log: bool, points: Vec<(f64, f64)>) -> Plot {
        let y = if log { Axis::new("y").log() } else { Axis::new("y") };
        let series =
            ["one", "two & <three>"].map(|name| Series { name: name.into(), points: points.clone() });
        Plot { title: "plot".into(), kind, x: Axis::new("x"), y, series: series.into() }
    }

    #[test]
    fn every_kind_draws_whatever_the_points() {
        let bars = Kind::Bars(vec!["a".into(), "b".into()]);
        for kind in [Kind::Lines, Kind::Steps, bars] {
            for log in [false, true] {
                for points in [
                    vec![],
                    vec![(0.0, 0.0)],
                    vec![(0.0, 5.0), (1.0, 5.0)],
                    vec![(0.0, f64::NAN), (1.0, 1e300)],
                    vec![(0.0, -1.0), (1.0, 1e-9)],
                ] {
                    let svg = plot(kind.clone(), log, points).to_svg().to_string();
                    assert!(svg.starts_with("<svg") && !svg.contains("NaN") && !svg.contains("<three>"));
                }
            }
        }
    }

    #[test]
    fn ticks_are_round() {
        let scale = |low, high, log| Scale { log, low, high, from: 0.0, to: 1.0 };
        assert_eq!(scale(2.0, 6.0, false).ticks(), [2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(scale(0.0, 0.17, false).ticks().len(), 4);
        assert_eq!(scale(-2.0, 2.0, true).ticks(), [0.01, 0.1, 1.0, 10.0, 100.0]);
        assert_eq!(scale(0.1, 0.9, true).ticks(), [2.0, 5.0]);
    }

    #[test]
    fn an_axis_shows_its_unit() {
        assert_eq!(Axis::new("").share().shown(0.5), "50 %");
        assert_eq!(Axis::new("").shown(1_000_000.0), "1M");
        assert_eq!(Axis::new("").shown(50_000.0), "50,000");
        assert_eq!(Axis::new("").shown(0.25), "0.25");
    }
}
