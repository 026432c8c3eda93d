//! The fit: damped Gauss-Newton on log errors, every coefficient held to its prior, every source
//! heard, outliers damped.

use super::case::Case;
use super::parameters::Parameters;
use kasuan_model::Confidence;
use kasuan_sizing::time::Coefficients;

/// One measured row for the fit.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) case: Case,
    pub(crate) kind: String,
    pub(crate) publisher: String,
    /// Family of the model: the letters that its name begins with.
    pub(crate) family: String,
    /// Natural logarithm of the measured figure.
    pub(crate) log_value: f64,
    /// Weight of the row, which falls with the rows of its source.
    pub(crate) weight: f64,
    /// Whether the scorer counts the row; others only take part in the fit.
    pub(crate) scored: bool,
}

/// Log error at which a row begins to count as an outlier.
const NOISE: f64 = 0.10;
/// Largest number of steps of a fit from the priors.
const STEPS: usize = 40;
/// Steps of a fit that starts at a neighbouring solution.
const STEPS_NEAR: usize = 8;

/// Which rows each coefficient touches; the others need not be predicted again when it moves.
pub(crate) type Touched = Vec<Vec<usize>>;

/// Fits all coefficients from the priors.
pub(crate) fn from_priors(
    points: &[Point],
    priors: &Parameters,
) -> Result<(Parameters, Touched), String> {
    let touched = touched(points, priors)?;
    Ok((descend(points, priors.clone(), &touched, STEPS)?, touched))
}

/// Fits starting at the solution of nearly the same points; rows without weight take no part.
pub(crate) fn from_near(
    points: &[Point],
    near: &Parameters,
    touched: &Touched,
) -> Result<Parameters, String> {
    descend(points, near.clone(), touched, STEPS_NEAR)
}

fn touched(points: &[Point], at: &Parameters) -> Result<Touched, String> {
    let here = plain(points, at)?;
    (0..at.len())
        .map(|i| {
            let there = plain(points, &at.nudged(i, 0.05))?;
            Ok((0..points.len()).filter(|row| here[*row] != there[*row]).collect())
        })
        .collect()
}

/// Log errors of all points, and the points that a set of coefficients cannot predict as `None`.
pub(crate) fn errors(
    points: &[Point],
    parameters: &Parameters,
) -> Result<Vec<Option<(f64, Confidence)>>, String> {
    let c = parameters.coefficients()?;
    Ok(points.iter().map(|point| error_of(point, &c)).collect())
}

fn error_of(point: &Point, c: &Coefficients) -> Option<(f64, Confidence)> {
    let (rate, confidence) = point.case.predict(c).ok()?;
    Some((rate.likely.ln() - point.log_value, confidence))
}

fn plain(points: &[Point], parameters: &Parameters) -> Result<Vec<Option<f64>>, String> {
    Ok(errors(points, parameters)?.into_iter().map(|e| e.map(|(error, _)| error)).collect())
}

/// The share of its weight that a row keeps: large errors pull no harder than moderate ones.
fn kept(error: f64) -> f64 {
    let x = error / NOISE;
    1.0 / (1.0 + x * x / 2.0).sqrt()
}

/// Cost of the errors (quadratic, then linear) and of going away from the priors.
fn cost(points: &[Point], errors: &[Option<f64>], parameters: &Parameters) -> f64 {
    let rows: f64 = points
        .iter()
        .zip(errors)
        .filter_map(|(p, e)| {
            e.map(|e| p.weight * 4.0 * ((1.0 + (e / NOISE).powi(2) / 2.0).sqrt() - 1.0))
        })
        .sum();
    rows + parameters.prior_cost()
}

fn descend(
    points: &[Point],
    start: Parameters,
    touched: &Touched,
    steps: usize,
) -> Result<Parameters, String> {
    let n = start.len();
    let mut at = start;
    let mut now = plain(points, &at)?;
    let mut cost_now = cost(points, &now, &at);
    let mut damping = 1e-2;
    for _ in 0..steps {
        let slopes = slopes(points, &at, &now, touched)?;
        let (mut normal, mut right) = (vec![0.0; n * n], vec![0.0; n]);
        let mut row_slopes: Vec<Vec<(usize, f64)>> = vec![Vec::new(); points.len()];
        for (i, column) in slopes.iter().enumerate() {
            for (row, slope) in column {
                row_slopes[*row].push((i, *slope));
            }
        }
        for (row, (point, error)) in points.iter().zip(&now).enumerate() {
            let Some(error) = *error else { continue };
            let weight = point.weight * kept(error) / (NOISE * NOISE);
            for (i, slope) in &row_slopes[row] {
                right[*i] -= weight * slope * error;
                for (j, other) in row_slopes[row].iter().take_while(|(j, _)| j <= i) {
                    normal[i * n + j] += weight * slope * other;
                }
            }
        }
        for i in 0..n {
            let pull = 1.0 / at.width(i).powi(2);
            normal[i * n + i] += pull;
            right[i] -= pull * at.distance(i);
        }
        let mut better = false;
        for _ in 0..8 {
            let mut damped = normal.clone();
            for i in 0..n {
                damped[i * n + i] *= 1.0 + damping;
            }
            let Some(step) = solve(&damped, &right, n) else {
                damping *= 10.0;
                continue;
            };
            let tried = at.moved(&step);
            let there = plain(points, &tried)?;
            let cost_there = cost(points, &there, &tried);
            if cost_there < cost_now {
                let gain = cost_now - cost_there;
                (at, now, cost_now, better) = (tried, there, cost_there, gain > 1e-4 * cost_now);
                damping = (damping / 5.0).max(1e-6);
                break;
            }
            damping *= 5.0;
        }
        if !better {
            break;
        }
    }
    Ok(at)
}

/// Slopes of the log errors along each log coefficient, by small steps.
fn slopes(
    points: &[Point],
    at: &Parameters,
    now: &[Option<f64>],
    touched: &Touched,
) -> Result<Vec<Vec<(usize, f64)>>, String> {
    const STEP: f64 = 1e-4;
    touched
        .iter()
        .enumerate()
        .map(|(i, rows)| {
            let c = at.nudged(i, STEP).coefficients()?;
            Ok(rows
                .iter()
                .filter(|row| points[**row].weight > 0.0)
                .filter_map(|row| {
                    let there = error_of(&points[*row], &c)?.0;
                    Some((*row, (there - now[*row]?) / STEP))
                })
                .collect())
        })
        .collect()
}

/// Solves a symmetric positive system given by its lower triangle (Cholesky); `None` when it is not
/// positive.
fn solve(lower: &[f64], right: &[f64], n: usize) -> Option<Vec<f64>> {
    let mut l = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let mut sum = lower[i * n + j];
            for k in 0..j {
                sum -= l[i * n + k] * l[j * n + k];
            }
            if i == j {
                if sum <= 0.0 {
                    return None;
                }
                l[i * n + i] = sum.sqrt();
            } else {
                l[i * n + j] = sum / l[j * n + j];
            }
        }
    }
    let mut x = right.to_vec();
    for i in 0..n {
        for k in 0..i {
            x[i] -= l[i * n + k] * x[k];
        }
        x[i] /= l[i * n + i];
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            x[i] -= l[k * n + i] * x[k];
        }
        x[i] /= l[i * n + i];
    }
    Some(x)
}
