package import FunctionKit

/// The words behind a command, read by its ``CommandSpec``.
package struct CommandArguments: Sendable {
  /// The words as they were typed.
  package let words: [String]
  /// The words that are no options, and everything behind `--`, whatever it begins with.
  package private(set) var operands: [String] = []
  /// Operands, and what the spec of an open command does not know, in their order: for another program.
  package private(set) var rest: [String] = []
  /// The values of options by their names; a flag has an empty text.
  private var values: [String: [any Sendable]] = [:]
  /// The call that the words follow, for complaints.
  private let call: String

  /// - Parameter page: the command that the spec is a verb of.
  /// - Throws: ``FunctionError/Code/usage`` where no form of the command has these words.
  package init(_ words: [String], of spec: CommandSpec, in page: CommandSpec? = nil) throws(FunctionError) {
    let page = page ?? spec
    (self.words, call) = (words, page.call)
    var (open, forms) = (words[...], spec.forms)
    while let word = open.popFirst() {
      guard word != "--" else {
        operands += open
        if !open.isEmpty { rest += [word] + open }
        break
      }
      guard word.hasPrefix("-"), word != "-" else {
        operands.append(word)
        rest.append(word)
        continue
      }
      guard let part = spec.option(named: word) else {
        guard spec.isOpen else { throw page.option(named: word) == nil ? unknown(word, spec) : misfit(word) }
        rest.append(word)
        continue
      }
      let value = part.value == nil ? "" : open.popFirst()
      guard let value else { throw FunctionError(.usage, "\(word) takes a value.") }
      forms.removeAll { $0.option(named: word) == nil }
      let isAgain = part.value != nil && !part.isRepeated && values[part.name] != nil
      guard !forms.isEmpty, !isAgain else { throw misfit(word) }
      values[part.name, default: []].append(try part.value(of: value))
    }
    guard !spec.isOpen else { return }
    if let most = forms.map(\.mostOperands).max(), operands.count > most { throw unknown(operands[most], spec) }
    if forms.count == 1, let option = forms[0].required.first(where: { values[$0.name] == nil }) {
      throw missing(option)
    }
  }

  private func missing(_ option: Part) -> FunctionError {
    FunctionError(.usage, "\(option.name) is missing; see \(call) --help.")
  }

  private func unknown(_ word: String, _ spec: CommandSpec) -> FunctionError {
    let near = Suggestion.phrase(for: word, among: spec.options)
    return FunctionError(.usage, "Unknown argument \(word);\(near) see \(call) --help.")
  }

  private func misfit(_ word: String) -> FunctionError {
    FunctionError(.usage, "\(word) is given twice, or does not go with the other words; see \(call) --help.")
  }

  /// The first operand.
  package var operand: String? { operands.first }

  /// Whether one of these is given.
  package func has(_ parameters: [any Parameter]) -> Bool { parameters.contains { values[$0.name] != nil } }

  /// Whether the flag is given.
  package subscript(_ flag: Flag) -> Bool { values[flag.name] != nil }

  /// The value of the option, `nil` if it is not given.
  package subscript<Value>(_ option: Option<Value>) -> Value? { all(option).first }

  /// The values of an option that may be given several times.
  package func all<Value>(_ option: Option<Value>) -> [Value] {
    (values[option.name] ?? []).compactMap { $0 as? Value }
  }

  /// The value of an option that has to be given, and not empty.
  package func required<Value>(_ option: Option<Value>) throws(FunctionError) -> Value {
    guard let value = self[option], value as? String != "" else { throw missing(option.part) }
    return value
  }
}
