//! Tests that digits are recognisable, classes are equally likely, and other drawings differ from digits.

use jointly_core::stream::stream;

use super::super::fixture::distance;
use super::*;

fn source(index: u64) -> Stream {
    stream(0, "test", "digits", index)
}

#[test]
fn classes_are_balanced() {
    let mut counts = [0_u32; 10];
    for index in 0..4000 {
        counts[digit(&mut source(index)).1 as usize] += 1;
    }
    // Five standard errors of a binomial count of mean 400.
    assert!(counts.iter().all(|&count| (f64::from(count) - 400.0).abs() < 5.0 * 19.0), "{counts:?}");
}

#[test]
fn images_are_inked_and_repeat() {
    for index in 0..300 {
        for draw in [
            (|stream| digit(stream).0) as fn(&mut Stream) -> Pixels,
            |stream| letter(SIDE, stream),
            |stream| scribble(SIDE, stream),
        ] {
            let image = draw(&mut source(index));
            assert_eq!(image, draw(&mut source(index)));
            let ink = image.values().iter().sum::<f64>();
            // A short scribble with a fine pen has little ink, an 8 with a broad pen has much.
            assert!((8.0..400.0).contains(&ink), "{ink}");
            assert!(Pixels::new(image.shape(), image.values().to_vec()).is_ok());
            // Hardly any ink leaves the image: its rim is nearly blank.
            let rim = (0..SIDE).flat_map(|k| [k, (SIDE - 1) * SIDE + k, k * SIDE, k * SIDE + SIDE - 1]);
            assert!(rim.map(|place| image.values()[place]).sum::<f64>() < 0.2 * ink);
        }
    }
}

#[test]
fn no_two_images_are_the_same() {
    let images: Vec<Pixels> = (0..50).map(|index| digit_of(3, &mut source(index))).collect();
    for (i, a) in images.iter().enumerate() {
        assert!(images[..i].iter().all(|b| a != b));
    }
}

#[test]
fn neighbours_are_mostly_of_one_class() {
    // One nearest neighbour among 1,500 recognises most of 300 digits, but not all, so there is something to learn.
    // Letters and scribbles are farther from every digit than digits are.
    let train: Vec<(Pixels, u32)> = (0..1500).map(|index| digit(&mut source(index))).collect();
    let nearest = |image: &Pixels| {
        let distances = train.iter().map(|(other, class)| (distance(image, other), *class));
        distances.fold((f64::INFINITY, 0), |least, next| if next.0 < least.0 { next } else { least })
    };
    let tested = 300;
    let (mut right, mut digits, mut outsiders) = (0, 0.0, 0.0);
    for index in 0..tested {
        let (image, class) = digit(&mut source(10_000 + index));
        let (far, found) = nearest(&image);
        right += u32::from(found == class);
        digits += far / tested as f64;
        outsiders += nearest(&outsider(&mut source(20_000 + index))).0 / tested as f64;
    }
    let accuracy = f64::from(right) / tested as f64;
    println!("1-NN accuracy {accuracy}, distance of digits {digits:.3}, of outsiders {outsiders:.3}");
    assert!((0.8..1.0).contains(&accuracy), "{accuracy}");
    assert!(outsiders > 1.15 * digits, "{digits} {outsiders}");
}
