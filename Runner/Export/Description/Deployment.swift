import Cron
package import FunctionKit
import HTTP1
package import Manifest

/// The facts for an export: the bundle, and how its parts are called where it runs.
package struct Deployment: Sendable {
  /// The most letters of a name of Kubernetes or DNS.
  static let longestLabel = 63
  /// The most letters of a function's name: a suffix such as `-migrate` fits behind it.
  static let longestName = 55
  /// The most letters of a deployment's name: `-migrate-0123456789ab` fits behind it.
  static let longestDeploymentName = 42
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
  /// The names by which clients call from outside of a cluster; at most 16, as in an HTTPRoute.
  let hosts: [String]
  /// The folder in which a runner keeps its state where the image is built, if it lies in the project's.
  let state: String?

  /// - Parameters:
  ///   - name: what the units, services and folders are called; the bundle's name unless given.
  ///   - image: where the image of `export docker` is to be found; `NAME:latest` unless given.
  ///   - beside: the URL of the app's own server, such as `http://127.0.0.1:8080`.
  ///   - hosts: names of DNS, such as `push.example.com`, by which clients call from outside of a cluster.
  ///   - state: the folder of a runner's state, from the project's.
  /// - Throws: ``FunctionError/Code/misconfigured`` with the entry's path in `functions.json`.
  package init(
    of manifest: Manifest, name: String? = nil, image: String? = nil, beside: String? = nil, hosts: [String] = [],
    state: String? = nil
  ) throws(FunctionError) {
    let usual = manifest.bundle == Manifest.defaultBundle ? "push-functions" : manifest.bundle
    self.name = name ?? usual
    self.image = image ?? "\(self.name):latest"
    (self.manifest, self.beside, self.hosts, self.state) = (manifest, beside, hosts.once, state)
    if let server = beside, !Self.isServer(server) {
      throw FunctionError(.usage, "\(server) is no address of a server, such as http://127.0.0.1:8080.")
    }
    guard Self.isLabel(self.name, upTo: Self.longestDeploymentName) else {
      throw FunctionError(
        .usage, "\(self.name) is no name for a deployment: \(Self.rule(upTo: Self.longestDeploymentName)).")
    }
    guard Self.isImage(self.image) else {
      throw FunctionError(.usage, "\(self.image) is no reference of an image, such as registry.example.com/app:1.0.")
    }
    if let name = hosts.first(where: { !Self.isHost($0) }) {
      throw FunctionError(.usage, "\(name) is no name of a host, such as push.example.com.")
    }
    guard self.hosts.count <= 16 else {
      throw FunctionError(.usage, "There may be 16 names of hosts, not \(self.hosts.count).")
    }
    try Self.checkWords(of: manifest)
    for function in manifest.functions {
      guard Self.isLabel(function.name, upTo: Self.longestName) else {
        let rule = Self.rule(upTo: Self.longestName)
        throw FunctionError(
          .misconfigured, "functions.json: functions.\(function.name) has a name that is no DNS label: \(rule).")
      }
      try Self.checkSecrets(of: function)
    }
  }

  private static func rule(upTo most: Int) -> String {
    "a letter, then letters, digits and single hyphens, \(most) at most"
  }

  private static func isLabel(_ name: String, upTo most: Int) -> Bool {
    guard let first = name.utf8.first, (0x61...0x7A).contains(first), name.utf8.count <= most else { return false }
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
    let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    return text.utf8.first != UInt8(ascii: "-") && has(text, "._-/:@") && (parts.count == 1 || isDigest(parts[1]))
  }

  private static func isDigest(_ text: Substring) -> Bool {
    let digits = text.dropFirst(digestMark.count)
    return text.hasPrefix(digestMark) && digits.count == 64
      && digits.allSatisfy { $0.isHexDigit && !$0.isUppercase }
  }

  private static let digestMark = "sha256:"

  /// Whether a text is a name of DNS in lower case, and no address.
  private static func isHost(_ text: String) -> Bool {
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    return text.utf8.count <= 253 && labels.last?.allSatisfy(\.isNumber) == false
      && labels.allSatisfy { label in
        1...63 ~= label.utf8.count && label.first != "-" && label.last != "-" && has(String(label), "-")
          && label == label.lowercased()
      }
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

  /// Functions that have a process: all but those that run elsewhere already.
  var processes: [FunctionEntry] { manifest.functions.filter { $0.target == nil && $0.mode != .discard } }

  /// Functions that can run on an engine of their own.
  ///
  /// A function with a `notify` trigger asks the runner to wake it again, so it stays with the runner.
  var movable: [FunctionEntry] { processes.filter { !$0.triggers.contains(where: \.isNotify) } }

  /// Functions that stay with the runner on every engine.
  var staying: [FunctionEntry] { processes.filter { $0.triggers.contains(where: \.isNotify) } }

  /// The image's name, and its tag: `latest` if it has none.
  var imageParts: (base: String, tag: String) {
    let name = image.prefix { $0 != "@" }
    guard let colon = name.lastIndex(of: ":"), !name[colon...].contains("/") else { return (String(name), "latest") }
    return (String(name[..<colon]), String(name[name.index(after: colon)...]))
  }

  /// The version that tells the image from others of its name: the first 12 digits of its digest, or its tag.
  var imageVersion: String {
    image.firstRange(of: "@\(Self.digestMark)").map { String(image[$0.upperBound...].prefix(12)) } ?? imageParts.tag
  }

  /// The paths of functions with an `http` trigger, as `functions.json` writes them; some perhaps more than once.
  var publicPaths: [String] {
    manifest.functions.filter(\.isCalled).flatMap { function in
      ["/functions/v1/\(function.name)"] + function.http.routes.map(\.path)
    }
  }

  /// The names of the functions' own programs.
  var functionPrograms: [String] { processes.filter { $0.executable == nil }.map(\.name).sorted() }

  /// The names of the other programs: of the runner, of services and commands, each once.
  var otherPrograms: [String] {
    Set(["runner"] + manifest.services.map(\.name) + manifest.commands.map(\.executable))
      .subtracting(functionPrograms).sorted()
  }

  /// Files that functions bring along, relative to `functions.json`.
  var scripts: [String] { Set(processes.compactMap(\.executable)).filter { !$0.hasPrefix("/") }.sorted() }

  /// Folders of migrations, relative to `functions.json`.
  var migrations: [String] {
    manifest.migrations.map(\.path).compactMap { path in
      path.hasPrefix("\(manifest.directory)/") ? String(path.dropFirst(manifest.directory.count + 1)) : nil
    }
  }

  /// The folder of an app's own texts, from which `functions.json` has the runner read, relative to it.
  var languages: [String] { [manifest.languages].compactMap(\.self) }

  /// Variables without which something does not run; the key opens the gateway.
  var requiredVariables: [String] {
    let asked = manifest.functions.flatMap { function in
      function.environment.filter { !function.optional.contains($0) } + [function.http.secret].compactMap(\.self)
    }
    let offered = Set(manifest.functions.flatMap(\.settings.keys))
    return Set(asked + ["DATABASE_URL", Settings.keyVariable]).subtracting(offered).sorted()
  }

  /// Variables that functions do without.
  var optionalVariables: [String] {
    Set(manifest.functions.flatMap(\.optional)).subtracting(requiredVariables + Manifest.givenVariables).sorted()
  }

  /// A line for each schedule, for a comment.
  var scheduleLines: [String] {
    manifest.functions.flatMap { function in
      function.schedules.map { schedule in
        "\(function.name): \(schedule.expression.text) (\(schedule.timezone)), after a pause: \(schedule.catchUp.rawValue), "
          + "while one runs: \(schedule.overlap.rawValue)"
      }
    }
  }

  /// - Throws: ``FunctionError/Code/misconfigured`` with the place of a word that could mean something else there.
  static func checkWords(of manifest: Manifest) throws(FunctionError) {
    for function in manifest.functions {
      let place = "functions.json: functions.\(function.name)"
      if let path = function.executable, function.target == nil { try check(path, isPath, "\(place).executable") }
      for name in function.environment { try check(name, isVariable, "\(place).environment") }
      if let name = function.http.secret { try check(name, isVariable, "\(place).triggers") }
      for route in function.http.routes { try check(route.description, isRoute, "\(place).triggers") }
    }
    for folder in manifest.migrations { try checkMigrations(folder.path, of: manifest) }
    if let path = manifest.languages { try checkLanguages(path) }
    for command in manifest.commands {
      try check(command.executable, isPath, "functions.json: commands.\(command.name).executable")
    }
  }

  /// Images and packages have the folder of `functions.json` and what lies below it.
  private static func checkMigrations(_ path: String, of manifest: Manifest) throws(FunctionError) {
    let isBelow = path.hasPrefix("\(manifest.directory)/") && !path.split(separator: "/").contains("..")
    guard isBelow else {
      throw FunctionError(
        .misconfigured,
        "functions.json: migrations has \(path), which is not below \(manifest.directory): an image would lack it. "
          + "Put the folder there.")
    }
    try check(String(path.dropFirst(manifest.directory.count + 1)), isPath, "functions.json: migrations")
  }

  /// The folder has to be inside, and its path as `functions.json` writes it: the image reads it where it runs.
  private static func checkLanguages(_ path: String) throws(FunctionError) {
    let parts = path.split(separator: "/")
    guard !path.hasPrefix("/"), !parts.contains(".."), parts.contains(where: { $0 != "." }) else {
      throw FunctionError(
        .misconfigured,
        "functions.json: languages is \(path), which is no folder below that of functions.json: an image would lack it. "
          + "Put the folder there, and write its path from there.")
    }
    try check(path, isPath, "functions.json: languages")
  }

  private static func check(_ word: String, _ rule: (String) -> Bool, _ place: String) throws(FunctionError) {
    guard !rule(word) else { return }
    let quoted = String(decoding: RawJSON(word).bytes, as: UTF8.self)
    throw FunctionError(.misconfigured, "\(place) has \(quoted), which an export cannot write plainly.")
  }

  private static func isPath(_ text: String) -> Bool {
    text.utf8.first != UInt8(ascii: "-") && has(text, "._/-") && !text.split(separator: "/").contains("..")
  }

  private static func isVariable(_ text: String) -> Bool {
    text.utf8.first.map { !(0x30...0x39).contains($0) } == true && has(text, "_")
  }

  private static func isRoute(_ text: String) -> Bool { has(text, " /{}._~:@+,=-") }

  /// Whether a text has ASCII letters, digits, these others, and nothing else.
  static func has(_ text: String, _ others: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0)
          || others.utf8.contains($0)
      }
  }
}

extension FunctionEntry {
  var schedules: [ScheduleTrigger] {
    triggers.compactMap { if case .schedule(let schedule) = $0 { schedule } else { nil } }
  }

  var hasRows: Bool { triggers.contains { if case .table = $0 { true } else { false } } }

  /// Whether callers reach it over HTTP by a trigger of its own.
  var isCalled: Bool { triggers.contains { if case .http = $0 { true } else { false } } }
}

extension Sequence where Element: Equatable {
  /// Each element where it first stands.
  var once: [Element] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}

extension [String] {
  /// One line each, behind a comment's mark.
  func commented(_ mark: String = "#") -> String { map { $0.isEmpty ? mark : "\(mark) \($0)" }.joined(separator: "\n") }

  func indented(by spaces: Int) -> String {
    map { $0.isEmpty ? "" : String(repeating: " ", count: spaces) + $0 }.joined(separator: "\n")
  }
}
