package import FunctionKit
package import Manifest

/// What an export needs to know: the bundle, and how its parts are called where it runs.
package struct Deployment: Sendable {
  /// What names of Kubernetes and DNS may have, less a suffix such as `-migrate`.
  static let longestName = 55
  /// How long a runner that is to end shows balancers that it is not ready, in seconds.
  static let drainSeconds = 10
  /// How long a runner needs to end: the drain, 10 seconds for what runs, 5 for answers, and some to end processes.
  static let stopSeconds = drainSeconds + 35
  /// The port that `runner serve` listens on.
  static let port = 54_321
  /// The port of the host in an image of one function.
  static let functionPort = 8_080

  package let manifest: Manifest
  /// The bundle's name as a DNS label.
  package let name: String
  /// The reference of the image with all programs.
  package let image: String
  /// The URL of the app's own server, which gets what the runner does not answer; `nil` if there is none.
  package let beside: String?
  /// The folder in which a runner keeps its state where the image is built, if it lies in the project's.
  let state: String?

  /// - Parameters:
  ///   - name: what the units, services and folders are called; the bundle's name unless given.
  ///   - image: where the image of `export docker` is to be found; `NAME:latest` unless given.
  ///   - beside: the URL of the app's own server, such as `http://127.0.0.1:8080`.
  ///   - state: the folder of a runner's state, from the project's.
  /// - Throws: ``FunctionError/Code/misconfigured`` with the entry's path in `functions.json`.
  package init(
    of manifest: Manifest, name: String? = nil, image: String? = nil, beside: String? = nil, state: String? = nil
  ) throws(FunctionError) {
    let usual = manifest.bundle == Manifest.defaultBundle ? "push-functions" : manifest.bundle
    self.name = name ?? usual
    self.image = image ?? "\(self.name):latest"
    (self.manifest, self.beside, self.state) = (manifest, beside, state)
    if let server = beside, !Self.isServer(server) {
      throw FunctionError(.usage, "\(server) is no address of a server, such as http://127.0.0.1:8080.")
    }
    guard Self.isLabel(self.name) else {
      throw FunctionError(.usage, "\(self.name) is no name for a deployment: \(Self.rule).")
    }
    guard Self.isImage(self.image) else {
      throw FunctionError(.usage, "\(self.image) is no reference of an image, such as registry.example.com/app:1.0.")
    }
    try Self.checkWords(of: manifest)
    for function in manifest.functions {
      guard Self.isLabel(function.name) else {
        throw FunctionError(
          .misconfigured, "functions.json: functions.\(function.name) has a name that is no DNS label: \(Self.rule).")
      }
      try Self.checkSecrets(of: function)
    }
  }

  private static let rule = "a letter, then letters, digits and single hyphens, \(longestName) at most"

  private static func isLabel(_ name: String) -> Bool {
    guard let first = name.utf8.first, (0x61...0x7A).contains(first), name.utf8.count <= longestName else {
      return false
    }
    return name.split(separator: "-", omittingEmptySubsequences: false).allSatisfy { part in
      !part.isEmpty && part.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
    }
  }

  /// Whether a text is the URL of a server, with a host and perhaps a port, and nothing behind them.
  private static func isServer(_ text: String) -> Bool {
    guard let scheme = ["http://", "https://"].first(where: text.hasPrefix) else { return false }
    return has(String(text.dropFirst(scheme.count)), ".-:[]")
  }

  private static func isImage(_ text: String) -> Bool {
    text.utf8.first != UInt8(ascii: "-") && has(text, "._-/:@")
  }

  /// Files of an export are kept beside the code and read by many: no secret may be in them, or in what they come from.
  private static func checkSecrets(of function: FunctionEntry) throws(FunctionError) {
    guard let target = function.target else { return }
    let place = "functions.json: functions.\(function.name)"
    let words = ["auth", "cookie", "key", "token", "secret", "password", "signature"]
    for header in target.headers where words.contains(where: header.name.lowercased().contains) {
      guard header.value.names.isEmpty else { continue }
      throw FunctionError(
        .misconfigured,
        "\(place).headers.\(header.name) has a secret in plain text: write ${NAME}, and set the variable.")
    }
    let url = target.url.text(Dictionary(target.url.names.map { ($0, "${\($0)}") }) { first, _ in first })
    let isPlain = { (part: Substring) in !part.isEmpty && !part.contains("${") }
    let parts = url.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let authority = parts[0][(parts[0].firstRange(of: "://")?.upperBound ?? url.startIndex)...].prefix { $0 != "/" }
    if let end = authority.lastIndex(of: "@"), isPlain(authority[..<end].split(separator: ":").last ?? "") {
      throw FunctionError(
        .misconfigured, "\(place).url has a password in plain text: write ${NAME}, and set the variable.")
    }
    let query = parts.count > 1 ? parts[1].split(separator: "&") : []
    let values = query.map { parameter in
      parameter.firstRange(of: "=").map { parameter[$0.upperBound...] } ?? parameter
    }
    if values.contains(where: isPlain) {
      throw FunctionError(
        .misconfigured,
        "\(place).url has a query in plain text, which may be a secret: write ${NAME}, and set the variable.")
    }
  }
}
