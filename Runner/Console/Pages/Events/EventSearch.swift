/// The field that chooses events, and links for usual choices: a view is an address.
struct EventSearch {
  var query: String
  var address: Address
  var suggestions: [(label: String, query: String)]

  var html: HTML {
    tag(.form, .class("search"), .get, .action(address), .role("search")) {
      tag(.label) {
        "Filter"
        tag(
          .input, .type("search"), .name("q"), .value(query),
          .placeholder("function:NAME state:dead since:1h, or an id"),
          .noSpelling, .autocomplete("off"), .class("long"))
      }
      tag(.button) { "Show" }
      choices
    }
  }

  /// The links alone.
  var choices: HTML {
    tag(.span, .class("buttons")) {
      for (label, choice) in suggestions {
        tag(.a, .class("badge"), .href(address.with("q", choice)), choice == query ? .aria("current", "true") : nil) {
          label
        }
      }
    }
  }
}
