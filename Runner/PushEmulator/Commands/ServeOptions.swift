/// The command line of `push-emulator serve`.
struct ServeOptions: Sendable, Equatable {
  var directory = ""
  var host = "127.0.0.1"
  var port: UInt16 = 0
  var bundleIDs: Set<String> = []
  var exitsWithStdin = false

  init(_ words: some Collection<String>) throws(EmulatorError) {
    var rest = Words(words)
    while let word = rest.next() {
      switch word {
      case "--directory": directory = try rest.value(of: word)
      case "--host": host = try rest.value(of: word)
      case "--port": port = UInt16(try rest.number(of: word, in: 0...65_535))
      case "--bundle-id": bundleIDs.insert(try rest.value(of: word))
      case "--exit-with-stdin": exitsWithStdin = true
      default: throw .usage("serve: unknown argument \(word); see --help.")
      }
    }
    guard !directory.isEmpty else { throw .usage("serve: --directory DIR is missing.") }
  }
}
