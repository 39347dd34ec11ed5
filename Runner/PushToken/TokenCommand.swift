import FoundationEssentials
import FunctionKit

/// The words of the command line.
struct TokenCommand: Equatable {
  var action: Action
  var asJSON = false

  enum Action: Equatable {
    case create(email: String, name: String, lifetime: TimeInterval)
    case list(email: String)
    case revoke(UUID)
  }

  /// Ten years.
  private static let longestLife: TimeInterval = 3_650 * 86_400

  init(_ words: [String]) throws(FunctionError) {
    var (options, rest) = try Self.options(in: words.dropFirst())
    asJSON = options.removeValue(forKey: "--json") != nil
    switch words.first {
    case "create":
      action = .create(
        email: try Self.take("--user", from: &options), name: options.removeValue(forKey: "--name") ?? "runner",
        lifetime: try Self.lifetime(options.removeValue(forKey: "--expires") ?? "90d"))
    case "list":
      action = .list(email: try Self.take("--user", from: &options))
    case "revoke":
      guard let text = rest.popLast(), let id = UUID(uuidString: text) else {
        throw FunctionError(.usage, "Say which token to revoke by its id; runner token list shows them.")
      }
      action = .revoke(id)
    case let word:
      throw FunctionError(.usage, "There is no token \(word ?? ""); say create, list or revoke.")
    }
    guard let word = options.keys.min() ?? rest.first else { return }
    throw FunctionError(.usage, "\(word) does not go with token \(words[0]); see runner token --help.")
  }

  private static func options(in words: ArraySlice<String>) throws(FunctionError) -> ([String: String], [String]) {
    var (options, rest): ([String: String], [String]) = ([:], [])
    var words = words
    while let word = words.popFirst() {
      guard word.hasPrefix("--") else {
        rest.append(word)
        continue
      }
      guard word == "--json" || !words.isEmpty else { throw FunctionError(.usage, "\(word) needs a value.") }
      let value = word == "--json" ? "" : words.removeFirst()
      guard options.updateValue(value, forKey: word) == nil else {
        throw FunctionError(.usage, "\(word) is given twice.")
      }
    }
    return (options, rest)
  }

  private static func take(_ name: String, from options: inout [String: String]) throws(FunctionError) -> String {
    guard let value = options.removeValue(forKey: name), !value.isEmpty else {
      throw FunctionError(.usage, "\(name) is missing; see runner token --help.")
    }
    return value
  }

  private static func lifetime(_ text: String) throws(FunctionError) -> TimeInterval {
    let units: [Character: TimeInterval] = ["m": 60, "h": 3_600, "d": 86_400]
    guard let unit = text.last.flatMap({ units[$0] }), let count = Int(text.dropLast()), count > 0,
      Double(count) * unit <= longestLife
    else { throw FunctionError(.usage, "--expires must be a time such as 12h or 90d, up to 3650d.") }
    return Double(count) * unit
  }
}
