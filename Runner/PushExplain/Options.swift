import FoundationEssentials
import FunctionKit
import Notifications

/// The words of the command line.
struct Options: Equatable {
  enum Question: Equatable {
    case event(String)
    /// What a function would decide about an event in a file; `nil` for stdin.
    case rehearsal(function: String, file: String?)
    case person(String, since: TimeInterval, app: App?)
  }

  let question: Question
  /// Whom it is asked about; `nil` for everybody.
  private(set) var user: String?
  private(set) var asJSON = false

  init(_ words: [String]) throws(FunctionError) {
    var rest = words[...]
    let command = rest.popFirst() ?? ""
    var values: [String: String] = [:]
    var plain: [String] = []
    var isRehearsal = false
    let known = command == "why" ? ["--since", "--app"] : ["--user", "--event", "--function"]
    while let word = rest.popFirst() {
      switch word {
      case "--json": asJSON = true
      case "--dry-run" where command == "explain": isRehearsal = true
      case _ where known.contains(word):
        guard let value = rest.popFirst() else { throw FunctionError(.usage, "\(word) takes a value.") }
        values[word] = value
      case _ where word.hasPrefix("-") && word != "-":
        throw FunctionError(.usage, "Unknown argument \(word); see --help.")
      default: plain.append(word)
      }
    }
    user = values["--user"]
    let subject = plain.first
    guard plain.count <= 1 else { throw FunctionError(.usage, "Unknown argument \(plain[1]); see --help.") }
    switch (command, isRehearsal) {
    case ("explain", true): question = try Self.rehearsal(values, subject)
    case ("explain", false):
      guard values["--event"] == nil, values["--function"] == nil else {
        throw FunctionError(.usage, "--event and --function go with --dry-run.")
      }
      guard let subject else { throw FunctionError(.usage, "Which event? See runner events list.") }
      question = .event(subject)
    case ("why", _):
      guard let subject else { throw FunctionError(.usage, "Who? Give an e-mail address or an id.") }
      question = .person(
        subject, since: try Self.seconds(values["--since"] ?? "1d"), app: try Self.app(values["--app"]))
    default: throw FunctionError(.usage, "push-explain is called as runner explain or runner why.")
    }
  }

  private static func rehearsal(
    _ values: [String: String], _ subject: String?
  ) throws(FunctionError) -> Question {
    guard let function = values["--function"] else {
      throw FunctionError(.usage, "--dry-run takes --function NAME: which function would get the event?")
    }
    guard subject == nil || values["--event"] == nil else {
      throw FunctionError(.usage, "The event's file is given twice.")
    }
    let file = values["--event"] ?? subject
    return .rehearsal(function: function, file: file == "-" ? nil : file)
  }

  private static func app(_ name: String?) throws(FunctionError) -> App? {
    guard let name else { return nil }
    guard let app = App(rawValue: name.lowercased()) else {
      let known = App.allCases.map(\.rawValue).joined(separator: ", ")
      throw FunctionError(.usage, "--app takes one of \(known).")
    }
    return app
  }

  /// `30m`, `12h`, `1d`, `7d`.
  private static func seconds(_ text: String) throws(FunctionError) -> TimeInterval {
    let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
    guard let unit = text.last.flatMap({ units[$0] }), let number = Int(text.dropLast()), (1...100_000).contains(number)
    else { throw FunctionError(.usage, "--since takes a length of time such as 30m, 12h, 1d or 7d.") }
    return TimeInterval(number * unit)
  }
}
