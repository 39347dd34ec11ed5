import PushPayload

/// Some people by name: "Mike", "Mike and Anna", "Mike, Anna and 3 others".
package struct NameList: Sendable, Equatable {
  /// The names to show: the first two.
  private let named: [String]
  /// How many more there are.
  private let others: Int

  /// A list of people.
  /// - Parameters:
  ///   - names: the known names, the first to show first; those that show nothing are left out.
  ///   - count: how many people there are, the nameless included.
  package init(_ names: [String], of count: Int) {
    named = Array(names.filter { !$0.isBlank }.prefix(2))
    others = max(count, names.count) - named.count
  }

  /// The list in words; `nil` if no name is known.
  package func text(in words: Words = .english) -> String? {
    guard !named.isEmpty else { return nil }
    let rest = others == 0 ? [] : [words("names.others", ["count": .count(others)]).text]
    return words.list(named.map(words.isolated) + rest)
  }
}
