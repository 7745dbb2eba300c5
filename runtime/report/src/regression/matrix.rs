//! Matrices of ranks as colours and numbers.

use jointly_core::Score;

use crate::drawing::{Anchor, Area, Canvas, shortened, width};
use crate::figure::WIDTH;

const ROW: f64 = 26.0;
/// Space for the column title; column names are written upright if there are many.
const NAMES: f64 = 34.0;
const FOOT: f64 = 8.0;
const NAME: usize = 26;
const MOST_CELL: f64 = 146.0;
/// The opacity of the best rank's colour; numbers on it must stay legible.
const STRONGEST: f64 = 0.6;

/// The title of the rows or the columns, and their names.
pub(super) struct Side {
    pub(super) title: String,
    pub(super) names: Vec<String>,
}

/// Mean ranks, row by row; not finite if there is none.
pub(super) struct Matrix {
    pub(super) rows: Side,
    pub(super) columns: Side,
    pub(super) ranks: Vec<Vec<f64>>,
    /// The last rank, which has no colour.
    pub(super) worst: f64,
}

impl Matrix {
    /// Draws matrices one below another.
    pub(super) fn sheet(matrices: &[Self]) -> Canvas {
        let mut canvas = Canvas::new(WIDTH, matrices.iter().map(Self::height).sum());
        let mut top = 0.0;
        for matrix in matrices {
            matrix.draw(&mut canvas, top);
            top += matrix.height();
        }
        canvas
    }

    fn height(&self) -> f64 {
        self.head() + self.rows.names.len() as f64 * ROW + FOOT
    }

    fn head(&self) -> f64 {
        NAMES + if self.upright() { self.longest() } else { 16.0 }
    }

    fn heads(&self) -> impl Iterator<Item = String> {
        self.columns.names.iter().map(|name| shortened(name, NAME))
    }

    fn longest(&self) -> f64 {
        self.heads().map(|name| width(&name, 12.0)).fold(0.0, f64::max)
    }

    fn left(&self) -> f64 {
        self.rows.names.iter().map(|name| width(&shortened(name, 44), 12.0)).fold(60.0, f64::max) + 30.0
    }

    fn cell(&self) -> f64 {
        ((WIDTH - self.left()) / self.columns.names.len() as f64).min(MOST_CELL)
    }

    fn upright(&self) -> bool {
        self.longest() > self.cell() - 6.0
    }

    fn draw(&self, canvas: &mut Canvas, above: f64) {
        let (left, cell, top) = (self.left(), self.cell(), above + self.head());
        canvas.text((left, above + 16.0), Anchor::Start, "title", &self.columns.title);
        canvas.upright((12.0, top + self.rows.names.len() as f64 * ROW / 2.0), "title", &self.rows.title);
        for (column, name) in self.heads().enumerate() {
            let x = left + (column as f64 + 0.5) * cell;
            if self.upright() {
                canvas.upright((x + 4.0, top - 8.0 - width(&name, 12.0) / 2.0), "label", &name);
            } else {
                canvas.text((x, top - 8.0), Anchor::Middle, "label", &name);
            }
        }
        for (row, (name, ranks)) in self.rows.names.iter().zip(&self.ranks).enumerate() {
            let y = top + row as f64 * ROW;
            canvas.text((left - 8.0, y + ROW / 2.0 + 4.0), Anchor::End, "label", &shortened(name, 44));
            for (column, (rank, of)) in ranks.iter().zip(&self.columns.names).enumerate() {
                let x = left + column as f64 * cell;
                let area = Area { left: x + 1.0, top: y + 1.0, width: cell - 2.0, height: ROW - 2.0 };
                if rank.is_finite() {
                    let opacity = STRONGEST * (1.0 - rank / self.worst).clamp(0.0, 1.0);
                    let title = format!("{}: {name}; {}: {of}", self.rows.title, self.columns.title);
                    canvas.rect(area, &[("style", &format!("fill:var(--blue);fill-opacity:{opacity:.3}"))], &title);
                }
                let text = if rank.is_finite() { format!("{rank:.2}") } else { "-".to_owned() };
                canvas.text((x + cell / 2.0, y + ROW / 2.0 + 4.0), Anchor::Middle, "label", &text);
            }
        }
    }
}

/// Formats a mean rank with two decimals, as in papers.
pub(super) fn hundredths(Score { mean, stderr }: Score) -> String {
    if stderr.is_finite() { format!("{mean:.2} ±{stderr:.2}") } else { format!("{mean:.2}") }
}

/// Returns whether a mean rank is the best, or within the standard error of the best. Among equal best ranks, the one
/// with the smallest error counts, so that the order does not matter.
pub(super) fn is_best(score: Score, all: impl Iterator<Item = Score>) -> bool {
    let order = |a: &Score, b: &Score| a.mean.total_cmp(&b.mean).then(a.stderr.total_cmp(&b.stderr));
    let best = all.filter(|score| score.mean.is_finite()).min_by(order);
    best.is_some_and(|best| score.mean <= best.mean + if best.stderr.is_finite() { best.stderr } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use jointly_core::Score;

    use super::{hundredths, is_best};

    #[test]
    fn the_best_and_what_is_within_its_error_is_marked_in_any_order() {
        let scores = [(0.75, 0.75), (0.75, 0.25), (1.0, 0.1), (1.5, 0.5), (f64::NAN, f64::NAN)];
        let mut scores = scores.map(|(mean, stderr)| Score { mean, stderr });
        let marked = |scores: &[Score]| -> Vec<bool> {
            scores.iter().map(|score| is_best(*score, scores.iter().copied())).collect()
        };
        assert_eq!(marked(&scores), [true, true, true, false, false]);
        scores.reverse();
        assert_eq!(marked(&scores), [false, false, true, true, true]);
        // Without an error only the best is marked.
        let alone = [0.0, 0.1].map(|mean| Score { mean, stderr: f64::NAN });
        assert_eq!(marked(&alone), [true, false]);
        assert_eq!(hundredths(alone[1]), "0.10");
    }
}
