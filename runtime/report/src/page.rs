//! The page itself: a single self-contained file.

use jointly_score::leaderboard::Leaderboard;
use jointly_score::scores::Scores;

use crate::choices::{Choices, Shown};
use crate::drawing::Markup;
use crate::figure::Figure;
use crate::kinds::page_of;
use crate::provenance::{self, Bundled, Other};
use crate::view::View;
use crate::{glossary, standing};

/// The style of all pages.
pub(crate) const STYLE: &str = include_str!("style.css");

/// The content security policy: nothing is fetched and nothing runs, whatever an agent's text holds.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/// The contents of a page.
pub struct Page<'a> {
    /// The run's scores.
    pub scores: &'a Scores<'a>,
    /// The options of the figures, and other runs that they are drawn from.
    pub choices: Choices<'a>,
    /// The label to compare with.
    pub baseline: Option<&'a str>,
    /// The run's directory as the commands on the page name it.
    pub directory: &'a str,
    /// Other runs that the page is drawn from.
    pub others: &'a [Other<'a>],
    /// Tells which agents come with the command.
    pub bundled: Bundled<'a>,
    /// Further options given to `jointly report`, as words.
    pub given: &'a [String],
}

impl Page<'_> {
    /// Returns the page as a file's contents; the same run gives the same bytes.
    pub fn to_html(&self) -> String {
        let leaderboard = Leaderboard::new(self.scores);
        let view = View::new(self.scores, &leaderboard, self.baseline);
        let plan = self.scores.plan;
        let figures = page_of(plan).figures(&view, &self.choices);
        let mut page = Markup::new();
        page.verbatim("<!DOCTYPE html>\n");
        page.open("html", &[("lang", "en")]);
        self.head(&mut page);
        page.open("body", &[]);
        page.element("h1", &[], &format!("{} on {}", agents(&view), plan.suite));
        contents(&mut page, &figures);
        section(&mut page, "leaderboard", "Leaderboard", &standing::markup(&leaderboard, &view, self.baseline));
        section(&mut page, "scores", "What the scores mean", &meanings(&view));
        section(&mut page, "figures", "Figures", &drawn(&view, &figures, &self.choices.shown));
        section(
            &mut page,
            "run",
            "What was run",
            &provenance::markup(plan, self.directory, self.others, self.given, self.bundled),
        );
        page.close("body");
        page.close("html");
        page.into_string()
    }

    fn head(&self, page: &mut Markup) {
        page.open("head", &[]);
        page.empty("meta", &[("charset", "utf-8")]);
        page.empty("meta", &[("http-equiv", "Content-Security-Policy"), ("content", POLICY)]);
        page.empty("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]);
        let plan = self.scores.plan;
        page.element("title", &[], &format!("jointly: {}, seed {}", plan.suite, plan.seed));
        page.open("style", &[]);
        page.verbatim(STYLE);
        page.close("style");
        page.close("head");
    }
}

/// Returns text such as `4 agents`, or the name of the one agent whose variants these are.
fn agents(view: &View) -> String {
    match (view.families.as_slice(), view.agents.len()) {
        ([family], 1) => family.name.to_owned(),
        ([family], variants) => format!("{variants} variants of {}", family.name),
        (families, variants) if variants == families.len() => format!("{variants} agents"),
        (families, variants) => format!("{variants} variants of {} agents", families.len()),
    }
}

fn contents(page: &mut Markup, figures: &[Figure]) {
    page.open("nav", &[]);
    let mut link = |id: &str, title: &str| page.element("a", &[("href", &format!("#{id}"))], title);
    link("leaderboard", "Leaderboard");
    link("scores", "What the scores mean");
    for (number, figure) in figures.iter().enumerate() {
        link(&figure_id(number), &figure.title);
    }
    link("run", "What was run");
    page.close("nav");
}

fn section(page: &mut Markup, id: &str, title: &str, inner: &Markup) {
    page.open("section", &[("id", id)]);
    page.element("h2", &[], title);
    page.push(inner);
    page.close("section");
}

fn meanings(view: &View) -> Markup {
    let mut markup = Markup::new();
    markup.open("dl", &[]);
    let compared = view.baseline.is_some() || page_of(view.scores.plan).always_compares();
    let names = view.scores.names();
    for (name, meaning) in glossary::entries(&names, view.scores.units(), view.scores.plan, compared) {
        markup.element("dt", &[], &name);
        markup.element("dd", &[], &meaning);
    }
    markup.close("dl");
    markup
}

fn drawn(view: &View, figures: &[Figure], shown: &Shown) -> Markup {
    let mut markup = Markup::new();
    if matches!(shown, Shown::Missing) {
        let why = "The inputs themselves are not shown: their files were not there when this page was written.";
        markup.element("p", &[], why);
    }
    if figures.is_empty() {
        let why = page_of(view.scores.plan).undrawn();
        markup.element("p", &[], &format!("None of the figures can be drawn from this run: {why}."));
    }
    for (number, figure) in figures.iter().enumerate() {
        markup.push(&figure.markup(&figure_id(number)));
    }
    markup
}

fn figure_id(number: usize) -> String {
    format!("figure-{number}")
}
