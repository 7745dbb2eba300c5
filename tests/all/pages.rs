//! The pages of documentation, README.md and docs/*.md, and their code blocks.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::workspace;

/// A page.
pub(crate) struct Page {
    /// The path in the sources, such as `docs/run.md`.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// A fenced block of a page: its language, the word after it, and its lines.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) language: String,
    pub(crate) mark: String,
    pub(crate) text: String,
}

impl Page {
    /// Reads a page.
    pub(crate) fn read(path: &str) -> Self {
        let text = fs::read_to_string(workspace().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        Self { path: path.to_owned(), text }
    }

    /// Returns README.md, then the pages of docs/ by name.
    pub(crate) fn all() -> Vec<Self> {
        let entries = fs::read_dir(workspace().join("docs")).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
        names.retain(|name| Path::new(name).extension().is_some_and(|extension| extension == "md"));
        names.sort();
        let docs = names.iter().map(|name| Self::read(&format!("docs/{name}")));
        std::iter::once(Self::read("README.md")).chain(docs).collect()
    }

    /// Returns the fenced blocks, in order.
    pub(crate) fn blocks(&self) -> Vec<Block> {
        let (mut blocks, mut open) = (Vec::new(), None::<Block>);
        for line in self.text.lines() {
            match (line.strip_prefix("```"), open.as_mut()) {
                (Some(info), None) => {
                    let (language, mark) = info.split_once(' ').unwrap_or((info, ""));
                    open = Some(Block { language: language.into(), mark: mark.into(), text: String::new() });
                }
                (Some(info), Some(_)) => {
                    assert_eq!(info, "", "{}: a block ends with nothing else on its line", self.path);
                    blocks.extend(open.take());
                }
                (None, Some(block)) => block.text.extend([line, "\n"]),
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{}: the last block does not end", self.path);
        blocks
    }

    /// Returns the lines outside fenced blocks, with their numbers.
    pub(crate) fn prose(&self) -> Vec<(usize, &str)> {
        let mut fenced = false;
        let outside = self.text.lines().enumerate().filter(|(_, line)| {
            let fence = line.starts_with("```");
            fenced ^= fence;
            !fenced && !fence
        });
        outside.map(|(number, line)| (number + 1, line)).collect()
    }

    /// Returns the targets of the links, as written.
    pub(crate) fn links(&self) -> Vec<String> {
        let prose: String = self.prose().into_iter().flat_map(|(_, line)| [line, "\n"]).collect();
        let targets = prose.split("](").skip(1);
        targets.map(|rest| rest.split(')').next().unwrap().to_owned()).collect()
    }

    /// Returns the names by which links refer to the headings.
    pub(crate) fn anchors(&self) -> Vec<String> {
        let headings = self.prose().into_iter().filter(|(_, line)| line.starts_with('#'));
        headings.map(|(_, line)| anchor(line.trim_start_matches('#').trim())).collect()
    }

    /// Returns the file to which a relative link leads.
    pub(crate) fn target(&self, link: &str) -> PathBuf {
        let folder = Path::new(&self.path).parent().unwrap();
        workspace().join(folder).join(link)
    }
}

impl Block {
    /// Returns the commands of a console block.
    pub(crate) fn commands(&self) -> Vec<String> {
        self.text.lines().filter_map(|line| line.strip_prefix("$ ")).map(str::to_owned).collect()
    }
}

/// Returns the blocks of all pages in a language, in order.
pub(crate) fn blocks(language: &str) -> Vec<Block> {
    let blocks = Page::all().into_iter().flat_map(|page| page.blocks());
    blocks.filter(|block| block.language == language).collect()
}

/// Returns a heading as GitHub names it in links: letters and digits in lower case, hyphens for spaces.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn blocks_prose_and_anchors() {
    let text = "# A page: `x` & more\n\n```sh\nls\n```\n[b](b.md#c)\n```console long\n$ jointly run\nsaid\n```\n";
    let page = Page { path: "docs/a.md".into(), text: text.into() };
    let blocks = page.blocks();
    assert_eq!(blocks.len(), 2);
    assert_eq!((&*blocks[1].language, &*blocks[1].mark), ("console", "long"));
    assert_eq!(blocks[1].commands(), ["jointly run"]);
    assert_eq!(page.links(), ["b.md#c"]);
    assert_eq!(page.prose().last(), Some(&(6, "[b](b.md#c)")));
    assert_eq!(page.anchors(), ["a-page-x--more"]);
}
