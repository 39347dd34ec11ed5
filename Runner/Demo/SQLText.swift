import System

/// SQL that is shown to a person before it runs, with its values in it.
enum SQLText {
  static func literal(_ text: String) -> String {
    "'\(text.escaping("'", as: "''"))'"
  }
}
