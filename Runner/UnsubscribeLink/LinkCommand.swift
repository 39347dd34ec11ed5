import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive

/// The words of the command line.
struct LinkCommand: Equatable {
  let email: String
  let scope: Unsubscription.Scope
  let server: String
  let asJSON: Bool

  init(_ words: [String]) throws(FunctionError) {
    var options = try Self.options(in: words)
    asJSON = options.removeValue(forKey: "--json") != nil
    email = try Self.take("--user", from: &options)
    server = try Self.server(options.removeValue(forKey: "--base-url") ?? "http://127.0.0.1:54321")
    scope = try Self.scope(&options)
    guard let word = options.keys.min() else { return }
    throw FunctionError(.usage, "\(word) does not go with the others; see runner unsubscribe-link --help.")
  }

  private static func scope(_ options: inout [String: String]) throws(FunctionError) -> Unsubscription.Scope {
    if let text = options.removeValue(forKey: "--project-id") { return .project(try id(text, "--project-id")) }
    if let text = options.removeValue(forKey: "--group-id") { return .group(try id(text, "--group-id")) }
    guard options["--app"] != nil || options["--kind"] != nil else {
      throw FunctionError(.usage, "Say --project-id ID, --group-id ID, or --app APP --kind KIND.")
    }
    let (name, kindName) = (try take("--app", from: &options), try take("--kind", from: &options))
    guard let app = App(rawValue: name.lowercased()) else {
      throw FunctionError(.usage, "--app must be one of \(App.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    guard let kind = Kind.named(kindName, of: app) else {
      let kinds = Kind.catalogue.filter { $0.app == app }.map(\.name)
      throw FunctionError(.usage, "--kind must be one of \(kinds.joined(separator: ", ")).")
    }
    return .kind(kind)
  }

  private static func options(in words: [String]) throws(FunctionError) -> [String: String] {
    var options: [String: String] = [:]
    var words = words[...]
    while let word = words.popFirst() {
      guard word.hasPrefix("--") else { throw FunctionError(.usage, "\(word) is no option.") }
      guard word == "--json" || !words.isEmpty else { throw FunctionError(.usage, "\(word) needs a value.") }
      let value = word == "--json" ? "" : words.removeFirst()
      guard options.updateValue(value, forKey: word) == nil else {
        throw FunctionError(.usage, "\(word) is given twice.")
      }
    }
    return options
  }

  private static func take(_ name: String, from options: inout [String: String]) throws(FunctionError) -> String {
    guard let value = options.removeValue(forKey: name), !value.isEmpty else {
      throw FunctionError(.usage, "\(name) is missing; see runner unsubscribe-link --help.")
    }
    return value
  }

  private static func id(_ text: String, _ option: String) throws(FunctionError) -> UUID {
    guard let id = UUID(uuidString: text) else { throw FunctionError(.usage, "\(option) must be a UUID.") }
    return id
  }

  private static func server(_ text: String) throws(FunctionError) -> String {
    let isWritable = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"<>\"?#".utf8.contains($0) }
    guard let start = ["https://", "http://"].first(where: text.hasPrefix), text.utf8.count > start.utf8.count,
      isWritable
    else { throw FunctionError(.usage, "--base-url must be a URL such as https://push.example.com.") }
    return text.hasSuffix("/") ? String(text.dropLast()) : text
  }
}
