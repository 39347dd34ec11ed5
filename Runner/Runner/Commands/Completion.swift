import CLI
import Documents
import Export
import FunctionKit
import Glibc
import Inspection
import Manifest
import Manual
import Schedules

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
    switch before.last {
    case "--function", "--only", "--except": return functions
    case "--engine": return ExportEngine.allCases.map(\.rawValue)
    case "--state": return EventSummary.State.allCases.map(\.rawValue)
    default: break
    }
    let own = manifest?.commands.filter { $0.name == command || $0.name == before.prefix(2).joined(separator: " ") }
    if let other = own?.max(by: { $0.name.count < $1.name.count }) {
      return Help(other.name, other.summary, helpOfOther(other)).options
    }
    guard let help = Help.of(command) else { return [] }
    if last.hasPrefix("-") { return help.options }
    let subjects = manifest?.commands.map(\.name).filter { $0.hasPrefix("\(command) ") } ?? []
    let verbs = before.count == 1 ? help.verbs + subjects.map { String($0.dropFirst(command.count + 1)) } : []
    return verbs + names(command, before) + (verbs.isEmpty ? help.options : [])
  }

  private var commands: [String] {
    Help.all.map(\.command)
      + (manifest?.commands.filter { !$0.summary.isEmpty }.map { String($0.name.prefix { $0 != " " }) } ?? [])
      + ["--help", "--version"]
  }

  private var functions: [String] { manifest?.functions.map(\.name) ?? [] }

  /// The names that a command takes: functions, services, schedules or shells.
  private func names(_ command: String, _ before: [String]) -> [String] {
    switch command {
    case "invoke", "resume": before.count == 1 ? functions : []
    case "host": functions.filter { !before.contains($0) }
    case "logs": before.count == 1 ? functions + (manifest?.services.map(\.name) ?? []) + ["runner"] : []
    case "schedules": before.count == 2 ? (try? manifest?.schedules().map(\.name)) ?? [] : []
    case "export": before.count == 1 ? ExportEngine.allCases.map(\.rawValue) : []
    case "completions": before.count == 1 ? CompletionsCommand.Shell.allCases.map(\.rawValue) : []
    default: []
    }
  }
}

extension Help {
  /// The words that may follow the command, taken from its usage lines.
  var verbs: [String] {
    text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard let place = words.firstIndex(of: "runner"), words[place...].count > 2, words[place + 1] == command else {
        return nil
      }
      let word = words[place + 2].trimming("[]")
      return !word.isEmpty && word.allSatisfy { $0.isLowercase || $0 == "-" } && !word.hasPrefix("-") ? word : nil
    }
  }
}

extension Substring {
  fileprivate func trimming(_ characters: String) -> String { String(filter { !characters.contains($0) }) }
}
