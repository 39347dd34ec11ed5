package import FoundationEssentials
package import FunctionKit

/// A parameter of a command: an option with its value, a flag or an operand.
package protocol Parameter: Sendable {
  var part: Part { get set }
}

extension Parameter {
  package var name: String { part.name }

  /// The same where it has to be given; usage lines show it without brackets.
  package var required: Self { with { $0.isRequired = true } }

  /// The same where it may be given several times.
  package var repeated: Self { with { $0.isRepeated = true } }

  /// The same as an option of many commands, which stands at the end of each table.
  package var common: Self { with { $0.isCommon = true } }

  /// The same with another line in the table of help.
  package func saying(_ help: String) -> Self { with { $0.help = help } }

  package func offering(_ candidates: Candidates) -> Self { with { $0.candidates = candidates } }

  private func with(_ change: (inout Part) -> Void) -> Self {
    var copy = self
    change(&copy.part)
    return copy
  }
}

/// The description of a parameter for usage lines, tables of help, the parser and shells.
package struct Part: Sendable {
  /// An option's name, such as `--count`, or what usage calls an operand.
  let name: String
  /// A flag's other name.
  var alias: String?
  /// The name of an option's value in usage lines; `nil` for flags and operands.
  var value: String?
  /// Its line in the table of help; it has none if this is empty.
  fileprivate(set) var help: String
  fileprivate var read: @Sendable (_ text: String) throws(FunctionError) -> any Sendable = { $0 }
  fileprivate(set) var candidates = Candidates.files
  fileprivate(set) var isRequired = false
  fileprivate(set) var isRepeated = false
  fileprivate(set) var isCommon = false

  /// The value of an option.
  package func value(of text: String) throws(FunctionError) -> any Sendable { try read(text) }

  var isOperand: Bool { !name.hasPrefix("-") }
  /// The words that the table of help shows.
  var label: String { value.map { "\(name) \($0)" } ?? name }

  /// The words that usage lines show.
  var usage: String {
    let text = isOperand && isRepeated ? "\(label)..." : label
    return isRequired ? text : "[\(text)]"
  }
}

/// The candidates that a shell offers for the value of an option, or for an operand.
package enum Candidates: Sendable {
  /// Files, which shells find by themselves.
  case files
  case words([String])
  /// The names that `functions.json` has.
  case functions, schedules, experiments
  /// The names of functions and services, and the runner's own.
  case programs
}

/// An option that has no value.
package struct Flag: Parameter {
  package var part: Part

  package init(_ name: String, _ help: String = "", alias: String? = nil) {
    part = Part(name: name, alias: alias, help: help)
  }
}

/// A word that is no option; the parser gives all of them in their order.
package struct Operand: Parameter {
  package var part: Part

  package init(_ name: String, _ help: String = "") {
    part = Part(name: name, help: help)
  }
}

/// An option with a value.
package struct Option<Value: Sendable>: Parameter {
  package var part: Part

  /// - Parameters:
  ///   - value: what usage calls the value.
  ///   - read: makes the value of a text, or throws ``FunctionError/Code/usage``.
  package init(
    _ name: String, _ value: String, _ help: String = "",
    read: @escaping @Sendable (_ text: String) throws(FunctionError) -> Value
  ) {
    part = Part(name: name, value: value, help: help, read: read)
  }
}

extension Option where Value == String {
  package static func text(_ name: String, _ value: String, _ help: String = "") -> Self {
    Self(name, value, help) { $0 }
  }
}

extension Option where Value == UUID {
  package static func id(_ name: String, _ value: String, _ help: String = "") -> Option<UUID> {
    Option(name, value, help) { text throws(FunctionError) in
      guard let id = UUID(uuidString: text) else { throw FunctionError(.usage, "\(name) takes a UUID.") }
      return id
    }
  }
}

extension Option where Value == Int {
  /// A whole number of that range.
  package static func number(_ name: String, _ value: String, in range: ClosedRange<Int>, _ help: String = "") -> Self {
    Self(name, value, help) { text throws(FunctionError) in
      guard let number = Int(text), range.contains(number) else {
        throw FunctionError(.usage, "\(name) takes a number from \(range.lowerBound) to \(range.upperBound).")
      }
      return number
    }
  }
}

extension Option where Value == Double {
  /// A length of time, in seconds.
  package static func span(_ name: String, _ value: String, _ help: String = "") -> Self {
    Self(name, value, help, read: TimeText.seconds)
  }
}

extension Option where Value == Date {
  package static func instant(_ name: String, _ value: String, _ help: String = "") -> Option<Date> {
    Option(name, value, help, read: TimeText.date)
  }
}

extension Option where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// One of a few words, in capital or small letters.
  package static func choice(_ name: String, _ value: String, _ help: String = "") -> Self {
    let words = Value.allCases.map(\.rawValue)
    return Self(name, value, help) { text throws(FunctionError) in
      guard let choice = Value.allCases.first(where: { $0.rawValue.lowercased() == text.lowercased() }) else {
        throw FunctionError(.usage, "\(name) takes one of \(words.joined(separator: ", ")).")
      }
      return choice
    }.offering(.words(words))
  }
}
