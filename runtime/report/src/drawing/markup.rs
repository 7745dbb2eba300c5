//! Markup with escaped texts.

/// Markup under construction. Tags and attribute names are fixed; texts and attribute values may come from anywhere and
/// are escaped.
#[derive(Clone, Debug, Default)]
pub(crate) struct Markup(String);

/// An attribute's name and value.
pub(crate) type Attribute<'a> = (&'static str, &'a str);

impl Markup {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn open(&mut self, tag: &'static str, attributes: &[Attribute]) {
        self.start(tag, attributes);
        self.0.push('>');
    }

    pub(crate) fn close(&mut self, tag: &'static str) {
        self.0 += "</";
        self.0 += tag;
        self.0 += ">\n";
    }

    /// Adds an element without contents.
    pub(crate) fn empty(&mut self, tag: &'static str, attributes: &[Attribute]) {
        self.start(tag, attributes);
        self.0 += "/>\n";
    }

    /// Adds an element that contains a text.
    pub(crate) fn element(&mut self, tag: &'static str, attributes: &[Attribute], text: &str) {
        self.open(tag, attributes);
        self.text(text);
        self.close(tag);
    }

    pub(crate) fn text(&mut self, text: &str) {
        escape(text, &mut self.0);
    }

    /// Adds a text that may be broken after its commas, because agents' settings have many.
    pub(crate) fn breakable(&mut self, text: &str) {
        for part in text.split_inclusive(',') {
            self.text(part);
            if part.ends_with(',') {
                self.0 += "<wbr/>";
            }
        }
    }

    pub(crate) fn push(&mut self, other: &Self) {
        self.0 += &other.0;
    }

    /// Adds fixed text that is already markup, such as a style sheet.
    pub(crate) fn verbatim(&mut self, markup: &'static str) {
        self.0 += markup;
    }

    pub(crate) fn into_string(self) -> String {
        self.0
    }

    fn start(&mut self, tag: &'static str, attributes: &[Attribute]) {
        self.0.push('<');
        self.0 += tag;
        for (name, value) in attributes {
            self.0.push(' ');
            self.0 += name;
            self.0 += "=\"";
            escape(value, &mut self.0);
            self.0.push('"');
        }
    }
}

/// Escapes a text. Characters that steer a terminal or change the direction of writing are shown as a mark.
fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => *out += "&amp;",
            '<' => *out += "&lt;",
            '>' => *out += "&gt;",
            '"' => *out += "&quot;",
            '\'' => *out += "&#39;",
            '\n' | '\t' => out.push(c),
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => out.push('\u{fffd}'),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Markup;

    #[test]
    fn a_text_stays_a_text_wherever_it_stands() {
        let mut markup = Markup::new();
        markup.element("p", &[("title", "\" onload='x")], "</p><script>a && b\u{1b}[31m \u{202e}");
        let expected =
            "<p title=\"&quot; onload=&#39;x\">&lt;/p&gt;&lt;script&gt;a &amp;&amp; b\u{fffd}[31m \u{fffd}</p>\n";
        assert_eq!(markup.into_string(), expected);
    }

    #[test]
    fn elements_nest() {
        let mut inner = Markup::new();
        inner.empty("br", &[]);
        let mut markup = Markup::new();
        markup.open("div", &[]);
        markup.push(&inner);
        markup.close("div");
        assert_eq!(markup.into_string(), "<div><br/>\n</div>\n");
    }
}
