/// A function in SQL that says what functions did after one instant and up to another.
///
/// Its rows have `time`, `function`, `line` (a sentence for a person), `minor` (whether the line is left out unless all are
/// wanted), and what else a program may want.
package struct JournalFunction: Sendable, Equatable {
  /// The name as SQL writes it, with its schema.
  package let name: String
}
