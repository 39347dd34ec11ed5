package import FunctionKit
import System

/// What is set for a project: in the environment of this process, behind it in `.env` beside `functions.json`, and secrets
/// in files that `NAME_FILE` names.
package struct Settings: Sendable {
  /// The variable with the key that opens the gateway.
  package static let keyVariable = "RUNNER_KEY"

  /// Where a value was found.
  package enum Origin: Sendable, Equatable {
    case environment
    case dotEnv
    case file(String)
  }

  /// In bytes.
  private static let largestFile = 65_536

  /// All values by their names.
  package let environment: FunctionKit.Environment
  private let origins: [String: Origin]

  /// - Parameters:
  ///   - directory: the folder of `functions.json`.
  ///   - names: whose values may come out of files.
  /// - Throws: ``FunctionError/Code/misconfigured`` where a file cannot be read, or a value is given in two ways.
  package init(
    own: FunctionKit.Environment = .current(), directory: String, names: Set<String>
  ) throws(FunctionError) {
    var (values, origins) = (own.all, own.all.mapValues { _ in Origin.environment })
    for (name, value) in try DotEnv.read("\(directory)/.env") {
      let spellings = Self.spellings(of: name, names)
      guard spellings.allSatisfy({ own.all[$0] == nil }) else { continue }
      (values[name], origins[name]) = (value, .dotEnv)
    }
    for name in names.sorted() {
      let variable = "\(name)_FILE"
      guard let path = values[variable], !path.isEmpty else { continue }
      guard values[name]?.isEmpty ?? true else {
        throw FunctionError(.misconfigured, "\(name) and \(variable) are both set: take one of them away.")
      }
      let place = origins[variable] == .dotEnv && !path.hasPrefix("/") ? "\(directory)/\(path)" : path
      guard let text = TextFile.read(place, last: Self.largestFile + 1, followsLinks: true)?.withoutLineEnd else {
        throw FunctionError(.misconfigured, "\(variable) names \(place), which cannot be read.")
      }
      guard !text.isEmpty, text.utf8.count <= Self.largestFile else {
        let problem = text.isEmpty ? "is empty" : "has more than \(Self.largestFile) bytes"
        throw FunctionError(.misconfigured, "\(variable) names \(place), which \(problem).")
      }
      (values[name], origins[name]) = (text, .file(place))
    }
    environment = FunctionKit.Environment(values)
    self.origins = origins
  }

  /// Where a variable's value comes from; `nil` where it has none.
  package func origin(of name: String) -> Origin? { environment[name] == nil ? nil : origins[name] }

  /// A name, and the other one by which the same value may be given.
  private static func spellings(of name: String, _ names: Set<String>) -> [String] {
    let base = name.hasSuffix("_FILE") ? String(name.dropLast(5)) : name
    return names.contains(base) ? [base, "\(base)_FILE"] : [name]
  }
}

extension Manifest {
  /// The variables that functions and the runner ask for.
  package var variables: Set<String> {
    let all = functions + elsewhere
    let own = Project.databaseVariables + [Settings.keyVariable]
    return Set(all.flatMap(\.environment) + all.compactMap(\.http.secret) + own)
  }
}

extension String {
  fileprivate var withoutLineEnd: String {
    var text = self
    while let last = text.last, last.isNewline { text.removeLast() }
    return text
  }
}
