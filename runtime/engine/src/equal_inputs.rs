//! Warns about user-supplied problems whose inputs are all equal: they are scored like any others.

/// Returns a warning about data of this name, `equal` of whose inputs are all equal.
pub fn warning(name: &str, equal: Option<&'static str>) -> Option<String> {
    let equal = equal?;
    Some(format!(
        "all {equal} of {name} are equal, so that its scores do not tell agents apart by what they learn: look at the \
         file or dataset, whose texts may be empty or whose columns constant"
    ))
}

#[cfg(test)]
mod tests {
    use super::warning;

    #[test]
    fn what_is_equal_is_named_with_its_problem() {
        assert_eq!(warning("iris", None), None);
        let said = warning("mine", Some("test inputs")).unwrap();
        assert!(said.starts_with("all test inputs of mine are equal"), "{said}");
    }
}
