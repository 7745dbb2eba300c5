//! A problem of digits drawn by the host, which needs no file.

use jointly_core::{Dataset, ImageShape, Inputs, Matrix, Seed, Stream, Task, stream};

use super::digits;
use super::instance::{Outsiders, ShiftInstance};
use super::pixels::Pixels;

/// The name of the set of letters and scribbles.
pub(super) const OUTSIDERS: &str = "letters-and-scribbles";

/// The numbers of digits to draw and their size; each example has its own random stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnDigits {
    side: usize,
    /// Number of training digits.
    pub train: u32,
    /// Number of digits for the agent's own use.
    pub validation: u32,
    /// Number of test digits.
    pub test: u32,
    /// Number of letters and scribbles.
    pub outsiders: u32,
}

impl DrawnDigits {
    /// Creates a problem with these numbers of digits for training, for the agent's own use and for testing, with a
    /// side of [28 pixels](digits::SIDE), and as many letters and scribbles as test digits.
    pub fn new(train: u32, validation: u32, test: u32) -> Self {
        Self { side: digits::SIDE, train, validation, test, outsiders: test }
    }

    /// Returns the problem with images of another size.
    ///
    /// # Panics
    /// When the side is not from [`digits::LEAST_SIDE`] to [`digits::MOST_SIDE`].
    #[must_use]
    pub fn with_side(self, side: usize) -> Self {
        assert!((digits::LEAST_SIDE..=digits::MOST_SIDE).contains(&side), "digits cannot be drawn on {side} pixels");
        Self { side, ..self }
    }

    /// Returns the number of rows, and of columns, of an image.
    pub fn side(&self) -> usize {
        self.side
    }

    pub(super) fn task(&self) -> Task {
        let image = ImageShape::new(self.side, self.side, 1).expect("the side was checked");
        Task { image: Some(image), ..Task::new(image.values() as u32, digits::CLASSES) }
    }

    pub(super) fn instance(&self, seed: Seed, name: &str) -> ShiftInstance {
        let task = self.task();
        let streams = |purpose: &'static str, count: u32| {
            (0..u64::from(count)).map(move |index| stream(seed, purpose, name, index))
        };
        let labelled = |purpose, count| {
            let (images, labels): (Vec<Pixels>, Vec<u32>) =
                streams(purpose, count).map(|mut stream| digits::digit_at(self.side, &mut stream)).unzip();
            Dataset::new(&task, self.inputs(&images), labels).expect("drawn digits are what the task says")
        };
        let outside = |mut stream: Stream| digits::outsider_at(self.side, &mut stream);
        let outsiders: Vec<Pixels> = streams("drawn-outsiders", self.outsiders).map(outside).collect();
        ShiftInstance {
            train: labelled("drawn-train", self.train),
            validation: labelled("drawn-validation", self.validation),
            test: labelled("drawn-test", self.test),
            outsiders: vec![Outsiders { name: OUTSIDERS.to_owned(), inputs: self.inputs(&outsiders) }],
            task,
            seed,
            name: name.to_owned(),
        }
    }

    fn inputs(&self, images: &[Pixels]) -> Inputs {
        let values = images.iter().flat_map(|image| image.values().iter().map(|&x| x as f32)).collect();
        Matrix::from_rows(self.side * self.side, values).into()
    }
}
