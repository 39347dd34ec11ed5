import FunctionKit

/// The words of a command line, taken one option after the other; what is left over at the end is a mistake.
struct Words {
  private var rest: [String]

  init(_ words: [String]) {
    rest = words
  }

  /// Whether the option was given.
  mutating func flag(_ names: String...) -> Bool {
    let count = rest.count
    rest.removeAll { names.contains($0) }
    return rest.count < count
  }

  /// The value that follows the option, `nil` when it was not given.
  mutating func value(_ name: String) throws(FunctionError) -> String? {
    guard let index = rest.firstIndex(of: name) else { return nil }
    guard index + 1 < rest.count else { throw FunctionError(.usage, "\(name) takes a value.") }
    let value = rest[index + 1]
    rest.removeSubrange(index...index + 1)
    return value
  }

  /// The next word that is no option.
  mutating func word() -> String? {
    guard let index = rest.firstIndex(where: { !$0.hasPrefix("-") || $0 == "-" }) else { return nil }
    return rest.remove(at: index)
  }

  /// Everything that is left, for another program.
  mutating func all() -> [String] {
    defer { rest = [] }
    return rest
  }

  /// Says what was not understood.
  func finish() throws(FunctionError) {
    if let word = rest.first { throw FunctionError(.usage, "Unknown argument \(word); see runner --help.") }
  }
}
