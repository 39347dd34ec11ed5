/// The names that commands had before.
///
/// They still work, but no page of help shows them.
enum FormerNames {
  static let all: [(former: [String], present: [String])] = [
    (["rerun"], ["resend"]), (["record"], ["export"]), (["events", "replay"], ["events", "retry"]),
  ]

  /// A command line with a command's present name in place of a former one.
  static func replaced(in words: [String]) -> [String] {
    if let first = words.first, ["help", "--help", "-h"].contains(first) {
      return [first] + replaced(in: Array(words.dropFirst()))
    }
    guard let name = all.first(where: { words.starts(with: $0.former) }) else { return words }
    return name.present + words.dropFirst(name.former.count)
  }
}
