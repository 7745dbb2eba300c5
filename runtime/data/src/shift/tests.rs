//! Complete datasets of each kind: small ones made here, those on this machine, and damaged files.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use jointly_core::Inputs;
use jointly_core::stream::{Stream, stream};
use tempfile::TempDir;

use super::fixture::png;
use super::*;
use crate::import::fixture::Fixture;
use crate::{Card, DataError, Format, Kind, Labels, Part, Place};

/// The directory of real files, on a machine that has some.
const REAL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");

const fn file(path: &'static str) -> Place {
    Place { path, member: None }
}

/// A small set of images in idx files.
static SMALL: Card = Card {
    name: "small",
    summary: "",
    kind: Kind::Image,
    num_classes: 3,
    input_dim: 16,
    train_size: 20,
    test_size: 10,
    in_paper: false,
    format: Format::IdxCut,
    parts: &[Part { holds: "images", places: &[file("images")] }, Part { holds: "labels", places: &[file("labels")] }],
    downloads: &[],
    origin: "nothing",
};
static OTHERS: [OutsiderCard; 1] = [OutsiderCard {
    name: "others",
    summary: "",
    part: Part { holds: "images", places: &[file("others.mat"), file("others.npz"), file("others")] },
    origin: "nothing",
}];
static IMAGES: ShiftCard = ShiftCard {
    name: "small",
    summary: "",
    content: ShiftContent::Known(&SMALL),
    split: ShiftSplit { validation: Portion::Rows(5), test: Some(Portion::Rows(7)) },
    outsiders: &OTHERS,
};
static TABLE: Card = Card {
    name: "small",
    summary: "",
    kind: Kind::Table,
    num_classes: 3,
    input_dim: 2,
    train_size: 20,
    test_size: 10,
    in_paper: false,
    format: Format::Table(Labels::From(0)),
    parts: &[Part { holds: "rows", places: &[file("small.csv")] }],
    downloads: &[],
    origin: "nothing",
};
static ROWS: ShiftCard = ShiftCard {
    name: "small",
    summary: "",
    content: ShiftContent::Known(&TABLE),
    split: ShiftSplit { validation: Portion::Share(0.1), test: Some(Portion::Share(0.2)) },
    outsiders: &[],
};

/// A data directory with files.
struct Folder(TempDir);

impl Folder {
    fn new(files: &[(&str, Vec<u8>)]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for (name, bytes) in files {
            folder.put(name, bytes);
        }
        folder
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn load(&self, card: &'static ShiftCard) -> Result<ShiftData, DataError> {
        load_shift(card, &locate_shift(card, &[self.0.path().to_owned()]).unwrap())
    }

    fn refusal(&self, card: &'static ShiftCard) -> String {
        self.load(card).unwrap_err().to_string()
    }
}

fn bytes(count: usize, most: u64, source: &mut Stream) -> Vec<u8> {
    (0..count).map(|_| (source.next_u64() % most) as u8).collect()
}

fn idx(shape: &[u32], values: &[u8]) -> Vec<u8> {
    let sizes = shape.iter().flat_map(|size| size.to_be_bytes());
    [0, 0, 8, shape.len() as u8].into_iter().chain(sizes).chain(values.iter().copied()).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Returns the pixels of all rows, divided by 255.
fn pixels(rows: &super::examples::Rows) -> Vec<f32> {
    rows.select(&(0..rows.len()).collect::<Vec<_>>(), &[]).numbers().values().to_vec()
}

fn tokens(inputs: &Inputs, row: usize) -> &[u32] {
    inputs.tokens().row(row)
}

fn images() -> Vec<(&'static str, Vec<u8>)> {
    let mut source = stream(0, "test", "shift-images", 0);
    let labels: Vec<u8> = (0..30).map(|i| i % 3).collect();
    vec![("images", idx(&[30, 4, 4], &bytes(30 * 16, 256, &mut source))), ("labels", idx(&[30], &labels))]
}

#[test]
fn images_are_bytes_over_255_and_outsiders_may_be_of_any_format() {
    let plain = Folder::new(&images()).load(&IMAGES).unwrap();
    assert_eq!((plain.pool.labels.len(), plain.test.is_none(), plain.outsiders.len()), (30, true, 0));
    let file = &images()[0].1[16..];
    let expected: Vec<f32> = file.iter().map(|&byte| f32::from(byte) / 255.0).collect();
    assert_eq!(pixels(&plain.pool.rows), expected);

    let value = |[image, i, j, _]: [usize; 4]| (50 * image + 4 * i + j) as u8;
    let rows: Vec<u8> =
        (0..3).flat_map(|image| (0..16).map(move |place| value([image, place / 4, place % 4, 0]))).collect();
    let mut digests = Vec::new();
    for (name, bytes) in [
        ("others", idx(&[3, 4, 4], &rows)),
        ("others", gzip(&idx(&[3, 4, 4], &rows))),
        ("others.npz", Fixture::new().array("images", &[3, 4, 4], rows.clone()).bytes()),
        ("others.mat", super::matlab::tests::svhn([4, 4, 1, 3], value)),
    ] {
        let folder = Folder::new(&images());
        folder.put(name, &bytes);
        let data = folder.load(&IMAGES).unwrap();
        let (outsiders, found) = &data.outsiders[0];
        assert_eq!((outsiders.as_str(), data.outsiders().next().unwrap().1), ("others", 3));
        assert_eq!(pixels(found), rows.iter().map(|&byte| f32::from(byte) / 255.0).collect::<Vec<_>>());
        digests.push(data.digest().to_owned());
    }
    assert!(digests.iter().all(|digest| *digest == digests[0] && digest != plain.digest()));
}

#[test]
fn outsiders_of_another_size_or_damaged_are_refused_by_name() {
    let refusal = |name: &str, bytes: &[u8]| {
        let folder = Folder::new(&images());
        folder.put(name, bytes);
        folder.refusal(&IMAGES)
    };
    let message = refusal("others", &idx(&[2, 5, 5], &[0; 50]));
    assert!(message.starts_with("failed to read others from "), "{message}");
    let expected = "expected [images, 4, 4] or [images, 4, 4, 1]: save them in that shape";
    assert!(message.ends_with(&format!("it holds images of shape [2, 5, 5], {expected}")), "{message}");
    // The same number of pixels in other arrangements.
    for shape in [&[2, 2, 8][..], &[2, 16], &[32], &[2, 1, 4, 4], &[2, 4, 4, 1, 1]] {
        let sizes: Vec<u64> = shape.iter().map(|&size| u64::from(size)).collect();
        let message = refusal("others.npz", &Fixture::new().array("images", &sizes, vec![0_u8; 32]).bytes());
        assert!(message.ends_with(&format!("it holds images of shape {shape:?}, {expected}")), "{message}");
        assert!(refusal("others", &idx(shape, &[0; 32])).contains(&format!("{shape:?}, {expected}")));
    }
    assert!(refusal("others", &idx(&[0, 4, 4], &[])).contains("it holds 0 images, expected at least 1"));
    assert!(refusal("others", b"PK").contains("as idx files of bytes do"));
    assert!(refusal("others.mat", b"PK").contains("as MATLAB files of level 5 do"));
    assert!(refusal("others.npz", b"no archive").contains("others.npz: "));
    let npz = Fixture::new().array("pictures", &[2, 4, 4], vec![0_u8; 32]).bytes();
    assert!(refusal("others.npz", &npz).contains("there is no array \"images\", only pictures"));
}

#[test]
fn what_is_missing_is_named_with_where_to_get_it() {
    for card in shift_cards() {
        let message = locate_shift(card, &["/nowhere".into()]).unwrap_err().to_string();
        assert!(message.contains(card.name) && message.contains("/nowhere") && message.contains(card.origin()));
        assert!(message.contains(card.parts()[0].places[0].path), "{message}");
        assert!(card.task().num_classes >= 2);
        assert!(shift_card(card.name).is_some());
    }
    let nowhere = locate_shift(&IMAGES, &[]).unwrap_err().to_string();
    assert_eq!(
        nowhere,
        "there are no images of small in any data directory, since there is none: get nothing, and put them where images \
         is to be"
    );
}

fn table() -> String {
    // The second column hardly varies around a large number: it is constant except for rounding.
    let row = |i: i32| format!("{},{},{}", i * i, 1e6 + f64::from(i % 2) * 1e-9, i % 3);
    (0..30).map(row).collect::<Vec<_>>().join("\n")
}

#[test]
fn tables_are_standardised_by_the_rows_trained_on() {
    let data = Folder::new(&[("small.csv", table().into_bytes())]).load(&ROWS).unwrap();
    let trained = [0, 1, 2, 3];
    let inputs = data.pool.rows.select(&[0, 3, 29], &trained);
    // 0, 1, 4 and 9 have mean 3.5 and variance (12.25 + 6.25 + 0.25 + 30.25) / 4 = 12.25.
    let expected = [-1.0, 5.5 / 3.5, (841.0 - 3.5) / 3.5];
    for (row, expected) in expected.into_iter().enumerate() {
        assert!((inputs.numbers().row(row)[0] - expected as f32).abs() < 1e-4);
        assert_eq!(inputs.numbers().row(row)[1], 0.0);
    }
    assert!(Folder::new(&[("small.csv", b"1,2,0\n".to_vec())]).refusal(&ROWS).contains("it holds 1 rows, expected 30"));
    assert!(Folder::new(&[("small.csv", b"1,x,0\n".to_vec())]).refusal(&ROWS).contains("line 1: field 2 is \"x\""));
}

/// Returns the folders of the newsgroups: two training texts and one test text per group.
fn news() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for (group, name) in NEWSGROUPS.iter().enumerate() {
        let post = |text: String| format!("From: someone\nSubject: {name}\n\n{text}\n").into_bytes();
        files.push((format!("20news-bydate-train/{name}/2"), post(format!("word{group} the the the of"))));
        files.push((format!("20news-bydate-train/{name}/10"), post("The of OF".to_owned())));
        files.push((format!("20news-bydate-test/{name}/7"), post(format!("the word{group} novelty"))));
    }
    files
}

fn news_folder(files: &[(String, Vec<u8>)]) -> Folder {
    let folder = Folder::new(&[]);
    for (name, bytes) in files {
        folder.put(&format!("20newsgroups/{name}"), bytes);
    }
    folder
}

fn news_archive(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    // In the published archive the test texts come first.
    for (name, bytes) in files.iter().rev() {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, bytes.as_slice()).unwrap();
    }
    tar.into_inner().unwrap().finish().unwrap()
}

fn newsgroups() -> &'static ShiftCard {
    shift_card("20newsgroups").unwrap()
}

#[test]
fn newsgroups_are_words_by_frequency_even_groups_in_and_odd_ones_out() {
    let data = news_folder(&news()).load(newsgroups()).unwrap();
    let everything = |rows: &super::examples::Rows| rows.select(&(0..rows.len()).collect::<Vec<_>>(), &[]);
    let (train, test) = (everything(&data.pool.rows), everything(&data.test.as_ref().unwrap().rows));
    assert_eq!(data.pool.labels, (0..10).flat_map(|class| [class; 2]).collect::<Vec<u32>>());
    assert_eq!(data.test.as_ref().unwrap().labels, (0..10).collect::<Vec<u32>>());
    // "the" 80 times, "of" 60 times, then word0 to word19 once each, by spelling; file 10 comes before file 2.
    let mut spelled: Vec<String> = (0..20).map(|group| format!("word{group}")).collect();
    spelled.sort();
    let id = |group: usize| 4 + spelled.iter().position(|word| *word == format!("word{group}")).unwrap() as u32;
    for class in 0..10 {
        assert_eq!(tokens(&train, 2 * class)[..4], [2, 3, 3, 0]);
        assert_eq!(tokens(&train, 2 * class + 1)[..6], [id(2 * class), 2, 2, 2, 3, 0]);
        assert_eq!(tokens(&test, class)[..4], [2, id(2 * class), 1, 0]);
    }
    let (name, odd) = &data.outsiders[0];
    assert_eq!((name.as_str(), odd.len()), ("odd-classes", 10));
    assert_eq!(tokens(&everything(odd), 0)[..4], [2, id(1), 1, 0]);
    assert_eq!(train.tokens().cols(), TEXT_LENGTH as usize);
    assert!(data.task().check(&train).is_ok());

    let archive = Folder::new(&[]);
    archive.put("20newsgroups/20news-bydate.tar.gz", &news_archive(&news()));
    assert_eq!(archive.load(newsgroups()).unwrap().digest(), data.digest());
}

#[test]
fn sentences_are_outsiders_of_texts() {
    let folder = news_folder(&news());
    folder.put("lm1b/lm1b.txt", b"The novelty of it\n\n -- \nthe of\n");
    let data = folder.load(newsgroups()).unwrap();
    let (name, rows) = &data.outsiders[1];
    assert_eq!((name.as_str(), rows.len()), ("lm1b", 2));
    let inputs = rows.select(&[0, 1], &[]);
    assert_eq!((&tokens(&inputs, 0)[..5], &tokens(&inputs, 1)[..3]), (&[2, 1, 3, 1, 0][..], &[2, 3, 0][..]));
    // A mebibyte of lines without words, compressed to a kilobyte.
    folder.put("lm1b/lm1b.txt", &gzip(&b"--\n".repeat(1 << 19)));
    let message = folder.refusal(newsgroups());
    assert!(message.contains("lm1b.txt: line 349526: this line and earlier ones have no data"), "{message}");
    folder.put("lm1b/lm1b.txt", b"\n--\n");
    assert!(folder.refusal(newsgroups()).contains("it holds 0 sentences, expected at least 1"));
}

/// Texts that a reader of headers took for empty were once scored in silence.
#[test]
fn texts_that_are_all_empty_are_refused_by_their_file() {
    let emptied = |part: &str| {
        let empty = |(name, text): (String, Vec<u8>)| {
            let text = if name.contains(part) { b"From: someone\n\n".to_vec() } else { text };
            (name, text)
        };
        news_folder(&news().into_iter().map(empty).collect::<Vec<_>>()).refusal(newsgroups())
    };
    let message = emptied("-train");
    assert!(message.contains("20news-bydate-train: all 20 texts are the same, so no agent can learn"), "{message}");
    let message = emptied("-test");
    assert!(message.contains("20news-bydate-test: all 10 texts are the same"), "{message}");
    let folder = news_folder(&news());
    folder.put("lm1b/lm1b.txt", b"the\nThe\n");
    assert!(folder.refusal(newsgroups()).contains("lm1b.txt: all 2 texts are the same"));
}

#[test]
fn newsgroups_that_are_not_whole_are_refused() {
    let lacking: Vec<_> = news().into_iter().filter(|(name, _)| !name.contains("train/sci.med")).collect();
    let message = news_folder(&lacking).refusal(newsgroups());
    assert!(message.contains("20news-bydate-train: the folder has no sci.med: get it again, whole"), "{message}");
    let empty = news_folder(&lacking);
    fs::create_dir_all(empty.path("20newsgroups/20news-bydate-train/sci.med")).unwrap();
    assert!(empty.refusal(newsgroups()).contains("the folder has no posts in sci.med"));

    let packed = |bytes: &[u8]| {
        let folder = Folder::new(&[]);
        folder.put("20newsgroups/20news-bydate.tar.gz", bytes);
        folder.load(newsgroups())
    };
    let message = packed(&news_archive(&lacking)).unwrap_err().to_string();
    assert!(message.contains("the folder has no posts in 20news-bydate-train/sci.med"), "{message}");
    let whole = news_archive(&news());
    for cut in [0, 10, whole.len() / 3, whole.len() / 2, whole.len() - 9] {
        assert!(packed(&whole[..cut]).is_err(), "{cut}");
    }
    for flip in (0..whole.len()).step_by(whole.len() / 50 + 1) {
        let mut spoiled = whole.clone();
        spoiled[flip] ^= 1 << (flip % 8);
        if let Ok(data) = packed(&spoiled) {
            assert_eq!(data.pool.labels.len(), data.pool.rows.len());
        }
    }
    assert!(packed(b"no archive").is_err());
}

fn click(i: usize) -> String {
    let counts: Vec<String> =
        (0..13).map(|j| if (i + j).is_multiple_of(5) { String::new() } else { (i * j).to_string() }).collect();
    let categories: Vec<String> = (0..26)
        .map(|j| if (i + j).is_multiple_of(7) { String::new() } else { format!("{:08x}", i % 3 + 100 * j) })
        .collect();
    format!("{}\t{}\t{}", usize::from(i.is_multiple_of(4)), counts.join("\t"), categories.join("\t"))
}

fn clicks(lines: usize) -> Vec<u8> {
    (0..lines).map(click).collect::<Vec<_>>().join("\n").into_bytes()
}

fn criteo() -> &'static ShiftCard {
    shift_card("criteo").unwrap()
}

#[test]
fn clicks_are_counts_by_logarithm_and_hashed_categories() {
    let data = Folder::new(&[("criteo/train.txt", clicks(60))]).load(criteo()).unwrap();
    let inputs = data.pool.rows.select(&[0, 1, 4], &[]);
    assert_eq!(data.pool.labels[..5], [1, 0, 0, 0, 1]);
    // Row 1 has 0, 1, 2, 3, nothing, 5 ...
    let row = inputs.numbers().row(1);
    assert!(row[..6].iter().zip([0.0, 1.0, 2.0, 3.0, 0.0, 5.0_f32]).all(|(x, count)| (x - count.ln_1p()).abs() < 1e-6));
    assert!(data.task().check(&inputs).is_ok());
    // Rows 1 and 4 have the same categories, except missing ones.
    let (one, four) = (tokens(&inputs, 1), tokens(&inputs, 2));
    let missing = |i: usize, j: usize| (i + j).is_multiple_of(7);
    assert!((0..26).all(|j| missing(1, j) || missing(4, j) || one[j] == four[j]));

    let packed = Folder::new(&[("criteo/train.txt.gz", gzip(&clicks(60)))]).load(criteo()).unwrap();
    assert_eq!(packed.digest(), data.digest());
    // No more lines are read than requested, whatever follows.
    let file = Folder::new(&[("train", [clicks(50), b"\nno click\n".to_vec()].concat())]);
    assert_eq!(super::clicks::read(&file.path("train"), 50).unwrap().labels.len(), 50);
    assert!(
        super::clicks::read(&file.path("train"), 51).unwrap_err().to_string().starts_with("line 51: it has 1 fields")
    );
}

#[test]
fn wrong_clicks_are_refused_by_their_line() {
    let refusal = |change: &dyn Fn(&mut Vec<String>)| {
        let mut fields: Vec<String> = click(1).split('\t').map(str::to_owned).collect();
        change(&mut fields);
        let file = [clicks(41), b"\n".to_vec(), fields.join("\t").into_bytes()].concat();
        Folder::new(&[("criteo/train.txt", file)]).refusal(criteo())
    };
    assert!(refusal(&|fields| fields[0] = "2".to_owned()).contains("line 42: the label is \"2\", expected 0 or 1"));
    assert!(
        refusal(&|fields| fields[3] = "x".to_owned()).contains("line 42: count 3 is \"x\", expected a whole number")
    );
    assert!(refusal(&|fields| fields[20] = "f".repeat(65)).contains("line 42: category 7 has more than 64 bytes"));
    assert!(refusal(&|fields| drop(fields.pop())).contains("line 42: it has 39 fields separated by tabs, expected 40"));
    let few = Folder::new(&[("criteo/train.txt", clicks(39))]).refusal(criteo());
    assert!(few.contains("it holds 39 lines, expected at least 40"), "{few}");
    let empty = gzip(&[clicks(50), vec![b'\n'; (1 << 20) + 2]].concat());
    let empty = Folder::new(&[("criteo/train.txt.gz", empty)]).refusal(criteo());
    assert!(empty.contains("criteo/train.txt.gz: line 1048627: this line and earlier ones have no data"), "{empty}");
    let torn = gzip(&clicks(60));
    let torn = Folder::new(&[("criteo/train.txt.gz", torn[..torn.len() - 20].to_vec())]).refusal(criteo());
    assert!(torn.contains("its compressed bytes are damaged or cut short"), "{torn}");
}

/// A JPEG file of 20 by 12 pixels, drawn with pixel (x, y) equal to (12 x, 20 y, 255 - 12 x).
const PHOTO: &[u8] = include_bytes!("gradient.jpg");

fn picture(shade: u8) -> Vec<u8> {
    png(6, 4, |x, y| [shade, 40 * y as u8, 40 * x as u8])
}

fn folders() -> Folder {
    Folder::new(&[
        ("train/cat/b.png", picture(2)),
        ("train/cat/a.png", picture(1)),
        ("train/cat/notes.txt", b"no image".to_vec()),
        ("train/dog/a.jpg", PHOTO.to_vec()),
        ("train/dog/.hidden.png", b"no image".to_vec()),
        ("test/dog/a.JPEG", PHOTO.to_vec()),
        ("test/cat/a.png", picture(9)),
        ("test/cat/b.png", picture(5)),
        ("others/deep/a.png", picture(7)),
        ("others/b.png", picture(8)),
        ("others/c.png", picture(6)),
    ])
}

fn image_folder(folder: &Folder) -> ImageFolder {
    ImageFolder {
        train: folder.path("train"),
        test: Some(folder.path("test")),
        outsiders: vec![("others".to_owned(), folder.path("others"))],
        side: 4,
        grey: false,
    }
}

#[test]
fn folders_are_classes_and_images_are_brought_to_a_size() {
    let folder = folders();
    let data = image_folder(&folder).load("pets").unwrap();
    assert_eq!((data.name(), data.task().num_classes, data.task().input_dim), ("pets", 2, 48));
    assert_eq!((&data.pool.labels[..], &data.test.as_ref().unwrap().labels[..]), (&[0, 0, 1][..], &[0, 0, 1][..]));
    assert_eq!(data.outsiders().collect::<Vec<_>>(), [("others", 3)]);
    let values = pixels(&data.pool.rows);
    // The middle four of six columns: a.png, then b.png, then a photograph, whose middle is columns 4 to 15.
    let byte = |value: f32| (value * 255.0).round() as u8;
    assert_eq!(values[..6].iter().map(|&x| byte(x)).collect::<Vec<_>>(), [1, 0, 40, 1, 0, 80]);
    assert_eq!(byte(values[48]), 2);
    let middles = (0..4).flat_map(|i| (0..4).map(move |j| [60 + 36 * j, 20 + 60 * i, 195 - 36 * j]));
    for (&found, drawn) in values[96..].iter().zip(middles.flatten()) {
        assert!(byte(found).abs_diff(drawn) < 12, "{found} of {drawn}");
    }

    let grey = ImageFolder { grey: true, side: 2, test: None, ..image_folder(&folder) }.load("pets").unwrap();
    assert_eq!((grey.task().input_dim, grey.test.is_none()), (4, true));
    assert_ne!(grey.digest(), data.digest());
    assert_eq!(image_folder(&folders()).load("pets").unwrap().digest(), data.digest());
}

#[test]
fn folders_that_make_no_dataset_are_refused() {
    let refusal = |change: &dyn Fn(&Folder, &mut ImageFolder)| {
        let folder = folders();
        let mut images = image_folder(&folder);
        change(&folder, &mut images);
        images.load("pets").unwrap_err().to_string()
    };
    assert!(
        refusal(&|folder, images| images.train = folder.path("nowhere")).starts_with("failed to read images from ")
    );
    assert!(
        refusal(&|folder, images| images.train = folder.path("train/cat"))
            .contains("it has 0 folders of classes, expected 2")
    );
    assert!(
        refusal(&|folder, _| folder.put("test/mouse/a.png", &picture(1)))
            .contains("it has the class mouse, which has no folder to train on")
    );
    assert!(refusal(&|folder, _| fs::remove_dir_all(folder.path("others")).unwrap()).contains("others"));
    assert!(
        refusal(&|folder, _| folder.put("train/cat/c.png", b"no image"))
            .contains("begins as neither PNG nor JPEG does")
    );
    let cut = picture(3);
    assert!(
        refusal(&|folder, _| folder.put("train/cat/c.png", &cut[..cut.len() / 2]))
            .contains("c.png: cannot decode the image (")
    );
    assert!(refusal(&|_, images| images.side = 0).contains("an image of 0 x 0 pixels"));
    let huge = refusal(&|_, images| images.side = 8192);
    assert!(
        huge.contains("9 images of 201326592 bytes each are more than 536870912 bytes: take a smaller side"),
        "{huge}"
    );
    // A header that claims too many pixels is not trusted.
    let mut claims = picture(3);
    claims[16..20].copy_from_slice(&u32::MAX.to_be_bytes());
    assert!(refusal(&|folder, _| folder.put("train/cat/c.png", &claims)).contains("c.png: cannot decode the image"));
}

/// Loads the dataset from files on this machine, if it has them.
fn at_hand(name: &str) -> Option<ShiftData> {
    let card = shift_card(name).unwrap();
    if let Ok(files) = locate_shift(card, &[Path::new(REAL).to_owned()]) {
        return Some(load_shift(card, &files).unwrap());
    }
    eprintln!("skipped: {name} is not in {REAL}");
    None
}

#[test]
fn real_images_have_the_rows_that_are_known_of_them() {
    if let Some(data) = at_hand("mnist-t10k") {
        assert_eq!((data.pool.labels.len(), data.test.is_none()), (10_000, true));
        assert_eq!(data.pool.labels[..5], [7, 2, 1, 0, 4]);
        assert_eq!(data.outsiders().collect::<Vec<_>>(), [("notmnist", 10_000)]);
    }
}

#[test]
fn real_tables_have_the_rows_that_are_known_of_them() {
    for (name, rows) in [("iris", 150), ("wine-quality", 4898), ("german-credit", 1000)] {
        if let Some(data) = at_hand(name) {
            assert_eq!(data.pool.labels.len(), rows);
        }
    }
}
