package import FunctionKit
import HTTPClient
package import Manifest
import Signing
import System

/// A target with the values of its variables.
package struct TargetSettings: Sendable {
  let entry: FunctionEntry
  let engine: TargetEntry.Engine
  let format: TargetEntry.Format
  let url: Secret<String>
  let headers: Secret<[(name: String, value: String)]>
  let keys: WebhookKeys?
  let aws: AWSSignature?
  let trust: HTTPTrust

  /// - Parameters:
  ///   - variables: those that the function's requests need, by their names.
  ///   - directory: the folder of `functions.json`.
  /// - Throws: ``FunctionError/Code/misconfigured`` that names what is missing or unusable, and shows no value; `nil` for
  ///   a function that runs here.
  package init?(
    _ entry: FunctionEntry, _ variables: [String: String], directory: String
  ) throws(FunctionError) {
    guard let target = entry.target else { return nil }
    func error(_ problem: String) -> FunctionError { FunctionError(.misconfigured, "\(entry.name) \(problem).") }
    let missing = entry.environment.filter { !entry.optional.contains($0) && variables[$0]?.isEmpty ?? true }
    guard missing.isEmpty else {
      throw error("runs elsewhere, and its requests need \(missing.joined(separator: ", ")): not set")
    }
    (self.entry, engine, format) = (entry, target.engine, target.format)
    let url = target.url.text(variables)
    if let problem = Self.problem(of: url) { throw error("has a URL that \(problem)") }
    self.url = Secret(url)
    var headers = target.headers.map { (name: $0.name, value: $0.value.text(variables)) }
    for (name, value) in headers where !value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 9 }) {
      throw error("has a value of \(name) that no header field can have")
    }
    keys = target.secret.flatMap { variables[$0] }.flatMap { WebhookKeys($0) }
    if let secret = target.secret, keys == nil {
      throw error("needs in \(secret) secrets of the form \(WebhookKeys.form)")
    }
    if let region = target.region, let access = variables[TargetEntry.AWS.accessKey],
      let secret = variables[TargetEntry.AWS.secretKey]
    {
      aws = AWSSignature(region: region, service: "lambda", accessKey: access, secretKey: secret)
      if let token = variables[TargetEntry.AWS.sessionToken] { headers.append(("X-Amz-Security-Token", token)) }
    } else {
      aws = nil
    }
    self.headers = Secret(headers)
    guard let file = target.certificates else {
      trust = .system
      return
    }
    let path = file.hasPrefix("/") ? file : "\(directory)/\(file)"
    guard let text = TextFile.read(path, last: 1 << 20, followsLinks: true),
      text.contains("-----BEGIN CERTIFICATE-----")
    else {
      throw error("has certificates in \(path), which cannot be read or has none in it")
    }
    trust = .certificateAuthority(path: path)
  }

  /// Scheme, host and port, for people: a path or query may have a secret in it.
  var place: String { Self.place(of: url.exposed) ?? "the target" }

  /// Scheme, host and port of a URL; `nil` for one without them.
  static func place(of url: String) -> String? {
    guard let scheme = url.firstRange(of: "://") else { return nil }
    let end = url[scheme.upperBound...].firstIndex { "/?#".contains($0) } ?? url.endIndex
    let authority = url[scheme.upperBound..<end]
    // A name and password may be before the host.
    let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    return String((url[..<scheme.upperBound] + host).prefix(300))
  }

  private static func problem(of url: String) -> String? {
    let schemes = ["https://", "http://"]
    guard let scheme = schemes.first(where: url.hasPrefix) else { return "begins with neither https:// nor http://" }
    let authority = url.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
    if authority.isEmpty { return "has no host" }
    if authority.contains("@") { return "has a name or password before its host: use headers" }
    guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return "is not percent-encoded" }
    return nil
  }
}
