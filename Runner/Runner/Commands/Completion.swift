import CLI
import Manifest
import Queue

/// Completes the last word of a command line.
struct Completion {
  let manifest: Manifest?
  /// The help text of a bundle's command.
  var helpOfOther: (CommandEntry) -> String = { _ in "" }

  /// The words that may replace the last one, which may be empty.
  func candidates(_ words: [String]) -> [String] {
    let (before, last) = (words.dropLast(), words.last ?? "")
    return all(Array(before), last).filter { $0.hasPrefix(last) && $0 != last }.reduce(into: []) { unique, word in
      if !unique.contains(word) { unique.append(word) }
    }
  }

  private func all(_ before: [String], _ last: String) -> [String] {
    guard let command = before.first else { return commands }
    let own = entries.filter { $0.name == command || $0.name == before.prefix(2).joined(separator: " ") }
    if let other = own.max(by: { $0.name.count < $1.name.count }) {
      return before.last == "--function" ? names(.functions) : options(of: other)
    }
    guard let spec = Commands.of(command) else { return [] }
    let isOption = last.hasPrefix("-")
    let subjects = before.count == 1 && !isOption ? entries.map(\.name).filter { $0.hasPrefix("\(command) ") } : []
    return subjects.map { String($0.dropFirst(command.count + 1)) }
      + spec.candidates(behind: Array(before.dropFirst()), isOption: isOption, names)
  }

  private var entries: [CommandEntry] { manifest?.commands ?? [] }

  private var commands: [String] {
    Commands.all.map(\.word) + entries.filter { !$0.summary.isEmpty }.map { String($0.name.prefix { $0 != " " }) }
      + ["--help", "--version"]
  }

  private func names(_ candidates: Candidates) -> [String] {
    let functions = manifest?.functions.map(\.name) ?? []
    return switch candidates {
    case .files: []
    case .words(let words): words
    case .functions: functions
    case .schedules: (try? manifest?.schedules().map(\.name)) ?? []
    case .experiments: manifest?.experiments.map(\.name) ?? []
    case .programs: functions + (manifest?.services.map(\.name) ?? []) + ["runner"]
    }
  }

  /// The options that another program's text of help names, and those that the runner reads itself.
  private func options(of other: CommandEntry) -> [String] {
    let words = helpOfOther(other).split { !($0.isLetter || $0 == "-") }.map(String.init)
    let found = words.filter { $0.hasPrefix("--") && $0.count > 2 }
    return Set(found + Commands.with(CommandSpec("", "", [])).options).sorted()
  }
}
