//! Warns about user-supplied problems whose inputs are all equal: they are scored like any others.

use std::collections::BTreeSet;

/// Returns a warning about data of this name, `equal` of whose inputs are all equal.
pub fn warning(name: &str, equal: Option<&'static str>) -> Option<String> {
    let equal = equal?;
    Some(format!(
        "all {equal} of {name} are equal, so that its scores do not tell agents apart by what they learn: look at the \
         file or dataset, whose texts may be empty or whose columns constant"
    ))
}

/// Returns a warning about each of the data, once for each name.
pub(crate) fn warnings<'a>(data: impl Iterator<Item = (&'a str, Option<&'static str>)>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    data.filter(|(name, _)| seen.insert(*name)).filter_map(|(name, equal)| warning(name, equal)).collect()
}

#[cfg(test)]
mod tests {
    use super::warnings;

    #[test]
    fn each_dataset_is_warned_of_once() {
        let data = [("iris", None), ("mine", Some("test inputs")), ("mine", Some("test inputs"))];
        let said = warnings(data.into_iter());
        assert_eq!(said.len(), 1);
        assert!(said[0].starts_with("all test inputs of mine are equal"), "{said:?}");
    }
}
