import Emulation

/// The command line of `push-emulator pushes`.
struct PushesOptions: Sendable, Equatable {
  var json = false
  var follow = false
  var last = 20
  /// Only some devices', by token or pattern.
  var token: String?
  var kind: String?
  /// The push to print as a file for Xcode's simulator, in place of the list.
  var file: Int?
  /// Without the member that names the app.
  var isPlain = false

  init(_ words: some Collection<String>) throws(EmulatorError) {
    var rest = Words(words)
    while let word = rest.next() {
      switch word {
      case "--json": json = true
      case "--follow": follow = true
      case "--last": last = try rest.number(of: word, in: 1...PushHistory.defaultCapacity)
      case "--token": token = try rest.value(of: word)
      case "--kind": kind = try rest.value(of: word)
      case "--apns": file = try rest.number(of: word, in: 1...Int.max)
      case "--plain": isPlain = true
      default: throw .usage("pushes: unknown argument \(word); see --help.")
      }
    }
    if isPlain, file == nil { throw .usage("pushes: --plain is for --apns SEQ.") }
  }

  /// What the list is narrowed by, as a query.
  var filter: String {
    [("token", token), ("kind", kind)].compactMap { name, value in
      value.map { "&\(name)=\(PercentEncoding.encoded($0))" }
    }.joined()
  }
}
