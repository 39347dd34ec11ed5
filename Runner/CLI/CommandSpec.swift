import FunctionKit
import Terminal

/// A command of a program as one value: its words, what may stand behind them, what it is for, and what runs it.
///
/// Its page of help, the parser, complaints and what shells offer follow from it.
package struct CommandSpec: Sendable {
  /// Does what the words behind the command say, and gives the exit status.
  package typealias Action = @Sendable (CommandArguments) async throws -> Int32

  /// The word that names it.
  package let word: String
  /// For the program's overview, in a few words; no sentence.
  package let summary: String
  /// The command as people type it.
  package let call: String
  /// The texts of its page between usage and table, and behind the table; in lines of up to 80 columns.
  private let about: String
  private let notes: String
  private(set) var forms: [Form]
  private(set) var verbs: [CommandSpec]
  /// Whether another program understands what its forms do not have.
  let isOpen: Bool
  private(set) var isHidden = false
  private let action: Action?

  /// - Parameters:
  ///   - call: `runner` and the word, unless given.
  ///   - forms: the ways to write it; a command that only verbs do has none.
  ///   - verbs: commands whose words follow this one's.
  package init(
    _ word: String, _ summary: String, called call: String? = nil, _ forms: Form..., verbs: [CommandSpec] = [],
    isOpen: Bool = false, about: String = "", notes: String = "", run action: Action? = nil
  ) {
    (self.word, self.summary, self.call) = (word, summary, call ?? "runner \(word)")
    (self.forms, self.verbs, self.isOpen) = (forms, verbs, isOpen)
    (self.about, self.notes, self.action) = (about, notes, action)
  }

  /// The same as a verb that help and shells do not show.
  package var hidden: CommandSpec {
    var copy = self
    copy.isHidden = true
    return copy
  }

  /// The same with options that many commands have, in all its forms that are not closed.
  package func adding(_ options: [any Parameter]) -> CommandSpec {
    var copy = self
    copy.forms = forms.map { $0.adding(options) }
    copy.verbs = verbs.map { $0.adding(options) }
    return copy
  }

  /// Does what the words behind the command say, and gives the exit status.
  package func run(_ words: [String]) async throws -> Int32 {
    let verb = try verb(words.first)
    guard let action = (verb ?? self).action else {
      let verbs = shown.map(\.word)
      let choice = "\(verbs.dropLast().joined(separator: ", ")) or \(verbs.last ?? "")"
      throw FunctionError(.usage, "Say \(choice). See \(call) --help.")
    }
    let rest = verb == nil ? words : Array(words.dropFirst())
    return try await action(CommandArguments(rest, of: verb ?? self, in: self))
  }

  private func verb(_ word: String?) throws(FunctionError) -> CommandSpec? {
    guard !verbs.isEmpty, let word, !word.hasPrefix("-") else { return nil }
    guard let verb = verbs.first(where: { $0.word == word }) else {
      let near = Suggestion.phrase(for: word, among: shown.map(\.word))
      throw FunctionError(.usage, "There is no command \(call) \(word);\(near) see \(call) --help.")
    }
    return verb
  }

  /// The verbs that help shows.
  private var shown: [CommandSpec] { verbs.filter { !$0.isHidden } }

  /// Whether a person wants to see the page, instead of anything done.
  package static func isAskedForHelp(_ words: [String]) -> Bool {
    words.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
  }

  /// The option of that name, of the command itself or of one of its verbs.
  func option(named word: String) -> Part? {
    ([self] + verbs).lazy.flatMap(\.forms).compactMap { $0.option(named: word) }.first
  }

  /// The names of all its options.
  package var options: [String] {
    let names = ([self] + shown).flatMap(\.forms).flatMap(\.all).filter { !$0.isOperand }.map(\.name)
    return Set(names + ["--help"]).sorted()
  }

  /// The words that may stand next.
  ///
  /// - Parameters:
  ///   - words: those before, behind the command.
  ///   - isOption: whether the next one is an option.
  ///   - names: the words that a kind of candidates stands for.
  package func candidates(behind words: [String], isOption: Bool, _ names: (Candidates) -> [String]) -> [String] {
    if let verb = try? verb(words.first) {
      return verb.candidates(behind: Array(words.dropFirst()), isOption: isOption, names)
    }
    if let option = words.last.flatMap(option), option.value != nil {
      return names(option.candidates)
    }
    guard !isOption else { return options }
    guard !words.isEmpty || verbs.isEmpty else { return shown.map(\.word) }
    let place = (try? CommandArguments(words, of: self).operands.count) ?? 0
    return forms.compactMap { $0.operand(at: place) }.flatMap { names($0.candidates) }.filter { !words.contains($0) }
      + options
  }
}

/// One way to write a command, which is one line of its usage.
package struct Form: Sendable, ExpressibleByArrayLiteral {
  private let own: [any Parameter]
  /// Options that the page of another command has.
  private let borrowed: [Part]
  /// Options of many commands, which usage lines leave out.
  private var added: [Part] = []
  private let isClosed: Bool
  /// The words of usage lines for the options that are borrowed.
  private let lender: String?

  /// - Parameters:
  ///   - isClosed: whether it takes none of the options that ``CommandSpec/adding(_:)`` gives to all forms.
  ///   - lender: a command whose options it has, too.
  package init(_ parameters: [any Parameter], closed isClosed: Bool = false, optionsOf lender: CommandSpec? = nil) {
    (own, self.isClosed, self.lender) = (parameters, isClosed, lender?.word)
    borrowed = lender.map { $0.forms.flatMap(\.all) } ?? []
  }

  package init(arrayLiteral parameters: any Parameter...) { self.init(parameters) }

  func adding(_ options: [any Parameter]) -> Form {
    guard !isClosed else { return self }
    var copy = self
    copy.added += options.map(\.part).filter { part in !own.contains { $0.name == part.name } }
    return copy
  }

  /// The parts that the command's table shows.
  fileprivate var listed: [Part] { own.map(\.part) + added }

  var all: [Part] { listed + borrowed }

  func option(named word: String) -> Part? { all.first { !$0.isOperand && ($0.name == word || $0.alias == word) } }

  /// The options that have to be given.
  var required: [Part] { own.map(\.part).filter { $0.isRequired && !$0.isOperand } }

  private var operands: [Part] { all.filter(\.isOperand) }

  var mostOperands: Int { operands.contains(where: \.isRepeated) ? .max : operands.count }

  func operand(at place: Int) -> Part? {
    place < operands.count ? operands[place] : operands.last { $0.isRepeated }
  }

  /// The line of usage, which may be broken.
  func usage(of call: String) -> String {
    let words = own.map(\.part.usage) + (lender.map { ["[options of \($0)]"] } ?? [])
    let indent = String(repeating: " ", count: call.columns + 1)
    return words.reduce(into: [call]) { lines, word in
      let line = "\(lines[lines.count - 1]) \(word)"
      if line.columns <= CommandSpec.width - CommandSpec.usage.columns {
        lines[lines.count - 1] = line
      } else {
        lines.append(indent + word)
      }
    }.joined(separator: "\n")
  }
}

extension CommandSpec {
  fileprivate static let width = 80
  fileprivate static let usage = "usage: "
  /// Where the texts of tables begin.
  private static let column = 18

  /// All that a person is told of the command: what it is for, its forms, its words and options, and what else there is.
  package var page: String {
    let lines =
      forms.map { $0.usage(of: call) }
      + shown.flatMap { verb in verb.forms.map { $0.usage(of: "\(call) \(verb.word)") } }
    let parts = [
      "\(summary.prefix(1).uppercased())\(summary.dropFirst()).",
      Self.usage + lines.joined(separator: "\n").replacing("\n", with: "\n" + Self.spaces(Self.usage.count)),
      about, table, notes,
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }

  private var table: String {
    let parts = ([self] + shown).flatMap(\.forms).flatMap(\.listed).filter { !$0.help.isEmpty }
    let unique = parts.reduce(into: [Part]()) { unique, part in
      if !unique.contains(where: { $0.name == part.name }) { unique.append(part) }
    }
    let rest = unique.filter { !$0.isOperand }
    let sorted = unique.filter(\.isOperand) + rest.filter { !$0.isCommon } + rest.filter(\.isCommon)
    let rows = shown.map { ($0.word, $0.summary) } + sorted.map { ($0.label, $0.help) } + [("--help", "this page")]
    return rows.map(Self.row).joined(separator: "\n")
  }

  /// A name and its text; below each other where the name is too long.
  private static func row(_ name: String, _ text: String) -> String {
    let indent = spaces(column)
    let lines = text.wrapped(toColumns: width - column).joined(separator: "\n" + indent)
    let start = "  \(name)"
    return start.columns < column ? "\(start.padded(to: column))\(lines)" : "\(start)\n\(indent)\(lines)"
  }

  private static func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }

  /// The overview of a program: its commands, below headings where they have some.
  package static func overview(
    of program: String, _ about: String, _ groups: [(heading: String, commands: [CommandSpec])]
  ) -> String {
    let sections = groups.map { group in
      let width = max(11, group.commands.map(\.word.columns).max() ?? 0)
      return (group.heading.isEmpty ? "" : "\(group.heading)\n")
        + group.commands.map { "  \($0.word.padded(to: width)) \($0.summary)\n" }.joined()
    }
    return """
      \(about)

      \(usage)\(program) COMMAND [options]
      \(spaces(usage.count))\(program) COMMAND --help shows all forms and options of a command

      \(sections.joined(separator: "\n"))
      """
  }
}
