import Emulation

/// The command line of `push-emulator serve`.
struct ServeOptions: Sendable, Equatable {
  var directory = ""
  var host = "127.0.0.1"
  var port: UInt16 = 0
  var sandboxPort: UInt16 = 0
  var fcmPort: UInt16 = 0
  var bundleIDs: Set<String> = []
  var exitsWithStdin = false
  var keysPath: String?
  var clockPath: String?
  /// Whether device tokens about which nothing was said are refused.
  var isStrict = false
  /// Whether provider tokens may be odd.
  var isLenient = false
  var tokenUpdates = TokenUpdates.Scope.connection
  var maxStreams: UInt32 = 1_000
  /// How many pushes are kept.
  var capacity = PushHistory.defaultCapacity

  init(_ words: some Collection<String>) throws(EmulatorError) {
    var rest = Words(words)
    while let word = rest.next() {
      switch word {
      case "--directory": directory = try rest.value(of: word)
      case "--host": host = try rest.value(of: word)
      case "--port": port = UInt16(try rest.number(of: word, in: 0...65_535))
      case "--sandbox-port": sandboxPort = UInt16(try rest.number(of: word, in: 0...65_535))
      case "--fcm-port": fcmPort = UInt16(try rest.number(of: word, in: 0...65_535))
      case "--keys": keysPath = try rest.value(of: word)
      case "--clock-file": clockPath = try rest.value(of: word)
      case "--strict-tokens": isStrict = true
      case "--lenient-provider-tokens": isLenient = true
      case "--token-updates":
        guard let scope = TokenUpdates.Scope(rawValue: try rest.value(of: word)) else {
          throw .usage("\(word) takes team or connection.")
        }
        tokenUpdates = scope
      case "--max-streams": maxStreams = UInt32(try rest.number(of: word, in: 1...100_000))
      case "--keep": capacity = try rest.number(of: word, in: 1...1_000_000)
      case "--bundle-id": bundleIDs.insert(try rest.value(of: word))
      case "--exit-with-stdin": exitsWithStdin = true
      default: throw .usage("serve: unknown argument \(word); see --help.")
      }
    }
    guard !directory.isEmpty else { throw .usage("serve: --directory DIR is missing.") }
  }
  func port(of face: Face) -> UInt16 {
    switch face {
    case .production: port
    case .sandbox: sandboxPort
    case .fcm: fcmPort
    }
  }
}
