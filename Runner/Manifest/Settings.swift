package import FunctionKit
import Glibc
import System

/// The settings of a project: in the environment of this process, behind it in `.env` beside `functions.json`, and
/// secrets in files that `NAME_FILE` names or that lie under their names in `$CREDENTIALS_DIRECTORY`.
package struct Settings: Sendable {
  /// The variable with the key that opens the gateway.
  package static let keyVariable = "RUNNER_KEY"

  /// The variable with what a collector of traces asks for, such as a key.
  package static let traceHeadersVariable = "OTEL_EXPORTER_OTLP_HEADERS"

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
  ///   - found: whose `.env` counts.
  /// - Throws: ``FunctionError/Code/misconfigured`` where a file cannot be read, or a value is given in two ways.
  package init(
    own: FunctionKit.Environment = .current(), directory: String, names: Set<String>, found: FoundFiles? = nil
  ) throws(FunctionError) {
    var (values, origins) = (own.all, own.all.mapValues { _ in Origin.environment })
    let credentials = Self.credentials(own, names)
    let hasDotEnv = try (found ?? FoundFiles(own)).has(".env", in: directory)
    for (name, value) in hasDotEnv ? try DotEnv.read("\(directory)/.env") : [:] {
      let spellings = Self.spellings(of: name, names)
      guard spellings.allSatisfy({ own.all[$0] == nil && credentials[$0] == nil }) else { continue }
      (values[name], origins[name]) = (value, .dotEnv)
    }
    for name in names.sorted() {
      let variable = "\(name)_FILE"
      if let place = credentials[name] {
        (values[name], origins[name]) = (try Self.secret(in: place, "The credential \(name) is"), .file(place))
      }
      guard let path = values[variable], !path.isEmpty else { continue }
      guard values[name]?.isEmpty ?? true else {
        throw FunctionError(.misconfigured, "\(name) and \(variable) are both set: remove one of them.")
      }
      let place = origins[variable] == .dotEnv && !path.hasPrefix("/") ? "\(directory)/\(path)" : path
      (values[name], origins[name]) = (try Self.secret(in: place, "\(variable) names"), .file(place))
    }
    environment = FunctionKit.Environment(values)
    self.origins = origins
  }

  /// Where a variable's value comes from; `nil` where it has none.
  package func origin(of name: String) -> Origin? { environment[name] == nil ? nil : origins[name] }

  /// The files that values were read from, besides `.env`.
  package var files: [String] {
    Set(origins.values.compactMap { if case .file(let place) = $0 { place } else { nil } }).sorted()
  }

  /// The files in the folder of credentials for variables that the environment does not set, by the variables' names.
  ///
  /// systemd makes that folder (`LoadCredential=`), and containers may name one: systemd.exec(5).
  private static func credentials(_ own: FunctionKit.Environment, _ names: Set<String>) -> [String: String] {
    guard let folder = own["CREDENTIALS_DIRECTORY"], !folder.isEmpty else { return [:] }
    var places: [String: String] = [:]
    for name in names where own.all[name] == nil && own.all["\(name)_FILE"] == nil {
      if access("\(folder)/\(name)", F_OK) == 0 { places[name] = "\(folder)/\(name)" }
    }
    return places
  }

  private static func secret(in place: String, _ what: String) throws(FunctionError) -> String {
    guard let text = TextFile.read(place, last: largestFile + 1, followsLinks: true)?.withoutLineEnd else {
      throw FunctionError(.misconfigured, "\(what) \(place), which \(hindrance(of: place)).")
    }
    guard !text.isEmpty, text.utf8.count <= largestFile else {
      let problem = text.isEmpty ? "is empty" : "has more than \(largestFile) bytes"
      throw FunctionError(.misconfigured, "\(what) \(place), which \(problem).")
    }
    return text
  }

  /// Why a file cannot be read.
  private static func hindrance(of place: String) -> String {
    var facts = stat()
    let isElse = stat(place, &facts) == 0 && facts.st_mode & S_IFMT != S_IFREG
    return isElse ? "is not a regular file" : "cannot be read"
  }

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
    let own = Project.databaseVariables + [Settings.keyVariable, Settings.traceHeadersVariable]
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
