//! The frame of a site's pages: style, policy, and links to the other pages.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jointly_core::digest;

use crate::drawing::Markup;
use crate::page::STYLE;

/// The text by which a page of a site is known.
pub(super) const GENERATOR: &str = "jointly leaderboard --format html";

/// The style that the site's pages add to that of all pages.
const SITE_STYLE: &str = include_str!("site.css");
/// Sorts and filters the table of the first page.
const SCRIPT: &str = include_str!("site.js");

/// A page without its frame.
pub(super) struct Frame<'a> {
    pub(super) title: &'a str,
    /// The path from the page to the site's folder: empty, or `../`.
    pub(super) up: &'static str,
    /// Whether the page has a table that the script sorts.
    pub(super) sorts: bool,
}

impl Frame<'_> {
    /// Returns the page as a file's contents.
    pub(super) fn around(&self, body: &Markup) -> String {
        let mut page = Markup::new();
        page.verbatim("<!DOCTYPE html>\n");
        page.open("html", &[("lang", "en")]);
        page.open("head", &[]);
        page.empty("meta", &[("charset", "utf-8")]);
        page.empty("meta", &[("http-equiv", "Content-Security-Policy"), ("content", &policy(self.sorts))]);
        page.empty("meta", &[("name", "generator"), ("content", GENERATOR)]);
        page.empty("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]);
        page.empty("meta", &[("name", "referrer"), ("content", "no-referrer")]);
        page.element("title", &[], self.title);
        page.open("style", &[]);
        page.verbatim(STYLE);
        page.verbatim(SITE_STYLE);
        page.close("style");
        page.close("head");
        page.open("body", &[("class", if self.sorts { "broad" } else { "page" })]);
        if !self.up.is_empty() {
            page.open("nav", &[]);
            page.element("a", &[("href", &format!("{}index.html", self.up))], "Leaderboard");
            page.close("nav");
        }
        page.open("main", &[]);
        page.element("h1", &[], self.title);
        page.push(body);
        page.close("main");
        if self.sorts {
            page.open("script", &[]);
            page.verbatim(SCRIPT);
            page.close("script");
        }
        page.close("body");
        page.close("html");
        page.into_string()
    }
}

/// Returns the content security policy: nothing is fetched, and nothing applies or runs but this command's own style and
/// script, which are known by their digests, whatever an entry's text holds.
fn policy(script: bool) -> String {
    let style = hash(&[STYLE, SITE_STYLE].concat());
    let script = if script { format!("; script-src {}", hash(SCRIPT)) } else { String::new() };
    format!("default-src 'none'; style-src {style}{script}; base-uri 'none'; form-action 'none'")
}

/// Returns a text's digest as a policy names it.
fn hash(text: &str) -> String {
    let hex = digest(text.as_bytes());
    let hex = hex.trim_start_matches("sha256:");
    let bytes: Vec<u8> =
        (0..hex.len()).step_by(2).filter_map(|at| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok()).collect();
    format!("'sha256-{}'", STANDARD.encode(bytes))
}

/// Adds a part of a page with a heading.
pub(super) fn section(page: &mut Markup, id: &str, title: &str, inner: &Markup) {
    page.open("section", &[("id", id)]);
    page.element("h2", &[], title);
    page.push(inner);
    page.close("section");
}

/// Adds a text with a link to a file of the site.
pub(super) fn link(page: &mut Markup, path: &str, text: &str) {
    page.open("a", &[("href", path)]);
    page.breakable(text);
    page.close("a");
}

#[cfg(test)]
mod tests {
    use super::hash;

    /// The digest of the empty text, as `openssl dgst -sha256 -binary | base64` prints it.
    #[test]
    fn a_policy_names_a_script_by_its_digest() {
        assert_eq!(hash(""), "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");
    }
}
