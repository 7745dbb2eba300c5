//! The description of a suite in `jointly suites`, the same for all kinds.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

/// The description of a suite.
#[derive(Default)]
pub(super) struct Card {
    pub(super) name: String,
    pub(super) summary: String,
    /// The cost of a problem.
    pub(super) cost: &'static str,
    /// The number of problems and the options, in a line.
    pub(super) facts: String,
    /// Lines about what the suite needs.
    pub(super) needs: Vec<String>,
    /// Lines that are only shown with the problems.
    pub(super) details: Vec<String>,
    /// The fields of its kind in JSON.
    pub(super) fields: Map<String, Value>,
    /// The names of the problems, in order.
    pub(super) problems: Vec<String>,
}

impl Card {
    /// Returns the description with the name of one problem.
    pub(super) fn short(&self) -> String {
        self.text(self.problems.first().map(String::as_str), &[])
    }

    /// Returns the description with the names of all problems.
    pub(super) fn whole(&self) -> String {
        let problems = self.problems.iter().map(|problem| format!("        {problem}"));
        self.text(None, &self.details.iter().cloned().chain(problems).collect::<Vec<_>>())
    }

    fn text(&self, example: Option<&str>, last: &[String]) -> String {
        let Self { name, summary, cost, facts, needs, .. } = self;
        let mut text = format!("{name}: {summary}\n    {facts}\n");
        if let Some(example) = example {
            let _ = writeln!(text, "    a problem is named like {example}");
        }
        let _ = writeln!(text, "    {cost}");
        for line in needs.iter().chain(last) {
            let _ = writeln!(text, "{line}");
        }
        text
    }

    /// Returns the description as JSON.
    pub(super) fn json(&self) -> Value {
        let mut suite = json!({ "name": self.name, "summary": self.summary, "cost": self.cost });
        for (field, value) in &self.fields {
            suite[field] = value.clone();
        }
        suite["problems"] = json!(self.problems);
        suite
    }
}

#[cfg(test)]
mod tests {
    use super::Card;
    use serde_json::json;

    #[test]
    fn a_card_shows_one_problem_or_all_of_them_with_the_details() {
        let card = Card {
            name: "quick".into(),
            summary: "a glance".into(),
            cost: "a second",
            facts: "2 problems".into(),
            needs: vec!["    needs a table".into()],
            details: vec!["        a level".into()],
            fields: json!({ "draws": 3 }).as_object().unwrap().clone(),
            problems: vec!["quick/a".into(), "quick/b".into()],
        };
        assert_eq!(
            card.short(),
            "quick: a glance\n    2 problems\n    a problem is named like quick/a\n    a second\n    needs a table\n"
        );
        assert_eq!(
            card.whole(),
            "quick: a glance\n    2 problems\n    a second\n    needs a table\n        a level\n        quick/a\n        \
             quick/b\n"
        );
        assert_eq!(
            card.json().to_string(),
            r#"{"name":"quick","summary":"a glance","cost":"a second","draws":3,"problems":["quick/a","quick/b"]}"#
        );
    }
}
