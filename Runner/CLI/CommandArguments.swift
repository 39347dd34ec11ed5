package import FoundationEssentials
package import FunctionKit

/// The arguments of a command line, taken one option after the other; what is left over at the end is a mistake.
package struct CommandArguments {
  /// The call that they follow, for complaints.
  private let call: String
  private let options: [String]
  private var rest: [String]
  /// What stands behind `--`: operands, whatever they begin with.
  private var plain: [String]

  /// - Parameters:
  ///   - call: the program, and the command that they follow.
  ///   - options: the command's options, to suggest one for an unknown word.
  package init(_ arguments: [String], of call: String = "runner", options: [String] = []) {
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    (rest, plain) = (Array(arguments[..<end]), Array(arguments[end...].dropFirst()))
    self.call = call
    self.options = options
  }

  /// The arguments behind a command.
  package init(_ arguments: [String], of help: Help) {
    self.init(arguments, of: help.call, options: help.options)
  }

  /// Whether the option was given.
  package mutating func flag(_ names: String...) -> Bool {
    let count = rest.count
    rest.removeAll { names.contains($0) }
    return rest.count < count
  }

  /// The value that follows the option, `nil` when it was not given.
  package mutating func value(_ name: String) throws(FunctionError) -> String? {
    guard let index = rest.firstIndex(of: name) else { return nil }
    guard index + 1 < rest.count else { throw FunctionError(.usage, "\(name) takes a value.") }
    let value = rest[index + 1]
    rest.removeSubrange(index...index + 1)
    return value
  }

  /// The value of an option that has to be given.
  package mutating func required(_ name: String) throws(FunctionError) -> String {
    guard let value = try value(name), !value.isEmpty else {
      throw FunctionError(.usage, "\(name) is missing; see \(call) --help.")
    }
    return value
  }

  /// The value of an option as an id.
  package mutating func id(_ name: String) throws(FunctionError) -> UUID? {
    guard let text = try value(name) else { return nil }
    guard let id = UUID(uuidString: text) else { throw FunctionError(.usage, "\(name) takes a UUID.") }
    return id
  }

  /// The value of an option as a whole number of that range.
  package mutating func number(_ name: String, in range: ClosedRange<Int>) throws(FunctionError) -> Int? {
    guard let text = try value(name) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw FunctionError(.usage, "\(name) takes a number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  /// The value of an option as a length of time in seconds.
  package mutating func seconds(_ name: String) throws(FunctionError) -> Double? {
    try value(name).map(TimeText.seconds)
  }

  /// The value of an option as an instant.
  package mutating func date(_ name: String) throws(FunctionError) -> Date? {
    try value(name).map(TimeText.date)
  }

  /// The value of an option as one of a few words, in capital or small letters.
  package mutating func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String, as type: Choice.Type = Choice.self
  ) throws(FunctionError) -> Choice? where Choice.RawValue == String {
    guard let text = try value(name) else { return nil }
    guard let choice = type.allCases.first(where: { $0.rawValue.lowercased() == text.lowercased() }) else {
      let known = type.allCases.map(\.rawValue).joined(separator: ", ")
      throw FunctionError(.usage, "\(name) takes one of \(known).")
    }
    return choice
  }

  /// The word right behind the command, unless it is an option: which of the things it knows the command is to do.
  package mutating func verb<Verb: RawRepresentable & CaseIterable>(
    as type: Verb.Type = Verb.self
  ) throws(FunctionError) -> Verb? where Verb.RawValue == String {
    guard let word = rest.first, !word.hasPrefix("-") else { return nil }
    guard let verb = Verb(rawValue: word) else {
      let near = Suggestion.phrase(for: word, among: type.allCases.map(\.rawValue))
      throw FunctionError(.usage, "There is no command \(call) \(word);\(near) see \(call) --help.")
    }
    rest.removeFirst()
    return verb
  }

  /// Whether that word stands right behind the command; it is taken then.
  package mutating func subject(if word: String) -> Bool {
    guard rest.first == word else { return false }
    rest.removeFirst()
    return true
  }

  /// The word right behind the command, unless it is an option: what the command is to look at.
  package mutating func subject() -> String? {
    guard let word = rest.first, !word.hasPrefix("-") else { return nil }
    return rest.removeFirst()
  }

  /// The next word that is no option, or stands behind `--`.
  package mutating func operand() -> String? {
    if let index = rest.firstIndex(where: { !$0.hasPrefix("-") || $0 == "-" }) { return rest.remove(at: index) }
    return plain.isEmpty ? nil : plain.removeFirst()
  }

  /// All words that are no options.
  package mutating func operands() -> [String] {
    var operands: [String] = []
    while let operand = operand() { operands.append(operand) }
    return operands
  }

  /// Everything that is left, for another program.
  package mutating func all() -> [String] {
    defer { (rest, plain) = ([], []) }
    return rest + (plain.isEmpty ? [] : ["--"] + plain)
  }

  /// Says what was not understood.
  package func finish() throws(FunctionError) {
    guard let word = rest.first ?? plain.first else { return }
    guard !options.contains(word) else {
      throw FunctionError(.usage, "\(word) is given twice, or does not go with the other words; see \(call) --help.")
    }
    let near = Suggestion.phrase(for: word, among: options)
    throw FunctionError(.usage, "Unknown argument \(word);\(near) see \(call) --help.")
  }
}
